/*
 * Takes any bytes as a program and hands out all values of its delegates that can be had: what is
 * made is a valid program, with those values behind the old ones.
 */
#include <stdlib.h>
#include <string.h>

#include "rewrite/taps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void make(struct ets_arena *arena, const struct ets_program *program, struct ets_taps *taps,
                 bool as_outputs)
{
    const struct ets_tap_options options = {.as_outputs = as_outputs};
    struct ets_rewritten rewritten;
    struct ets_program made;
    struct ets_error error = {.message = ""};
    if (ets_tapped_program(arena, program, taps, &options, &rewritten, &error) != ETS_OK) {
        if (error.message[0] == '\0') abort();
        return;
    }
    const uint8_t *bytes = ets_rewritten_join(&rewritten, arena);
    if (bytes == NULL) return;
    if (ets_program_init(&made, (struct ets_bytes){bytes, (size_t)rewritten.bytes}, NULL) !=
        ETS_OK) {
        abort();
    }
    if (made.method_count != program->method_count) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_program program;
    struct ets_payload_store store;
    struct ets_taps taps;
    struct ets_arena arena;
    if (ets_program_init(&program, (struct ets_bytes){data, size}, NULL) != ETS_OK) return 0;
    ets_arena_init(&arena, NULL, (size_t)1 << 28);
    ets_payload_store_init(&store, &arena, &program);
    if (ets_taps_find(&arena, &program, &store, &taps, NULL) == ETS_OK) {
        for (uint32_t i = 0; i < taps.count; i++) {
            taps.items[i].is_chosen =
                taps.items[i].state == ETS_TAP_POSSIBLE || taps.items[i].state == ETS_TAP_FUSED;
        }
        make(&arena, &program, &taps, false);
        make(&arena, &program, &taps, true);
    }
    ets_arena_reset(&arena);
    return 0;
}
