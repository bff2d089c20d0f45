/* Programs without what is in them twice or for nothing: what is used stays, byte for byte. */
#include "format/program_lists.h"
#include "rewrite/taps.h"
#include "rewrite/trimmed_program.h"
#include "test_faults_support.h"
#include "test_files_support.h"

struct opened {
    uint8_t *bytes; /* a copy, that tests change */
    size_t size;
    struct ets_program program;
    struct ets_arena arena;
};

static void open_again(struct opened *o)
{
    assert_int_equal(ets_program_init(&o->program, (struct ets_bytes){o->bytes, o->size}, NULL),
                     ETS_OK);
}

static void open_program(const char *name, struct opened *out)
{
    struct ets_file *file = open_file(name);
    const struct ets_bytes bytes = ets_file_bytes(file);
    out->bytes = malloc(bytes.size);
    out->size = bytes.size;
    assert_non_null(out->bytes);
    memcpy(out->bytes, bytes.data, bytes.size);
    ets_file_close(file);
    ets_arena_init(&out->arena, NULL, 0);
    open_again(out);
}

static void close_program(struct opened *opened)
{
    ets_arena_reset(&opened->arena);
    free(opened->bytes);
}

static enum ets_status trim(struct opened *o, struct ets_trimmed *trimmed)
{
    return ets_trimmed_program(&o->arena, &o->program, trimmed, NULL);
}

/* Value number `value` of the only method. */
static struct ets_evalue value_of(const struct ets_program *program, uint32_t value)
{
    struct ets_method method;
    struct ets_evalue found;
    ets_program_method(program, 0, &method);
    ets_method_value(&method, value, &found);
    return found;
}

static uint32_t value_count(const struct ets_program *program)
{
    struct ets_method method;
    ets_program_method(program, 0, &method);
    return method.value_count;
}

/* All constants that are left have the bytes that they had; returns how many are gone. */
static uint32_t compare_constants(const struct ets_program *was, const struct ets_program *is)
{
    uint32_t gone = 0;
    assert_int_equal(value_count(was), value_count(is));
    for (uint32_t v = 0; v < value_count(was); v++) {
        const struct ets_evalue a = value_of(was, v), b = value_of(is, v);
        if (a.kind != b.kind) {
            assert_int_equal(b.kind, ETS_EVALUE_NULL);
            gone++;
            continue;
        }
        if (a.kind != ETS_EVALUE_TENSOR || a.tensor.tensor.data == NULL) continue;
        assert_non_null(b.tensor.tensor.data);
        assert_memory_equal(a.tensor.tensor.data, b.tensor.tensor.data,
                            (size_t)a.tensor.tensor_bytes);
        assert_int_equal(((const uint8_t *)b.tensor.tensor.data - is->bytes.data) % 16, 0);
    }
    return gone;
}

static void constants__that_nothing_reads_go(void **state)
{
    (void)state;
    struct opened opened;
    struct ets_program made;
    struct ets_trimmed trimmed;
    open_program("unused_constant/table.pte", &opened);
    assert_int_equal(trim(&opened, &trimmed), ETS_OK);
    assert_int_equal(trimmed.before, 4416);
    assert_int_equal(trimmed.after, 4416 - 2048);
    assert_int_equal(trimmed.bytes.size, trimmed.after);
    assert_int_equal(trimmed.unread_constants, 1);
    assert_int_equal(trimmed.shared_constants, 0);
    assert_int_equal(ets_program_init(&made, trimmed.bytes, NULL), ETS_OK);
    assert_int_equal(compare_constants(&opened.program, &made), 1);
    close_program(&opened);
}

/* The value of the first constant of so many bytes behind `from`. */
static uint32_t find_constant(const struct ets_program *program, uint32_t from, uint64_t bytes)
{
    for (uint32_t v = from; v < value_count(program); v++) {
        const struct ets_evalue value = value_of(program, v);
        if (value.kind == ETS_EVALUE_TENSOR && value.tensor.place == ETS_PLACE_CONSTANT &&
            value.tensor.tensor_bytes == bytes) {
            return v;
        }
    }
    fail_msg("no such constant");
    return 0;
}

