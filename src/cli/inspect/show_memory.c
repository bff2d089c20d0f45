/* Shows what a trace tells of memory. */
#include "cli/inspect/show_memory.h"

#include "cli/core/bounds.h"
#include "cli/core/columns.h"
#include "cli/core/document.h"
#include "cli/core/write_table.h"
#include "cli/traces/inspected.h"
#include "host/output.h"
#include "output/table/allocation_table.h"
#include "output/table/allocator_table.h"
#include "output/text/pool_snippet.h"

bool cli_wants_memory(const struct cli_arguments *arguments)
{
    return cli_has(arguments, "--memory") || cli_has(arguments, "--allocations");
}

int cli_check_memory(const struct cli_arguments *arguments)
{
    static const char *const of_operators[] = {"--group-by", "--depth",
                                               "--tokens",   "--sort",
                                               "--top",      "--all",
                                               "--tree",     "--steady",
                                               "--name",     "--module",
                                               "--handle",   "--source",
                                               "--backend",  "--block",
                                               "--run",      "--compare-results",
                                               "--tsv-path", "--subtract-overhead",
                                               NULL};
    const char *other = cli_first_given(arguments, of_operators);
    const bool has_memory = cli_has(arguments, "--memory");
    if (cli_has(arguments, "--c-snippet") && !has_memory) {
        return cli_complain(CLI_USAGE, "--c-snippet needs --memory");
    }
    if (!cli_wants_memory(arguments)) return CLI_OK;
    if (has_memory && cli_has(arguments, "--allocations")) other = "--allocations";
    if (other != NULL) {
        return cli_complain(CLI_USAGE, "%s and %s exclude each other", other,
                            has_memory ? "--memory" : "--allocations");
    }
    if (!cli_has(arguments, "--c-snippet")) return CLI_OK;
    static const char *const of_tables[] = {"--format", "--columns", "--width", NULL};
    other = cli_first_given(arguments, of_tables);
    if (other == NULL) return CLI_OK;
    return cli_complain(CLI_USAGE,
                        "%s and --c-snippet exclude each other: it prints C, not a table", other);
}

static int fail_untold(const char *path)
{
    return cli_complain(
        CLI_INPUT,
        "%s: the trace has no memory counts; `etscope profile MODEL --memory -o FILE` records them",
        path);
}

static int write_snippet(const struct cli_arguments *arguments,
                         const struct ets_allocation_owners *owners,
                         const struct ets_allocation_pools *pools)
{
    struct ets_output *output;
    struct ets_error error;
    const char *path = cli_result_path(arguments);
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_pool_snippet_write(owners, pools, output);
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}

static int show_snippet(const struct cli_arguments *arguments,
                        const struct ets_inspection *inspection, const char *path)
{
    struct ets_arena arena;
    struct ets_allocation_owners owners;
    struct ets_allocation_pools pools;
    int code;
    ets_arena_init(&arena, NULL, 0);
    if (!ets_allocation_owners_collect(&arena, inspection, &owners) ||
        !ets_allocation_pools_collect(&arena, &owners, &pools)) {
        code = cli_complain(CLI_INTERNAL, "no memory for the pools");
    } else if (owners.method_count == 0) {
        code = fail_untold(path);
    } else {
        code = write_snippet(arguments, &owners, &pools);
    }
    ets_arena_reset(&arena);
    return code;
}

static int show_table(const struct cli_arguments *arguments,
                      const struct ets_inspection *inspection, const char *path)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    const bool one_by_one = cli_choice(arguments, "--allocations", 0) == 1;
    const enum ets_status status =
        cli_has(arguments, "--memory")
            ? ets_allocation_table_fill(table, inspection, &error)
            : ets_allocator_table_fill(table, inspection, one_by_one, &error);
    int code = status == ETS_OK          ? cli_choose_columns(arguments, table)
               : status == ETS_NOT_FOUND ? fail_untold(path)
                                         : cli_fail(NULL, &error);
    if (code == CLI_OK) {
        cli_headline("%.*s", ETS_TEXT(ets_table_heading(table)));
        code = cli_write_styled(arguments, table);
    }
    ets_table_close(table);
    return code;
}

int cli_show_memory(const struct cli_arguments *arguments, const struct ets_inspection *inspection,
                    const char *path)
{
    cli_print_notes(inspection);
    return cli_has(arguments, "--c-snippet") ? show_snippet(arguments, inspection, path)
                                             : show_table(arguments, inspection, path);
}
