/*
 * What comparing two tensors costs beside copying one: nanoseconds per element of contiguous
 * tensors that are larger than the caches. The target is half of memcpy's speed for float32.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "etscope/comparators.h"
#include "etscope/numerics.h"
#include "etscope/summary.h"

enum { COUNT = 1 << 24, ROUNDS = 7 };

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
    const struct ets_tolerance tolerance = {.relative = 1e-2, .absolute = 1e-2};
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

static void summarize(const struct pair *pair)
{
    struct ets_summary summary;
    if (ets_summary_of_tensor(&pair->other, 0, &summary) != ETS_OK) exit(1);
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

/* Numbers near to each other, as a program's outputs on two devices are. */
static struct pair make(enum ets_scalar_type type)
{
    const size_t bytes = ets_scalar_type_bytes((int)type);
    struct ets_tensor tensor = {.scalar_type = type, .rank = 1, .sizes = {COUNT}, .strides = {1}};
    tensor.data_bytes = COUNT * bytes;
    unsigned char *data[3];
    for (int k = 0; k < 3; k++) {
        data[k] = malloc(tensor.data_bytes);
        if (data[k] == NULL) exit(1);
        memset(data[k], k, tensor.data_bytes);
    }
    for (size_t i = 0; i < COUNT && type == ETS_SCALAR_FLOAT; i++) {
        const float number = (float)(i % 977) * 0.01f, near = number * 1.0001f;
        memcpy(data[0] + 4 * i, &number, 4);
        memcpy(data[1] + 4 * i, &near, 4);
    }
    struct pair pair = {tensor, tensor, data[2]};
    pair.reference.data = data[0];
    pair.other.data = data[1];
    return pair;
}

static void release(struct pair *pair)
{
    free((void *)(uintptr_t)pair->reference.data);
    free((void *)(uintptr_t)pair->other.data);
    free(pair->target);
}

int main(void)
{
    static const struct {
        const char *name;
        work *task;
        enum ets_scalar_type type;
    } lines[] = {
        {"compare float32", compare, ETS_SCALAR_FLOAT},
        {"compare float16", compare, ETS_SCALAR_HALF},
        {"compare int8", compare, ETS_SCALAR_CHAR},
        {"compare float64", compare, ETS_SCALAR_DOUBLE},
        {"close float32", check_closeness, ETS_SCALAR_FLOAT},
        {"ulps float32", count_ulps, ETS_SCALAR_FLOAT},
        {"summary float32", summarize, ETS_SCALAR_FLOAT},
    };
    printf("%-18s %12s %12s %8s\n", "", "ns/element", "memcpy", "speed");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        double copying;
        struct pair pair = make(lines[i].type);
        const double least = measure(lines[i].task, &pair, &copying);
        const bool is_target = i == 0;
        printf("%-18s %12.2f %12.2f %7.0f%%%s\n", lines[i].name, least / COUNT, copying / COUNT,
               100 * copying / least,
               !is_target               ? ""
               : copying / least >= 0.5 ? " (target 50%: met)"
                                        : " (target 50%: missed)");
        release(&pair);
    }
    return 0;
}
