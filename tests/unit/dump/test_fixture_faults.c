/*
 * Every file of the test data, cut and with bits flipped, and records whose allocations fail: each
 * reader answers with an error that says why, or hands out what can be walked without leaving the
 * file. Small files at every byte, larger ones at positions spread over them; fewer of both in
 * builds without sanitizers.
 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>

#include "test_faults_support.h"

#include "skip_because.h"
#include "walk_etdump.h"
#include "walk_program.h"

#include "dump/etdump_parts.h"
#include "etscope/etrecord.h"
#include "etscope/file.h"
#include "record/numpy.h"

/* Positions that are tried in one file, by its size. */
enum { SMALL_BYTES = 2500, MIDDLE_BYTES = 8 * 1024, LARGE_BYTES = 200 * 1024 };
enum { MANY = 1200, SOME = 300, FEW = 40 };

static unsigned long tried; /* files */

/* Reads everything that `bytes` hold, which adds to walk_sink. */
typedef enum ets_status read_function(struct ets_bytes bytes, struct ets_error *error);

/* What salvage told of an ETDump. */
struct salvaged {
    uint64_t events;
    uint64_t damages;
};

static int count_event(void *context, const struct ets_etdump_event *event, size_t event_at)
{
    (void)event_at;
    (void)event;
    ((struct salvaged *)context)->events++;
    return 0;
}

static int count_damage(void *context, const struct ets_error *part)
{
    assert_true(part->message[0] != '\0');
    ((struct salvaged *)context)->damages++;
    return 0;
}

static uint64_t count_events(const struct ets_etdump *dump)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < dump->run_count; i++) {
        struct ets_etdump_run run;
        ets_etdump_run(dump, i, &run);
        count += run.event_count;
    }
    return count;
}

/* Salvage finds all of a file that can be read, and names the damage of one that cannot. */
static enum ets_status read_etdump(struct ets_bytes bytes, struct ets_error *error)
{
    struct ets_etdump dump, part;
    struct salvaged found = {0, 0};
    struct ets_error reason = {.status = ETS_OK};
    const struct ets_etdump_visitor visitor = {&found, NULL, count_event, count_damage};
    const enum ets_status status = ets_etdump_init(&dump, bytes, error);
    const enum ets_status salvage = ets_etdump_salvage(&part, bytes, &visitor, &reason);
    if (salvage != ETS_OK) {
        assert_true(salvage == ETS_WRONG_KIND || salvage == ETS_TRUNCATED);
        assert_int_equal(salvage, status);
        assert_damage_told(salvage, &reason, bytes.size);
        return status;
    }
    if (status != ETS_OK) {
        assert_true(found.damages > 0);
        return status;
    }
    if (dump.run_count > 0) { /* of a table of no runs salvage looks for events beside it */
        assert_int_equal(found.damages, 0);
        assert_true(found.events == count_events(&dump));
    }
    walk_etdump(&dump);
    return ETS_OK;
}

static void walk_values(const struct ets_value *values, size_t count)
{
    walk_sink += count;
    for (size_t i = 0; i < count; i++) {
        if (values[i].kind == ETS_VALUE_TENSOR) walk_tensor(&values[i].as.tensor);
    }
}

static void walk_graph(const struct ets_graph *graph)
{
    walk_sink += graph->node_count + graph->value_count;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        walk_text(graph->nodes[i].name);
        walk_text(graph->nodes[i].op);
        walk_text(graph->nodes[i].stack_trace);
    }
}

/* Its graphs and representative inputs. The first answer that is no success counts. */
static enum ets_status read_record(struct ets_etrecord *record, struct ets_error *error)
{
    const struct ets_graph *graph;
    const struct ets_value *values;
    size_t count;
    enum ets_status status = ETS_OK;
    for (size_t i = 0; ets_etrecord_graph_name(record, i) != NULL; i++) {
        status = ets_etrecord_graph(record, ets_etrecord_graph_name(record, i), &graph, error);
        if (status != ETS_OK) return status;
        walk_graph(graph);
    }
    status = ets_etrecord_representative_inputs(record, &values, &count, error);
    if (status == ETS_OK) walk_values(values, count);
    return status == ETS_NOT_FOUND ? ETS_OK : status; /* not every record has them */
}

