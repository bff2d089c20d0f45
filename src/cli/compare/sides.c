/* Opens the traces of both sides of `diff` and `gate`, and compares them. */
#include "cli/compare/sides.h"

#include <ctype.h>
#include <stdlib.h>

#include "cli/core/cli_text.h"

/* Explains both traces, or the first alone where the second has its own. */
static int open_models(const struct cli_arguments *arguments, struct cli_sides *sides)
{
    const char *record = cli_value(arguments, "--etrecord");
    const char *program = cli_value(arguments, "--program");
    const char *record_b = cli_value(arguments, "--etrecord-b");
    const char *program_b = cli_value(arguments, "--program-b");
    int code = cli_model_open(record, program, &sides->models[0]);
    if (code == CLI_OK && (record_b != NULL || program_b != NULL)) {
        code = cli_model_open(record_b, program_b, &sides->models[1]);
    }
    return code;
}

int cli_sides_open(const struct cli_arguments *arguments, const char *const *before,
                   unsigned before_count, const char *const *after, unsigned after_count,
                   const struct ets_difference_options *options, struct cli_sides *sides)
{
    struct ets_error error;
    *sides = (struct cli_sides){.difference = NULL};
    const bool has_own = cli_has(arguments, "--etrecord-b") || cli_has(arguments, "--program-b");
    int code = open_models(arguments, sides);
    if (code == CLI_OK) {
        code = cli_traces_open(arguments, before, before_count, &sides->models[0], 1,
                               &sides->traces[0]);
    }
    if (code == CLI_OK) {
        code = cli_traces_open(arguments, after, after_count, &sides->models[has_own], 1,
                               &sides->traces[1]);
        if (code == CLI_MISMATCH && !has_own) {
            cli_note("--etrecord-b and --program-b name the second trace's own");
        }
    }
    if (code != CLI_OK) return code;
    if (cli_traces_check_units(sides->traces[0].paths.items[0], sides->traces[0].kept[0].inspection,
                               sides->traces[1].paths.items[0],
                               sides->traces[1].kept[0].inspection) != CLI_OK) {
        return CLI_MISMATCH;
    }
    return ets_difference_open(sides->traces[0].pool, sides->traces[1].pool, options,
                               &sides->difference, &error) == ETS_OK
               ? CLI_OK
               : cli_fail(NULL, &error);
}

void cli_sides_close(struct cli_sides *sides)
{
    ets_difference_close(sides->difference);
    for (int i = 0; i < 2; i++) {
        cli_traces_close(&sides->traces[i]);
        cli_model_close(&sides->models[i]);
    }
}

double cli_percent(const struct cli_arguments *arguments, const char *name, double fallback,
                   bool *ok)
{
    const char *value = cli_value(arguments, name);
    if (value == NULL) return fallback;
    char *end;
    const double number = strtod(value, &end);
    if (end != value && *end == '%') end++;
    const bool is_digit = isdigit((unsigned char)value[0]) || value[0] == '.';
    if (!is_digit || *end != '\0' || !(number >= 0 && number <= 1000)) {
        cli_complain(CLI_USAGE, "%s takes percent from 0 to 1000, not \"%s\"", name, value);
        *ok = false;
    }
    return number;
}

int cli_sides_check(const struct cli_arguments *arguments, const char *before, const char *after,
                    const struct ets_difference *difference)
{
    struct ets_agreement agreement;
    ets_difference_agreement(difference, &agreement);
    if (!agreement.is_poor || cli_has(arguments, "--allow-mismatch")) return CLI_OK;
    return cli_complain(CLI_MISMATCH,
                        "%s and %s: only %u of %u operators match: different programs, or two "
                        "builds of one that --etrecord and --etrecord-b would match; "
                        "--allow-mismatch compares them nevertheless",
                        cli_path_name(before), cli_path_name(after), agreement.matched,
                        agreement.operators);
}
