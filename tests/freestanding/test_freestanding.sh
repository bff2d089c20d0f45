#!/bin/sh
# Builds src/trace without a C library: as a program that is linked with nothing else and run, and,
# where clang is there, as objects for a Cortex-M3, whose undefined names may only be copying and
# clearing memory. Prints the code sizes.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
flags="-std=c11 -Os -ffreestanding -Wall -Wextra -Werror -I$root/include -I$root/src"

# Recovering a stream belongs to the host and makes messages.
sources=$(ls "$root"/src/trace/*.c "$root"/src/base/crc32.c | grep -v '_reader\.c$')

# The undefined names of "$@" that are neither defined in them nor allowed.
strangers() {
    ${nm:-nm} "$@" | awk '
        NF == 3 { defined[$3] = 1 }
        NF == 2 && $1 == "U" { wanted[$2] = 1 }
        END {
            for (name in wanted) {
                if (name in defined) continue
                if (name ~ /^(__aeabi_)?mem(cpy|set|clr|move|cmp)[48]?$/) continue
                if (name == "_GLOBAL_OFFSET_TABLE_") continue # of position-independent code
                print name
            }
        }'
}

check_names() {
    found=$(strangers "$@")
    if [ -n "$found" ]; then
        echo "src/trace needs more than a freestanding compiler has: $found" >&2
        exit 1
    fi
}

code_bytes() {
    ${size:-size} "$@" | awk 'NR > 1 { sum += $1 } END { print sum }'
}

compile() { # compiler, folder
    mkdir -p "$2"
    for source in $sources; do
        $1 $flags -c "$source" -o "$2/$(basename "$source" .c).o"
    done
}

compile "${CC:-cc}" "$out/host"
check_names "$out"/host/*.o
echo "host: $(code_bytes "$out"/host/*.o) bytes of code"

if [ "$(uname -sm)" = "Linux x86_64" ]; then
    # Distributions switch a stack protector on, which is a library's.
    ${CC:-cc} $flags -fno-stack-protector -static -nostdlib \
        $sources "$root/tests/freestanding/no_libc.c" -o "$out/program"
    "$out/program" >"$out/trace.etdp"
    bytes=$(wc -c <"$out/trace.etdp")
    prefix=$(od -An -tu4 -N4 "$out/trace.etdp" | tr -d ' ')
    identifier=$(dd if="$out/trace.etdp" bs=1 skip=8 count=4 2>/dev/null)
    if [ "$identifier" != ED00 ] || [ "$bytes" -ne $((prefix + 4)) ]; then
        echo "the program without a C library wrote no ETDump" >&2
        exit 1
    fi
    echo "x86_64 without a C library: wrote an ETDump of $bytes bytes"
fi

if command -v clang >/dev/null && command -v llvm-nm >/dev/null; then
    compile "clang --target=thumbv7m-none-eabi" "$out/thumb"
    nm=llvm-nm check_names "$out"/thumb/*.o
    echo "thumbv7m: $(size=llvm-size code_bytes "$out"/thumb/*.o) bytes of code"
fi
