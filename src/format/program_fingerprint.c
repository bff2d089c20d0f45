/* The fingerprint of a program: a hash of the whole file. */
#include "base/xxh64.h"
#include "etscope/program.h"

uint64_t ets_program_fingerprint(const struct ets_program *program)
{
    return ets_xxh64_of(program->bytes);
}
