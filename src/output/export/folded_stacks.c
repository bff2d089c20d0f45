/*
 * Folded stacks, which flame graphs are drawn from: a line for each call, with what is around it
 * and the nanoseconds that it took itself over all runs.
 */
#include "base/error.h"
#include "output/export/export_writers.h"
#include "output/export/row_sums.h"

static void put_stack(const struct ets_export *export, const struct ets_export_trace *trace,
                      uint32_t row, uint32_t *stack)
{
    const struct ets_inspection *inspection = trace->inspection;
    const uint32_t block = ets_inspection_row(inspection, row)->block;
    const uint32_t run = ets_inspection_block(inspection, block)->first_run;
    if (export->trace_count > 1) {
        ets_export_put_frame(export->out, (struct ets_text){trace->name, strlen(trace->name)});
        ets_export_put_literal(export->out, ";");
    }
    ets_export_put_frame(export->out, ets_run_method(inspection, run));
    const uint32_t count = ets_row_stack(inspection, row, stack);
    for (uint32_t i = 0; i < count; i++) {
        ets_export_put_literal(export->out, ";");
        ets_export_put_frame(export->out, ets_inspection_row(inspection, stack[i])->name);
    }
}

enum ets_status ets_export_folded(const struct ets_export *export, struct ets_error *error)
{
    bool ok = true;
    for (uint32_t t = 0; ok && t < export->trace_count; t++) {
        const struct ets_export_trace *trace = &export->traces[t];
        struct ets_row_sums sums;
        ok = ets_row_sums_collect(export->arena, trace->inspection, &sums);
        uint32_t *stack =
            ok ? ets_arena_alloc_array(export->arena, sums.depth, sizeof *stack) : NULL;
        ok = ok && stack != NULL;
        for (uint32_t row = 0; ok && row < ets_inspection_row_count(trace->inspection); row++) {
            if (!sums.items[row].is_shown) continue;
            put_stack(export, trace, row, stack);
            ets_export_put_literal(export->out, " ");
            ets_export_put_count(export->out, sums.items[row].self_ns);
            ets_export_put_literal(export->out, "\n");
        }
    }
    return ok ? ETS_OK : ets_fail_memory(error, "the exported file");
}
