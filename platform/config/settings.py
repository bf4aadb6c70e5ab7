"""Every setting of the site. Values come from environment variables (docs/deploy); the defaults serve one machine."""

from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from config import env, folder

ROOT = Path(__file__).resolve().parents[2]
VAR = Path(env.text("ARENA_VAR", str(ROOT / "var")))
PRODUCTION = env.flag("ARENA_PRODUCTION", default=False)
DEBUG = env.flag("DEBUG", default=False)
if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("DEBUG must be off when ARENA_PRODUCTION is on: its pages show secrets.")

# Production has no default for anything secret or outward-facing; one machine makes its own key and keeps it.
if PRODUCTION:
    SECRET_KEY = env.secret("SECRET_KEY")
    ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS")
    if "*" in ALLOWED_HOSTS:
        raise ImproperlyConfigured("The environment variable ALLOWED_HOSTS must name the site's hosts, not *.")
    for _name in ("DATABASE_URL", "REDIS_URL"):
        env.text(_name)
else:
    SECRET_KEY = env.secret("SECRET_KEY") if env.text("SECRET_KEY", "") else folder.kept_key(VAR)
    # Only this machine's own names: a page elsewhere cannot reach the arena under a name of its own.
    ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS", "localhost,127.0.0.1,[::1]")
# Django wants a wildcard as https://*.example.org where ALLOWED_HOSTS says .example.org.
CSRF_TRUSTED_ORIGINS = [f"https://{host.replace('.', '*.', 1) if host[0] == '.' else host}" for host in ALLOWED_HOSTS]
# What letters, links to share and the pictures of matches begin with, wherever they are made.
SITE_URL = env.site_address(
    "SITE_URL", f"https://{ALLOWED_HOSTS[0].lstrip('.')}" if PRODUCTION else "http://127.0.0.1:8000"
)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "config",
    "accounts",
    "bots",
    "ladder",
    "tournaments",
    "tables",
    "api",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "config.middleware.ContentSecurityPolicy",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.middleware.PackedForGuests",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.middleware.DamagedRecords",
]
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "platform" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "accounts.look.context",
            ],
        },
    },
]

DATABASES = {"default": env.database("DATABASE_URL", sqlite_file=VAR / "arena.sqlite3")}
_REDIS = env.redis_url("REDIS_URL")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# What all processes of the site share outlives Redis. Only requests of the API, which a minute forgets, are counted in
# it: no flood of addresses pushes wrong passwords out. Without Redis they are in files, for with SQLite a reader would
# wait for whoever writes.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "shared_cache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    "requests": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": _REDIS,
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
    }
    if _REDIS is not None
    else {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR / "requests",
        "OPTIONS": {"MAX_ENTRIES": 5_000},
    },
    # Some 30 kB each.
    "pictures": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "pictures",
        "OPTIONS": {"MAX_ENTRIES": 200},
    },
}

AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
# Wrong passwords: five for one account in five minutes, ten from one address in a minute.
ACCOUNT_RATE_LIMITS = {"login_failed": "10/m/ip,5/5m/key"}
# The proxy in front (docs/deploy) says who asks.
ALLAUTH_TRUSTED_PROXY_COUNT = 1 if PRODUCTION else 0
LOGIN_REDIRECT_URL = "/my/"

LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [ROOT / "platform" / "static"]
# collectstatic names each file by its content and packs it, so that browsers keep it for good and load it small.
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static.HashedFiles"},
}

# The largest thing a form takes beside its file is a note; up to here one that is too long is told so by the form.
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FILES = 4
FILE_UPLOAD_HANDLERS = ["bots.uploads.CappedUploadHandler"]

