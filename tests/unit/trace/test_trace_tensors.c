/* Tensors without bytes, reduced, in lists, and in the parts of a ring's debug buffer. */
#define _DEFAULT_SOURCE
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "test_little_support.h"
#include "test_recorder_support.h"

#include <math.h>

static const float numbers[6] = {1, -2, 0, NAN, INFINITY, 5};

static struct ets_tensor matrix(void)
{
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT,
                                .rank = 2,
                                .sizes = {2, 3},
                                .data = LITTLE(numbers),
                                .data_bytes = sizeof numbers};
    ets_tensor_set_contiguous(&tensor);
    return tensor;
}

static struct ets_trace_extra_tensor next_tensor(const struct bed *bed, size_t *at)
{
    struct ets_trace_extra_tensor tensor;
    assert_int_equal(ets_trace_extra_next_tensor(&bed->extra, at, &tensor), 1);
    return tensor;
}

static void test_trace_tensors__without_a_sink_are_no_events(void **state)
{
    struct bed bed;
    size_t at = 0;
    const struct ets_tensor one = matrix();
    const struct ets_tensor two[2] = {one, {.scalar_type = ETS_SCALAR_BITS8, .rank = 0}};
    (void)state;
    bed_open(&bed, 4096);
    record_one(&bed, "op", 1);
    ets_trace_set_instruction(&bed.thread, 300, 7);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &one, 1), ETS_OK);
    ets_trace_set_instruction(&bed.thread, 0, 8);
    record_one(&bed, "op", 1);
    assert_int_equal(
        ets_trace_log_tensors(&bed.thread, &(struct ets_trace_delegate){"part", 0}, two, 2, 0),
        ETS_OK);
    assert_int_equal(ets_trace_log_tensors(&bed.thread, NULL, two, 0, 0), ETS_OK);
    bed_dump(&bed);
    assert_int_equal(count_events(&bed), 3); /* a list of none is one */
    struct ets_trace_extra_tensor found = next_tensor(&bed, &at);
    assert_int_equal(found.run, 0);
    assert_int_equal(found.next_event, 1);
    assert_int_equal(found.chain, 300);
    assert_int_equal(found.instruction, 7);
    assert_int_equal(found.is_output, 1);
    assert_int_equal(found.is_list, 0);
    assert_int_equal(found.delegate_id, -1);
    assert_text(found.delegate_name, NULL);
    assert_int_equal(found.tensor.scalar_type, ETS_SCALAR_FLOAT);
    assert_int_equal(found.tensor.rank, 2);
    assert_int_equal(found.tensor.sizes[1], 3);
    assert_int_equal(found.tensor.strides[0], 3);
    assert_int_equal(found.has_statistics, 0);
    for (uint32_t i = 0; i < 2; i++) {
        found = next_tensor(&bed, &at);
        assert_int_equal(found.next_event, 2);
        assert_int_equal(found.chain, -1);
        assert_text(found.delegate_name, "part");
        assert_int_equal(found.is_list, 1);
        assert_int_equal(found.list_index, i);
        assert_int_equal(found.tensor.rank, i == 0 ? 2 : 0);
    }
    assert_int_equal(count_extra_tensors(&bed), 3);
    bed_close(&bed);
}

static void assert_summary(const struct ets_tensor_statistics *found, uint32_t first_count)
{
    struct ets_tensor_statistics wanted;
    const struct ets_tensor tensor = matrix();
    assert_int_equal(ets_tensor_statistics_of(&tensor, first_count, &wanted), ETS_OK);
    assert_int_equal(found->count, 6);
    assert_int_equal(found->nan_count, 1);
    assert_int_equal(found->infinite_count, 1);
    assert_int_equal(found->zero_count, 1);
    assert_true(found->min == -2 && found->max == 5 && found->absolute_max == 5);
    assert_true(found->sum == 4 && found->absolute_sum == 8 && found->square_sum == 30);
    assert_true(ets_tensor_statistics_mean(found) == 1);
    assert_true(ets_tensor_statistics_std(found) == ets_tensor_statistics_std(&wanted));
    assert_true(found->hash == wanted.hash);
    assert_int_equal(found->first_count, first_count < 6 ? first_count : 6);
    assert_memory_equal(found->first, wanted.first, found->first_count * sizeof(double));
}

