/*
 * Changes a FlatBuffer of any schema: finds its tables from the root, and takes for a reference
 * what points at a plausible table or vector.
 */
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "mutate.h"

enum { MOST_TABLES = 256, MOST_REFERENCES = 1024, MOST_ITEMS = 64 };

struct table {
    size_t at, vtable;
    uint16_t vtable_bytes, own_bytes;
};

/* An offset in the buffer: where it is, and where it points. */
struct reference {
    size_t at, target;
    bool is_table; /* else a vector or a text */
};

struct layout {
    struct mutant *mutant;
    size_t base; /* 4 behind the size of a size-prefixed buffer */
    struct table tables[MOST_TABLES];
    struct reference references[MOST_REFERENCES];
    size_t table_count, reference_count;
};

static uint8_t *at(const struct layout *l, size_t place)
{
    return l->mutant->data + place;
}

static void store(uint8_t *bytes, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(value >> 8 * i);
}

static bool read_table(const struct layout *l, size_t place, struct table *table)
{
    const size_t size = l->mutant->size;
    if (place % 4 != 0 || place + 4 > size) return false;
    const int64_t vtable = (int64_t)place - (int32_t)ets_load_u32(at(l, place));
    if (vtable < 0 || vtable % 2 != 0 || (uint64_t)vtable + 4 > size) return false;
    const uint16_t bytes = ets_load_u16(at(l, (size_t)vtable));
    const uint16_t own = ets_load_u16(at(l, (size_t)vtable + 2));
    if (bytes < 4 || bytes % 2 != 0 || own < 4 || bytes > size - (size_t)vtable) return false;
    if (own > size - place || bytes > 512) return false;
    *table = (struct table){place, (size_t)vtable, bytes, own};
    return true;
}

static void add_reference(struct layout *l, size_t place, bool *is_vector_out, size_t *target_out)
{
    struct table table;
    const size_t size = l->mutant->size;
    *is_vector_out = false;
    if (place % 4 != 0 || place + 4 > size || l->reference_count == MOST_REFERENCES) return;
    const uint32_t offset = ets_load_u32(at(l, place));
    if (offset < 4 || offset % 4 != 0 || (size_t)offset + 4 > size - place) return;
    const size_t target = place + offset;
    const bool is_table = read_table(l, target, &table);
    if (!is_table && ets_load_u32(at(l, target)) > size - target - 4) return;
    l->references[l->reference_count++] = (struct reference){place, target, is_table};
    *is_vector_out = !is_table;
    *target_out = target;
    if (!is_table || l->table_count == MOST_TABLES) return;
    for (size_t i = 0; i < l->table_count; i++) {
        if (l->tables[i].at == target) return;
    }
    l->tables[l->table_count++] = table;
}

/* A field may be a reference, whose vector may be one of references. */
static void walk_field(struct layout *l, size_t place)
{
    bool is_vector;
    size_t vector = 0, unused;
    add_reference(l, place, &is_vector, &vector);
    if (!is_vector) return;
    const uint32_t count = ets_load_u32(at(l, vector));
    if (count > (l->mutant->size - vector - 4) / 4) return;
    for (uint32_t i = 0; i < count && i < MOST_ITEMS; i++) {
        bool inner;
        add_reference(l, vector + 4 + 4 * (size_t)i, &inner, &unused);
    }
}

static bool find_all(struct layout *l)
{
    struct mutant *m = l->mutant;
    bool is_vector;
    size_t target;
    if (m->size < 16) return false;
    l->base = ets_load_u32(m->data) == m->size - 4 ? 4 : 0;
    l->table_count = l->reference_count = 0;
    add_reference(l, l->base, &is_vector, &target);
    for (size_t i = 0; i < l->table_count; i++) {
        const struct table table = l->tables[i];
        for (size_t slot = 4; slot + 2 <= table.vtable_bytes; slot += 2) {
            const uint16_t field = ets_load_u16(at(l, table.vtable + slot));
            if (field >= 4 && field + 4 <= table.own_bytes) walk_field(l, table.at + field);
        }
    }
    return l->table_count > 0;
}

/* Appends a copy of bytes at the next multiple of 8 plus `phase`; 0: there is no room. */
static size_t append(struct layout *l, size_t from, size_t count, size_t phase)
{
    static const uint8_t zeros[16];
    struct mutant *m = l->mutant;
    const size_t padding = (8 + phase - m->size % 8) % 8;
    if (padding + count > m->most - m->size) return 0;
    (void)mutant_replace(m, m->size, 0, zeros, padding);
    const size_t place = m->size;
    return mutant_replace(m, place, 0, m->data + from, count) ? place : 0;
}

static struct reference *any_reference(struct layout *l)
{
    return &l->references[mutant_random(l->mutant, l->reference_count)];
}

