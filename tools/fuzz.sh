#!/usr/bin/env bash
# Runs every libFuzzer program of a build for a while, one after another.
#
#     tools/fuzz.sh BUILD_FOLDER SECONDS
#
# Each starts from fuzz/corpus/<reader>/ and tests/data; inputs that reach new code are kept in
# BUILD_FOLDER/corpus/<reader>/, failures in BUILD_FOLDER/failures/.
set -euo pipefail

if (($# != 2)); then
    echo "usage: $0 BUILD_FOLDER SECONDS" >&2
    exit 2
fi
build=$1
seconds=$2
failures=$build/failures/
mkdir -p "$failures"

status=0
shopt -s nullglob
for target in "$build"/bin/fuzz_*; do
    reader=${target##*/fuzz_}
    corpus=("$build/corpus/$reader")
    mkdir -p "${corpus[0]}"
    for seeds in "fuzz/corpus/$reader" tests/data; do
        [[ ! -d $seeds ]] || corpus+=("$seeds")
    done
    # Some readers do much with each byte: short inputs keep them above a thousand a second.
    case $reader in
    inspect) longest=1024 ;;
    difference) longest=2048 ;;
    capture) longest=4096 ;;
    *) longest=32768 ;;
    esac
    echo "== $reader, $seconds seconds"
    "$target" -max_len=$longest -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$failures$reader-" "${corpus[@]}" 2>"$build/corpus/$reader.log" || status=1
    grep -E 'ERROR|SUMMARY|runtime error|Test unit written|number_of_executed_units|average_exec_per_sec' \
        "$build/corpus/$reader.log" || true
done
exit $status