static void test_trace_tensors__are_reduced_instead_of_kept(void **state)
{
    static uint8_t debug_buffer[64];
    (void)state;
    for (uint32_t first_count = 0; first_count <= ETS_TENSOR_STATISTICS_FIRST_LIMIT;
         first_count++) {
        const struct ets_trace_reducer reducer = {.what = ETS_TRACE_INTERMEDIATES,
                                                  .first_count = first_count};
        const struct ets_tensor tensor = matrix();
        struct bed bed;
        size_t at = 0;
        bed_prepare(&bed, 4096);
        bed.config.debug_buffer = debug_buffer;
        bed.config.debug_buffer_bytes = sizeof debug_buffer;
        assert_int_equal(bed_start(&bed), ETS_OK);
        assert_int_equal(ets_trace_set_reducer(&bed.trace, &reducer), ETS_OK);
        assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
        assert_int_equal(bed_state(&bed).debug_bytes, 0);
        assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 1), ETS_OK);
        assert_true(bed_state(&bed).debug_bytes >= sizeof numbers);
        bed_dump(&bed);
        assert_int_equal(count_events(&bed), 1);
        const struct ets_trace_extra_tensor found = next_tensor(&bed, &at);
        assert_int_equal(found.has_statistics, 1);
        assert_int_equal(found.is_output, 0);
        assert_summary(&found.statistics, first_count);
        bed_close(&bed);
    }
}

static void test_trace_tensors__what_cannot_be_reduced_keeps_its_shape_or_counts(void **state)
{
    const struct ets_trace_reducer reducer = {0};
    struct ets_tensor tensor = matrix();
    struct bed bed;
    size_t at = 0;
    (void)state;
    bed_open(&bed, 4096);
    assert_int_equal(ets_trace_set_reducer(&bed.trace, &reducer), ETS_OK);
    tensor.scalar_type = ETS_SCALAR_BITS8;
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
    tensor = matrix();
    tensor.data = NULL;
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_INVALID_ARGUMENT);
    tensor = matrix();
    tensor.data_bytes--;
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_INVALID_ARGUMENT);
    tensor = matrix();
    tensor.sizes[0] = -1;
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_INVALID_ARGUMENT);
    tensor = matrix();
    tensor.rank = ETS_TENSOR_MAX_RANK + 1;
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_INVALID_ARGUMENT);
    assert_int_equal(bed_state(&bed).dropped, 4);
    bed_dump(&bed);
    assert_int_equal(next_tensor(&bed, &at).has_statistics, 0);
    assert_int_equal(count_extra_tensors(&bed), 1);
    bed_close(&bed);
}

static void test_trace_tensors__the_reducer_stays_until_it_is_set_again(void **state)
{
    const struct ets_trace_reducer reducer = {.first_count = 1};
    const struct ets_trace_reducer bad[] = {{.what = ETS_TRACE_OPERATORS},
                                            {.first_count = ETS_TENSOR_STATISTICS_FIRST_LIMIT + 1}};
    const struct ets_tensor tensor = matrix();
    struct bed bed;
    size_t at = 0;
    (void)state;
    bed_open(&bed, 4096);
    assert_int_equal(ets_trace_set_reducer(&bed.trace, &reducer), ETS_OK);
    assert_int_equal(ets_trace_set_reducer(&bed.trace, &bad[0]), ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_trace_set_reducer(&bed.trace, &bad[1]), ETS_INVALID_ARGUMENT);
    assert_int_equal(ets_trace_reset(&bed.trace), ETS_OK);
    ets_trace_thread_init(&bed.thread, &bed.trace);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
    assert_int_equal(ets_trace_set_reducer(&bed.trace, NULL), ETS_OK);
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
    bed_dump(&bed);
    assert_int_equal(next_tensor(&bed, &at).has_statistics, 1);
    assert_int_equal(next_tensor(&bed, &at).has_statistics, 0);
    bed_close(&bed);
}

/* A list that is made up when it is asked for, and may change its mind. */
struct made_up {
    uint32_t asked, refuse_at, grow_at; /* numbers of questions, from 1; 0: never */
};

static enum ets_status make_up(void *context, uint32_t index, struct ets_tensor *tensor_out)
{
    struct made_up *list = context;
    if (++list->asked == list->refuse_at) return ETS_UNSUPPORTED;
    assert_int_equal(tensor_out->rank, 0);
    *tensor_out = matrix();
    tensor_out->sizes[1] = index;
    tensor_out->rank = list->asked == list->grow_at ? ETS_TENSOR_MAX_RANK : 2;
    return ETS_OK;
}

