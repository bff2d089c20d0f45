/* Creates files for output. */
#ifndef ETSCOPE_HOST_OS_OUTPUT_H
#define ETSCOPE_HOST_OS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

/* What a new file is to have: the permissions of the one that it replaces. */
struct ets_os_permissions {
    unsigned mode;
    bool is_replaced;
};

/* 0, or the errno of a file that this user may not write, or that nobody may. */
int ets_os_permissions_of(const char *path, struct ets_os_permissions *permissions_out);

/*
 * Creates a file that was not there, which no child inherits, and which can be removed and moved
 * while it is open. NULL: errno, EEXIST if it is there.
 */
FILE *ets_os_create_new(const char *path, struct ets_os_permissions permissions);

#endif
