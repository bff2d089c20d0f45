#!/bin/sh
# Runs a step of the build: prints one line instead of hundreds, keeps the rest in a log.
#
#     tools/quiet.sh "building (release)" build/release.log COMMAND...
#
# Where the command fails, its errors (or its last lines) and the log's name are printed. VERBOSE=1
# prints everything.
set -u

label=$1 log=$2
shift 2
if [ -n "${VERBOSE-}" ]; then
    exec "$@"
fi
mkdir -p "$(dirname "$log")"
printf '%s\n' "$label, log in $log" >&2
if "$@" >"$log" 2>&1; then
    exit 0
else
    status=$?
fi
# Compilations go on beside the one that failed: its message may stand far above the end.
errors='(^|[^-_a-z])(fatal )?error: |^CMake Error|undefined reference'
if grep -qE "$errors" "$log"; then
    grep -E -B 2 -A 6 "$errors" "$log" | head -n 60 >&2
else
    tail -n 25 "$log" >&2
fi
printf '%s failed; all of it is in %s\n' "$label" "$log" >&2
exit "$status"
