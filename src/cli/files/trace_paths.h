/* Resolves the names of traces: files, folders and lists. */
#ifndef ETSCOPE_CLI_FILES_TRACE_PATHS_H
#define ETSCOPE_CLI_FILES_TRACE_PATHS_H

struct cli_paths {
    const char **items;
    unsigned count, room;
    unsigned folder_count; /* in a folder: those in it, which are not read */
    void *texts;           /* memory of the items */
};

/*
 * The files that `words` name. "@LIST" stands for the names in the file LIST, one per line; a
 * folder for the ETDumps in it, recognized by their contents, sorted by name; anything else for
 * itself. Returns an exit code; close it even after a failure.
 */
int cli_paths_open(const char *const *words, unsigned word_count, struct cli_paths *paths_out);
void cli_paths_close(struct cli_paths *paths);

/* The sorted names of the files in a folder, without hidden files. Likewise. */
int cli_folder_open(const char *folder, struct cli_paths *paths_out);

/* Whether `path` is a folder. */
int cli_is_folder(const char *path);

#endif
