/*
 * The option --compare-results of `inspect`: compares recorded outputs with the ETRecord's
 * reference outputs.
 */
#include "cli/inspect/compare_results.h"
#include "host/output.h"

#include <math.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/write_table.h"
#include "etscope/numerics.h"
#include "numerics/number_tensor.h"

/* A program output as it was recorded. */
struct recorded {
    struct ets_tensor tensor; /* of a plain number: over `number` */
    uint8_t number[ETS_NUMBER_BYTES];
    bool is_comparable; /* 0: null, a string, or a newer writer's kind */
};

enum { MOST_OUTPUTS = 256 };

struct comparison {
    const struct cli_subject *subject;
    long long wanted_case; /* --case; -1: not given */
    const struct ets_inspection *inspection;
    struct ets_table *table;
};

static int read_tensor(const struct comparison *c, const struct ets_debug_value *value,
                       uint32_t index, struct recorded *out)
{
    struct ets_error error;
    int64_t offset;
    const struct ets_etdump *dump = ets_inspection_dump(c->inspection);
    if (ets_etdump_tensor(dump, value, index, &out->tensor, &offset, &error) != ETS_OK) {
        return cli_fail(c->subject->path, &error);
    }
    const enum ets_status status =
        ets_etdump_tensor_data(c->subject->debug_buffer, offset, &out->tensor, &error);
    if (status != ETS_OK && status != ETS_NOT_FOUND) {
        return cli_fail(c->subject->debug_buffer_path, &error);
    }
    out->is_comparable = status == ETS_OK;
    return CLI_OK;
}

/* Of a value that is not a tensor; NONE for others than numbers. */
static struct ets_value number_of(const struct ets_debug_value *value)
{
    struct ets_value number = {.kind = ETS_VALUE_NONE};
    switch (value->type) {
    case ETS_DEBUG_INT:
        number.kind = ETS_VALUE_INT;
        number.as.int_value = value->int_value;
        break;
    case ETS_DEBUG_BOOL:
        number.kind = ETS_VALUE_BOOL;
        number.as.bool_value = value->int_value != 0;
        break;
    case ETS_DEBUG_FLOAT:
    case ETS_DEBUG_DOUBLE:
        number.kind = ETS_VALUE_DOUBLE;
        number.as.double_value = value->double_value;
        break;
    default: break;
    }
    return number;
}

/* Appends what one output event holds. */
static int read_output(const struct comparison *c, const struct ets_debug_value *value,
                       struct recorded *outputs, uint32_t *count)
{
    const uint32_t parts = value->tensor_count > 0 ? value->tensor_count : 1;
    if (parts > MOST_OUTPUTS - *count) {
        return cli_complain(CLI_INPUT, "a run recorded more than %d outputs", MOST_OUTPUTS);
    }
    for (uint32_t i = 0; i < parts; i++) {
        struct recorded *out = &outputs[(*count)++];
        *out = (struct recorded){.is_comparable = false};
        if (value->tensor_count > 0) {
            const int code = read_tensor(c, value, i, out);
            if (code != CLI_OK) return code;
            continue;
        }
        const struct ets_value number = number_of(value);
        out->is_comparable = value->is_present && ets_tensor_of_value(&number, ETS_SCALAR_BOOL,
                                                                      out->number, &out->tensor);
    }
    return CLI_OK;
}

/* The program outputs that run `index` recorded, in order. */
static int read_outputs(const struct comparison *c, uint32_t index, struct recorded *outputs,
                        uint32_t *count_out)
{
    const struct ets_event_table *events = ets_inspection_events(c->inspection);
    const struct ets_run *run = ets_inspection_run(c->inspection, index);
    *count_out = 0;
    for (uint32_t i = run->first_event; i < run->first_event + run->event_count; i++) {
        struct ets_debug_value value;
        if (events->kind[i] != ETS_EVENT_DEBUG) continue;
        ets_etdump_debug_value(ets_inspection_dump(c->inspection), (size_t)events->payload_at[i],
                               &value);
        if (!value.is_output) continue;
        const int code = read_output(c, &value, outputs, count_out);
        if (code != CLI_OK) return code;
    }
    return CLI_OK;
}

