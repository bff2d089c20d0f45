/* The table of `gap`: a row for each compared value. */
#include "output/table/gap_table.h"
#include "output/table/finding_cell.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "gap/gap_details.h"
#include "views/gap_headline.h"
#include "views/gap_lines.h"

/* What the cells of a row are of. */
struct line {
    struct ets_table *table;
    const struct ets_gap_report *report;
    const struct ets_gap_table_options *options;
    const struct ets_gap_row *row;
    const struct ets_gap_line *shown;
};

struct field {
    struct ets_column column;
    void (*put)(const struct line *line);
};

static void put_real(const struct line *line, bool is_there, double value)
{
    ets_table_put_known(line->table, is_there ? value : NAN);
}

static void put_integer(const struct line *line, bool is_there, uint64_t value)
{
    if (is_there) ets_table_put_count(line->table, value);
    else ets_table_put_nothing(line->table);
}

/* Of the numbers of the total error; where there is one. */
static void put_total_real(const struct line *line, double value)
{
    put_real(line, line->row->has_total != 0, value);
}

static void put_own_real(const struct line *line, double value)
{
    put_real(line, line->row->has_own != 0, value);
}

static void put_text(const struct line *line, struct ets_text text)
{
    if (text.size > 0) ets_table_put_text(line->table, text);
    else ets_table_put_nothing(line->table);
}

static void put_list(const struct line *line, const struct ets_text_list *list)
{
    ets_table_put_list(line->table, list->items, list->count);
}

static void put_first(const struct line *line, const struct ets_tensor_statistics *statistics)
{
    ets_table_put_reals(line->table, statistics->first,
                        line->row->has_total ? statistics->first_count : 0);
}

static void put_broken(const struct line *line, const struct ets_tensor_statistics *statistics)
{
    put_integer(line, line->row->has_total != 0,
                statistics->nan_count + statistics->infinite_count);
}

static double metric_of(const struct line *line)
{
    const struct ets_comparison *total = &line->row->total;
    switch (line->options->metric) {
    case ETS_GAP_METRIC_MSE: return ets_comparison_mse(total);
    case ETS_GAP_METRIC_L1: return total->error_absolute_sum;
    case ETS_GAP_METRIC_COSINE: return ets_comparison_cosine(total);
    case ETS_GAP_METRIC_MAX: return total->max_error;
    case ETS_GAP_METRIC_SNR: break;
    }
    return ets_comparison_snr(total);
}

static const char *route_name(enum ets_gap_route route)
{
    static const char *const names[] = {"kernel", "expression", "edge program", "nothing"};
    return (unsigned)route < sizeof names / sizeof names[0] ? names[route] : NULL;
}

static void put_handles(const struct line *line)
{
    ets_table_put_integers(line->table, line->row->value->handles, line->row->value->handle_count);
}

static void put_aot_ops(const struct line *line)
{
    put_list(line, &line->shown->ops);
}

static void put_aot_output(const struct line *line)
{
    put_first(line, &line->row->reference);
}

static void put_runtime_ops(const struct line *line)
{
    ets_table_put_list(line->table, &line->shown->event, line->shown->event.size > 0);
}

static void put_runtime_output(const struct line *line)
{
    put_first(line, &line->row->device);
}

static void put_gap(const struct line *line)
{
    const double gap = metric_of(line);
    ets_table_put_reals(line->table, &gap, line->row->has_total ? 1 : 0);
}

static void put_traces(const struct line *line)
{
    put_list(line, &line->shown->traces);
}

static void put_instruction(const struct line *line)
{
    const struct ets_captured_value *captured = &line->row->value->captured;
    put_integer(line, captured->chain >= 0, (uint64_t)captured->instruction);
}

static void put_operator(const struct line *line)
{
    put_list(line, &line->shown->nodes.names);
}

static void put_captured(const struct line *line)
{
    put_text(line, line->shown->captured);
}

static void put_output(const struct line *line)
{
    ets_table_put_integer(line->table, line->row->value->output);
}

static void put_occurrence(const struct line *line)
{
    ets_table_put_integer(line->table, line->row->value->occurrence);
}

static void put_shape(const struct line *line)
{
    const struct ets_captured_value *captured = &line->row->value->captured;
    ets_table_put_integers(line->table, captured->tensor.sizes,
                           captured->has_tensor ? captured->tensor.rank : 0);
}

static void put_dtype(const struct line *line)
{
    const struct ets_captured_value *captured = &line->row->value->captured;
    ets_table_put_string(line->table, captured->has_tensor
                                          ? ets_scalar_type_name(captured->tensor.scalar_type)
                                          : NULL);
}

