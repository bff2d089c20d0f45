#!/bin/sh
# Runs MODEL and compares it with the traces of BASE, a folder: ends with 1 where BUDGET is broken.
#
#     gate.sh MODEL.pte BASE BUDGET [OUT]
#
# Leaves in OUT: new.etdp (a base for later), gate.md (the table), gate.xml (JUnit). An ETRecord
# beside the model, MODEL.etrecord, gives source lines. RUNS is the number of recorded runs.
set -eu
model=$1 base=$2 budget=$3 out=${4:-gate}
record=${model%.pte}.etrecord

mkdir -p "$out"
etscope run "$model" --runs "${RUNS:-50}" --warmup 5 -o "$out/new.etdp"

set -- "$base"/*.etdp
if ! test -e "$1"; then
    echo "There is no trace in $base yet; $out/new.etdp can be the first." >&2
    exit 0
fi
set -- "$@" "$out/new.etdp" --budget "$budget" --junit "$out/gate.xml"
if test -e "$record"; then set -- "$@" --etrecord "$record"; fi
code=0
etscope gate "$@" --format markdown --output "$out/gate.md" || code=$?
if test -e "$out/gate.md"; then cat "$out/gate.md"; fi
exit $code
