/* The command `diff`: shows what changed between two traces or two programs. */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare_programs.h"
#include "cli/compare/sides.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/open/inspected.h"
#include "etscope/experimental/difference.h"
#include "etscope/file.h"
#include "output/table/difference_table.h"
#include "output/table/table.h"
#include "views/difference_headline.h"
#include "views/difference_order.h"

const struct cli_option cli_diff_options[] = {
    {"--before", NULL, "FILE",
     "Another trace of the first side; its runs are added to those of BEFORE", NULL, true},
    {"--after", NULL, "FILE",
     "Another trace of the second side; its runs are added to those of AFTER", NULL, true},
    CLI_SIDES_OPTIONS,
    {"--by", NULL, "none|operator|module",
     "Add up the operators of one type, which all runtimes name alike, or of one module", NULL,
     false},
    {"--sort", "-s", "change|ratio|order|name",
     "Order of the rows: changed operators first, by change (default) or ratio; all by execution; "
     "or all by name",
     NULL, false},
    {"--top", "-n", "N", "Only the first N rows of each block, operators inside delegates included",
     NULL, false},
    {"--min-change", "--least-change", "PERCENT", "Treat smaller changes as \"same\"; default 1",
     NULL, false},
    {"--brief", NULL, NULL, "For programs: print the answer in one sentence, without the table",
     NULL, false},
    {"--max-samples", NULL, "N",
     "Of programs: list the first N elements, up to 64, of each constant that differs; default 0",
     NULL, false},
    CLI_ALLOW_MISMATCH_OPTION,
    CLI_TRACES_OPTIONS,
    {NULL, NULL, NULL, NULL, NULL, false},
};

static int put_headline(struct ets_table *table, const struct ets_difference *difference)
{
    struct ets_arena arena;
    struct ets_sentences headline;
    ets_arena_init(&arena, NULL, 0);
    const bool ok = ets_difference_headline(&arena, difference, &headline);
    if (ok) cli_put_headline(table, headline.items, headline.count);
    ets_arena_reset(&arena);
    return ok ? CLI_OK : cli_complain(CLI_INTERNAL, "no memory for the headline");
}

static int write_table(const struct cli_arguments *arguments,
                       const struct ets_difference *difference,
                       const struct ets_difference_order_options *options)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code = ets_difference_table_fill(table, difference, options, &error) == ETS_OK
                   ? put_headline(table, difference)
                   : cli_fail(NULL, &error);
    if (code == CLI_OK) code = cli_write_styled(arguments, table);
    ets_table_close(table);
    return code;
}

/* Lists a side's traces: its argument and those of its option. Returns their number. */
static unsigned list_traces(const struct cli_arguments *arguments, unsigned word,
                            const char *option, const char *paths[CLI_MAX_VALUES + 1])
{
    unsigned count = 0;
    paths[count++] = arguments->words[word];
    for (unsigned i = 0; cli_value_at(arguments, option, i) != NULL; i++) {
        paths[count++] = cli_value_at(arguments, option, i);
    }
    return count;
}

/* In the order of the option's values. */
static enum ets_sort_by sort_of(const struct cli_arguments *arguments)
{
    static const enum ets_sort_by orders[] = {ETS_SORT_CHANGE, ETS_SORT_RATIO, ETS_SORT_ORDER,
                                              ETS_SORT_NAME};
    return orders[cli_choice(arguments, "--sort", 0)];
}

/* A program and something else: a file of another kind, or one that cannot be read. */
static int complain_of_kinds(const struct cli_arguments *arguments)
{
    for (unsigned i = 0; i < 2; i++) {
        struct ets_file *file;
        struct ets_error error;
        const char *path = arguments->words[i];
        if (strcmp(path, "-") == 0) continue;
        if (ets_file_open(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
        const enum ets_kind kind = ets_kind_sniff(ets_file_bytes(file));
        ets_file_close(file);
        if (kind != ETS_KIND_EMPTY && kind != ETS_KIND_UNKNOWN) continue;
        return cli_complain(CLI_INPUT,
                            "%s: %s; diff reads .pte and .bpte programs, or two ETDump traces",
                            cli_path_name(path), ets_kind_name(kind));
    }
    return cli_complain(CLI_MISMATCH,
                        "%s and %s: one is a program, the other is not; diff compares two traces, "
                        "or two programs",
                        cli_path_name(arguments->words[0]), cli_path_name(arguments->words[1]));
}

int cmd_diff(const struct cli_arguments *arguments)
{
    bool ok = true;
    struct cli_sides sides;
    static const char *const inputs[] = {
        "--etrecord", "--program", "--etrecord-b", "--program-b", "--before", "--after", NULL};
    const char *before[CLI_MAX_VALUES + 1], *after[CLI_MAX_VALUES + 1];
    if (arguments->word_count != 2) {
        return cli_complain(CLI_USAGE,
                            "diff needs two traces or two programs: etscope diff before.etdp "
                            "after.etdp");
    }
    const int programs = cli_count_programs(arguments);
    if (programs == 2) return cli_compare_programs(arguments);
    if (programs == 1) return complain_of_kinds(arguments);
    static const char *const of_programs[] = {"--brief", "--max-samples", NULL};
    const char *given = cli_first_given(arguments, of_programs);
    if (given != NULL) {
        return cli_complain(CLI_USAGE, "%s needs programs; %s is not a program", given,
                            cli_path_name(arguments->words[0]));
    }
    const struct ets_difference_options options = {
        .least_change = cli_percent(arguments, "--min-change", 1, &ok) / 100};
    const struct ets_difference_order_options table = {
        .sort = sort_of(arguments),
        .top = (uint32_t)cli_number(arguments, "--top", 0, 1, 1000000000, &ok),
    };
    (void)cli_number(arguments, "--width", 0, 20, 10000, &ok); /* read by cli_style */
    if (!ok || cli_check_stdin(arguments, inputs) != CLI_OK) return CLI_USAGE;
    const unsigned befores = list_traces(arguments, 0, "--before", before);
    const unsigned afters = list_traces(arguments, 1, "--after", after);
    int code = cli_sides_open(arguments, before, befores, after, afters, &options, &sides);
    if (code == CLI_OK) code = cli_sides_check(arguments, before[0], after[0], sides.difference);
    if (code == CLI_OK) code = write_table(arguments, sides.difference, &table);
    cli_sides_close(&sides);
    return code;
}
