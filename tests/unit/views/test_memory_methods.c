/* What methods take together, and that the sentence fits its room. */
#include "test_files_support.h"

#include "views/memory_methods.h"

static void add(struct ets_memory_methods *methods, const char *name, uint64_t bytes)
{
    const struct ets_memory_plan plan = {.method = {.name = {name, strlen(name)}},
                                         .planned_bytes = bytes};
    ets_memory_methods_add(methods, &plan);
}

static void test_memory_methods__one_says_nothing(void **state)
{
    struct ets_memory_methods methods = {.count = 0};
    char text[16] = "!";
    (void)state;
    assert_int_equal(ets_memory_methods_headline(&methods, text, sizeof text), 0);
    add(&methods, "forward", 10);
    assert_int_equal(ets_memory_methods_headline(&methods, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static void test_memory_methods__sum_and_most(void **state)
{
    static const char said[] =
        "3 methods, each with arenas of its own: 960 B if all are loaded "
        "together, 352 B (b) if one is loaded at a time";
    struct ets_memory_methods methods = {.count = 0};
    char text[256];
    (void)state;
    add(&methods, "a", 304);
    add(&methods, "b", 352);
    add(&methods, "c", 304);
    assert_int_equal(ets_memory_methods_headline(&methods, text, sizeof text), strlen(said));
    assert_string_equal(text, said);
    for (size_t room = 1; room < sizeof said; room++) {
        const size_t used = ets_memory_methods_headline(&methods, text, room);
        assert_true(used < room);
        assert_memory_equal(text, said, used);
    }
    add(&methods, "d", UINT64_MAX - 1);
    assert_true(methods.sum_bytes == UINT64_MAX); /* capped */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_methods__one_says_nothing),
        cmocka_unit_test(test_memory_methods__sum_and_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
