/* Shows an inspection, by the options that `inspect` and `profile` share. */
#include "cli/inspect/show.h"
#include "host/output.h"

#include <stdlib.h>
#include <string.h>

#include "cli/beside/debug_buffer.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/core/write_table.h"
#include "cli/files/machine_option.h"
#include "cli/inspect/compare_results.h"
#include "cli/inspect/show_memory.h"
#include "cli/inspect/upstream_table.h"
#include "cli/traces/trace_notes.h"
#include "inspect/patterns.h"
#include "inspect/stated_nodes.h"
#include "output/picture/roofline_picture.h"
#include "output/table/account_table.h"
#include "output/table/operator_table.h"
#include "output/table/run_table.h"
#include "views/account_lines.h"
#include "views/headline.h"
#include "views/operator_options.h"
#include "views/part_table.h"

/* Further choices of --group-by, after enum ets_group_by: tables of runs. */
enum { GROUP_METHOD = ETS_GROUP_LAYER + 1, GROUP_RUN };

enum { MAX_TOKENS = 64, METHOD_BYTES = 128 };

/* The parsed options. */
struct request {
    bool is_of_runs;
    struct ets_run_table_options runs; /* where it is */
    struct ets_method_tokens tokens[MAX_TOKENS];
    char token_methods[MAX_TOKENS][METHOD_BYTES];
    struct ets_inspect_options inspect;
    struct ets_operator_options table;
    struct ets_arena arena; /* of the machine and the parts */
    struct ets_machine machine;
    struct ets_part_table parts;
    struct cli_filter filter;
    enum ets_time_unit target;
};

/* "prefill=128" */
static bool parse_tokens(const struct cli_arguments *arguments, struct request *request)
{
    const char *word;
    for (unsigned i = 0; (word = cli_value_at(arguments, "--tokens", i)) != NULL; i++) {
        char *end = NULL;
        const char *equals = strrchr(word, '=');
        const double tokens = equals == NULL ? 0 : strtod(equals + 1, &end);
        const size_t size = equals == NULL ? 0 : (size_t)(equals - word);
        const bool is_number = end != NULL && end != equals + 1 && *end == '\0';
        if (!is_number || !(tokens > 0 && tokens < 1e15) || size == 0 || size >= METHOD_BYTES ||
            i == MAX_TOKENS) {
            cli_complain(
                CLI_USAGE,
                "--tokens takes a method and a number of tokens, such as prefill=128, not \"%s\"",
                word);
            return false;
        }
        memcpy(request->token_methods[i], word, size);
        request->tokens[i] = (struct ets_method_tokens){request->token_methods[i], tokens};
        request->runs.token_count = i + 1;
    }
    request->runs.tokens = request->tokens;
    return true;
}

static bool check_run_options(const struct cli_arguments *arguments, struct request *request)
{
    static const char *const others[] = {"--sort", "--all", "--depth", "--cost", "--machine", NULL};
    const int group = cli_choice(arguments, "--group-by", ETS_GROUP_NONE);
    request->is_of_runs = group == GROUP_METHOD || group == GROUP_RUN;
    request->runs.of.one_by_one = group == GROUP_RUN;
    const char *other = cli_first_given(arguments, others);
    if (request->is_of_runs && other != NULL) {
        cli_complain(CLI_USAGE, "%s and --group-by method or run exclude each other", other);
        return false;
    }
    if (!request->is_of_runs && cli_has(arguments, "--tokens")) {
        cli_complain(CLI_USAGE, "--tokens needs --group-by method or run");
        return false;
    }
    return parse_tokens(arguments, request);
}

static bool parse_request(const struct cli_arguments *arguments, const struct cli_subject *subject,
                          struct request *request)
{
    bool ok = true;
    *request = (struct request){
        .inspect = cli_inspection_options(arguments, subject),
        .table =
            {
                .group_by = (enum ets_group_by)cli_choice(arguments, "--group-by", ETS_GROUP_NONE),
                .top = (uint32_t)cli_number(arguments, "--top", 0),
                .block = ETS_NO_INDEX,
                .run = ETS_NO_INDEX,
                .steady = cli_has(arguments, "--steady"),
                .all_events = cli_has(arguments, "--all"),
                .depth = (uint32_t)cli_number(arguments, "--depth", 0),
                .has_costs = cli_has(arguments, "--cost") || cli_has(arguments, "--machine"),
            },
    };
    if (cli_filter_parse(arguments, &request->filter) != CLI_OK) ok = false;
    if (!check_run_options(arguments, request)) ok = false;
    if (cli_check_steady(arguments) != CLI_OK) ok = false;
    if (cli_has(arguments, "--depth") && request->table.group_by != ETS_GROUP_MODULE) {
        cli_complain(CLI_USAGE, "--depth needs --group-by module");
        ok = false;
    }
    if (cli_has(arguments, "--parts") && request->table.group_by != ETS_GROUP_PART) {
        cli_complain(CLI_USAGE, "--parts needs --group-by part");
        ok = false;
    }
    request->table.sort = (enum ets_sort_by)cli_choice(
        arguments, "--sort",
        cli_has(arguments, "--top") || request->table.group_by != ETS_GROUP_NONE ? ETS_SORT_TIME
                                                                                 : ETS_SORT_ORDER);
    return ok;
}

