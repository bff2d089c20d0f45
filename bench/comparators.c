/*
 * What comparing two tensors costs beside copying one: nanoseconds per element of contiguous
 * tensors that are larger than the caches. A copy reads and writes a tensor, a comparison reads
 * two: the same number of bytes. The target is half of memcpy's speed.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "etscope/experimental/comparators.h"
#include "etscope/numerics.h"

enum { COUNT = 1 << 24, ROUNDS = 9 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

struct pair {
    struct ets_tensor reference, other;
    void *target; /* of memcpy */
};

typedef void work(const struct pair *pair);

static void copy(const struct pair *pair)
{
    memcpy(pair->target, pair->other.data, pair->other.data_bytes);
}

static void compare(const struct pair *pair)
{
    struct ets_comparison sums;
    if (ets_comparison_of(&pair->reference, &pair->other, &sums, NULL) != ETS_OK) exit(1);
}

static void check_closeness(const struct pair *pair)
{
    const struct ets_tolerance tolerance = {.relative = 0.02, .absolute = 1};
    struct ets_closeness closeness;
    if (ets_closeness_of(&pair->reference, &pair->other, &tolerance, &closeness, NULL) != ETS_OK) {
        exit(1);
    }
}

static void count_ulps(const struct pair *pair)
{
    struct ets_ulps ulps;
    if (ets_ulps_of(&pair->reference, &pair->other, &ulps, NULL) != ETS_OK) exit(1);
}

static void count_steps(const struct pair *pair)
{
    struct ets_steps steps;
    if (ets_steps_of(&pair->reference, &pair->other, 0.01, &steps, NULL) != ETS_OK) exit(1);
}

/* Of rows of 1,024 numbers. */
static void find_top(const struct pair *pair)
{
    struct ets_tensor sides[] = {pair->reference, pair->other};
    struct ets_top_k top;
    for (int k = 0; k < 2; k++) {
        sides[k].rank = 2;
        sides[k].sizes[0] = COUNT / 1024;
        sides[k].strides[0] = sides[k].sizes[1] = 1024;
        sides[k].strides[1] = 1;
    }
    if (ets_top_k_of(&sides[0], &sides[1], 5, &top, NULL) != ETS_OK) exit(1);
}

static void summarize(const struct pair *pair)
{
    struct ets_tensor_statistics summary;
    if (ets_tensor_statistics_of(&pair->other, 0, &summary) != ETS_OK) exit(1);
}

/* The least time of some rounds, which are taken in turn with copies. */
static double measure(work *task, const struct pair *pair, double *copy_out)
{
    double least = 1e300;
    *copy_out = 1e300;
    for (int i = 0; i < ROUNDS; i++) {
        const double start = now();
        copy(pair);
        const double middle = now();
        task(pair);
        const double end = now();
        if (middle - start < *copy_out) *copy_out = middle - start;
        if (end - middle < least) least = end - middle;
    }
    return least;
}

/* float16 and bfloat16 with a fraction cut off; for numbers from 2^-14 to 2^15. */
static unsigned short narrow(float number, bool is_half)
{
    unsigned bits;
    memcpy(&bits, &number, sizeof bits);
    if (number == 0 || !is_half) return (unsigned short)(bits >> 16);
    return (unsigned short)((bits >> 16 & 0x8000) | ((bits >> 13 & 0x3ffff) - (112 << 10)));
}

static void put(unsigned char *at, enum ets_scalar_type type, double number)
{
    const float single = (float)number;
    const long long whole = (long long)number;
    const unsigned short bits = narrow(single, type == ETS_SCALAR_HALF);
    switch (type) {
    case ETS_SCALAR_DOUBLE: memcpy(at, &number, 8); break;
    case ETS_SCALAR_FLOAT: memcpy(at, &single, 4); break;
    case ETS_SCALAR_HALF:
    case ETS_SCALAR_BFLOAT16: memcpy(at, &bits, 2); break;
    default: memcpy(at, &whole, ets_scalar_type_bytes((int)type)); break; /* little-endian */
    }
}

/*
 * Numbers near to each other, as a program's outputs on two devices are: floats all differ a bit,
 * of integers every tenth is off by one.
 */
static struct pair make(enum ets_scalar_type type, bool is_equal)
{
    const size_t bytes = ets_scalar_type_bytes((int)type);
    struct ets_tensor tensor = {.scalar_type = type, .rank = 1, .sizes = {COUNT}, .strides = {1}};
    tensor.data_bytes = COUNT * bytes;
    unsigned char *data[3];
    for (int k = 0; k < 3; k++) {
        data[k] = malloc(tensor.data_bytes);
        if (data[k] == NULL) exit(1);
        memset(data[k], 0, tensor.data_bytes);
    }
    const bool is_float = type == ETS_SCALAR_DOUBLE || type == ETS_SCALAR_FLOAT ||
                          type == ETS_SCALAR_HALF || type == ETS_SCALAR_BFLOAT16;
    for (size_t i = 0; i < COUNT; i++) {
        const double number = is_float                  ? (double)(i * 7919 % 977 + 1) * 0.01
                              : type == ETS_SCALAR_BOOL ? (double)(i % 2)
                                                        : (double)(i % 120);
        const double near = is_equal   ? number
                            : is_float ? number * (1 + (double)(i * 31 % 7907) * 1e-6)
                                       : (double)((long long)number ^ (i % 10 == 3));
        put(data[0] + bytes * i, type, number);
        put(data[1] + bytes * i, type, near);
    }
    struct pair pair = {tensor, tensor, data[2]};
    pair.reference.data = data[0];
    pair.other.data = data[1];
    return pair;
}

