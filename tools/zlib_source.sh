#!/usr/bin/env bash
# Fetches Debian's source package of zlib, which apt verifies, into a folder that is not there yet.
#
#     tools/zlib_source.sh FOLDER LOG
#
# The lists of sources stay in a folder of their own beside it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$1 log=$2
mkdir -p "$(dirname "$folder")" "$(dirname "$log")"
folder=$(realpath -m "$folder") log=$(realpath -m "$log")
[[ ! -e $folder/zlib.h ]] || exit 0
apt=$folder.apt
rm -rf "$apt" "$folder" "$folder.part"
mkdir -p "$apt"/{lists/partial,cache/archives/partial,parts,source}
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
    sed -n 's/^deb /deb-src /p' >"$apt/sources.list" || true
for file in /etc/apt/sources.list.d/*.sources; do
    [[ ! -e $file ]] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/${file##*/}"
done
options=(-qq -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts="$apt/parts"
    -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o Debug::NoLocking=1
    -o APT::Sandbox::User="$(id -un)")
apt-get "${options[@]}" update >"$log" 2>&1 || true # a source of another project may have none
(cd "$apt/source" && apt-get "${options[@]}" source --download-only zlib) >>"$log" 2>&1 || {
    tail -n 3 "$log" >&2
    echo "zlib_source: apt-get cannot fetch the source of zlib" >&2
    exit 1
}
mkdir -p "$folder.part"
tar -xf "$apt"/source/zlib_*.orig.tar.* -C "$folder.part" --strip-components 1
mv "$folder.part" "$folder"
rm -rf "$apt"
