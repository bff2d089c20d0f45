/* Vela's stream, in both of its versions, whole and cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the four headers above. */
#include <cmocka.h>

#include "format/vela.h"

struct stream {
    uint8_t bytes[1024];
    size_t size;
};

static void add_block(struct stream *s, const char *name, const void *data, uint32_t size)
{
    memcpy(s->bytes + s->size, name, strlen(name));
    for (int i = 0; i < 4; i++) s->bytes[s->size + 16 + (size_t)i] = (uint8_t)(size >> 8 * i);
    if (size > 0) memcpy(s->bytes + s->size + 32, data, size);
    s->size += 32 + (size + 15) / 16 * 16;
}

static void make_new(struct stream *s)
{
    static const uint8_t scratch[4] = {0, 0x63, 0, 0}, one[40] = {1}, two[76] = {2};
    memset(s, 0, sizeof *s);
    add_block(s, "vela_bin_stream", NULL, 0);
    add_block(s, "cmd_data", "COP1", 4);
    add_block(s, "weight_data", "0123456789abcdefg", 17);
    add_block(s, "scratch_size", scratch, 4);
    add_block(s, "inputs", two, 76);
    add_block(s, "outputs", one, 40);
    add_block(s, "vela_end_stream", NULL, 0);
}

static struct ets_bytes bytes_of(const struct stream *s)
{
    return (struct ets_bytes){s->bytes, s->size};
}

static void test_vela__new_streams_state_their_scratch(void **state)
{
    (void)state;
    struct stream s;
    struct ets_vela vela;
    make_new(&s);
    assert_int_equal(ets_vela_init(&vela, bytes_of(&s), NULL), ETS_OK);
    assert_true(vela.has_scratch);
    assert_true(vela.scratch_bytes == 25344);
    assert_null(vela.stored_scratch.data);
    assert_int_equal(vela.commands.size, 4);
    assert_int_equal(vela.weights.size, 17);
    assert_memory_equal(vela.weights.data, "0123456789abcdefg", 17);
    assert_int_equal(vela.input_count, 2);
    assert_int_equal(vela.output_count, 1);
}

static void test_vela__old_streams_hold_their_scratch(void **state)
{
    (void)state;
    static const uint8_t zeros[48] = {0};
    struct stream s = {.size = 0};
    struct ets_vela vela;
    add_block(&s, "vela_bin_stream", NULL, 0);
    add_block(&s, "scratch_data", zeros, 48);
    add_block(&s, "vela_end_stream", NULL, 0);
    assert_int_equal(ets_vela_init(&vela, bytes_of(&s), NULL), ETS_OK);
    assert_true(vela.scratch_bytes == 48);
    assert_int_equal(vela.stored_scratch.size, 48);
}

static void test_vela__is_refused_wherever_it_is_cut(void **state)
{
    (void)state;
    struct stream s;
    make_new(&s);
    for (size_t size = 0; size < s.size - 32; size++) {
        struct ets_vela vela;
        struct ets_error error = {.status = ETS_OK};
        uint8_t *cut = malloc(size + 1);
        assert_non_null(cut);
        memcpy(cut, s.bytes, size);
        const enum ets_status status = ets_vela_init(&vela, (struct ets_bytes){cut, size}, &error);
        assert_int_equal(status, size < 32 ? ETS_WRONG_KIND : ETS_TRUNCATED);
        assert_true(error.message[0] != '\0');
        free(cut);
    }
}

static void test_vela__a_block_past_the_end_is_refused(void **state)
{
    (void)state;
    struct stream s;
    struct ets_vela vela;
    struct ets_error error;
    make_new(&s);
    s.bytes[32 + 19] = 0x80;
    assert_int_equal(ets_vela_init(&vela, bytes_of(&s), &error), ETS_TRUNCATED);
    assert_int_equal(error.offset, 32);
    assert_non_null(strstr(error.message, "runs past the end"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vela__new_streams_state_their_scratch),
        cmocka_unit_test(test_vela__old_streams_hold_their_scratch),
        cmocka_unit_test(test_vela__is_refused_wherever_it_is_cut),
        cmocka_unit_test(test_vela__a_block_past_the_end_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
