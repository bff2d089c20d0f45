/* The command `tap`: a program whose delegates hand out the values within. */
#include <stdlib.h>
#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/files/inputs.h"
#include "cli/tap/chosen_values.h"
#include "host/output.h"
#include "host/text_builder.h"
#include "output/table/tap_table.h"

static const struct cli_command_option option_list[] = {
    {"--output", .help = "The program to write"},
    {"--list", .help = "List the values within the delegates, and which of them can be had"},
    {"--only",
     .help = "Hand out only these: debug handles, such as 36, or values as --list names them, such "
             "as 0:12; default all"},
    {"--fused"},
    {"--as"},
    {"--etrecord", .help = "The ETRecord of the export; adds names and source lines to --list"},
    {"--no-siblings", .help = "Ignore the ETRecord found beside the program"},
    {"--columns", .help = "Only these columns of --list, in this order"},
    {"--format"},
    {"--color"},
    {"--width"},
    {NULL},
};

struct subject {
    const struct cli_arguments *arguments;
    const char *path;
    struct cli_program model;
    struct cli_record record;
    struct ets_delegation *delegations; /* NULL: no record */
    struct ets_arena arena;
    struct ets_payload_store store;
    struct ets_taps taps;
    struct ets_inside_values values;
};

static enum ets_status open_delegations(struct subject *s, struct ets_error *error)
{
    const struct ets_delegation_options options = {.program = &s->model.program,
                                                   .record = s->record.record};
    return ets_delegation_open(&options, &s->delegations, error);
}

static bool is_record_of(void *context, const struct cli_record *record)
{
    struct subject *s = context;
    (void)record; /* the subject's */
    return open_delegations(s, NULL) == ETS_OK;
}

/* The record is for names, so only the list needs it. */
static int open_record(struct subject *s)
{
    struct ets_error error;
    const char *path = cli_value(s->arguments, "--etrecord");
    if (!cli_has(s->arguments, "--list")) return CLI_OK;
    if (path == NULL) {
        cli_sibling_record(s->arguments, s->path, is_record_of, s, &s->record);
        return CLI_OK;
    }
    const int code = cli_record_open(path, &s->record);
    if (code != CLI_OK) return code;
    return open_delegations(s, &error) == ETS_OK ? CLI_OK : cli_fail(path, &error);
}

static int open_all(struct subject *s)
{
    struct ets_error error;
    int code = cli_program_open(s->path, &s->model);
    if (code == CLI_OK) code = open_record(s);
    if (code != CLI_OK) return code;
    ets_payload_store_init(&s->store, &s->arena, &s->model.program);
    if (ets_taps_find(&s->arena, &s->model.program, &s->store, &s->taps, &error) != ETS_OK ||
        ets_inside_values_collect(&s->arena, &s->model.program, &s->taps, s->delegations,
                                  s->record.record, &s->values, &error) != ETS_OK) {
        return cli_fail(s->path, &error);
    }
    return CLI_OK;
}

static void close_all(struct subject *s)
{
    ets_delegation_close(s->delegations);
    ets_arena_reset(&s->arena);
    cli_record_close(&s->record);
    cli_program_close(&s->model);
}

/* Delegates of which nothing can be had, each backend once. */
static void tell_others(const struct subject *s)
{
    for (uint32_t i = 0; i < s->taps.delegate_count; i++) {
        const struct ets_tap_delegate *delegate = &s->taps.delegates[i];
        if (!delegate->is_first_refused) continue;
        cli_note("values within %.*s cannot be handed out: %s", ETS_TEXT(delegate->backend),
                 delegate->reason);
    }
}

