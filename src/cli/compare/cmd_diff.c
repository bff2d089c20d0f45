/* The command `diff`: shows what changed between two traces or two programs. */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare_programs.h"
#include "cli/compare/show_sides.h"
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
    CLI_RECORDINGS_OPTIONS,
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
    static const char *const inputs[] = {
        "--etrecord", "--program", "--etrecord-b", "--program-b", "--before", "--after", NULL};
    struct cli_side_paths before, after;
    const unsigned words = arguments->word_count;
    const bool has_lists = words == 0 && cli_has(arguments, "--before") &&
                           cli_has(arguments, "--after"); /* as gate takes them */
    if (words != 2 && !has_lists) {
        return cli_complain(CLI_USAGE,
                            "diff needs two traces or two programs: etscope diff before.etdp "
                            "after.etdp");
    }
    const int programs = has_lists ? 0 : cli_count_programs(arguments);
    if (programs == 2) return cli_compare_programs(arguments);
    if (programs == 1) return complain_of_kinds(arguments);
    static const char *const of_programs[] = {"--brief", "--max-samples", NULL};
    const char *given = cli_first_given(arguments, of_programs);
    if (given != NULL) {
        const char *first = has_lists ? cli_value(arguments, "--before") : arguments->words[0];
        return cli_complain(CLI_USAGE, "%s needs programs; %s is not a program", given,
                            cli_path_name(first));
    }
    (void)cli_number(arguments, "--width", 0, 20, 10000, &ok); /* read by cli_style */
    if (!ok || cli_check_stdin(arguments, inputs) != CLI_OK) return CLI_USAGE;
    cli_side_list(arguments, 0, words / 2, "--before", &before);
    cli_side_list(arguments, words / 2, words, "--after", &after);
    return cli_show_sides(arguments, &before, &after, NULL);
}