static bool is_equal(const struct recorded *a, const struct recorded *b)
{
    struct ets_comparison sums;
    if (a->is_comparable != b->is_comparable) return false;
    return !a->is_comparable || (ets_comparison_of(&a->tensor, &b->tensor, &sums, NULL) == ETS_OK &&
                                 sums.unequal_count == 0);
}

/* Notes runs of the block whose outputs differ from those of the first. */
static int check_other_runs(const struct comparison *c, uint32_t index,
                            const struct recorded *first, uint32_t count)
{
    static struct recorded others[MOST_OUTPUTS];
    const struct ets_block *block = ets_inspection_block(c->inspection, index);
    uint32_t differing = 0, first_differing = 0;
    for (uint32_t r = 0; r < ets_inspection_run_count(c->inspection); r++) {
        uint32_t other_count;
        if (ets_inspection_run(c->inspection, r)->block != index || r == block->first_run) continue;
        const int code = read_outputs(c, r, others, &other_count);
        if (code != CLI_OK) return code;
        bool same = other_count == count;
        for (uint32_t i = 0; same && i < count; i++) same = is_equal(&first[i], &others[i]);
        if (!same && differing++ == 0) first_differing = r;
    }
    if (differing > 0) {
        cli_note(
            "block %u: %u runs have other outputs than run %u, which was compared; the first is "
            "run %u",
            index, differing, block->first_run, first_differing);
    }
    return CLI_OK;
}

static void add_columns(struct ets_table *table)
{
    static const struct ets_column columns[] = {
        /* People see block and case in the heading. */
        {.name = "block", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
        {.name = "method", .kind = ETS_COLUMN_TEXT, .least_width = 7},
        {.name = "case", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
        {.name = "output", .kind = ETS_COLUMN_INTEGER},
        {.name = "dtype", .kind = ETS_COLUMN_TEXT, .priority = 2},
        {.name = "shape", .kind = ETS_COLUMN_TEXT, .least_width = 8},
        {.name = "snr_db", .title = "snr dB", .kind = ETS_COLUMN_REAL},
        {.name = "mse", .kind = ETS_COLUMN_REAL},
        {.name = "cosine_similarity", .title = "cosine", .kind = ETS_COLUMN_REAL},
        {.name = "max_abs_error", .title = "max error", .kind = ETS_COLUMN_REAL},
        {.name = "max_abs_error_index",
         .title = "worst index",
         .kind = ETS_COLUMN_INTEGER,
         .priority = 5},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        ets_table_add_column(table, &columns[i]);
    }
}

static void put_shape(struct ets_table *table, const struct ets_tensor *tensor)
{
    char text[ETS_TENSOR_MAX_RANK * 24 + 4] = "[";
    size_t used = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld", i > 0 ? ", " : "",
                                 (long long)tensor->sizes[i]);
    }
    snprintf(text + used, sizeof text - used, "]");
    ets_table_put_string(table, text);
}

/* ExecuTorch's formulas, in double precision and without rounding to two decimals. */
static void put_metrics(struct ets_table *table, const struct ets_comparison *sums)
{
    const double mse = ets_comparison_mse(sums);
    const double nothing = mse - mse; /* NaN where the mean is */
    ets_table_put_real(table, ets_comparison_snr(sums));
    ets_table_put_real(table, mse);
    ets_table_put_real(table, ets_comparison_cosine(sums));
    ets_table_put_real(table, sums->max_error + nothing);
    ets_table_put_integer(table, (int64_t)sums->max_error_index);
}

