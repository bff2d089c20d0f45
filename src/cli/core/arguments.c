/* Parses the arguments of a command by the options that it takes. */
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/core/command.h"
#include "cli/core/nearest.h"
#include "cli/core/option_values.h"
#include "host/text_builder.h"

const struct cli_command *cli_find_command(const struct cli_command *const *commands,
                                           const char *name)
{
    enum { MOST_COMMANDS = 64 };
    const char *names[MOST_COMMANDS + 1];
    unsigned count = 0;
    for (; *commands != NULL; commands++) {
        if (strcmp((*commands)->name, name) == 0) return *commands;
        if (count < MOST_COMMANDS) names[count++] = (*commands)->name;
    }
    names[count] = NULL;
    const char *nearest = cli_nearest(name, names);
    if (strcmp(name, "version") == 0) {
        cli_complain(CLI_USAGE, "unknown command version; did you mean --version?");
    } else if (strncmp(name, "bench", 5) == 0) {
        cli_complain(CLI_USAGE,
                     "unknown command %s; did you mean generate, or profile for models "
                     "that take no tokens?",
                     name);
    } else if (nearest != NULL) {
        cli_complain(CLI_USAGE, "unknown command %s; did you mean %s?", name, nearest);
    } else {
        cli_complain(CLI_USAGE, "unknown command %s; `etscope --help` lists the commands", name);
    }
    return NULL;
}

/* Names the options that begin with a letter, as other tools abbreviate them; false: none do. */
static bool complain_letter(const struct cli_command *command, const char *letter,
                            const char *const *names)
{
    char list[160];
    struct ets_text_builder text = {list, sizeof list, 0};
    unsigned count = 0;
    for (; *names != NULL; names++) {
        if (strncmp(*names, "--", 2) != 0 || (*names)[2] != letter[1]) continue;
        ets_add_text(&text, "%s%s", count++ > 0 ? " or " : "", *names);
    }
    if (count == 0 || count > 4) return false;
    cli_complain(CLI_USAGE, "%s has no option %s; did you mean %s?", command->name, letter, list);
    return true;
}

static int complain_option(const struct cli_command *command, const char *word, size_t length)
{
    enum { MOST_NAMES = 4 * CLI_MAX_OPTIONS };
    const char *names[MOST_NAMES + 3], *spelling;
    unsigned count = 0;
    struct cli_option option;
    for (unsigned i = 0; cli_command_option(command, i, &option); i++) {
        if (command->options[i].is_hidden) continue;
        for (unsigned k = 0; (spelling = cli_option_spelling(&option, k)) != NULL; k++) {
            if (count < MOST_NAMES) names[count++] = spelling;
        }
    }
    names[count++] = "--help";
    names[count++] = "--version";
    names[count] = NULL;
    char copy[64];
    snprintf(copy, sizeof copy, "%.*s", (int)(length < 60 ? length : 60), word);
    /* One letter is near to any other, but may be the first of a name. */
    const bool is_letter = word[1] != '-' && length == 2;
    if (is_letter && complain_letter(command, copy, names)) return CLI_USAGE;
    const char *nearest = is_letter ? NULL : cli_nearest(copy, names);
    if (nearest != NULL) {
        return cli_complain(CLI_USAGE, "%s has no option %s; did you mean %s?", command->name, copy,
                            nearest);
    }
    return cli_complain(CLI_USAGE, "%s has no option %s; `etscope %s --help` lists its options",
                        command->name, copy, command->name);
}

