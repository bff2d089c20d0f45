/* When runs may stop: how often the stated interval holds, and what cannot be sure. */
#include "test_inspect_support.h"

#include <math.h>

#include "inspect/accounting/stopping.h"

enum { MOST = 3000, SEEDS = 100, RECORDED = 400, PIECE = 25 };

/* Times of consecutive runs in ns, by etscope's tracer on a busy x86-64 machine with 2 cores. */
static const int32_t gpt_xnnpack[RECORDED] = {
    134491,  112267, 116133, 109734, 109854, 109683, 109954, 110595,   110205,  109974, 109593,
    109713,  111226, 111116, 110725, 110645, 110325, 111006, 110485,   792852,  743809, 752712,
    747394,  744831, 502830, 112928, 111867, 111496, 111206, 110885,   110895,  116313, 110775,
    113128,  110945, 111346, 111196, 110494, 110975, 110034, 110866,   110104,  110525, 111697,
    111206,  113799, 111526, 111726, 111917, 110845, 978449, 752883,   747335,  770740, 538042,
    112537,  129012, 115042, 110555, 115222, 110505, 110415, 110285,   110275,  111426, 833974,
    725512,  113559, 110966, 112468, 110455, 110896, 111106, 111085,   111426,  112007, 112127,
    112187,  111876, 111286, 111216, 112868, 111326, 111426, 112608,   112067,  112758, 112138,
    369040,  747635, 784400, 754305, 529690, 113600, 110465, 109754,   109443,  110135, 109443,
    109964,  109664, 800454, 531132, 111236, 130775, 113730, 110795,   110425,  110545, 110134,
    110715,  113890, 110705, 111326, 110875, 110665, 110435, 117345,   110745,  111396, 110575,
    110766,  110365, 109894, 110084, 110034, 267138, 746053, 734836,   737329,  833703, 267238,
    111586,  110064, 110075, 110174, 430071, 501828, 110745, 109844,   110555,  110425, 110195,
    111136,  110565, 115762, 110925, 111206, 110996, 110385, 110865,   110224,  109984, 109483,
    129333,  112027, 109784, 110435, 109924, 110835, 110726, 1876208,  804810,  756848, 754756,
    1825563, 223883, 113780, 111817, 111035, 111346, 111927, 111766,   111947,  117866, 111736,
    113299,  111647, 112308, 112157, 111837, 110926, 111146, 112047,   111426,  111547, 111727,
    8300541, 158907, 120489, 124245, 118286, 112477, 116834, 112738,   112318,  111867, 112317,
    112938,  111477, 113119, 111727, 112058, 112458, 112598, 112948,   113218,  113089, 113149,
    113299,  113509, 112638, 114601, 112558, 113589, 112698, 113019,   113239,  112878, 114071,
    482870,  128722, 112738, 112558, 113990, 112628, 111917, 111596,   111906,  112057, 112277,
    111766,  112457, 112007, 119439, 112007, 114600, 112418, 113109,   112228,  112578, 112367,
    112297,  112277, 112248, 112098, 112308, 111887, 117175, 111776,   111907,  111166, 9240172,
    172647,  120460, 112998, 111977, 112768, 112458, 111326, 2117599,  139979,  113519, 111707,
    110866,  110125, 110875, 109924, 115282, 110274, 110074, 110415,   109834,  109853, 110615,
    110605,  110735, 110806, 110615, 110084, 110395, 110265, 109584,   109974,  110485, 7833914,
    177475,  122102, 114231, 112498, 112338, 112638, 112428, 113619,   112388,  114481, 1986603,
    142212,  105477, 102112, 105688, 100881, 101592, 100620, 100279,   101140,  100680, 102083,
    100160,  99999,  100970, 101291, 101622, 101151, 101422, 101511,   2139871, 154631, 107781,
    106128,  103755, 103004, 103775, 103365, 102813, 108161, 10313252, 161871,  114091, 110475,
    111146,  112618, 109864, 109464, 110295, 110104, 110034, 109603,   109693,  109263, 109824,
    109874,  110144, 111567, 109303, 108972, 108692, 108212, 108672,   109693,  377713, 122403,
    109674,  109393, 109123, 110485, 108892, 109633, 108742, 108993,   108452,  109464, 109403,
    108482,  109253, 109733, 109413, 111016, 114702, 110705, 109693,   110164,  109924, 109924,
    109884,  109563, 109923, 110244, 109253, 115492, 108783, 109093,   108803,  109664, 5233796,
    169643,  114020, 111115, 125066, 104106, 101131, 100931, 100260,   101171,  100650, 100940,
    100910,  100410, 100640, 100710,
};
static const int32_t mlp_portable[RECORDED] = {
    7061, 4377, 4126, 4206, 4126, 4216, 4157,  4056, 4096, 6019,  4136, 4186, 4126, 4176, 4226,
    4116, 4146, 4066, 4056, 4076, 4086, 4236,  4036, 4136, 4136,  4136, 4136, 4096, 4136, 4177,
    4046, 4207, 5899, 4076, 4076, 4126, 4287,  4206, 4186, 4016,  4276, 4086, 4176, 5999, 4316,
    4167, 4066, 4186, 4046, 4056, 4156, 4126,  4077, 4116, 4157,  5859, 4236, 4036, 4226, 4036,
    4136, 4046, 3996, 4066, 4056, 4076, 5769,  4196, 4106, 4106,  4107, 4036, 4207, 4076, 4056,
    4236, 4126, 5738, 4216, 4156, 4156, 3996,  4076, 4046, 4167,  4036, 4076, 4126, 4026, 5779,
    4076, 4146, 4086, 4086, 4136, 4146, 4046,  4167, 3926, 4076,  5809, 4166, 4076, 4117, 4096,
    4086, 4076, 4116, 4136, 4056, 4107, 4006,  4467, 4137, 4156,  4227, 4076, 4247, 4036, 4097,
    4206, 4077, 4086, 5799, 4147, 4166, 4237,  4166, 4046, 4146,  4087, 4066, 4056, 4176, 10436,
    4136, 4206, 4116, 4126, 4086, 4167, 4106,  4137, 4136, 4197,  4046, 5799, 4126, 4206, 4267,
    4066, 4216, 4176, 4196, 4166, 4236, 4107,  5849, 4106, 4236,  4087, 4096, 4046, 4116, 4116,
    4036, 3996, 4186, 4086, 4176, 4126, 4166,  4026, 4127, 4076,  4116, 4186, 4056, 4076, 4116,
    5928, 4086, 4086, 4126, 4106, 4136, 4116,  4077, 4126, 4026,  4036, 5809, 4096, 4127, 4196,
    4147, 4116, 4097, 4046, 4056, 4086, 4086,  4157, 4147, 4106,  4187, 4136, 4117, 4056, 4136,
    4116, 4076, 4096, 4106, 5638, 4086, 4216,  4016, 3986, 4126,  4117, 3906, 4016, 4056, 4176,
    5619, 4216, 4286, 4086, 4076, 4106, 4026,  4116, 4237, 4076,  4277, 4086, 5719, 4097, 4056,
    4287, 4236, 4026, 4106, 4086, 4236, 4227,  4016, 5829, 4096,  4096, 4096, 4196, 4136, 4206,
    3996, 4076, 4246, 4106, 4126, 4116, 4267,  4116, 4096, 4046,  4046, 4016, 4046, 4197, 4056,
    4106, 5758, 4116, 4126, 4096, 4076, 4056,  4086, 4196, 4126,  4026, 4056, 5758, 4266, 4086,
    4166, 4046, 4166, 4066, 4076, 4076, 4126,  4146, 4066, 4157,  4046, 4006, 4066, 4016, 4156,
    4086, 4166, 4106, 4056, 4126, 6009, 39459, 4387, 4086, 3995,  4066, 4026, 3996, 4026, 4056,
    4116, 7541, 4226, 4086, 4056, 4016, 4076,  3996, 4056, 4036,  4026, 4076, 4116, 6019, 4026,
    4086, 4116, 4056, 4116, 4117, 3926, 4176,  4076, 4076, 10045, 4116, 4026, 4016, 4066, 4056,
    3996, 4076, 4136, 4036, 4217, 4106, 4447,  4166, 4096, 4156,  4006, 4096, 4126, 4216, 4066,
    4016, 4196, 5959, 4076, 4167, 4156, 4076,  4036, 3986, 4077,  4036, 4046, 4136, 6139, 4076,
    4046, 4136, 4056, 4036, 4016, 4036, 3986,  4126, 4036, 4016,  4176, 4206, 4226, 4147, 4006,
    4036, 4056, 4056, 4086, 4036, 4136, 5819,  4177, 4006, 4016,
};

