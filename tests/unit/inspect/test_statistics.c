/* Statistics digit for digit as NumPy computes them; the expectations are NumPy's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "etscope/inspect.h"
#include "inspect/time_details.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LONGEST = 1003 };

/* numpy.percentile, mean, sum over the numbers of fill(). */
static const struct {
    uint32_t count, kind;
    double min, max, mean, p10, p50, p90, total;
} cases[] = {
    {1, 0, 0x1.f4c276c8b4396p+11, 0x1.f4c276c8b4396p+11, 0x1.f4c276c8b4396p+11,
     0x1.f4c276c8b4396p+11, 0x1.f4c276c8b4396p+11, 0x1.f4c276c8b4396p+11, 0x1.f4c276c8b4396p+11},
    {1, 1, 0x1.6e36000000000p+21, 0x1.6e36000000000p+21, 0x1.6e36000000000p+21,
     0x1.6e36000000000p+21, 0x1.6e36000000000p+21, 0x1.6e36000000000p+21, 0x1.6e36000000000p+21},
    {2, 0, 0x1.fa72f1a9fbe77p+11, 0x1.1f87a1cac0831p+13, 0x1.9e245e353f7cfp+12,
     0x1.1d687381d7dbfp+12, 0x1.9e245e353f7cfp+12, 0x1.0f702474538efp+13, 0x1.9e245e353f7cfp+13},
    {2, 1, 0x1.6e36000000000p+21, 0x1.312d000000000p+23, 0x1.8cba800000000p+22,
     0x1.c3a9000000000p+21, 0x1.8cba800000000p+22, 0x1.1bd0400000000p+23, 0x1.8cba800000000p+23},
    {3, 0, 0x1.80811eb851eb8p+11, 0x1.0011b22d0e560p+12, 0x1.b593e76c8b439p+11,
     0x1.86d2560418937p+11, 0x1.a017333333333p+11, 0x1.ecedc0ebedfa4p+11, 0x1.482eed916872bp+13},
    {3, 1, 0x1.6e36000000000p+21, 0x1.ab3f000000000p+23, 0x1.ab3f000000000p+22,
     0x1.86a0000000000p+21, 0x1.e848000000000p+21, 0x1.6e36000000000p+23, 0x1.406f400000000p+24},
    {5, 0, 0x1.05c228f5c28f6p+12, 0x1.f91eb020c49bap+13, 0x1.4b742fec56d5dp+13,
     0x1.5b23eecbfb15cp+12, 0x1.7473c8b439581p+13, 0x1.d38e72b020c4ap+13, 0x1.9e513be76c8b4p+15},
    {5, 1, 0x0.0p+0, 0x1.e848000000000p+22, 0x1.312d000000000p+22, 0x1.86a0000000000p+20,
     0x1.6e36000000000p+22, 0x1.cfde000000000p+22, 0x1.7d78400000000p+24},
    {7, 0, 0x1.574b851eb851fp+9, 0x1.7b164fdf3b646p+13, 0x1.84bd851eb8520p+12,
     0x1.63444816f0069p+11, 0x1.84394bc6a7efap+12, 0x1.2f279e1b089a1p+13, 0x1.5425d47ae147cp+15},
    {7, 1, 0x0.0p+0, 0x1.ab3f000000000p+23, 0x1.b3f7249249249p+22, 0x0.0p+0, 0x1.e848000000000p+22,
     0x1.98ef800000000p+23, 0x1.7d78400000000p+25},
    {8, 0, 0x1.563fb645a1cacp+11, 0x1.ef3e4189374bcp+13, 0x1.0fb53a5e353f8p+13,
     0x1.e11580346dc5dp+11, 0x1.ff66147ae147bp+12, 0x1.a4710e5604188p+13, 0x1.0fb53a5e353f8p+16},
    {8, 1, 0x1.6e36000000000p+21, 0x1.ab3f000000000p+23, 0x1.0ed7f00000000p+23,
     0x1.c3a9000000000p+21, 0x1.21eac00000000p+23, 0x1.95e2400000000p+23, 0x1.0ed7f00000000p+26},
    {9, 0, 0x1.1123126e978d5p+12, 0x1.061e03126e979p+14, 0x1.4d5558f966a0bp+13,
     0x1.62aa1ff2e48e9p+12, 0x1.23f0a7ef9db23p+13, 0x1.04a6889a02753p+14, 0x1.770004189374cp+16},
    {9, 1, 0x0.0p+0, 0x1.ab3f000000000p+23, 0x1.160c8e38e38e4p+22, 0x0.0p+0, 0x1.e848000000000p+21,
     0x1.4997000000000p+23, 0x1.38ce200000000p+25},
    {10, 0, 0x1.33fdb22d0e560p+9, 0x1.f8237ef9db22dp+13, 0x1.0130dc5d63886p+13,
     0x1.cc38902de00d2p+10, 0x1.25790f5c28f5cp+13, 0x1.9e1892d77318fp+13, 0x1.417d1374bc6a8p+16},
    {10, 1, 0x1.e848000000000p+21, 0x1.c9c3800000000p+23, 0x1.18c3000000000p+23,
     0x1.e848000000000p+21, 0x1.312d000000000p+23, 0x1.5be67ffffffffp+23, 0x1.5ef3c00000000p+26},
    {127, 0, 0x1.3ada9fbe76c8bp+8, 0x1.0551000000000p+14, 0x1.167d15ea4b5f9p+13,
     0x1.ad17b4a2339c2p+10, 0x1.1c336872b020cp+13, 0x1.e1647bb2fec58p+13, 0x1.14501bbe76c8dp+20},
    {127, 1, 0x0.0p+0, 0x1.c9c3800000000p+23, 0x1.a0ac4e9d3a74fp+22, 0x1.e848000000000p+19,
     0x1.6e36000000000p+22, 0x1.ab3f000000000p+23, 0x1.9d6af60000000p+29},
    {128, 0, 0x1.2dba5e353f7cfp+4, 0x1.02313f7ced917p+14, 0x1.fe49c8fdf3b65p+12,
     0x1.9d78b923a29c7p+10, 0x1.d5dd7ae147ae1p+12, 0x1.e21182de00d1bp+13, 0x1.fe49c8fdf3b65p+19},
    {128, 1, 0x0.0p+0, 0x1.c9c3800000000p+23, 0x1.d6a3660000000p+22, 0x1.e848000000000p+19,
     0x1.c9c3800000000p+22, 0x1.ab3f000000000p+23, 0x1.d6a3660000000p+29},
    {129, 0, 0x1.a000000000000p+3, 0x1.04a2947ae147bp+14, 0x1.052de62b77e95p+13,
     0x1.0da3d3c361135p+10, 0x1.f3871eb851eb8p+12, 0x1.db1f075f6fd22p+13, 0x1.073841f7ced92p+20},
    {129, 1, 0x0.0p+0, 0x1.c9c3800000000p+23, 0x1.d92407f01fc08p+22, 0x1.b774000000003p+20,
     0x1.e848000000000p+22, 0x1.ab3f000000000p+23, 0x1.dcd6500000000p+29},
    {136, 0, 0x1.8251eb851eb85p+7, 0x1.04e7c6a7ef9dbp+14, 0x1.0d3427b1ef600p+13,
     0x1.b7da8f5c28f5cp+10, 0x1.17ffdf3b645a2p+13, 0x1.ccbf6b851eb85p+13, 0x1.1e076a2d0e560p+20},
    {136, 1, 0x0.0p+0, 0x1.c9c3800000000p+23, 0x1.c5469a5a5a5a6p+22, 0x1.e848000000000p+20,
     0x1.ab3f000000000p+22, 0x1.ab3f000000000p+23, 0x1.e19b040000000p+29},
    {255, 0, 0x1.8dfbe76c8b439p+5, 0x1.034050e560419p+14, 0x1.041fe83608faap+13,
     0x1.669d810624dd3p+10, 0x1.0f6172b020c4ap+13, 0x1.cf9e4bc6a7efap+13, 0x1.031bc84dd2f1ap+21},
    {255, 1, 0x0.0p+0, 0x1.c9c3800000000p+23, 0x1.dc8d8c8c8c8c9p+22, 0x1.e848000000000p+19,
     0x1.e848000000000p+22, 0x1.ab3f000000000p+23, 0x1.dab0ff0000000p+30},
    {256, 0, 0x1.f6c083126e979p+3, 0x1.05bd883126e98p+14, 0x1.04bf8aed91687p+13,
     0x1.2c5a04189374cp+10, 0x1.070d2c083126ep+13, 0x1.df7078d4fdf3cp+13, 0x1.04bf8aed91687p+21},
    {256, 1, 0x0.0p+0, 0x1.c9c3800000000p+23, 0x1.d0707c0000000p+22, 0x1.e848000000000p+19,
     0x1.e848000000000p+22, 0x1.ab3f000000000p+23, 0x1.d0707c0000000p+30},
    {257, 0, 0x1.ed2f1a9fbe76dp+1, 0x1.04e5af1a9fbe7p+14, 0x1.00a46746cdad3p+13,
     0x1.ce7b4d6a161e5p+10, 0x1.fd2fdb22d0e56p+12, 0x1.da355532617c2p+13, 0x1.01a50bae147aep+21},
    {257, 1, 0x0.0p+0, 0x1.c9c3800000000p+23, 0x1.cdeb758a758a7p+22, 0x1.e848000000000p+19,
     0x1.e848000000000p+22, 0x1.ab3f000000000p+23, 0x1.cfb9610000000p+30},
    {1000, 0, 0x1.174bc6a7ef9dbp+2, 0x1.0597147ae147bp+14, 0x1.0a24a55d1c3acp+13,
     0x1.b4505d6388659p+10, 0x1.08fc70a3d70a4p+13, 0x1.d7485fa43fe5dp+13, 0x1.03e7c97ced916p+23},
    {1000, 1, 0x0.0p+0, 0x1.c9c3800000000p+23, 0x1.cb1b400000000p+22, 0x1.e848000000000p+19,
     0x1.e848000000000p+22, 0x1.ab3f000000000p+23, 0x1.c0589c8000000p+32},
    {1003, 0, 0x1.5b95810624dd3p+4, 0x1.0620f3b645a1dp+14, 0x1.07bf6802d371bp+13,
     0x1.c557487fcb924p+10, 0x1.0709083126e98p+13, 0x1.db0d65fd8adadp+13, 0x1.0256bb20c49bap+23},
    {1003, 1, 0x0.0p+0, 0x1.c9c3800000000p+23, 0x1.ce8a64d14ac8ap+22, 0x1.e848000000000p+19,
     0x1.e848000000000p+22, 0x1.ab3f000000000p+23, 0x1.c50e0e4000000p+32},
};

