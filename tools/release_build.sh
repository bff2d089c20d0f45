#!/usr/bin/env bash
# Configures and builds one of the builds that a release is made of; its log is FOLDER.log.
#
#     tools/release_build.sh FOLDER [CMAKE_OPTION...] -- TARGET...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$1 options=()
shift
while [[ $1 != -- ]]; do options+=("$1"); shift; done
shift
exec tools/quiet.sh "building (${folder##*/})" "$folder.log" sh -c '
    folder=$1 jobs=$2 targets=$3
    shift 3
    cmake -S . -B "$folder" -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DETS_WERROR=OFF "$@" &&
    cmake --build "$folder" --parallel "$jobs" --target $targets
' sh "$folder" "${JOBS:-$(nproc)}" "$*" "${options[@]}"
