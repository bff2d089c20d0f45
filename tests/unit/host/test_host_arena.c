/* The arena, and the tables that live in one. */
#include "test_inspect_support.h"

#include "host/arena.h"
#include "host/key_table.h"
#include "host/strings.h"

static void test_host_arena__pieces_are_zero_aligned_and_apart(void **state)
{
    (void)state;
    struct ets_arena arena;
    unsigned char *pieces[200];
    ets_arena_init(&arena, NULL, 0);
    for (size_t i = 0; i < COUNT(pieces); i++) {
        pieces[i] = ets_arena_alloc(&arena, i * 7);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        for (size_t k = 0; k < i * 7; k++) assert_int_equal(pieces[i][k], 0);
        memset(pieces[i], (int)i, i * 7);
    }
    unsigned char *large = ets_arena_alloc(&arena, 1 << 20);
    assert_non_null(large);
    memset(large, 0xff, 1 << 20);
    for (size_t i = 0; i < COUNT(pieces); i++) {
        for (size_t k = 0; k < i * 7; k++) assert_int_equal(pieces[i][k], i % 256);
    }
    ets_arena_reset(&arena);
    assert_non_null(ets_arena_alloc(&arena, 16));
    ets_arena_reset(&arena);
}

static void test_host_arena__sizes_that_cannot_be_are_refused(void **state)
{
    (void)state;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 1000);
    assert_null(ets_arena_alloc(&arena, SIZE_MAX));
    assert_null(ets_arena_alloc_array(&arena, SIZE_MAX / 2, 3));
    assert_null(ets_arena_alloc_array(&arena, SIZE_MAX / 2 + 1, SIZE_MAX / 2 + 1));
    assert_null(ets_arena_copy_text(&arena, "", SIZE_MAX));
    assert_non_null(ets_arena_alloc(&arena, 992));
    assert_null(ets_arena_alloc(&arena, 16));
    assert_non_null(ets_arena_alloc_array(&arena, 0, 8));
    ets_arena_reset(&arena);
    assert_non_null(ets_arena_alloc(&arena, 992));
    ets_arena_reset(&arena);
}

static void test_host_arena__texts_are_copied_and_ended(void **state)
{
    (void)state;
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    char source[] = "abcdef";
    const char *copy = ets_arena_copy_text(&arena, source, 3);
    source[0] = 'x';
    assert_string_equal(copy, "abc");
    assert_string_equal(ets_arena_copy_text(&arena, NULL, 0), "");
    ets_arena_reset(&arena);
}

static void test_host_arena__strings_keep_one_number_each(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_strings strings;
    static char names[3000][8];
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_strings_init(&strings, &arena), 0);
    assert_int_equal(ets_strings_add(&strings, (struct ets_text){NULL, 0}), ETS_STRING_NONE);
    const uint32_t empty = ets_strings_add(&strings, (struct ets_text){"", 0});
    assert_int_not_equal(empty, ETS_STRING_NONE);
    for (uint32_t i = 0; i < COUNT(names); i++) {
        snprintf(names[i], sizeof names[i], "n%u", i);
        const struct ets_text text = {names[i], strlen(names[i])};
        assert_int_equal(ets_strings_add(&strings, text), empty + 1 + i);
    }
    for (uint32_t i = 0; i < COUNT(names); i++) {
        char copy[8];
        memcpy(copy, names[i], sizeof copy);
        const struct ets_text text = {copy, strlen(copy)};
        assert_int_equal(ets_strings_add(&strings, text), empty + 1 + i);
        assert_text(ets_strings_get(&strings, empty + 1 + i), names[i]);
    }
    assert_null(ets_strings_get(&strings, 0).data);
    assert_null(ets_strings_get(&strings, UINT32_MAX).data);
    ets_arena_reset(&arena);
}

static void test_host_arena__keys_keep_one_number_each(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_key_table table;
    ets_arena_init(&arena, NULL, 0);
    ets_key_table_init(&table, &arena, 2);
    assert_int_equal(ets_key_table_find(&table, (const uint64_t[]){0, 0}), ETS_KEY_NONE);
    for (uint32_t i = 0; i < 5000; i++) {
        const uint64_t key[] = {(uint64_t)i << 32, i % 7};
        assert_int_equal(ets_key_table_add(&table, key), i);
        assert_int_equal(ets_key_table_add(&table, key), i);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        const uint64_t key[] = {(uint64_t)i << 32, i % 7}, other[] = {(uint64_t)i << 32, 7};
        assert_int_equal(ets_key_table_find(&table, key), i);
        assert_int_equal(ets_key_table_find(&table, other), ETS_KEY_NONE);
        assert_memory_equal(ets_key_table_key(&table, i), key, sizeof key);
    }
    assert_int_equal(table.count, 5000);
    ets_arena_reset(&arena);
}

/* Without memory for more, what is known stays known. */
static void test_host_arena__tables_tell_where_memory_ends(void **state)
{
    (void)state;
    struct ets_arena arena;
    struct ets_strings strings;
    struct ets_key_table table;
    ets_arena_init(&arena, NULL, 4000);
    assert_int_equal(ets_strings_init(&strings, &arena), 0);
    static char names[200][8];
    uint32_t added = 0, number = 0;
    for (; added < COUNT(names); added++) {
        snprintf(names[added], sizeof names[added], "n%u", added);
        number = ets_strings_add(&strings, (struct ets_text){names[added], strlen(names[added])});
        if (number == UINT32_MAX) break;
    }
    assert_int_equal(number, UINT32_MAX);
    assert_in_range(added, 63, COUNT(names) - 1); /* pointers of 4 bytes leave room for more */
    assert_int_equal(ets_strings_add(&strings, (struct ets_text){"n5", 2}), 6);
    ets_arena_reset(&arena);

    ets_arena_init(&arena, NULL, 4000);
    ets_key_table_init(&table, &arena, 1);
    uint64_t key = 0;
    while (ets_key_table_add(&table, &key) != ETS_KEY_NONE) key++;
    assert_true(key == 64 || key == 128);
    const uint64_t known = 5;
    assert_int_equal(ets_key_table_add(&table, &known), 5);
    ets_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host_arena__pieces_are_zero_aligned_and_apart),
        cmocka_unit_test(test_host_arena__sizes_that_cannot_be_are_refused),
        cmocka_unit_test(test_host_arena__texts_are_copied_and_ended),
        cmocka_unit_test(test_host_arena__strings_keep_one_number_each),
        cmocka_unit_test(test_host_arena__keys_keep_one_number_each),
        cmocka_unit_test(test_host_arena__tables_tell_where_memory_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