/* Kind 0: 24 random bits in thousandths; kind 1: sixteen values, so that many are equal. */
static void fill(double *values, uint32_t count, uint32_t kind)
{
    uint32_t seed = count * 7 + kind;
    for (uint32_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        values[i] = kind == 0 ? (double)(seed >> 8) / 1000.0 : (double)(seed >> 28) * 1e6;
    }
}

static void assert_same(double value, double expected, uint32_t count)
{
    if (memcmp(&value, &expected, sizeof value) != 0) {
        fail_msg("%u values: %a is not %a", count, value, expected);
    }
}

static void test_statistics__are_numpys(void **state)
{
    (void)state;
    static double values[LONGEST];
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ets_statistics s;
        const uint32_t n = cases[i].count;
        fill(values, n, cases[i].kind);
        ets_statistics_compute(values, n, &s);
        assert_int_equal(s.count, n);
        assert_same(s.min, cases[i].min, n);
        assert_same(s.max, cases[i].max, n);
        assert_same(s.mean, cases[i].mean, n);
        assert_same(s.p10, cases[i].p10, n);
        assert_same(s.p50, cases[i].p50, n);
        assert_same(s.p90, cases[i].p90, n);
        assert_same(s.total, cases[i].total, n);
        for (uint32_t k = 1; k < n; k++) assert_true(values[k - 1] <= values[k]);
    }
}

static void test_statistics__nothing_is_no_number(void **state)
{
    (void)state;
    struct ets_statistics s;
    ets_statistics_compute(NULL, 0, &s);
    assert_int_equal(s.count, 0);
    assert_true(isnan(s.min) && isnan(s.max) && isnan(s.mean) && isnan(s.p10) && isnan(s.p50) &&
                isnan(s.p90) && isnan(s.total));
}

static void test_statistics__units_have_names_and_lengths(void **state)
{
    (void)state;
    static const char *const names[] = {"ns", "us", "ms", "s", "cycles"};
    static const double lengths[] = {1e9, 1e6, 1e3, 1, 1};
    for (int i = 0; i < 5; i++) {
        assert_string_equal(ets_time_unit_name((enum ets_time_unit)i), names[i]);
        assert_true(ets_time_unit_per_second((enum ets_time_unit)i) == lengths[i]);
    }
    assert_null(ets_time_unit_name((enum ets_time_unit)5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics__are_numpys),
        cmocka_unit_test(test_statistics__nothing_is_no_number),
        cmocka_unit_test(test_statistics__units_have_names_and_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
