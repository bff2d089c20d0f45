#include "export/operator_lines.h"

#include <string.h>

#include "base/error.h"

static bool is(struct ets_text text, const char *expected)
{
    return text.size == strlen(expected) && memcmp(text.data, expected, text.size) == 0;
}

bool ets_operator_row_is_shown(const struct ets_inspection *inspection,
                               const struct ets_operator_table_options *options, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(inspection, index);
    if (options->all_events || !is(row->name, "OPERATOR_CALL")) return true;
    const struct ets_block *block = ets_inspection_block(inspection, row->block);
    for (uint32_t i = index; i-- > block->first_row;) {
        const struct ets_row *inner = ets_inspection_row(inspection, i);
        if (inner->parent == index) return false;
        if (inner->instruction != row->instruction) break; /* neighbours in order of completion */
    }
    return true;
}

struct ets_text ets_operator_row_name(const struct ets_row *row)
{
    static const char prefix[] = "native_call_";
    const size_t size = sizeof prefix - 1;
    if (row->name.size > size && memcmp(row->name.data, prefix, size) == 0) {
        return (struct ets_text){row->name.data + size, row->name.size - size};
    }
    if (is(row->name, "OPERATOR_CALL") && row->kernel.size > 0) return row->kernel;
    return row->name;
}

/* Texts joined by ", ", each once, in order of appearance. */
struct joined {
    struct ets_arena *arena;
    struct ets_text *items;
    size_t count, capacity;
};

static void add_once(struct joined *joined, struct ets_text text)
{
    if (text.data == NULL || joined->count == joined->capacity) return;
    for (size_t i = 0; i < joined->count; i++) {
        if (joined->items[i].size == text.size &&
            memcmp(joined->items[i].data, text.data, text.size) == 0) {
            return;
        }
    }
    joined->items[joined->count++] = text;
}

static bool join(const struct joined *joined, struct ets_text *out)
{
    *out = (struct ets_text){NULL, 0};
    if (joined->count == 0) return true;
    size_t size = 1;
    for (size_t i = 0; i < joined->count; i++) size += joined->items[i].size + 2;
    char *text = ets_arena_alloc(joined->arena, size);
    if (text == NULL) return false;
    size_t used = 0;
    for (size_t i = 0; i < joined->count; i++) {
        if (i > 0) {
            text[used++] = ',';
            text[used++] = ' ';
        }
        if (joined->items[i].size > 0) {
            memcpy(text + used, joined->items[i].data, joined->items[i].size);
        }
        used += joined->items[i].size;
    }
    *out = (struct ets_text){text, used};
    return true;
}

static bool print_place(struct ets_arena *arena, const struct ets_graph_frame *frame,
                        struct ets_text *out)
{
    *out = (struct ets_text){NULL, 0};
    if (frame == NULL) return true;
    const size_t room = frame->file.size + 16;
    char *text = ets_arena_alloc(arena, room);
    if (text == NULL) return false;
    *out = (struct ets_text){text, ets_print_text(text, room, "%.*s:%u", (int)frame->file.size,
                                                  frame->file.data, frame->line)};
    return true;
}

bool ets_operator_row_places(struct ets_arena *arena, const struct ets_row *row,
                             struct ets_text *source_out, struct ets_text *module_out)
{
    struct joined sources = {arena, NULL, 0, row->node_count}, modules = sources;
    sources.items = ets_arena_alloc_array(arena, row->node_count, sizeof *sources.items);
    modules.items = ets_arena_alloc_array(arena, row->node_count, sizeof *modules.items);
    if (sources.items == NULL || modules.items == NULL) return false;
    for (size_t i = 0; i < row->node_count; i++) {
        const struct ets_graph_node *node = row->nodes[i].node;
        struct ets_text place;
        if (!print_place(arena, ets_graph_user_frame(node), &place)) return false;
        add_once(&sources, place);
        struct ets_text module = ets_graph_module_path(node);
        if (module.data != NULL && module.size == 0) module = (struct ets_text){"(model)", 7};
        add_once(&modules, module);
    }
    return join(&sources, source_out) && join(&modules, module_out);
}

