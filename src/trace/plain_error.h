/* Errors without the formatter of base/error.h, for which devices have no room. */
#ifndef ETSCOPE_TRACE_PLAIN_ERROR_H
#define ETSCOPE_TRACE_PLAIN_ERROR_H

#include "etscope/base.h"
#include "trace/freestanding.h"

/* Fills `error` (NULL: does nothing). `message` is cut to its room. */
static inline void ets_tell(struct ets_error *error, enum ets_status status, uint64_t offset,
                            const char *message)
{
    size_t size = 0;
    if (error == NULL) return;
    error->status = status;
    error->offset = offset;
    while (message[size] != '\0' && size + 1 < sizeof error->message) size++;
    ets_copy(error->message, message, size);
    error->message[size] = '\0';
}

#endif