static enum ets_status read_etrecord_with(const struct ets_allocator *allocator,
                                          struct ets_bytes bytes, struct ets_error *error)
{
    struct ets_etrecord *record = NULL;
    enum ets_status status = ets_etrecord_open(bytes, allocator, &record, error);
    if (status == ETS_OK) status = read_record(record, error);
    ets_etrecord_close(record);
    return status;
}

static enum ets_status read_etrecord(struct ets_bytes bytes, struct ets_error *error)
{
    return read_etrecord_with(NULL, bytes, error);
}

/* A view of bytes that no reader writes, to see that a failure leaves it alone. */
#define UNTOUCHED 0xa5

static void assert_untouched(const void *view, size_t size)
{
    for (size_t i = 0; i < size; i++) assert_int_equal(((const uint8_t *)view)[i], UNTOUCHED);
}

static enum ets_status read_program(struct ets_bytes bytes, struct ets_error *error)
{
    struct ets_program program;
    memset(&program, UNTOUCHED, sizeof program);
    const enum ets_status status = ets_program_init(&program, bytes, error);
    if (status == ETS_OK) walk_program(&program);
    else assert_untouched(&program, sizeof program);
    return status;
}

static enum ets_status read_bundle(struct ets_bytes bytes, struct ets_error *error)
{
    struct ets_bundle bundle;
    memset(&bundle, UNTOUCHED, sizeof bundle);
    const enum ets_status status = ets_bundle_init(&bundle, bytes, error);
    if (status != ETS_OK) {
        assert_untouched(&bundle, sizeof bundle);
        return status;
    }
    walk_bundle(&bundle);
    return read_program(bundle.program, error);
}

static enum ets_status read_data_file(struct ets_bytes bytes, struct ets_error *error)
{
    struct ets_data_file file;
    memset(&file, UNTOUCHED, sizeof file);
    const enum ets_status status = ets_data_file_init(&file, bytes, error);
    if (status == ETS_OK) walk_data_file(&file);
    else assert_untouched(&file, sizeof file);
    return status;
}

static enum ets_status read_npy(struct ets_bytes bytes, struct ets_error *error)
{
    struct ets_tensor tensor;
    const enum ets_status status = ets_npy_read(bytes, &tensor, error);
    if (status == ETS_OK) walk_tensor(&tensor);
    return status;
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

/* What reading gave: the status, and for a success the sum of all that was handed out. */
struct outcome {
    enum ets_status status;
    uint64_t sum;
};

static struct outcome outcome_of(read_function *read, struct ets_bytes bytes)
{
    struct ets_error error = {.status = ETS_OK};
    const uint64_t before = walk_sink;
    const enum ets_status status = read(bytes, &error);
    if (status == ETS_OK) return (struct outcome){status, walk_sink - before};
    assert_damage_told(status, &error, bytes.size);
    return (struct outcome){status, 0};
}

/* The first `size` bytes on the heap, exactly, so that a sanitizer sees one byte too far. They are
 * refused, for which 1 is returned, or nothing that counts was cut off. */
static int try_cut(read_function *read, struct ets_bytes whole, size_t size,
                   struct outcome undamaged)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    if (size > 0) memcpy(copy, whole.data, size);
    const struct outcome cut = outcome_of(read, (struct ets_bytes){copy, size});
    if (cut.status == ETS_OK) {
        assert_int_equal(undamaged.status, ETS_OK);
        assert_true(cut.sum == undamaged.sum);
    }
    free(copy);
    return cut.status != ETS_OK;
}

static size_t tries_of(struct ets_bytes bytes)
{
    if (bytes.size <= SMALL_BYTES) return bytes.size;
    if (bytes.size <= MIDDLE_BYTES) return MANY;
    return bytes.size <= LARGE_BYTES ? SOME : FEW;
}

