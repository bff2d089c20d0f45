/* The gap as a table: a row for each compared value. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "etscope/experimental/captured_values.h"
#include "etscope/experimental/gap.h"
#include "etscope/inspect.h"
#include "gap/gap_details.h"
#include "output/table/gap_table.h"
#include "output/table/table.h"
#include "output/table/table_cells.h"
#include "views/gap_headline.h"
#include "views/gap_lines.h"
#include "views/operator_lines.h"

enum cell {
    CELL_AOT_HANDLE,
    CELL_AOT_OPS,
    CELL_AOT_OUTPUT,
    CELL_RUNTIME_OPS,
    CELL_RUNTIME_HANDLE,
    CELL_RUNTIME_OUTPUT,
    CELL_GAP,
    CELL_STACKTRACES,
    CELL_INSTRUCTION,
    CELL_OPERATOR,
    CELL_CAPTURED,
    CELL_OUTPUT,
    CELL_OCCURRENCE,
    CELL_SHAPE,
    CELL_DTYPE,
    CELL_OWN,
    CELL_TOTAL,
    CELL_SNR,
    CELL_METRIC,
    CELL_FINDING,
    CELL_SOURCE,
    CELL_MODULE,
    CELL_MATCH,
    CELL_MSE,
    CELL_L1,
    CELL_COSINE,
    CELL_MAX_ERROR,
    CELL_MAX_RELATIVE,
    CELL_WORST,
    CELL_ULPS,
    CELL_OWN_SNR,
    CELL_OWN_MAX_ERROR,
    CELL_OWN_WORST,
    CELL_THRESHOLD,
    CELL_TOLERANCE,
    CELL_COMPUTES,
    CELL_SAME_BITS,
    CELL_REF_MIN,
    CELL_REF_MAX,
    CELL_REF_MEAN,
    CELL_REF_BROKEN,
    CELL_MIN,
    CELL_MAX,
    CELL_MEAN,
    CELL_BROKEN,
    CELL_ANCESTORS,
    CELL_ROUTE,
    CELL_REASON,
    CELL_COUNT
};

#define MACHINE(text) {.name = text, .kind = ETS_COLUMN_REAL, .machine_only = 1}
#define MACHINE_INTEGER(text) {.name = text, .kind = ETS_COLUMN_INTEGER, .machine_only = 1}
#define MACHINE_LIST(text) {.name = text, .kind = ETS_COLUMN_LIST, .machine_only = 1}
#define MACHINE_NUMBERS(text) {.name = text, .kind = ETS_COLUMN_NUMBERS, .machine_only = 1}

static const struct ets_column columns[CELL_COUNT] = {
    [CELL_AOT_HANDLE] = MACHINE_NUMBERS("aot_debug_handle"),
    [CELL_AOT_OPS] = MACHINE_LIST("aot_ops"),
    [CELL_AOT_OUTPUT] = MACHINE_NUMBERS("aot_intermediate_output"),
    [CELL_RUNTIME_OPS] = MACHINE_LIST("runtime_ops"),
    [CELL_RUNTIME_HANDLE] = {.name = "runtime_debug_handle",
                             .title = "handle",
                             .kind = ETS_COLUMN_NUMBERS,
                             .priority = 7,
                             .least_width = 6,
                             .first_of_list = 1},
    [CELL_RUNTIME_OUTPUT] = MACHINE_NUMBERS("runtime_intermediate_output"),
    [CELL_GAP] = MACHINE_NUMBERS("gap"),
    [CELL_STACKTRACES] = MACHINE_LIST("stacktraces"),
    [CELL_INSTRUCTION] = {.name = "instruction",
                          .title = "#",
                          .kind = ETS_COLUMN_INTEGER,
                          .priority = 6},
    [CELL_OPERATOR] = {.name = "operator",
                       .kind = ETS_COLUMN_LIST,
                       .human_only = 1,
                       .least_width = 14,
                       .cut_in_middle = 1,
                       .first_of_list = 1},
    [CELL_CAPTURED] = {.name = "captured", .priority = 8, .least_width = 12, .cut_in_middle = 1},
    [CELL_OUTPUT] = {.name = "output", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_OCCURRENCE] = {.name = "occurrence", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    [CELL_SHAPE] = {.name = "shape", .kind = ETS_COLUMN_NUMBERS, .priority = 4, .least_width = 8},
    [CELL_DTYPE] = {.name = "dtype", .priority = 9},
    [CELL_OWN] = {.name = "own_error", .title = "own", .kind = ETS_COLUMN_REAL, .digits = 3},
    [CELL_TOTAL] = {.name = "total_error", .title = "total", .kind = ETS_COLUMN_REAL, .digits = 3},
    [CELL_SNR] =
        {.name = "snr", .title = "SNR dB", .kind = ETS_COLUMN_REAL, .priority = 2, .digits = 4},
    [CELL_METRIC] = {.name = "metric", .kind = ETS_COLUMN_REAL, .human_only = 1, .digits = 4},
    [CELL_FINDING] = {.name = "finding"},
    [CELL_SOURCE] = {.name = "source", .priority = 1, .least_width = 14, .cut_at_start = 1},
    [CELL_MODULE] = {.name = "module", .priority = 3, .least_width = 8},
    [CELL_MATCH] = {.name = "match", .machine_only = 1},
    [CELL_MSE] = MACHINE("mse"),
    [CELL_L1] = MACHINE("l1"),
    [CELL_COSINE] = MACHINE("cosine"),
    [CELL_MAX_ERROR] =
        {.name = "max_error", .title = "max", .kind = ETS_COLUMN_REAL, .priority = 5, .digits = 3},
    [CELL_MAX_RELATIVE] = MACHINE("max_relative_error"),
    [CELL_WORST] = MACHINE_INTEGER("worst_index"),
    [CELL_ULPS] = MACHINE_INTEGER("max_ulps"),
    [CELL_OWN_SNR] = MACHINE("own_snr"),
    [CELL_OWN_MAX_ERROR] = MACHINE("own_max_error"),
    [CELL_OWN_WORST] = MACHINE_INTEGER("own_worst_index"),
    [CELL_THRESHOLD] = MACHINE("threshold"),
    [CELL_TOLERANCE] = MACHINE("tolerance"),
    [CELL_COMPUTES] = {.name = "computes_in", .machine_only = 1},
    [CELL_SAME_BITS] = MACHINE_INTEGER("same_bits"),
    [CELL_REF_MIN] = MACHINE("reference_min"),
    [CELL_REF_MAX] = MACHINE("reference_max"),
    [CELL_REF_MEAN] = MACHINE("reference_mean"),
    [CELL_REF_BROKEN] = MACHINE_INTEGER("reference_nan_inf"),
    [CELL_MIN] = MACHINE("min"),
    [CELL_MAX] = MACHINE("max"),
    [CELL_MEAN] = MACHINE("mean"),
    [CELL_BROKEN] = MACHINE_INTEGER("nan_inf"),
    [CELL_ANCESTORS] = MACHINE_LIST("ancestors"),
    [CELL_ROUTE] = {.name = "computed_by", .machine_only = 1},
    [CELL_REASON] = {.name = "reason", .title = "why not", .priority = 1, .least_width = 20},
};

struct filler {
    struct ets_table *table;
    const struct ets_gap_report *report;
    const struct ets_gap_table_options *options;
    struct gap_line line;   /* of the row */
    struct ets_arena arena; /* of one row's texts */
};