/* Reads the file of --parts. Returns an exit code. */
static int read_parts(const struct cli_arguments *arguments, struct request *request)
{
    const char *path = cli_value(arguments, "--parts");
    struct ets_file *file;
    struct ets_error error;
    if (path == NULL) return CLI_OK;
    if (cli_file_open(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
    const enum ets_status status =
        ets_part_table_read(ets_file_bytes(file), &request->arena, &request->parts, &error);
    ets_file_close(file);
    request->table.parts = &request->parts;
    return status == ETS_OK ? CLI_OK : cli_fail(path, &error);
}

/* Says where --prompt has no effect, because the trace knows better, or nothing that ran takes it.
 */
static int check_prompt(const struct cli_arguments *arguments,
                        const struct ets_inspection *inspection)
{
    const uint32_t prompt = (uint32_t)cli_number(arguments, "--prompt", 0);
    bool is_used = false, has_tokens = false;
    for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        has_tokens = has_tokens || run->tokens > 0;
        is_used = is_used || (run->stage == ETS_STAGE_PREFILL && run->tokens == prompt);
    }
    if (prompt == 0 || is_used) return CLI_OK;
    if (!has_tokens) {
        return cli_complain(CLI_USAGE,
                            "--prompt %u is of runs, and the trace has no run of a method", prompt);
    }
    cli_note("the trace tells its tokens: ignored --prompt %u", prompt);
    return CLI_OK;
}

/*
 * Determines the units of the trace and the table. A trace that states its unit is never rescaled;
 * cycles cannot be converted to time.
 */
static int settle_units(const struct cli_arguments *arguments,
                        const struct ets_inspection *inspection, struct request *request)
{
    int is_known;
    const enum ets_time_unit said = request->inspect.tick_unit;
    const enum ets_time_unit source = ets_inspection_tick_unit(inspection, &is_known);
    if (source != said && cli_has(arguments, "--source-time-scale")) {
        cli_note("the trace states that its times are %s: ignored --source-time-scale %s",
                 ets_time_unit_name(source), ets_time_unit_name(said));
    }
    request->target =
        (enum ets_time_unit)cli_choice(arguments, "--target-time-scale",
                                       source == ETS_UNIT_CYCLES ? ETS_UNIT_CYCLES : ETS_UNIT_MS);
    if ((source == ETS_UNIT_CYCLES) == (request->target == ETS_UNIT_CYCLES)) return CLI_OK;
    if (is_known) {
        return cli_complain(CLI_USAGE,
                            "the trace states that its times are %s, which cannot be converted to "
                            "--target-time-scale %s",
                            ets_time_unit_name(source), ets_time_unit_name(request->target));
    }
    return cli_complain(CLI_USAGE,
                        "cycles cannot be converted to time: --source-time-scale and "
                        "--target-time-scale must both be cycles, or neither");
}

/* Checks options that --tree excludes. */
static int check_tree(const struct cli_arguments *arguments)
{
    if (!cli_has(arguments, "--tree")) return CLI_OK;
    if (cli_has(arguments, "--group-by")) {
        return cli_complain(
            CLI_USAGE,
            "--tree and --group-by exclude each other; --group-by module also shows self times");
    }
    if (cli_has(arguments, "--cost")) {
        return cli_complain(CLI_USAGE,
                            "--tree divides times, --cost work: use --cost without --tree");
    }
    if (!cli_has(arguments, "--sort")) return CLI_OK;
    return cli_complain(CLI_USAGE,
                        "--tree is always in order of execution, without --sort; --top N shows the "
                        "rows with the largest self time");
}

static enum ets_status fill_runs(struct ets_table *table, const struct ets_inspection *inspection,
                                 const struct request *request, struct ets_error *error)
{
    struct ets_run_table_options options = request->runs;
    options.of.block = request->table.block;
    options.of.run = request->table.run;
    options.of.steady = request->table.steady;
    options.top = request->table.top;
    options.of.filter = request->table.filter;
    return ets_run_table_fill(table, inspection, &options, error);
}

static enum ets_status fill_any(const struct cli_arguments *arguments, struct ets_table *table,
                                const struct ets_inspection *inspection,
                                const struct request *request, struct ets_error *error)
{
    const struct ets_account_options tree = {.block = request->table.block,
                                             .run = request->table.run,
                                             .steady = cli_has(arguments, "--steady"),
                                             .all_events = request->table.all_events,
                                             .top = request->table.top,
                                             .filter = request->table.filter};
    if (cli_has(arguments, "--tree")) {
        return ets_account_table_fill(table, inspection, &tree, error);
    }
    if (request->is_of_runs) return fill_runs(table, inspection, request, error);
    return ets_operator_table_fill(table, inspection, &request->table, error);
}

/* Writes the requested table with the requested columns. */
static int fill_table(const struct cli_arguments *arguments, struct ets_table *table,
                      const struct ets_inspection *inspection, const struct request *request)
{
    struct ets_error error;
    const enum ets_status status = fill_any(arguments, table, inspection, request, &error);
    return status == ETS_OK ? cli_choose_columns(arguments, table) : cli_fail(NULL, &error);
}

/* Puts the answer first: above a table, and as the headline of a document. */
static bool put_headline(struct ets_table *table, const struct ets_inspection *inspection,
                         const struct cli_subject *subject, const struct request *request)
{
    struct ets_arena arena;
    struct ets_sentences headline;
    ets_arena_init(&arena, NULL, 0);
    const struct ets_headline_options options = {.block = request->table.block,
                                                 .run = request->table.run,
                                                 .steady = request->table.steady,
                                                 .program = subject->program};
    const bool ok = ets_headline_make(&arena, inspection, &options, &headline);
    if (ok) cli_put_headline(table, headline.items, headline.count);
    ets_arena_reset(&arena);
    return ok;
}

static int write_operators(const struct cli_arguments *arguments, const struct cli_subject *subject,
                           const struct ets_inspection *inspection, const struct request *request)
{
    struct ets_table *table;
    struct ets_error error;
    const char *path = cli_result_path(arguments);
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code = fill_table(arguments, table, inspection, request);
    if (code == CLI_OK && !ets_row_filter_is_empty(&request->table.filter)) {
        cli_put_headline(table, NULL, 0);
    } else if (code == CLI_OK && !put_headline(table, inspection, subject, request)) {
        code = cli_complain(CLI_INTERNAL, "no memory for the headline");
    }
    if (code == CLI_OK) {
        struct ets_table_style style;
        cli_style(arguments, path, &style);
        if (style.time_unit == NULL && cli_has(arguments, "--target-time-scale")) {
            style.time_unit = ets_time_unit_name(request->target);
        }
        code = cli_write_table(arguments, table, &style);
    }
    ets_table_close(table);
    return code;
}

/*
 * Checks that every tensor of the trace is inside the debug buffer; reports the first that is not.
 */
static int check_debug_buffer(const struct ets_inspection *inspection,
                              const struct cli_subject *subject)
{
    if (subject->debug_buffer_path == NULL) return CLI_OK;
    const struct ets_event_table *events = ets_inspection_events(inspection);
    const struct ets_etdump *dump = ets_inspection_dump(inspection);
    for (uint32_t i = 0; i < events->count; i++) {
        if (events->kind[i] != ETS_EVENT_DEBUG) continue;
        struct ets_debug_value value;
        ets_etdump_debug_value(dump, (size_t)events->payload_at[i], &value);
        for (uint32_t t = 0; t < value.tensor_count; t++) {
            struct ets_tensor tensor;
            struct ets_error error;
            int64_t offset;
            if (ets_etdump_tensor(dump, &value, t, &tensor, &offset, &error) != ETS_OK) {
                return cli_fail(subject->path, &error);
            }
            const enum ets_status status =
                ets_etdump_tensor_data(subject->debug_buffer, offset, &tensor, &error);
            if (status != ETS_OK && status != ETS_NOT_FOUND) {
                return cli_fail(subject->debug_buffer_path, &error);
            }
        }
    }
    return CLI_OK;
}

/* Draws the operators below the roofs of the machine. */
static int draw_roofline(const struct cli_arguments *arguments,
                         const struct ets_inspection *inspection, const struct request *request)
{
    struct ets_output *output;
    struct ets_error error;
    const char *path = cli_result_path(arguments);
    const struct ets_roofline_options options = {.machine = request->table.machine,
                                                 .threads = request->table.threads,
                                                 .run = request->table.run,
                                                 .steady = request->table.steady};
    if (options.machine == NULL) {
        return cli_complain(CLI_USAGE, "%s: a picture needs --machine FILE: it is a roofline chart",
                            path);
    }
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    if (ets_roofline_picture_write(inspection, &options, NULL, output, &error) != ETS_OK) {
        ets_output_discard(output);
        return cli_fail(NULL, &error);
    }
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}

/* Whether its groups are places of the model. */
static bool needs_record(const struct request *request)
{
    const enum ets_group_by by = request->table.group_by;
    return !request->is_of_runs &&
           (by == ETS_GROUP_SOURCE || by == ETS_GROUP_FILE || by == ETS_GROUP_MODULE ||
            by == ETS_GROUP_PART || by == ETS_GROUP_LAYER);
}

static int show(const struct cli_arguments *arguments, const struct cli_subject *subject,
                struct ets_inspection *inspection, struct request *request)
{
    const char *tsv_path = cli_value(arguments, "--tsv-path");
    int code = settle_units(arguments, inspection, request);
    if (code == CLI_OK) {
        code = cli_choose_rows(arguments, inspection, &request->table.block, &request->table.run);
    }
    if (code == CLI_OK) {
        code = cli_filter_settle(&request->filter, inspection, subject->method,
                                 request->table.block, request->table.run);
        request->table.filter = request->filter.filter;
    }
    if (code == CLI_OK) code = check_debug_buffer(inspection, subject);
    if (code != CLI_OK) return code;
    cli_print_notes(inspection);
    cli_note_debug_buffer(inspection, subject->debug_buffer_path, subject->debug_buffer);
    const bool is_upstream = cli_wants_upstream(arguments);
    if (!is_upstream && needs_record(request) && subject->record == NULL &&
        ets_inspection_runtime(inspection).size == 0) {
        cli_note("parts, layers, modules and source lines need --etrecord model.etrecord");
    }
    if (subject->program == NULL && !is_upstream && !request->is_of_runs) {
        cli_note_whole_calls(inspection);
    }
    if (is_upstream) {
        const char *path = cli_result_path(arguments);
        code = cli_write_upstream(inspection, request->target, path);
    } else if (cli_is_picture(cli_result_path(arguments))) {
        code = draw_roofline(arguments, inspection, request);
    } else {
        code = write_operators(arguments, subject, inspection, request);
    }
    if (code == CLI_OK && tsv_path != NULL) {
        code = cli_write_upstream(inspection, request->target, tsv_path);
    }
    if (code == CLI_OK && cli_has(arguments, "--compare-results")) {
        code = cli_compare_results(arguments, subject, inspection);
    }
    return code;
}

/* A machine format cannot hold two tables in one document. */
static int check_documents(const struct cli_arguments *arguments)
{
    const char *format = cli_value(arguments, "--format");
    const char *path = cli_result_path(arguments);
    const bool is_for_people =
        format == NULL || strcmp(format, "table") == 0 || strcmp(format, "markdown") == 0;
    const bool goes_to_stdout = strcmp(path, "-") == 0;
    if (is_for_people || !goes_to_stdout || !cli_has(arguments, "--compare-results")) return CLI_OK;
    return cli_complain(CLI_USAGE,
                        "--compare-results with --format %s needs --output FILE for the operator "
                        "table: the comparison goes to standard output",
                        format);
}

int cli_show(const struct cli_arguments *arguments, struct cli_subject *subject)
{
    struct request request;
    if (cli_check_upstream(arguments) != CLI_OK || cli_check_memory(arguments) != CLI_OK) {
        return CLI_USAGE;
    }
    if (!parse_request(arguments, subject, &request)) return CLI_USAGE;
    if (check_documents(arguments) != CLI_OK || check_tree(arguments) != CLI_OK) return CLI_USAGE;
    if (cli_has(arguments, "--compare-results") && cli_check_compare(subject) != CLI_OK) {
        return CLI_USAGE;
    }
    ets_arena_init(&request.arena, NULL, 0);
    int code =
        cli_machine_option(arguments, &request.arena, &request.machine, &request.table.threads);
    if (request.table.threads > 0) request.table.machine = &request.machine;
    if (code == CLI_OK) code = read_parts(arguments, &request);
    struct ets_inspection *inspection = NULL;
    if (code == CLI_OK) code = cli_open_inspection(subject, &request.inspect, &inspection);
    if (code == CLI_OK) code = check_prompt(arguments, inspection);
    if (code == CLI_OK && cli_wants_memory(arguments)) {
        code = cli_show_memory(arguments, inspection, subject->path);
    } else if (code == CLI_OK) {
        code = show(arguments, subject, inspection, &request);
    }
    ets_inspection_close(inspection);
    ets_arena_reset(&request.arena);
    return code;
}