static void try_file(read_function *read, struct ets_bytes bytes, struct outcome undamaged)
{
    const size_t tries = tries_of(bytes);
    size_t refused = 0;
    uint8_t *copy = malloc(bytes.size);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    for (size_t i = first_fault(tried) % tries; i < tries; i += FAULT_STRIDE) {
        const size_t at =
            tries == bytes.size ? i : (size_t)((double)i / (double)tries * (double)bytes.size);
        refused += (size_t)try_cut(read, bytes, at, undamaged);
        copy[at] ^= (uint8_t)(1u << (i % 8));
        const struct outcome flipped = outcome_of(read, (struct ets_bytes){copy, bytes.size});
        copy[at] = bytes.data[at];
        refused += flipped.status != ETS_OK;
        /* A record's checksums cover what is read of it. */
        if (read == read_etrecord && flipped.status == ETS_OK) {
            assert_true(flipped.sum == undamaged.sum);
        }
    }
    assert_true(refused > 0);
    free(copy);
}

/* Fails where the answer to the undamaged file is no success; upstream garbled this one. */
static struct outcome read_undamaged(read_function *read, const char *path, struct ets_bytes bytes)
{
    const struct outcome outcome = outcome_of(read, bytes);
    if (strstr(path, "/types/debug.etdp") != NULL) assert_int_equal(outcome.status, ETS_MALFORMED);
    else assert_int_equal(outcome.status, ETS_OK);
    return outcome;
}

static int can_read_records(void)
{
    struct ets_etrecord *record = NULL;
    return ets_etrecord_open((struct ets_bytes){NULL, 0}, NULL, &record, NULL) != ETS_UNAVAILABLE;
}

typedef void try_function(read_function *read, const char *path, struct ets_bytes bytes);

static try_function *try_with;

static int visit(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)walk;
    read_function *read = type == FTW_F ? reader_of(path) : NULL;
    struct ets_file *file;
    if (read == NULL) return 0;
    if (read == read_etrecord && !can_read_records()) return 0;
    assert_int_equal(ets_file_open(path, &file, NULL), ETS_OK);
    try_with(read, path, ets_file_bytes(file));
    ets_file_close(file);
    return 0;
}

/* Returns how many files were tried. */
static unsigned long try_all(try_function *try_one)
{
    try_with = try_one;
    tried = 0;
    assert_int_equal(nftw(TEST_DATA, visit, 16, FTW_PHYS), 0);
    return tried;
}

static void cut_and_flip(read_function *read, const char *path, struct ets_bytes bytes)
{
    try_file(read, bytes, read_undamaged(read, path, bytes));
    tried++;
}

static void test_fixture_faults__every_file_cut_and_flipped(void **state)
{
    (void)state;
    /* Fourteen models have six to eight files each. */
    assert_in_range(try_all(cut_and_flip), 90, 1000);
}

/* Without memory from call number `fail_at` on. Returns 1 where none was missing. */
static int try_without_memory(struct ets_bytes bytes, unsigned long fail_at, uint64_t sum)
{
    struct failing failing = {.fail_at = fail_at};
    const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
    struct ets_error error = {.status = ETS_OK};
    const uint64_t before = walk_sink;
    const enum ets_status status = read_etrecord_with(&allocator, bytes, &error);
    assert_int_equal(failing.live, 0);
    if (failing.calls > fail_at) {
        assert_int_equal(status, ETS_NO_MEMORY);
        assert_int_equal(error.status, ETS_NO_MEMORY);
        assert_true(error.message[0] != '\0');
        return 0;
    }
    assert_int_equal(status, ETS_OK);
    assert_true(walk_sink - before == sum);
    return 1;
}

static void fail_allocations(read_function *read, const char *path, struct ets_bytes bytes)
{
    if (read != read_etrecord) return;
    const struct outcome undamaged = read_undamaged(read, path, bytes);
    unsigned long least = 0, most = 1; /* `least` calls are too few, `most` are enough */
    while (!try_without_memory(bytes, most, undamaged.sum)) {
        least = most;
        most *= 2;
    }
    const unsigned long step = ((most - least) / FEW + 1) * FAULT_STRIDE;
    for (unsigned long at = first_fault(tried); at < most; at += at < FEW ? FAULT_STRIDE : step) {
        (void)try_without_memory(bytes, at, undamaged.sum);
    }
    tried++;
}

static void test_fixture_faults__allocations_of_every_record_fail(void **state)
{
    (void)state;
    if (!can_read_records()) SKIP_BECAUSE(NO_RECORDS);
    assert_in_range(try_all(fail_allocations), 30, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixture_faults__every_file_cut_and_flipped),
        cmocka_unit_test(test_fixture_faults__allocations_of_every_record_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
