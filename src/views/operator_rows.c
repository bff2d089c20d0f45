/* Finds the rows of a block that are operators, and the row of the whole run. */
#include "views/operator_rows.h"

#include "base/text.h"
#include "inspect/patterns.h"

bool ets_operator_row_is_shown(const struct ets_inspection *inspection, bool all_events,
                               uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(inspection, index);
    if (all_events || !ets_text_is(row->name, "OPERATOR_CALL")) return true;
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

bool ets_row_is_instruction(const struct ets_inspection *inspection, const struct ets_row *row)
{
    if (row->is_delegated || row->chain == -1 || ets_row_has_own_clock(row)) return false;
    return row->parent == ETS_NO_INDEX || ets_inspection_row(inspection, row->parent)->chain == -1;
}

const struct ets_row *ets_operator_placed_row(const struct ets_inspection *inspection,
                                              const struct ets_row *row)
{
    const struct ets_row *at = row;
    while (at->node_count == 0 && at->parent != ETS_NO_INDEX) {
        at = ets_inspection_row(inspection, at->parent);
    }
    return at;
}

struct ets_text ets_operator_group_name(const struct ets_row *row)
{
    const struct ets_text name = ets_row_operator(row);
    size_t size = name.size;
    while (size > 0 && name.data[size - 1] >= '0' && name.data[size - 1] <= '9') size--;
    const bool is_numbered =
        size >= 3 && size < name.size && name.data[size - 1] == '#' && name.data[size - 2] == ' ';
    return is_numbered ? (struct ets_text){name.data, size - 2} : name;
}
