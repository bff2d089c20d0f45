/* Which traces words name: files, folders of them, and lists of names. */
#ifndef ETSCOPE_CLI_OPEN_TRACE_PATHS_H
#define ETSCOPE_CLI_OPEN_TRACE_PATHS_H

struct cli_paths {
    const char **items;
    unsigned count, room;
    void *texts; /* what the items lie in */
};

/*
 * The files that `words` name: "@LIST" names those of the file LIST, one a line; a folder the
 * ETDumps in it, by their bytes, in the order of their names; anything else itself. Returns an exit
 * code; close in any case.
 */
int cli_paths_open(const char *const *words, unsigned word_count, struct cli_paths *paths_out);
void cli_paths_close(struct cli_paths *paths);

/* The names of the files of a folder, without those that begin with a point, sorted. Likewise. */
int cli_folder_open(const char *folder, struct cli_paths *paths_out);

/* Whether `path` is a folder. */
int cli_is_folder(const char *path);

#endif
