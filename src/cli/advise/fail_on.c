/* Reads --fail-on: any, wrong, a kind of finding, or a share of a run that could be saved. */
#include "cli/advise/fail_on.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "5%" as 0.05; NaN: it is no share. */
static double share_of(const char *word)
{
    char *end;
    if (!isdigit((unsigned char)word[0])) return NAN;
    const double percent = strtod(word, &end);
    return strcmp(end, "%") == 0 && percent <= 100 ? percent / 100 : NAN;
}

static bool is_kind(const char *word)
{
    size_t size = 0;
    while (islower((unsigned char)word[size]) || word[size] == '_') size++;
    return size > 0 && word[size] == '\0';
}

int cli_check_fail_on(const struct cli_arguments *arguments)
{
    const char *word;
    for (unsigned i = 0; (word = cli_value_at(arguments, "--fail-on", i)) != NULL; i++) {
        if (!isnan(share_of(word))) continue;
        if (!is_kind(word) || (strcmp(word, "any") != 0 && strcmp(word, "wrong") != 0 &&
                               !ets_finding_kind_exists(word))) {
            return cli_complain(CLI_USAGE,
                                "--fail-on takes any, wrong, a share such as 5%%, or a kind of "
                                "finding as --format json shows it, not '%s'",
                                word);
        }
    }
    return CLI_OK;
}

bool cli_fails(const struct cli_arguments *arguments, const struct ets_finding *finding)
{
    const char *word;
    for (unsigned i = 0; (word = cli_value_at(arguments, "--fail-on", i)) != NULL; i++) {
        const double share = share_of(word);
        const bool is_bad = finding->severity == ETS_SEVERITY_BAD;
        if (finding->saving.part > 0 && finding->saving.part >= share) return true;
        if (strcmp(word, "wrong") == 0 && is_bad) return true;
        if (strcmp(word, "any") == 0 && (is_bad || ets_finding_is_advice(finding))) return true;
        if (strcmp(word, finding->kind) == 0) return true;
    }
    return false;
}
