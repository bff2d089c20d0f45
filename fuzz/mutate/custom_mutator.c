/*
 * The hook that libFuzzer calls to change an input. MUTATORS: a list of functions of mutate.h.
 * ETS_PLAIN_MUTATOR in the environment leaves only libFuzzer's own, to measure what they add.
 */
#include <stdlib.h>

#include "mutate.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    static void (*const mutators[])(struct mutant *) = {MUTATORS};
    static int is_plain = -1;
    if (is_plain < 0) is_plain = getenv("ETS_PLAIN_MUTATOR") != NULL;
    struct mutant mutant = {data, size, most, seed};
    if (is_plain || mutant_random(&mutant, 2) == 0) return LLVMFuzzerMutate(data, size, most);
    for (unsigned i = 0; i == 0 || mutant_random(&mutant, 3) == 0; i++) {
        mutators[mutant_random(&mutant, sizeof mutators / sizeof *mutators)](&mutant);
    }
    return mutant.size > 0 ? mutant.size : LLVMFuzzerMutate(data, size, most);
}
