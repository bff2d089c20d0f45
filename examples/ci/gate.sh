#!/bin/sh
# Records MODEL and compares it with the recordings of BASE, a folder: ends with 1 where BUDGET is
# broken or cannot be decided.
#
#     gate.sh MODEL.pte BASE BUDGET [OUT]
#
# Leaves in OUT: new/ (RECORDINGS traces, a base for later), gate.md (the table), gate.xml (JUnit). An
# ETRecord beside the model, MODEL.etrecord, gives source lines. RUNS is the number of runs of a
# recording. Each recording is a new process: runs of one process do not count as independent.
set -eu
model=$1 base=$2 budget=$3 out=${4:-gate}
record=${model%.pte}.etrecord

mkdir -p "$out/new"
for i in $(seq "${RECORDINGS:-5}"); do
    etscope run "$model" --runs "${RUNS:-50}" --warmup 5 -o "$out/new/$i.etdp"
done

set -- "$base"/*.etdp
if ! test -e "$1"; then
    echo "There is no trace in $base yet; those in $out/new can be the first." >&2
    exit 0
fi
set -- --before "$base" --after "$out/new" --budget "$budget" --junit "$out/gate.xml"
if test -e "$record"; then set -- "$@" --etrecord "$record"; fi
code=0
etscope gate "$@" --format markdown --output "$out/gate.md" || code=$?
if test -e "$out/gate.md"; then cat "$out/gate.md"; fi
exit $code
