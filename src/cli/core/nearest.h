/*
 * What a mistyped word may mean: the candidate that begins with it, otherwise the nearest, if it is
 * close enough.
 *
 *     const char *names[] = {"--help", "--version", NULL};
 *     const char *nearest = cli_nearest("--verison", names);
 */
#ifndef ETSCOPE_CLI_CORE_NEAREST_H
#define ETSCOPE_CLI_CORE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* Edit distance: characters to change, add or remove; 48 if a word is longer than that. */
unsigned cli_distance(const char *left, const char *right);

/* Of a list that ends with NULL; NULL: none. */
const char *cli_nearest(const char *word, const char *const *candidates);
/* Of a text "encode, forward". Copies it to `found`; false: none, or it is longer. */
bool cli_nearest_in_list(const char *word, const char *list, char *found, size_t room);
/* Of the files and folders beside a path that does not exist: their path, as it was typed.
 * Likewise. */
bool cli_nearest_file(const char *path, char *found, size_t room);

#endif
