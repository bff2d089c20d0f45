/* Sets a caller's ets_error with a formatter that needs no C library, for devices. */
#ifndef ETSCOPE_BASE_ERROR_H
#define ETSCOPE_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>

#include "etscope/base.h"

/*
 * Fills `error` (NULL: does nothing) and returns `status`, for use as `return ets_fail(error,
 * ETS_MALFORMED, offset, "...", ...)`. A macro, so that the compiler sees the returned status.
 * Formats: %s %.*s %c %% and %d %i %u %x with the length modifiers l, ll, z. Control bytes of
 * inserted text become '?', because it may come from a hostile file.
 */
#define ets_fail(error, status, offset, ...) \
    (ets_set_error((error), (status), (offset), __VA_ARGS__), (status))

/* "no memory for `what`". */
#define ets_fail_memory(error, what) \
    ets_fail((error), ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for %s", (what))

void ets_set_error(struct ets_error *error, enum ets_status status, uint64_t offset,
                   const char *format, ...) ETS_PRINTF(4, 5);

/* Like ets_fail, with an advice code. Messages must not name options or commands. */
#define ets_fail_advising(error, advice, status, offset, ...)                                \
    (ets_set_error((error), (status), (offset), __VA_ARGS__), ets_advise((error), (advice)), \
     (status))

static inline void ets_advise(struct ets_error *error, enum ets_advice advice)
{
    if (error != NULL) error->advice = advice;
}

/*
 * The formatter. Writes at most `capacity` bytes, terminator included, cuts longer text, and
 * returns the written length.
 */
size_t ets_format_text(char *buffer, size_t capacity, const char *format, va_list arguments)
    ETS_PRINTF(3, 0);

/* The same with variable arguments: ets_print_text(line, sizeof line, "%u runs", count). */
size_t ets_print_text(char *buffer, size_t capacity, const char *format, ...) ETS_PRINTF(3, 4);

/* Returns from the calling function if `expression` is not ETS_OK. */
#define ETS_TRY(expression)                                    \
    do {                                                       \
        enum ets_status ets_try_status_ = (expression);        \
        if (ets_try_status_ != ETS_OK) return ets_try_status_; \
    } while (0)

#endif
