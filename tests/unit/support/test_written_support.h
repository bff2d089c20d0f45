/* What was written to an output, for tests: a temporary file, read and removed. */
#ifndef ETSCOPE_TESTS_WRITTEN_SUPPORT_H
#define ETSCOPE_TESTS_WRITTEN_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "etscope/file.h"
#include "host/output.h"

static inline struct ets_output *begin_written(char path[64])
{
    struct ets_output *output = NULL;
    snprintf(path, 64, "/tmp/etscope-written-%ld", (long)getpid());
    assert_int_equal(ets_output_open(path, &output, NULL), ETS_OK);
    return output;
}

/* Commits; the bytes are the caller's to free. */
static inline struct ets_bytes take_written(const char *path, struct ets_output *output)
{
    struct ets_file *file;
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
    assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
    const struct ets_bytes bytes = ets_file_bytes(file);
    uint8_t *copy = malloc(bytes.size + 1);
    assert_non_null(copy);
    if (bytes.size > 0) memcpy(copy, bytes.data, bytes.size);
    ets_file_close(file);
    unlink(path);
    return (struct ets_bytes){copy, bytes.size};
}

#endif
