/* The table `gap_values`: captured values in the order of the graph, as `gap` tells them. */
#include "output/page/page_gap.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "host/text_builder.h"
#include "output/page/page_pictures.h"
#include "views/gap_coverage.h"
#include "views/gap_lines.h"

static const struct ets_page_head columns[] = {
    {"trace", ETS_PAGE_INTEGER},
    {"debug_handle", ETS_PAGE_INTEGER},
    {"instruction", ETS_PAGE_INTEGER},
    {"occurrence", ETS_PAGE_INTEGER},
    {"output", ETS_PAGE_INTEGER},
    {"name", ETS_PAGE_TEXT},
    {"nodes", ETS_PAGE_INTEGER},
    {"captured", ETS_PAGE_TEXT},
    {"backend", ETS_PAGE_TEXT},
    {"dtype", ETS_PAGE_TEXT},
    {"shape", ETS_PAGE_TEXT},
    {"source", ETS_PAGE_TEXT},
    {"module", ETS_PAGE_TEXT},
    {"finding", ETS_PAGE_TEXT},
    {"reason", ETS_PAGE_TEXT},
    {"own_error", ETS_PAGE_REAL},
    {"total_error", ETS_PAGE_REAL},
    {"threshold", ETS_PAGE_REAL},
    {"snr", ETS_PAGE_REAL},
    {"cosine", ETS_PAGE_REAL},
    {"max_error", ETS_PAGE_REAL},
    {"worst_index", ETS_PAGE_INTEGER},
    {"same_bits", ETS_PAGE_INTEGER},
    {"min", ETS_PAGE_REAL},
    {"mean", ETS_PAGE_REAL},
    {"max", ETS_PAGE_REAL},
    {"nan_inf", ETS_PAGE_INTEGER},
    {"reference_min", ETS_PAGE_REAL},
    {"reference_mean", ETS_PAGE_REAL},
    {"reference_max", ETS_PAGE_REAL},
    {"reference_nan_inf", ETS_PAGE_INTEGER},
    {NULL, ETS_PAGE_TEXT},
};

static const struct ets_page_head coverage_columns[] = {
    {"trace", ETS_PAGE_INTEGER},    {"values", ETS_PAGE_INTEGER},
    {"compared", ETS_PAGE_INTEGER}, {"agreeing", ETS_PAGE_INTEGER},
    {"outputs", ETS_PAGE_INTEGER},  {"outputs_compared", ETS_PAGE_INTEGER},
    {"sentence", ETS_PAGE_TEXT},    {NULL, ETS_PAGE_TEXT},
};

enum { COVERAGE_BYTES = 512 };

struct filler {
    struct ets_page_document *document;
    struct ets_page_table *table;
};

static void put_integer(const struct filler *f, bool is_there, int64_t value)
{
    if (is_there) ets_page_put_integer(f->document, f->table, value);
    else ets_page_put_null(f->document, f->table);
}

static void put_real(const struct filler *f, bool is_there, double value)
{
    ets_page_put_real(f->document, f->table, is_there ? value : NAN);
}

static void put_text(const struct filler *f, struct ets_text text)
{
    if (text.size > 0) ets_page_put_text(f->document, f->table, text);
    else ets_page_put_null(f->document, f->table);
}

static void put_string(const struct filler *f, const char *text)
{
    if (text != NULL) ets_page_put_string(f->document, f->table, text);
    else ets_page_put_null(f->document, f->table);
}

/* "[1, 16, 64]" */
static void put_shape(const struct filler *f, const struct ets_captured_value *captured)
{
    char text[256];
    struct ets_text_builder shape = {text, sizeof text, 0};
    ets_add_text(&shape, "[");
    for (uint32_t i = 0; captured->has_tensor && i < captured->tensor.rank; i++) {
        ets_add_text(&shape, "%s%" PRId64, i > 0 ? ", " : "", captured->tensor.sizes[i]);
    }
    ets_add_text(&shape, "]");
    put_text(f, captured->has_tensor ? ets_built_text(&shape) : (struct ets_text){NULL, 0});
}

/* What value it is. */
static void put_value(const struct filler *f, const struct ets_gap_line *line)
{
    const struct ets_gap_value *value = line->of->value;
    const struct ets_captured_value *captured = &value->captured;
    const bool has_type = captured->has_tensor;
    put_integer(f, value->handle_count > 0, value->handle_count > 0 ? value->handles[0] : 0);
    put_integer(f, captured->chain >= 0, captured->instruction); /* < 0: it was computed */
    put_integer(f, true, value->occurrence);
    put_integer(f, true, value->output);
    put_text(f, line->nodes.names.count > 0 ? line->nodes.names.items[0] : line->captured);
    put_integer(f, true, line->nodes.count);
    put_text(f, line->captured);
    put_string(f, value->backend);
    put_string(f, has_type ? ets_scalar_type_name(captured->tensor.scalar_type) : NULL);
    put_shape(f, captured);
    put_text(f, line->source);
    put_text(f, line->module);
}

