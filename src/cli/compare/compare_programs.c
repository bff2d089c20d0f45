/* `diff` of two programs: what differs, and a table of it. */
#include "cli/compare/compare_programs.h"

#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/write_table.h"
#include "cli/files/inputs.h"
#include "contents/program_difference.h"
#include "host/os/os_files.h"
#include "output/table/program_difference_table.h"
#include "views/program_changes.h"

/* Lines of each part that people see without --top; elements of a constant with --verbose. */
enum { SHOWN_LINES = 10, VERBOSE_SAMPLES = 10 };

struct programs {
    const struct cli_arguments *arguments;
    struct cli_program programs[2];
    struct cli_record records[2];
    struct ets_arena arena;
    struct ets_program_difference difference;
    struct ets_program_changes view;
};

int cli_count_programs(const struct cli_arguments *arguments, int *code_out)
{
    int count = 0, unknown = 0;
    struct ets_error error;
    *code_out = CLI_OK;
    for (unsigned i = 0; i < 2; i++) {
        struct ets_file *file;
        if (strcmp(arguments->words[i], "-") == 0) {
            unknown++; /* standard input can be read once */
            continue;
        }
        if (ets_os_look(arguments->words[i]).kind != ETS_OS_FILE) continue;
        if (ets_file_open(arguments->words[i], &file, &error) != ETS_OK) {
            *code_out = cli_fail(arguments->words[i], &error);
            return 0;
        }
        const enum ets_kind kind = ets_kind_sniff(ets_file_bytes(file));
        count += kind == ETS_KIND_PROGRAM || kind == ETS_KIND_BUNDLE;
        ets_file_close(file);
    }
    return count > 0 ? count + unknown : 0;
}

/* Options that only mean something of traces. */
static int check_options(const struct cli_arguments *arguments)
{
    static const char *const of_traces[] = {"--before",
                                            "--after",
                                            "--sort",
                                            "--min-change",
                                            "--allow-mismatch",
                                            "--program",
                                            "--program-b",
                                            "--method",
                                            "--steady",
                                            "--source-time-scale",
                                            "--subtract-overhead",
                                            "--unit",
                                            NULL};
    const char *given = cli_first_given(arguments, of_traces);
    if (given == NULL) return CLI_OK;
    return cli_complain(CLI_USAGE, "%s needs traces; %s is a program", given,
                        cli_path_name(arguments->words[0]));
}

/* The ETRecord that an option names, which must be the program's. */
static int open_given(struct programs *p, int side, const char *path)
{
    struct ets_error error;
    const int code = cli_record_open(path, &p->records[side]);
    if (code != CLI_OK || path == NULL) return code;
    if (ets_program_check_record(&p->programs[side].program, p->records[side].record, &error) ==
        ETS_OK) {
        return CLI_OK;
    }
    return cli_fail(path, &error);
}

static bool is_record_of(void *context, const struct cli_record *record)
{
    const struct cli_program *program = context;
    return ets_program_check_record(&program->program, record->record, NULL) == ETS_OK;
}

static int open_all(struct programs *p)
{
    const char *given[2] = {cli_value(p->arguments, "--etrecord"),
                            cli_value(p->arguments, "--etrecord-b")};
    int code = CLI_OK;
    for (int s = 0; s < 2 && code == CLI_OK; s++) {
        code = cli_program_open(p->arguments->words[s], &p->programs[s]);
        if (code != CLI_OK) continue;
        if (given[s] != NULL) code = open_given(p, s, given[s]);
        else {
            cli_sibling_record(p->arguments, p->arguments->words[s], is_record_of, &p->programs[s],
                               &p->records[s]);
        }
    }
    return code;
}

static enum ets_status compare(struct programs *p, uint32_t samples, struct ets_error *error)
{
    struct ets_program_side sides[2];
    for (int s = 0; s < 2; s++) {
        const struct cli_program *program = &p->programs[s];
        sides[s] =
            (struct ets_program_side){.program = &program->program,
                                      .record = p->records[s].record,
                                      .bundle = program->is_bundle ? &program->bundle : NULL};
    }
    const enum ets_status status =
        ets_program_difference_find(&p->arena, sides, &p->difference, error);
    if (status != ETS_OK) return status;
    return ets_program_changes_collect(&p->arena, &p->difference, samples, &p->view, error);
}

static int write_table(struct programs *p, long long top)
{
    struct ets_table *table;
    struct ets_error error;
    const bool is_brief = cli_has(p->arguments, "--brief");
    const bool is_cut =
        cli_choice(p->arguments, "--format", 0) == 0 && !cli_has(p->arguments, "--verbose");
    const struct ets_program_difference_table_options options = {.is_brief = is_brief,
                                                                 .top = top > 0  ? (uint32_t)top
                                                                        : is_cut ? SHOWN_LINES
                                                                                 : 0};
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    ets_program_difference_table_fill(table, &p->view, &options);
    cli_headline("%s", p->view.headline);
    int code = cli_write_styled(p->arguments, table);
    ets_table_close(table);
    if (code != CLI_OK) return code;
    return p->difference.change_count > 0 ? CLI_NEGATIVE : CLI_OK;
}

int cli_compare_programs(const struct cli_arguments *arguments)
{
    struct programs p = {.arguments = arguments};
    struct ets_error error;
    const long long top = cli_number(arguments, "--top", 0);
    const long long samples = cli_number(arguments, "--max-samples",
                                         cli_has(arguments, "--verbose") ? VERBOSE_SAMPLES : 0);
    int code = check_options(arguments);
    ets_arena_init(&p.arena, NULL, 0);
    if (code == CLI_OK) code = open_all(&p);
    if (code == CLI_OK && compare(&p, (uint32_t)samples, &error) != ETS_OK)
        code = cli_fail(NULL, &error);
    if (code == CLI_OK) code = write_table(&p, top);
    ets_arena_reset(&p.arena);
    for (int s = 0; s < 2; s++) {
        cli_record_close(&p.records[s]);
        cli_program_close(&p.programs[s]);
    }
    return code;
}
