"""Asks the kernel directly, past all of Python."""

import ctypes
import errno
import platform

from player import *


def try_everything():
    libc = ctypes.CDLL(None, use_errno=True)
    calls = {  # x86_64
        "ptrace": 101, "setuid": 105, "setgid": 106, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161,
        "unshare": 272, "setns": 308, "bpf": 321, "perf_event_open": 298, "keyctl": 250, "add_key": 248,
        "userfaultfd": 323, "io_uring_setup": 425, "process_vm_readv": 310, "pidfd_open": 434, "pidfd_getfd": 438,
        "kcmp": 312, "shmget": 29, "msgget": 68, "semget": 64, "mq_open": 240, "memfd_create": 319, "clone": 56,
        "clone3": 435, "fork": 57, "vfork": 58, "execve": 59, "execveat": 322, "personality": 135, "modify_ldt": 154,
        "init_module": 175, "reboot": 169, "swapon": 167, "kexec_load": 246, "openat2": 437, "open_by_handle_at": 304,
        "name_to_handle_at": 303, "fanotify_init": 300, "inotify_init1": 294, "timer_create": 222, "setitimer": 38,
        "alarm": 37, "prctl": 157, "seccomp": 317, "splice": 275, "vmsplice": 278, "tgkill": 234, "tkill": 200,
        "rt_sigqueueinfo": 129, "sysinfo": 99, "getpriority": 140, "setpriority": 141, "sched_setscheduler": 144,
        "ioprio_set": 251, "mlock": 149, "mlockall": 151, "flock": 73, "eventfd2": 290, "epoll_create1": 291,
        "signalfd4": 289, "landlock_create_ruleset": 444, "recvmsg": 47, "sendmsg": 46, "syslog": 103, "uselib": 134,
        "timerfd_create": 283, "membarrier": 324, "rseq": 334, "set_robust_list": 273, "get_robust_list": 274,
        "set_tid_address": 218, "io_uring_enter": 426, "io_uring_register": 427, "process_vm_writev": 311,
        "process_madvise": 440, "pidfd_send_signal": 424, "futex_waitv": 449, "map_shadow_stack": 453, "mseal": 462,
        "statmount": 457, "listmount": 458, "memfd_secret": 447, "mbind": 237, "set_mempolicy": 238, "move_pages": 279,
        "migrate_pages": 256, "pkey_alloc": 330, "remap_file_pages": 216, "msync": 26, "arch_prctl": 158, "iopl": 172,
        "acct": 163, "quotactl": 179, "chdir": 80, "fchdir": 81, "sync": 162, "syncfs": 306, "copy_file_range": 326,
        "vhangup": 153, "sysfs": 139, "getcpu": 309, "setsid": 112, "setpgid": 109, "umask": 95, "pause": 34,
        "rt_sigtimedwait": 128, "rt_sigsuspend": 130, "rt_sigpending": 127, "wait4": 61, "waitid": 247,
    }
    if platform.machine() == "x86_64":
        for name, number in calls.items():
            if libc.syscall(number, 0, 0, 0, 0, 0) != -1:
                raise Escaped(f"{name} worked")
            if ctypes.get_errno() not in (errno.EPERM, errno.ENOSYS, errno.EACCES):
                raise Escaped(f"{name} reached the kernel: {errno.errorcode[ctypes.get_errno()]}")


try_everything()


class Hostile(Plays):
    has_tried = False

    def choose_discard(self, view):
        if not self.has_tried:
            self.has_tried = True
            try_everything()
        return super().choose_discard(view)
