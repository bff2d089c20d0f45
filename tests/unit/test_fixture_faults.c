/*
 * Every file of the test data, cut and with bits flipped: each reader answers with a status, never
 * with a crash. Small files at every byte, larger ones at positions spread over them.
 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dump/etdump_parts.h"
#include "etscope/bundle.h"
#include "etscope/etdump.h"
#include "etscope/etrecord.h"
#include "etscope/file.h"
#include "etscope/program.h"
#include "record/numpy.h"

/* Positions that are tried in one file, by its size. */
enum { SMALL_BYTES = 2500, LARGE_BYTES = 200 * 1024, MANY = 1200, FEW = 40 };

typedef void read_function(struct ets_bytes bytes);

static int pass_over_event(void *context, const struct ets_etdump_event *event)
{
    (void)event;
    ++*(size_t *)context;
    return 0;
}

static void read_etdump(struct ets_bytes bytes)
{
    struct ets_etdump dump;
    size_t events = 0;
    const struct ets_etdump_visitor visitor = {&events, NULL, pass_over_event, NULL};
    (void)ets_etdump_init(&dump, bytes, NULL);
    (void)ets_etdump_salvage(&dump, bytes, &visitor, NULL);
}

static void read_etrecord(struct ets_bytes bytes)
{
    struct ets_etrecord *record;
    const struct ets_graph *graph;
    const struct ets_value *values;
    size_t count;
    if (ets_etrecord_open(bytes, NULL, &record, NULL) != ETS_OK) return;
    for (size_t i = 0; i < ets_etrecord_method_count(record); i++) {
        (void)ets_etrecord_edge_graph(record, ets_etrecord_method_name(record, i), &graph, NULL);
    }
    (void)ets_etrecord_representative_inputs(record, &values, &count, NULL);
    ets_etrecord_close(record);
}

static void read_program(struct ets_bytes bytes)
{
    struct ets_program program;
    (void)ets_program_init(&program, bytes, NULL);
}

static void read_bundle(struct ets_bytes bytes)
{
    struct ets_bundle bundle;
    if (ets_bundle_init(&bundle, bytes, NULL) == ETS_OK) read_program(bundle.program);
}

static void read_data_file(struct ets_bytes bytes)
{
    struct ets_data_file file;
    (void)ets_data_file_init(&file, bytes, NULL);
}

static void read_npy(struct ets_bytes bytes)
{
    struct ets_tensor tensor;
    (void)ets_npy_read(bytes, &tensor, NULL);
}

static read_function *reader_of(const char *path)
{
    static const struct {
        const char *ending;
        read_function *read;
    } readers[] = {
        {".etdp", read_etdump}, {".etrecord", read_etrecord}, {".pte", read_program},
        {".bpte", read_bundle}, {".ptd", read_data_file},     {".npy", read_npy},
    };
    const char *ending = strrchr(path, '.');
    for (size_t i = 0; ending != NULL && i < sizeof readers / sizeof *readers; i++) {
        if (strcmp(ending, readers[i].ending) == 0) return readers[i].read;
    }
    return NULL;
}

/* The first `size` bytes on the heap, exactly, so that a sanitizer sees one byte too far. */
static void read_cut(read_function *read, struct ets_bytes whole, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    if (size > 0) memcpy(copy, whole.data, size);
    read((struct ets_bytes){copy, size});
    free(copy);
}

static void try_file(read_function *read, struct ets_bytes bytes)
{
    const size_t tries = bytes.size <= SMALL_BYTES   ? bytes.size
                         : bytes.size <= LARGE_BYTES ? MANY
                                                     : FEW;
    uint8_t *copy = malloc(bytes.size > 0 ? bytes.size : 1);
    assert_non_null(copy);
    if (bytes.size > 0) memcpy(copy, bytes.data, bytes.size);
    for (size_t i = 0; i < tries; i++) {
        const size_t at =
            tries == bytes.size ? i : (size_t)((double)i / (double)tries * (double)bytes.size);
        read_cut(read, bytes, at);
        copy[at] ^= (uint8_t)(1u << (i % 8));
        read((struct ets_bytes){copy, bytes.size});
        copy[at] = bytes.data[at];
    }
    free(copy);
}

static unsigned long tried;

static int visit(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)walk;
    read_function *read = type == FTW_F ? reader_of(path) : NULL;
    struct ets_file *file;
    if (read == NULL) return 0;
    assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
    try_file(read, ets_file_bytes(file));
    ets_file_close(file);
    tried++;
    return 0;
}

static void test_fixture_faults__every_file_cut_and_flipped(void **state)
{
    (void)state;
    assert_int_equal(nftw(TEST_DATA, visit, 16, FTW_PHYS), 0);
    assert_in_range(tried, 90, 1000); /* fourteen models have six to eight files each */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixture_faults__every_file_cut_and_flipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
