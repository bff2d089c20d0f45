/*
 * The page that reads files (`make page`, web/app), with files in it: an element for each, which
 * the page takes at its start as if they had been dropped.
 */
#ifndef ETSCOPE_CLI_OPEN_PAGE_WITH_FILES_H
#define ETSCOPE_CLI_OPEN_PAGE_WITH_FILES_H

#include <stdbool.h>

#include "etscope/file.h"
#include "host/output.h"

struct given_file {
    const char *path;
    struct ets_file *file;
    unsigned of;    /* number of the word that names it, or a file that it lies beside */
    bool is_beside; /* not named */
};

/*
 * Finds the page: the file that ETSCOPE_PAGE names, else etscope.html beside this program, in
 * share/etscope beside its folder, or in the folder that `make page` writes to. Returns CLI_OK, or
 * CLI_UNAVAILABLE or CLI_INPUT after telling why; the caller closes the file.
 */
int open_page(struct ets_file **page_out);

/* Writes the page with the files. Returns CLI_OK, or CLI_INPUT after telling that it is no page. */
int write_page(const struct ets_file *page, const struct given_file *files, size_t count,
               struct ets_output *output);

#endif
