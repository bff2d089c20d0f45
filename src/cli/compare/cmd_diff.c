/* The command `diff`: shows what changed between two traces or two programs. */
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare_programs.h"
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/sides/show_sides.h"
#include "cli/sides/sides.h"
#include "cli/traces/inspected.h"
#include "etscope/experimental/difference.h"
#include "etscope/file.h"
#include "output/table/difference_table.h"
#include "output/table/table.h"
#include "views/difference_headline.h"
#include "views/difference_order.h"

static const struct cli_command_option option_list[] = {
    CLI_RECORDINGS_OPTIONS,
    CLI_SIDES_OPTIONS,
    {"--group-by", .value = "none|op|module", .older_choice = {"operator", "op"},
     .help = "Add up the operators of one type, which all runtimes name alike, or of one module"},
    {"--sort", .value = "change|ratio|order|name",
     .help = "Order of the rows: changed operators first, by change (default) or ratio; all by "
             "execution; or all by name"},
    {"--top", .help = "Only the first N rows of each block, operators inside delegates included"},
    {"--min-change"},
    {"--brief"},
    {"--max-samples"},
    {"--verbose"},
    CLI_ALLOW_MISMATCH_OPTION,
    CLI_TRACES_OPTIONS,
    {NULL},
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

static int cmd_diff(const struct cli_arguments *arguments)
{
    struct cli_side_paths before, after;
    const unsigned words = arguments->word_count;
    const bool has_lists = words == 0 && cli_has(arguments, "--before") &&
                           cli_has(arguments, "--after"); /* as gate takes them */
    if (words != 2 && !has_lists) {
        return cli_complain(CLI_USAGE,
                            "diff needs two traces or two programs: etscope diff before.etdp "
                            "after.etdp");
    }
    int code = CLI_OK;
    const int programs = has_lists ? 0 : cli_count_programs(arguments, &code);
    if (code != CLI_OK) return code;
    if (programs == 2) return cli_compare_programs(arguments);
    if (programs == 1) return complain_of_kinds(arguments);
    static const char *const of_programs[] = {"--brief", "--max-samples", "--verbose", NULL};
    const char *given = cli_first_given(arguments, of_programs);
    if (given != NULL) {
        const char *first = has_lists ? cli_value(arguments, "--before") : arguments->words[0];
        return cli_complain(CLI_USAGE, "%s needs programs; %s is not a program", given,
                            cli_path_name(first));
    }
    if (cli_check_stdin(arguments) != CLI_OK) return CLI_USAGE;
    cli_side_list(arguments, 0, words / 2, "--before", &before);
    cli_side_list(arguments, words / 2, words, "--after", &after);
    return cli_show_sides(arguments, &before, &after, NULL);
}

const struct cli_command cli_diff_command = {
    .name = "diff",
    .task = CLI_TASK_COMPARE,
    .summary = "show what changed between two traces or two programs",
    .arguments = "BEFORE AFTER",
    .description =
        "Compares two ETDumps operator by operator: the medians, the change, how certain it is, "
        "and which operators were added, removed or delegated. With ETRecords, operators are "
        "matched by their debug handles, otherwise by name in the order of execution. All runs of "
        "one recording share one state of the machine, so the recording is the unit. One recording "
        "a side compares two recordings, not two programs: differs, unclear. From four recordings "
        "a side on, a permutation test decides: slower, faster, same, undecided; five usually "
        "decide operators, too. Add recordings with --before and --after, or give folders or lists "
        "(@LIST). `etscope profile AFTER.pte --before BEFORE.pte` records both. same: any change "
        "is below --min-change. Where debug handles match too few operators, modules, source lines "
        "and names are tried. If most operators do not match, the programs differ: diff reports "
        "that and exits with 4, unless --allow-mismatch is given.\n\n"
        "Two programs (.pte, .bpte) are compared by content: methods, kernels and backends with "
        "their calls, instructions, delegates, arenas, constants, named data. With ETRecords, "
        "given or beside the programs, instructions are matched by their debug handles. Numbering, "
        "offsets in the file and padding are not differences. diff exits with 1 if the programs "
        "differ; --brief prints only the answer.",
    .options = option_list,
    .examples =
        "etscope diff before.etdp after.etdp --etrecord model.etrecord\n"
        "etscope diff before/ after/\n"
        "etscope diff portable.etdp xnnpack.etdp --etrecord portable.etrecord --etrecord-b "
        "xnnpack.etrecord --top 10\n"
        "etscope diff before.pte after.pte --brief",
    .guide = "diff.md",
    .run = cmd_diff,
};