# Which sandbox runs the bots. In production there is no falling back to a weaker one.
_SANDBOXES = ("docker", "bubblewrap") if PRODUCTION else ("auto", "docker", "bubblewrap", "process")
ARENA_SANDBOX = env.choice("ARENA_SANDBOX", _SANDBOXES[0], _SANDBOXES)
ARENA_MAX_LIVE_BOTS = env.number("ARENA_MAX_LIVE_BOTS", 5, least=1)
ARENA_MAX_UPLOADS_A_DAY = env.number("ARENA_MAX_UPLOADS_A_DAY", 20, least=1)
ARENA_MAX_CHALLENGES_A_DAY = env.number("ARENA_MAX_CHALLENGES_A_DAY", 20)
ARENA_MAX_TRIALS_A_DAY = env.number("ARENA_MAX_TRIALS_A_DAY", 200)
ARENA_MAX_TOURNAMENTS = env.number("ARENA_MAX_TOURNAMENTS", 3)
# Casual games of people against bots: at once, of one person in a day, and how long a person may think.
ARENA_MAX_TABLES = env.number("ARENA_MAX_TABLES", 16)
ARENA_MAX_GAMES_A_DAY = env.number("ARENA_MAX_GAMES_A_DAY", 200)
TABLE_IDLE_SECONDS = env.number("TABLE_IDLE_SECONDS", 300, least=10)

# The ladder's pace. A running match belongs to its worker for the lease and is renewed three times in it.
MATCH_LEASE_SECONDS = env.number("MATCH_LEASE_SECONDS", 60, least=1)
MATCH_RESEND_SECONDS = env.number("MATCH_RESEND_SECONDS", 30, least=1)
MATCH_ATTEMPTS = env.number("MATCH_ATTEMPTS", 5, least=1)
MATCH_SECONDS = env.number("MATCH_SECONDS", 900, least=10)
# What a worker told to stop has left to finish its matches in; then it hands them back, to be played elsewhere.
DRAIN_SECONDS = env.number("DRAIN_SECONDS", 40)
SCHEDULE_SECONDS = env.number("SCHEDULE_SECONDS", 3, least=1)
RECOVER_SECONDS = env.number("RECOVER_SECONDS", 5, least=1)
LADDER_QUEUE_DEPTH = env.number("LADDER_QUEUE_DEPTH", 4, least=1)
# How many matches of each tournament wait, or as many as the workers take; more are queued as these are taken.
TOURNAMENT_QUEUE_DEPTH = env.number("TOURNAMENT_QUEUE_DEPTH", 32, least=1)
# Once every version has this many rated matches there is little to learn: one match every TRICKLE_SECONDS.
SETTLED_MATCHES = env.number("SETTLED_MATCHES", 200, least=1)
TRICKLE_SECONDS = env.number("TRICKLE_SECONDS", 30, least=1)
# How old the ranks on the pages may be: each process of the site sorts a ladder that often.
LADDER_FRESH_SECONDS = env.number("LADDER_FRESH_SECONDS", 3)
# How often a worker looks for ladders whose Bradley-Terry ratings are behind.
FIT_SECONDS = env.number("FIT_SECONDS", 20, least=1)
BENCH_AFTER_FAULTS = env.number("BENCH_AFTER_FAULTS", 5, least=1)

# Of one address, which in production the proxy tells.
API_REQUESTS_A_MINUTE = env.number("API_REQUESTS_A_MINUTE", 300, least=1)
NINJA_NUM_PROXIES = 1 if PRODUCTION else 0

