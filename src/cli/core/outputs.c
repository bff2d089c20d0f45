/* Checks that no output of a command is one of its inputs. */
#include <string.h>

#include "cli/core/command.h"
#include "cli/core/input_files.h"
#include "etscope/file.h"
#include "host/os/os_files.h"
#include "host/output.h"

static int complain_input(const char *path, const char *option)
{
    return cli_complain(CLI_USAGE, "%s is an input of this command: %s needs another file", path,
                        option);
}

/* Compares output number `index` with all arguments and all other option values. */
static int check(const struct cli_arguments *arguments, unsigned index)
{
    const char *path = arguments->values[index];
    const char *option = arguments->command->options[arguments->option_of[index]].name;
    for (unsigned i = 0; i < arguments->word_count; i++) {
        if (cli_is_same_file(path, arguments->words[i])) return complain_input(path, option);
    }
    for (unsigned i = 0; i < arguments->value_count; i++) {
        struct cli_option other;
        (void)cli_command_option(arguments->command, arguments->option_of[i], &other);
        if (i == index || other.value == NULL) continue;
        if (!other.is_output) {
            if (cli_is_same_file(path, arguments->values[i])) return complain_input(path, option);
        } else if (i < index && strcmp(other.name, option) != 0 &&
                   cli_is_same_file(path, arguments->values[i])) {
            return cli_complain(CLI_USAGE, "%s is the output of both %s and %s", path, other.name,
                                option);
        }
    }
    return CLI_OK;
}

/* Checks that the output can be written before anything runs. */
static int check_writable(const char *path)
{
    struct ets_output *output;
    struct ets_error error;
    if (strcmp(path, "-") == 0 || ets_os_look(path).kind == ETS_OS_OTHER)
        return CLI_OK; /* the reader would notice an opened pipe */
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    ets_output_discard(output);
    return CLI_OK;
}

int cli_check_outputs(const struct cli_arguments *arguments)
{
    for (unsigned i = 0; i < arguments->value_count; i++) {
        struct cli_option option;
        (void)cli_command_option(arguments->command, arguments->option_of[i], &option);
        if (!option.is_output) continue;
        int code = check(arguments, i);
        if (code == CLI_OK) code = check_writable(arguments->values[i]);
        if (code != CLI_OK) return code;
    }
    return CLI_OK;
}