static void put_own(const struct line *line)
{
    put_own_real(line, line->row->own_error);
}

static void put_total(const struct line *line)
{
    put_total_real(line, ets_comparison_relative_rms(&line->row->total));
}

static void put_snr(const struct line *line)
{
    put_total_real(line, ets_comparison_snr(&line->row->total));
}

static void put_metric(const struct line *line)
{
    put_total_real(line, metric_of(line));
}

static void put_finding(const struct line *line)
{
    ets_put_finding(line->table, line->row->finding);
}

static void put_source(const struct line *line)
{
    put_text(line, line->shown->source);
}

static void put_module(const struct line *line)
{
    put_text(line, line->shown->module);
}

static void put_match(const struct line *line)
{
    ets_table_put_string(line->table, ets_gap_match_name(line->row->value->match));
}

static void put_mse(const struct line *line)
{
    put_total_real(line, ets_comparison_mse(&line->row->total));
}

static void put_l1(const struct line *line)
{
    put_total_real(line, line->row->total.error_absolute_sum);
}

static void put_cosine(const struct line *line)
{
    put_total_real(line, ets_comparison_cosine(&line->row->total));
}

static void put_max_error(const struct line *line)
{
    put_total_real(line, line->row->total.max_error);
}

static void put_max_relative(const struct line *line)
{
    put_total_real(line, line->row->total.max_relative_error);
}

static void put_worst(const struct line *line)
{
    put_integer(line, line->row->has_total != 0, line->row->total.max_error_index);
}

static void put_ulps(const struct line *line)
{
    put_integer(line, line->row->has_total && line->row->has_ulps, line->row->ulps.max);
}

static void put_own_snr(const struct line *line)
{
    put_own_real(line, ets_comparison_snr(&line->row->own));
}

static void put_own_max_error(const struct line *line)
{
    put_own_real(line, line->row->own.max_error);
}

static void put_own_worst(const struct line *line)
{
    put_integer(line, line->row->has_own != 0, line->row->own.max_error_index);
}

static void put_threshold(const struct line *line)
{
    const double threshold = line->row->threshold;
    put_own_real(line, isfinite(threshold) ? threshold : NAN);
}

static void put_channels(const struct line *line)
{
    put_integer(line, line->row->own_channels.count > 0, line->row->own_channels.count);
}

static void put_own_channel(const struct line *line)
{
    put_own_real(line, line->row->own_channels.median);
}

static void put_total_channel(const struct line *line)
{
    put_total_real(line, line->row->total_channels.median);
}

static void put_share(const struct line *line)
{
    put_own_real(line, line->row->share);
}

static void put_tolerance(const struct line *line)
{
    put_total_real(line, line->row->tolerance);
}

static void put_computes(const struct line *line)
{
    ets_table_put_string(line->table,
                         line->row->has_total ? ets_tolerance_of(line->row->computes)->name : NULL);
}

static void put_same_bits(const struct line *line)
{
    put_integer(line, line->row->same_bits >= 0, line->row->same_bits == 1);
}

static void put_reference_min(const struct line *line)
{
    put_total_real(line, line->row->reference.min);
}

static void put_reference_max(const struct line *line)
{
    put_total_real(line, line->row->reference.max);
}

static void put_reference_mean(const struct line *line)
{
    put_total_real(line, ets_tensor_statistics_mean(&line->row->reference));
}

static void put_reference_nan_inf(const struct line *line)
{
    put_broken(line, &line->row->reference);
}

static void put_min(const struct line *line)
{
    put_total_real(line, line->row->device.min);
}

static void put_max(const struct line *line)
{
    put_total_real(line, line->row->device.max);
}

static void put_mean(const struct line *line)
{
    put_total_real(line, ets_tensor_statistics_mean(&line->row->device));
}

static void put_nan_inf(const struct line *line)
{
    put_broken(line, &line->row->device);
}

/* Of the scale that the program quantizes the value with, where it cuts numbers off. */
static void put_scale_min(const struct line *line)
{
    const struct ets_gap_saturation *seen = line->row->saturation;
    ets_table_put_known(line->table, seen != NULL ? seen->lowest : NAN);
}

static void put_scale_max(const struct line *line)
{
    const struct ets_gap_saturation *seen = line->row->saturation;
    ets_table_put_known(line->table, seen != NULL ? seen->highest : NAN);
}

static void put_beyond_scale(const struct line *line)
{
    const struct ets_gap_saturation *seen = line->row->saturation;
    put_integer(line, seen != NULL, seen != NULL ? seen->low_count + seen->high_count : 0);
}

static void put_cut_off_error(const struct line *line)
{
    const struct ets_gap_saturation *seen = line->row->saturation;
    ets_table_put_known(line->table, seen != NULL ? seen->error : NAN);
}

static void put_ancestors(const struct line *line)
{
    put_list(line, &line->shown->ancestors);
}

static void put_route(const struct line *line)
{
    ets_table_put_string(line->table, route_name(line->row->route));
}

static void put_reason(const struct line *line)
{
    ets_table_put_string(line->table, line->row->reason);
}

#define MACHINE(text)                                            \
    {                                                            \
        .name = text, .kind = ETS_COLUMN_REAL, .machine_only = 1 \
    }
#define MACHINE_INTEGER(text)                                       \
    {                                                               \
        .name = text, .kind = ETS_COLUMN_INTEGER, .machine_only = 1 \
    }
#define MACHINE_LIST(text)                                       \
    {                                                            \
        .name = text, .kind = ETS_COLUMN_LIST, .machine_only = 1 \
    }
#define MACHINE_NUMBERS(text)                                       \
    {                                                               \
        .name = text, .kind = ETS_COLUMN_NUMBERS, .machine_only = 1 \
    }

static const struct field fields[] = {
    {MACHINE_NUMBERS("aot_debug_handle"), put_handles},
    {MACHINE_LIST("aot_ops"), put_aot_ops},
    {MACHINE_NUMBERS("aot_intermediate_output"), put_aot_output},
    {MACHINE_LIST("runtime_ops"), put_runtime_ops},
    {{.name = "runtime_debug_handle",
      .title = "handle",
      .kind = ETS_COLUMN_NUMBERS,
      .priority = 7,
      .least_width = 6,
      .first_of_list = 1},
     put_handles},
    {MACHINE_NUMBERS("runtime_intermediate_output"), put_runtime_output},
    {MACHINE_NUMBERS("gap"), put_gap},
    {MACHINE_LIST("stacktraces"), put_traces},
    {{.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER, .priority = 6},
     put_instruction},
    {{.name = "operator",
      .kind = ETS_COLUMN_LIST,
      .human_only = 1,
      .least_width = 23,
      .cut_in_middle = 1,
      .first_of_list = 1},
     put_operator},
    {{.name = "captured", .priority = 8, .least_width = 12, .cut_in_middle = 1}, put_captured},
    {{.name = "output", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_output},
    {{.name = "occurrence", .kind = ETS_COLUMN_INTEGER, .machine_only = 1}, put_occurrence},
    {{.name = "shape", .kind = ETS_COLUMN_NUMBERS, .priority = 4, .least_width = 8}, put_shape},
    {{.name = "dtype", .priority = 9}, put_dtype},
    {{.name = "own_error", .title = "own", .kind = ETS_COLUMN_REAL, .digits = 3}, put_own},
    {{.name = "total_error", .title = "total", .kind = ETS_COLUMN_REAL, .digits = 3}, put_total},
    {{.name = "snr", .title = "SNR dB", .kind = ETS_COLUMN_REAL, .priority = 3, .digits = 4},
     put_snr},
    {{.name = "metric", .kind = ETS_COLUMN_REAL, .human_only = 1, .digits = 4}, put_metric},
    {{.name = "finding"}, put_finding},
    {{.name = "source", .priority = 1, .least_width = 14, .cut_at_start = 1}, put_source},
    {{.name = "module", .priority = 2, .least_width = 8, .cut_at_start = 1}, put_module},
    {{.name = "match", .machine_only = 1}, put_match},
    {MACHINE("mse"), put_mse},
    {MACHINE("l1"), put_l1},
    {MACHINE("cosine"), put_cosine},
    {{.name = "max_error", .title = "max", .kind = ETS_COLUMN_REAL, .priority = 5, .digits = 3},
     put_max_error},
    {MACHINE("max_relative_error"), put_max_relative},
    {MACHINE_INTEGER("worst_index"), put_worst},
    {MACHINE_INTEGER("max_ulps"), put_ulps},
    {MACHINE("own_snr"), put_own_snr},
    {MACHINE("own_max_error"), put_own_max_error},
    {MACHINE_INTEGER("own_worst_index"), put_own_worst},
    {MACHINE("threshold"), put_threshold},
    {MACHINE("share"), put_share},
    {MACHINE_INTEGER("channels"), put_channels},
    {MACHINE("own_channel_error"), put_own_channel},
    {MACHINE("total_channel_error"), put_total_channel},
    {MACHINE("tolerance"), put_tolerance},
    {{.name = "computes_in", .machine_only = 1}, put_computes},
    {MACHINE_INTEGER("same_bits"), put_same_bits},
    {MACHINE("reference_min"), put_reference_min},
    {MACHINE("reference_max"), put_reference_max},
    {MACHINE("reference_mean"), put_reference_mean},
    {MACHINE_INTEGER("reference_nan_inf"), put_reference_nan_inf},
    {MACHINE("min"), put_min},
    {MACHINE("max"), put_max},
    {MACHINE("mean"), put_mean},
    {MACHINE_INTEGER("nan_inf"), put_nan_inf},
    {MACHINE("scale_min"), put_scale_min},
    {MACHINE("scale_max"), put_scale_max},
    {MACHINE_INTEGER("beyond_scale"), put_beyond_scale},
    {MACHINE("cut_off_error"), put_cut_off_error},
    {MACHINE_LIST("ancestors"), put_ancestors},
    {{.name = "computed_by", .machine_only = 1}, put_route},
    {{.name = "reason", .title = "reason", .priority = 1, .least_width = 20}, put_reason},
};

enum { FIELDS = sizeof fields / sizeof *fields };

/* People see what --metric asks for beside the SNR, which is there anyway. */
static bool is_shown(const struct field *field, const struct ets_gap_table_options *options)
{
    const bool is_values = field->put == put_aot_output || field->put == put_runtime_output;
    if (is_values) return options->values != 0;
    return field->put != put_metric || options->metric != ETS_GAP_METRIC_SNR;
}

/* The caller's comparators, behind all others. */
static enum ets_status add_comparators(struct ets_table *table, const struct ets_gap_report *report,
                                       struct ets_error *error)
{
    uint32_t count;
    const struct ets_comparator *const *comparators = ets_gap_comparators(report, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_column column = {.name = comparators[i]->name,
                                          .title = comparators[i]->title,
                                          .kind = ETS_COLUMN_REAL,
                                          .keep_empty = 1};
        for (size_t k = 0; k < FIELDS; k++) {
            if (strcmp(fields[k].column.name, column.name) != 0) continue;
            return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                            "another column is also named like comparator %s", column.name);
        }
        ets_table_add_column(table, &column);
    }
    return ETS_OK;
}

