/* The tables of operators with their times, and of their nodes. */
#include "output/sql/sql_tables.h"

/* A block's operators are neighbours. */
static struct ets_sql_range of_block(const struct ets_study *study, int64_t number)
{
    struct ets_sql_cursor cursor = {.study = (struct ets_study *)(uintptr_t)study};
    if (number < 0 || number >= study->block_count) return (struct ets_sql_range){.end = 0};
    const uint32_t index = ets_sql_at_block(&cursor, (uint32_t)number);
    const struct ets_block *block = ets_inspection_block(cursor.trace->inspection, index);
    const uint64_t first = (uint64_t)cursor.trace->first_operator + block->first_row;
    return (struct ets_sql_range){.first = first, .end = first + block->row_count};
}

static uint64_t block_count(const struct ets_study *study)
{
    return study->block_count;
}

const struct ets_sql_table ets_sql_operators_table = {
    .entity = &ets_operators_entity,
    .has_id = true,
    .lookups = {{"block", of_block, block_count}},
    .indexed = {"block", "parent"},
};

static uint64_t operator_count(const struct ets_study *study)
{
    return study->operator_count;
}

/* operator_nodes */

enum { LINK_OPERATOR, LINK_NODE, LINK_HANDLE };

/* clang-format off */
static const struct ets_sql_column link_columns[] = {
    [LINK_OPERATOR] = {"operator", "INTEGER", "id in `operators`"},
    [LINK_NODE] = {"node", "INTEGER", "id in `nodes`"},
    [LINK_HANDLE] = {"debug_handle", "INTEGER", "debug handle that connects them"},
    {NULL, NULL, NULL},
};
/* clang-format on */

static uint64_t link_count(const struct ets_study *study)
{
    return study->first_link[study->operator_count];
}

/* The last operator whose links begin at or before `number`, and which has any. */
static uint32_t operator_of_link(const struct ets_study *study, uint32_t number)
{
    uint32_t low = 0, high = study->operator_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (study->first_link[middle] <= number) low = middle;
        else high = middle;
    }
    return low;
}

static struct ets_datum link_cell(struct ets_sql_cursor *cursor, int column)
{
    const uint32_t number = (uint32_t)cursor->row;
    const uint32_t owner = operator_of_link(cursor->study, number);
    const uint32_t index = ets_sql_at_operator(cursor, owner);
    const struct ets_row *row = ets_inspection_row(cursor->trace->inspection, index);
    const struct ets_row_node *link = &row->nodes[number - cursor->study->first_link[owner]];
    switch (column) {
    case LINK_OPERATOR: return ets_datum_integer(owner);
    case LINK_NODE: return ets_datum_index(ets_study_node(cursor->study, link->node), 0);
    default: return ets_datum_integer(link->handle);
    }
}

static struct ets_sql_range links_of(const struct ets_study *study, int64_t number)
{
    if (number < 0 || number >= study->operator_count) return (struct ets_sql_range){.end = 0};
    return (struct ets_sql_range){.first = study->first_link[number],
                                  .end = study->first_link[number + 1]};
}

const struct ets_sql_table ets_sql_operator_nodes_table = {
    .name = "operator_nodes",
    .meaning = "The nodes that each operator stands for; a delegate call stands for many.",
    .columns = link_columns,
    .count = link_count,
    .cell = link_cell,
    .lookups = {{"operator", links_of, operator_count}},
    .indexed = {"operator", "node"},
};
