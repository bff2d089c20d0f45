/* Finds the model's source files on this machine. */
#ifndef ETSCOPE_CLI_ANNOTATE_SOURCE_FILES_H
#define ETSCOPE_CLI_ANNOTATE_SOURCE_FILES_H

#include "cli/core/command.h"
#include "etscope/file.h"

enum { CLI_MAX_SOURCES = 256 };

/* Why a file is not shown. */
enum cli_source_state {
    CLI_SOURCE_MISSING = 0,
    CLI_SOURCE_ELSEWHERE = 1, /* it is there, but neither below this folder nor below a root */
    CLI_SOURCE_UNFIT = 2,     /* not a regular .py file of at most 16 MiB */
    CLI_SOURCE_CLOSED = 3,    /* one that cannot be read */
    CLI_SOURCE_FOUND = 4
};

struct cli_source_files {
    const struct cli_arguments *arguments; /* --source-root */
    struct ets_text names[CLI_MAX_SOURCES];
    struct ets_file *files[CLI_MAX_SOURCES]; /* NULL: not shown */
    enum cli_source_state states[CLI_MAX_SOURCES];
    unsigned count;
    bool has_error;         /* a file is closed */
    struct ets_error error; /* of the first such file */
    struct ets_text beyond; /* the first file for which there was no room; data NULL: none */
};

/* ets_annotate_options.source with a struct cli_source_files as context. Only regular .py files of
 * at most 16 MiB are opened; each once. */
int cli_source_find(void *context, struct ets_text file, struct ets_bytes *text_out);
/* Notes for each reason which files are not shown, and what would show them. */
void cli_source_note(const struct cli_source_files *sources);
void cli_source_close(struct cli_source_files *sources);

#endif
