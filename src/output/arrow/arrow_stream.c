/*
 * The event table as an Arrow C stream. Each array owns its buffers, because a consumer may keep a
 * column and release the rest: one block of memory for each, which its release gives back.
 */
#include "base/utf8.h"
#include "etscope/base.h"
#include "etscope/experimental/arrow.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/strings.h"
#include "output/table/table_cells.h"

enum type { U32, U64, I32, I64, TEXT, BINARY };

static const struct {
    const char *format;
    size_t width;
} types[] = {[U32] = {"I", 4},   [U64] = {"L", 8},  [I32] = {"i", 4},
             [I64] = {"l", 8},   [TEXT] = {"i", 4}, /* the index into its dictionary */
             [BINARY] = {"z", 4}};                  /* the offset of its bytes */

enum column_name {
    RUN,
    RUN_NAME,
    BLOCK,
    METHOD,
    ROW,
    PARENT,
    KIND,
    NAME,
    CHAIN,
    INSTRUCTION,
    DELEGATE_ID,
    DELEGATE_NAME,
    START,
    END,
    TICKS,
    ALLOCATOR,
    BYTES,
    BACKEND,
    KERNEL,
    MODULE,
    FILE_NAME,
    LINE,
    OPERATION,
    METADATA,
    COLUMN_COUNT
};

static const struct {
    const char *name;
    enum type type;
} columns[COLUMN_COUNT] = {
    [RUN] = {"run", U32},
    [RUN_NAME] = {"run_name", TEXT},
    [BLOCK] = {"block", U32},
    [METHOD] = {"method", TEXT},
    [ROW] = {"row", U32},
    [PARENT] = {"parent", U32},
    [KIND] = {"kind", TEXT},
    [NAME] = {"name", TEXT},
    [CHAIN] = {"chain", I64},
    [INSTRUCTION] = {"instruction", I32},
    [DELEGATE_ID] = {"delegate_id", I32},
    [DELEGATE_NAME] = {"delegate_name", TEXT},
    [START] = {"start", U64},
    [END] = {"end", U64},
    [TICKS] = {"ticks", U64},
    [ALLOCATOR] = {"allocator", U64},
    [BYTES] = {"bytes", U64},
    [BACKEND] = {"backend", TEXT},
    [KERNEL] = {"kernel", TEXT},
    [MODULE] = {"module", TEXT},
    [FILE_NAME] = {"file", TEXT},
    [LINE] = {"line", U32},
    [OPERATION] = {"operation", TEXT},
    [METADATA] = {"metadata", BINARY},
};

/* What private_data of a schema, an array or the stream points to begins with this. */
struct block {
    const struct ets_allocator *allocator;
};

/* `bytes` zeroed bytes that begin with a struct block, or NULL. */
static void *allocate(const struct ets_allocator *allocator, size_t bytes)
{
    struct block *block = allocator->reallocate(allocator->context, NULL, bytes);
    if (block == NULL) return NULL;
    memset(block, 0, bytes);
    block->allocator = allocator;
    return block;
}

static void give_back(void *memory)
{
    const struct ets_allocator *allocator = ((struct block *)memory)->allocator;
    allocator->release(allocator->context, memory);
}

/* ---- schema: a block for the parent and its children, one more for each dictionary ---- */

struct schema_block {
    struct block block;
    struct ArrowSchema *pointers[COLUMN_COUNT];
    struct ArrowSchema children[COLUMN_COUNT];
};

struct dictionary_schema_block {
    struct block block;
    struct ArrowSchema dictionary;
};

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child->release != NULL) child->release(child);
    }
    if (schema->dictionary != NULL && schema->dictionary->release != NULL) {
        schema->dictionary->release(schema->dictionary);
    }
    schema->release = NULL;
    if (schema->private_data != NULL) give_back(schema->private_data);
}

static int fill_schema(const struct ets_allocator *allocator, struct schema_block *block)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        struct ArrowSchema *child = &block->children[c];
        block->pointers[c] = child;
        *child = (struct ArrowSchema){.format = types[columns[c].type].format,
                                      .name = columns[c].name,
                                      .flags = ARROW_FLAG_NULLABLE,
                                      .release = release_schema};
        if (columns[c].type != TEXT) continue;
        struct dictionary_schema_block *more = allocate(allocator, sizeof *more);
        if (more == NULL) return ENOMEM;
        more->dictionary = (struct ArrowSchema){
            .format = "u", .name = "", .flags = ARROW_FLAG_NULLABLE, .release = release_schema};
        child->dictionary = &more->dictionary;
        child->private_data = more;
    }
    return 0;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    const struct ets_allocator *allocator = ((struct block *)stream->private_data)->allocator;
    struct schema_block *block = allocate(allocator, sizeof *block);
    if (block == NULL) return ENOMEM;
    *out = (struct ArrowSchema){.format = "+s",
                                .name = "",
                                .n_children = COLUMN_COUNT,
                                .children = block->pointers,
                                .release = release_schema,
                                .private_data = block};
    for (int c = 0; c < COLUMN_COUNT; c++) block->pointers[c] = &block->children[c];
    const int code = fill_schema(allocator, block);
    if (code != 0) out->release(out);
    return code;
}

