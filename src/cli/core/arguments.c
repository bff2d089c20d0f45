/* Parses the arguments of a command by its table of options. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/command.h"

#define MOST_DURATION_NS (30 * 86400e9)

unsigned cli_distance(const char *left, const char *right)
{
    enum { MOST = 48 };
    const size_t n = strlen(left), m = strlen(right);
    unsigned row[MOST + 1];
    if (n > MOST || m > MOST) return MOST;
    for (size_t j = 0; j <= m; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            const unsigned replaced = diagonal + (left[i - 1] != right[j - 1]);
            const unsigned inserted = row[j - 1] + 1, removed = row[j] + 1;
            diagonal = row[j];
            row[j] = replaced < inserted ? replaced : inserted;
            if (removed < row[j]) row[j] = removed;
        }
    }
    return row[m];
}

const char *cli_nearest(const char *word, const char *const *candidates)
{
    const size_t size = strlen(word);
    const char *best = NULL, *begun = NULL;
    unsigned least = (unsigned)size / 3 + 2, least_begun = UINT_MAX;
    for (; *candidates != NULL; candidates++) {
        const unsigned d = cli_distance(word, *candidates);
        if (d < least) {
            least = d;
            best = *candidates;
        }
        if (size > 0 && strncmp(*candidates, word, size) == 0 && d < least_begun) {
            least_begun = d;
            begun = *candidates;
        }
    }
    return begun != NULL ? begun : best;
}

const struct cli_command *cli_find_command(const struct cli_command *commands, const char *name)
{
    enum { MOST_COMMANDS = 64 };
    const char *names[MOST_COMMANDS + 1];
    unsigned count = 0;
    for (const struct cli_command *command = commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) return command;
        if (count < MOST_COMMANDS) names[count++] = command->name;
    }
    names[count] = NULL;
    const char *nearest = cli_nearest(name, names);
    if (nearest != NULL) {
        cli_complain(CLI_USAGE, "unknown command %s; did you mean %s?", name, nearest);
    } else {
        cli_complain(CLI_USAGE, "unknown command %s; `etscope --help` lists the commands", name);
    }
    return NULL;
}

static int find_option(const struct cli_command *command, const char *word, size_t length)
{
    for (int i = 0; command->options[i].name != NULL; i++) {
        const char *names[] = {command->options[i].name, command->options[i].alias};
        for (int k = 0; k < 2; k++) {
            if (names[k] != NULL && strlen(names[k]) == length &&
                strncmp(names[k], word, length) == 0) {
                return i;
            }
        }
    }
    return -1;
}

static int complain_option(const struct cli_command *command, const char *word, size_t length)
{
    const char *names[2 * CLI_MAX_OPTIONS + 2];
    unsigned count = 0;
    for (int i = 0; command->options[i].name != NULL; i++) {
        names[count++] = command->options[i].name;
        if (command->options[i].alias != NULL) names[count++] = command->options[i].alias;
    }
    names[count++] = "--help";
    names[count] = NULL;
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)(length < 60 ? length : 60), word);
    const char *nearest = cli_nearest(copy, names);
    if (nearest != NULL) {
        return cli_complain(CLI_USAGE, "%s has no option %s; did you mean %s?", command->name, copy,
                            nearest);
    }
    return cli_complain(CLI_USAGE, "%s has no option %s; `etscope %s --help` lists its options",
                        command->name, copy, command->name);
}

/* True if `value` is one of "a|b|c", or if the option takes any value. */
static bool is_allowed(const struct cli_option *option, const char *value)
{
    if (strchr(option->value, '|') == NULL) return true;
    const size_t length = strlen(value);
    for (const char *at = option->value; at != NULL; at = strchr(at, '|')) {
        if (*at == '|') at++;
        if (strncmp(at, value, length) == 0 && (at[length] == '|' || at[length] == '\0')) {
            return length > 0 && strchr(value, '|') == NULL;
        }
    }
    return false;
}

/* "--input" beside "--inputs", which takes other values; NULL: the command has no such option. */
static const struct cli_option *singular_of(const struct cli_command *command,
                                            const struct cli_option *option)
{
    const size_t length = strlen(option->name);
    for (const struct cli_option *o = command->options; o->name != NULL; o++) {
        if (strlen(o->name) + 1 == length && option->name[length - 1] == 's' &&
            strncmp(o->name, option->name, length - 1) == 0) {
            return o;
        }
    }
    return NULL;
}

