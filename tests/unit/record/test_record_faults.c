/* Loops over faults: a record cut at every byte, with flipped bits, with failing allocations. */
#include "test_faults_support.h"
#include "test_record_support.h"

/* An answer is a value or says why not; what is not there at all is no damage. */
static void check(enum ets_status status, const struct ets_error *error, size_t size)
{
    if (status == ETS_OK) return;
    if (status == ETS_NO_MEMORY) assert_true(error->message[0] != '\0');
    else assert_damage_told(status, error, size);
}

/* Asks for everything that a record of `size` bytes has. Returns how much could be read. */
static size_t read_all(struct ets_etrecord *record, size_t size)
{
    const struct ets_graph *graph;
    const struct ets_named_value *named;
    const struct ets_value *values;
    size_t count, whole = 0;
    struct ets_error error;
    enum ets_status status;
    for (size_t i = 0; ets_etrecord_graph_name(record, i) != NULL; i++) {
        error = (struct ets_error){.status = ETS_OK};
        status = ets_etrecord_graph(record, ets_etrecord_graph_name(record, i), &graph, &error);
        check(status, &error, size);
        whole += status == ETS_OK;
    }
    for (size_t i = 0; i < ets_etrecord_entry_count(record); i++) {
        error = (struct ets_error){.status = ETS_OK};
        status = ets_etrecord_named_values(record, ets_etrecord_entry(record, i)->name.data, &named,
                                           &count, &error);
        check(status, &error, size);
        whole += status == ETS_OK;
    }
    error = (struct ets_error){.status = ETS_OK};
    status = ets_etrecord_representative_inputs(record, &values, &count, &error);
    check(status, &error, size);
    whole += status == ETS_OK;
    error = (struct ets_error){.status = ETS_OK};
    status = ets_etrecord_reference_outputs(record, "forward", 0, &values, &count, &error);
    check(status, &error, size);
    return whole + (status == ETS_OK);
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
    for (size_t size = first_fault(0); size < whole.size; size += FAULT_STRIDE) {
        /* A block of the exact size, so that a sanitizer sees one byte too far; the last bytes and
         * every 16th cut suffice for that, the others are cut in place. */
        const int exact = size + 1500 > whole.size || size % 16 == 0;
        uint8_t *copy = exact ? malloc(size + !size) : NULL;
        if (exact && size > 0) memcpy(copy, whole.data, size);
        const struct ets_bytes cut = {exact ? copy : whole.data, size};
        struct ets_etrecord *record = NULL;
        struct ets_error error = {.status = ETS_OK};
        const enum ets_status status = ets_etrecord_open(cut, NULL, &record, &error);
        assert_damage_told(status, &error, size);
        free(copy);
    }
    ets_file_close(file);
}

/* The program or torch.save payload at `offset`, which opening does not read; NULL: none. */
static const struct ets_etrecord_entry *payload_at(const struct ets_etrecord *record, size_t offset)
{
    for (size_t i = 0; i < ets_etrecord_entry_count(record); i++) {
        const struct ets_etrecord_entry *entry = ets_etrecord_entry(record, i);
        if (entry->size > 1000 && offset >= entry->offset && offset - entry->offset < entry->size) {
            return entry;
        }
    }
    return NULL;
}

/* Every byte of headers, maps and directory; every 128th of payloads, which their CRC covers. */
static void test_faults__one_bit_flipped(void **state)
{
    (void)state;
    struct ets_file *file;
    const struct ets_bytes whole = load_small(&file);
    struct ets_etrecord *intact = open_record(whole);
    const size_t readable = read_all(intact, whole.size);
    size_t refused = 0, damaged = 0;
    uint8_t *copy = malloc(whole.size);
    memcpy(copy, whole.data, whole.size);
    for (size_t i = first_fault(0); i < whole.size; i += FAULT_STRIDE) {
        const uint8_t bit = (uint8_t)(1u << (i * 5 % 8));
        struct ets_etrecord *record = NULL;
        const struct ets_etrecord_entry *payload = payload_at(intact, i);
        if (i % 128 != 0 && payload != NULL) continue;
        copy[i] ^= bit;
        struct ets_error error = {.status = ETS_OK};
        const struct ets_bytes flipped = {copy, whole.size};
        const enum ets_status status = ets_etrecord_open(flipped, NULL, &record, &error);
        if (status == ETS_OK) {
            const size_t found = read_all(record, whole.size);
            assert_true(found <= readable);
            damaged += found < readable;
            if (payload != NULL) { /* its checksum covers every byte */
                struct ets_bytes entry;
                error = (struct ets_error){.status = ETS_OK};
                assert_int_equal(
                    ets_etrecord_entry_bytes(record, payload->name.data, &entry, &error),
                    ETS_MALFORMED);
                assert_damage_told(ETS_MALFORMED, &error, whole.size);
            }
        } else {
            assert_damage_told(status, &error, whole.size);
            refused++;
        }
        ets_etrecord_close(record);
        copy[i] ^= bit;
    }
    assert_true(refused > 0 && damaged > 0);
    free(copy);
    ets_etrecord_close(intact);
    ets_file_close(file);
}

static void test_faults__every_allocation_fails_once(void **state)
{
    (void)state;
    struct ets_file *file;
    const struct ets_bytes whole = load_small(&file);
    struct ets_etrecord *intact = open_record(whole);
    const size_t readable = read_all(intact, whole.size);
    ets_etrecord_close(intact);
    for (unsigned long limit = 0;; limit++) {
        struct failing failing = {.fail_at = limit};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_etrecord *record = NULL;
        struct ets_error error = {.status = ETS_OK};
        const enum ets_status status = ets_etrecord_open(whole, &allocator, &record, &error);
        int has_failed = 1;
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        if (status != ETS_OK) assert_true(error.message[0] != '\0');
        if (status == ETS_OK) {
            const size_t found = read_all(record, whole.size);
            has_failed = failing.calls > limit;
            assert_true(has_failed ? found <= readable : found == readable);
            const struct ets_graph *graph;
            failing.fail_at = ULONG_MAX; /* what failed for lack of memory can be asked for again */
            assert_int_equal(ets_etrecord_edge_graph(record, "forward", &graph, NULL), ETS_OK);
            assert_int_equal(graph->node_count, 4);
            failing.fail_at = limit;
        }
        ets_etrecord_close(record);
        assert_int_equal(failing.live, 0);
        if (!has_failed) break;
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
