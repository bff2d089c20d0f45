/* Lists the constants that are read, and lays them out without what is there twice. */
#include "rewrite/constant_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "base/xxh64.h"
#include "format/program_lists.h"
#include "format/program_schema.h"

/* Constants that overlap are read so many times. */
enum { MOST_ALIGNMENT = 4096, MOST_REPEATS = 64 };

struct finder {
    struct ets_arena *arena;
    const struct ets_program *program;
    struct ets_constant_layout *out;
    struct ets_bytes segment;
    uint32_t unread_room;
    struct ets_error *error;
};

/* Something to sort: equal constants come together, the first one first. */
struct rank {
    uint64_t bytes, hash;
    uint32_t index;
};

static void use_value(const struct ets_method *method, uint8_t *is_used, uint32_t index)
{
    if (index < method->value_count) is_used[index] = 1;
}

/* All that anything names: also items of lists, which are made when the method is loaded. */
static void mark_used(const struct ets_method *method, uint8_t *is_used)
{
    struct ets_evalue value;
    for (uint32_t i = 0; i < method->input_count; i++) {
        ets_method_input(method, i, &value);
        use_value(method, is_used, value.index);
    }
    for (uint32_t i = 0; i < method->output_count; i++) {
        ets_method_output(method, i, &value);
        use_value(method, is_used, value.index);
    }
    for (uint32_t v = 0; v < method->value_count; v++) {
        ets_method_value(method, v, &value);
        for (uint32_t i = 0; ets_evalue_is_tensor_list(&value) && i < value.item_count; i++) {
            const int32_t item = ets_evalue_item(&value, i);
            if (item >= 0) use_value(method, is_used, (uint32_t)item);
        }
    }
    for (uint32_t c = 0; c < method->chain_count; c++) {
        struct ets_chain chain;
        ets_method_chain(method, c, &chain);
        for (uint32_t k = 0; k < chain.instruction_count; k++) {
            struct ets_instruction instruction;
            ets_chain_instruction(&chain, k, &instruction);
            for (uint32_t i = 0; i < instruction.argument_count; i++) {
                use_value(method, is_used, ets_instruction_argument(&instruction, i));
            }
        }
    }
}

static bool add_unread(struct finder *f, uint32_t method, uint32_t value)
{
    struct ets_constant_layout *out = f->out;
    struct ets_unread_tensor *grown = ets_arena_grow(f->arena, out->unread, out->unread_count,
                                                     &f->unread_room, sizeof *out->unread);
    if (grown == NULL) return false;
    out->unread = grown;
    grown[out->unread_count++] = (struct ets_unread_tensor){method, value};
    return true;
}

static enum ets_status list_method(struct finder *f, const struct ets_method *method)
{
    struct ets_evalue value;
    uint8_t *is_used = ets_arena_alloc_array(f->arena, method->value_count, sizeof *is_used);
    if (is_used == NULL) return ets_fail_memory(f->error, "a rewritten program");
    mark_used(method, is_used);
    for (uint32_t v = 0; v < method->value_count; v++) {
        ets_method_value(method, v, &value);
        const struct ets_program_tensor *tensor = &value.tensor;
        if (value.kind != ETS_EVALUE_TENSOR || tensor->place != ETS_PLACE_CONSTANT) continue;
        if (tensor->data_buffer_idx >= f->out->count) continue;
        struct ets_constant_place *place = &f->out->items[tensor->data_buffer_idx];
        place->is_named = true;
        if (!is_used[v] && !add_unread(f, method->index, v)) {
            return ets_fail_memory(f->error, "a rewritten program");
        }
        if (!is_used[v]) continue;
        place->is_read = true;
        if (tensor->tensor_bytes > place->bytes) place->bytes = tensor->tensor_bytes;
    }
    return ETS_OK;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static struct ets_bytes bytes_of(const struct finder *f, uint32_t index)
{
    const struct ets_constant_place *place = &f->out->items[index];
    return (struct ets_bytes){f->segment.data + place->was, (size_t)place->bytes};
}

static uint64_t total_bytes(const struct ets_constant_layout *layout)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < layout->count; i++) {
        bytes = ets_add_saturated_u64(bytes, layout->items[i].bytes);
    }
    return bytes;
}

