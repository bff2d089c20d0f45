/* The command `tensors`: lists, prints, saves, compares and draws captured tensors. */
#include "cli/beside/debug_buffer.h"
#include "cli/beside/siblings.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/tensors/compare_tensors.h"
#include "cli/tensors/save_tensors.h"
#include "cli/tensors/show_tensors.h"
#include "cli/traces/subject.h"
#include "cli/values/comparator_option.h"
#include "host/output.h"
#include "output/table/tensor_table.h"

static const struct cli_command_option option_list[] = {
    {"--debug-buffer", .help = "The captured tensors; default: the .bin file beside the trace. "
                               "Without them, only types and shapes are listed"},
    {"--etrecord"},
    {"--program"},
    {"--method"},
    {"--block"},
    {"--run"},
    {"--event"},
    {"--only-outputs"},
    {"--only-nonfinite"},
    CLI_FILTER_OPTIONS,
    {"--top", .help = "Only the first N tensors of each run"},
    CLI_TENSOR_TEXT_OPTIONS,
    {"--columns", .help = "Only these columns, in this order, such as operator,shape,mean"},
    {"--save", .value = "PATH",
     .help = "Also save the tensors: as .npy files in a folder, together in FILE.npz, or one in "
             "FILE.npy"},
    {"--compare"},
    {"--rtol", .help = "With --compare: relative tolerance; exit with 1 if it is exceeded"},
    {"--atol", .help = "With --compare: absolute tolerance; exit with 1 if it is exceeded"},
    {"--comparator"},
    {"--heat-map"},
    {"--format"},
    {"--color"},
    {"--width"},
    {"--output"},
    {"--no-siblings"},
    {"--partial"},
    {"--allow-mismatch"},
    {NULL},
};

/* The event of the first tensor of an instruction; ETS_NO_INDEX: none. */
static uint32_t event_of_instruction(const struct ets_inspection *inspection, uint32_t instruction)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    ets_captured_values_init(&values, inspection, (struct ets_bytes){NULL, 0}, NULL);
    while (ets_captured_values_next(&values, &value)) {
        if (value.chain >= 0 && value.instruction == (int64_t)instruction) return value.event;
    }
    return ETS_NO_INDEX;
}

/* Explains an empty table: nothing was captured, or nothing matches the filters. */
static void report_nothing(const struct cli_captured *captured)
{
    const struct ets_inspection *inspection = captured->inspection;
    const uint32_t event = captured->filter.event;
    struct ets_captured_values values;
    struct ets_captured_value value;
    uint32_t count = 0;
    ets_captured_values_init(&values, inspection, (struct ets_bytes){NULL, 0}, NULL);
    while (ets_captured_values_next(&values, &value)) count++;
    if (count == 0) {
        cli_note(
            "the trace has no captured tensors; `etscope run --capture intermediates` captures "
            "them");
    } else {
        cli_note(
            "none of the %u captured tensors matches; leave out TENSOR and the filters to list all",
            count);
    }
    if (event == ETS_NO_INDEX) return;
    const uint32_t meant = event_of_instruction(inspection, event);
    if (meant == ETS_NO_INDEX) return;
    cli_note("event %u has no tensor; instruction %u is event %u", event, event, meant);
}

/* Notes the first tensor with NaN, from which it spreads. */
static void note_nan(const struct cli_captured *captured, const struct ets_tensor_table_gaps *gaps)
{
    if (gaps->with_nan == 0) return;
    char event[40] = "";
    if (gaps->first_nan != ETS_NO_INDEX) {
        snprintf(event, sizeof event, ", first in event %u", gaps->first_nan);
    }
    cli_note("%u %s NaN%s%s", gaps->with_nan, gaps->with_nan == 1 ? "tensor has" : "tensors have",
             event, captured->broken_only ? "" : "; --only-nonfinite shows only these");
}

/* Notes which tensors have no statistics. Returns the resulting exit code. */
static int report_gaps(const struct cli_captured *captured, uint32_t rows,
                       const struct ets_tensor_table_gaps *gaps)
{
    const struct cli_subject *subject = captured->subject;
    note_nan(captured, gaps);
    if (captured->broken_only && gaps->without_buffer > 0) {
        cli_note("%u tensors have no statistics without --debug-buffer", gaps->without_buffer);
    } else if (rows == 0 && captured->broken_only) {
        cli_note("no selected tensor has NaN or infinite elements");
    } else if (rows == 0) {
        report_nothing(captured);
    } else if (gaps->without_buffer > 0) {
        cli_note("tensors have no statistics without --debug-buffer");
    }
    if (gaps->unrecorded > 0) {
        cli_note("%u tensors were recorded without their bytes", gaps->unrecorded);
    }
    if (gaps->unreadable > 0) {
        cli_note("%u values have no statistics: %s", gaps->unreadable,
                 gaps->unreadable_reason.message);
    }
    if (gaps->outside == 0) return CLI_OK;
    return cli_complain(CLI_INPUT, "%s: %u tensors are missing: %s",
                        cli_path_name(subject->debug_buffer_path), gaps->outside,
                        gaps->outside_reason.message);
}

