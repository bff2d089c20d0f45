/*
 * bundle_writer.h - writing a bundled program (.bpte): a program with inputs and expected outputs.
 *
 *     const float numbers[] = {1, 2, 3, 4};
 *     struct ets_value input = {.kind = ETS_VALUE_TENSOR,
 *                               .as.tensor = {.scalar_type = ETS_SCALAR_FLOAT, .rank = 2,
 *                                             .sizes = {1, 4}, .data = numbers,
 *                                             .data_bytes = sizeof numbers}};
 *     ets_tensor_set_contiguous(&input.as.tensor);
 *     const struct ets_new_case test_case = {.inputs = &input, .input_count = 1};
 *     const struct ets_new_suite suite = {"forward", &test_case, 1};
 *     const struct ets_new_bundle bundle = {ets_file_bytes(program_file), &suite, 1};
 *     const struct ets_bundle_sink sink = {output, write_to_output};
 *     if (ets_new_bundle_check(&bundle, &program, &error) == ETS_OK &&
 *         ets_bundle_write(&bundle, &sink, &error) == ETS_OK) { ... }
 *
 * The file is written front to back without seeking or memory of its own (about 1 kB of stack), in
 * pieces of at most ETS_BUNDLE_PIECE bytes: a program of any size goes from a mapped file to the
 * sink. Nothing keeps state; what is given is borrowed for the call. Layout: ExecuTorch
 * devtools/bundled_program/schema/bundled_program_schema.fbs, identifier BP08, version 2; the
 * program lies at a multiple of 128, tensor data at multiples of 16, everything else behind it.
 */
#ifndef ETSCOPE_BUNDLE_WRITER_H
#define ETSCOPE_BUNDLE_WRITER_H

#include "etscope/bytes.h"
#include "etscope/program.h"
#include "etscope/status.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Offsets of a FlatBuffer have 31 bits. */
#define ETS_BUNDLE_MAX_BYTES INT32_MAX

/* The most that a sink is given at once. */
#define ETS_BUNDLE_PIECE ((size_t)1 << 20)

/*
 * Inputs and outputs: TENSOR, INT, BOOL, DOUBLE, or NONE. A tensor without gaps keeps the order in
 * which its dimensions lie (dim_order); others are written row by row.
 */
struct ets_new_case {
    const struct ets_value *inputs;
    uint32_t input_count;
    const struct ets_value *expected;
    uint32_t expected_count; /* 0: the case has inputs alone */
};

struct ets_new_suite {
    const char *method;
    const struct ets_new_case *cases;
    uint32_t case_count;
};

struct ets_new_bundle {
    struct ets_bytes program; /* a whole .pte */
    const struct ets_new_suite *suites;
    uint32_t suite_count; /* sorted by the methods' names (strcmp), each once */
};

/* Takes the file piece by piece, in order; `write` returns 0, or another number to end it. */
struct ets_bundle_sink {
    void *context;
    int (*write)(void *context, const void *data, size_t size);
};

/*
 * Whether the cases are of the program `program`, which was read from bundle->program: methods
 * exist; as many inputs, of the kinds, types and shapes that the method takes (of dynamic shapes,
 * at most the upper bound); plain numbers are those that the program was exported with; where there
 * are expected outputs, as many and of the types that the method gives. Statuses: MISMATCH, with
 * what is expected and what was given; otherwise those of ets_bundle_write.
 */
ETS_API enum ets_status ets_new_bundle_check(const struct ets_new_bundle *bundle,
                                             const struct ets_program *program,
                                             struct ets_error *error);

/*
 * The size of the file. Statuses: INVALID_ARGUMENT (suites out of order or twice, no program, a
 * tensor that reaches past its bytes), UNSUPPORTED (a value of kind OTHER, no scalar type), LIMIT
 * (over ETS_BUNDLE_MAX_BYTES).
 */
ETS_API enum ets_status ets_bundle_write_size(const struct ets_new_bundle *bundle,
                                              size_t *bytes_out, struct ets_error *error);

/*
 * Writes the file; nothing unless the whole of it can be. Statuses: as above, IO (the sink refused;
 * error->offset: what it had taken before).
 */
ETS_API enum ets_status ets_bundle_write(const struct ets_new_bundle *bundle,
                                         const struct ets_bundle_sink *sink,
                                         struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif
