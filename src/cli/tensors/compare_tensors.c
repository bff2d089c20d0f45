/* The option --compare of `tensors`: compares captured tensors with arrays, one row each. */
#include "cli/tensors/compare_tensors.h"
#include "etscope/experimental/comparators.h"
#include "numerics/element.h"
#include "verify/computing.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/tensors/array_pairs.h"
#include "cli/values/comparator_option.h"
#include "cli/values/comparison_cells.h"
#include "cli/values/tolerances.h"

enum { TOP_K = 5, MESSAGE_BYTES = 512 };

/* clang-format off */
static const struct ets_column columns[] = {
    {.name = "event", .kind = ETS_COLUMN_INTEGER},
    {.name = "instruction", .title = "#", .kind = ETS_COLUMN_INTEGER, .priority = 9},
    {.name = "operator", .least_width = 20, .cut_in_middle = 1},
    {.name = "array", .priority = 10, .least_width = 12, .cut_in_middle = 1},
    {.name = "verdict"},
    {.name = "dtype", .priority = 4},
    {.name = "shape", .kind = ETS_COLUMN_NUMBERS, .priority = 5, .least_width = 14},
    CLI_COMPARISON_COLUMNS,
    {.name = "rmse", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    {.name = "top_1_agreement", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    {.name = "top_5_overlap", .kind = ETS_COLUMN_REAL, .machine_only = 1},
    {.name = "rtol", .kind = ETS_COLUMN_REAL, .priority = 11},
    {.name = "atol", .kind = ETS_COLUMN_REAL, .priority = 11},
    {.name = "finding", .priority = 3, .least_width = 24},
};
/* clang-format on */

struct comparing {
    const struct cli_captured *captured;
    struct cli_arrays *arrays;
    struct cli_array_pairs pairs;
    struct cli_tolerances tolerances;
    struct cli_comparators comparators;
    struct ets_table *table;
    bool *is_used; /* of each array */
    uint32_t compared, failed, by_order;
};

/* A tensor and its array. */
struct line {
    const struct ets_captured_value *value;
    struct ets_value expected;
    size_t array; /* the arrays' count: none */
    struct ets_output_verdict verdict;
    struct ets_ulps ulps;
    struct ets_top_k top;
    struct cli_compared compared;
    bool has_ulps, has_top, has_compared;
    char finding[MESSAGE_BYTES];
};

/*
 * Finds the array of tensor number `place`: by its name in a file from --save; by its operator's
 * name; in order, if arrays have numbers; or the only array for the only tensor.
 */
static size_t find_array(const struct cli_captured *captured, const struct cli_array_pairs *pairs,
                         const struct ets_captured_value *value, size_t place)
{
    const struct cli_arrays *arrays = pairs->arrays;
    char name[CLI_CAPTURED_NAME_BYTES];
    cli_captured_name(captured->inspection, value, name);
    size_t found = cli_array_pairs_find(pairs, name, &value->tensor);
    if (found < arrays->count) return found;
    found = cli_arrays_find(arrays, ets_captured_value_operator(captured->inspection, value));
    if (found < arrays->count) return found;
    if (arrays->count == 1 && captured->count == 1) return 0;
    return arrays->is_numbered && place < arrays->count ? place : arrays->count;
}

static size_t add(char *text, size_t used, const char *format, ...) ETS_PRINTF(3, 4);
static size_t add(char *text, size_t used, const char *format, ...)
{
    va_list arguments;
    if (used >= MESSAGE_BYTES) return used;
    va_start(arguments, format);
    const int size = vsnprintf(text + used, MESSAGE_BYTES - used, format, arguments);
    va_end(arguments);
    return used + (size_t)(size > 0 ? size : 0);
}

/* "[1, 3]" of element `index`. */
static size_t add_place(char *text, size_t used, const struct ets_tensor *tensor, uint64_t index)
{
    int64_t place[ETS_TENSOR_MAX_RANK];
    for (uint32_t i = tensor->rank; i-- > 0; index /= (uint64_t)tensor->sizes[i]) {
        place[i] = (int64_t)(index % (uint64_t)tensor->sizes[i]);
    }
    used = add(text, used, "[");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        used = add(text, used, "%s%lld", i > 0 ? ", " : "", (long long)place[i]);
    }
    return add(text, used, "]");
}

static double number_at(const struct ets_tensor *tensor, uint64_t index)
{
    unsigned char element[16] = {0};
    ets_tensor_gather(tensor, index, 1, element);
    return ets_element_load(element, (int)tensor->scalar_type, 0);
}

/* Describes the differences in words. */
static void find_out(struct line *line)
{
    const struct ets_tensor *tensor = &line->value->tensor, *expected = &line->expected.as.tensor;
    const struct ets_comparison *sums = &line->verdict.comparison;
    char *text = line->finding;
    size_t used = 0;
    if (line->verdict.verdict == ETS_RESULT_SHAPE) {
        used = add(text, used, "the array's shape is [");
        for (uint32_t i = 0; i < expected->rank; i++) {
            used = add(text, used, "%s%lld", i > 0 ? ", " : "", (long long)expected->sizes[i]);
        }
        used = add(text, used, "]");
    }
    if (expected->scalar_type != tensor->scalar_type) {
        used = add(text, used, "%sthe array is %s", used > 0 ? "; " : "",
                   ets_scalar_type_name((int)expected->scalar_type));
    }
    if (!line->verdict.has_statistics) return;
    if (sums->layouts_differ) used = add(text, used, "%sthe layouts differ", used > 0 ? "; " : "");
    if (sums->unequal_count == 0) return;
    const bool is_broken = sums->broken_count > 0;
    const uint64_t worst = is_broken ? sums->first_broken_index
                           : line->verdict.closeness.outside_count > 0
                               ? line->verdict.closeness.worst_index
                               : sums->max_error_index;
    used = add(text, used, "%sat ", used > 0 ? "; " : "");
    used = add_place(text, used, tensor, worst);
    if (ets_scalar_component_count((int)tensor->scalar_type) == 1) {
        add(text, used, " %.9g instead of %.9g", number_at(tensor, worst),
            number_at(expected, worst));
    }
}

static void put_line(const struct comparing *c, const struct line *line, const char *verdict)
{
    struct ets_table *table = c->table;
    const struct ets_captured_value *value = line->value;
    ets_table_add_row(table, 0);
    ets_table_put_integer(table, value->event);
    if (value->chain >= 0) ets_table_put_integer(table, value->instruction);
    else ets_table_put_nothing(table);
    ets_table_put_text(table, ets_captured_value_operator(c->captured->inspection, value));
    if (line->array < c->arrays->count && c->arrays->npz != NULL) {
        ets_table_put_text(table, cli_arrays_name(c->arrays, line->array));
    } else {
        ets_table_put_nothing(table);
    }
    ets_table_put_string(table, verdict);
    ets_table_put_string(table, ets_scalar_type_name((int)value->tensor.scalar_type));
    cli_put_sizes(table, value->tensor.sizes, value->tensor.rank);
    if (line->verdict.has_statistics) {
        cli_put_comparison(table, &line->verdict, line->has_ulps ? &line->ulps : NULL);
        cli_put_real(table, ets_comparison_rmse(&line->verdict.comparison));
    } else {
        cli_put_nothing(table, CLI_COMPARISON_COLUMN_COUNT + 1);
    }
    const bool has_rows = line->has_top && line->top.row_count > 0;
    cli_put_real(table, has_rows ? (double)line->top.first_agrees / (double)line->top.row_count
                                 : (double)NAN);
    cli_put_real(table, has_rows ? line->top.overlap : (double)NAN);
    if (line->array < c->arrays->count) {
        ets_table_put_real(table, line->verdict.tolerance.relative);
        ets_table_put_real(table, line->verdict.tolerance.absolute);
    } else {
        cli_put_nothing(table, 2);
    }
    ets_table_put_string(table, line->finding[0] != '\0' ? line->finding : NULL);
    cli_comparators_put(&c->comparators, line->has_compared ? &line->compared : NULL, table);
}

static bool is_of_another_event(const struct comparing *c, const struct ets_captured_value *value,
                                size_t array)
{
    char name[CLI_CAPTURED_NAME_BYTES];
    cli_captured_name(c->captured->inspection, value, name);
    return cli_array_pairs_find(&c->pairs, name, &value->tensor) == array &&
           !cli_text_is(cli_arrays_name(c->arrays, array), name);
}

static int compare_one(struct comparing *c, const struct ets_captured_value *value, size_t place)
{
    struct line line = {.value = value, .expected = {.kind = ETS_VALUE_TENSOR}};
    const struct ets_value actual = {.kind = ETS_VALUE_TENSOR, .as.tensor = value->tensor};
    struct ets_error error;
    line.array = find_array(c->captured, &c->pairs, value, place);
    if (line.array == c->arrays->count) {
        snprintf(line.finding, sizeof line.finding, "%s has no array for this tensor",
                 c->arrays->path);
        put_line(c, &line, "missing");
        c->failed++;
        return CLI_OK;
    }
    c->is_used[line.array] = true;
    c->by_order += is_of_another_event(c, value, line.array);
    const int code = cli_arrays_read(c->arrays, line.array, &line.expected.as.tensor);
    if (code != CLI_OK) return code;
    struct ets_tensor *expected = &line.expected.as.tensor;
    struct ets_tolerance tolerance;
    ets_tolerance_for(c->tolerances.rules, c->tolerances.count, cli_text(""), 0, 0,
                      (int)value->tensor.scalar_type, &tolerance);
    tolerance.of_rms = 0; /* two tensors, whatever computed them */
    if (ets_verify_output(&line.expected, &actual, &tolerance, &line.verdict, &error) != ETS_OK) {
        return cli_fail(c->arrays->path, &error);
    }
    if (line.verdict.verdict == ETS_RESULT_DTYPE && line.verdict.has_statistics) {
        line.verdict.verdict =
            line.verdict.closeness.outside_count > 0 ? ETS_RESULT_DIFFERENT : ETS_RESULT_CLOSE;
    }
    line.has_ulps = line.verdict.has_statistics &&
                    ets_ulps_of(expected, &value->tensor, &line.ulps, NULL) == ETS_OK;
    line.has_top = line.verdict.has_statistics &&
                   ets_top_k_of(expected, &value->tensor, TOP_K, &line.top, NULL) == ETS_OK;
    cli_comparators_run(&c->comparators, expected, &value->tensor, &line.compared);
    line.has_compared = true;
    find_out(&line);
    put_line(c, &line, ets_output_result_name(line.verdict.verdict));
    c->compared++;
    c->failed += line.verdict.verdict != ETS_RESULT_CLOSE;
    return CLI_OK;
}

static void note_unused(const struct comparing *c)
{
    size_t unused = 0, first = 0;
    for (size_t i = c->arrays->count; i-- > 0;) {
        if (c->is_used[i]) continue;
        first = i;
        unused++;
    }
    if (unused == 0) return;
    const struct ets_text name = cli_arrays_name(c->arrays, first);
    cli_note("%zu arrays of %s match no selected tensor; the first is %.*s", unused,
             c->arrays->path, (int)(name.size < 100 ? name.size : 100),
             name.size > 0 ? name.data : "");
}

static int fill(struct comparing *c)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    struct ets_error error;
    int code = CLI_OK;
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        ets_table_add_column(c->table, &columns[i]);
    }
    if (cli_comparators_add_columns(&c->comparators, c->table, &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    cli_captured_begin(c->captured, &values);
    for (size_t i = 0; code == CLI_OK && cli_captured_next(c->captured, &values, &value); i++) {
        code = compare_one(c, &value, i);
    }
    return code;
}

static int compare_all(const struct cli_arguments *arguments, struct comparing *c)
{
    const bool is_strict = cli_has(arguments, "--rtol") || cli_has(arguments, "--atol");
    int code = fill(c);
    if (code == CLI_OK) code = cli_choose_columns(arguments, c->table);
    cli_headline("%u of %u tensors are close to %s", c->captured->count - c->failed,
                 c->captured->count, c->arrays->path);
    if (code == CLI_OK) code = cli_write_styled(arguments, c->table);
    if (code != CLI_OK) return code;
    note_unused(c);
    if (c->by_order > 0) {
        cli_note("%u tensor%s in %s: paired tensors of the same operator and shape in order",
                 c->by_order,
                 c->by_order == 1 ? " has a different event" : "s have different events",
                 c->arrays->path);
    }
    cli_note("%u of %u tensors are close to %s", c->captured->count - c->failed, c->captured->count,
             c->arrays->path);
    return is_strict && c->failed > 0 ? CLI_NEGATIVE : CLI_OK;
}

/* A .npy file has one array, for one tensor. */
static int check_count(const struct cli_captured *captured, const struct cli_arrays *arrays)
{
    if (arrays->npz != NULL || captured->count == 1) return CLI_OK;
    return cli_complain(CLI_USAGE,
                        "--compare %s: a .npy file holds one tensor, but %u are selected: select "
                        "one by its event in the list",
                        arrays->path, captured->count);
}

int cli_compare_tensors(const struct cli_arguments *arguments, const struct cli_captured *captured,
                        struct cli_arrays *arrays)
{
    struct comparing c = {.captured = captured, .arrays = arrays};
    struct ets_error error;
    int code = check_count(captured, arrays);
    if (code == CLI_OK) code = cli_array_pairs_open(captured, arrays, &c.pairs);
    if (code == CLI_OK) code = cli_tolerances_open(arguments, &c.tolerances);
    if (code == CLI_OK) code = cli_comparators_open(arguments, &c.comparators);
    if (code == CLI_OK && (c.is_used = calloc(arrays->count + 1, sizeof *c.is_used)) == NULL) {
        code = cli_complain(CLI_INTERNAL, "no memory to compare with %s", arrays->path);
    }
    if (code == CLI_OK && cli_table_open(&c.table, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    }
    if (code == CLI_OK) code = compare_all(arguments, &c);
    ets_table_close(c.table);
    free(c.is_used);
    cli_array_pairs_close(&c.pairs);
    cli_comparators_close(&c.comparators);
    cli_tolerances_close(&c.tolerances);
    return code;
}

int cli_find_reference(const struct cli_captured *captured, struct cli_arrays *arrays,
                       struct ets_tensor *reference_out)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    struct cli_array_pairs pairs;
    cli_captured_begin(captured, &values);
    if (captured->count != 1 || !cli_captured_next(captured, &values, &value)) return CLI_OK;
    const int code = cli_array_pairs_open(captured, arrays, &pairs);
    const size_t found = code == CLI_OK ? find_array(captured, &pairs, &value, 0) : arrays->count;
    cli_array_pairs_close(&pairs);
    if (code != CLI_OK) return code;
    if (found < arrays->count) return cli_arrays_read(arrays, found, reference_out);
    return cli_complain(CLI_INPUT, "%s has no array for the tensor", arrays->path);
}
