/* The command `gate`: checks a new trace against a base and a budget. */
#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/sides/sides.h"
#include "cli/traces/inspected.h"
#include "etscope/experimental/budget.h"
#include "etscope/experimental/difference.h"
#include "host/output.h"
#include "output/table/budget_table.h"
#include "output/table/table.h"
#include "output/text/budget_junit.h"
#include "views/budget_words.h"

static const struct cli_command_option option_list[] = {
    {"--budget"},
    {"--junit"},
    {"--undecided"},
    {"--all", .help = "Also list passed checks"},
    CLI_RECORDINGS_OPTIONS,
    CLI_ALLOW_MISMATCH_OPTION,
    CLI_SIDES_OPTIONS,
    CLI_TRACES_OPTIONS,
    {NULL},
};

static int write_junit(const struct cli_arguments *arguments,
                       const struct ets_budget_report *report)
{
    const char *path = cli_value(arguments, "--junit");
    struct ets_output *output;
    struct ets_error error;
    if (path == NULL) return CLI_OK;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    if (ets_budget_write_junit(report, NULL, output, &error) != ETS_OK) {
        ets_output_discard(output);
        return cli_fail(NULL, &error);
    }
    return ets_output_commit(output, &error) == ETS_OK ? CLI_OK : cli_fail_output(path, &error);
}

static int write_table(const struct cli_arguments *arguments,
                       const struct ets_budget_report *report)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code = CLI_OK;
    if (ets_budget_table_fill(table, report, &error) != ETS_OK) {
        code = cli_fail(NULL, &error);
    } else {
        const struct ets_text headline = ets_table_heading(table);
        cli_headline("%.*s", (int)headline.size, headline.data);
        code = cli_write_styled(arguments, table);
    }
    ets_table_close(table);
    return code;
}

/* Notes each section whose method or block does not exist, which is probably a typo. */
static void note_sections(const struct ets_budget *budget, const struct ets_difference *difference)
{
    const char *last = NULL;
    for (uint32_t i = 0; i < ets_budget_rule_count(budget); i++) {
        const struct ets_budget_rule *rule = ets_budget_rule(budget, i);
        char names[256];
        if (rule->scope.data == last) continue;
        last = rule->scope.data;
        if (ets_budget_section_exists(rule, difference, names, sizeof names)) continue;
        cli_note("the new trace has no method or block [%.*s] of the budget; it has %s",
                 (int)rule->scope.size, rule->scope.data, names);
    }
}

