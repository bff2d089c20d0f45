/* The command `help` and the option --help: overview, help of commands, man pages. */
#include <ctype.h>
#include <string.h>

#include "cli/core/help_table.h"
#include "cli/core/option_values.h"

enum { HELP_WIDTH = 79, HELP_INDENT = 30 };

static const struct cli_command_option option_list[] = {
    {"--man"},
    {"--completion"},
    {"--format", .help = "A table of the commands, or of the options of COMMAND, in this format"},
    {"--output"},
    {NULL},
};

/*
 * Prints `text` wrapped into lines that are indented by `indent`; `column` is the current column.
 * Only texts without indent have line breaks.
 */
static void print_wrapped(FILE *stream, const char *text, int indent, int column)
{
    while (*text != '\0') {
        const int length = (int)strcspn(text, " \n");
        if (*text == '\n') {
            fputc(*text++, stream);
            column = indent;
            continue;
        }
        if (column > indent && column + 1 + length > HELP_WIDTH) {
            fprintf(stream, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', stream);
            column++;
        }
        fprintf(stream, "%.*s", length, text);
        column += length;
        text += length;
        while (*text == ' ') text++;
    }
    fputc('\n', stream);
}

/* Choices too long to stand beside the option's name are listed behind what it does. */
enum { LONGEST_VALUE = 60, HELP_BYTES = 512 };

static const char *shown_value(const struct cli_option *option)
{
    if (option->value == NULL) return "";
    return strlen(option->value) > LONGEST_VALUE ? "NAME" : option->value;
}

/* "The format to write: chrome, perfetto, pprof" */
static const char *shown_help(const struct cli_option *option, char text[HELP_BYTES])
{
    if (option->value == NULL || strlen(option->value) <= LONGEST_VALUE) return option->help;
    size_t used = (size_t)snprintf(text, HELP_BYTES, "%s: ", option->help);
    for (const char *at = option->value; *at != '\0' && used + 3 < HELP_BYTES; at++) {
        if (*at == '|') text[used++] = ',';
        text[used++] = *at == '|' ? ' ' : *at;
    }
    text[used < HELP_BYTES ? used : HELP_BYTES - 1] = '\0';
    return text;
}

static void print_option(FILE *stream, const struct cli_option *option)
{
    const bool is_short = option->letter != NULL;
    char left[128], help[HELP_BYTES];
    const int length = snprintf(left, sizeof left, "  %s%s%s%s%s%s", is_short ? option->letter : "",
                                is_short ? ", " : "", option->name, option->value ? " " : "",
                                shown_value(option), option->ending ? "..." : "");
    fputs(left, stream);
    if (length >= HELP_INDENT - 1) fprintf(stream, "\n%*s", HELP_INDENT, "");
    else fprintf(stream, "%*s", HELP_INDENT - length, "");
    print_wrapped(stream, shown_help(option, help), HELP_INDENT, HELP_INDENT);
}

static void print_lines(FILE *stream, const char *lines, const char *prefix)
{
    while (*lines != '\0') {
        const int length = (int)strcspn(lines, "\n");
        fprintf(stream, "%s%.*s\n", prefix, length, lines);
        lines += length + (lines[length] == '\n');
    }
}

/*
 * Moves *index to the next option of a group that help lists. False: there is none. Start with
 * *index 0, and add 1 for the next.
 */
static bool find_in_group(const struct cli_command *command, unsigned group, unsigned *index,
                          struct cli_option *option_out)
{
    for (; cli_command_option(command, *index, option_out); ++*index) {
        if (option_out->group == group && !command->options[*index].is_hidden) return true;
    }
    return false;
}

static void print_groups(FILE *stream, const struct cli_command *command)
{
    struct cli_option option;
    for (unsigned group = 0; cli_group_name(group) != NULL; group++) {
        unsigned i = 0;
        if (!find_in_group(command, group, &i, &option)) continue;
        fprintf(stream, "\n%s:\n", cli_group_name(group));
        for (; find_in_group(command, group, &i, &option); i++) print_option(stream, &option);
    }
}

static void begin_spellings(FILE *stream, bool *is_first)
{
    if (*is_first) fputs("\nother accepted spellings:\n", stream);
    *is_first = false;
}

/* Aliases, and options that stay for those who use them. */
static void print_spellings(FILE *stream, const struct cli_command *command)
{
    bool is_first = true;
    struct cli_option option;
    for (unsigned i = 0; cli_command_option(command, i, &option); i++) {
        for (unsigned k = 0; option.aliases[k] != NULL; k++) {
            begin_spellings(stream, &is_first);
            fprintf(stream, "  %-*s%s\n", HELP_INDENT - 2, option.aliases[k], option.name);
        }
    }
    for (unsigned i = 0; cli_command_option(command, i, &option); i++) {
        if (!command->options[i].is_hidden) continue;
        begin_spellings(stream, &is_first);
        print_option(stream, &option);
    }
}

void cli_print_help(FILE *stream, const struct cli_command *command)
{
    fprintf(stream, "usage: etscope %s%s%s [options]\n\n", command->name,
            command->arguments[0] != '\0' ? " " : "", command->arguments);
    print_wrapped(stream, command->description, 0, 0);
    print_groups(stream, command);
    fprintf(stream, "\n  -h, --help%*sPrint this help\n", HELP_INDENT - 12, "");
    print_spellings(stream, command);
    fputs("\nexamples:\n", stream);
    print_lines(stream, command->examples, "  ");
}

void cli_print_overview(FILE *stream, const struct cli_command *const *commands)
{
    fputs(
        "etscope profiles and debugs ExecuTorch programs.\n\nusage: etscope COMMAND [options]\n\n",
        stream);
    for (unsigned task = 0; cli_task_name(task) != NULL; task++) {
        fprintf(stream, "%s%s:\n", task > 0 ? "\n" : "", cli_task_name(task));
        for (const struct cli_command *const *each = commands; *each != NULL; each++) {
            if ((*each)->task != task) continue;
            fprintf(stream, "  %-10s %s\n", (*each)->name, (*each)->summary);
        }
    }
    fputs(
        "\n`etscope COMMAND --help` explains a command, `etscope --version` prints the\nversion. "
        "Results go to standard output, notes to standard error; the file name\n- means standard "
        "input or output. Exit codes: 0 ok, 1 negative finding, 2 usage,\n3 input file, 4 "
        "mismatch, 5 runtime error, 6 missing component, 7 output or\nmemory.\n",
        stream);
}

/* In roff, a backslash and a leading dot or quote are special. */
static void print_roff(FILE *stream, const char *text)
{
    for (const char *at = text; *at != '\0'; at++) {
        const bool starts_line = at == text || at[-1] == '\n';
        if (starts_line && (*at == '.' || *at == '\'')) fputs("\\&", stream);
        if (*at == '\\') fputs("\\e", stream);
        else if (*at == '-') fputs("\\-", stream);
        else fputc(*at, stream);
    }
}

static void print_man_option(FILE *stream, const struct cli_option *option)
{
    char help[HELP_BYTES];
    const char *spelling;
    fputs(".TP\n.BR ", stream);
    for (unsigned i = 0; (spelling = cli_option_spelling(option, i)) != NULL; i++) {
        if (i > 0) fputs(" \", \" ", stream);
        print_roff(stream, spelling);
    }
    if (option->value != NULL) {
        fputs(" \" ", stream);
        print_roff(stream, shown_value(option));
        fputs("\"", stream);
    }
    fputc('\n', stream);
    print_roff(stream, shown_help(option, help));
    fputs(".\n", stream);
}

static void print_man_options(FILE *stream, const struct cli_command *command)
{
    struct cli_option option;
    fputs(".SH OPTIONS\n", stream);
    for (unsigned group = 0; cli_group_name(group) != NULL; group++) {
        unsigned i = 0;
        if (!find_in_group(command, group, &i, &option)) continue;
        fprintf(stream, ".SS %c%s\n", toupper((unsigned char)*cli_group_name(group)),
                cli_group_name(group) + 1);
        for (; find_in_group(command, group, &i, &option); i++) print_man_option(stream, &option);
    }
}

static void print_man_examples(FILE *stream, const struct cli_command *command)
{
    fputs(".SH EXAMPLES\n.nf\n", stream);
    print_roff(stream, command->examples);
    fputs("\n.fi\n.SH EXIT STATUS\nSee\n.BR etscope (1).\n", stream);
}

/* `command` NULL: etscope(1) */
static void print_man(FILE *stream, const struct cli_command *const *commands,
                      const struct cli_command *command)
{
    char title[64] = "ETSCOPE";
    if (command != NULL) snprintf(title, sizeof title, "ETSCOPE-%s", command->name);
    for (char *at = title; *at != '\0'; at++) *at = (char)toupper((unsigned char)*at);
    fprintf(stream, ".TH %s 1 \"\" \"etscope %s\"\n.SH NAME\n", title, ETS_VERSION);
    if (command != NULL) {
        fprintf(stream, "etscope\\-%s \\- ", command->name);
        print_roff(stream, command->summary);
        fprintf(stream, "\n.SH SYNOPSIS\n.B etscope %s\n", command->name);
        if (command->arguments[0] != '\0') fprintf(stream, ".I %s\n", command->arguments);
        fputs("[options]\n.SH DESCRIPTION\n", stream);
        print_roff(stream, command->description);
        fputc('\n', stream);
        print_man_options(stream, command);
        print_man_examples(stream, command);
        return;
    }
    fputs(
        "etscope \\- developer tools for ExecuTorch\n.SH SYNOPSIS\n.B etscope\n.I "
        "COMMAND\n[options]\n.SH DESCRIPTION\nProfiles and debugs ExecuTorch programs.\n.SH "
        "COMMANDS\n",
        stream);
    for (unsigned task = 0; cli_task_name(task) != NULL; task++) {
        fprintf(stream, ".SS %c%s\n", toupper((unsigned char)*cli_task_name(task)),
                cli_task_name(task) + 1);
        for (const struct cli_command *const *each = commands; *each != NULL; each++) {
            if ((*each)->task != task) continue;
            fprintf(stream, ".TP\n.BR etscope\\-%s (1)\n", (*each)->name);
            print_roff(stream, (*each)->summary);
            fputc('\n', stream);
        }
    }
    fputs(
        ".SH EXIT STATUS\n0 success; 1 the finding is negative; 2 usage; 3 an input file is "
        "missing, damaged or of another kind; 4 files do not belong together or the answer is "
        "ambiguous; 5 the ExecuTorch runtime reported an error; 6 a component is missing; 7 out "
        "of memory, or an output could not be written.\n",
        stream);
}

static int cmd_help(const struct cli_arguments *arguments)
{
    const struct cli_command *command = NULL;
    if (arguments->word_count > 1) return cli_complain(CLI_USAGE, "help takes one command");
    if (cli_has(arguments, "--completion")) {
        return cli_print_completion(stdout, arguments->commands,
                                    cli_value(arguments, "--completion"));
    }
    if (arguments->word_count == 1 && strcmp(arguments->words[0], "columns") == 0) {
        return cli_write_columns_table(arguments);
    }
    if (arguments->word_count == 1) {
        command = cli_find_command(arguments->commands, arguments->words[0]);
        if (command == NULL) return CLI_USAGE;
    }
    if (cli_has(arguments, "--format")) return cli_write_help_table(arguments, command);
    if (cli_has(arguments, "--man")) print_man(stdout, arguments->commands, command);
    else if (command != NULL) cli_print_help(stdout, command);
    else cli_print_overview(stdout, arguments->commands);
    return CLI_OK;
}

const struct cli_command cli_help_command = {
    .name = "help",
    .task = CLI_TASK_ETSCOPE,
    .summary = "explain a command, or print man pages and shell completions",
    .arguments = "[COMMAND]",
    .description =
        "Shows an overview, or the options of COMMAND. `etscope help columns` says what the "
        "columns "
        "of tables are.",
    .options = option_list,
    .examples =
        "etscope help inspect\n"
        "etscope help diff --format json\n"
        "etscope help columns\n"
        "etscope help --completion bash > ~/.local/share/bash-completion/completions/etscope",
    .run = cmd_help,
};
