#!/usr/bin/env bash
# Runs every libFuzzer program of a build for a while, one after another.
#
#     tools/fuzz.sh BUILD_FOLDER SECONDS
#
# Each starts from fuzz/corpus/<reader>/ and tests/data; inputs that reach new code are kept in
# BUILD_FOLDER/corpus/<reader>/, failures in BUILD_FOLDER/failures/. Prints how many inputs each
# took in a second of the processor's time: what other programs do on the machine does not count.
set -euo pipefail

if (($# != 2)); then
    echo "usage: $0 BUILD_FOLDER SECONDS" >&2
    exit 2
fi
build=$1
seconds=$2
failures=$build/failures/
mkdir -p "$failures"

# speed READER LOG CPU_SECONDS: a line for the table of CONTRIBUTING.md.
speed() {
    awk -v reader="$1" -v seconds="$3" '/number_of_executed_units/ { inputs = $2 }
        END {
            if (seconds == 0) seconds = 0.001
            printf "%-13s %9d inputs in %6.1f CPU seconds: %7d a second%s\n", reader, inputs, seconds,
                inputs / seconds, inputs < 1000 * seconds ? ", should be 1000" : ""
        }' "$2"
}

status=0
TIMEFORMAT='%U %S'
shopt -s nullglob
for target in "$build"/bin/fuzz_*; do
    reader=${target##*/fuzz_}
    corpus=("$build/corpus/$reader")
    log=$build/corpus/$reader.log
    mkdir -p "${corpus[0]}"
    for seeds in "fuzz/corpus/$reader" tests/data; do
        [[ ! -d $seeds ]] || corpus+=("$seeds")
    done
    # Some readers do much with each byte: short inputs keep them above a thousand a second.
    case $reader in
    inspect | trace_stream | device_log) longest=4096 ;;
    difference) longest=10240 ;;
    gap | reference) longest=65536 ;;
    *) longest=32768 ;;
    esac
    find "fuzz/corpus/$reader" -size +${longest}c -printf '%p would be cut: shorten it\n' >&2
    used=$({ time "$target" -max_len=$longest -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$failures$reader-" \
        "${corpus[@]}" 2>"$log" >/dev/null; } 2>&1) || status=1
    speed "$reader" "$log" "$(awk '{ print $1 + $2 }' <<<"$used")"
    grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$log" || true
done
exit $status