/* Finds for each constant the first one with the same bytes. */
static enum ets_status find_equal(struct finder *f)
{
    const uint32_t count = f->out->count;
    const bool is_readable = total_bytes(f->out) / MOST_REPEATS < f->segment.size;
    uint32_t ranked = 0;
    struct rank *ranks = ets_arena_alloc_array(f->arena, count, sizeof *ranks);
    if (ranks == NULL) return ets_fail_memory(f->error, "a rewritten program");
    for (uint32_t i = 0; i < count; i++) {
        f->out->items[i].same_as = i;
        if (f->out->items[i].bytes == 0 || !is_readable) continue;
        ranks[ranked++] = (struct rank){f->out->items[i].bytes, ets_xxh64_of(bytes_of(f, i)), i};
    }
    if (ranked > 1) qsort(ranks, ranked, sizeof *ranks, compare_ranks);
    for (uint32_t i = 1; i < ranked; i++) {
        const struct rank *a = &ranks[i - 1], *b = &ranks[i];
        struct ets_constant_place *first = &f->out->items[a->index];
        if (a->bytes != b->bytes || a->hash != b->hash) continue;
        if (memcmp(bytes_of(f, a->index).data, bytes_of(f, b->index).data, (size_t)b->bytes) == 0) {
            f->out->items[b->index].same_as = first->same_as;
        }
    }
    return ETS_OK;
}

static int compare_offsets(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* What all old offsets have in common. */
static uint64_t alignment_of(const struct ets_constant_layout *layout)
{
    uint64_t offsets = MOST_ALIGNMENT, alignment = 1;
    for (uint32_t i = 0; i < layout->count; i++) {
        if (layout->items[i].bytes > 0) offsets |= layout->items[i].was;
    }
    while (offsets % (2 * alignment) == 0) alignment *= 2;
    return alignment;
}

enum ets_status ets_constant_layout_place(struct ets_arena *arena, struct ets_constant_layout *out,
                                          struct ets_error *error)
{
    const uint64_t common = alignment_of(out);
    struct rank *ranks = ets_arena_alloc_array(arena, out->count, sizeof *ranks);
    if (ranks == NULL) return ets_fail_memory(error, "a rewritten program");
    for (uint32_t i = 0; i < out->count; i++) ranks[i] = (struct rank){out->items[i].was, 0, i};
    if (out->count > 1) qsort(ranks, out->count, sizeof *ranks, compare_offsets);
    for (uint32_t i = 0; i < out->count; i++) {
        struct ets_constant_place *place = &out->items[ranks[i].index];
        const uint64_t alignment = place->alignment > common ? place->alignment : common;
        if (place->is_named && !place->is_read) out->unread_constants++;
        if (!ets_constant_is_written(out, ranks[i].index)) continue;
        place->is = (out->bytes + alignment - 1) / alignment * alignment;
        out->bytes = place->is + place->bytes;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        const struct ets_constant_place *first = &out->items[out->items[i].same_as];
        if (out->items[i].same_as == i) continue;
        out->items[i].is = first->is;
        out->shared += out->items[i].was != first->was;
    }
    return ETS_OK;
}

enum ets_status ets_constant_layout_find(struct ets_arena *arena, const struct ets_program *program,
                                         struct ets_constant_layout *out, struct ets_error *error)
{
    struct finder f = {.arena = arena, .program = program, .out = out, .error = error};
    struct ets_segment segment;
    const struct ets_fb table = ets_fb_table(ets_program_root(program), PROGRAM_CONSTANT_SEGMENT);
    *out = (struct ets_constant_layout){.segment = UINT32_MAX};
    if (table.at == 0) return ETS_OK;
    const struct ets_fb_vector offsets = ets_fb_vector(table, OFFSETS_OFFSETS);
    const uint32_t index = ets_fb_u32(table, OFFSETS_SEGMENT, 0);
    if (offsets.count <= 1 || index >= program->segment_count) return ETS_OK;
    ets_program_segment(program, index, &segment);
    if (segment.size == 0) return ETS_OK;
    f.segment = segment.bytes;
    out->segment = index;
    out->count = offsets.count;
    out->items = ets_arena_alloc_array(arena, out->count, sizeof *out->items);
    if (out->items == NULL) return ets_fail_memory(error, "a rewritten program");
    for (uint32_t i = 0; i < out->count; i++) out->items[i].was = ets_fb_vector_u64(offsets, i);
    for (uint32_t i = 0; i < program->method_count; i++) {
        struct ets_method method;
        ets_program_method(program, i, &method);
        ETS_TRY(list_method(&f, &method));
    }
    return find_equal(&f);
}
