/*
 * What is at a path, and what changes it: kinds and identities, links, folders, replacing,
 * removing. Paths are UTF-8. `errno` holds the reason of what fails, also on Windows.
 */
#ifndef ETSCOPE_HOST_OS_FILES_H
#define ETSCOPE_HOST_OS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ETS_OS_PATH_BYTES = 4096 };

enum ets_os_kind {
    ETS_OS_NOTHING, /* also what cannot be asked */
    ETS_OS_FILE,
    ETS_OS_FOLDER,
    ETS_OS_OTHER /* a device, a pipe */
};

/* Links are followed. Two paths lead to the same file if volume and number are equal. */
struct ets_os_place {
    enum ets_os_kind kind;
    uint64_t size; /* bytes of a file */
    uint64_t volume, number[2];
};

struct ets_os_place ets_os_look(const char *path);
bool ets_os_is_same(const struct ets_os_place *left, const struct ets_os_place *right);
bool ets_os_can_read(const char *path);

/* What follows the last separator of the path. */
const char *ets_os_name(const char *path);
/* ".etdp", the ending of that name; its end if it has none, as ".hidden". */
const char *ets_os_ending(const char *path);
/* Cuts the name off, and the separator before it: leaves the folder. false: the path has none. */
bool ets_os_cut_name(char *path);
/* A name that no folder is needed for, or a path from the root. */
bool ets_os_has_folder(const char *path);

/* Whether merely asking for it may reach another machine, as "//server/share" does on Windows. */
bool ets_os_is_elsewhere(const char *path);

/* Where a symbolic link leads, in a text that the caller frees; NULL with errno 0: it is none. */
char *ets_os_follow_link(const char *path);
/* The path from the root, without links; the caller frees it. NULL: errno. */
char *ets_os_real_path(const char *path);

/* Calls `take` with the name of each entry but "." and "..", until it returns false. false: errno.
 */
bool ets_os_list(const char *folder, bool (*take)(void *context, const char *name), void *context);

/* Each returns 0 or an errno. */
int ets_os_make_folder(const char *path);
int ets_os_remove_folder(const char *path);
int ets_os_remove(const char *path); /* a file, also one that is open */
/* Moves a file to another path of its folder; one that is there is replaced in one step. */
int ets_os_replace(const char *from, const char *to);

/* Where the system keeps temporary files, without a separator at its end. */
const char *ets_os_temporary_root(void);
/* Makes a folder of a new name there that only this user may read; errno. */
int ets_os_make_temporary_folder(char *path, size_t room);

/* What nothing can be read from, and swallows what is written. */
extern const char ets_os_null_device[];

#endif
