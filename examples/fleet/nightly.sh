#!/bin/sh
# The questions of a night: nightly.sh DATASET OUT BASE NEW
#
# Writes OUT/regressions.json, OUT/outliers.json and OUT/fleet.html. BASE and NEW are filters, as
# build=1.2. Ends with 1 if an operator became slower, with 2 if a question could not be answered.
#
#   cron:    15 3 * * *  nightly.sh s3://traces/set /srv/fleet build=1.2 build=1.3
#   Airflow: BashOperator(task_id="fleet", bash_command="nightly.sh s3://traces/set /srv/fleet build=1.2 build=1.3 ")
set -eu
dataset=$1 out=$2 base=$3 new=$4

ask() { etscope-fleet "$@" --dataset "$dataset" || exit 2; }

mkdir -p "$out"
ask regressions "$base" "$new" --format json --limit 0 >"$out/regressions.json"
ask outliers --format json --limit 0 >"$out/outliers.json"
ask page --base "$base" --new "$new" -o "$out/fleet.html"
if grep -q '"verdict": "slower"' "$out/regressions.json"; then
    ask regressions "$base" "$new"
    exit 1
fi
