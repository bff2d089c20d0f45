/* What tests of faults share: an allocator that fails, and what an error has to say. */
#ifndef ETSCOPE_TESTS_FAULTS_SUPPORT_H
#define ETSCOPE_TESTS_FAULTS_SUPPORT_H

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "etscope/base.h"

/*
 * Loops over the places of a fault, sizes of memory and random numbers try each where a sanitizer
 * looks on, and one of seven in the other builds, which look for what depends on the processor.
 * `file` varies where they begin.
 */
#ifdef ETS_EVERY_FAULT
enum { FAULT_STRIDE = 1 };
#elif defined(ETS_EMULATED) && defined(__aarch64__)
enum { FAULT_STRIDE = 49 }; /* with the runtime's kernels, which are slow in an emulator */
#else
enum { FAULT_STRIDE = 7 };
#endif
static inline size_t first_fault(size_t file)
{
    return file % FAULT_STRIDE;
}

/* An allocator whose calls fail from number `fail_at` on, and which knows what it still owes. */
struct failing {
    unsigned long calls, fail_at;
    long live;
};

static inline void *failing_reallocate(void *context, void *pointer, size_t bytes)
{
    struct failing *failing = context;
    if (failing->calls++ >= failing->fail_at) return NULL;
    if (pointer == NULL) failing->live++;
    return realloc(pointer, bytes);
}

static inline void failing_release(void *context, void *pointer)
{
    struct failing *failing = context;
    if (pointer != NULL) failing->live--;
    free(pointer);
}

/* `status` is an answer to a damaged file of `size` bytes, and `error`, cleared before, says why in
 * one line and at a place in the file. */
static inline void assert_damage_told(enum ets_status status, const struct ets_error *error,
                                      size_t size)
{
    assert_true(status == ETS_WRONG_KIND || status == ETS_TRUNCATED || status == ETS_MALFORMED ||
                status == ETS_UNSUPPORTED || status == ETS_LIMIT || status == ETS_NOT_FOUND);
    assert_int_equal(error->status, status);
    assert_true(error->message[0] != '\0');
    assert_null(strchr(error->message, '\n'));
    assert_true(error->offset <= size || error->offset == ETS_NO_OFFSET);
}

#endif