static int complain_of_value(const struct cli_arguments *arguments, const struct cli_option *option,
                             const char *value)
{
    const struct cli_option *other = singular_of(arguments->command, option);
    if (other == NULL) {
        return cli_complain(CLI_USAGE, "%s takes one of %s, not \"%s\"", option->name,
                            option->value, value);
    }
    return cli_complain(CLI_USAGE, "%s takes one of %s, not \"%s\"; %s takes %s", option->name,
                        option->value, value, other->name, other->value);
}

static int add_value(struct cli_arguments *arguments, int option, const char *value, bool begins)
{
    const struct cli_option *o = &arguments->command->options[option];
    if (o->value != NULL && !is_allowed(o, value)) return complain_of_value(arguments, o, value);
    if (arguments->value_count == CLI_MAX_VALUES) {
        return cli_complain(CLI_USAGE, "more than %d option values", CLI_MAX_VALUES);
    }
    arguments->values[arguments->value_count] = value;
    arguments->begins[arguments->value_count] = begins;
    arguments->option_of[arguments->value_count++] = (unsigned char)option;
    return CLI_OK;
}

/* Whether the word is a number: 3, -0.5, 1e-3, true, false. */
static bool is_number(const char *word)
{
    char *end;
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) return true;
    (void)strtod(word, &end);
    return end != word && *end == '\0';
}

/* Whether `word` is a further value of an option with these endings. */
static bool belongs(const char *endings, const char *word)
{
    for (const char *at = endings; *at != '\0';) {
        char ending[16];
        const size_t length = strcspn(at, "|");
        snprintf(ending, sizeof ending, "%.*s", (int)length, at);
        if (strcmp(ending, "#") == 0 ? is_number(word) : cli_ends_with(word, ending)) return true;
        at += length + (at[length] == '|');
    }
    return false;
}

/* Parses the option words[*at] and its values; leaves *at at its last word. */
static int parse_option(struct cli_arguments *arguments, int count, char **words, int *at)
{
    const struct cli_command *command = arguments->command;
    const char *word = words[*at];
    const size_t length = strcspn(word, "=");
    const bool has_inline = word[length] == '=';
    const int option = find_option(command, word, length);
    if (option < 0 && has_inline && strncmp(word, "--help=", 7) == 0) {
        return cli_complain(CLI_USAGE, "--help takes no value");
    }
    if (option < 0 && word[1] != '-') { /* "-n3" */
        const int brief = find_option(command, word, 2);
        if (brief >= 0 && command->options[brief].value != NULL) {
            return add_value(arguments, brief, word + 2, true);
        }
    }
    if (option < 0) return complain_option(command, word, length);
    const struct cli_option *o = &command->options[option];
    if (o->value == NULL) {
        if (has_inline) return cli_complain(CLI_USAGE, "%s takes no value", o->name);
        return add_value(arguments, option, "", true);
    }
    if (has_inline) return add_value(arguments, option, word + length + 1, true);
    if (*at + 1 >= count) return cli_complain(CLI_USAGE, "%s needs a value: %s", o->name, o->value);
    int code = add_value(arguments, option, words[++*at], true);
    while (code == CLI_OK && o->ending != NULL && *at + 1 < count &&
           belongs(o->ending, words[*at + 1])) {
        code = add_value(arguments, option, words[++*at], false);
    }
    return code;
}

int cli_parse(const struct cli_command *command, int count, char **words,
              struct cli_arguments *arguments)
{
    *arguments = (struct cli_arguments){.command = command};
    arguments->words = (const char *const *)words;
    bool only_words = false;
    for (int i = 0; i < count; i++) {
        int code = CLI_OK;
        if (!only_words && strcmp(words[i], "--") == 0) {
            only_words = true;
        } else if (!only_words && words[i][0] == '-' && words[i][1] != '\0') {
            code = parse_option(arguments, count, words, &i);
        } else {
            words[arguments->word_count++] = words[i]; /* never beyond what was read */
        }
        if (code != CLI_OK) return code;
    }
    return CLI_OK;
}

const char *cli_value_at(const struct cli_arguments *arguments, const char *name, unsigned index)
{
    const int option = find_option(arguments->command, name, strlen(name));
    for (unsigned i = 0; i < arguments->value_count; i++) {
        if (arguments->option_of[i] == option && index-- == 0) return arguments->values[i];
    }
    return NULL;
}

