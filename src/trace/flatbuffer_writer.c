/*
 * Writes FlatBuffers front to back through a small buffer: tables, vtables and vectors at positions
 * computed in advance.
 */
#include "trace/flatbuffer_writer.h"
#include "trace/etdump_writer.h"

#include "trace/freestanding.h"
#include "trace/plain_error.h"
#include "trace/store.h"

enum { MAX_TABLE_BYTES = 4 + 8 * ETS_FBW_SLOTS };

static void store_u32(uint8_t *at, uint32_t value)
{
    (void)ets_store_u32(at, value);
}

static void store_u64(uint8_t *at, uint64_t value)
{
    (void)ets_store_u64(at, value);
}

void ets_fbw_fail(struct ets_fbw *w, enum ets_status status, const char *message)
{
    if (w->status != ETS_OK) return;
    w->status = status;
    ets_tell(w->error, status, status == ETS_IO ? w->position - w->staged_bytes : ETS_NO_OFFSET,
             message);
}

void ets_fbw_fail_limit(struct ets_fbw *w)
{
    ets_fbw_fail(w, ETS_LIMIT, "an ETDump holds at most 2147483647 bytes");
}

void ets_fbw_fail_changed(struct ets_fbw *w)
{
    ets_fbw_fail(w, ETS_MISMATCH, "the source changed while it was written");
}

void ets_fbw_init(struct ets_fbw *w, const struct ets_fbw_layout *layouts, uint32_t layout_count,
                  struct ets_error *error)
{
    ets_clear(w, sizeof *w);
    w->layouts = layouts;
    w->layout_count = layout_count;
    w->error = error;
    w->is_measuring = true;
    w->is_counting = true;
    w->limit = ETS_ETDUMP_MAX_BYTES;
    w->position = ets_fbw_align(ETS_FBW_HEADER_BYTES, 8, 0);
}

void ets_fbw_flush(struct ets_fbw *w)
{
    if (w->status != ETS_OK || w->staged_bytes == 0) return;
    if (w->sink->write(w->sink->context, w->staged, w->staged_bytes) != 0) {
        ets_fbw_fail(w, ETS_IO, "the sink refused to write");
    }
    w->staged_bytes = 0;
}

/* Writes pieces that are too large for the staging buffer directly to the sink. */
static void write_through(struct ets_fbw *w, const void *data, size_t size)
{
    ets_fbw_flush(w);
    if (w->status == ETS_OK && w->sink->write(w->sink->context, data, size) != 0) {
        ets_fbw_fail(w, ETS_IO, "the sink refused to write");
    }
}

/* Fails if `size` more bytes exceed the limit. */
static bool has_room(struct ets_fbw *w, uint64_t size)
{
    if (w->status != ETS_OK) return false;
    if (w->position <= w->limit && size <= w->limit - w->position) return true;
    if (w->sink == NULL) ets_fbw_fail_limit(w);
    else ets_fbw_fail_changed(w);
    return false;
}

void ets_fbw_skip(struct ets_fbw *w, uint64_t size)
{
    if (has_room(w, size)) w->position += (uint32_t)size;
}

void ets_fbw_put(struct ets_fbw *w, const void *data, size_t size)
{
    if (size == 0 || !has_room(w, size)) return;
    if (!w->is_counting) {
        if (size > sizeof w->staged - w->staged_bytes) ets_fbw_flush(w);
        if (size > sizeof w->staged) {
            write_through(w, data, size);
        } else {
            ets_copy(w->staged + w->staged_bytes, data, size);
            w->staged_bytes += (uint32_t)size;
        }
    }
    w->position += (uint32_t)size;
}

void ets_fbw_put_u32(struct ets_fbw *w, uint32_t value)
{
    uint8_t bytes[4];
    store_u32(bytes, value);
    ets_fbw_put(w, bytes, sizeof bytes);
}

void ets_fbw_put_u64(struct ets_fbw *w, uint64_t value)
{
    uint8_t bytes[8];
    store_u64(bytes, value);
    ets_fbw_put(w, bytes, sizeof bytes);
}

void ets_fbw_put_row(struct ets_fbw *w, uint32_t first, uint32_t step, uint32_t count)
{
    enum { PIECE = 16 };
    uint8_t bytes[4 * PIECE];
    while (count != 0 && w->status == ETS_OK) {
        const uint32_t now = count < PIECE ? count : PIECE;
        for (uint32_t i = 0; i < now; i++, first += step) store_u32(bytes + (size_t)4 * i, first);
        ets_fbw_put(w, bytes, (size_t)4 * now);
        count -= now;
    }
}

void ets_fbw_put_reference(struct ets_fbw *w, uint32_t target)
{
    ets_fbw_put_u32(w, target - w->position);
}

