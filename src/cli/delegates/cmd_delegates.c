/* The command `delegates`: shows what was delegated, and what was left out. */
#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/bounds.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/files/inputs.h"
#include "cli/files/machine_option.h"
#include "cli/files/trace_file.h"
#include "cli/traces/inspected.h"
#include "cli/traces/record_notes.h"
#include "cli/traces/trace_notes.h"
#include "output/table/delegate_table.h"

static const struct cli_command_option option_list[] = {
    {"--etrecord"},
    {"--method", .help = "Only this method; or the method that ran, if the trace fits several"},
    {"--no-siblings", .help = "Ignore the ETRecord found beside the program or the trace"},
    {"--calls"},
    {"--cost",
     .help =
         "Also show the work of operators: operations, bytes, and with a trace both per second"},
    CLI_MACHINE_OPTIONS,
    {"--format"},
    {"--unit"},
    {"--all"},
    {"--bounds"},
    {"--color"},
    {"--width"},
    {"--output"},
    {"--source-time-scale"},
    {"--partial"},
    {"--allow-mismatch"},
    {NULL},
};

/* The files of the command. */
struct subject {
    const struct cli_arguments *arguments;
    const char *program_path, *trace_path; /* trace_path NULL: none */
    struct cli_program program;
    struct cli_record record;
    struct ets_delegation *delegations;
    struct ets_file *trace;
    struct ets_inspection *inspection;
    struct ets_arena arena; /* of the machine */
    struct ets_machine machine;
    uint32_t threads;    /* 0: no machine */
    const char *refused; /* a sibling ETRecord that does not agree; NULL: none */
};

static enum ets_status open_inspection(struct subject *s, bool allow_mismatch,
                                       struct ets_error *error)
{
    const struct ets_inspect_options options = {
        .record = s->record.record,
        .program = &s->program.program,
        .method = cli_value(s->arguments, "--method"),
        .partial = cli_has(s->arguments, "--partial"),
        .allow_mismatch = allow_mismatch,
        .tick_unit =
            (enum ets_time_unit)cli_choice(s->arguments, "--source-time-scale", ETS_UNIT_NS),
    };
    return ets_inspection_open(ets_file_bytes(s->trace), &options, &s->inspection, error);
}

static enum ets_status open_delegations(struct subject *s, struct ets_error *error)
{
    const struct ets_delegation_options options = {
        .program = &s->program.program,
        .record = s->record.record,
        .method = cli_value(s->arguments, "--method"),
    };
    return ets_delegation_open(&options, &s->delegations, error);
}

/* Whether the ETRecord's graph matches any instruction of the program. */
static bool has_nodes(const struct ets_delegation *delegations)
{
    for (uint32_t i = 0; i < ets_delegation_count(delegations); i++) {
        if (ets_delegation_step_at(delegations, i)->node_count > 0) return true;
    }
    return false;
}

/* Whether program and trace agree with a sibling ETRecord. Opens both. */
static bool agrees(struct subject *s)
{
    if (open_delegations(s, NULL) != ETS_OK || !has_nodes(s->delegations)) return false;
    if (s->trace == NULL) return true;
    if (open_inspection(s, false, NULL) != ETS_OK) return false;
    for (uint32_t i = 0; i < ets_inspection_block_count(s->inspection); i++) {
        const struct ets_block *block = ets_inspection_block(s->inspection, i);
        if (block->method_state == ETS_METHOD_MISMATCH) return false;
    }
    return true;
}

/* Closes an ETRecord that was tried, and what was opened for that. */
static void take_back(struct subject *s)
{
    ets_inspection_close(s->inspection);
    ets_delegation_close(s->delegations);
    cli_record_close(&s->record);
    s->inspection = NULL;
    s->delegations = NULL;
    s->record = (struct cli_record){.file = NULL};
}

/* Looks for a sibling ETRecord: of the program's name, otherwise of the trace's. */
static void find_record(struct subject *s)
{
    static char paths[2][CLI_SIBLING_BYTES]; /* the ETRecord's name points into these */
    const char *const names[] = {s->program_path, s->trace_path};
    if (!cli_siblings_wanted(s->arguments)) return;
    for (int i = 0; i < 2; i++) {
        if (names[i] == NULL || !cli_sibling_path(names[i], ".etrecord", paths[i])) continue;
        if (cli_record_read(paths[i], &s->record, NULL) == ETS_OK && agrees(s)) {
            cli_note("using %s beside the %s; --no-siblings ignores it", paths[i],
                     i == 0 ? "program" : "trace");
            s->refused = NULL;
            return;
        }
        take_back(s);
        if (s->refused == NULL) s->refused = paths[i];
    }
}

static int complain_delegations(const struct subject *s, const struct ets_error *error)
{
    const bool is_records = error->status == ETS_MISMATCH;
    const int code =
        cli_fail(is_records ? cli_value(s->arguments, "--etrecord") : s->program_path, error);
    return error->status == ETS_NOT_FOUND ? CLI_USAGE : code; /* --method's name */
}

