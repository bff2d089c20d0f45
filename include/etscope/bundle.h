/*
 * bundle.h - reads and writes bundled programs (.bpte): a program with test inputs and the expected
 * outputs.
 *
 *     struct ets_bundle bundle;
 *     struct ets_bundle_suite suite;
 *     struct ets_bundle_case test_case;
 *     struct ets_value input;
 *     if (ets_bundle_init(&bundle, ets_file_bytes(file), &error) == ETS_OK &&
 *         ets_bundle_find_suite(&bundle, "forward", &suite, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < suite.case_count; i++) {
 *             ets_bundle_case(&suite, i, &test_case);
 *             for (uint32_t j = 0; j < test_case.input_count; j++) {
 *                 ets_bundle_input(&test_case, j, &input);
 *             }
 *         }
 *     }
 *
 * These are views over the caller's bytes: nothing is allocated or copied, and any number of
 * threads may read. ets_bundle_init verifies everything once, except the program inside. The other
 * functions cannot fail, provided that each `index` is below its count. A suite or case points to
 * the bundle, which must live as long. Schema: ExecuTorch
 * devtools/bundled_program/schema/bundled_program_schema.fbs, identifier BP08.
 */
#ifndef ETSCOPE_BUNDLE_H
#define ETSCOPE_BUNDLE_H

#include "etscope/base.h"
#include "etscope/program.h"
#include "etscope/tensor.h"

ETS_DECLARATIONS_BEGIN

struct ets_bundle {
    struct ets_bytes bytes;   /* the whole file */
    struct ets_bytes program; /* a whole .pte, for ets_program_init; offsets are relative to it */
    uint64_t program_offset;  /* of the program in the file */
    uint32_t version;         /* 2 today; neither the runtime nor this reader checks it */
    uint32_t suite_count;
    size_t root_at; /* inner */
};

/* The test cases of one method. */
struct ets_bundle_suite {
    const struct ets_bundle *bundle;
    struct ets_text method_name; /* possibly not a method of the program */
    uint32_t index;
    uint32_t case_count;
    size_t suite_at; /* inner */
};

struct ets_bundle_case {
    const struct ets_bundle *bundle;
    uint32_t index;          /* in its suite; the runtime logs it as bundled_input_index */
    uint32_t input_count;    /* possibly not the number that the method takes */
    uint32_t expected_count; /* 0: the case has no expected outputs */
    size_t case_at;          /* inner */
};

/* 1 if the identifier BP08 is at byte 4, else 0. */
ETS_API int ets_bundle_sniff(struct ets_bytes bytes);

/*
 * Verifies `bytes`, which must stay valid as long as the view is used. Statuses: WRONG_KIND (the
 * message names the kind that it is), TRUNCATED, MALFORMED (also: a tensor with too few bytes, or
 * no program), UNSUPPORTED (scalar type or rank), LIMIT. Messages name suite, case and argument.
 * `bundle` is not changed on failure.
 */
ETS_API enum ets_status ets_bundle_init(struct ets_bundle *bundle, struct ets_bytes bytes,
                                        struct ets_error *error);

/* Suites in file order, which is sorted by method name. */
ETS_API void ets_bundle_suite(const struct ets_bundle *bundle, uint32_t index,
                              struct ets_bundle_suite *suite_out);

/*
 * The first suite of `method`, as the runtime chooses. Status: NOT_FOUND (the message lists the
 * suites).
 */
ETS_API enum ets_status ets_bundle_find_suite(const struct ets_bundle *bundle, const char *method,
                                              struct ets_bundle_suite *suite_out,
                                              struct ets_error *error);

ETS_API void ets_bundle_case(const struct ets_bundle_suite *suite, uint32_t index,
                             struct ets_bundle_case *case_out);

/*
 * Input or expected output `index`: NONE, TENSOR, INT, BOOL, DOUBLE, or OTHER for a kind of a newer
 * writer. A tensor's data points into the file; data_bytes is what its sizes need.
 */
ETS_API void ets_bundle_input(const struct ets_bundle_case *test_case, uint32_t index,
                              struct ets_value *value_out);
ETS_API void ets_bundle_expected(const struct ets_bundle_case *test_case, uint32_t index,
                                 struct ets_value *value_out);

/*
 * Writing a bundled program (.bpte).
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
 * The file is written front to back, without seeking or allocating (about 1 kB of stack), in pieces
 * of at most ETS_BUNDLE_PIECE bytes, so that a program of any size can go from a mapped file to the
 * sink. There is no state; arguments are borrowed for the call. Layout: ExecuTorch
 * devtools/bundled_program/schema/bundled_program_schema.fbs, identifier BP08, version 2. The
 * program is at a multiple of 128, tensor data at multiples of 16, everything else after them.
 */

/* Offsets of a FlatBuffer have 31 bits. */
#define ETS_BUNDLE_MAX_BYTES INT32_MAX

/* The most bytes of one write to a sink. */
#define ETS_BUNDLE_PIECE ((size_t)1 << 20)

/*
 * Inputs and outputs are TENSOR, INT, BOOL, DOUBLE or NONE. A tensor without gaps keeps the order
 * of its dimensions in memory (dim_order); others are written in row-major order.
 */
struct ets_new_case {
    const struct ets_value *inputs;
    uint32_t input_count;
    const struct ets_value *expected;
    uint32_t expected_count; /* 0: the case has inputs only */
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

/* Receives the file in order, piece by piece. `write` returns 0, or any other number to stop. */
struct ets_bundle_sink {
    void *context;
    int (*write)(void *context, const void *data, size_t size);
};

/*
 * Checks that the cases fit `program`, which was read from bundle->program. The methods must exist.
 * Inputs must have the number, kinds, types and shapes that the method takes (dynamic shapes: at
 * most the upper bound). Plain numbers must equal those that the program was exported with.
 * Expected outputs, if any, must have the number and types that the method returns. Statuses:
 * MISMATCH (the message says what is expected and what was given), and those of ets_bundle_write.
 */
ETS_API enum ets_status ets_new_bundle_check(const struct ets_new_bundle *bundle,
                                             const struct ets_program *program,
                                             struct ets_error *error);

/*
 * The size of the file. Statuses: INVALID_ARGUMENT (suites out of order or repeated, no program, a
 * tensor with too few bytes), UNSUPPORTED (a value of kind OTHER, an unknown scalar type), LIMIT
 * (over ETS_BUNDLE_MAX_BYTES).
 */
ETS_API enum ets_status ets_bundle_write_size(const struct ets_new_bundle *bundle,
                                              size_t *bytes_out, struct ets_error *error);

/*
 * Writes the file. Writes nothing if the bundle is not valid as a whole. Statuses: those of
 * ets_bundle_write_size; IO (the sink refused; error->offset is the number of bytes it took).
 */
ETS_API enum ets_status ets_bundle_write(const struct ets_new_bundle *bundle,
                                         const struct ets_bundle_sink *sink,
                                         struct ets_error *error);

ETS_DECLARATIONS_END

#endif
