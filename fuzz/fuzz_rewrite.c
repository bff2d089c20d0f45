/*
 * Takes any bytes as a program and makes it smaller, its memory plan and its file: what is made is
 * a valid program with the same methods and values, and never a larger one.
 */
#include <stdlib.h>

#include "rewrite/replanned_program.h"
#include "rewrite/trimmed_program.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct ets_program *program, struct ets_bytes bytes)
{
    struct ets_program made;
    if (ets_program_init(&made, bytes, NULL) != ETS_OK) abort();
    if (made.method_count != program->method_count) abort();
    for (uint32_t i = 0; i < made.method_count; i++) {
        struct ets_method was, is;
        ets_program_method(program, i, &was);
        ets_program_method(&made, i, &is);
        if (was.value_count != is.value_count || was.chain_count != is.chain_count) abort();
        if (was.input_count != is.input_count || was.output_count != is.output_count) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ets_program program;
    struct ets_arena arena;
    struct ets_replanned replanned;
    struct ets_trimmed trimmed;
    struct ets_error error = {.message = ""};
    if (ets_program_init(&program, (struct ets_bytes){data, size}, NULL) != ETS_OK) return 0;
    ets_arena_init(&arena, NULL, (size_t)1 << 28);
    if (ets_replanned_program(&arena, &program, ETS_REPLAN_ALL_METHODS, &replanned, &error) !=
        ETS_OK) {
        if (error.message[0] == '\0') abort();
    } else if (replanned.bytes.size > 0) {
        if (replanned.after >= replanned.before) abort();
        check(&program, replanned.bytes);
    }
    error.message[0] = '\0';
    if (ets_trimmed_program(&arena, &program, &trimmed, &error) != ETS_OK) {
        if (error.message[0] == '\0') abort();
    } else if (trimmed.bytes.size > 0) {
        if (trimmed.bytes.size >= size) abort();
        check(&program, trimmed.bytes);
    }
    ets_arena_reset(&arena);
    return 0;
}
