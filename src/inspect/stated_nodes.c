/* Reads what the extra block tells of another runtime's nodes. docs/SPEC.md has the bytes. */
#include "inspect/stated_nodes.h"

#include "base/extra_keys.h"
#include "base/load.h"
#include "base/origin_entries.h"
#include "base/text.h"
#include "dump/extra_entries.h"
#include "inspect/inspection.h"

enum { NAME, BACKEND, MODULE, SOURCE_FILE, FUNCTION, TEXTS };

/* The texts of an entry, absent where empty; false: they do not fit. */
static bool read_texts(struct ets_bytes value, struct ets_text texts[TEXTS])
{
    size_t at = ETS_ORIGIN_NODE_BYTES;
    for (int i = 0; i < TEXTS; i++) {
        const size_t size = ets_load_u16(value.data + 16 + 2 * i);
        if (size > value.size - at) return false;
        texts[i] = (struct ets_text){size == 0 ? NULL : (const char *)value.data + at, size};
        at += size;
    }
    return true;
}

/* A terminated copy, absent where `text` is; false: no memory. */
static bool copy(struct ets_arena *arena, struct ets_text text, struct ets_text *out)
{
    *out = text;
    if (text.data == NULL) return true;
    out->data = ets_arena_copy_text(arena, text.data, text.size);
    return out->data != NULL;
}

static bool make_place(struct ets_arena *arena, struct ets_graph_frame *frame)
{
    const size_t room = frame->file.size + 16;
    char *place = ets_arena_alloc(arena, room);
    if (place == NULL) return false;
    const size_t size =
        ets_print_text(place, room, "%.*s:%u", ETS_TEXT(frame->file), (unsigned)frame->line);
    frame->place = (struct ets_text){place, size};
    return true;
}

static bool fill(struct ets_arena *arena, const uint8_t *at, const struct ets_text texts[TEXTS],
                 struct ets_stated_node *told)
{
    struct ets_text backend;
    *told = (struct ets_stated_node){.parent = ets_load_u32(at + 8)};
    told->frame.line = ets_load_u32(at + 12);
    if (!copy(arena, texts[NAME], &told->node.name) || !copy(arena, texts[BACKEND], &backend) ||
        !copy(arena, texts[MODULE], &told->module.path) ||
        !copy(arena, texts[SOURCE_FILE], &told->frame.file) ||
        !copy(arena, texts[FUNCTION], &told->frame.function)) {
        return false;
    }
    told->backend = backend.data;
    told->node.debug_handle = -1;
    if (told->module.path.data != NULL) {
        told->node.module_count = 1;
        told->node.modules = &told->module;
    }
    if (told->frame.file.data != NULL) {
        told->node.frame_count = 1;
        told->node.frames = &told->frame;
        if (!make_place(arena, &told->frame)) return false;
    }
    told->of_row = (struct ets_row_node){&told->node, -1};
    return true;
}

static bool tells_cycles(uint32_t key, struct ets_bytes value)
{
    return key == ETS_EXTRA_CYCLES && value.size >= ETS_ORIGIN_CYCLES_BYTES &&
           ets_load_u32(value.data) == 1;
}

static void read_runtime(struct ets_bytes value, struct ets_stated_nodes *out)
{
    if (value.size < ETS_ORIGIN_RUNTIME_BYTES) return;
    const uint32_t step = ets_load_u32(value.data), is_truncated = ets_load_u32(value.data + 4);
    out->step_ns = is_truncated ? step : 0;
    out->runtime = (struct ets_text){(const char *)value.data + ETS_ORIGIN_RUNTIME_BYTES,
                                     value.size - ETS_ORIGIN_RUNTIME_BYTES};
}

enum ets_status ets_stated_nodes_read(struct ets_arena *arena, const struct ets_trace_extra *extra,
                                      struct ets_stated_nodes *out, struct ets_error *error)
{
    uint32_t key, count = 0;
    struct ets_bytes value;
    ets_key_table_init(&out->instructions, arena, 1);
    for (size_t at = 0; ets_trace_extra_next(extra, &at, &key, &value);) {
        count += key == ETS_EXTRA_NODE;
        out->is_in_cycles |= tells_cycles(key, value);
        if (key == ETS_EXTRA_RUNTIME) read_runtime(value, out);
    }
    if (count == 0) return ETS_OK;
    out->items = ets_arena_alloc_array(arena, count, sizeof *out->items);
    if (out->items == NULL) return ets_fail_memory(error, "the nodes of another runtime");
    for (size_t at = 0; ets_trace_extra_next(extra, &at, &key, &value);) {
        struct ets_text texts[TEXTS];
        if (key != ETS_EXTRA_NODE || value.size < ETS_ORIGIN_NODE_BYTES ||
            !read_texts(value, texts)) {
            continue;
        }
        const uint64_t place =
            (uint64_t)ets_load_u32(value.data) << 32 | ets_load_u32(value.data + 4);
        const uint32_t known = out->instructions.count;
        const uint32_t number = ets_key_table_add(&out->instructions, &place);
        if (number == ETS_KEY_NONE ||
            (number == known && !fill(arena, value.data, texts, &out->items[number]))) {
            return ets_fail_memory(error, "the nodes of another runtime");
        }
    }
    return ETS_OK;
}

const struct ets_stated_node *ets_stated_node_at(const struct ets_stated_nodes *told, int64_t chain,
                                                 int32_t instruction)
{
    if (told->items == NULL || chain < 0 || chain > INT32_MAX || instruction < 0) return NULL;
    const uint64_t place = (uint64_t)chain << 32 | (uint32_t)instruction;
    const uint32_t number = ets_key_table_find(&told->instructions, &place);
    return number == ETS_KEY_NONE ? NULL : &told->items[number];
}

bool ets_dump_is_foreign(struct ets_bytes dump)
{
    struct ets_trace_extra extra;
    struct ets_stated_nodes told = {.step_ns = 0};
    uint32_t key;
    struct ets_bytes value;
    if (ets_trace_extra_init(&extra, dump, NULL) != ETS_OK) return false;
    for (size_t at = 0; ets_trace_extra_next(&extra, &at, &key, &value);) {
        if (key == ETS_EXTRA_RUNTIME) read_runtime(value, &told);
    }
    return told.runtime.data != NULL;
}

bool ets_dump_is_in_cycles(struct ets_bytes dump)
{
    struct ets_trace_extra extra;
    uint32_t key;
    struct ets_bytes value;
    bool is_in_cycles = false;
    if (ets_trace_extra_init(&extra, dump, NULL) != ETS_OK) return false;
    for (size_t at = 0; ets_trace_extra_next(&extra, &at, &key, &value);) {
        is_in_cycles |= tells_cycles(key, value);
    }
    return is_in_cycles;
}

struct ets_text ets_inspection_runtime(const struct ets_inspection *inspection)
{
    return inspection->told.runtime;
}

bool ets_inspection_has_record(const struct ets_inspection *inspection)
{
    return inspection->options.record != NULL;
}

uint32_t ets_inspection_step_ns(const struct ets_inspection *inspection)
{
    return inspection->told.step_ns;
}
