#!/bin/sh
# Links src/trace and the verdicts on bundles with nothing but a program that has no C library, and runs that on this machine.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "skipped: the program calls the kernel of Linux on x86-64"
    exit 77
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

# The reader of what a device sent belongs to the host, and so does what tells tolerances from a
# program, and what draws pictures of tensors. Distributions switch a stack protector on,
# which is a library's.
sources=$(ls "$root"/src/trace/*.c "$root"/src/base/crc32.c "$root"/src/base/tensor.c \
    "$root"/src/base/error.c "$root"/src/base/plain_text.c "$root"/src/base/xxh64.c \
    "$root"/src/numerics/*.c "$root"/src/verify/*.c \
    "$root"/src/format/bundle.c "$root"/src/format/flatbuffer.c "$root"/src/format/kind.c \
    "$root"/src/format/program_parts.c | grep -v -e '_reader\.c$' -e '_roots\.c$' \
    -e '/computes\.c$' -e '/magnitudes\.c$' -e '/tensor_grid\.c$' -e '/value_picture\.c$')
${CC:-cc} -std=c11 -Os -ffreestanding -fno-stack-protector -Wall -Wextra -Werror \
    -I"$root/include" -I"$root/src" -static -nostdlib \
    $sources "$root/tests/bare_metal/no_libc.c" -o "$out/program"
"$out/program" >"$out/trace.etdp"

bytes=$(wc -c <"$out/trace.etdp")
prefix=$(od -An -tu4 -N4 "$out/trace.etdp" | tr -d ' ')
identifier=$(dd if="$out/trace.etdp" bs=1 skip=8 count=4 2>/dev/null)
if [ "$identifier" != ED00 ] || [ "$bytes" -ne $((prefix + 4)) ]; then
    echo "the program without a C library wrote no ETDump" >&2
    exit 1
fi
echo "x86_64 without a C library: wrote an ETDump of $bytes bytes"
