/* Visits the parts of a verified FlatBuffer. */
#include "format/flatbuffer_walk.h"

struct walk {
    const struct ets_fb_walker *walker;
    struct ets_bytes bytes;
};

static void walk_table(const struct walk *w, struct ets_fb table, const struct ets_fb_type *type,
                       uint32_t label);

/* A vector's length precedes its elements. */
static void put_vector(const struct walk *w, uint32_t label, struct ets_fb_vector vector,
                       size_t element_bytes, size_t end_bytes)
{
    w->walker->piece(w->walker->context, label, vector.at - 4,
                     4 + vector.count * element_bytes + end_bytes);
}

static void walk_texts(const struct walk *w, struct ets_fb_vector texts, uint32_t label)
{
    put_vector(w, label, texts, 4, 0);
    for (uint32_t i = 0; i < texts.count; i++) {
        const struct ets_text text = ets_fb_vector_text(texts, i);
        const size_t at = (size_t)((const uint8_t *)text.data - texts.base);
        w->walker->piece(w->walker->context, label, at - 4, 4 + text.size + 1);
    }
}

static void walk_tables(const struct walk *w, struct ets_fb_vector tables,
                        const struct ets_fb_field *field, uint32_t parent)
{
    put_vector(w, w->walker->label(w->walker->context, parent, field->slot, ETS_FB_WHOLE), tables,
               4, 0);
    for (uint32_t i = 0; i < tables.count; i++) {
        walk_table(w, ets_fb_vector_table(tables, i), field->of.table,
                   w->walker->label(w->walker->context, parent, field->slot, i));
    }
}

/* A table that was not verified: nothing is followed, and every number is checked. */
static void walk_unknown(const struct walk *w, size_t at, uint32_t label)
{
    const uint8_t *data = w->bytes.data;
    if (!ets_range_fits(at, 4, w->bytes.size)) return;
    const uint64_t target = (uint64_t)at + ets_load_u32(data + at);
    if (!ets_range_fits(target, 4, w->bytes.size)) return;
    const int64_t vtable = (int64_t)target - (int32_t)ets_load_u32(data + target);
    if (vtable < 0 || !ets_range_fits((uint64_t)vtable, 4, w->bytes.size)) return;
    const uint16_t vtable_bytes = ets_load_u16(data + vtable);
    const uint16_t table_bytes = ets_load_u16(data + vtable + 2);
    if (!ets_range_fits((uint64_t)vtable, vtable_bytes, w->bytes.size)) return;
    if (!ets_range_fits(target, table_bytes, w->bytes.size)) return;
    w->walker->piece(w->walker->context, label, (size_t)vtable, vtable_bytes);
    w->walker->piece(w->walker->context, label, (size_t)target, table_bytes);
}

static void walk_union(const struct walk *w, struct ets_fb table, const struct ets_fb_field *field,
                       uint32_t label)
{
    const uint8_t tag = ets_fb_u8(table, field->slot, 0);
    const struct ets_fb_union *choice = field->of.choice;
    const size_t at = ets_fb_field_at(table, field->slot + 1u);
    const struct ets_fb_type *member = tag < choice->count ? choice->members[tag] : NULL;
    const bool is_verified = member != NULL && member->field_count > 0;
    if (is_verified) walk_table(w, ets_fb_table(table, field->slot + 1u), member, label);
    else if (at != 0) walk_unknown(w, at, label);
}

static void walk_field(const struct walk *w, struct ets_fb table, const struct ets_fb_field *field,
                       uint32_t parent)
{
    if (field->kind == ETS_FB_SCALAR) return; /* it is part of the table */
    const uint32_t label = w->walker->label(w->walker->context, parent, field->slot, ETS_FB_WHOLE);
    switch ((enum ets_fb_kind)field->kind) {
    case ETS_FB_SCALAR: return;
    case ETS_FB_STRING: put_vector(w, label, ets_fb_vector(table, field->slot), 1, 1); return;
    case ETS_FB_SCALARS:
        put_vector(w, label, ets_fb_vector(table, field->slot),
                   ets_fb_scalar_bytes(field->of.scalar), 0);
        return;
    case ETS_FB_STRINGS: walk_texts(w, ets_fb_vector(table, field->slot), label); return;
    case ETS_FB_TABLE:
        walk_table(w, ets_fb_table(table, field->slot), field->of.table, label);
        return;
    case ETS_FB_TABLES: walk_tables(w, ets_fb_vector(table, field->slot), field, parent); return;
    case ETS_FB_UNION: walk_union(w, table, field, label); return;
    }
}

/*
 * The bytes of a table. Its vtable may state those of another table that shares it: a larger one
 * may not fit, and fields lie behind the end of a smaller one.
 */
static size_t table_bytes(const struct walk *w, struct ets_fb table, const struct ets_fb_type *type,
                          size_t stated)
{
    size_t bytes = ets_range_fits(table.at, stated, w->bytes.size) ? stated : 4;
    for (uint16_t i = 0; i < type->field_count; i++) {
        const struct ets_fb_field *field = &type->fields[i];
        const size_t at = ets_fb_field_at(table, field->slot);
        if (at != 0 && at - table.at + ets_fb_inline_bytes(field) > bytes) {
            bytes = at - table.at + ets_fb_inline_bytes(field);
        }
        if (field->kind != ETS_FB_UNION) continue;
        const size_t value_at = ets_fb_field_at(table, field->slot + 1u);
        if (value_at != 0 && value_at - table.at + 4 > bytes &&
            ets_range_fits(value_at, 4, w->bytes.size)) {
            bytes = value_at - table.at + 4;
        }
    }
    return bytes;
}

static void walk_table(const struct walk *w, struct ets_fb table, const struct ets_fb_type *type,
                       uint32_t label)
{
    const size_t vtable = table.at - (size_t)(int64_t)(int32_t)ets_load_u32(table.base + table.at);
    w->walker->piece(w->walker->context, label, vtable, ets_load_u16(table.base + vtable));
    w->walker->piece(w->walker->context, label, table.at,
                     table_bytes(w, table, type, ets_load_u16(table.base + vtable + 2)));
    for (uint16_t i = 0; i < type->field_count; i++) {
        if (ets_fb_has(table, type->fields[i].slot)) walk_field(w, table, &type->fields[i], label);
    }
}

void ets_fb_walk(struct ets_bytes bytes, struct ets_fb table, const struct ets_fb_type *type,
                 uint32_t label, const struct ets_fb_walker *walker)
{
    const struct walk walk = {walker, bytes};
    walk_table(&walk, table, type, label);
}
