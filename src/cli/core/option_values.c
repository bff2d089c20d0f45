/* Reads the values of options: choices, numbers in a range, sizes, percentages, times. */
#include "cli/core/option_values.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"

#define MOST_DURATION_NS (30 * 86400e9)

bool cli_read_number(const char *word, long long *number_out)
{
    char *end;
    errno = 0;
    *number_out = strtoll(word, &end, 10);
    return *word != '\0' && *end == '\0' && errno == 0;
}

bool cli_read_bytes(const char *word, size_t *bytes_out)
{
    static const char units[] = "KMG";
    char *end = NULL;
    unsigned shift = 0;
    errno = 0;
    const unsigned long long number = strtoull(word, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit != NULL) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    *bytes_out = (size_t)number << shift;
    return isdigit((unsigned char)*word) && *end == '\0' && errno == 0 && number != 0 &&
           number <= SIZE_MAX >> shift;
}

static bool begins_number(const char *word)
{
    return isdigit((unsigned char)word[0]) || word[0] == '.';
}

bool cli_read_percent(const char *word, double *percent_out)
{
    char *end;
    *percent_out = strtod(word, &end);
    if (end != word && *end == '%') end++;
    return begins_number(word) && *end == '\0' && *percent_out >= 0 && *percent_out <= 1000;
}

bool cli_read_duration(const char *word, double *ns_out)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 6e10}};
    char *end;
    const double number = strtod(word, &end);
    for (size_t i = 0; begins_number(word) && i < sizeof units / sizeof *units; i++) {
        *ns_out = number * units[i].ns;
        if (strcmp(end, units[i].name) == 0 && *ns_out >= 1 && *ns_out <= MOST_DURATION_NS) {
            return true;
        }
    }
    return false;
}

int cli_find_choice(const char *choices, const char *word)
{
    const size_t length = strlen(word);
    if (length == 0 || strchr(word, '|') != NULL) return -1;
    for (int index = 0;; choices++, index++) {
        if (strncmp(choices, word, length) == 0 &&
            (choices[length] == '|' || choices[length] == '\0')) {
            return index;
        }
        choices = strchr(choices, '|');
        if (choices == NULL) return -1;
    }
}

bool cli_option_has_choices(const struct cli_option *option)
{
    return option->value != NULL && strchr(option->value, '|') != NULL;
}

bool cli_option_is_input(const struct cli_option *option)
{
    static const char *const inputs[] = {"FILE", "PROGRAM", "STREAM", "INPUT", "OUTPUT"};
    for (size_t i = 0; option->value != NULL && i < sizeof inputs / sizeof *inputs; i++) {
        if (strcmp(inputs[i], option->value) == 0) return !option->is_output;
    }
    return false;
}

bool cli_option_takes_file(const struct cli_option *option)
{
    static const char *const files[] = {"FILE",   "FOLDER", "PATH",  "PREFIX", "PROGRAM",
                                        "PYTHON", "STREAM", "INPUT", "OUTPUT"};
    for (size_t i = 0; option->value != NULL && i < sizeof files / sizeof *files; i++) {
        if (strcmp(files[i], option->value) == 0) return true;
    }
    return false;
}

/* "--input" beside "--inputs", which takes other values; false: the command has no such option. */
static bool find_singular(const struct cli_command *command, const struct cli_option *option,
                          struct cli_option *singular_out)
{
    const size_t length = strlen(option->name);
    if (option->name[length - 1] != 's') return false;
    const int index = cli_command_find(command, option->name, length - 1);
    return index >= 0 && cli_command_option(command, (unsigned)index, singular_out);
}

static int complain_choice(const struct cli_command *command, const struct cli_option *option,
                           const char *value)
{
    struct cli_option other;
    if (!find_singular(command, option, &other)) {
        return cli_complain(CLI_USAGE, "%s takes one of %s, not \"%s\"", option->name,
                            option->value, value);
    }
    return cli_complain(CLI_USAGE, "%s takes one of %s, not \"%s\"; %s takes %s", option->name,
                        option->value, value, other.name, other.value);
}

int cli_check_value(const struct cli_command *command, const struct cli_option *option,
                    const char *value)
{
    long long number;
    size_t bytes;
    double real;
    const char *name = option->name;
    if (cli_option_has_choices(option) && cli_find_choice(option->value, value) < 0) {
        return complain_choice(command, option, value);
    }
    if (option->most != 0 &&
        (!cli_read_number(value, &number) || number < option->least || number > option->most)) {
        return cli_complain(CLI_USAGE, "%s takes a whole number from %lld to %lld, not \"%s\"",
                            name, option->least, option->most, value);
    }
    if (strcmp(option->value, "BYTES") == 0 && !cli_read_bytes(value, &bytes)) {
        return cli_complain(CLI_USAGE,
                            "%s takes a number of bytes, such as 4096, 512M or 2G, not \"%s\"",
                            name, value);
    }
    if (strcmp(option->value, "PERCENT") == 0 && !cli_read_percent(value, &real)) {
        return cli_complain(CLI_USAGE, "%s takes a percentage from 0 to 1000, not \"%s\"", name,
                            value);
    }
    if (strcmp(option->value, "TIME") == 0 && !cli_read_duration(value, &real)) {
        return cli_complain(CLI_USAGE,
                            "%s takes a time of at most 30 days with its unit (ns, us, ms, s or "
                            "min), such as 10s, not \"%s\"",
                            name, value);
    }
    return CLI_OK;
}