static void put_real(const struct filler *f, bool is_there, double value)
{
    if (is_there && !isnan(value)) ets_table_put_real(f->table, value);
    else ets_table_put_nothing(f->table);
}

static void put_integer(const struct filler *f, bool is_there, uint64_t value)
{
    if (is_there) ets_table_put_integer(f->table, value > INT64_MAX ? INT64_MAX : (int64_t)value);
    else ets_table_put_nothing(f->table);
}

static void put_text(const struct filler *f, struct ets_text text)
{
    if (text.size > 0) ets_table_put_text(f->table, text);
    else ets_table_put_nothing(f->table);
}

static void put_reals(struct filler *f, const double *numbers, size_t count)
{
    enum { ROOM = 40 };
    struct ets_text *texts = ets_arena_alloc_array(&f->arena, count, sizeof *texts);
    char *digits = ets_arena_alloc_array(&f->arena, count, ROOM);
    for (size_t i = 0; texts != NULL && digits != NULL && i < count; i++) {
        texts[i] = ets_gap_number(digits + ROOM * i, ROOM, numbers[i]);
    }
    ets_table_put_list(f->table, texts, texts == NULL || digits == NULL ? 0 : count);
}

static double metric_of(const struct filler *f, const struct ets_gap_row *row)
{
    switch (f->options->metric) {
    case ETS_GAP_METRIC_MSE: return ets_comparison_mse(&row->total);
    case ETS_GAP_METRIC_L1: return row->total.error_absolute_sum;
    case ETS_GAP_METRIC_COSINE: return ets_comparison_cosine(&row->total);
    case ETS_GAP_METRIC_MAX: return row->total.max_error;
    case ETS_GAP_METRIC_SNR: break;
    }
    return ets_comparison_snr(&row->total);
}

