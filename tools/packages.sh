#!/usr/bin/env bash
# Installs those of some Debian packages that are missing, as root or through a sudo that asks no
# password. Where it cannot, it says what to run, and ends with 1.
#
#     tools/packages.sh LOG PACKAGE...
set -euo pipefail

log=$1
shift
missing=()
for package in "$@"; do
    dpkg-query --show --showformat='${Status}\n' "$package" 2>/dev/null |
        grep -q ' installed$' || missing+=("$package")
done
((${#missing[@]} > 0)) || exit 0
as_root=()
((EUID == 0)) || as_root=(sudo -n)
printf 'installing %s\n' "${missing[*]}" >&2
mkdir -p "$(dirname "$log")"
# An update that fails for one source may still have brought what is needed.
"${as_root[@]}" apt-get -qq update >"$log" 2>&1 || true
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install --yes \
    --no-install-recommends "${missing[@]}" >>"$log" 2>&1 || {
    printf 'missing; as root: apt-get install %s\n' "${missing[*]}" >&2
    exit 1
}