/* Adds a row of the table. Returns an exit code. */
static int compare_output(const struct comparison *c, uint32_t block, size_t test_case,
                          uint32_t index, const struct recorded *recorded,
                          const struct ets_value *reference)
{
    const char *method = ets_inspection_block(c->inspection, block)->method;
    struct ets_tensor expected;
    struct ets_comparison sums;
    struct ets_error error;
    uint8_t room[ETS_NUMBER_BYTES];
    if (!recorded->is_comparable ||
        !ets_tensor_of_value(reference, ETS_SCALAR_BOOL, room, &expected)) {
        cli_note("block %u: left out output %u: it is neither a recorded tensor nor a number",
                 block, index);
        return CLI_OK;
    }
    if (ets_comparison_of(&expected, &recorded->tensor, &sums, &error) != ETS_OK) {
        return cli_complain(error.status == ETS_MISMATCH ? CLI_MISMATCH : CLI_INPUT,
                            "block %u: output %u of %s and its reference: %s", block, index, method,
                            error.message);
    }
    ets_table_add_row(c->table, 0);
    ets_table_put_integer(c->table, block);
    ets_table_put_string(c->table, method);
    ets_table_put_integer(c->table, (int64_t)test_case);
    ets_table_put_integer(c->table, index);
    ets_table_put_string(c->table, ets_scalar_type_name(recorded->tensor.scalar_type));
    put_shape(c->table, &recorded->tensor);
    put_metrics(c->table, &sums);
    const uint64_t not_finite = sums.count - sums.finite_count;
    if (not_finite > 0) {
        cli_note("block %u: output %u: %llu of %llu elements are NaN or infinite (%llu differ)",
                 block, index, (unsigned long long)not_finite, (unsigned long long)sums.count,
                 (unsigned long long)sums.broken_count);
    }
    return CLI_OK;
}

/* Squared error of all outputs against one case; infinite if they cannot be compared. */
static double case_error(const struct comparison *c, const char *method, size_t test_case,
                         const struct recorded *outputs, uint32_t count)
{
    const struct ets_value *references;
    size_t reference_count;
    double sum = 0;
    if (ets_etrecord_reference_outputs(c->subject->record, method, test_case, &references,
                                       &reference_count, NULL) != ETS_OK) {
        return (double)INFINITY;
    }
    for (uint32_t i = 0; i < count && i < reference_count; i++) {
        struct ets_tensor expected;
        struct ets_comparison sums;
        uint8_t room[ETS_NUMBER_BYTES];
        if (!outputs[i].is_comparable) continue;
        if (!ets_tensor_of_value(&references[i], ETS_SCALAR_BOOL, room, &expected)) continue;
        if (ets_comparison_of(&expected, &outputs[i].tensor, &sums, NULL) != ETS_OK ||
            sums.broken_count > 0) {
            return (double)INFINITY;
        }
        sum += sums.error_square_sum;
    }
    return sum;
}

/*
 * For a trace that does not name its case: the case with the nearest outputs. (Upstream takes the
 * last, which is wrong if another case ran.)
 */
static size_t nearest_case(const struct comparison *c, const char *method, size_t cases,
                           const struct recorded *outputs, uint32_t count)
{
    size_t best = cases - 1;
    double least = case_error(c, method, best, outputs, count);
    for (size_t i = 0; i + 1 < cases; i++) {
        const double other = case_error(c, method, i, outputs, count);
        if (other < least) {
            least = other;
            best = i;
        }
    }
    return best;
}

