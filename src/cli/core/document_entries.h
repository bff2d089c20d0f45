/* The parts of a JSON document beside its rows: the files that were read, and the notes. */
#ifndef ETSCOPE_CLI_CORE_DOCUMENT_ENTRIES_H
#define ETSCOPE_CLI_CORE_DOCUMENT_ENTRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "etscope/base.h"

/* A file that the command read, or a note. */
struct cli_entry {
    char *text; /* the file's path, or the note */
    bool is_file;
    const char *kind;
    uint64_t bytes;
};

/* Starts collecting entries, for --format json. */
void cli_entries_start(void);

/* Keeps a message to standard error for the document's notes. */
void cli_document_note(struct ets_text text);

/* All collected entries, in order. Where memory ran out for one, no output is committed. */
const struct cli_entry *cli_entries(size_t *count_out);
void cli_entries_free(void);

#endif