static uint64_t seed;
static double kept; /* of a sequence, between its values */

/* SplitMix64. */
static double uniform(void)
{
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    const double radius = sqrt(-2 * log(uniform()));
    return radius * cos(6.283185307179586 * uniform());
}

static double correlated(uint32_t run, double part)
{
    kept = run == 0 ? normal() : part * kept + sqrt(1 - part * part) * normal();
    return 1e6 * (1 + 0.02 * kept);
}

static double steady(uint32_t run)
{
    (void)run;
    return 1e6 * (1 + 0.02 * normal());
}

static double half_alike(uint32_t run)
{
    return correlated(run, 0.5);
}

static double much_alike(uint32_t run)
{
    return correlated(run, 0.9);
}

/* 3 of 4 runs are fast. */
static double bimodal(uint32_t run)
{
    (void)run;
    return 1e6 * (uniform() < 0.75 ? 1 : 1.3) * (1 + 0.005 * normal());
}

/* A tail without a variance. */
static double heavy_tailed(uint32_t run)
{
    (void)run;
    return 1e6 * (1 + 0.02 * pow(uniform(), -1 / 1.5));
}

/* A clock in whole microseconds: 1000 to 1004. */
static double coarse(uint32_t run)
{
    (void)run;
    return 1000 + floor(5 * uniform());
}

