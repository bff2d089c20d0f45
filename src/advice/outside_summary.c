/* The finding about kernels beside delegates, and why they are there. */
#include "advice/finding_rules.h"
#include "base/error.h"
#include "base/text.h"
#include "partition/outside.h"
#include "views/sentence_numbers.h"

/* Kernels that are told by name. */
enum { TOLD = 3 };

static const struct ets_operator_line *line_named(const struct ets_operator_lines *lines,
                                                  const char *name)
{
    for (uint32_t i = 0; i < lines->count; i++) {
        if (ets_text_is(lines->items[i].name, name)) return &lines->items[i];
    }
    return NULL;
}

/* What XNNPACK's partitioner saw. NULL: the record does not have it, or others were asked. */
static bool open_partition(struct ets_finder *finder, struct ets_partition **partition_out)
{
    const struct ets_graph *graph;
    struct ets_error error;
    struct ets_etrecord *record = finder->subject->record;
    const char *method =
        ets_inspection_block(finder->blocks.inspection, finder->block->block)->method;
    *partition_out = NULL;
    if (record == NULL || method == NULL ||
        line_named(&finder->backends, "XnnpackBackend") == NULL) {
        return true;
    }
    const enum ets_status status = ets_etrecord_edge_graph(record, method, &graph, &error);
    if (status != ETS_OK) return status != ETS_NO_MEMORY;
    return ets_partition_open(finder->arena, graph, partition_out);
}

/* "cumsum.out" of "aten::cumsum.out" */
static bool is_kernel(const struct ets_row *row, struct ets_text name)
{
    const size_t size = row->kernel.size;
    if (row->is_delegated || size <= name.size + 2) return false;
    const struct ets_text end = {row->kernel.data + size - name.size, name.size};
    return ets_text_equal(end, name) && end.data[-1] == ':';
}

/* The reason that all calls of a kernel have; data NULL: they differ, or it is not known. */
static bool find_reason(const struct ets_finder *finder, const struct ets_partition *partition,
                        struct ets_text name, struct ets_text *reason_out)
{
    const struct ets_inspection *inspection = finder->blocks.inspection;
    uint32_t calls = 0;
    *reason_out = (struct ets_text){NULL, 0};
    for (uint32_t i = 0; partition != NULL && i < ets_inspection_row_count(inspection); i++) {
        const struct ets_row *row = ets_inspection_row(inspection, i);
        struct ets_outside outside;
        if (row->block != finder->block->block || !is_kernel(row, name)) continue;
        if (!ets_outside_find(finder->arena, partition, row->nodes, row->node_count, row->kernel,
                              &outside)) {
            return false;
        }
        const bool is_same = calls++ == 0 || ets_text_equal(outside.reason, *reason_out);
        *reason_out = is_same ? outside.reason : (struct ets_text){NULL, 0};
        if (reason_out->data == NULL) return true;
    }
    return true;
}

/* "cumsum.out 31.2 % (XNNPACK's partitioner: no rule), mean.out 14.3 % (keepdim=False; ...)" */
static bool say_kernels(struct ets_finder *finder, const struct ets_operator_lines *kernels)
{
    struct ets_partition *partition;
    const char *judge = "XNNPACK's partitioner: "; /* told once */
    if (!open_partition(finder, &partition)) return false;
    for (uint32_t i = 0; i < kernels->count && i < TOLD; i++) {
        const struct ets_operator_line *kernel = &kernels->items[i];
        struct ets_text reason;
        if (!find_reason(finder, partition, kernel->name, &reason)) return false;
        ets_find_say(finder, "%s%.*s ", i == 0 ? ": " : ", ", ETS_TEXT(kernel->name));
        ets_add_share(&finder->line, ets_timed_block_share(finder->block, kernel));
        if (reason.data == NULL) continue;
        ets_find_say(finder, " (%s%.*s)", judge, ETS_TEXT(reason));
        judge = "";
    }
    return true;
}

/* Of a program without delegates nothing is left out. */
bool ets_find_outside(struct ets_finder *finder)
{
    struct ets_operator_lines kernels;
    const struct ets_operator_line *outside = line_named(&finder->backends, "portable");
    uint32_t backends = 0;
    for (uint32_t i = 0; i < finder->backends.count; i++) {
        backends += !ets_line_is_between(&finder->backends.items[i]);
    }
    if (outside == NULL || backends < 2) return true;
    const struct ets_span share = ets_timed_block_share(finder->block, outside);
    if (!(share.lower >= ETS_FINDING_LEAST_SHARE)) return true;
    if (!ets_timed_block_group(finder->arena, &finder->blocks, finder->block, ETS_GROUP_OP,
                               "portable", &kernels)) {
        return false;
    }
    struct ets_finding finding = ets_finding_timed(finder, "outside_delegates", share, "operators");
    ets_add_share(&finder->line, share);
    ets_find_say(finder, " of a run is in %g kernel call%s outside of delegates",
                 outside->calls_per_run, outside->calls_per_run == 1 ? "" : "s");
    if (!say_kernels(finder, &kernels)) return false;
    if (kernels.count > 0) finding.place = kernels.items[0].name;
    return ets_finding_add(finder, finding);
}
