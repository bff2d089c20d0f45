/* Numbers keys of a few words: equal keys have the same number, a new key gets the next. */
#ifndef ETSCOPE_HOST_KEY_TABLE_H
#define ETSCOPE_HOST_KEY_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "host/arena.h"

struct ets_key_table {
    struct ets_arena *arena;
    uint32_t words;  /* uint64_t's in a key */
    uint64_t *keys;  /* [count][words] */
    uint32_t *slots; /* open addressing: number + 1, 0 is free */
    uint32_t count, capacity;
};

/* No memory, or 2^30 keys. */
#define ETS_KEY_NONE UINT32_MAX

/* Allocates nothing; `arena` outlives the table and owns its memory. */
void ets_key_table_init(struct ets_key_table *table, struct ets_arena *arena, uint32_t words);

/* The number of `key`; a new key is added. ETS_KEY_NONE: no memory. */
uint32_t ets_key_table_add(struct ets_key_table *table, const uint64_t *key);

/* The same for a key that is likely that of a number, which costs one comparison then. */
static inline uint32_t ets_key_table_add_near(struct ets_key_table *table, const uint64_t *key,
                                              uint32_t likely)
{
    const size_t bytes = table->words * sizeof *key;
    const bool is_known = likely < table->count &&
                          memcmp(table->keys + (size_t)likely * table->words, key, bytes) == 0;
    return is_known ? likely : ets_key_table_add(table, key);
}

/* The number of `key`, or ETS_KEY_NONE if it was not added. */
uint32_t ets_key_table_find(const struct ets_key_table *table, const uint64_t *key);

/* The words of key `number`. */
static inline const uint64_t *ets_key_table_key(const struct ets_key_table *table, uint32_t number)
{
    return table->keys + (size_t)number * table->words;
}

#endif
