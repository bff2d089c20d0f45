/*
 * Rows of a block as operators: which are shown, which is the whole, and the places of their
 * nodes.
 */
#include <string.h>

#include "base/text.h"
#include "host/strings.h"
#include "views/operator_lines.h"

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
