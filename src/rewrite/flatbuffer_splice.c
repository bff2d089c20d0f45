/* Writes new tables into a FlatBuffer, in front of its old content. */
#include "rewrite/flatbuffer_splice.h"

#include <string.h>

#include "base/byte_layout.h"
enum { MOST_SLOTS = 24, MOST_NUMBER_BYTES = 8, VTABLE_HEAD = 4, REFERENCE_BYTES = 4 };

/* Bytes of a table: a number, or a reference to an old position or to a part. */
struct field {
    uint8_t bytes; /* 0: absent */
    bool is_reference;
    uint64_t value; /* of a reference: the old position, where there is no part */
    struct ets_splice_part *part;
    uint32_t offset; /* in the table */
};

enum kind { KIND_TABLE, KIND_REFERENCES, KIND_NUMBERS };

struct ets_splice_part {
    enum kind kind;
    struct field *fields; /* [MOST_SLOTS] of a table; [count] of references */
    uint32_t count;       /* of a vector */
    uint32_t item_bytes;  /* of numbers */
    uint8_t *numbers;
    bool has_nul;
    size_t at, vtable_at; /* where it is written; of a vector, its length */
    uint32_t slot_count, table_bytes;
    struct ets_splice_part *next; /* in the order of writing */
};

void ets_splice_init(struct ets_splice *splice, struct ets_arena *arena, struct ets_bytes old,
                     size_t head_bytes, struct ets_error *error)
{
    *splice = (struct ets_splice){
        .arena = arena, .old = old, .head_bytes = head_bytes, .status = ETS_OK, .error = error};
}

static void *take(struct ets_splice *splice, size_t count, size_t size)
{
    if (splice->status != ETS_OK) return NULL;
    void *room = ets_arena_alloc_array(splice->arena, count, size);
    if (room == NULL) splice->status = ets_fail_memory(splice->error, "a rewritten program");
    return room;
}

static struct ets_splice_part *new_part(struct ets_splice *splice, enum kind kind, size_t fields)
{
    struct ets_splice_part *part = take(splice, 1, sizeof *part);
    if (part == NULL) return NULL;
    part->kind = kind;
    part->fields = take(splice, fields, sizeof *part->fields);
    return part->fields == NULL ? NULL : part;
}

struct ets_splice_part *ets_splice_table(struct ets_splice *splice)
{
    return new_part(splice, KIND_TABLE, MOST_SLOTS);
}

static void set_reference(struct field *field, uint64_t old, struct ets_splice_part *part)
{
    *field =
        (struct field){.bytes = REFERENCE_BYTES, .is_reference = true, .value = old, .part = part};
}