static int list_values(const struct subject *s)
{
    struct ets_error error;
    struct ets_table *table;
    struct ets_table_style style;
    char text[256], bytes[32];
    struct ets_text_builder built = {text, sizeof text, 0}, size = {bytes, sizeof bytes, 0};
    const struct ets_inside_values *values = &s->values;
    if (ets_table_open(NULL, &table, &error) != ETS_OK) return cli_fail(NULL, &error);
    ets_tap_table_fill(table, values);
    int code = cli_choose_columns(s->arguments, table);
    if (code == CLI_OK) {
        ets_add_bytes(&size, values->possible_bytes);
        ets_add_text(&built,
                     "%u of the %u values that operators within delegates make can be handed out, "
                     "%s in all",
                     values->possible, values->count, bytes);
        if (values->fused > 0) {
            ets_add_text(&built, "; %u more are computed in one with what reads them (--fused)",
                         values->fused);
        }
        const struct ets_text headline = ets_built_text(&built);
        cli_put_headline(table, &headline, 1);
        cli_headline("%.*s", ETS_TEXT(headline));
        cli_style(s->arguments, "-", &style);
        code = cli_write_table_to("-", table, &style);
    }
    ets_table_close(table);
    return code;
}

static int write_program(struct subject *s, uint32_t count)
{
    struct ets_error error;
    struct ets_rewritten rewritten;
    struct ets_output *output;
    const bool as_outputs = cli_choice(s->arguments, "--as", 0) == 1;
    const struct ets_tap_options options = {.as_outputs = as_outputs};
    const char *path = cli_value(s->arguments, "--output");
    if (ets_tapped_program(&s->arena, &s->model.program, &s->taps, &options, &rewritten, &error) !=
        ETS_OK) {
        return cli_fail(s->path, &error);
    }
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    for (uint32_t i = 0; i < rewritten.part_count; i++) {
        ets_output_write(output, rewritten.parts[i].data, rewritten.parts[i].size);
    }
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    cli_note(
        "%s hands out %u value%s of its delegates%s; times of its runs are not the model's",
        strcmp(path, "-") == 0 ? "standard output" : path, count, count == 1 ? "" : "s",
        as_outputs ? ", as outputs behind its own" : ", to a tracer that captures intermediates");
    return CLI_OK;
}

static int cmd_tap(const struct cli_arguments *arguments)
{
    if (arguments->word_count != 1) {
        return cli_complain(CLI_USAGE,
                            "tap needs one program: etscope tap model.pte -o tapped.pte");
    }
    if (!cli_has(arguments, "--output") && !cli_has(arguments, "--list")) {
        return cli_complain(CLI_USAGE, "tap needs an output file, -o tapped.pte, or --list");
    }
    int code = cli_check_stdin(arguments);
    if (code != CLI_OK) return code;
    struct subject s = {.arguments = arguments, .path = arguments->words[0]};
    uint32_t count = 0;
    ets_arena_init(&s.arena, NULL, 0);
    code = open_all(&s);
    if (code == CLI_OK) tell_others(&s);
    if (code == CLI_OK && cli_has(arguments, "--output")) {
        code = cli_choose_values(arguments, &s.values, &count);
    }
    if (code == CLI_OK && cli_has(arguments, "--list")) code = list_values(&s);
    if (code == CLI_OK && cli_has(arguments, "--output")) code = write_program(&s, count);
    close_all(&s);
    return code;
}

const struct cli_command cli_tap_command = {
    .name = "tap",
    .task = CLI_TASK_DATA,
    .summary = "make a program whose delegates hand out the values within",
    .arguments = "MODEL",
    .description =
        "Writes a program that is MODEL, but that calls of XNNPACK also give values from within: "
        "what each of their operators computes. It needs neither PyTorch nor a new export, and "
        "runs "
        "on any runtime that runs MODEL. A tracer that captures intermediates then has the values "
        "(`run --capture delegates` does all of it, and compares with MODEL); with --as outputs "
        "they "
        "are further outputs of the method, for a runtime without tracer. Left out are values "
        "between operators that the runtime computes in one, which --fused adds. `gap` compares "
        "the "
        "values with the model's: give it the written program. Weights are not copied into memory. "
        "Other backends say what can be done instead.",
    .options = option_list,
    .examples =
        "etscope tap xnnpack.pte --list --etrecord xnnpack.etrecord\n"
        "etscope tap xnnpack.pte -o tapped.pte\n"
        "etscope tap xnnpack.pte --only 1,3 --as outputs -o tapped.pte",
    .guide = "numerics.md#inside-a-delegate",
    .run = cmd_tap,
};