static struct table *any_table(struct layout *l)
{
    return &l->tables[mutant_random(l->mutant, l->table_count)];
}

/* Two references point at one place, also backwards, which no reader accepts. */
static void share_target(struct layout *l)
{
    const struct reference *to = any_reference(l), *from = any_reference(l);
    for (int i = 0; i < 8 && (from->is_table != to->is_table || to->target <= from->at); i++) {
        from = any_reference(l);
    }
    store(at(l, from->at), to->target - from->at, 4);
}

static void change_vtable(struct layout *l)
{
    struct mutant *m = l->mutant;
    const struct table *table = any_table(l), *other = any_table(l);
    size_t vtable = other->vtable;
    if (mutant_random(m, 2) == 0) vtable = append(l, table->vtable, table->vtable_bytes, 0);
    if (vtable != 0) store(at(l, table->at), table->at - vtable, 4);
}

/* The slots of a vtable: exchanged, absent, at another field's place, one more or less. */
static void change_slots(struct layout *l)
{
    struct mutant *m = l->mutant;
    const struct table *table = any_table(l);
    const size_t slots = (table->vtable_bytes - 4u) / 2;
    if (slots == 0) return;
    uint8_t *one = at(l, table->vtable + 4 + 2 * (size_t)mutant_random(m, slots));
    uint8_t *two = at(l, table->vtable + 4 + 2 * (size_t)mutant_random(m, slots));
    const uint16_t first = ets_load_u16(one), second = ets_load_u16(two);
    switch (mutant_random(m, 5)) {
    case 0: store(one, second, 2), store(two, first, 2); break;
    case 1: store(one, 0, 2); break;
    case 2: store(one, second, 2); break;
    case 3: store(one, first + 4u - mutant_random(m, 9), 2); break;
    default: store(at(l, table->vtable), table->vtable_bytes + 2u - 4u * mutant_random(m, 2), 2);
    }
}

/* A field becomes another number, in one of the widths. */
static void change_scalar(struct layout *l)
{
    struct mutant *m = l->mutant;
    const struct table *table = any_table(l);
    const size_t width = (size_t)1 << mutant_random(m, 4);
    if (table->own_bytes < 4 + width) return;
    const size_t places = (table->own_bytes - 4u) / width;
    store(at(l, table->at + 4 + width * (size_t)mutant_random(m, places)), mutant_number(m), width);
}

static void change_length(struct layout *l)
{
    const struct reference *reference = any_reference(l);
    uint8_t *length = at(l, reference->target);
    if (reference->is_table) return;
    const uint32_t count = ets_load_u32(length);
    const bool is_near = mutant_random(l->mutant, 2) == 0;
    store(length, is_near ? count + 2 - mutant_random(l->mutant, 5) : mutant_number(l->mutant), 4);
}

/* The content of a vector of bytes or numbers. */
static void change_content(struct layout *l)
{
    struct mutant *m = l->mutant;
    const struct reference *reference = any_reference(l);
    if (reference->is_table) return;
    const uint32_t count = ets_load_u32(at(l, reference->target));
    if (count == 0) return;
    const size_t place = reference->target + 4 + mutant_random(m, count);
    if (mutant_random(m, 2) == 0) *at(l, place) = (uint8_t)mutant_number(m);
    else if (place + 4 <= m->size) store(at(l, place / 4 * 4), mutant_number(m), 4);
}

/* What a reference points at gets a copy of its own, with room for one more item of a vector. */
static void copy_target(struct layout *l)
{
    const struct reference *reference = any_reference(l);
    struct table table;
    const size_t left = l->mutant->size - reference->target;
    size_t count = 4 + (size_t)ets_load_u32(at(l, reference->target));
    if (!reference->is_table && mutant_random(l->mutant, 2) == 0) count = 4 * count - 12;
    if (reference->is_table) {
        if (!read_table(l, reference->target, &table)) return;
        count = table.own_bytes;
    }
    if (count > left) count = left;
    const size_t place = append(l, reference->target, count, reference->target % 8);
    if (place == 0) return;
    if (reference->is_table) store(at(l, place), place - table.vtable, 4);
    store(at(l, reference->at), place - reference->at, 4);
}

void mutate_flatbuffer(struct mutant *mutant)
{
    static void (*const changes[])(struct layout *) = {share_target,  change_vtable, change_slots,
                                                       change_scalar, change_length, change_content,
                                                       copy_target,   change_scalar};
    struct layout *l = malloc(sizeof *l);
    if (l == NULL) return;
    l->mutant = mutant;
    if (find_all(l)) {
        changes[mutant_random(mutant, sizeof changes / sizeof *changes)](l);
        if (l->base == 4) store(mutant->data, mutant->size - 4, 4);
    } else {
        mutant_shake(mutant, 0, mutant->size);
    }
    free(l);
}