static void constants__that_are_equal_share_a_copy(void **state)
{
    (void)state;
    struct opened opened;
    struct ets_program made;
    struct ets_trimmed trimmed;
    open_program("unused_constant/table.pte", &opened);
    const uint32_t one = find_constant(&opened.program, 0, 32);
    const uint32_t other = find_constant(&opened.program, one + 1, 32);
    const struct ets_evalue from = value_of(&opened.program, one);
    const struct ets_evalue to = value_of(&opened.program, other);
    memcpy(opened.bytes + ((const uint8_t *)to.tensor.tensor.data - opened.bytes),
           from.tensor.tensor.data, 32);
    open_again(&opened);
    assert_int_equal(trim(&opened, &trimmed), ETS_OK);
    assert_int_equal(trimmed.shared_constants, 1);
    assert_int_equal(trimmed.after, 4416 - 2048 - 32);
    assert_int_equal(ets_program_init(&made, trimmed.bytes, NULL), ETS_OK);
    assert_int_equal(compare_constants(&opened.program, &made), 1);
    assert_ptr_equal(value_of(&made, one).tensor.tensor.data,
                     value_of(&made, other).tensor.tensor.data);
    close_program(&opened);
}

/* Makes the first two of equal size above `least` bytes equal, and returns that size. */
static uint64_t make_equal(struct opened *o, uint64_t least)
{
    for (uint32_t i = 0; i < o->program.segment_count; i++) {
        struct ets_segment a, b;
        ets_program_segment(&o->program, i, &a);
        for (uint32_t k = i + 1; a.size > least && k < o->program.segment_count; k++) {
            ets_program_segment(&o->program, k, &b);
            if (a.size != b.size) continue;
            memcpy(o->bytes + b.offset, o->bytes + a.offset, (size_t)a.size);
            open_again(o);
            return a.size;
        }
    }
    fail_msg("no segments of equal size");
    return 0;
}

static void segments__that_are_equal_share_a_copy(void **state)
{
    (void)state;
    struct opened opened;
    struct ets_program made;
    struct ets_trimmed trimmed;
    open_program("gpt_xnnpack/model.pte", &opened);
    const uint64_t bytes = make_equal(&opened, 4096);
    assert_int_equal(trim(&opened, &trimmed), ETS_OK);
    assert_int_equal(trimmed.shared_segments, 1);
    assert_true(trimmed.before - trimmed.after >= bytes);
    assert_int_equal(ets_program_init(&made, trimmed.bytes, NULL), ETS_OK);
    for (uint32_t i = 0; i < made.named_data_count; i++) {
        struct ets_program_named_data was, is;
        ets_program_named_data(&opened.program, i, &was);
        ets_program_named_data(&made, i, &is);
        assert_int_equal(was.bytes.size, is.bytes.size);
        assert_memory_equal(was.bytes.data, is.bytes.data, is.bytes.size);
        assert_int_equal((is.bytes.data - made.bytes.data - made.segment_base) % 128, 0);
    }
    close_program(&opened);
}