CELERY_BROKER_URL = _REDIS or "folder://localhost/"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
# Queues, so that neither play nor validations nor the schedule waits for the others; whoever serves several of them, as
# a worker without -Q does, takes from them in turns. `manage.py serve` and docker-compose.yml run one worker for each
# but challenges and tournaments, which the workers that play take in turns with the ladders' matches
# (`ladder.services.matches`), and trials, for which an author sits waiting: whoever plays or validates takes those.
# Tables wait for people most of the time, a thread each: on one machine the worker for control has these threads too.
CELERY_TASK_DEFAULT_QUEUE = "control"
_QUEUES = ("control", "matches", "challenges", "tournaments", "trials", "validations", "tables")
CELERY_TASK_QUEUES = [Queue(name, routing_key=name) for name in _QUEUES]
CELERY_TASK_ROUTES = {
    "ladder.tasks.play_match": {"queue": "matches"},
    "bots.tasks.validate_version": {"queue": "validations"},
    "bots.tasks.play_trial": {"queue": "trials"},
    "tables.tasks.host_table": {"queue": "tables"},
    # Where uploads are run they can be promised.
    "bots.tasks.report_sandbox": {"queue": "validations"},
}
# A worker told to stop at once still gets this long to finish its matches; what it cannot finish is queued again.
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10.0
CELERY_BEAT_SCHEDULER = "config.beat.Scheduler"
# Loaded before beat listens to signals: it answers one by loading its scheduler, which cannot be done half-way through.
CELERY_IMPORTS = ["config.beat"]
CELERY_BEAT_SCHEDULE = {
    "schedule": {"task": "ladder.tasks.schedule", "schedule": SCHEDULE_SECONDS},
    "run-tournaments": {"task": "tournaments.tasks.run", "schedule": SCHEDULE_SECONDS},
    "mail-notices": {"task": "tournaments.tasks.mail_notices", "schedule": 30},
    "recover": {"task": "ladder.tasks.recover", "schedule": RECOVER_SECONDS},
    "fit-ladders": {"task": "ladder.tasks.fit_ladders", "schedule": FIT_SECONDS},
    "update-trends": {"task": "ladder.tasks.update_trends", "schedule": 60},
    "tally-ladders": {"task": "ladder.tasks.tally_ladders", "schedule": 10},
    "watch-ladders": {"task": "ladder.tasks.watch_ladders", "schedule": 30},
    "requeue-stale-validations": {"task": "bots.tasks.requeue_stale_validations", "schedule": 30},
    "requeue-stale-trials": {"task": "bots.tasks.requeue_stale_trials", "schedule": 15},
    "tend-tables": {"task": "tables.tasks.tend_tables", "schedule": RECOVER_SECONDS},
    "report-sandbox": {"task": "bots.tasks.report_sandbox", "schedule": 60},
}
if _REDIS is not None:
    # Longer than any match may take: a message is delivered again only when its worker is gone.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"visibility_timeout": 2 * MATCH_SECONDS}
else:
    # Remote control leaves a queue that nobody empties behind every worker that was killed.
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
    _MESSAGES = str(folder.made(VAR / "broker" / "messages"))
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": _MESSAGES,
        "data_folder_out": _MESSAGES,
        "control_folder": str(folder.made(VAR / "broker" / "control")),
        "polling_interval": 0.2,
    }

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PRODUCTION else None
SECURE_SSL_REDIRECT = PRODUCTION
# A health check comes from inside, without the proxy that speaks TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 31_536_000 if PRODUCTION else 0
# Whether the domain's other hosts speak TLS is for their owner to say, so the site promises for itself alone.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
SECURE_REFERRER_POLICY = "same-origin"

# Without a mail server a password-reset letter is written to the log.
EMAIL_HOST = env.text("EMAIL_HOST", "")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_PORT = env.number("EMAIL_PORT", 587, least=1, most=65535)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD", "")
EMAIL_USE_TLS = bool(EMAIL_HOST)
DEFAULT_FROM_EMAIL = env.address("DEFAULT_FROM_EMAIL", "arena@localhost")
# Who is told by mail when a check of the ratings fails.
ADMINS = [("operator", address) for address in env.addresses("ADMINS")]
SERVER_EMAIL = DEFAULT_FROM_EMAIL

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "filters": {
        "visitors": {"()": "config.logs.VisitorsAreNoError"},
        "rejections": {"()": "config.logs.RejectionsAreNoError"},
    },
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["visitors", "rejections"]}
    },
    "root": {
        "handlers": ["console"],
        "level": env.choice("LOG_LEVEL", "WARNING", ("DEBUG", "INFO", "WARNING", "ERROR")),
    },
    "loggers": {
        # Django's own default handler speaks only in DEBUG; the root's one is enough.
        "django": {"handlers": [], "propagate": True},
        # A page that is not there is the visitor's business.
        "django.request": {"level": "ERROR"},
    },
}