static void put_upstream(struct filler *f, enum cell cell, const struct ets_gap_row *row)
{
    const struct ets_gap_value *value = row->value;
    const double gap = metric_of(f, row);
    switch (cell) {
    case CELL_AOT_OPS: ets_table_put_list(f->table, f->line.ops, f->line.op_count); break;
    case CELL_AOT_OUTPUT:
        put_reals(f, row->reference.first, row->has_total ? row->reference.first_count : 0);
        break;
    case CELL_RUNTIME_OPS:
        ets_table_put_list(f->table, &f->line.event, f->line.event.size > 0);
        break;
    case CELL_RUNTIME_OUTPUT:
        put_reals(f, row->device.first, row->has_total ? row->device.first_count : 0);
        break;
    case CELL_GAP: put_reals(f, &gap, row->has_total); break;
    case CELL_STACKTRACES: ets_table_put_list(f->table, f->line.traces, f->line.trace_count); break;
    default: ets_table_put_integers(f->table, value->handles, value->handle_count);
    }
}

static const char *route_name(enum ets_gap_route route)
{
    static const char *const names[] = {"kernel", "expression", "edge program", "nothing"};
    return (unsigned)route < sizeof names / sizeof names[0] ? names[route] : NULL;
}

static void put_place(struct filler *f, enum cell cell, const struct ets_gap_row *row)
{
    const struct ets_gap_value *value = row->value;
    const struct ets_captured_value *captured = &value->captured;
    switch (cell) {
    case CELL_INSTRUCTION:
        put_integer(f, captured->chain >= 0, (uint64_t)captured->instruction);
        break;
    case CELL_OPERATOR: ets_table_put_list(f->table, f->line.names, f->line.name_count); break;
    case CELL_CAPTURED: put_text(f, f->line.captured); break;
    case CELL_OUTPUT: ets_table_put_integer(f->table, value->output); break;
    case CELL_OCCURRENCE: ets_table_put_integer(f->table, value->occurrence); break;
    case CELL_SHAPE:
        ets_table_put_integers(f->table, captured->tensor.sizes,
                               captured->has_tensor ? captured->tensor.rank : 0);
        break;
    case CELL_DTYPE:
        ets_table_put_string(f->table, captured->has_tensor
                                           ? ets_scalar_type_name(captured->tensor.scalar_type)
                                           : NULL);
        break;
    case CELL_SOURCE: put_text(f, f->line.source); break;
    case CELL_MODULE: put_text(f, f->line.module); break;
    case CELL_MATCH: ets_table_put_string(f->table, ets_gap_match_name(value->match)); break;
    case CELL_ANCESTORS:
        ets_table_put_list(f->table, f->line.ancestors, f->line.ancestor_count);
        break;
    case CELL_ROUTE: ets_table_put_string(f->table, route_name(row->route)); break;
    case CELL_COMPUTES:
        ets_table_put_string(f->table,
                             row->has_total ? ets_tolerance_of(row->computes)->name : NULL);
        break;
    case CELL_FINDING: ets_table_put_string(f->table, ets_gap_finding_name(row->finding)); break;
    default: ets_table_put_string(f->table, row->reason);
    }
}

static uint64_t broken_count(const struct ets_summary *summary)
{
    return summary->nan_count + summary->infinite_count;
}

static void put_number(const struct filler *f, enum cell cell, const struct ets_gap_row *row)
{
    const bool total = row->has_total != 0, own = row->has_own != 0;
    switch (cell) {
    case CELL_OWN: put_real(f, own, row->own_error); break;
    case CELL_TOTAL: put_real(f, total, ets_comparison_relative_rms(&row->total)); break;
    case CELL_SNR: put_real(f, total, ets_comparison_snr(&row->total)); break;
    case CELL_METRIC: put_real(f, total, metric_of(f, row)); break;
    case CELL_MSE: put_real(f, total, ets_comparison_mse(&row->total)); break;
    case CELL_L1: put_real(f, total, row->total.error_absolute_sum); break;
    case CELL_COSINE: put_real(f, total, ets_comparison_cosine(&row->total)); break;
    case CELL_MAX_ERROR: put_real(f, total, row->total.max_error); break;
    case CELL_MAX_RELATIVE: put_real(f, total, row->total.max_relative_error); break;
    case CELL_WORST: put_integer(f, total, row->total.max_error_index); break;
    case CELL_ULPS: put_integer(f, total && row->has_ulps, row->ulps.max); break;
    case CELL_OWN_SNR: put_real(f, own, ets_comparison_snr(&row->own)); break;
    case CELL_OWN_MAX_ERROR: put_real(f, own, row->own.max_error); break;
    case CELL_OWN_WORST: put_integer(f, own, row->own.max_error_index); break;
    case CELL_THRESHOLD: put_real(f, own && isfinite(row->threshold), row->threshold); break;
    case CELL_TOLERANCE: put_real(f, total, row->tolerance); break;
    case CELL_SAME_BITS: put_integer(f, row->same_bits >= 0, row->same_bits == 1); break;
    case CELL_REF_MIN: put_real(f, total, row->reference.min); break;
    case CELL_REF_MAX: put_real(f, total, row->reference.max); break;
    case CELL_REF_MEAN: put_real(f, total, ets_summary_mean(&row->reference)); break;
    case CELL_REF_BROKEN: put_integer(f, total, broken_count(&row->reference)); break;
    case CELL_MIN: put_real(f, total, row->device.min); break;
    case CELL_MAX: put_real(f, total, row->device.max); break;
    case CELL_MEAN: put_real(f, total, ets_summary_mean(&row->device)); break;
    default: put_integer(f, total, broken_count(&row->device));
    }
}

