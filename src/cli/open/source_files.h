/* Finds the model's source files on this machine. */
#ifndef ETSCOPE_CLI_OPEN_SOURCE_FILES_H
#define ETSCOPE_CLI_OPEN_SOURCE_FILES_H

#include "cli/core/command.h"
#include "etscope/file.h"

enum { CLI_MAX_SOURCES = 256 };

struct cli_source_files {
    const struct cli_arguments *arguments; /* --source-root */
    struct ets_text names[CLI_MAX_SOURCES];
    struct ets_file *files[CLI_MAX_SOURCES]; /* NULL: not found */
    unsigned count;
};

/* ets_annotate_options.source with a struct cli_source_files as context. Only regular files of at
 * most 16 MiB are opened; each once. */
int cli_source_find(void *context, struct ets_text file, struct ets_bytes *text_out);
void cli_source_close(struct cli_source_files *sources);

#endif
