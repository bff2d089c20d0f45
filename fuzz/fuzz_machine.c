/* Reads any bytes as a measured machine; what is read can be asked for any roof. */
#include <stdint.h>
#include <stdlib.h>

#include "cost/roof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int condition)
{
    if (!condition) abort();
}

static void ask(const struct ets_machine *machine, uint32_t threads)
{
    for (uint64_t bytes = 1; bytes != 0; bytes <<= 9) {
        check(!(ets_machine_bandwidth(machine, bytes, threads, true) <= 0));
    }
    for (enum ets_roof_program p = 0; p < ETS_ROOF_PROGRAMS; p++) {
        check(!(ets_machine_compute(machine, p, threads) <= 0));
        check(!(ets_machine_call_ns(machine, p, threads) <= 0));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_arena arena;
    struct ets_machine machine;
    struct ets_error error;
    ets_arena_init(&arena, NULL, 0);
    if (ets_machine_read((struct ets_bytes){data, size}, &arena, &machine, &error) == ETS_OK) {
        check(machine.roof_count < 100000);
        ask(&machine, 1);
        ask(&machine, ets_machine_most_threads(&machine));
    } else {
        check(error.message[0] != '\0');
        check(error.offset == ETS_NO_OFFSET || error.offset <= size);
    }
    ets_arena_reset(&arena);
    return 0;
}
