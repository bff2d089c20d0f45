/* A hash table from keys of a few words to numbers, seeded by its address. */
#include "host/key_table.h"

#include <stdbool.h>
#include <string.h>

#include "host/hash.h"

void ets_key_table_init(struct ets_key_table *table, struct ets_arena *arena, uint32_t words)
{
    *table = (struct ets_key_table){.arena = arena, .words = words};
}

static uint64_t hash_key(const struct ets_key_table *table, const uint64_t *key)
{
    uint64_t hash = ets_hash_seed(table);
    for (uint32_t i = 0; i < table->words; i++) hash = ets_hash_mix(hash ^ key[i]);
    return hash;
}

/* The slot that holds `key`, or the free slot for it. There are twice as many slots as keys. */
static uint32_t find_slot(const struct ets_key_table *table, const uint64_t *key)
{
    const uint32_t mask = table->capacity * 2 - 1;
    uint32_t slot = (uint32_t)hash_key(table, key) & mask;
    while (table->slots[slot] != 0 && memcmp(ets_key_table_key(table, table->slots[slot] - 1), key,
                                             table->words * sizeof *key) != 0) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool grow(struct ets_key_table *table)
{
    const struct ets_key_table old = *table;
    const uint32_t capacity = old.capacity == 0 ? 64 : old.capacity * 2;
    if (capacity > UINT32_C(1) << 30) return false;
    const size_t key_bytes = table->words * sizeof *table->keys;
    uint64_t *keys = ets_arena_alloc_array(table->arena, capacity, key_bytes);
    uint32_t *slots = ets_arena_alloc_array(table->arena, (size_t)capacity * 2, sizeof *slots);
    if (keys == NULL || slots == NULL) return false;
    if (old.count > 0) memcpy(keys, old.keys, old.count * key_bytes);
    table->keys = keys;
    table->slots = slots;
    table->capacity = capacity;
    for (uint32_t i = 0; i < table->count; i++) {
        slots[find_slot(table, ets_key_table_key(table, i))] = i + 1;
    }
    return true;
}

uint32_t ets_key_table_find(const struct ets_key_table *table, const uint64_t *key)
{
    if (table->count == 0) return ETS_KEY_NONE;
    const uint32_t number = table->slots[find_slot(table, key)];
    return number == 0 ? ETS_KEY_NONE : number - 1;
}

uint32_t ets_key_table_add(struct ets_key_table *table, const uint64_t *key)
{
    if (table->count == table->capacity && !grow(table)) {
        /* A full table can still find its keys. */
        return ets_key_table_find(table, key);
    }
    const uint32_t slot = find_slot(table, key);
    if (table->slots[slot] == 0) {
        memcpy(table->keys + (size_t)table->count * table->words, key, table->words * sizeof *key);
        table->slots[slot] = ++table->count;
    }
    return table->slots[slot] - 1;
}