/* `option` has the name by which messages call it. */
static int add_value(struct cli_arguments *arguments, int index, const struct cli_option *option,
                     const char *value, bool begins)
{
    const char *const *older = arguments->command->options[index].older_choice;
    if (older[0] != NULL && strcmp(older[0], value) == 0) value = older[1];
    if (option->value != NULL) {
        const int code = cli_check_value(arguments->command, option, value);
        if (code != CLI_OK) return code;
    }
    if (arguments->value_count == CLI_MAX_VALUES) {
        return cli_complain(CLI_USAGE, "more than %d option values", CLI_MAX_VALUES);
    }
    arguments->values[arguments->value_count] = value;
    arguments->begins[arguments->value_count] = begins;
    arguments->option_of[arguments->value_count++] = (unsigned char)index;
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
    const int index = cli_command_find(command, word, length);
    if (index < 0 && has_inline && strncmp(word, "--help=", 7) == 0) {
        return cli_complain(CLI_USAGE, "--help takes no value");
    }
    struct cli_option option = {0};
    if (index < 0 && word[1] != '-') { /* "-n3" */
        const int brief = cli_command_find(command, word, 2);
        if (brief >= 0 && cli_command_option(command, (unsigned)brief, &option) &&
            option.value != NULL) {
            return add_value(arguments, brief, &option, word + 2, true);
        }
    }
    if (index < 0) return complain_option(command, word, length);
    (void)cli_command_option(command, (unsigned)index, &option);
    char typed[64];
    if (word[1] == '-' && length < sizeof typed) {
        snprintf(typed, sizeof typed, "%.*s", (int)length, word);
        option.name = typed;
    }
    if (option.value == NULL) {
        if (has_inline) return cli_complain(CLI_USAGE, "%s takes no value", option.name);
        return add_value(arguments, index, &option, "", true);
    }
    if (has_inline) return add_value(arguments, index, &option, word + length + 1, true);
    if (*at + 1 >= count) {
        return cli_complain(CLI_USAGE, "%s needs a value: %s", option.name, option.value);
    }
    int code = add_value(arguments, index, &option, words[++*at], true);
    while (code == CLI_OK && option.ending != NULL && *at + 1 < count &&
           belongs(option.ending, words[*at + 1])) {
        code = add_value(arguments, index, &option, words[++*at], false);
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
    for (unsigned i = 0; i < arguments->value_count; i++) {
        const char *given = arguments->command->options[arguments->option_of[i]].name;
        if (strcmp(given, name) == 0 && index-- == 0) return arguments->values[i];
    }
    return NULL;
}

unsigned cli_value_count(const struct cli_arguments *arguments, const char *name)
{
    unsigned count = 0;
    while (cli_value_at(arguments, name, count) != NULL) count++;
    return count;
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

bool cli_takes(const struct cli_arguments *arguments, const char *name)
{
    return cli_command_find(arguments->command, name, strlen(name)) >= 0;
}

bool cli_has(const struct cli_arguments *arguments, const char *name)
{
    return cli_value(arguments, name) != NULL;
}

const char *cli_first_given(const struct cli_arguments *arguments, const char *const *names)
{
    while (*names != NULL && !cli_has(arguments, *names)) names++;
    return *names;
}

int cli_check_stdin(const struct cli_arguments *arguments)
{
    struct cli_option option;
    unsigned count = 0;
    for (unsigned i = 0; i < arguments->word_count; i++) {
        count += strcmp(arguments->words[i], "-") == 0;
    }
    for (unsigned i = 0; i < arguments->value_count; i++) {
        (void)cli_command_option(arguments->command, arguments->option_of[i], &option);
        count += cli_option_is_input(&option) && strcmp(arguments->values[i], "-") == 0;
    }
    if (count < 2) return CLI_OK;
    return cli_complain(
        CLI_USAGE, "standard input (-) can be read only once, but is given for %u files", count);
}

long long cli_number(const struct cli_arguments *arguments, const char *name, long long fallback)
{
    const char *value = cli_value(arguments, name);
    long long number;
    return value != NULL && cli_read_number(value, &number) ? number : fallback;
}

size_t cli_bytes(const struct cli_arguments *arguments, const char *name, size_t fallback)
{
    const char *value = cli_value(arguments, name);
    size_t bytes;
    return value != NULL && cli_read_bytes(value, &bytes) ? bytes : fallback;
}

double cli_percent(const struct cli_arguments *arguments, const char *name, double fallback)
{
    const char *value = cli_value(arguments, name);
    double percent;
    return value != NULL && cli_read_percent(value, &percent) ? percent : fallback;
}

double cli_duration_ns(const struct cli_arguments *arguments, const char *name, double fallback)
{
    const char *value = cli_value(arguments, name);
    double ns;
    return value != NULL && cli_read_duration(value, &ns) ? ns : fallback;
}

int cli_choice(const struct cli_arguments *arguments, const char *name, int fallback)
{
    const char *value = cli_value(arguments, name);
    if (value == NULL) return fallback;
    struct cli_option option;
    const int index = cli_command_find(arguments->command, name, strlen(name));
    (void)cli_command_option(arguments->command, (unsigned)index, &option);
    const int choice = cli_find_choice(option.value, value);
    return choice < 0 ? fallback : choice; /* the parser lets only listed values through */
}
