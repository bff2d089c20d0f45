/*
 * Events of Vulkan's runtime. Phases of a call are plain names, on the clock of the trace; each
 * dispatch of a shader has JSON for an identifier, and times of the GPU.
 */
#include <string.h>

#include "base/text.h"
#include "format/json_cursor.h"
#include "host/text_builder.h"
#include "payload/payload_reader.h"

enum { MOST_KERNEL = 80, MOST_SIZES = 8, LABEL_ROOM = 320 };

struct dispatch {
    struct ets_text kernel;
    uint64_t sizes[MOST_SIZES]; /* of the last tensor among the arguments, which is the result */
    uint32_t rank;              /* may be more than MOST_SIZES */
    uint64_t node;
    bool has_node;
};

static void read_sizes(struct ets_json_cursor *cursor, struct dispatch *out)
{
    bool is_known = true;
    out->rank = 0;
    if (!ets_json_cursor_enter(cursor, '[')) {
        ets_json_cursor_skip(cursor);
        return;
    }
    while (ets_json_cursor_item(cursor)) {
        uint64_t size = 0;
        is_known = ets_json_cursor_count(cursor, &size) && is_known;
        if (out->rank < MOST_SIZES) out->sizes[out->rank] = size;
        out->rank++;
    }
    if (!is_known) out->rank = 0;
}

static void read_argument(struct ets_json_cursor *cursor, struct dispatch *out)
{
    struct dispatch argument = {.rank = 0};
    struct ets_text key, type = {NULL, 0};
    if (!ets_json_cursor_enter(cursor, '{')) {
        ets_json_cursor_skip(cursor);
        return;
    }
    while (ets_json_cursor_member(cursor, &key)) {
        if (ets_text_is(key, "type")) ets_json_cursor_text(cursor, &type);
        else if (ets_text_is(key, "sizes")) read_sizes(cursor, &argument);
        else ets_json_cursor_skip(cursor);
    }
    if (type.data == NULL || !ets_text_is(type, "TENSOR")) return;
    memcpy(out->sizes, argument.sizes, sizeof out->sizes);
    out->rank = argument.rank;
}

static void read_operator(struct ets_json_cursor *cursor, struct dispatch *out)
{
    struct ets_text key;
    if (!ets_json_cursor_enter(cursor, '{')) {
        ets_json_cursor_skip(cursor);
        return;
    }
    while (ets_json_cursor_member(cursor, &key)) {
        if (ets_text_is(key, "delegate_node_id")) {
            out->has_node = ets_json_cursor_count(cursor, &out->node);
        } else if (ets_text_is(key, "args") && ets_json_cursor_enter(cursor, '[')) {
            while (ets_json_cursor_item(cursor)) read_argument(cursor, out);
        } else {
            ets_json_cursor_skip(cursor);
        }
    }
}

static bool read_dispatch(struct ets_text identifier, struct dispatch *out)
{
    struct ets_json_cursor cursor = {.text = identifier};
    struct ets_text key;
    *out = (struct dispatch){.rank = 0};
    if (!ets_json_cursor_enter(&cursor, '{')) return false;
    while (ets_json_cursor_member(&cursor, &key)) {
        if (ets_text_is(key, "kernel_name")) ets_json_cursor_text(&cursor, &out->kernel);
        else if (ets_text_is(key, "operator")) read_operator(&cursor, out);
        else ets_json_cursor_skip(&cursor);
    }
    return !cursor.is_broken && out->kernel.size > 0;
}

/* "linear_texture3d_float 2x32" */
static void write_label(const struct dispatch *dispatch, struct ets_text_builder *label)
{
    const size_t size = dispatch->kernel.size;
    ets_add_text(label, "%.*s%s", (int)(size < MOST_KERNEL ? size : MOST_KERNEL),
                 dispatch->kernel.data, size > MOST_KERNEL ? "..." : "");
    for (uint32_t i = 0; i < dispatch->rank && i < MOST_SIZES; i++) {
        ets_add_text(label, "%s%llu", i == 0 ? " " : "x", (unsigned long long)dispatch->sizes[i]);
    }
    if (dispatch->rank > MOST_SIZES) ets_add_text(label, "x...");
}

enum ets_status ets_payload_vulkan_identifier(struct ets_arena *arena, struct ets_text identifier,
                                              struct ets_bytes metadata,
                                              struct ets_payload_identifier *said,
                                              struct ets_error *error)
{
    struct dispatch dispatch;
    (void)metadata;
    if (ets_text_starts_with(identifier, "ETVK_")) said->measure = ETS_PAYLOAD_PHASE;
    if (!read_dispatch(identifier, &dispatch)) return ETS_OK;
    char *room = ets_arena_alloc(arena, LABEL_ROOM);
    if (room == NULL) return ets_fail_memory(error, "the name of a dispatch");
    struct ets_text_builder label = {room, LABEL_ROOM, 0};
    write_label(&dispatch, &label);
    said->measure = ETS_PAYLOAD_DEVICE_TIME;
    said->label = ets_built_text(&label);
    if (dispatch.has_node && dispatch.node <= UINT32_MAX) said->number = (int64_t)dispatch.node;
    return ETS_OK;
}