static void test_trace_tensors__lists_may_be_made_up(void **state)
{
    static uint8_t debug_buffer[1 << 16];
    enum { COUNT = 12 };
    struct bed bed;
    struct ets_debug_value value;
    struct ets_tensor tensor;
    int64_t offset;
    struct made_up list = {0};
    const struct ets_trace_tensors tensors = {&list, COUNT, make_up};
    (void)state;
    bed_prepare(&bed, 1 << 15);
    bed.config.debug_buffer = debug_buffer;
    bed.config.debug_buffer_bytes = sizeof debug_buffer;
    assert_int_equal(bed_start(&bed), ETS_OK);
    assert_int_equal(ets_trace_log_tensor_list(&bed.thread, NULL, &tensors, 0), ETS_OK);
    assert_int_equal(list.asked, 2 * COUNT);
    for (uint32_t question = 1; question <= 2 * COUNT; question++) {
        list = (struct made_up){.refuse_at = question};
        assert_int_equal(ets_trace_log_tensor_list(&bed.thread, NULL, &tensors, 0),
                         ETS_UNSUPPORTED);
        list = (struct made_up){.grow_at = question};
        assert_int_equal(ets_trace_log_tensor_list(&bed.thread, NULL, &tensors, 0), ETS_MISMATCH);
    }
    assert_int_equal(bed_state(&bed).dropped, 4 * COUNT);
    bed_dump(&bed);
    assert_int_equal(count_events(&bed), 1);
    ets_etdump_debug_value(&bed.dump, bed_event(&bed, 0, 0).payload_at, &value);
    assert_int_equal(value.tensor_count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(ets_etdump_tensor(&bed.dump, &value, i, &tensor, &offset, NULL), ETS_OK);
        assert_int_equal(tensor.sizes[1], i);
        assert_memory_equal(debug_buffer + offset, LITTLE(numbers), sizeof numbers);
    }
    bed_close(&bed);
}

/* Tensors of `bytes` bytes that tell their number; what is left must have its bytes. */
static void check_ring(uint8_t *debug, size_t debug_bytes, size_t buffer_bytes, uint32_t chunks)
{
    enum { EVENTS = 200, MOST = 400 };
    uint8_t data[MOST];
    struct bed bed;
    uint32_t kept = 0, last = 0;
    bed_prepare(&bed, buffer_bytes);
    bed.config.mode = ETS_TRACE_RING;
    bed.config.chunk_count = chunks;
    bed.config.debug_buffer = debug;
    bed.config.debug_buffer_bytes = debug_bytes;
    (void)bed_start(&bed);
    ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
    const uint32_t refused = bed_state(&bed).dropped;
    for (uint32_t n = 0; n < EVENTS; n++) {
        const size_t bytes = n * 37 % MOST;
        const struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_BYTE,
                                          .rank = 1,
                                          .sizes = {(int64_t)bytes},
                                          .strides = {1},
                                          .data = data,
                                          .data_bytes = bytes};
        memset(data, (int)(n + 1), sizeof data);
        ets_trace_set_instruction(&bed.thread, 0, n);
        const enum ets_status status = n % 5 == 0
                                           ? ets_trace_log_tensors(&bed.thread, NULL, &tensor, 1, 0)
                                           : ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0);
        assert_true(status == ETS_OK || status == ETS_NO_SPACE);
    }
    const struct ets_trace_state counts = bed_state(&bed);
    assert_true(counts.debug_bytes <= debug_bytes);
    bed_dump(&bed);
    for (uint32_t run = 0; run < bed.dump.run_count; run++) {
        for (uint32_t i = 0; i < bed_run(&bed, run).event_count; i++, kept++) {
            const struct ets_etdump_event event = bed_event(&bed, run, i);
            const uint32_t n = (uint32_t)event.instruction;
            struct ets_debug_value value;
            struct ets_tensor tensor;
            int64_t offset;
            assert_true(kept == 0 || n > last);
            last = n;
            ets_etdump_debug_value(&bed.dump, event.payload_at, &value);
            assert_int_equal(ets_etdump_tensor(&bed.dump, &value, 0, &tensor, &offset, NULL),
                             ETS_OK);
            if (n * 37 % MOST == 0) continue;
            assert_true((size_t)offset + n * 37 % MOST <= counts.debug_bytes);
            assert_int_equal(((uintptr_t)debug + (size_t)offset) % 64, 0);
            memset(data, (int)(n + 1), sizeof data);
            assert_memory_equal(debug + offset, data, n * 37 % MOST);
        }
    }
    assert_int_equal(kept + counts.overwritten + counts.dropped - refused, EVENTS);
    if (chunks == 4 && debug_bytes >= 4 * 448 + 64 && buffer_bytes >= 2048) {
        assert_int_equal(counts.dropped, 0);
        assert_true(kept >= 4);
        assert_int_equal(last, EVENTS - 1);
    }
    bed_close(&bed);
}

static void test_trace_tensors__a_ring_keeps_bytes_as_long_as_their_events(void **state)
{
    static _Alignas(64) uint8_t debug[8192 + 64];
    (void)state;
    for (size_t bytes = 0; bytes <= 4096; bytes += bytes < 256 ? 1 : 13) {
        check_ring(debug + bytes % 64, bytes, 2048, 4);
    }
    for (uint32_t chunks = 0; chunks <= 16; chunks++) check_ring(debug, 8192, 4096, chunks);
    for (size_t bytes = 0; bytes <= 4096; bytes += 7) check_ring(debug + 1, 2048, bytes, 0);
}