/* As 64 planes of 512 x 512 pixels; with channels as neighbours, walked plane by plane. */
static void shape(struct ets_tensor *tensor, bool has_channels_last)
{
    const int64_t sizes[] = {64, 512, 512}, strides[] = {1, 512 * 64, 64};
    tensor->rank = 3;
    memcpy(tensor->sizes, sizes, sizeof sizes);
    if (has_channels_last) memcpy(tensor->strides, strides, sizeof strides);
    else ets_tensor_set_contiguous(tensor);
}

static void release(struct pair *pair)
{
    free((void *)(uintptr_t)pair->reference.data);
    free((void *)(uintptr_t)pair->other.data);
    free(pair->target);
}

struct line {
    const char *name;
    work *task;
    enum ets_scalar_type type;
    bool is_equal, is_turned; /* channels are neighbours */
    bool is_half_turned;      /* only the other tensor's */
};

static const struct line lines[] = {
    {"compare float64", compare, ETS_SCALAR_DOUBLE, false, false, false},
    {"compare float32", compare, ETS_SCALAR_FLOAT, false, false, false},
    {"compare float16", compare, ETS_SCALAR_HALF, false, false, false},
    {"compare bfloat16", compare, ETS_SCALAR_BFLOAT16, false, false, false},
    {"compare int64", compare, ETS_SCALAR_LONG, false, false, false},
    {"compare int32", compare, ETS_SCALAR_INT, false, false, false},
    {"compare int16", compare, ETS_SCALAR_SHORT, false, false, false},
    {"compare int8", compare, ETS_SCALAR_CHAR, false, false, false},
    {"compare int8, equal", compare, ETS_SCALAR_CHAR, true, false, false},
    {"compare uint8", compare, ETS_SCALAR_BYTE, false, false, false},
    {"compare bool", compare, ETS_SCALAR_BOOL, false, false, false},
    {"compare bool, equal", compare, ETS_SCALAR_BOOL, true, false, false},
    {"compare float32, channels last", compare, ETS_SCALAR_FLOAT, false, true, false},
    {"compare float32, two layouts", compare, ETS_SCALAR_FLOAT, false, false, true},
    {"close float64", check_closeness, ETS_SCALAR_DOUBLE, false, false, false},
    {"close float32", check_closeness, ETS_SCALAR_FLOAT, false, false, false},
    {"close float16", check_closeness, ETS_SCALAR_HALF, false, false, false},
    {"close bfloat16", check_closeness, ETS_SCALAR_BFLOAT16, false, false, false},
    {"close int32", check_closeness, ETS_SCALAR_INT, false, false, false},
    {"close int8", check_closeness, ETS_SCALAR_CHAR, false, false, false},
    {"close float32, channels last", check_closeness, ETS_SCALAR_FLOAT, false, true, false},
    {"ulps float64", count_ulps, ETS_SCALAR_DOUBLE, false, false, false},
    {"ulps float32", count_ulps, ETS_SCALAR_FLOAT, false, false, false},
    {"ulps float16", count_ulps, ETS_SCALAR_HALF, false, false, false},
    {"ulps bfloat16", count_ulps, ETS_SCALAR_BFLOAT16, false, false, false},
    {"steps float32", count_steps, ETS_SCALAR_FLOAT, false, false, false},
    {"top 5 float32", find_top, ETS_SCALAR_FLOAT, false, false, false},
    {"summary float32", summarize, ETS_SCALAR_FLOAT, false, false, false},
};

/* The lines whose names hold the argument; without one all of them. */
int main(int argc, char **argv)
{
    printf("%-30s %12s %12s %8s\n", "", "ns/element", "memcpy", "speed");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        double copying;
        if (argc > 1 && strstr(lines[i].name, argv[1]) == NULL) continue;
        struct pair pair = make(lines[i].type, lines[i].is_equal);
        const struct line *line = &lines[i];
        if (line->is_turned || line->is_half_turned) {
            shape(&pair.reference, line->is_turned);
            shape(&pair.other, true);
        }

        const double least = measure(lines[i].task, &pair, &copying);
        printf("%-30s %12.2f %12.2f %7.0f%%\n", lines[i].name, least / COUNT, copying / COUNT,
               100 * copying / least);
        release(&pair);
    }
    return 0;
}