/* An embedding is a constant, and the output layer that shares its weights has a copy. */
static void weights__that_are_tied_are_kept_once(void **state)
{
    (void)state;
    enum { TABLE = 32768 };
    struct opened opened;
    struct ets_program made;
    struct ets_trimmed trimmed;
    struct ets_program_named_data tied = {.segment_index = UINT32_MAX};
    open_program("gpt_xnnpack/model.pte", &opened);
    const uint32_t table = find_constant(&opened.program, 0, TABLE);
    const void *bytes = value_of(&opened.program, table).tensor.tensor.data;
    for (uint32_t i = 0; tied.bytes.size != TABLE && i < opened.program.named_data_count; i++) {
        ets_program_named_data(&opened.program, i, &tied);
    }
    assert_int_equal(tied.bytes.size, TABLE);
    memcpy(opened.bytes + (tied.bytes.data - opened.bytes), bytes, TABLE);
    open_again(&opened);
    assert_int_equal(trim(&opened, &trimmed), ETS_OK);
    assert_int_equal(trimmed.shared_segments, 1);
    assert_true(trimmed.before - trimmed.after >= TABLE - 128);
    assert_int_equal(ets_program_init(&made, trimmed.bytes, NULL), ETS_OK);
    assert_int_equal(compare_constants(&opened.program, &made), 0);
    for (uint32_t i = 0; i < made.named_data_count; i++) {
        struct ets_program_named_data was, is;
        ets_program_named_data(&opened.program, i, &was);
        ets_program_named_data(&made, i, &is);
        assert_int_equal(was.bytes.size, is.bytes.size);
        assert_memory_equal(was.bytes.data, is.bytes.data, is.bytes.size);
        assert_int_equal((is.bytes.data - made.bytes.data - made.segment_base) % 128, 0);
        if (was.segment_index != tied.segment_index) continue;
        assert_ptr_equal(is.bytes.data, value_of(&made, table).tensor.tensor.data);
    }
    close_program(&opened);
}

static void programs__with_nothing_to_leave_out_are_not_written(void **state)
{
    (void)state;
    static const char *const names[] = {"conv_portable/model.pte", "gpt_xnnpack/model.pte",
                                        "state/cache.pte", "multi_method/model.pte"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct opened opened;
        struct ets_trimmed trimmed;
        open_program(names[i], &opened);
        assert_int_equal(trim(&opened, &trimmed), ETS_OK);
        assert_int_equal(trimmed.bytes.size, 0);
        assert_int_equal(trimmed.before, trimmed.after);
        close_program(&opened);
    }
}

static void programs__with_taps_are_refused(void **state)
{
    (void)state;
    struct opened opened, tapped;
    struct ets_payload_store store;
    struct ets_taps taps;
    struct ets_rewritten rewritten;
    struct ets_trimmed trimmed;
    const struct ets_tap_options options = {.as_outputs = false};
    open_program("mlp_xnnpack/model.pte", &opened);
    ets_payload_store_init(&store, &opened.arena, &opened.program);
    assert_int_equal(ets_taps_find(&opened.arena, &opened.program, &store, &taps, NULL), ETS_OK);
    for (uint32_t i = 0; i < taps.count; i++) {
        taps.items[i].is_chosen = taps.items[i].state == ETS_TAP_POSSIBLE;
    }
    assert_int_equal(
        ets_tapped_program(&opened.arena, &opened.program, &taps, &options, &rewritten, NULL),
        ETS_OK);
    const struct ets_bytes bytes = {ets_rewritten_join(&rewritten, &opened.arena),
                                    (size_t)rewritten.bytes};
    assert_int_equal(ets_program_init(&tapped.program, bytes, NULL), ETS_OK);
    assert_int_equal(ets_trimmed_program(&opened.arena, &tapped.program, &trimmed, NULL),
                     ETS_INVALID_ARGUMENT);
    close_program(&opened);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long at = 0; status != ETS_OK; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct opened opened;
        struct ets_trimmed trimmed;
        struct ets_error error = {.status = ETS_OK};
        open_program("unused_constant/table.pte", &opened);
        ets_arena_init(&opened.arena, &allocator, 0);
        status = ets_trimmed_program(&opened.arena, &opened.program, &trimmed, &error);
        assert_true(status == ETS_OK || error.status == ETS_NO_MEMORY);
        close_program(&opened);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants__that_nothing_reads_go),
        cmocka_unit_test(constants__that_are_equal_share_a_copy),
        cmocka_unit_test(segments__that_are_equal_share_a_copy),
        cmocka_unit_test(weights__that_are_tied_are_kept_once),
        cmocka_unit_test(programs__with_nothing_to_leave_out_are_not_written),
        cmocka_unit_test(programs__with_taps_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
