/* What unit tests need of the recorded files: their names, opening them, a hash of their bytes. */
#ifndef ETSCOPE_TESTS_FILES_SUPPORT_H
#define ETSCOPE_TESTS_FILES_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the headers above. */
#include <cmocka.h>

#include "etscope/etrecord.h"
#include "etscope/file.h"
#include "skip_because.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The models that upstream exported, ran and read (tests/data/README.md). */
static const char *const fixture_models[] = {"cond",
                                             "conv_portable",
                                             "conv_xnnpack",
                                             "conv_xnnpack_int8",
                                             "dynamic",
                                             "gpt_portable",
                                             "gpt_xnnpack",
                                             "linear_fp32_xnnpack",
                                             "linear_int8_xnnpack",
                                             "map_loop",
                                             "mlp_portable",
                                             "mlp_xnnpack",
                                             "multi_method",
                                             "types"};

/* A file by its path below tests/data. */
static inline struct ets_file *open_file(const char *name)
{
    char path[512];
    struct ets_file *file = NULL;
    struct ets_error error = {.message = ""};
    snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
    if (ets_file_open(path, &file, &error) != ETS_OK) fail_msg("%s: %s", name, error.message);
    return file;
}

static inline struct ets_file *open_fixture(const char *model, const char *file)
{
    char name[256];
    snprintf(name, sizeof name, "%s/%s", model, file);
    return open_file(name);
}

/* Skips the test where this build cannot read records. */
static inline struct ets_etrecord *open_record(struct ets_bytes bytes)
{
    struct ets_etrecord *record = NULL;
    struct ets_error error = {.message = ""};
    const enum ets_status status = ets_etrecord_open(bytes, NULL, &record, &error);
    if (status == ETS_UNAVAILABLE) SKIP_BECAUSE(NO_RECORDS);
    if (status != ETS_OK) fail_msg("%s at %llu", error.message, (unsigned long long)error.offset);
    return record;
}

/* FNV-1a. */
static const uint64_t fnv_start = UINT64_C(0xcbf29ce484222325);

static inline uint64_t fnv(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint64_t hash = fnv_start;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
