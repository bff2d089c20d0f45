#!/usr/bin/env bash
# Puts SQLite as one file of C, of a package of npm whose digest is known, into a folder: sqlite3.c and
# its headers. Debian's source package has it in parts that its own build joins.
#
#     tools/sqlite_source.sh FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folder=$1
package=better-sqlite3-12.4.1
digest=14398acbf00d1e8fe0a2753df7d4f15c13138e4b874f4e6e96791f65b4536d0d
archive=build/foreign/$package.tgz
[[ ! -e $folder/sqlite3.c ]] || exit 0
mkdir -p build/foreign "$folder.part"
[[ -e $archive ]] || (cd build/foreign && npm pack --silent "${package%-*}@${package##*-}" >/dev/null)
echo "$digest  $archive" | sha256sum --check --quiet
tar -xzf "$archive" -C "$folder.part" --strip-components 3 package/deps/sqlite3
rm -rf "$folder"
mv "$folder.part" "$folder"