static void put_comparators(const struct line *line)
{
    uint32_t count;
    (void)ets_gap_comparators(line->report, &count);
    for (uint32_t i = 0; i < count; i++) {
        put_real(line, line->row->compared != NULL,
                 line->row->compared != NULL ? line->row->compared[i] : 0);
    }
}

static void add_columns(struct ets_table *table, const struct ets_gap_table_options *options)
{
    static const char *const titles[] = {"SNR dB", "MSE", "L1", "cosine", "max error"};
    for (size_t i = 0; i < FIELDS; i++) {
        struct ets_column column = fields[i].column;
        if (fields[i].put == put_metric) column.title = titles[options->metric];
        if (is_shown(&fields[i], options)) ets_table_add_column(table, &column);
    }
}

static void put_line(const struct line *line)
{
    ets_table_add_row(line->table, 0);
    if (line->row->finding == ETS_GAP_AGREES) ets_table_quiet_row(line->table);
    for (size_t i = 0; i < FIELDS; i++) {
        if (is_shown(&fields[i], line->options)) fields[i].put(line);
    }
    put_comparators(line);
}

enum ets_status ets_gap_table_fill(struct ets_table *table, const struct ets_inspection *inspection,
                                   const struct ets_gap_report *report,
                                   const struct ets_gap_table_options *options,
                                   struct ets_error *error)
{
    char headline[1024];
    struct ets_arena arena; /* of one row's texts */
    struct ets_gap_line shown;
    enum ets_status status = ETS_OK;
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    add_columns(table, options);
    ETS_TRY(add_comparators(table, report, error));
    ets_table_add_section(
        table, (struct ets_text){headline, ets_gap_headline(report, ets_table_words(table),
                                                            headline, sizeof headline)});
    for (uint32_t i = 0; status == ETS_OK && i < ets_gap_row_count(report); i++) {
        const struct ets_gap_row *row = ets_gap_row(report, i);
        if (options->only_off && row->finding == ETS_GAP_AGREES) continue;
        status = ets_gap_line_make(&shown, &arena, inspection, report, i, error);
        if (status == ETS_OK) put_line(&(struct line){table, report, options, row, &shown});
        ets_arena_reset(&arena);
    }
    return status;
}
