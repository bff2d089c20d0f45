/* Names come from another machine: what is not known here is refused. */
#include "cli/target/derived_names.h"

#include <string.h>

enum { MOST_DIGITS = 9 };

static bool skip(const char **text, const char *word)
{
    const size_t size = strlen(word);
    if (strncmp(*text, word, size) != 0) return false;
    *text += size;
    return true;
}

static bool skip_number(const char **text)
{
    const size_t size = strspn(*text, "0123456789");
    *text += size;
    return size > 0 && size <= MOST_DIGITS;
}

/* "0.npy" of ".0.npy", whose base is no folder. */
static bool is_number_of(const char *text, const char *before, const char *ending)
{
    return skip(&text, before) && skip_number(&text) && strcmp(text, ending) == 0;
}

/* What follows the method. */
static bool is_output(const char *rest, const char *separator)
{
    static const struct form {
        const char *before, *ending;
    } forms[] = {{".", ".npy"}, {"-", ".bin"}};
    const char *number = rest; /* of the case */
    const bool has_case = skip(&number, separator) && skip_number(&number);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *form = &forms[i];
        const char *before = *separator == '\0' ? "" : form->before;
        if (is_number_of(rest, before, form->ending)) return true;
        if (has_case && is_number_of(number, form->before, form->ending)) return true;
    }
    return false;
}

bool cli_derived_is_of_prefix(const struct cli_arguments *arguments, const char *base,
                              const char *rest)
{
    const char *separator = *base == '\0' ? "" : "."; /* no hidden files in a folder */
    const char *method;
    if (is_output(rest, separator)) return true;
    for (unsigned i = 0; (method = cli_value_at(arguments, "--method", i)) != NULL; i++) {
        const char *after = rest;
        if (strpbrk(method, "/\\:") != NULL) continue;
        if (skip(&after, separator) && skip(&after, method) && is_output(after, ".")) return true;
    }
    return false;
}

bool cli_derived_is_of_recording(const char *rest, const char *ending)
{
    static const char *const names[] = {".recording-", ".before-", ".after-", ".threads-"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (is_number_of(rest, names[i], ending)) return true;
    }
    return false;
}
