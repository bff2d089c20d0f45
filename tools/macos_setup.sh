#!/usr/bin/env bash
# Installs what compiles for macOS on Linux into build/macos: Zig's compiler, headers and linker (ziglang
# of PyPI, 100 MB), programs that call it for CMake, the headers of zlib, RapidJSON and SQLite of this
# machine, and the runtime's wheel for macOS.
#
#     tools/macos_setup.sh
#
# Needs python3 with pip, and the network once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=$(sed -n 's/^ziglang==//p' tools/release_requirements.txt)
folder=$PWD/build/macos
zig=$folder/zig-$version/ziglang/zig
mkdir -p "$folder/bin" "$folder/sysroot/include" "$folder/sysroot/lib"

[[ -n $version ]] || { echo "macos_setup: tools/release_requirements.txt has no ziglang" >&2; exit 1; }

fail() { printf 'macos_setup: %s\n' "$*" >&2; exit 1; }

if [[ ! -e $folder/zig-$version/complete ]]; then
    rm -rf "$folder"/zig-*
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --no-compile \
        --target "$folder/zig-$version" "ziglang==$version" >"$folder/setup.log" 2>&1 ||
        { tail -n 3 "$folder/setup.log" >&2; fail "ziglang $version cannot be had from PyPI"; }
    touch "$folder/zig-$version/complete"
fi

# Programs PROCESSOR-cc, PROCESSOR-c++, ar and ranlib, as CMake wants them; macOS 12 is the oldest
# system that they make programs for. CMake asks for install_name_tool, which only an installation runs.
write_compiler() {
    # Zig knows no bundles, and would have to build a C++ library to link with.
    cat >"$folder/bin/$1-$2" <<WRAPPER
#!/bin/sh
name=cc
for word; do
    shift
    case \$word in
    -bundle) word=-shared ;;
    -c | -E | -M*) name=$2 ;;
    esac
    set -- "\$@" "\$word"
done
ZIG_GLOBAL_CACHE_DIR="$folder/cache" exec "$zig" \$name -target $3-macos.12.0 "\$@"
WRAPPER
}
for name in cc c++; do
    write_compiler arm64 $name aarch64
    write_compiler x86_64 $name x86_64
done
for name in ar ranlib; do
    printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$zig" "$name" >"$folder/bin/$name"
done
printf '#!/bin/sh\nexit 1\n' >"$folder/bin/install_name_tool"
chmod +x "$folder"/bin/*

# Headers that are the same on every system; the rest of /usr/include is Linux's.
for header in zlib.h zconf.h sqlite3.h rapidjson/reader.h; do
    path=$(printf '#include <%s>\n' "$header" | "${CXX:-c++}" -M -x c++ - 2>/dev/null |
        tr ' ' '\n' | grep -m 1 "/$header\$") || fail "$header is missing: make setup installs it"
    case $header in
    rapidjson/*) ln -sfn "$(dirname "$path")" "$folder/sysroot/include/rapidjson" ;;
    *) ln -sfn "$path" "$folder/sysroot/include/$header" ;;
    esac
done

# What a linker has to know of the system's zlib: where it is, and the functions of its header.
symbols=$(sed -n 's/^.*ZEXPORTV\{0,1\} *\([A-Za-z0-9_]\{1,\}\).*$/_\1/p' "$folder/sysroot/include/zlib.h" | sort -u |
    paste -sd, -)
cat >"$folder/sysroot/lib/libz.tbd" <<TBD
--- !tapi-tbd
tbd-version: 4
targets: [ arm64-macos, x86_64-macos ]
install-name: '/usr/lib/libz.1.dylib'
current-version: 1.2.12
exports:
  - targets: [ arm64-macos, x86_64-macos ]
    symbols: [ $symbols ]
...
TBD

# The wheel is for arm64 alone. For x86_64 its headers serve, with empty libraries of the same names.
runtime=$(tools/fetch_runtime.sh "$folder/runtime" arm64 Darwin)
rm -rf "$folder/runtime-x86_64"
mkdir -p "$folder/runtime-x86_64/lib"
ln -s "$runtime/include" "$folder/runtime-x86_64/include"
for library in "$runtime"/lib/libexecutorch*.dylib; do
    name=$(basename "$library")
    "$folder/bin/x86_64-cc" -shared -Wl,-install_name,"@rpath/$name" -x c /dev/null \
        -o "$folder/runtime-x86_64/lib/$name" || fail "Zig's compiler does not work"
done
