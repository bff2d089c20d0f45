/* Finds the nearest of words and of file names. */
#include "cli/core/nearest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "host/os/os_files.h"

enum {
    MOST_NAMES = 4096, /* of a folder: a guess must not take long */
    LEAST_NAME = 3     /* characters: many files begin with fewer */
};

unsigned cli_distance(const char *left, const char *right)
{
    enum { MOST = 48 };
    const size_t n = strlen(left), m = strlen(right);
    unsigned row[MOST + 1];
    if (n > MOST || m > MOST) return MOST;
    for (size_t j = 0; j <= m; j++) row[j] = (unsigned)j;
    for (size_t i = 1; i <= n; i++) {
        unsigned diagonal = row[0];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= m; j++) {
            const unsigned replaced = diagonal + (left[i - 1] != right[j - 1]);
            const unsigned inserted = row[j - 1] + 1, removed = row[j] + 1;
            diagonal = row[j];
            row[j] = replaced < inserted ? replaced : inserted;
            if (removed < row[j]) row[j] = removed;
        }
    }
    return row[m];
}

/* The best candidate so far. */
struct search {
    const char *word;
    unsigned least, least_begun;
    bool has_begun; /* one begins with the word */
};

static struct search start(const char *word)
{
    return (struct search){word, (unsigned)strlen(word) / 3 + 2, UINT_MAX, false};
}

/* Whether the candidate is better than all before it. */
static bool offer(struct search *search, const char *candidate)
{
    const size_t size = strlen(search->word);
    const unsigned d = cli_distance(search->word, candidate);
    if (size > 0 && strncmp(candidate, search->word, size) == 0) {
        if (d >= search->least_begun) return false;
        search->least_begun = d;
        search->has_begun = true;
        return true;
    }
    if (d >= search->least) return false;
    search->least = d;
    return !search->has_begun;
}

const char *cli_nearest(const char *word, const char *const *candidates)
{
    const char *best = NULL;
    struct search search = start(word);
    for (; *candidates != NULL; candidates++) {
        if (offer(&search, *candidates)) best = *candidates;
    }
    return best;
}

bool cli_nearest_in_list(const char *word, const char *list, char *found, size_t room)
{
    struct search search = start(word);
    bool is_found = false;
    while (*list != '\0') {
        char name[64];
        const size_t size = strcspn(list, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)(size < sizeof name ? size : 0), list);
        if (size > 0 && size < sizeof name && size < room && offer(&search, name)) {
            memcpy(found, name, size + 1);
            is_found = true;
        }
        list += size;
        list += strspn(list, ", ");
    }
    return is_found;
}

/* Names of a folder, compared with the name of a file in it. */
struct folder {
    struct search search;
    char *name; /* of `room` bytes */
    size_t room;
    unsigned count;
    bool is_found;
};

static bool take_name(void *context, const char *name)
{
    struct folder *folder = context;
    if (strlen(name) < folder->room && offer(&folder->search, name)) {
        memcpy(folder->name, name, strlen(name) + 1);
        folder->is_found = true;
    }
    return ++folder->count < MOST_NAMES;
}

bool cli_nearest_file(const char *path, char *found, size_t room)
{
    const char *name = ets_os_name(path);
    const size_t before = (size_t)(name - path);
    char place[ETS_OS_PATH_BYTES];
    if (before + 2 >= room || before >= sizeof place || *name == '\0') return false;
    if (strlen(name) < LEAST_NAME || ets_os_is_elsewhere(path)) return false;
    memcpy(place, path, before);
    place[before] = '\0';
    memcpy(found, path, before);
    struct folder folder = {start(name), found + before, room - before, 0, false};
    folder.search.least = (unsigned)strlen(name) / 4 + 1; /* many names of a folder are alike */
    /* A folder that cannot be read has no names. */
    (void)ets_os_list(before > 0 ? place : ".", take_name, &folder);
    return folder.is_found;
}
