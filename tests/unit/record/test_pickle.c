/* Opcodes, memo, marks and ceilings of pickles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "record/pickle.h"

static enum ets_status read(const char *pickle, size_t size, struct ets_arena *arena,
                            const struct ets_pickle_object **root, struct ets_error *error)
{
    ets_arena_init(arena, NULL, 0);
    return ets_pickle_read((struct ets_bytes){(const uint8_t *)pickle, size}, 1000,
                           (struct ets_text){"entry", 5}, arena, root, error);
}
#define READ(pickle, arena, root, error) read(pickle, sizeof(pickle) - 1, arena, root, error)

static void test_pickle__reads_plain_values(void **state)
{
    (void)state;
    struct ets_arena arena;
    const struct ets_pickle_object *root;
    assert_int_equal(READ("\x80\2(J\xff\xff\xff\xffK\xffM\1\1\x8a\2\0\xff\x8a\0\x8a\x09xxxxxxxxx"
                          "G\x3f\xf8\0\0\0\0\0\0N\x88\x89X\1\0\0\0at.",
                          &arena, &root, NULL),
                     ETS_OK);
    static const int64_t integers[] = {-1, 255, 257, -256, 0};
    assert_int_equal(root->kind, ETS_PICKLE_TUPLE);
    assert_int_equal(root->as.list.count, 11);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(root->as.list.items[i]->kind, ETS_PICKLE_INT);
        assert_int_equal(root->as.list.items[i]->as.integer, integers[i]);
    }
    assert_int_equal(root->as.list.items[5]->kind, ETS_PICKLE_OTHER);
    assert_true(root->as.list.items[6]->as.number == 1.5);
    assert_int_equal(root->as.list.items[7]->kind, ETS_PICKLE_NONE);
    assert_int_equal(root->as.list.items[8]->as.integer, 1);
    assert_int_equal(root->as.list.items[9]->as.integer, 0);
    assert_int_equal(root->as.list.items[10]->as.text.size, 1);
    ets_arena_reset(&arena);
}

static void test_pickle__fills_containers_through_the_memo(void **state)
{
    (void)state;
    struct ets_arena arena;
    const struct ets_pickle_object *root;
    /* d = {}; l = [d, d]; d["k"] = l: a cycle */
    assert_int_equal(READ("\x80\2}q\0]q\1(h\0h\0eX\1\0\0\0kh\1\x86"
                          "0"
                          "h\0X\1\0\0\0kh\1s.",
                          &arena, &root, NULL),
                     ETS_OK);
    assert_int_equal(root->kind, ETS_PICKLE_DICT);
    assert_int_equal(root->as.list.count, 2);
    assert_ptr_equal(root->as.list.items[1]->as.list.items[1], root);
    ets_arena_reset(&arena);
}

static void test_pickle__never_calls(void **state)
{
    (void)state;
    struct ets_arena arena;
    const struct ets_pickle_object *root;
    assert_int_equal(READ("cos\nsystem\n(X\4\0\0\0truetR.", &arena, &root, NULL), ETS_OK);
    assert_int_equal(root->kind, ETS_PICKLE_CALL);
    assert_true(ets_pickle_is_global(root->as.call.callable, "os", "system"));
    assert_int_equal(root->as.call.arguments->as.list.count, 1);
    ets_arena_reset(&arena);
    assert_int_equal(
        READ("\x80\4\x8c\2os\x8c\6system\x93)\x81}X\1\0\0\0aK\1sb.", &arena, &root, NULL), ETS_OK);
    assert_int_equal(root->as.call.state->kind, ETS_PICKLE_DICT);
    ets_arena_reset(&arena);
    assert_int_equal(READ("ccollections\nOrderedDict\n)RX\1\0\0\0aK\1s.", &arena, &root, NULL),
                     ETS_OK);
    assert_int_equal(root->kind, ETS_PICKLE_DICT);
    ets_arena_reset(&arena);
}

static void check_refused(const char *pickle, size_t size, enum ets_status expected, uint64_t at)
{
    struct ets_arena arena;
    struct ets_error error;
    const struct ets_pickle_object *root;
    assert_int_equal(read(pickle, size, &arena, &root, &error), expected);
    assert_int_equal(error.offset, 1000 + at);
    assert_non_null(strstr(error.message, "entry"));
    ets_arena_reset(&arena);
}
#define REFUSED(pickle, status, at) check_refused(pickle, sizeof(pickle) - 1, status, at)

static void test_pickle__refuses_what_makes_no_sense(void **state)
{
    (void)state;
    REFUSED("", ETS_TRUNCATED, 0);
    REFUSED(".", ETS_MALFORMED, 0);
    REFUSED("N", ETS_TRUNCATED, 1);
    REFUSED("K", ETS_TRUNCATED, 0);
    REFUSED("X\xff\xff\xff\xff.", ETS_TRUNCATED, 0);
    REFUSED("cos\nsystem", ETS_TRUNCATED, 0);
    REFUSED("Nt.", ETS_MALFORMED, 1);
    REFUSED("(s.", ETS_MALFORMED, 1);
    REFUSED("N(N\x86.", ETS_MALFORMED, 3);
    REFUSED("Na.", ETS_MALFORMED, 1);
    REFUSED("NNa.", ETS_MALFORMED, 2);
    REFUSED("}(Nu.", ETS_MALFORMED, 3);
    REFUSED("h\0.", ETS_MALFORMED, 0);
    REFUSED("Nr\xff\xff\xff\xff.", ETS_MALFORMED, 1);
    REFUSED("NNR.", ETS_MALFORMED, 2);
    REFUSED("I1\n.", ETS_UNSUPPORTED, 0);
    REFUSED("i.", ETS_UNSUPPORTED, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pickle__reads_plain_values),
        cmocka_unit_test(test_pickle__fills_containers_through_the_memo),
        cmocka_unit_test(test_pickle__never_calls),
        cmocka_unit_test(test_pickle__refuses_what_makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
