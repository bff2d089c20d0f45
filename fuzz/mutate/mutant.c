/* What the mutators share: random numbers, and parts that change their size. */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next(struct mutant *mutant)
{
    uint64_t z = mutant->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t mutant_random(struct mutant *mutant, size_t limit)
{
    return (uint32_t)(next(mutant) % limit);
}

uint64_t mutant_number(struct mutant *mutant)
{
    const uint64_t power = UINT64_C(1) << mutant_random(mutant, 64);
    switch (mutant_random(mutant, 6)) {
    case 0: return power;
    case 1: return power - 1;
    case 2: return 0 - power;
    case 3: return mutant_random(mutant, 16);
    case 4: return 0 - (uint64_t)mutant_random(mutant, 16);
    default: return next(mutant);
    }
}

bool mutant_replace(struct mutant *mutant, size_t at, size_t size, const void *bytes, size_t count)
{
    if (count > size && count - size > mutant->most - mutant->size) return false;
    uint8_t *copy = malloc(count + 1);
    if (copy == NULL) return false;
    if (count > 0) memcpy(copy, bytes, count);
    memmove(mutant->data + at + count, mutant->data + at + size, mutant->size - at - size);
    if (count > 0) memcpy(mutant->data + at, copy, count);
    mutant->size = mutant->size - size + count;
    free(copy);
    return true;
}

void mutant_shake(struct mutant *mutant, size_t at, size_t size)
{
    size_t room = size + 64;
    if (room > size + (mutant->most - mutant->size)) room = size + (mutant->most - mutant->size);
    if (room == 0) return;
    uint8_t *copy = malloc(room);
    if (copy == NULL) return;
    if (size > 0) memcpy(copy, mutant->data + at, size);
    (void)mutant_replace(mutant, at, size, copy, LLVMFuzzerMutate(copy, size, room));
    free(copy);
}
