/* Finds the first value of the reference that its type cannot hold. */
#include "gap/overflow.h"

#include <math.h>

#include "etscope/numerics.h"
#include "numerics/tensor_statistics_sums.h"

double ets_gap_largest_number(int scalar_type)
{
    switch (scalar_type) {
    case ETS_SCALAR_HALF: return 65504;
    case ETS_SCALAR_BFLOAT16: return 0x1.fep127;
    case ETS_SCALAR_FLOAT: return 0x1.fffffep127;
    default: return INFINITY;
    }
}

/* The largest finite number, by magnitude. */
static double reach_of(const struct ets_tensor *value,
                       const struct ets_tensor_statistics *statistics)
{
    struct ets_tensor_statistics own;
    if (statistics == NULL) {
        if (ets_tensor_sums_of(value, &own) != ETS_OK) return 0;
        statistics = &own;
    }
    return fmax(0, statistics->absolute_max); /* NaN: no number is finite */
}

void ets_gap_overflow_see(struct ets_gap_overflow *overflow, const struct gap_graph *graph,
                          uint32_t node, uint32_t output, const struct ets_tensor *value,
                          const struct ets_tensor_statistics *statistics)
{
    const struct ets_graph_value *told = ets_gap_output_value(graph, node, output);
    if (overflow->node != NULL || told == NULL) return;
    const double limit = ets_gap_largest_number(told->scalar_type);
    if (isinf(limit)) return;
    const double reach = reach_of(value, statistics);
    if (reach <= limit) {
        overflow->before = fmax(overflow->before, reach);
        return;
    }
    overflow->node = graph->nodes[node];
    overflow->scalar_type = told->scalar_type;
    overflow->reach = reach;
    overflow->limit = limit;
}