static bool shows_values(const struct cli_arguments *arguments)
{
    return cli_has(arguments, "--show") || arguments->word_count > 1;
}

/* Notes values that were requested but that the tracer reduced. */
static void note_reduced(const struct cli_captured *captured)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    unsigned count = 0;
    cli_captured_begin(captured, &values);
    while (ets_captured_values_next(&values, &value)) count += value.has_statistics != 0;
    if (count > 0)
        cli_note("%u tensors have no values: the tracer kept only their statistics", count);
}

/* Writes the table, and for people the values after it, as one file. */
static int write_list(const struct cli_arguments *arguments, const struct cli_captured *captured,
                      const struct ets_table *table)
{
    struct ets_table_style style;
    struct ets_output *output;
    struct ets_error error;
    const char *path = cli_result_path(arguments);
    cli_style(arguments, path, &style);
    if (!shows_values(arguments) || style.format != ETS_FORMAT_TABLE) {
        return cli_write_table(arguments, table, &style);
    }
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    int code = CLI_OK;
    if (ets_table_write(table, &style, output, &error) != ETS_OK) code = cli_fail(NULL, &error);
    if (code == CLI_OK) code = cli_show_tensors(arguments, captured, &style, output);
    if (code != CLI_OK) {
        ets_output_discard(output);
        return code;
    }
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}

static int list_tensors(const struct cli_arguments *arguments, const struct cli_captured *captured)
{
    struct ets_table *table;
    struct ets_error error;
    struct ets_tensor_table_gaps gaps;
    const uint32_t top = (uint32_t)cli_number(arguments, "--top", 0);
    const struct ets_tensor_table_options options = {
        .debug_buffer = captured->subject->debug_buffer,
        .columns = cli_value(arguments, "--columns"),
        .filter = captured->filter,
        .values = shows_values(arguments),
        .broken_only = captured->broken_only,
        .top = top,
    };
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code;
    if (ets_tensor_table_fill(table, captured->inspection, &options, &gaps, &error) != ETS_OK) {
        code = error.status == ETS_NOT_FOUND ? cli_complain_columns(arguments, table, &error)
                                             : cli_fail(NULL, &error);
    } else {
        code = write_list(arguments, captured, table);
        if (code == CLI_OK) {
            code = report_gaps(captured, ets_table_row_count(table), &gaps);
            if (shows_values(arguments)) note_reduced(captured);
        }
    }
    ets_table_close(table);
    return code;
}

/* Whether to write further files: the readable part is useful even if a part is missing. */
static bool goes_on(int code)
{
    return code == CLI_OK || code == CLI_INPUT;
}

static int compare_with_file(const struct cli_arguments *arguments,
                             const struct cli_captured *captured, const char *picture)
{
    struct cli_arrays arrays;
    struct ets_tensor reference;
    int code = cli_arrays_open(cli_value(arguments, "--compare"), &arrays);
    if (code == CLI_OK) code = cli_compare_tensors(arguments, captured, &arrays);
    if (picture != NULL && (code == CLI_OK || code == CLI_NEGATIVE)) {
        int drawn = cli_find_reference(captured, &arrays, &reference);
        if (drawn == CLI_OK) drawn = cli_draw_tensor(picture, captured, &reference);
        if (drawn != CLI_OK) code = drawn;
    }
    cli_arrays_close(&arrays);
    return code;
}

/* Checks options that need a single tensor, before anything is printed. */
static int check_single(const struct cli_captured *captured, const char *path, const char *picture)
{
    if (captured->count == 1) return CLI_OK;
    if (picture != NULL) {
        return cli_complain(
            CLI_USAGE,
            "--heat-map draws one tensor, but %u are selected: select one by its event in the list",
            captured->count);
    }
    if (path == NULL || !cli_ends_with(path, ".npy")) return CLI_OK;
    return cli_complain(CLI_USAGE,
                        "--save %s: a .npy file holds one tensor, but %u are selected: select one "
                        "by its event, or give a folder or a .npz file",
                        path, captured->count);
}

/* Checks options that need the debug buffer. */
static int check_buffer(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct ets_inspection *inspection)
{
    static const char *const of_bytes[] = {"--save", "--compare", "--heat-map", "--show", NULL};
    const char *needing = cli_first_given(arguments, of_bytes);
    if (needing == NULL && arguments->word_count > 1) needing = "TENSOR";
    if (needing == NULL || subject->debug_buffer.data != NULL) return CLI_OK;
    return cli_complain_debug_buffer(inspection, needing, NULL);
}

