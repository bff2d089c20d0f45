/* Ranges of places with an owner each. Where ranges begin is a bit set, with a summary of itself.
 */
#include "memory/memory_places.h"

enum { BITS = 64 };

/* The lowest bit of a word, which has one. */
static uint32_t lowest_bit(uint64_t word)
{
    uint32_t bit = 0;
    for (uint32_t half = BITS / 2; half > 0; half /= 2) {
        if ((word & ((UINT64_C(1) << half) - 1)) != 0) continue;
        word >>= half;
        bit += half;
    }
    return bit;
}

static uint32_t highest_bit(uint64_t word)
{
    uint32_t bit = 0;
    for (uint32_t half = BITS / 2; half > 0; half /= 2) {
        if (word >> half == 0) continue;
        word >>= half;
        bit += half;
    }
    return bit;
}

static void set(struct ets_plan_owners *owners, uint32_t place)
{
    for (uint32_t l = 0; l < owners->level_count; l++, place /= BITS) {
        owners->levels[l][place / BITS] |= UINT64_C(1) << place % BITS;
    }
}

static void clear(struct ets_plan_owners *owners, uint32_t place)
{
    for (uint32_t l = 0; l < owners->level_count; l++, place /= BITS) {
        uint64_t *word = &owners->levels[l][place / BITS];
        *word &= ~(UINT64_C(1) << place % BITS);
        if (*word != 0) return;
    }
}

/* The begin of the range that a place is in; place 0 always begins one. */
static uint32_t range_of(const struct ets_plan_owners *owners, uint32_t place)
{
    uint32_t level = 0;
    for (;; level++, place = place / BITS - 1) {
        const uint64_t up_to = UINT64_MAX >> (BITS - 1 - place % BITS);
        const uint64_t word = owners->levels[level][place / BITS] & up_to;
        if (word == 0) continue;
        place = place / BITS * BITS + highest_bit(word);
        break;
    }
    while (level-- > 0) place = place * BITS + highest_bit(owners->levels[level][place]);
    return place;
}

uint32_t ets_plan_owners_next(const struct ets_plan_owners *owners, uint32_t place)
{
    uint32_t level = 0, at = place + 1;
    for (;; level++, at = at / BITS + 1) {
        if (level == owners->level_count) return owners->count;
        const uint32_t words = (owners->count >> (6 * level)) / BITS + 1;
        if (at / BITS >= words) continue;
        const uint64_t word = owners->levels[level][at / BITS] & UINT64_MAX << at % BITS;
        if (word == 0) continue;
        at = at / BITS * BITS + lowest_bit(word);
        break;
    }
    while (level-- > 0) at = at * BITS + lowest_bit(owners->levels[level][at]);
    return at;
}

enum ets_status ets_plan_owners_init(struct ets_plan_owners *owners,
                                     const struct ets_plan_places *places, struct ets_arena *arena,
                                     struct ets_error *error)
{
    *owners = (struct ets_plan_owners){.count = places->count};
    owners->owner = ets_arena_alloc_array(arena, (size_t)owners->count + 1, sizeof *owners->owner);
    if (owners->owner == NULL) return ets_fail_memory(error, "what lies in planned memory");
    for (uint32_t bits = owners->count;; bits /= BITS) {
        const size_t words = (size_t)bits / BITS + 1;
        uint64_t *level = ets_arena_alloc_array(arena, words, sizeof *level);
        if (level == NULL) return ets_fail_memory(error, "what lies in planned memory");
        owners->levels[owners->level_count++] = level;
        if (words == 1) break;
    }
    owners->owner[0] = ETS_PLAN_NONE;
    set(owners, 0);
    return ETS_OK;
}

void ets_plan_owners_give(struct ets_plan_owners *owners, uint32_t begin, uint32_t end,
                          uint32_t tensor)
{
    if (begin >= end) return;
    if (end < owners->count) { /* what lies behind keeps its owner */
        owners->owner[end] = ets_plan_owners_at(owners, end);
        set(owners, end);
    }
    for (uint32_t at = ets_plan_owners_next(owners, begin); at < end;
         at = ets_plan_owners_next(owners, at)) {
        clear(owners, at);
    }
    owners->owner[begin] = tensor;
    set(owners, begin);
}

uint32_t ets_plan_owners_at(const struct ets_plan_owners *owners, uint32_t place)
{
    return owners->owner[range_of(owners, place)];
}