static int check(const struct cli_arguments *arguments, const struct ets_budget *budget,
                 const struct ets_difference *difference)
{
    struct ets_budget_verdicts *verdicts;
    struct ets_error error;
    const char *path = cli_value(arguments, "--budget");
    if (ets_budget_check(budget, difference, &verdicts, &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    struct ets_table_style style;
    const bool undecided_passes = cli_choice(arguments, "--undecided", 0) == 1;
    cli_style(arguments, "-", &style);
    const struct ets_budget_report report = {
        .budget = budget,
        .difference = difference,
        .verdicts = verdicts,
        .budget_path = cli_path_name(path),
        .undecided_passes = undecided_passes,
        .hides_passes = style.format == ETS_FORMAT_TABLE && !cli_has(arguments, "--all"),
    };
    note_sections(budget, difference);
    int code = write_table(arguments, &report);
    if (code == CLI_OK) code = write_junit(arguments, &report);
    const bool is_held = ets_budget_failed(verdicts) == 0 &&
                         (undecided_passes || ets_budget_undecided(verdicts) == 0);
    if (code == CLI_OK && !is_held) code = CLI_NEGATIVE;
    ets_budget_verdicts_close(verdicts);
    return code;
}

/* Whether a rule is relative to the base. */
static bool is_relative(const struct ets_budget *budget)
{
    for (uint32_t i = 0; i < ets_budget_rule_count(budget); i++) {
        const struct ets_budget_rule *rule = ets_budget_rule(budget, i);
        for (uint32_t k = 0; k < rule->bound_count; k++) {
            const enum ets_budget_limit limit = rule->bounds[k].limit;
            if (limit == ETS_LIMIT_OVER_TIME || limit == ETS_LIMIT_OVER_RATIO) return true;
        }
    }
    return false;
}

static int compare(const struct cli_arguments *arguments, const struct ets_budget *budget)
{
    static const struct ets_difference_options options = {0}; /* the budget sets the limits */
    const unsigned words = arguments->word_count, bases = words == 0 ? 0 : words - 1;
    struct cli_side_paths before, after;
    struct cli_sides sides;
    cli_side_list(arguments, 0, bases, "--before", &before);
    cli_side_list(arguments, bases, words, "--after", &after);
    int code = cli_sides_open(arguments, &before, &after, &options, &sides);
    if (code == CLI_OK && is_relative(budget)) {
        code = cli_sides_check(arguments, before.items[0], after.items[0], sides.difference);
    }
    if (code == CLI_OK) code = check(arguments, budget, sides.difference);
    cli_sides_close(&sides);
    return code;
}

static int check_words(const struct cli_arguments *arguments)
{
    const char *output = cli_value(arguments, "--output"), *junit = cli_value(arguments, "--junit");
    const unsigned words = arguments->word_count;
    const bool has_before = words >= 2 || cli_has(arguments, "--before");
    if (!has_before || (words == 0 && !cli_has(arguments, "--after"))) {
        return cli_complain(CLI_USAGE,
                            "gate needs recordings of both sides: etscope gate --before base/ "
                            "--after new/ --budget budget.txt");
    }
    if (!cli_has(arguments, "--budget")) {
        return cli_complain(CLI_USAGE, "gate needs a budget: --budget FILE");
    }
    if (junit != NULL && cli_text_is(cli_text(junit), output == NULL ? "-" : output)) {
        return cli_complain(CLI_USAGE, "the table and --junit need different files");
    }
    return cli_check_stdin(arguments);
}

static int cmd_gate(const struct cli_arguments *arguments)
{
    struct ets_file *file;
    struct ets_budget *budget;
    struct ets_error error;
    const char *path = cli_value(arguments, "--budget");
    int code = check_words(arguments);
    if (code != CLI_OK) return code;
    if (cli_file_open(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
    if (ets_budget_open(ets_file_bytes(file), NULL, &budget, &error) == ETS_OK) {
        code = compare(arguments, budget);
        ets_budget_close(budget);
    } else {
        code = cli_fail(path, &error);
    }
    ets_file_close(file);
    return code;
}

const struct cli_command cli_gate_command = {
    .name = "gate",
    .task = CLI_TASK_COMPARE,
    .summary = "check a new trace against a base and a budget",
    .arguments = "[BASE... NEW]",
    .description =
        "Compares recordings of two sides, and exits with 1 if the new ones break a rule of the "
        "budget. --before and --after name the recordings: files, folders or lists (@LIST). "
        "Without them, the last trace is compared with all others. A budget has one rule per line: "
        "what, a metric, and a limit. `total p50 <= +5%` limits the median of Method::execute to 5 "
        "% above the base, `operator *conv* max <= 2ms` limits every operator with a matching name "
        "to 2 ms, and `delegated share >= 90%` requires 90 % of the time in delegates. A limit "
        "relative to the base needs four recordings of each side, or five for operators. It is "
        "broken if the change exceeds the limit and the spread between recordings of one side, and "
        "a permutation test confirms it. A rule that the recordings cannot decide fails, too, and "
        "is reported with the number of recordings that would decide it; with --undecided pass it "
        "passes. Limits such as 2ms are judged with any number.",
    .options = option_list,
    .examples =
        "etscope gate before.etdp after.etdp --budget budget.txt\n"
        "etscope gate --before base/ --after new/ --budget budget.txt --junit gate.xml",
    .guide = "budgets.md",
    .run = cmd_gate,
};