static uint64_t load_number(const uint8_t *at, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void copy_field(struct ets_splice *splice, struct ets_splice_part *part, struct ets_fb table,
                       const struct ets_fb_field *field)
{
    const size_t at = ets_fb_field_at(table, field->slot);
    if (at == 0) return;
    if (field->kind == ETS_FB_SCALAR || field->kind == ETS_FB_UNION) {
        const uint32_t bytes = (uint32_t)ets_fb_inline_bytes(field);
        part->fields[field->slot] = (struct field){
            .bytes = (uint8_t)bytes, .value = load_number(splice->old.data + at, bytes)};
    } else {
        set_reference(&part->fields[field->slot], ets_fb_follow(splice->old.data, at), NULL);
    }
    if (field->kind != ETS_FB_UNION) return;
    const size_t member = ets_fb_field_at(table, field->slot + 1u);
    if (member == 0) return;
    set_reference(&part->fields[field->slot + 1], ets_fb_follow(splice->old.data, member), NULL);
}

/* Slots that the vtable has, known or not. */
static unsigned slots_of(struct ets_fb table)
{
    const size_t vtable = table.at - (size_t)(int64_t)(int32_t)ets_load_u32(table.base + table.at);
    const uint16_t bytes = ets_load_u16(table.base + vtable);
    return bytes < VTABLE_HEAD ? 0 : (bytes - VTABLE_HEAD) / 2u;
}

struct ets_splice_part *ets_splice_copy(struct ets_splice *splice, struct ets_fb table,
                                        const struct ets_fb_type *type)
{
    struct ets_splice_part *part = ets_splice_table(splice);
    if (part == NULL) return NULL;
    for (uint16_t i = 0; i < type->field_count; i++) {
        copy_field(splice, part, table, &type->fields[i]);
    }
    for (unsigned slot = 0; slot < slots_of(table); slot++) {
        if (!ets_fb_has(table, slot)) continue;
        if (slot < MOST_SLOTS && part->fields[slot].bytes != 0) continue;
        splice->status = ets_fail(splice->error, ETS_UNSUPPORTED, table.at,
                                  "%s has field %u, which this version does not know: a newer "
                                  "exporter wrote it, so it cannot be rewritten",
                                  type->name, slot);
        return NULL;
    }
    return part;
}

struct ets_splice_part *ets_splice_tables(struct ets_splice *splice, struct ets_fb_vector old,
                                          uint32_t added)
{
    struct ets_splice_part *part = new_part(splice, KIND_REFERENCES, (size_t)old.count + added);
    if (part == NULL) return NULL;
    part->count = old.count + added;
    for (uint32_t i = 0; i < old.count; i++) {
        set_reference(&part->fields[i], ets_fb_vector_table(old, i).at, NULL);
    }
    return part;
}

struct ets_splice_part *ets_splice_numbers(struct ets_splice *splice, struct ets_fb_vector old,
                                           uint32_t added, uint32_t number_bytes)
{
    struct ets_splice_part *part = new_part(splice, KIND_NUMBERS, 0);
    if (part == NULL) return NULL;
    part->count = old.count + added;
    part->item_bytes = number_bytes;
    part->numbers = take(splice, part->count, number_bytes);
    if (part->numbers == NULL) return NULL;
    const size_t size = (size_t)old.count * number_bytes;
    if (size > 0) memcpy(part->numbers, old.base + old.at, size);
    return part;
}

struct ets_splice_part *ets_splice_text(struct ets_splice *splice, const char *text)
{
    const struct ets_fb_vector chars = {(const uint8_t *)text, 0, (uint32_t)strlen(text)};
    struct ets_splice_part *part = ets_splice_numbers(splice, chars, 0, 1);
    if (part != NULL) part->has_nul = true;
    return part;
}

void ets_splice_set_number(struct ets_splice_part *table, unsigned slot, uint32_t bytes,
                           uint64_t value)
{
    if (table == NULL) return;
    table->fields[slot] = (struct field){.bytes = (uint8_t)bytes, .value = value};
}

void ets_splice_set_part(struct ets_splice_part *table, unsigned slot, struct ets_splice_part *part)
{
    if (table == NULL || part == NULL) return;
    set_reference(&table->fields[slot], 0, part);
}

void ets_splice_set_item(struct ets_splice_part *vector, uint32_t index,
                         struct ets_splice_part *part)
{
    ets_splice_set_part(vector, index, part);
}

void ets_splice_set_item_number(struct ets_splice_part *vector, uint32_t index, uint64_t value)
{
    if (vector == NULL) return;
    ets_store_bytes(vector->numbers + (size_t)index * vector->item_bytes, value,
                    vector->item_bytes);
}

const struct ets_fb_type *ets_splice_type_in(const struct ets_fb_type *type, unsigned slot,
                                             uint8_t tag)
{
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct ets_fb_field *field = &type->fields[i];
        if (field->slot != slot) continue;
        if (field->kind == ETS_FB_TABLE || field->kind == ETS_FB_TABLES) return field->of.table;
        if (field->kind != ETS_FB_UNION || tag >= field->of.choice->count) return NULL;
        return field->of.choice->members[tag];
    }
    return NULL;
}

/* Places fields by falling size, each at a multiple of its own. */
static void place_fields(struct ets_splice_part *table)
{
    uint32_t at = REFERENCE_BYTES; /* behind the offset of the vtable */
    table->slot_count = 0;
    for (uint32_t bytes = MOST_NUMBER_BYTES; bytes > 0; bytes /= 2) {
        for (uint32_t slot = 0; slot < MOST_SLOTS; slot++) {
            struct field *field = &table->fields[slot];
            if (field->bytes != bytes) continue;
            at = (uint32_t)ets_align(at, bytes);
            field->offset = at;
            at += bytes;
            if (slot >= table->slot_count) table->slot_count = slot + 1;
        }
    }
    table->table_bytes = at;
}

