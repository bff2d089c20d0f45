/* Loops over faults: a record cut at every byte, with flipped bits, with failing allocations. */
#include "test_record_support.h"

/* Asks for everything; what cannot be read may fail, nothing may crash. */
static void read_all(struct ets_etrecord *record)
{
    const struct ets_graph *graph;
    const struct ets_named_value *named;
    const struct ets_value *values;
    size_t count;
    for (size_t i = 0; ets_etrecord_graph_name(record, i) != NULL; i++) {
        (void)ets_etrecord_graph(record, ets_etrecord_graph_name(record, i), &graph, NULL);
    }
    for (size_t i = 0; i < ets_etrecord_entry_count(record); i++) {
        (void)ets_etrecord_named_values(record, ets_etrecord_entry(record, i)->name.data, &named,
                                        &count, NULL);
    }
    (void)ets_etrecord_representative_inputs(record, &values, &count, NULL);
    (void)ets_etrecord_reference_outputs(record, "forward", 0, &values, &count, NULL);
}

static struct ets_bytes load_small(struct ets_file **file)
{
    *file = open_fixture("mlp_xnnpack", "model.etrecord");
    return ets_file_bytes(*file);
}

static void test_faults__truncated_at_every_byte(void **state)
{
    (void)state;
    struct ets_file *file;
    const struct ets_bytes whole = load_small(&file);
    for (size_t size = 0; size < whole.size; size++) {
        /* A block of the exact size, so that a sanitizer sees one byte too far; the last bytes and
         * every 16th cut suffice for that, the others are cut in place. */
        const int exact = size + 1500 > whole.size || size % 16 == 0;
        uint8_t *copy = exact ? malloc(size + !size) : NULL;
        if (exact && size > 0) memcpy(copy, whole.data, size);
        const struct ets_bytes cut = {exact ? copy : whole.data, size};
        struct ets_etrecord *record = NULL;
        struct ets_error error;
        const enum ets_status status = ets_etrecord_open(cut, NULL, &record, &error);
        assert_int_not_equal(status, ETS_OK);
        assert_true(error.message[0] != '\0');
        free(copy);
    }
    ets_file_close(file);
}

/* 1 where `offset` is inside of a program or a torch.save payload, which opening does not read. */
static int is_payload(const struct ets_etrecord *record, size_t offset)
{
    for (size_t i = 0; i < ets_etrecord_entry_count(record); i++) {
        const struct ets_etrecord_entry *entry = ets_etrecord_entry(record, i);
        if (entry->size > 1000 && offset >= entry->offset && offset - entry->offset < entry->size) {
            return 1;
        }
    }
    return 0;
}

/* Every byte of headers, maps and directory; every 128th of payloads, which their CRC covers. */
static void test_faults__one_bit_flipped(void **state)
{
    (void)state;
    struct ets_file *file;
    const struct ets_bytes whole = load_small(&file);
    struct ets_etrecord *intact = open_record(whole);
    uint8_t *copy = malloc(whole.size);
    memcpy(copy, whole.data, whole.size);
    for (size_t i = 0; i < whole.size; i++) {
        const uint8_t bit = (uint8_t)(1u << (i * 5 % 8));
        struct ets_etrecord *record = NULL;
        if (i % 128 != 0 && is_payload(intact, i)) continue;
        copy[i] ^= bit;
        if (ets_etrecord_open((struct ets_bytes){copy, whole.size}, NULL, &record, NULL) ==
            ETS_OK) {
            read_all(record);
            ets_etrecord_close(record);
        }
        copy[i] ^= bit;
    }
    free(copy);
    ets_etrecord_close(intact);
    ets_file_close(file);
}

struct failing {
    size_t left; /* allocations until they fail */
    size_t live; /* blocks not released */
};

static void *failing_reallocate(void *context, void *pointer, size_t bytes)
{
    struct failing *failing = context;
    if (failing->left == 0) return NULL;
    failing->left--;
    void *moved = realloc(pointer, bytes);
    if (moved != NULL && pointer == NULL) failing->live++;
    return moved;
}

static void failing_release(void *context, void *pointer)
{
    struct failing *failing = context;
    if (pointer != NULL) failing->live--;
    free(pointer);
}

static void test_faults__every_allocation_fails_once(void **state)
{
    (void)state;
    struct ets_file *file;
    const struct ets_bytes whole = load_small(&file);
    for (size_t limit = 0;; limit++) {
        struct failing failing = {limit, 0};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_etrecord *record = NULL;
        const enum ets_status status = ets_etrecord_open(whole, &allocator, &record, NULL);
        if (status == ETS_UNAVAILABLE) break;
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        if (status == ETS_OK) {
            read_all(record);
            const struct ets_graph *graph;
            const size_t left = failing.left;
            failing.left = SIZE_MAX; /* what failed for lack of memory can be asked for again */
            assert_int_equal(ets_etrecord_edge_graph(record, "forward", &graph, NULL), ETS_OK);
            assert_int_equal(graph->node_count, 4);
            failing.left = left;
        }
        ets_etrecord_close(record);
        assert_int_equal(failing.live, 0);
        if (failing.left > 0) break;
        assert_true(limit < 1000);
    }
    ets_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults__truncated_at_every_byte),
        cmocka_unit_test(test_faults__one_bit_flipped),
        cmocka_unit_test(test_faults__every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
