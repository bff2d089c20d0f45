/* A hash table of texts: each is kept once and has a number. */
#include "host/strings.h"

#include <stdbool.h>
#include <string.h>

#include "base/load.h"
#include "host/hash.h"

static uint64_t hash_text(const struct ets_strings *strings, struct ets_text text)
{
    uint64_t hash = ets_hash_mix(ets_hash_seed(strings) ^ text.size);
    size_t at = 0;
    for (; at + 8 <= text.size; at += 8) {
        hash = ets_hash_mix(hash ^ ets_load_u64((const uint8_t *)text.data + at));
    }
    uint64_t tail = 0;
    for (; at < text.size; at++) tail = tail << 8 | (uint8_t)text.data[at];
    return ets_hash_mix(hash ^ tail);
}

static bool grow(struct ets_strings *strings)
{
    const uint32_t capacity = strings->capacity == 0 ? 64 : strings->capacity * 2;
    if (capacity > UINT32_MAX / 4) return false;
    struct ets_text *texts = ets_arena_alloc_array(strings->arena, capacity, sizeof *texts);
    uint32_t *slots = ets_arena_alloc_array(strings->arena, capacity * 2u, sizeof *slots);
    if (texts == NULL || slots == NULL) return false;
    if (strings->count > 0) memcpy(texts, strings->texts, strings->count * sizeof *texts);
    strings->texts = texts;
    strings->slots = slots;
    strings->capacity = capacity;
    strings->slot_count = capacity * 2u;
    for (uint32_t id = 1; id < strings->count; id++) {
        uint32_t slot = (uint32_t)hash_text(strings, texts[id]) & (strings->slot_count - 1);
        while (slots[slot] != 0) slot = (slot + 1) & (strings->slot_count - 1);
        slots[slot] = id;
    }
    return true;
}

int ets_strings_init(struct ets_strings *strings, struct ets_arena *arena)
{
    *strings = (struct ets_strings){.arena = arena};
    if (!grow(strings)) return -1;
    strings->count = 1;
    return 0;
}

/* The slot that holds `text`, or the free slot for it. */
static uint32_t find_slot(const struct ets_strings *strings, struct ets_text text)
{
    uint32_t slot = (uint32_t)hash_text(strings, text) & (strings->slot_count - 1);
    for (; strings->slots[slot] != 0; slot = (slot + 1) & (strings->slot_count - 1)) {
        const struct ets_text *known = &strings->texts[strings->slots[slot]];
        if (known->size == text.size && memcmp(known->data, text.data, text.size) == 0) break;
    }
    return slot;
}

uint32_t ets_strings_add_near(struct ets_strings *strings, struct ets_text text, uint32_t likely)
{
    const struct ets_text known = ets_strings_get(strings, likely);
    const bool is_known = known.data != NULL && text.data != NULL && known.size == text.size &&
                          memcmp(known.data, text.data, text.size) == 0;
    return is_known ? likely : ets_strings_add(strings, text);
}

uint32_t ets_strings_find(const struct ets_strings *strings, struct ets_text text)
{
    if (text.data == NULL) return ETS_STRING_NONE;
    const uint32_t number = strings->slots[find_slot(strings, text)];
    return number == 0 ? UINT32_MAX : number;
}

uint32_t ets_strings_add(struct ets_strings *strings, struct ets_text text)
{
    if (text.data == NULL) return ETS_STRING_NONE;
    const uint32_t slot = find_slot(strings, text);
    if (strings->slots[slot] != 0) return strings->slots[slot];
    if (strings->count == strings->capacity) {
        if (!grow(strings)) return UINT32_MAX;
        return ets_strings_add(strings, text);
    }
    strings->texts[strings->count] = text;
    strings->slots[slot] = strings->count;
    return strings->count++;
}