/* ---- arrays: a block for the parent and its children, one for each column's buffers ---- */

struct batch_block {
    struct block block;
    const void *buffers[1]; /* no validity */
    struct ArrowArray *pointers[COLUMN_COUNT];
    struct ArrowArray children[COLUMN_COUNT];
};

struct column_block {
    struct block block;
    const void *buffers[2]; /* validity, values: both behind this struct */
    struct ArrowArray dictionary;
    uint64_t data[];
};

struct dictionary_block {
    struct block block;
    const void *buffers[3]; /* validity, offsets, characters */
    int32_t offsets[];
};

static void release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child->release != NULL) child->release(child);
    }
    if (array->dictionary != NULL && array->dictionary->release != NULL) {
        array->dictionary->release(array->dictionary);
    }
    array->release = NULL;
    if (array->private_data != NULL) give_back(array->private_data);
}

/* The texts of `strings` but the absent one, as an array of utf8. */
static bool make_dictionary(const struct ets_allocator *allocator,
                            const struct ets_strings *strings, struct ArrowArray *out)
{
    const uint32_t count = strings->count - 1;
    size_t bytes = 0;
    for (uint32_t i = 1; i <= count; i++) {
        bytes += ets_utf8_copy(strings->texts[i].data, strings->texts[i].size, NULL);
    }
    if (bytes > INT32_MAX) return false;
    struct dictionary_block *block = allocate(
        allocator, sizeof *block + ((size_t)count + 1) * sizeof *block->offsets + bytes + 1);
    if (block == NULL) return false;
    char *characters = (char *)(block->offsets + count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_text text = strings->texts[i + 1];
        const size_t size = ets_utf8_copy(text.data, text.size, characters + block->offsets[i]);
        block->offsets[i + 1] = block->offsets[i] + (int32_t)size;
    }
    block->buffers[1] = block->offsets;
    block->buffers[2] = characters;
    *out = (struct ArrowArray){.length = count,
                               .n_buffers = 3,
                               .buffers = block->buffers,
                               .release = release_array,
                               .private_data = block};
    return true;
}

/* ---- cells ---- */

/* What a cell of a text column is the text of, for each event; equal keys have equal texts. */
static const uint32_t *text_keys(const struct ets_event_table *events, enum column_name column)
{
    switch (column) {
    case RUN_NAME:
    case METHOD: return events->run;
    case NAME: return events->name;
    case DELEGATE_NAME: return events->delegate_name;
    default: return events->row;
    }
}

static struct ets_text row_text(const struct ets_row *row, enum column_name column)
{
    if (column == BACKEND) return ets_text_of(row->backend);
    if (column == KERNEL) return row->kernel;
    if (column == OPERATION) return row->operation;
    if (row->node_count == 0) return (struct ets_text){NULL, 0};
    if (column == MODULE) return ets_graph_module_path(row->nodes[0].node);
    const struct ets_graph_frame *frame = ets_graph_user_frame(row->nodes[0].node);
    return frame == NULL ? (struct ets_text){NULL, 0} : frame->file;
}

static struct ets_text key_text(const struct ets_inspection *inspection, enum column_name column,
                                uint32_t key)
{
    switch (column) {
    case RUN_NAME: return ets_inspection_run(inspection, key)->name;
    case METHOD: {
        const uint32_t number = ets_inspection_run(inspection, key)->block;
        const struct ets_block *block = ets_inspection_block(inspection, number);
        return ets_text_of(block->method_state == ETS_METHOD_FOUND ? block->method : NULL);
    }
    case NAME:
    case DELEGATE_NAME: return ets_inspection_text(inspection, key);
    default: return row_text(ets_inspection_row(inspection, key), column);
    }
}