static double slow_start(uint32_t run)
{
    return 1e6 * (1 + 0.01 * normal() + 0.5 * exp(-(double)run / 10));
}

/* Recorded times: pieces of consecutive runs, drawn at random, so that the median is known. */
static double recorded(uint32_t run, const int32_t *times)
{
    if (run % PIECE == 0) kept = floor(uniform() * RECORDED);
    return times[((uint32_t)kept + run % PIECE) % RECORDED];
}

static double recorded_gpt(uint32_t run)
{
    return recorded(run, gpt_xnnpack);
}

static double recorded_mlp(uint32_t run)
{
    return recorded(run, mlp_portable);
}

static double median_of(const int32_t *times)
{
    double sorted[RECORDED];
    struct ets_statistics s;
    for (uint32_t i = 0; i < RECORDED; i++) sorted[i] = times[i];
    ets_statistics_compute(sorted, RECORDED, &s);
    return s.p50;
}

/* As a measurement does: looks until it is sure, or out of runs. */
static struct ets_certainty measure(double (*next)(uint32_t), uint64_t number, double width,
                                    uint32_t *count_out)
{
    static double times[MOST];
    struct ets_certainty c = {.state = ETS_CERTAINTY_TOO_FEW};
    uint32_t count = 0;
    seed = 1000003 * number;
    while (count < MOST && c.state != ETS_CERTAINTY_SURE) {
        const uint32_t look = ets_stopping_next_look(count);
        for (; count < look && count < MOST; count++) times[count] = next(count);
        assert_int_equal(ets_stopping_look(times, count, width, NULL, &c, NULL), ETS_OK);
    }
    *count_out = count;
    return c;
}

static void test_stopping__stated_interval_holds(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double (*next)(uint32_t);
        double median, width;
        uint32_t least_sure;
    } cases[] = {
        {"steady", steady, 1e6, 0.01, 95},
        {"half alike", half_alike, 1e6, 0.02, 95},
        {"much alike", much_alike, 1e6, 0.03, 90},
        {"bimodal", bimodal, 1e6 * (1 + 0.005 * 0.4307), 0.01, 95}, /* 2/3 of the fast ones */
        {"heavy tail", heavy_tailed, 1e6 * (1 + 0.02 * pow(0.5, -1 / 1.5)), 0.01, 95},
        {"coarse clock", coarse, 1002, 0.003, 95},
        {"slow start", slow_start, 1e6, 0.01, 90},
        {"recorded gpt", recorded_gpt, median_of(gpt_xnnpack), 0.05, 90},
        {"recorded mlp", recorded_mlp, median_of(mlp_portable), 0.02, 90},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t sure = 0, wrong = 0, total = 0;
        for (uint64_t number = 1; number <= SEEDS; number++) {
            uint32_t count;
            const struct ets_certainty c = measure(cases[i].next, number, cases[i].width, &count);
            if (c.state != ETS_CERTAINTY_SURE) continue;
            assert_true(c.width <= cases[i].width);
            assert_true(c.low <= c.median && c.median <= c.high);
            sure++;
            total += count;
            wrong += cases[i].median < c.low || cases[i].median > c.high;
        }
        print_message("%s: sure %u of %d, wrong %u, %u runs each\n", cases[i].name, sure, SEEDS,
                      wrong, sure > 0 ? total / sure : 0);
        assert_true(wrong <= SEEDS * 7 / 100);
        assert_true(sure >= cases[i].least_sure);
    }
}

static double drifting(uint32_t run)
{
    return steady(run) * (1 + 0.0005 * run);
}

static double two_halves(uint32_t run)
{
    (void)run;
    return 1e6 * (uniform() < 0.5 ? 1 : 1.3) * (1 + 0.005 * normal());
}

