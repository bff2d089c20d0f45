/* SipHash-2-4 beside the vectors of its authors: key 00 01 ... 0f, input 00 01 ... of each size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/siphash.h"

static void test_siphash__published_vectors(void **state)
{
    static const struct {
        size_t size;
        uint64_t hash;
    } vectors[] = {
        {0, UINT64_C(0x726fdb47dd0e0e31)},  {1, UINT64_C(0x74f839c593dc67fd)},
        {2, UINT64_C(0x0d6c8009d9a94f5a)},  {3, UINT64_C(0x85676696d7fb7e2d)},
        {8, UINT64_C(0x93f5f5799a932462)},  {15, UINT64_C(0xa129ca6149be45e5)},
        {63, UINT64_C(0x958a324ceb064572)},
    };
    uint8_t key[ETS_SIPHASH_KEY_BYTES], data[64];
    (void)state;
    for (uint8_t i = 0; i < sizeof key; i++) key[i] = i;
    for (uint8_t i = 0; i < sizeof data; i++) data[i] = i;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        assert_int_equal(ets_siphash(key, data, vectors[i].size), vectors[i].hash);
}

/* Every bit of the key and of the input changes the hash. */
static void test_siphash__every_bit_counts(void **state)
{
    uint8_t key[ETS_SIPHASH_KEY_BYTES] = {0}, data[11] = {0};
    const uint64_t plain = ets_siphash(key, data, sizeof data);
    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof key; bit++) {
        key[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(ets_siphash(key, data, sizeof data) != plain);
        key[bit / 8] = 0;
    }
    for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(ets_siphash(key, data, sizeof data) != plain);
        data[bit / 8] = 0;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_siphash__published_vectors),
        cmocka_unit_test(test_siphash__every_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
