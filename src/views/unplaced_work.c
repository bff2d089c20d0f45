/*
 * Names work without a source line, module or handle, from the trace, the payload and the ETRecord.
 * Each kind of work has one name, so that it is one group in every view.
 */
#include <string.h>

#include "base/text.h"
#include "etscope/experimental/row_filter.h"
#include "host/text_builder.h"
#include "inspect/stated_nodes.h"
#include "views/unplaced_work.h"

/* Who does not tell where work comes from. */
enum teller { RECORD = 0, NO_RECORD, FOREIGN_PROFILE, TELLERS };
static const struct ets_text unknown[TELLERS] = {
    {"(not in the record)", 19}, {"(no ETRecord)", 13}, {"(not in the profile)", 20}};

static enum teller teller_of(const struct ets_inspection *inspection)
{
    if (ets_inspection_has_record(inspection)) return RECORD;
    return ets_inspection_runtime(inspection).size > 0 ? FOREIGN_PROFILE : NO_RECORD;
}

bool ets_is_unknown_work(struct ets_text name)
{
    for (int i = 0; i < TELLERS; i++) {
        if (ets_text_equal(name, unknown[i])) return true;
    }
    return false;
}

/* The number of "(", what, of, end, ")". */
static uint32_t number_name(struct ets_arena *arena, struct ets_places *places, const char *what,
                            struct ets_text of, const char *end)
{
    const size_t room = strlen(what) + of.size + strlen(end) + 8;
    char *text = ets_arena_alloc(arena, room);
    struct ets_text_builder name = {text, room, 0};
    if (text == NULL) return ETS_NO_INDEX;
    /* Never cut: the name distinguishes them. */
    ets_add_text(&name, "(%s%.*s%s)", what, (int)of.size, of.data, end);
    return ets_places_none(places, ets_built_text(&name));
}

static struct ets_text backend_of(const struct ets_row *row)
{
    const char *name = row->backend != NULL ? row->backend : "delegate";
    return (struct ets_text){name, strlen(name)};
}

uint32_t ets_work_rest(struct ets_arena *arena, struct ets_places *places,
                       const struct ets_row *row)
{
    return number_name(arena, places, "", backend_of(row), ", not reported");
}

/* Whether all nodes of a delegate's event have one of these types. */
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

/* Names work that the exporter added to a payload, without a handle; NULL: unknown. */
static const char *name_payload_work(const struct ets_row *row)
{
    static const char *const layouts[] = {"StaticTranspose", "StaticReshape", NULL};
    static const char *const types[] = {"Convert", NULL};
    if (is_all_of(row, layouts)) return ", layout conversions";
    if (is_all_of(row, types)) return ", type conversions";
    if (row->tie == ETS_TIE_NEAR && row->unit == ETS_NO_INDEX) return ", type conversions";
    return row->payload_node_count > 0 ? ", added by the export" : NULL;
}

/*
 * Names the work of a kernel or instruction that the ETRecord does not map; NULL: unknown. A model
 * may select by itself: without a record, that is no loop's.
 */
static const char *name_unmapped(const struct ets_row *row, bool has_record)
{
    const struct ets_text name = ets_row_operator(row);
    if (ets_text_is(name, "copy_") || ets_text_is(name, "aten::copy_") ||
        ets_text_starts_with(name, "copy_.") || ets_text_starts_with(name, "aten::copy_.")) {
        return "(write-back of mutated buffers)";
    }
    if (ets_text_starts_with(name, "executorch_prim::et_copy_index")) {
        return "(results of a loop, copied)";
    }
    if (ets_text_starts_with(name, "select_copy.") && has_record) return "(a loop's slices)";
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

/* Names work whose nodes are in the ETRecord, but have no line. */
static uint32_t name_without_line(struct ets_arena *arena, struct ets_places *places,
                                  const struct ets_row *row)
{
    struct ets_numbers lines, modules;
    struct ets_text names;
    if (!ets_places_of_row(places, row, &lines, &modules)) return ETS_NO_INDEX;
    if (modules.count == 0) return ets_places_none(places, unknown[RECORD]);
    if (!ets_places_names(places, ETS_PLACE_MODULE, &modules, &names)) return ETS_NO_INDEX;
    return number_name(arena, places, "no line in the record: ", names, "");
}

uint32_t ets_unplaced_work(struct ets_arena *arena, struct ets_places *places,
                           const struct ets_work *work, const struct ets_row *row, bool wants_lines)
{
    const enum teller teller = teller_of(work->inspection);
    const char *what = NULL;
    if (row->node_count > 0 && wants_lines) return name_without_line(arena, places, row);
    if (row->node_count == 0 && row->handle_count == 0) {
        what = row->is_delegated ? name_payload_work(row) : name_unmapped(row, teller == RECORD);
    }
    if (what == NULL) return ets_places_none(places, unknown[teller]);
    if (row->is_delegated) return number_name(arena, places, "", backend_of(row), what);
    return ets_places_none(places, (struct ets_text){what, strlen(what)});
}