/* The position behind the part. */
static size_t place(struct ets_splice_part *part, size_t at)
{
    if (part->kind == KIND_TABLE) {
        place_fields(part);
        part->vtable_at = (size_t)ets_align(at, 2);
        part->at = (size_t)ets_align(part->vtable_at + VTABLE_HEAD + 2u * part->slot_count, 8);
        return part->at + part->table_bytes;
    }
    const uint32_t item_bytes = part->kind == KIND_NUMBERS ? part->item_bytes : REFERENCE_BYTES;
    part->at = (size_t)ets_align(at, 4);
    if (item_bytes == 8) part->at = (size_t)ets_align(part->at + 4, 8) - 4;
    return part->at + 4 + (size_t)part->count * item_bytes + (part->has_nul ? 1 : 0);
}

static uint32_t field_count(const struct ets_splice_part *part)
{
    return part->kind == KIND_TABLE ? MOST_SLOTS : part->kind == KIND_REFERENCES ? part->count : 0;
}

/* Places the root and all below it, those that refer before what they refer to. */
static size_t place_all(struct ets_splice_part *root, size_t at)
{
    struct ets_splice_part *last = root;
    for (struct ets_splice_part *part = root; part != NULL; part = part->next) {
        at = place(part, at);
        for (uint32_t i = 0; i < field_count(part); i++) {
            if (part->fields[i].part == NULL) continue;
            last->next = part->fields[i].part;
            last = last->next;
        }
    }
    return at;
}

static void write_field(uint8_t *bytes, size_t at, const struct field *field, size_t shift)
{
    uint64_t value = field->value;
    if (field->is_reference) {
        value = (field->part != NULL ? field->part->at : field->value + shift) - at;
    }
    ets_store_bytes(bytes + at, value, field->bytes);
}

static void write_part(uint8_t *bytes, const struct ets_splice_part *part, size_t shift)
{
    if (part->kind == KIND_TABLE) {
        ets_store_bytes(bytes + part->vtable_at, VTABLE_HEAD + 2u * part->slot_count, 2);
        ets_store_bytes(bytes + part->vtable_at + 2, part->table_bytes, 2);
        ets_store_bytes(bytes + part->at, part->at - part->vtable_at, 4);
        for (uint32_t slot = 0; slot < part->slot_count; slot++) {
            const struct field *field = &part->fields[slot];
            if (field->bytes == 0) continue;
            ets_store_bytes(bytes + part->vtable_at + VTABLE_HEAD + 2 * (size_t)slot, field->offset,
                            2);
            write_field(bytes, part->at + field->offset, field, shift);
        }
        return;
    }
    ets_store_bytes(bytes + part->at, part->count, 4);
    if (part->kind == KIND_NUMBERS) {
        const size_t size = (size_t)part->count * part->item_bytes;
        if (size > 0) memcpy(bytes + part->at + 4, part->numbers, size);
        return;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        write_field(bytes, part->at + 4 + 4 * (size_t)i, &part->fields[i], shift);
    }
}

enum ets_status ets_splice_write(struct ets_splice *splice, struct ets_splice_part *root,
                                 size_t head_bytes, size_t alignment, uint8_t **bytes_out,
                                 size_t *size_out)
{
    if (splice->status != ETS_OK) return splice->status;
    const size_t end = place_all(root, head_bytes);
    const size_t shift = (size_t)ets_align(end - splice->head_bytes, alignment);
    const uint64_t size = (uint64_t)splice->old.size + shift;
    if (size > INT32_MAX) {
        return ets_fail(splice->error, ETS_LIMIT, ETS_NO_OFFSET,
                        "a FlatBuffer of %llu bytes is too large to be rewritten; the limit is 2 "
                        "GiB",
                        (unsigned long long)splice->old.size);
    }
    uint8_t *bytes = take(splice, (size_t)size, 1);
    if (bytes == NULL) return splice->status;
    const size_t kept = head_bytes < splice->head_bytes ? head_bytes : splice->head_bytes;
    memcpy(bytes, splice->old.data, kept);
    memcpy(bytes + splice->head_bytes + shift, splice->old.data + splice->head_bytes,
           splice->old.size - splice->head_bytes);
    ets_store_bytes(bytes, root->at, 4);
    for (const struct ets_splice_part *part = root; part != NULL; part = part->next) {
        write_part(bytes, part, shift);
    }
    *bytes_out = bytes;
    *size_out = (size_t)size;
    return ETS_OK;
}
