#include "views/operator_lines.h"
#include "inspect/row_times.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "host/strings.h"

bool ets_operator_row_is_shown(const struct ets_inspection *inspection,
                               const struct ets_operator_options *options, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(inspection, index);
    if (options->all_events || !ets_text_is(row->name, "OPERATOR_CALL")) return true;
    const struct ets_block *block = ets_inspection_block(inspection, row->block);
    for (uint32_t i = index; i-- > block->first_row;) {
        const struct ets_row *inner = ets_inspection_row(inspection, i);
        if (inner->parent == index) return false;
        if (inner->instruction != row->instruction) break; /* neighbours in order of completion */
    }
    return true;
}

uint32_t ets_operator_whole_row(const struct ets_inspection *inspection, uint32_t block)
{
    const struct ets_block *b = ets_inspection_block(inspection, block);
    uint32_t whole = ets_inspection_total_row(inspection, block);
    if (whole != ETS_NO_INDEX) return whole;
    for (uint32_t i = b->first_row; i < b->first_row + b->row_count; i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        if (row->parent == ETS_NO_INDEX && row->chain == -1) whole = i; /* load_method is last */
    }
    return whole;
}

void ets_text_list_add(struct ets_text_list *list, struct ets_text text)
{
    if (text.data == NULL) return;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].size == text.size &&
            memcmp(list->items[i].data, text.data, text.size) == 0) {
            return;
        }
    }
    list->items[list->count++] = text;
}

/* Adds texts that are not in the list yet; of many, a table knows which are. */
struct distinct {
    struct ets_text_list *list;
    struct ets_strings known;
    bool is_large;
};

static bool distinct_init(struct distinct *d, struct ets_arena *arena, struct ets_arena *scratch,
                          struct ets_text_list *list, size_t count)
{
    enum { LARGE = 32 };
    *d = (struct distinct){.list = list, .is_large = count > LARGE};
    *list = (struct ets_text_list){ets_arena_alloc_array(arena, count, sizeof *list->items), 0};
    return list->items != NULL && (!d->is_large || ets_strings_init(&d->known, scratch) == 0);
}

static bool distinct_add(struct distinct *d, struct ets_text text)
{
    if (!d->is_large || text.data == NULL) {
        ets_text_list_add(d->list, text);
        return true;
    }
    const uint32_t known = d->known.count, number = ets_strings_add(&d->known, text);
    if (number == known) d->list->items[d->list->count++] = text;
    return number != UINT32_MAX;
}

/*
 * Whether a pass over the graph put the node in, as quantization does with its conversions: its
 * module is the graph itself, or the export's wrapper of it, and no class of the model.
 */
static bool is_of_a_pass(const struct ets_graph_node *node)
{
    if (node->module_count != 1) return false;
    const struct ets_text type = node->modules[0].type;
    return ets_text_starts_with(type, "torch.fx.graph_module.GraphModule") ||
           ets_text_starts_with(type, "torch.export._trace."); /* exported without strict=True */
}

static bool add_modules(struct distinct *modules, const struct ets_row_node *nodes, size_t count,
                        bool of_passes)
{
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        struct ets_text module = ets_graph_module_path(nodes[i].node);
        if (is_of_a_pass(nodes[i].node) != of_passes) continue;
        if (module.data != NULL && module.size == 0) module = (struct ets_text){"(model)", 7};
        ok = distinct_add(modules, module);
    }
    return ok;
}

bool ets_operator_node_places(struct ets_arena *arena, const struct ets_row_node *nodes,
                              size_t count, struct ets_text_list *sources_out,
                              struct ets_text_list *modules_out)
{
    struct distinct sources, modules;
    struct ets_arena scratch;
    ets_arena_init(&scratch, arena->allocator, 0);
    bool ok = distinct_init(&sources, arena, &scratch, sources_out, count) &&
              distinct_init(&modules, arena, &scratch, modules_out, count);
    for (size_t i = 0; ok && i < count; i++) {
        const struct ets_graph_frame *frame = ets_graph_user_frame(nodes[i].node);
        ok = frame == NULL || distinct_add(&sources, frame->place);
    }
    ok = ok && add_modules(&modules, nodes, count, false) &&
         (modules_out->count > 0 || add_modules(&modules, nodes, count, true));
    ets_arena_reset(&scratch);
    return ok;
}

bool ets_operator_row_places(struct ets_arena *arena, const struct ets_row *row,
                             struct ets_text_list *sources_out, struct ets_text_list *modules_out)
{
    return ets_operator_node_places(arena, row->nodes, row->node_count, sources_out, modules_out);
}

/* What a row took in each run. */
static bool measure(const struct ets_inspection *inspection, const struct ets_chosen_runs *runs,
                    uint32_t row, struct ets_operator_line *line)
{
    const uint32_t block = ets_inspection_row(inspection, row)->block;
    struct ets_arena scratch;
    ets_arena_init(&scratch, NULL, 0);
    double *per_run = ets_arena_alloc_array(
        &scratch, ets_inspection_block(inspection, block)->run_count, sizeof *per_run);
    if (per_run == NULL) return false;
    ets_inspection_row_ticks(inspection, row, ETS_NO_INDEX, per_run);
    ets_chosen_runs_summarise(runs, per_run, &line->times);
    ets_arena_reset(&scratch);
    return true;
}

static bool describe(struct ets_arena *arena, const struct ets_inspection *inspection,
                     const struct ets_chosen_runs *runs, uint32_t index, uint32_t depth,
                     struct ets_operator_line *line)
{
    const struct ets_row *row = ets_inspection_row(inspection, index);
    *line = (struct ets_operator_line){
        .name = ets_row_operator(row),
        .row = index,
        .parent = ETS_NO_INDEX,
        .depth = depth,
        .calls_per_run = row->calls_per_run,
        .coarse_calls = row->calls_per_run,
        .quantum_ns = (double)row->quantum_ticks,
        .kernel = row->kernel,
        .has_own_clock = ets_row_has_own_clock(row) != 0,
    };
    if (row->backend != NULL) line->backend = (struct ets_text){row->backend, strlen(row->backend)};
    line->ops.items = ets_arena_alloc_array(arena, row->node_count, sizeof *line->ops.items);
    if (line->ops.items == NULL ||
        !ets_operator_row_places(arena, row, &line->sources, &line->modules)) {
        return false;
    }
    for (size_t i = 0; i < row->node_count; i++) {
        line->ops.items[line->ops.count++] = row->nodes[i].node->op;
    }
    return measure(inspection, runs, index, line);
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
                               const struct ets_operator_options *options,
                               const struct ets_chosen_runs *runs, uint32_t block,
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
        const bool is_shown = ets_operator_row_is_shown(inspection, options, row) &&
                              ets_row_filter_matches(&options->filter, inspection, row);
        if (is_shown) {
            struct ets_operator_line *line = &lines_out->items[lines_out->count];
            if (!describe(arena, inspection, runs, row, depth[at], line)) return false;
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
