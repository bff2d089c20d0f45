/*
 * A command on the target: its words, the files that it reads and writes there, and its end.
 *
 *     static struct cli_remote_command command;
 *     cli_remote_command_begin(&command, &remote, arguments, "run");
 *     code = cli_remote_command_input(&command, "model.pte", "model.pte");
 *     cli_remote_command_word(&command, "-o");
 *     if (code == CLI_OK) code = cli_remote_command_output(&command, "trace.etdp", false);
 *     if (code == CLI_OK) code = cli_remote_command_run(&command, bundle, NULL);
 *     if (code == CLI_OK) code = cli_remote_command_end(&command);
 */
#ifndef ETSCOPE_CLI_TARGET_REMOTE_COMMAND_H
#define ETSCOPE_CLI_TARGET_REMOTE_COMMAND_H

#include "cli/core/command.h"
#include "cli/target/remote_files.h"

enum { CLI_REMOTE_OUTPUTS = 16, CLI_REMOTE_FILES = 1024, CLI_REMOTE_SCRIPT = 65536 };

/* A file that the command writes there, and where it goes here. */
struct cli_remote_output {
    const char *path;
    char base[CLI_TARGET_TEXT]; /* its last component, as the command there is told */
    bool is_prefix;             /* of the names of any number of files */
    bool is_here;
};

struct cli_remote_command {
    struct cli_remote *remote;
    const struct cli_arguments *arguments; /* of this side */
    char words[CLI_REMOTE_SCRIPT / 2];     /* quoted */
    char links[CLI_REMOTE_SCRIPT / 4];     /* the script that names its files */
    size_t words_used, links_used;
    bool is_too_long;
    unsigned link_count;
    struct cli_remote_output outputs[CLI_REMOTE_OUTPUTS];
    unsigned output_count;
};

/* Large: not for the stack. */
void cli_remote_command_begin(struct cli_remote_command *command, struct cli_remote *remote,
                              const struct cli_arguments *arguments, const char *name);
void cli_remote_command_word(struct cli_remote_command *command, const char *word);
/*
 * Pushes a file, and adds its name there as a word. `what` names it in notes. Returns an exit code.
 */
int cli_remote_command_input(struct cli_remote_command *command, const char *path,
                             const char *what);
/*
 * Adds the name of an output. Files that the command derives from it ("trace.recording-1.etdp",
 * "PREFIX.0.npy") come back, too, and no other. "-" is standard output. Returns an exit code.
 */
int cli_remote_command_output(struct cli_remote_command *command, const char *path, bool is_prefix);

/*
 * Runs it; `output`: where its standard output goes, NULL: that of this process. Returns an exit
 * code, which is not the command's.
 */
int cli_remote_command_run(struct cli_remote_command *command, const char *bundle,
                           const char *output);
/* The command's exit code, or one of this side; all outputs are here if it ended well. */
int cli_remote_command_end(struct cli_remote_command *command);

#endif