static void test_stopping__what_has_no_median_is_not_sure(void **state)
{
    (void)state;
    uint32_t drifts = 0, wide = 0, count;
    for (uint64_t number = 1; number <= SEEDS; number++) {
        const struct ets_certainty c = measure(drifting, number, 0.01, &count);
        drifts += c.state == ETS_CERTAINTY_DRIFTING && c.drift > 0;
        wide += measure(two_halves, number, 0.1, &count).state == ETS_CERTAINTY_WIDE;
    }
    print_message("drifts %u, wide %u\n", drifts, wide);
    assert_true(drifts >= 93 && wide >= 93);
}

/* A walk has no time to forget, however long it is. */
static void test_stopping__a_random_walk_is_not_sure(void **state)
{
    (void)state;
    double times[500];
    for (uint64_t number = 1; number <= SEEDS; number++) {
        struct ets_certainty c;
        seed = number;
        double at = 1e6;
        for (uint32_t i = 0; i < COUNT(times); i++) times[i] = at += 2000 * normal();
        assert_int_equal(ets_stopping_look(times, COUNT(times), 0.01, NULL, &c, NULL), ETS_OK);
        assert_int_not_equal(c.state, ETS_CERTAINTY_SURE);
    }
}

static void test_stopping__looks_grow_by_half_and_share_the_error(void **state)
{
    (void)state;
    static const uint32_t looks[] = {50, 75, 112, 168, 252};
    uint32_t at = 0;
    for (size_t i = 0; i < COUNT(looks); i++) {
        at = ets_stopping_next_look(at);
        assert_int_equal(at, looks[i]);
        assert_int_equal(ets_stopping_next_look(at - 1), at);
    }
    double times[252], last_width = 0;
    seed = 5;
    for (uint32_t i = 0; i < 50; i++) times[i] = steady(i);
    struct ets_certainty c;
    for (uint32_t copies = 0, count = 50; copies < 2; copies++, count++) {
        times[50] = times[0];
        assert_int_equal(ets_stopping_look(times, count, 0.01, NULL, &c, NULL), ETS_OK);
        assert_int_equal(c.looks, copies + 1); /* 51 runs belong to the second look */
        assert_true(c.width >= last_width);    /* which may err less */
        last_width = c.width;
    }
    assert_true(ets_stopping_next_look(UINT32_MAX - 1) > UINT32_MAX / 3); /* it ends */
}

static void test_stopping__few_and_equal_runs(void **state)
{
    (void)state;
    double times[100];
    struct ets_certainty c;
    for (uint32_t i = 0; i < COUNT(times); i++) times[i] = 0;
    for (uint32_t count = 0; count < 50; count++) {
        assert_int_equal(ets_stopping_look(times, count, 9, NULL, &c, NULL), ETS_OK);
        assert_true(c.state == ETS_CERTAINTY_TOO_FEW && isnan(c.width) && isnan(c.median));
    }
    for (uint32_t i = 0; i < COUNT(times); i++) times[i] = 1000;
    assert_int_equal(ets_stopping_look(times, 75, 0.01, NULL, &c, NULL), ETS_OK);
    assert_true(c.state == ETS_CERTAINTY_SURE && c.width == 0 && c.median == 1000);
    for (uint32_t i = 0; i < COUNT(times); i++) times[i] = 0; /* of a clock that stands still */
    assert_int_equal(ets_stopping_look(times, 75, 0.01, NULL, &c, NULL), ETS_OK);
    assert_true(c.state == ETS_CERTAINTY_SURE && c.width == 0 && c.median == 0);
}

static void test_stopping__every_failed_allocation_is_told(void **state)
{
    (void)state;
    double times[75];
    seed = 1;
    for (uint32_t i = 0; i < COUNT(times); i++) times[i] = steady(i);
    unsigned long n = 0;
    for (int succeeded = 0; !succeeded; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.status = ETS_OK};
        struct ets_certainty c;
        const enum ets_status status =
            ets_stopping_look(times, COUNT(times), 0.01, &allocator, &c, &error);
        succeeded = status == ETS_OK;
        if (!succeeded) assert_true(status == ETS_NO_MEMORY && error.status == ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
        assert_true(n < 100);
    }
    assert_true(n > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopping__stated_interval_holds),
        cmocka_unit_test(test_stopping__what_has_no_median_is_not_sure),
        cmocka_unit_test(test_stopping__a_random_walk_is_not_sure),
        cmocka_unit_test(test_stopping__looks_grow_by_half_and_share_the_error),
        cmocka_unit_test(test_stopping__few_and_equal_runs),
        cmocka_unit_test(test_stopping__every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