static void test_trace_tensors__a_tensor_larger_than_a_part_is_counted(void **state)
{
    static _Alignas(64) uint8_t debug[1024];
    static const uint8_t data[1024];
    struct ets_tensor tensor = {
        .scalar_type = ETS_SCALAR_BYTE, .rank = 1, .strides = {1}, .data = data};
    struct bed bed;
    (void)state;
    bed_prepare(&bed, 4096);
    bed.config.mode = ETS_TRACE_RING;
    bed.config.chunk_count = 4;
    bed.config.debug_buffer = debug;
    bed.config.debug_buffer_bytes = sizeof debug;
    assert_int_equal(bed_start(&bed), ETS_OK);
    tensor.sizes[0] = 256;
    tensor.data_bytes = 256;
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
    tensor.data_bytes = 257;
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_NO_SPACE);
    tensor.data_bytes = SIZE_MAX;
    assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_NO_SPACE);
    const struct ets_tensor two[2] = {tensor, tensor};
    assert_int_equal(ets_trace_log_tensors(&bed.thread, NULL, two, 2, 0), ETS_NO_SPACE);
    assert_int_equal(bed_state(&bed).dropped, 3);
    assert_int_equal(bed_state(&bed).debug_bytes, 256);
    bed_close(&bed);
}

static void test_trace_tensors__sinks_may_be_set_later(void **state)
{
    static _Alignas(64) uint8_t debug[512];
    const struct ets_tensor tensor = matrix();
    (void)state;
    for (int mode = ETS_TRACE_STOP; mode <= ETS_TRACE_RING; mode++) {
        struct bed bed;
        bed_prepare(&bed, 4096);
        bed.config.mode = (enum ets_trace_mode)mode;
        bed.config.chunk_count = 2;
        assert_int_equal(bed_start(&bed), ETS_OK);
        ets_trace_set_debug_buffer(&bed.trace, debug, sizeof debug);
        memset(debug, 0, sizeof debug);
        assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
        assert_memory_equal(debug, LITTLE(numbers), sizeof numbers);
        assert_int_equal(bed_state(&bed).debug_bytes, sizeof numbers);
        ets_trace_set_debug_buffer(&bed.trace, NULL, 99);
        assert_int_equal(bed_state(&bed).debug_bytes, 0);
        assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
        bed_dump(&bed);
        assert_int_equal(count_events(&bed), 1);
        assert_int_equal(count_extra_tensors(&bed), 1);
        bed_close(&bed);
    }
}

#if SIZE_MAX > UINT32_MAX && defined(__linux__)
/* Only the pages at its end are ever written. */
static void test_trace_tensors__a_debug_buffer_of_more_than_4_gib_is_used(void **state)
{
    const size_t bytes = ((size_t)4 << 30) + 4096, used = bytes - 4096 - 64;
    const struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_BYTE,
                                      .rank = 1,
                                      .sizes = {5},
                                      .strides = {1},
                                      .data = "five",
                                      .data_bytes = 5};
    struct bed bed;
    (void)state;
    uint8_t *buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (buffer == MAP_FAILED) skip();
    bed_prepare(&bed, 4096);
    bed.config.debug_buffer = buffer;
    bed.config.debug_buffer_bytes = bytes;
    assert_int_equal(bed_start(&bed), ETS_OK);
    bed.trace.debug_bytes = used;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ets_trace_log_tensor(&bed.thread, NULL, &tensor, 0), ETS_OK);
        assert_memory_equal(buffer + used + (size_t)i * 64, "five", 5);
    }
    assert_true(bed_state(&bed).debug_bytes == used + 2 * 64 + 5);
    munmap(buffer, bytes);
    bed_close(&bed);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_tensors__without_a_sink_are_no_events),
        cmocka_unit_test(test_trace_tensors__are_reduced_instead_of_kept),
        cmocka_unit_test(test_trace_tensors__what_cannot_be_reduced_keeps_its_shape_or_counts),
        cmocka_unit_test(test_trace_tensors__the_reducer_stays_until_it_is_set_again),
        cmocka_unit_test(test_trace_tensors__lists_may_be_made_up),
        cmocka_unit_test(test_trace_tensors__a_ring_keeps_bytes_as_long_as_their_events),
        cmocka_unit_test(test_trace_tensors__a_tensor_larger_than_a_part_is_counted),

#if SIZE_MAX > UINT32_MAX && defined(__linux__)
        cmocka_unit_test(test_trace_tensors__a_debug_buffer_of_more_than_4_gib_is_used),
#endif
        cmocka_unit_test(test_trace_tensors__sinks_may_be_set_later)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
