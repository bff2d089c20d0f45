/*
 * Names for work that no line of source, module or handle has: what it is, as far as the trace, the
 * payload and the record tell. One name for each kind, so that it is one group in every view.
 */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "views/operator_lines.h"

static bool print_name(struct ets_arena *arena, const char *what, struct ets_text of,
                       const char *end, struct ets_text *name_out)
{
    const size_t room = strlen(what) + of.size + strlen(end) + 8;
    char *name = ets_arena_alloc(arena, room);
    if (name == NULL) return false;
    *name_out = (struct ets_text){
        name, ets_print_text(name, room, "(%s%.*s%s)", what, (int)of.size, of.data, end)};
    return true;
}

static struct ets_text backend_of(const struct ets_row *row)
{
    const char *name = row->backend != NULL ? row->backend : "delegate";
    return (struct ets_text){name, strlen(name)};
}

bool ets_work_name_rest(struct ets_arena *arena, const struct ets_row *row,
                        struct ets_text *name_out)
{
    return print_name(arena, "", backend_of(row), ", not reported", name_out);
}

/* Whether all that a delegate's event does is one of these types of nodes. */
static bool is_all_of(const struct ets_row *row, const char *const *types)
{
    for (size_t i = 0; i < row->payload_node_count; i++) {
        bool is_one = false;
        for (const char *const *type = types; *type != NULL; type++) {
            is_one = is_one || strcmp(row->payload_nodes[i].type, *type) == 0;
        }
        if (!is_one) return false;
    }
    return row->payload_node_count > 0;
}

/* What the exporter put into a payload, of a node without a handle; NULL: no more is known. */
static const char *name_payload_work(const struct ets_row *row)
{
    static const char *const layouts[] = {"StaticTranspose", "StaticReshape", NULL};
    static const char *const types[] = {"Convert", NULL};
    if (is_all_of(row, layouts)) return ", layout conversions";
    if (is_all_of(row, types)) return ", type conversions";
    if (row->tie == ETS_TIE_NEAR && row->unit == ETS_NO_INDEX) return ", type conversions";
    return row->payload_node_count > 0 ? ", added by the export" : NULL;
}

/* What a kernel or an instruction does that the record does not map; NULL: no more is known. */
static const char *name_unmapped(const struct ets_row *row)
{
    const struct ets_text name = ets_row_operator(row);
    if (ets_text_is(name, "copy_") || ets_text_is(name, "aten::copy_") ||
        ets_text_starts_with(name, "copy_.") || ets_text_starts_with(name, "aten::copy_.")) {
        return "(write-back of mutated buffers)";
    }
    if (ets_text_starts_with(name, "executorch_prim::et_copy_index")) {
        return "(results of a loop, copied)";
    }
    if (ets_text_starts_with(name, "select_copy.")) return "(a loop's slices)";
    if (ets_text_starts_with(name, "executorch_prim::et_view")) return "(views)";
    if (ets_text_starts_with(name, "executorch_prim::") ||
        ets_text_starts_with(name, "aten::sym_size") || ets_text_starts_with(name, "sym_size")) {
        return "(sizes and conditions)";
    }
    if (ets_text_is(name, "JF_CALL") || ets_text_is(name, "MOVE_CALL") ||
        ets_text_is(name, "FREE_CALL")) {
        return "(control flow)";
    }
    return NULL;
}

bool ets_work_name_elsewhere(struct ets_arena *arena, const struct ets_row *row, bool wants_lines,
                             struct ets_text *name_out)
{
    *name_out = (struct ets_text){"(not in the record)", 19};
    if (row->node_count > 0) {
        struct ets_text_list sources, modules;
        struct ets_text list;
        if (!wants_lines) return true;
        if (!ets_operator_row_places(arena, row, &sources, &modules)) return false;
        if (modules.count == 0) return true;
        return ets_text_list_join(arena, &modules, &list) &&
               print_name(arena, "no line in the record: ", list, "", name_out);
    }
    if (row->handle_count > 0) return true;
    if (row->is_delegated) {
        const char *what = name_payload_work(row);
        return what == NULL || print_name(arena, "", backend_of(row), what, name_out);
    }
    const char *what = name_unmapped(row);
    if (what != NULL) *name_out = (struct ets_text){what, strlen(what)};
    return true;
}