/* The cell as a number; false: null. */
static bool number_cell(const struct ets_inspection *inspection,
                        const struct ets_event_table *events, enum column_name column,
                        uint32_t event, uint64_t *out)
{
    const bool is_profile = events->kind[event] == ETS_EVENT_PROFILE;
    const bool is_allocation = events->kind[event] == ETS_EVENT_ALLOCATION;
    switch (column) {
    case RUN: *out = events->run[event]; return true;
    case BLOCK: *out = ets_inspection_run(inspection, events->run[event])->block; return true;
    case ROW: *out = events->row[event]; return *out != ETS_NO_INDEX;
    case PARENT: *out = events->parent[event]; return *out != ETS_NO_INDEX;
    case CHAIN: *out = (uint64_t)events->chain[event]; return events->chain[event] != -1;
    case INSTRUCTION:
        *out = (uint64_t)(int64_t)events->instruction[event];
        return events->chain[event] != -1 && events->instruction[event] != -1;
    case DELEGATE_ID:
        *out = (uint64_t)(int64_t)events->delegate_id[event];
        return events->delegate_id[event] != -1;
    case START: *out = events->start[event]; return is_profile;
    case END: *out = events->end[event]; return is_profile;
    case TICKS: *out = ets_inspection_ticks(inspection, event); return is_profile;
    case ALLOCATOR: *out = events->start[event]; return is_allocation;
    case BYTES: *out = events->end[event]; return is_allocation;
    default: break;
    }
    if (events->row[event] == ETS_NO_INDEX) return false;
    const struct ets_row *row = ets_inspection_row(inspection, events->row[event]);
    const struct ets_graph_frame *frame =
        row->node_count == 0 ? NULL : ets_graph_user_frame(row->nodes[0].node);
    if (frame == NULL) return false;
    *out = frame->line;
    return true;
}

/* A column while it is being filled. */
struct filling {
    const struct ets_inspection *inspection;
    const struct ets_event_table *events;
    struct ets_arena *scratch; /* of one column */
};

static void put_cell(struct column_block *block, enum type type, uint32_t at, uint64_t value)
{
    uint8_t *validity = (uint8_t *)(uintptr_t)block->buffers[0];
    uint8_t *values = (uint8_t *)(uintptr_t)block->buffers[1];
    validity[at / 8] |= (uint8_t)(1u << at % 8);
    if (types[type].width == 8) {
        memcpy(values + (size_t)at * 8, &value, 8);
    } else {
        const uint32_t narrow = (uint32_t)value;
        memcpy(values + (size_t)at * 4, &narrow, 4);
    }
}

static bool put_kinds(const struct filling *f, struct column_block *block,
                      struct ets_strings *strings)
{
    static const char *const kinds[] = {"profile", "debug", "allocation"};
    for (uint32_t k = 0; k < 3; k++) {
        if (ets_strings_add(strings, ets_text_of(kinds[k])) == UINT32_MAX) return false;
    }
    for (uint32_t e = 0; e < f->events->count; e++) put_cell(block, TEXT, e, f->events->kind[e]);
    return true;
}

/* Asks for the text of each key once: `places` has its number in `strings` plus 1. */
static bool put_texts(const struct filling *f, enum column_name column, struct column_block *block,
                      struct ets_strings *strings, int64_t *null_count)
{
    const uint32_t *keys = text_keys(f->events, column);
    uint32_t key_count = 0;
    for (uint32_t e = 0; e < f->events->count; e++) {
        if (keys[e] != ETS_NO_INDEX && keys[e] >= key_count) key_count = keys[e] + 1;
    }
    uint32_t *places = ets_arena_alloc_array(f->scratch, key_count, sizeof *places);
    if (places == NULL) return false;
    for (uint32_t e = 0; e < f->events->count; e++) {
        const uint32_t key = keys[e];
        if (key != ETS_NO_INDEX && places[key] == 0) {
            const uint32_t number = ets_strings_add(strings, key_text(f->inspection, column, key));
            if (number == UINT32_MAX) return false;
            places[key] = number + 1; /* number 0 is the absent text */
        }
        if (key != ETS_NO_INDEX && places[key] > 1) put_cell(block, TEXT, e, places[key] - 2);
        else ++*null_count;
    }
    return true;
}

static bool fill_texts(const struct filling *f, enum column_name column, struct column_block *block,
                       struct ArrowArray *out)
{
    struct ets_strings strings;
    if (ets_strings_init(&strings, f->scratch) != 0) return false;
    if (!(column == KIND ? put_kinds(f, block, &strings)
                         : put_texts(f, column, block, &strings, &out->null_count)) ||
        !make_dictionary(f->scratch->allocator, &strings, &block->dictionary)) {
        return false;
    }
    out->dictionary = &block->dictionary;
    return true;
}

