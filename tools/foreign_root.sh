#!/usr/bin/env bash
# Fetches packages of Debian for a processor into a folder; default: the libraries that the unit
# tests and the command line need there. Nothing is installed: apt-get keeps its lists for that
# processor in the folder, too.
#
#     tools/foreign_root.sh i386|s390x|aarch64|x86_64 FOLDER [PACKAGE...]
set -euo pipefail

if (($# < 2)); then
    sed -n '2,6s/^# \{0,1\}//p' "$0"
    exit 2
fi
architecture=$1
case $1 in # as Debian calls it
aarch64) architecture=arm64 ;;
x86_64) architecture=amd64 ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
(($# > 0)) || set -- libcmocka-dev libcmocka0 zlib1g zlib1g-dev libsqlite3-0 libsqlite3-dev libc-bin
[[ ! -e $folder/complete || $(<"$folder/complete") != "$*" ]] || exit 0

state=$folder/apt
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/packages"
options=(-qq -o APT::Architecture="$architecture" -o APT::Architectures="$architecture"
    -o Dir::State="$state" -o Dir::State::status=/dev/null -o Dir::Cache="$state/cache"
    -o Debug::NoLocking=1 -o APT::Sandbox::User="$(id -un)")
# A source without this processor's packages fails the update; what counts is the download.
apt-get "${options[@]}" update >"$state/log" 2>&1 || true
(cd "$state/packages" &&
    apt-get "${options[@]}" download "$@") >>"$state/log" 2>&1 ||
    { tail -n 5 "$state/log" >&2; exit 1; }
for package in "$state"/packages/*.deb; do
    dpkg-deb -x "$package" "$folder"
done
# Headers alone, the same on every processor.
[[ ! -d /usr/include/rapidjson || ! -d $folder/usr/include ]] ||
    ln -sfn /usr/include/rapidjson "$folder/usr/include/rapidjson"
rm -rf "$state"
printf '%s\n' "$*" >"$folder/complete"
