/*
 * What of this process is in physical memory (Linux).
 *
 *     struct ets_resident before, after;
 *     if (ets_resident_read(&before) && load() && ets_resident_read(&after)) {
 *         printf("%lld bytes copied\n", (long long)(after.own - before.own));
 *     }
 */
#ifndef ETSCOPE_HOST_RESIDENT_MEMORY_H
#define ETSCOPE_HOST_RESIDENT_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/* In bytes. */
struct ets_resident {
    int64_t own;    /* memory that the process allocated or changed */
    int64_t mapped; /* pages of files, as they are in the files */
    int64_t peak;   /* the most of both since the process began */
};

/* False: the system does not tell. */
bool ets_resident_read(struct ets_resident *resident_out);

#endif
