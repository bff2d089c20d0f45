/* The cell that names an operator of a pool. */
#include "output/table/operator_cell.h"

#include "base/error.h"

void ets_put_pool_operator(struct ets_table *table, const struct ets_pool_operator *op)
{
    char text[256];
    if (!op->has_own_clock) {
        ets_table_put_text(table, op->name);
        return;
    }
    const size_t size = ets_print_text(text, sizeof text, "%.*s (clock of its own)",
                                       (int)op->name.size, op->name.data);
    ets_table_put_text(table, (struct ets_text){text, size});
}