/* The reference case: that of --case, otherwise the block's own, otherwise the nearest. */
static int find_reference(const struct comparison *c, const struct ets_block *block,
                          const struct recorded *outputs, uint32_t count, size_t *case_out,
                          const struct ets_value **values_out, size_t *count_out)
{
    struct ets_error error;
    size_t cases = 0;
    ets_etrecord_reference_case_count(c->subject->record, block->method, &cases, NULL);
    if (cases == 0) {
        return cli_complain(CLI_MISMATCH, "the ETRecord has no reference outputs of %s",
                            block->method);
    }
    *case_out = c->wanted_case >= 0 ? (size_t)c->wanted_case
                : block->bundled_input_index >= 0
                    ? (size_t)block->bundled_input_index
                    : nearest_case(c, block->method, cases, outputs, count);
    if (*case_out >= cases) {
        return cli_complain(CLI_MISMATCH,
                            "%s has no reference case %zu: the ETRecord has %zu, counted from 0",
                            block->method, *case_out, cases);
    }
    if (ets_etrecord_reference_outputs(c->subject->record, block->method, *case_out, values_out,
                                       count_out, &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    return CLI_OK;
}

static void add_heading(const struct comparison *c, uint32_t index, const struct ets_block *block,
                        size_t test_case)
{
    char heading[256];
    const bool is_nearest = c->wanted_case < 0 && block->bundled_input_index < 0;
    const int size = snprintf(
        heading, sizeof heading, "block %u (%.*s): run %u, reference case %zu%s", index,
        (int)(block->name.size < 64 ? block->name.size : 64), block->name.data, block->first_run,
        test_case, is_nearest ? " (the nearest; the trace does not name one)" : "");
    if (size < 0) return;
    const size_t length = (size_t)size < sizeof heading ? (size_t)size : sizeof heading - 1;
    ets_table_add_section(c->table, (struct ets_text){heading, length});
}

static int compare_block(const struct comparison *c, uint32_t index)
{
    static struct recorded outputs[MOST_OUTPUTS];
    const struct ets_block *block = ets_inspection_block(c->inspection, index);
    const struct ets_value *references = NULL;
    size_t test_case = 0, reference_count = 0;
    uint32_t count;
    if (block->method_state != ETS_METHOD_FOUND) {
        return cli_complain(
            CLI_MISMATCH, "block %u has no reference: its method is unknown; name it with --method",
            index);
    }
    int code = read_outputs(c, block->first_run, outputs, &count);
    if (code != CLI_OK) return code;
    if (count == 0) {
        return cli_complain(
            CLI_MISMATCH,
            "block %u recorded no outputs; `etscope run --capture outputs` records them", index);
    }
    code = find_reference(c, block, outputs, count, &test_case, &references, &reference_count);
    if (code == CLI_OK) code = check_other_runs(c, index, outputs, count);
    if (code != CLI_OK) return code;
    if (count != reference_count) {
        cli_note("block %u recorded %u outputs, the reference has %zu", index, count,
                 reference_count);
    }
    add_heading(c, index, block, test_case);
    for (uint32_t i = 0; i < count && i < reference_count && code == CLI_OK; i++) {
        code = compare_output(c, index, test_case, i, &outputs[i], &references[i]);
    }
    return code;
}

static int write_table(const struct cli_arguments *arguments, const struct ets_table *table)
{
    struct ets_table_style style;
    struct ets_output *output;
    struct ets_error error;
    cli_style(arguments, "-", &style);
    if (style.format != ETS_FORMAT_TABLE) return cli_write_table_to("-", table, &style);
    if (ets_output_open("-", &output, &error) != ETS_OK) return cli_fail_output("-", &error);
    ets_output_write(output, "\n", 1);
    if (ets_table_write(table, &style, output, &error) != ETS_OK) {
        ets_output_discard(output);
        return cli_fail(NULL, &error);
    }
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output("-", &error);
}

int cli_check_compare(const struct cli_subject *subject)
{
    if (subject->record == NULL || subject->debug_buffer_path == NULL) {
        return cli_complain(CLI_USAGE, "--compare-results needs %s",
                            subject->record == NULL ? "the reference outputs: --etrecord FILE"
                                                    : "the recorded outputs: --debug-buffer FILE");
    }
    return CLI_OK;
}

int cli_compare_results(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct ets_inspection *inspection)
{
    struct comparison c = {
        .subject = subject,
        .inspection = inspection,
        .wanted_case = cli_number(arguments, "--case", -1),
    };
    struct ets_error error;
    if (cli_table_open(&c.table, &error) != ETS_OK) return cli_fail(NULL, &error);
    add_columns(c.table);
    int code = CLI_OK;
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < ets_inspection_block_count(inspection) && code == CLI_OK; i++) {
        if (!cli_text_is(ets_inspection_block(inspection, i)->name, "Execute")) continue;
        code = compare_block(&c, i);
        blocks++;
    }
    if (code == CLI_OK && blocks == 0) {
        code = cli_complain(CLI_MISMATCH, "the trace has no block named Execute to compare");
    }
    if (code == CLI_OK) code = write_table(arguments, c.table);
    ets_table_close(c.table);
    return code;
}