static int open_all(struct subject *s)
{
    struct ets_error error;
    int code = cli_program_open(s->program_path, &s->program);
    if (code == CLI_OK) code = cli_record_open(cli_value(s->arguments, "--etrecord"), &s->record);
    if (code != CLI_OK) return code;
    if (s->trace_path != NULL && cli_trace_open(s->trace_path, &s->trace, &error) != ETS_OK) {
        return cli_fail(s->trace_path, &error);
    }
    find_record(s);
    if (s->delegations == NULL && open_delegations(s, &error) != ETS_OK) {
        return complain_delegations(s, &error);
    }
    const bool allow_mismatch = cli_has(s->arguments, "--allow-mismatch");
    if (s->trace != NULL && s->inspection == NULL &&
        open_inspection(s, allow_mismatch, &error) != ETS_OK) {
        return cli_fail(s->trace_path, &error);
    }
    if (s->refused != NULL) cli_note_ignored(s->refused);
    return CLI_OK;
}

static void close_all(struct subject *s)
{
    ets_inspection_close(s->inspection);
    ets_file_close(s->trace);
    ets_delegation_close(s->delegations);
    cli_record_close(&s->record);
    cli_program_close(&s->program);
}

/* Notes calls of which only the nodes are known, and blocks that are not joined. */
static void print_notes(const struct subject *s)
{
    enum { MOST = 3 };
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < ets_delegation_count(s->delegations); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(s->delegations, i);
        if (step->reason == NULL || ++unknown > MOST) continue;
        cli_note("%s, instruction %u: %s", step->method_name, step->instruction, step->reason);
    }
    if (unknown > MOST) {
        cli_note("the same for %u more call%s", unknown - MOST, unknown - MOST == 1 ? "" : "s");
    }
    if (s->inspection == NULL) {
        cli_note_missing_graphs(s->record.record, cli_value(s->arguments, "--method"));
        return;
    }
    const char *reason = NULL;
    for (uint32_t i = 0; i < ets_inspection_row_count(s->inspection); i++) {
        const struct ets_row *row = ets_inspection_row(s->inspection, i);
        if (row->tie != ETS_TIE_CALL || row->tie_reason == reason) continue;
        if (row->payload_node_count > 0) continue; /* only its place in the graph is not known */
        reason = row->tie_reason;                  /* the same text for all events of a call */
        if (reason != NULL) {
            cli_note("no times inside instruction %d: %s", row->instruction, reason);
        }
    }
    cli_note_unjoined(NULL, s->inspection);
}

static int show(const struct subject *s)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    const struct ets_delegate_table_options options = {
        .inspection = s->inspection,
        .tick_unit =
            (enum ets_time_unit)cli_choice(s->arguments, "--source-time-scale", ETS_UNIT_NS),
        .calls_only = cli_has(s->arguments, "--calls"),
        .program = cli_has(s->arguments, "--cost") || s->threads > 0 ? &s->program.program : NULL,
        .record = s->record.record,
        .machine = s->threads > 0 ? &s->machine : NULL,
        .threads = s->threads,
    };
    int code = CLI_OK;
    if (ets_delegate_table_fill(table, s->delegations, &options, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    } else {
        struct ets_table_style style;
        const char *path = cli_result_path(s->arguments);
        cli_style(s->arguments, path, &style);
        struct ets_text headline = ets_table_headline(table);
        if (headline.data == NULL) headline = ets_table_heading(table);
        cli_headline("%.*s", ETS_TEXT(headline));
        code = cli_write_table(s->arguments, table, &style);
    }
    ets_table_close(table);
    return code;
}

static int cmd_delegates(const struct cli_arguments *arguments)
{
    if (arguments->word_count == 0 || arguments->word_count > 2) {
        return cli_complain(CLI_USAGE,
                            "delegates needs a program and optionally its trace: etscope delegates "
                            "model.pte profile.etdp");
    }
    if (cli_has(arguments, "--machine") && arguments->word_count < 2) {
        return cli_complain(CLI_USAGE,
                            "--machine needs a trace, which has the times of operators: "
                            "etscope delegates model.pte profile.etdp");
    }
    int code = cli_check_machine_threads(arguments);
    if (code == CLI_OK) code = cli_check_stdin(arguments);
    if (code != CLI_OK) return code;
    struct subject subject = {
        .arguments = arguments,
        .program_path = arguments->words[0],
        .trace_path = arguments->word_count == 2 ? arguments->words[1] : NULL,
    };
    ets_arena_init(&subject.arena, NULL, 0);
    code = cli_machine_option(arguments, &subject.arena, &subject.machine, &subject.threads);
    if (code == CLI_OK) code = open_all(&subject);
    if (code == CLI_OK) {
        print_notes(&subject);
        code = show(&subject);
    }
    close_all(&subject);
    ets_arena_reset(&subject.arena);
    return code;
}

const struct cli_command cli_delegates_command = {
    .name = "delegates",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "show what was delegated, and the operators left out of delegates",
    .arguments = "PROGRAM [TRACE]",
    .description =
        "Lists the instructions of PROGRAM (a .pte or .bpte) in their order: each delegate call "
        "with the operators that its backend runs inside, and the kernels left outside, with the "
        "bytes of their input and output tensors. With a TRACE of the program, also shows how long "
        "each took. Source lines and modules need the ETRecord of the export. The operators inside "
        "are those of the payload where it can be read (docs/delegates.md lists the backends), "
        "else "
        "of the map that the backend gave the ETRecord, else the nodes of the ETRecord's graph.",
    .options = option_list,
    .examples =
        "etscope delegates model.pte --etrecord model.etrecord\n"
        "etscope delegates model.pte profile.etdp --etrecord model.etrecord",
    .guide = "delegates.md",
    .run = cmd_delegates,
};
