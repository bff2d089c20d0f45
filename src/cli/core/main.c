/* The program etscope: the list of commands, and main. */
#include <locale.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/document.h"
#include "cli/core/hints.h"
#include "cli/core/input_files.h"
#include "cli/core/interrupt.h"
#include "cli/core/nearest.h"
#include "host/memory_budget.h"
#include "host/os/os_streams.h"

/* The commands, a line for each task, in the order of the overview. */
/* clang-format off */
#define COMMANDS(X)                                                                               \
    X(profile) X(run) X(generate) X(machine)                                                                  \
    X(inspect) X(advise) X(annotate) X(delegates) X(cost) X(memory) X(size) X(report) X(open) X(plot) \
    X(diff) X(gate) X(summary)                                                                    \
    X(verify) X(gap) X(quality) X(tensors)                                                                   \
    X(info) X(dump) X(sql) X(export) X(import) X(bundle) X(tap) X(recover)                              \
    X(doctor) X(help)
/* clang-format on */

#define DECLARE(name) extern const struct cli_command cli_##name##_command;
COMMANDS(DECLARE)

#define LIST(name) &cli_##name##_command,
static const struct cli_command *const commands[] = {COMMANDS(LIST) NULL};

/* An option before the command. */
static int complain_option(const char *word)
{
    static const char *const names[] = {"--help", "--version", NULL};
    const char *nearest = cli_nearest(word, names);
    if (nearest != NULL) {
        return cli_complain(CLI_USAGE, "unknown option %s; did you mean %s?", word, nearest);
    }
    return cli_complain(CLI_USAGE,
                        "expected a command before %s: etscope COMMAND [options]; `etscope --help` "
                        "lists the commands",
                        word);
}

/* Whether one of the two spellings is among the words before "--". */
static bool asks_for(int count, char **words, const char *option, const char *letter)
{
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], option) == 0 || strcmp(words[i], letter) == 0) return true;
    }
    return false;
}

/* Reports output that was lost, for example on a full disk, and answers that memory did not do for.
 */
static int finish(int code)
{
    if ((code == CLI_OK || code == CLI_NEGATIVE) && ets_memory_was_refused()) {
        code = cli_complain(CLI_INTERNAL, "no memory for all of the answer");
    }
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || code == CLI_INTERNAL) return code;
    return cli_complain(CLI_INTERNAL, "standard output cannot be written");
}

static int print_version(void)
{
    puts("etscope " ETS_VERSION);
    return finish(CLI_OK);
}

int main(int count, char **words)
{
    setlocale(LC_CTYPE, "");
    ets_os_prepare_streams();
    if (count < 2) {
        cli_print_overview(stderr, commands);
        return CLI_USAGE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0) {
        cli_print_overview(stdout, commands);
        return finish(CLI_OK);
    }
    if (strcmp(words[1], "--version") == 0) return print_version();
    if (words[1][0] == '-') return complain_option(words[1]);
    const struct cli_command *command = cli_find_command(commands, words[1]);
    if (command == NULL) return CLI_USAGE;
    if (asks_for(count - 2, words + 2, "--version", "--version")) return print_version();
    if (asks_for(count - 2, words + 2, "--help", "-h")) {
        cli_print_help(stdout, command);
        return finish(CLI_OK);
    }
    static struct cli_arguments arguments;
    int code = cli_parse(command, count - 2, words + 2, &arguments);
    arguments.commands = commands;
    if (code == CLI_OK) code = cli_check_outputs(&arguments);
    if (code != CLI_OK) return code;
    cli_interrupt_install();
    cli_inputs_guard();
    cli_bounds_start();
    cli_document_start(&arguments);
    cli_hints_start(&arguments);
    code = cli_document_end(cli_end(command->run(&arguments)));
    cli_inputs_free();
    return finish(code);
}
