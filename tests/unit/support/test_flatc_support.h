/* An ETDump as flatc reads it, with the schema of tests/data/schema: what an independent reader
 * sees. */
#ifndef ETSCOPE_TESTS_FLATC_SUPPORT_H
#define ETSCOPE_TESTS_FLATC_SUPPORT_H

#include "test_files_support.h"

enum { FLATC_JSON_BYTES = 16 << 20 };

/* Its JSON, for free(); the files between go to `folder`. */
static inline char *flatc_json(const char *folder, struct ets_bytes dump)
{
    char path[128], command[1024];
    snprintf(path, sizeof path, "%s/dump.etdp", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(dump.data, 1, dump.size, file), dump.size);
    fclose(file);
    snprintf(command, sizeof command,
             "flatc --size-prefixed --raw-binary --json --strict-json -o %s "
             "'%s/schema/etdump.fbs' -- %s",
             folder, TEST_DATA, path);
    assert_int_equal(system(command), 0);
    remove(path);
    snprintf(path, sizeof path, "%s/dump.json", folder);
    file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, FLATC_JSON_BYTES);
    assert_non_null(text);
    assert_true(fread(text, 1, FLATC_JSON_BYTES - 1, file) > 0);
    fclose(file);
    remove(path);
    return text;
}

#endif