uint32_t ets_fbw_align(uint32_t position, uint32_t alignment, uint32_t remainder)
{
    return position + ((remainder - position) & (alignment - 1));
}

void ets_fbw_pad_to(struct ets_fbw *w, uint32_t position)
{
    static const uint8_t zeros[8] = {0};
    ets_fbw_put(w, zeros, position - w->position);
}

/* A vtable leaves out trailing absent slots. */
static uint32_t vtable_bytes(unsigned slots)
{
    uint32_t bytes = 4;
    for (; slots != 0; slots >>= 1) bytes += 2;
    return bytes;
}

/* Bytes of a field; the order in a table is 8, 4, 1, which needs no padding. */
static uint32_t field_bytes(const struct ets_fbw_layout *layout, unsigned slot)
{
    if ((layout->wide >> slot & 1) != 0) return 8;
    return (layout->narrow >> slot & 1) != 0 ? 1 : 4;
}

static uint32_t table_bytes(const struct ets_fbw_layout *layout, unsigned slots)
{
    uint32_t bytes = 4;
    for (unsigned slot = 0; slots >> slot != 0; slot++) {
        if ((slots >> slot & 1) != 0) bytes += field_bytes(layout, slot);
    }
    return bytes;
}

/* The offset of each present slot in a table, 0 for the others. */
static void place_fields(const struct ets_fbw_layout *layout, unsigned slots,
                         uint8_t offsets[ETS_FBW_SLOTS])
{
    uint32_t next = 4;
    ets_clear(offsets, ETS_FBW_SLOTS);
    for (uint32_t bytes = 8; bytes != 0; bytes = bytes == 8 ? 4 : bytes == 4 ? 1 : 0) {
        for (unsigned slot = 0; slots >> slot != 0; slot++) {
            if ((slots >> slot & 1) == 0 || field_bytes(layout, slot) != bytes) continue;
            offsets[slot] = (uint8_t)next;
            next += bytes;
        }
    }
}

uint32_t ets_fbw_table_start(const struct ets_fbw_layout *layout, unsigned slots, uint32_t position)
{
    if ((layout->wide & slots) == 0) return ets_fbw_align(position, 4, 0);
    return ets_fbw_align(position, 8, 4); /* 8-byte fields come right behind the vtable offset */
}

uint32_t ets_fbw_table_end(const struct ets_fbw_layout *layout, unsigned slots, uint32_t position)
{
    const uint32_t start = ets_fbw_table_start(layout, slots, position);
    return ets_fbw_align(start + table_bytes(layout, slots), 4, 0);
}

static unsigned lowest_bit(uint32_t word)
{
    unsigned bit = 0;
    while ((word >> bit & 1) == 0) bit++;
    return bit;
}

static void put_u16(struct ets_fbw *w, uint32_t value)
{
    const uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    ets_fbw_put(w, bytes, sizeof bytes);
}

static void put_vtable(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots)
{
    uint8_t offsets[ETS_FBW_SLOTS];
    place_fields(layout, slots, offsets);
    put_u16(w, vtable_bytes(slots));
    put_u16(w, table_bytes(layout, slots));
    for (unsigned slot = 0; slots >> slot != 0; slot++) put_u16(w, offsets[slot]);
}

/* Writes all used vtables, and notes their positions. */
static void put_vtables(struct ets_fbw *w)
{
    for (uint32_t i = 0; i < w->layout_count; i++) {
        const struct ets_fbw_layout *layout = &w->layouts[i];
        for (unsigned n = 0; n < layout->word_count; n++) {
            const unsigned word = layout->first_word + n;
            w->vtables_at[word] = (uint16_t)w->position;
            for (uint32_t left = w->used[word]; left != 0; left &= left - 1) {
                put_vtable(w, layout, 32 * n + lowest_bit(left));
            }
        }
    }
    ets_fbw_pad_to(w, ets_fbw_align(w->position, 8, 0));
}

uint32_t ets_fbw_place_vtables(struct ets_fbw *w)
{
    w->is_measuring = false;
    ets_clear(w->shapes, sizeof w->shapes); /* vtables have positions from now on */
    w->position = ETS_FBW_HEADER_BYTES;
    put_vtables(w);
    return w->position - ets_fbw_align(ETS_FBW_HEADER_BYTES, 8, 0);
}

void ets_fbw_begin(struct ets_fbw *w, const struct ets_etdump_sink *sink, uint32_t file_bytes,
                   const char identifier[4])
{
    const uint32_t root_at = w->position; /* as left by ets_fbw_place_vtables */
    w->sink = sink;
    w->is_counting = false;
    w->limit = file_bytes;
    w->position = 0;
    ets_fbw_put_u32(w, file_bytes - 4);
    ets_fbw_put_reference(w, root_at);
    ets_fbw_put(w, identifier, 4);
    put_vtables(w);
}