static void put_cell(struct filler *f, enum cell cell, const struct ets_gap_row *row)
{
    if (cell <= CELL_STACKTRACES) {
        put_upstream(f, cell, row);
        return;
    }
    switch (cell) {
    case CELL_INSTRUCTION:
    case CELL_OPERATOR:
    case CELL_CAPTURED:
    case CELL_OUTPUT:
    case CELL_OCCURRENCE:
    case CELL_SHAPE:
    case CELL_DTYPE:
    case CELL_SOURCE:
    case CELL_MODULE:
    case CELL_MATCH:
    case CELL_ANCESTORS:
    case CELL_ROUTE:
    case CELL_COMPUTES:
    case CELL_FINDING:
    case CELL_REASON: put_place(f, cell, row); break;
    default: put_number(f, cell, row);
    }
}

/* People see what --metric asks for beside the SNR, which is there anyway. */
static bool is_shown(const struct filler *f, enum cell cell)
{
    if (cell == CELL_AOT_OUTPUT || cell == CELL_RUNTIME_OUTPUT) return f->options->values;
    return cell != CELL_METRIC || f->options->metric != ETS_GAP_METRIC_SNR;
}

/* The caller's comparators, behind all others. */
static enum ets_status add_comparators(const struct filler *f, struct ets_error *error)
{
    uint32_t count;
    const struct ets_comparator *const *comparators = ets_gap_comparators(f->report, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_column column = {.name = comparators[i]->name,
                                          .title = comparators[i]->title,
                                          .kind = ETS_COLUMN_REAL,
                                          .keep_empty = 1};
        for (int k = 0; k < CELL_COUNT; k++) {
            if (strcmp(columns[k].name, column.name) != 0) continue;
            return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                            "comparator %s has the name of another column", column.name);
        }
        ets_table_add_column(f->table, &column);
    }
    return ETS_OK;
}

static void put_comparators(const struct filler *f, const struct ets_gap_row *row)
{
    uint32_t count;
    (void)ets_gap_comparators(f->report, &count);
    for (uint32_t i = 0; i < count; i++) {
        put_real(f, row->compared != NULL, row->compared != NULL ? row->compared[i] : 0);
    }
}

static void add_columns(const struct filler *f)
{
    static const char *const titles[] = {"SNR dB", "MSE", "L1", "cosine", "max error"};
    for (int i = 0; i < CELL_COUNT; i++) {
        struct ets_column column = columns[i];
        if (i == CELL_METRIC) column.title = titles[f->options->metric];
        if (is_shown(f, (enum cell)i)) ets_table_add_column(f->table, &column);
    }
}

enum ets_status ets_gap_table_fill(struct ets_table *table, const struct ets_inspection *inspection,
                                   const struct ets_gap_report *report,
                                   const struct ets_gap_table_options *options,
                                   struct ets_error *error)
{
    struct filler f = {.table = table, .report = report, .options = options};
    char headline[1024];
    enum ets_status status = ETS_OK;
    ets_arena_init(&f.arena, NULL, 0);
    add_columns(&f);
    ETS_TRY(add_comparators(&f, error));
    ets_table_add_section(
        table, (struct ets_text){headline, ets_gap_headline(report, headline, sizeof headline)});
    for (uint32_t i = 0; status == ETS_OK && i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (options->only_off && row->finding == ETS_GAP_AGREES) continue;
        status = ets_gap_line_make(&f.line, &f.arena, inspection, report, i, error);
        if (status != ETS_OK) break;
        ets_table_add_row(table, 0);
        if (row->finding == ETS_GAP_AGREES) ets_table_quiet_row(table);
        for (int k = 0; k < CELL_COUNT; k++) {
            if (is_shown(&f, (enum cell)k)) put_cell(&f, (enum cell)k, row);
        }
        put_comparators(&f, row);
        ets_arena_reset(&f.arena);
    }
    ets_arena_reset(&f.arena);
    return status;
}