static void put_statistics(const struct filler *f, bool is_there,
                           const struct ets_tensor_statistics *of)
{
    put_real(f, is_there, of->min);
    put_real(f, is_there, ets_tensor_statistics_mean(of));
    put_real(f, is_there, of->max);
    put_integer(f, is_there, (int64_t)(of->nan_count + of->infinite_count));
}

static void put_numbers(const struct filler *f, const struct ets_gap_row *row)
{
    const bool has_total = row->has_total != 0, has_own = row->has_own != 0;
    put_string(f, ets_gap_finding_name(row->finding));
    put_string(f, row->reason);
    put_real(f, has_own, row->own_error);
    put_real(f, has_total, has_total ? ets_comparison_relative_rms(&row->total) : NAN);
    put_real(f, has_own && isfinite(row->threshold), row->threshold);
    put_real(f, has_total, has_total ? ets_comparison_snr(&row->total) : NAN);
    put_real(f, has_total, has_total ? ets_comparison_cosine(&row->total) : NAN);
    put_real(f, has_total, row->total.max_error);
    put_integer(f, has_total, (int64_t)row->total.max_error_index);
    put_integer(f, row->same_bits >= 0, row->same_bits);
    put_statistics(f, has_total, &row->device);
    put_statistics(f, has_total, &row->reference);
}

static enum ets_status fill(const struct filler *f, const struct ets_study *study, uint32_t trace,
                            struct ets_error *error)
{
    struct ets_arena arena;
    const struct ets_gap_report *report = study->sources.gaps[trace];
    enum ets_status status = ETS_OK;
    ets_arena_init(&arena, f->document->arena.allocator, 0);
    for (uint32_t i = 0; status == ETS_OK && i < ets_gap_row_count(report); i++) {
        struct ets_gap_line line;
        status =
            ets_gap_line_make(&line, &arena, study->traces[trace].inspection, report, i, error);
        if (status != ETS_OK) break;
        ets_page_put_integer(f->document, f->table, trace);
        put_value(f, &line);
        put_numbers(f, line.of);
        ets_arena_reset(&arena);
    }
    ets_arena_reset(&arena);
    return status;
}

/* How much of a trace's values the verdict covers. */
static bool add_coverage(struct ets_page_document *document, struct ets_page_table **table,
                         const struct ets_gap_report *report, uint32_t trace)
{
    char text[COVERAGE_BYTES];
    const struct ets_gap_coverage coverage = ets_gap_coverage_of(report);
    const size_t size = ets_gap_describe_coverage(report, text, sizeof text);
    if (*table == NULL) {
        *table = ets_page_add_named_table(document, "gap_coverage", coverage_columns);
        if (*table == NULL) return false;
    }
    const uint32_t numbers[] = {trace,
                                coverage.values,
                                coverage.compared,
                                coverage.agreeing,
                                coverage.outputs,
                                coverage.outputs_compared};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        ets_page_put_integer(document, *table, numbers[i]);
    }
    ets_page_put_text(document, *table, (struct ets_text){text, size});
    return true;
}

enum ets_status ets_page_add_gaps(struct ets_page_document *document, const struct ets_study *study,
                                  struct ets_error *error)
{
    struct filler f = {.document = document};
    struct ets_page_table *coverage = NULL;
    struct ets_page_pictures pictures = {.cells_left = ETS_PAGE_PICTURE_CELLS};
    for (uint32_t t = 0; study->sources.gaps != NULL && t < study->sources.trace_count; t++) {
        if (study->sources.gaps[t] == NULL || ets_gap_row_count(study->sources.gaps[t]) == 0)
            continue;
        if (f.table == NULL) f.table = ets_page_add_named_table(document, "gap_values", columns);
        if (f.table == NULL) return ets_fail_memory(error, "the compared values of the report");
        if (!add_coverage(document, &coverage, study->sources.gaps[t], t)) {
            return ets_fail_memory(error, "the compared values of the report");
        }
        const uint32_t first_value = f.table->row_count;
        ETS_TRY(fill(&f, study, t, error));
        if (document->has_no_tensors) continue;
        ETS_TRY(
            ets_page_add_pictures(document, &pictures, study->sources.gaps[t], first_value, error));
    }
    return document->has_failed ? ets_fail_memory(error, "the compared values of the report")
                                : ETS_OK;
}