const char *cli_given(const struct cli_arguments *arguments, unsigned index, const char **value_out,
                      bool *begins_out)
{
    if (index >= arguments->value_count) return NULL;
    *value_out = arguments->values[index];
    *begins_out = arguments->begins[index];
    return arguments->command->options[arguments->option_of[index]].name;
}

const char *cli_value(const struct cli_arguments *arguments, const char *name)
{
    const char *value = NULL, *next;
    for (unsigned i = 0; (next = cli_value_at(arguments, name, i)) != NULL; i++) value = next;
    return value;
}

bool cli_has(const struct cli_arguments *arguments, const char *name)
{
    return cli_value(arguments, name) != NULL;
}

long long cli_number(const struct cli_arguments *arguments, const char *name, long long fallback,
                     long long least, long long most, bool *ok)
{
    const char *value = cli_value(arguments, name);
    if (value == NULL) return fallback;
    char *end;
    errno = 0;
    const long long number = strtoll(value, &end, 10);
    if (*value == '\0' || *end != '\0' || errno != 0 || number < least || number > most) {
        cli_complain(CLI_USAGE, "%s takes a whole number from %lld to %lld, not \"%s\"", name,
                     least, most, value);
        *ok = false;
    }
    return number;
}

size_t cli_bytes(const struct cli_arguments *arguments, const char *name, size_t fallback, bool *ok)
{
    static const char units[] = "KMG";
    const char *value = cli_value(arguments, name);
    if (value == NULL) return fallback;
    char *end = NULL;
    unsigned shift = 0;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (unit != NULL) {
        shift = 10 * (unsigned)(unit - units + 1);
        end++;
    }
    if (!isdigit((unsigned char)*value) || *end != '\0' || errno != 0 || number == 0 ||
        number > SIZE_MAX >> shift) {
        cli_complain(CLI_USAGE, "%s takes a number of bytes, such as 4096, 512M or 2G, not \"%s\"",
                     name, value);
        *ok = false;
        return fallback;
    }
    return (size_t)number << shift;
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
        cli_complain(CLI_USAGE, "%s takes a percentage from 0 to 1000, not \"%s\"", name, value);
        *ok = false;
    }
    return number;
}

double cli_duration_ns(const struct cli_arguments *arguments, const char *name, double fallback,
                       bool *ok)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 6e10}};
    const char *value = cli_value(arguments, name);
    if (value == NULL) return fallback;
    char *end;
    const double number = strtod(value, &end);
    const bool is_digit = isdigit((unsigned char)value[0]) || value[0] == '.';
    for (size_t i = 0; is_digit && i < sizeof units / sizeof *units; i++) {
        const double ns = number * units[i].ns;
        if (strcmp(end, units[i].name) == 0 && ns >= 1 && ns <= MOST_DURATION_NS) return ns;
    }
    cli_complain(CLI_USAGE,
                 "%s takes a time of at most 30 days with its unit (ns, us, ms, s or min), such as "
                 "10s, not \"%s\"",
                 name, value);
    *ok = false;
    return fallback;
}

const char *cli_first_given(const struct cli_arguments *arguments, const char *const *names)
{
    while (*names != NULL && !cli_has(arguments, *names)) names++;
    return *names;
}

int cli_check_stdin(const struct cli_arguments *arguments, const char *const *options)
{
    unsigned count = 0;
    for (unsigned i = 0; i < arguments->word_count; i++) {
        count += strcmp(arguments->words[i], "-") == 0;
    }
    for (; *options != NULL; options++) {
        const char *value;
        for (unsigned i = 0; (value = cli_value_at(arguments, *options, i)) != NULL; i++) {
            count += strcmp(value, "-") == 0;
        }
    }
    if (count < 2) return CLI_OK;
    return cli_complain(
        CLI_USAGE, "standard input (-) can be read only once, but is given for %u files", count);
}

int cli_choice(const struct cli_arguments *arguments, const char *name, int fallback)
{
    const char *value = cli_value(arguments, name);
    if (value == NULL) return fallback;
    const int option = find_option(arguments->command, name, strlen(name));
    const size_t length = strlen(value);
    int index = 0;
    for (const char *at = arguments->command->options[option].value;; at++, index++) {
        if (strncmp(at, value, length) == 0 && (at[length] == '|' || at[length] == '\0')) {
            return index;
        }
        at = strchr(at, '|');
        if (at == NULL) return fallback; /* the parser lets only listed values through */
    }
}