/* What delegates attached to events: bytes, not text. */
static bool make_metadata(const struct filling *f, struct ArrowArray *out)
{
    const uint32_t count = f->events->count;
    const size_t validity_bytes = ((size_t)count + 63) / 64 * 8;
    size_t bytes = 0, used = 0;
    for (uint32_t e = 0; e < count; e++) bytes += ets_inspection_metadata(f->inspection, e).size;
    if (bytes > INT32_MAX) return false;
    const size_t offset_bytes = ((size_t)count + 1) * sizeof(int32_t);
    struct dictionary_block *block =
        allocate(f->scratch->allocator, sizeof *block + validity_bytes + offset_bytes + bytes + 8);
    if (block == NULL) return false;
    uint8_t *data = (uint8_t *)block->offsets + offset_bytes;
    uint8_t *validity = data + bytes;
    for (uint32_t e = 0; e < count; e++) {
        const struct ets_bytes metadata = ets_inspection_metadata(f->inspection, e);
        if (metadata.data != NULL) validity[e / 8] |= (uint8_t)(1u << e % 8);
        else out->null_count++;
        if (metadata.size > 0) memcpy(data + used, metadata.data, metadata.size);
        used += metadata.size;
        block->offsets[e + 1] = (int32_t)used;
    }
    block->buffers[0] = validity;
    block->buffers[1] = block->offsets;
    block->buffers[2] = data;
    *out = (struct ArrowArray){.length = count,
                               .null_count = out->null_count,
                               .n_buffers = 3,
                               .buffers = block->buffers,
                               .release = release_array,
                               .private_data = block};
    return true;
}

static bool make_column(const struct filling *f, enum column_name column, struct ArrowArray *out)
{
    const enum type type = columns[column].type;
    const uint32_t count = f->events->count;
    const size_t validity_bytes = ((size_t)count + 63) / 64 * 8;
    if (type == BINARY) return make_metadata(f, out);
    struct column_block *block =
        allocate(f->scratch->allocator,
                 sizeof *block + validity_bytes + (size_t)count * types[type].width + 8);
    if (block == NULL) return false;
    block->buffers[0] = block->data;
    block->buffers[1] = (uint8_t *)block->data + validity_bytes;
    *out = (struct ArrowArray){.length = count,
                               .n_buffers = 2,
                               .buffers = block->buffers,
                               .release = release_array,
                               .private_data = block};
    if (type == TEXT) return fill_texts(f, column, block, out);
    for (uint32_t e = 0; e < count; e++) {
        uint64_t value = 0;
        if (number_cell(f->inspection, f->events, column, e, &value)) {
            put_cell(block, type, e, value);
        } else {
            out->null_count++;
        }
    }
    return true;
}

static bool make_batch(const struct filling *f, struct ArrowArray *out)
{
    struct batch_block *block = allocate(f->scratch->allocator, sizeof *block);
    if (block == NULL) return false;
    for (int c = 0; c < COLUMN_COUNT; c++) block->pointers[c] = &block->children[c];
    *out = (struct ArrowArray){.length = f->events->count,
                               .n_buffers = 1,
                               .buffers = block->buffers,
                               .n_children = COLUMN_COUNT,
                               .children = block->pointers,
                               .release = release_array,
                               .private_data = block};
    bool is_ok = true;
    for (int c = 0; c < COLUMN_COUNT && is_ok; c++) {
        is_ok = make_column(f, (enum column_name)c, &block->children[c]);
        ets_arena_reset(f->scratch);
    }
    if (!is_ok) out->release(out);
    return is_ok;
}

/* ---- stream ---- */

struct stream_block {
    struct block block;
    struct ArrowArray batch; /* released: handed out */
};

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    struct stream_block *block = stream->private_data;
    *out = block->batch;
    block->batch.release = NULL;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return "no memory";
}

static void release_stream(struct ArrowArrayStream *stream)
{
    struct stream_block *block = stream->private_data;
    if (block->batch.release != NULL) block->batch.release(&block->batch);
    stream->release = NULL;
    give_back(block);
}

enum ets_status ets_arrow_events(const struct ets_inspection *inspection,
                                 const struct ets_allocator *allocator,
                                 struct ArrowArrayStream *stream_out, struct ets_error *error)
{
    struct ets_arena scratch;
    ets_arena_init(&scratch, allocator, 0);
    const struct filling filling = {
        .inspection = inspection,
        .events = ets_inspection_events(inspection),
        .scratch = &scratch,
    };
    struct stream_block *block = allocate(scratch.allocator, sizeof *block);
    const bool is_made = block != NULL && make_batch(&filling, &block->batch);
    ets_arena_reset(&scratch);
    if (!is_made) {
        if (block != NULL) give_back(block);
        return ets_fail_memory(error, "the events' columns");
    }
    *stream_out =
        (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, block};
    return ETS_OK;
}
