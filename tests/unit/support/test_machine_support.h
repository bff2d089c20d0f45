/* A machine made by hand, whose roofs are round numbers, and its file. */
#ifndef ETSCOPE_TESTS_MACHINE_SUPPORT_H
#define ETSCOPE_TESTS_MACHINE_SUPPORT_H

#include "cost/roof.h"
#include "test_faults_support.h"

#define KIB ((uint64_t)1024)
#define MIB ((uint64_t)1024 * 1024)

/*
 * 1 thread: 100 GFLOP/s, 200 GOP/s; 80 GB/s in L1 and 100 in L2, 40 in L3 (90 in place), 10 in
 * memory. 2 threads: 180 GFLOP/s, 15 GB/s in memory. A kernel takes 100 ns, a delegate call 400 ns.
 */
static const struct ets_roof made_roofs[] = {
    {ETS_ROOF_FLOAT32, 1, 3 * MIB, 1000000, 1e4, 50, 0.125},
    {ETS_ROOF_INT8, 1, 1 * MIB, 1000000, 5e3, 50, 0},
    {ETS_ROOF_ADD, 1, 24 * KIB, 80000, 1e3, 50, 0},
    {ETS_ROOF_ADD, 1, 96 * KIB, 100000, 1e3, 50, 0},
    {ETS_ROOF_COPY, 1, 96 * KIB, 90000, 1e3, 50, 0},
    {ETS_ROOF_ADD, 1, 6 * MIB, 40000, 1e3, 50, 0},
    {ETS_ROOF_ADD, 1, 12 * MIB, 20000, 1e3, 50, 0},
    {ETS_ROOF_ADD, 1, 96 * MIB, 10000, 1e3, 50, 0},
    {ETS_ROOF_IN_PLACE, 1, 6 * MIB, 90000, 1e3, 50, 0},
    {ETS_ROOF_KERNEL, 1, 0, 8, 800, 50, 0},
    {ETS_ROOF_DELEGATE, 1, 0, 8, 3200, 50, 0},
    {ETS_ROOF_FLOAT32, 2, 3 * MIB, 1800000, 1e4, 50, 0},
    {ETS_ROOF_ADD, 2, 96 * MIB, 15000, 1e3, 50, 0},
};

static const struct ets_machine made_machine = {
    .cpu = "Made \"One\"",
    .flags = "fpu avx2",
    .governor = "",
    .runtime = "1.5.1",
    .date = "2026-11-23T03:30:00Z",
    .cores = 4,
    .is_busy = true,
    .caches = {{32 * KIB, 1}, {1 * MIB, 2}, {8 * MIB, 4}},
    .roofs = made_roofs,
    .roof_count = sizeof made_roofs / sizeof *made_roofs,
};

#endif
