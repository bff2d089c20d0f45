/* The command `delegates`: what was delegated, and what was not. */
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/write_table.h"
#include "cli/inspect/show.h"
#include "cli/open/inputs.h"
#include "output/table/delegate_table.h"

const struct cli_option cli_delegates_options[] = {
    {"--etrecord", NULL, "FILE", "The ETRecord that the export wrote, for source lines", NULL,
     false},
    {"--method", NULL, "NAME", "Only this method; a trace that fits several is one of it", NULL,
     false},
    {"--calls", NULL, NULL, "Only the instructions, without what delegates run inside", NULL,
     false},
    {"--format", "-f", "table|tsv|csv|json|jsonl|markdown", "How to print the table", NULL, false},
    {"--unit", NULL, "ns|us|ms|s", "One unit for all times instead of the best for each column",
     NULL, false},
    {"--width", NULL, "N", "Columns of the table; default: the terminal's, or no limit", NULL,
     false},
    {"--output", NULL, "FILE", "Write the table to FILE instead of standard output", NULL, false},
    {"--source-time-scale", "--source_time_scale", "ns|us|ms|s|cycles",
     "What the trace counts its times in; default ns", NULL, false},
    {"--partial", NULL, NULL, "Read a damaged trace as far as whole parts remain", NULL, false},
    {"--allow-mismatch", NULL, NULL, "Go on where trace and ETRecord or program disagree", NULL,
     false},
    {NULL, NULL, NULL, NULL, NULL, false},
};

/* What the command reads. */
struct subject {
    const struct cli_arguments *arguments;
    const char *program_path, *trace_path; /* trace_path NULL: none */
    struct cli_program program;
    struct cli_record record;
    struct ets_delegations *delegations;
    struct ets_file *trace;
    struct ets_inspection *inspection;
};

static int open_trace(struct subject *s)
{
    struct ets_error error;
    if (s->trace_path == NULL) return CLI_OK;
    if (cli_file_open(s->trace_path, &s->trace, &error) != ETS_OK) {
        return cli_fail(s->trace_path, &error);
    }
    const struct ets_inspect_options options = {
        .record = s->record.record,
        .program = &s->program.program,
        .method = cli_value(s->arguments, "--method"),
        .partial = cli_has(s->arguments, "--partial"),
        .allow_mismatch = cli_has(s->arguments, "--allow-mismatch"),
        .tick_unit =
            (enum ets_time_unit)cli_choice(s->arguments, "--source-time-scale", ETS_UNIT_NS),
    };
    const struct ets_bytes dump = ets_file_bytes(s->trace);
    if (ets_inspection_open(dump, &options, &s->inspection, &error) != ETS_OK) {
        return cli_fail(s->trace_path, &error);
    }
    return CLI_OK;
}

static int open_all(struct subject *s)
{
    int code = cli_program_open(s->program_path, &s->program);
    const char *record_path = cli_value(s->arguments, "--etrecord");
    if (code == CLI_OK) code = cli_record_open(record_path, &s->record);
    if (code != CLI_OK) return code;
    struct ets_error error;
    const struct ets_delegations_options options = {
        .program = &s->program.program,
        .record = s->record.record,
        .method = cli_value(s->arguments, "--method"),
    };
    const enum ets_status status = ets_delegations_open(&options, &s->delegations, &error);
    if (status == ETS_NOT_FOUND) {
        cli_fail(s->program_path, &error); /* --method's name */
        return CLI_USAGE;
    }
    if (status != ETS_OK) {
        return cli_fail(status == ETS_MISMATCH ? record_path : s->program_path, &error);
    }
    return open_trace(s);
}

static void close_all(struct subject *s)
{
    ets_inspection_close(s->inspection);
    ets_file_close(s->trace);
    ets_delegations_close(s->delegations);
    cli_record_close(&s->record);
    cli_program_close(&s->program);
}

/* Calls of which no more is known than their nodes, and blocks that are nobody's. */
static void print_notes(const struct subject *s)
{
    enum { MOST = 3 };
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < ets_delegations_count(s->delegations); i++) {
        const struct ets_delegation *step = ets_delegations_step(s->delegations, i);
        if (step->reason == NULL || ++unknown > MOST) continue;
        cli_note("%s, instruction %u: %s", step->method_name, step->instruction, step->reason);
    }
    if (unknown > MOST) {
        cli_note("and %u more call%s like these", unknown - MOST, unknown - MOST == 1 ? "" : "s");
    }
    if (s->inspection == NULL) return;
    const char *reason = NULL;
    for (uint32_t i = 0; i < ets_inspection_row_count(s->inspection); i++) {
        const struct ets_row *row = ets_inspection_row(s->inspection, i);
        if (row->tie != ETS_TIE_CALL || row->tie_reason == reason) continue;
        reason = row->tie_reason; /* the same text for all events of a call */
        if (reason != NULL) {
            cli_note("no times inside of instruction %d: %s", row->instruction, reason);
        }
    }
    for (uint32_t i = 0; i < ets_inspection_block_count(s->inspection); i++) {
        const struct ets_block *block = ets_inspection_block(s->inspection, i);
        if (block->method_state == ETS_METHOD_AMBIGUOUS) {
            cli_note("block %u is not joined, its method is ambiguous: %s; --method decides", i,
                     block->method);
        } else if (block->method_state == ETS_METHOD_MISMATCH) {
            cli_note("block %u is not joined: %s", i, block->reason);
        }
    }
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
    };
    int code = CLI_OK;
    if (ets_delegate_table_fill(table, s->delegations, &options, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    } else {
        struct ets_table_style style;
        const char *path =
            cli_has(s->arguments, "--output") ? cli_value(s->arguments, "--output") : "-";
        cli_style(s->arguments, path, &style);
        code = cli_write_table(s->arguments, table, &style);
    }
    ets_table_close(table);
    return code;
}

int cmd_delegates(const struct cli_arguments *arguments)
{
    static const char *const inputs[] = {"--etrecord", NULL};
    bool ok = true;
    if (arguments->word_count == 0 || arguments->word_count > 2) {
        return cli_complain(CLI_USAGE,
                            "delegates needs a program, and takes a trace of it: etscope "
                            "delegates model.pte profile.etdp");
    }
    (void)cli_number(arguments, "--width", 0, 20, 10000, &ok); /* used by cli_style */
    if (!ok) return CLI_USAGE;
    int code = cli_check_stdin(arguments, inputs);
    if (code != CLI_OK) return code;
    struct subject subject = {
        .arguments = arguments,
        .program_path = arguments->words[0],
        .trace_path = arguments->word_count == 2 ? arguments->words[1] : NULL,
    };
    code = open_all(&subject);
    if (code == CLI_OK) {
        print_notes(&subject);
        code = show(&subject);
    }
    close_all(&subject);
    return code;
}
