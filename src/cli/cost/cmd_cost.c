/* The command `cost`: what a program computes and moves, without running it. */
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/traces/delegation.h"
#include "cli/traces/record_notes.h"
#include "output/table/cost_table.h"
#include "payload/payload_store.h"

static const struct cli_command_option option_list[] = {
    {"--etrecord"},
    {"--method", .help = "Only this method"},
    {"--no-siblings", .help = "Ignore the ETRecord found beside the program"},
    {"--group-by"},
    {"--depth", .help = "With --group-by module: only this many levels of modules"},
    {"--sort", .value = "order|flops|bytes",
     .help =
         "Order of the lines: of execution, or the largest first; default: order, grouped: flops"},
    {"--top", .help = "Only the first N lines of each method, by flops unless --sort is given"},
    {"--columns"},
    {"--format"},
    {"--all"},
    {"--color"},
    {"--width"},
    {"--output"},
    {NULL},
};

/* What the command reads. */
struct subject {
    const struct cli_arguments *arguments;
    const char *path;
    struct cli_program program;
    struct cli_record record;
    struct ets_delegation *delegation;
};

static int open_all(struct subject *s)
{
    struct ets_error error;
    const char *record = cli_value(s->arguments, "--etrecord");
    int code = cli_program_open(s->path, &s->program);
    if (code == CLI_OK) code = cli_record_open(record, &s->record);
    if (code != CLI_OK) return code;
    cli_delegation_find_record(s->arguments, s->path, &s->program.program, &s->record,
                               &s->delegation);
    if (s->delegation != NULL || cli_delegation_open(s->arguments, &s->program.program, &s->record,
                                                     &s->delegation, &error) == ETS_OK) {
        cli_note_missing_graphs(s->record.record, cli_value(s->arguments, "--method"));
        return CLI_OK;
    }
    code = cli_fail(error.status == ETS_MISMATCH ? record : s->path, &error);
    return error.status == ETS_NOT_FOUND ? CLI_USAGE : code; /* --method's name */
}

static bool parse(const struct cli_arguments *arguments, struct ets_cost_table_options *options)
{
    bool ok = true;
    const int group = cli_choice(arguments, "--group-by", ETS_COST_BY_NONE);
    const bool has_order = group == ETS_COST_BY_NONE && !cli_has(arguments, "--top");
    *options = (struct ets_cost_table_options){
        .lines = {.group_by = (enum ets_cost_group_by)group,
                  .sort = (enum ets_cost_sort_by)cli_choice(
                      arguments, "--sort", has_order ? ETS_COST_SORT_ORDER : ETS_COST_SORT_FLOPS),
                  .depth = (uint32_t)cli_number(arguments, "--depth", 0)},
        .top = (uint32_t)cli_number(arguments, "--top", 0),
    };
    if (ok && cli_has(arguments, "--depth") && group != ETS_COST_BY_MODULE) {
        cli_complain(CLI_USAGE, "--depth is for --group-by module");
        ok = false;
    }
    return ok;
}

static int show(const struct subject *s, const struct ets_cost_table_options *options)
{
    struct ets_table *table;
    struct ets_error error;
    int code = CLI_OK;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    if (ets_cost_table_fill(table, &s->program.program, s->record.record, s->delegation, options,
                            &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    }
    const struct ets_text headline = ets_table_heading(table);
    if (code == CLI_OK) cli_headline("%.*s", ETS_TEXT(headline));
    if (code == CLI_OK) code = cli_choose_columns(s->arguments, table);
    if (code == CLI_OK) code = cli_write_styled(s->arguments, table);
    ets_table_close(table);
    return code;
}

/* What payloads say of themselves, for the first few that do. */
static void print_notes(const struct subject *s)
{
    enum { MOST = 3 };
    const struct ets_program *program = &s->program.program;
    const char *only = cli_value(s->arguments, "--method");
    struct ets_payload_store payloads;
    struct ets_arena arena;
    uint32_t noted = 0;
    ets_arena_init(&arena, NULL, 0);
    ets_payload_store_init(&payloads, &arena, program);
    for (uint32_t m = 0; m < program->method_count; m++) {
        struct ets_method method;
        ets_program_method(program, m, &method);
        if (only != NULL && !cli_text_is(method.name, only)) continue;
        for (uint32_t d = 0; d < method.delegate_count && noted < MOST; d++) {
            struct ets_delegate delegate;
            const struct ets_payload_graph *graph;
            ets_method_delegate(&method, d, &delegate);
            if (ets_payload_store_read(&payloads, &delegate, &graph, NULL, NULL) != ETS_OK) break;
            if (graph == NULL || graph->note == NULL) continue;
            cli_note("%.*s, delegate %u: %s", ETS_TEXT(method.name), d, graph->note);
            noted++;
        }
    }
    ets_arena_reset(&arena);
}

static int cmd_cost(const struct cli_arguments *arguments)
{
    struct ets_cost_table_options options;
    if (arguments->word_count > 1) {
        return cli_complain(CLI_USAGE, "cost takes one program, not %u", arguments->word_count);
    }
    if (arguments->word_count == 0) {
        return cli_complain(CLI_USAGE, "cost needs a program: etscope cost model.pte");
    }
    if (!parse(arguments, &options)) return CLI_USAGE;
    int code = cli_check_stdin(arguments);
    if (code != CLI_OK) return code;
    struct subject subject = {.arguments = arguments, .path = arguments->words[0]};
    code = open_all(&subject);
    if (code == CLI_OK) print_notes(&subject);
    if (code == CLI_OK) code = show(&subject, &options);
    ets_delegation_close(subject.delegation);
    cli_record_close(&subject.record);
    cli_program_close(&subject.program);
    return code;
}

const struct cli_command cli_cost_command = {
    .name = "cost",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "show what a program computes and moves",
    .arguments = "PROGRAM",
    .description =
        "Counts the work of PROGRAM (a .pte or .bpte) from the shapes in it, without running it: "
        "operations (2 for each multiply-add), bytes that must move, and their ratio, for each "
        "instruction and for what XNNPACK, Vulkan, TOSA, VGF and Ethos-U run inside of their "
        "calls. The first sentence "
        "says how "
        "much a run computes, and in what. Dynamic shapes count at their upper bounds, of two "
        "branches the more expensive one counts, and of a loop one turn. Operators that cannot be "
        "counted are listed with a question mark and are in no sum. Modules and source lines need "
        "the ETRecord. `etscope inspect --cost` shows the same beside the times of a trace.",
    .options = option_list,
    .examples =
        "etscope cost model.pte\n"
        "etscope cost model.pte --etrecord model.etrecord --group-by module --depth 2",
    .guide = "cost.md",
    .tells_columns = true,
    .run = cmd_cost,
};
