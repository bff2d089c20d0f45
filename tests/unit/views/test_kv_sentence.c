/* The sentence of KV caches: alike ones, scales, windows, several methods. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "views/kv_sentence.h"

static void expect(const struct ets_kv_caches *caches, const char *expected)
{
    char room[512] = "";
    struct ets_text_builder text = {room, sizeof room, 0};
    ets_add_kv_caches(&text, caches);
    assert_string_equal(room, expected);
}

static struct ets_kv_caches pair(void)
{
    return (struct ets_kv_caches){
        .cache = {.tensor_count = 2,
                  .bytes = 8192,
                  .token_bytes = 256,
                  .kinds = {{2, {ETS_SCALAR_FLOAT, .rank = 4, .sizes = {1, 32, 2, 16}}}},
                  .kind_count = 1},
        .method = {"decode", 6},
        .method_count = 1,
        .bytes = 8192,
        .context = 32,
    };
}

static void test_kv_sentence__counts_types_shapes_and_bytes(void **state)
{
    (void)state;
    struct ets_kv_caches caches = pair();
    expect(&caches, "2 of float32 [1, 32, 2, 16], 8.0 KiB for 32 tokens, 256 B a token");
    caches.method_count = 0;
    expect(&caches, "");
}

static void test_kv_sentence__windows_have_no_bytes_of_a_token(void **state)
{
    (void)state;
    struct ets_kv_caches caches = pair();
    caches.cache.token_bytes = 0;
    caches.cache.tensor_count = 5;
    expect(&caches,
           "2 of float32 [1, 32, 2, 16], 3 of other shapes, 8.0 KiB; not all have a place "
           "for each of 32 tokens");
    caches.context = 0;
    expect(&caches, "2 of float32 [1, 32, 2, 16], 3 of other shapes, 8.0 KiB");
}

static void test_kv_sentence__methods_share_caches_or_keep_their_own(void **state)
{
    (void)state;
    struct ets_kv_caches caches = pair();
    caches.method_count = 2;
    caches.is_shared = true;
    expect(&caches,
           "2 of float32 [1, 32, 2, 16], 8.0 KiB for 32 tokens, 256 B a token; 2 methods "
           "share them");
    caches.is_shared = false;
    caches.bytes = 16384;
    expect(&caches,
           "2 of float32 [1, 32, 2, 16], 8.0 KiB for 32 tokens, 256 B a token; 2 methods "
           "keep caches of their own, 16.0 KiB together");
    caches.bytes = 12288;
    expect(&caches,
           "2 of float32 [1, 32, 2, 16], 8.0 KiB for 32 tokens, 256 B a token; 2 methods "
           "keep caches of their own, 12.0 KiB together, decode the most");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kv_sentence__counts_types_shapes_and_bytes),
        cmocka_unit_test(test_kv_sentence__windows_have_no_bytes_of_a_token),
        cmocka_unit_test(test_kv_sentence__methods_share_caches_or_keep_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