/* Position of the vtable for these slots. */
static uint32_t vtable_at(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots)
{
    const unsigned word = layout->first_word + slots / 32;
    const uint32_t bit = UINT32_C(1) << slots % 32;
    if ((w->used[word] & bit) == 0) {
        ets_fbw_fail_changed(w);
        return 0;
    }
    uint32_t at = w->vtables_at[word];
    for (uint32_t before = w->used[word] & (bit - 1); before != 0; before &= before - 1) {
        at += vtable_bytes((slots & ~31u) + lowest_bit(before));
    }
    return at;
}

void ets_fbw_announce_table(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots)
{
    w->used[layout->first_word + slots / 32] |= UINT32_C(1) << slots % 32;
}

enum { REFERENCE = 5 };

/* Computes the table's shape, unless it equals the last one of its layout. */
static struct ets_fbw_shape *shape_of(struct ets_fbw *w, const struct ets_fbw_layout *layout,
                                      unsigned slots)
{
    struct ets_fbw_shape *shape = &w->shapes[layout - w->layouts];
    uint8_t offsets[ETS_FBW_SLOTS];
    if (shape->slots == slots && slots != 0) return shape;
    ets_clear(shape, sizeof *shape);
    shape->slots = (uint8_t)slots;
    shape->bytes = (uint8_t)table_bytes(layout, slots);
    place_fields(layout, slots, offsets);
    for (unsigned slot = 0; slots >> slot != 0; slot++) {
        if ((slots >> slot & 1) == 0) continue;
        const bool is_reference = (layout->references >> slot & 1) != 0;
        shape->fields[shape->count] = (uint8_t)slot;
        shape->offsets[shape->count] = offsets[slot];
        shape->sizes[shape->count++] =
            (uint8_t)(is_reference ? REFERENCE : field_bytes(layout, slot));
    }
    return shape;
}

/* Builds the table's bytes for position `start`. */
static void build_table(const struct ets_fbw_shape *shape, const uint64_t *values, uint32_t start,
                        uint8_t *table)
{
    store_u32(table, start - shape->vtable_at);
    for (unsigned i = 0; i < shape->count; i++) {
        const uint32_t offset = shape->offsets[i];
        const uint64_t value = values[shape->fields[i]];
        switch (shape->sizes[i]) {
        case 8: store_u64(table + offset, value); break;
        case REFERENCE: store_u32(table + offset, (uint32_t)value - (start + offset)); break;
        case 4: store_u32(table + offset, (uint32_t)value); break;
        default: table[offset] = (uint8_t)value; break;
        }
    }
}

void ets_fbw_put_table(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots,
                       const uint64_t *values)
{
    struct ets_fbw_shape *shape = shape_of(w, layout, slots);
    const uint32_t start = ets_fbw_table_start(layout, slots, w->position);
    const uint32_t end = ets_fbw_align(start + shape->bytes, 4, 0);
    if (w->is_measuring) ets_fbw_announce_table(w, layout, slots);
    if (w->is_counting) {
        ets_fbw_skip(w, (uint64_t)end - w->position);
        return;
    }
    if (start != w->position) ets_fbw_pad_to(w, start);
    if (shape->vtable_at == 0) shape->vtable_at = vtable_at(w, layout, slots);
    uint8_t table[MAX_TABLE_BYTES];
    store_u32(table + (end - start - 4), 0); /* the last field may leave up to 3 bytes */
    build_table(shape, values, start, table);
    ets_fbw_put(w, table, end - start);
}

void ets_fbw_put_pointers(struct ets_fbw *w, const struct ets_fbw_layout *layout, unsigned slots,
                          uint32_t target, uint32_t step, uint32_t count)
{
    enum { PIECE = 8, TABLE_BYTES = 8 };
    uint8_t tables[TABLE_BYTES * PIECE];
    const uint32_t vtable = vtable_at(w, layout, slots);
    while (count != 0 && w->status == ETS_OK) {
        const uint32_t now = count < PIECE ? count : PIECE;
        uint32_t start = w->position;
        for (uint32_t i = 0; i < now; i++, start += TABLE_BYTES, target += step) {
            store_u32(tables + (size_t)TABLE_BYTES * i, start - vtable);
            store_u32(tables + (size_t)TABLE_BYTES * i + 4, target - (start + 4));
        }
        ets_fbw_put(w, tables, (size_t)TABLE_BYTES * now);
        count -= now;
    }
}