static int show_tensors(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct cli_program *program, struct ets_inspection *inspection)
{
    (void)program; /* `subject` already contains it */
    static struct cli_captured captured;
    const char *path = cli_value(arguments, "--save"),
               *picture = cli_value(arguments, "--heat-map");
    int code = check_buffer(arguments, subject, inspection);
    if (code == CLI_OK) code = cli_captured_choose(arguments, subject, inspection, &captured);
    if (code == CLI_OK) code = check_single(&captured, path, picture);
    if (code != CLI_OK) return code;
    cli_print_notes(inspection);
    cli_note_debug_buffer(inspection, subject->debug_buffer_path, subject->debug_buffer);
    if (cli_has(arguments, "--compare")) {
        code = compare_with_file(arguments, &captured, picture);
    } else {
        code = list_tensors(arguments, &captured);
        if (picture != NULL && goes_on(code)) {
            const int drawn = cli_draw_tensor(picture, &captured, NULL);
            if (drawn != CLI_OK) code = drawn;
        }
    }
    if (path == NULL || !(goes_on(code) || code == CLI_NEGATIVE)) return code;
    const int saved = cli_save_tensors(path, &captured);
    return saved != CLI_OK ? saved : code;
}

/* Checks options that need another option. */
static int check_needs(const struct cli_arguments *arguments)
{
    static const char *const of_all[] = {"--show", "--save", "--compare", "--heat-map", NULL};
    static const char *const of_comparison[] = {"--rtol", "--atol", "--comparator", NULL};
    const char *tolerance = cli_first_given(arguments, of_comparison);
    if (tolerance != NULL && !cli_has(arguments, "--compare")) {
        return cli_complain(CLI_USAGE, "%s needs --compare", tolerance);
    }
    const char *whole = cli_first_given(arguments, of_all);
    if (whole == NULL && arguments->word_count > 1) whole = "TENSOR";
    if (cli_has(arguments, "--top") && whole != NULL) {
        return cli_complain(CLI_USAGE, "--top is for the list: %s takes all tensors", whole);
    }
    if (cli_has(arguments, "--show") && cli_has(arguments, "--compare")) {
        return cli_complain(CLI_USAGE, "--show and --compare exclude each other");
    }
    return cli_check_tensor_text(arguments);
}

static int check_words(const struct cli_arguments *arguments)
{
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE,
                            "tensors needs a trace: etscope tensors debug.etdp "
                            "--debug-buffer debug.bin");
    }
    if (arguments->word_count > 2) {
        return cli_complain(
            CLI_USAGE, "tensors reads one trace and shows one TENSOR; unexpected argument \"%s\"",
            arguments->words[2]);
    }
    return check_needs(arguments);
}

static int cmd_tensors(const struct cli_arguments *arguments)
{
    const int code = check_words(arguments);
    return code != CLI_OK ? code : cli_subject_inspect_values(arguments, show_tensors);
}

const struct cli_command cli_tensors_command = {
    .name = "tensors",
    .task = CLI_TASK_CHECK,
    .summary = "list, print, save, compare and draw the tensors that a trace captured",
    .arguments = "TRACE [TENSOR]",
    .description =
        "Reads an ETDump and its debug buffer, and prints one line per captured tensor: the "
        "operator that computed it, type, shape, range, mean, standard deviation, the number of "
        "NaN and infinite elements, and a hash, which is the same for equal tensors. Range, mean "
        "and deviation are over the finite elements. TENSOR (the number of an event in the list, "
        "or the name of an operator) and the filters select tensors. With TENSOR or --show, the "
        "values follow as NumPy prints them, with quantiles and a histogram; machine formats have "
        "them in the column values. --save writes NumPy files. Types that NumPy lacks are saved in "
        "the way numpy.h describes: bfloat16 as <V2, quantized types as their stored integers, "
        "8-bit floats as |V1. Tensors are named by run, event and operator, such as "
        "run1-event00014-addmm.out. --compare finds the array of a tensor in a .npz file by this "
        "name. For a file from another build it uses the order of the tensors of an operator, if "
        "both have equally many, or the operator's name. Arrays named arr_0, arr_1 and so on are "
        "taken in the order of the list. Without tolerances, the verdict is that of "
        "torch.testing.assert_close for the type, and the exit code is 0. --heat-map draws the "
        "last two dimensions as one tile per matrix.",
    .options = option_list,
    .examples =
        "etscope tensors debug.etdp --debug-buffer debug.bin --etrecord model.etrecord\n"
        "etscope tensors debug.etdp 5 --debug-buffer debug.bin --heat-map tensor.png\n"
        "etscope tensors debug.etdp --debug-buffer debug.bin --name 'addmm*' --save tensors.npz\n"
        "etscope tensors debug.etdp output --debug-buffer debug.bin --compare y.npy --atol 0.5",
    .guide = "tensors.md",
    .tells_columns = true,
    .run = cmd_tensors,
};