static double quantum_of(const struct ets_inspection *inspection, const struct ets_row *row)
{
    (void)inspection;
    return (double)row->quantum_ticks;
}

static bool describe(struct ets_arena *arena, const struct ets_inspection *inspection,
                     const struct ets_operator_table_options *options, uint32_t index,
                     uint32_t depth, struct ets_operator_line *line)
{
    const struct ets_row *row = ets_inspection_row(inspection, index);
    *line = (struct ets_operator_line){
        .name = ets_operator_row_name(row),
        .row = index,
        .depth = depth,
        .calls_per_run = row->calls_per_run,
        .quantum_ns = quantum_of(inspection, row),
        .kernel = row->kernel,
        .is_nested = depth > 0,
    };
    if (row->backend != NULL) line->backend = (struct ets_text){row->backend, strlen(row->backend)};
    struct ets_text *ops = ets_arena_alloc_array(arena, row->node_count, sizeof *ops);
    if (ops == NULL || !ets_operator_row_places(arena, row, &line->source, &line->module)) {
        return false;
    }
    for (size_t i = 0; i < row->node_count; i++) ops[i] = row->nodes[i].node->op;
    line->ops = ops;
    line->op_count = row->node_count;
    return ets_inspection_row_statistics(inspection, index, options->run, &line->times, NULL) ==
           ETS_OK;
}

/* Children of each row as linked lists in order of execution. */
struct nesting {
    uint32_t *first_child, *next_sibling; /* [row of the block] */
    uint32_t *stack;
};

static bool nest(struct ets_arena *arena, const struct ets_inspection *inspection, uint32_t block,
                 struct nesting *nesting, uint32_t *roots_out)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    const size_t bytes = sizeof(uint32_t);
    nesting->first_child = ets_arena_alloc_array(arena, b->row_count, bytes);
    nesting->next_sibling = ets_arena_alloc_array(arena, b->row_count, bytes);
    nesting->stack = ets_arena_alloc_array(arena, (size_t)b->row_count + 1, bytes);
    if (nesting->first_child == NULL || nesting->next_sibling == NULL || nesting->stack == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < b->row_count; i++) nesting->first_child[i] = ETS_NO_INDEX;
    uint32_t roots = ETS_NO_INDEX;
    for (uint32_t i = b->row_count; i-- > 0;) { /* backwards, so that lists come out in order */
        const uint32_t parent = ets_inspection_row(inspection, b->first_row + i)->parent;
        uint32_t *head =
            parent == ETS_NO_INDEX ? &roots : &nesting->first_child[parent - b->first_row];
        nesting->next_sibling[i] = *head;
        *head = i;
    }
    *roots_out = roots;
    return true;
}

bool ets_operator_lines_by_row(struct ets_arena *arena, const struct ets_inspection *inspection,
                               const struct ets_operator_table_options *options, uint32_t block,
                               struct ets_operator_lines *lines_out)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    struct nesting nesting;
    uint32_t roots;
    uint32_t *depth = ets_arena_alloc_array(arena, b->row_count, sizeof *depth);
    lines_out->items = ets_arena_alloc_array(arena, b->row_count, sizeof *lines_out->items);
    lines_out->count = 0;
    if (depth == NULL || lines_out->items == NULL ||
        !nest(arena, inspection, block, &nesting, &roots)) {
        return false;
    }
    uint32_t at = roots, used = 0;
    while (at != ETS_NO_INDEX || used > 0) {
        if (at == ETS_NO_INDEX) {
            at = nesting.stack[--used];
            continue;
        }
        const uint32_t row = b->first_row + at;
        const bool is_shown = ets_operator_row_is_shown(inspection, options, row);
        if (is_shown) {
            struct ets_operator_line *line = &lines_out->items[lines_out->count];
            if (!describe(arena, inspection, options, row, depth[at], line)) return false;
            line->order = lines_out->count++;
        }
        for (uint32_t c = nesting.first_child[at]; c != ETS_NO_INDEX; c = nesting.next_sibling[c]) {
            depth[c] = depth[at] + (is_shown ? 1 : 0);
        }
        nesting.stack[used++] = nesting.next_sibling[at];
        at = nesting.first_child[at];
    }
    return true;
}
