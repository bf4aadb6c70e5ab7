# Sourced by script/*: sets $python to a Python that is new enough, or says what is wrong and ends.
# PYTHON=/path/to/python3 chooses one.

python=
found=
for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    version=$("$candidate" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
    found="$found $candidate is $version,"
done
if [ -z "$python" ]; then
    echo "The arena needs Python 3.11 or newer, but${found:- there is no python3 on PATH,} so install a newer one, or name it: PYTHON=/path/to/python3 $0" >&2
    exit 1
fi
