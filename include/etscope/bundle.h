/*
 * bundle.h - bundled programs (.bpte), read and written: a program with inputs to run it on, and
 * the outputs that are expected then.
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
 * Views over the caller's bytes: nothing is allocated or copied, and any number of threads may
 * read. Everything but the program inside is verified once, by ets_bundle_init; accessors then
 * cannot fail, their `index` must be below the count that belongs to it. A suite or case keeps a
 * pointer to the bundle, which must live as long. Schema: ExecuTorch devtools/bundled_program/
 * schema/bundled_program_schema.fbs, identifier BP08.
 */
#ifndef ETSCOPE_BUNDLE_H
#define ETSCOPE_BUNDLE_H

#include "etscope/base.h"
#include "etscope/program.h"
#include "etscope/tensor.h"

ETS_DECLARATIONS_BEGIN

struct ets_bundle {
    struct ets_bytes bytes;   /* the whole file */
    struct ets_bytes program; /* a whole .pte, for ets_program_init: offsets count from its start */
    uint64_t program_offset;  /* of the program in the file */
    uint32_t version;         /* 2 today; the runtime does not look at it, nor does this reader */
    uint32_t suite_count;
    size_t root_at; /* inner */
};

/* The test cases of one method. */
struct ets_bundle_suite {
    const struct ets_bundle *bundle;
    struct ets_text method_name; /* not promised to be a method of the program */
    uint32_t index;
    uint32_t case_count;
    size_t suite_at; /* inner */
};

struct ets_bundle_case {
    const struct ets_bundle *bundle;
    uint32_t index;          /* in its suite; what the runtime logs as bundled_input_index */
    uint32_t input_count;    /* not promised to be what the method takes */
    uint32_t expected_count; /* 0: the case has no expected outputs */
    size_t case_at;          /* inner */
};

/* 1 where the identifier BP08 stands at byte 4, else 0. */
ETS_API int ets_bundle_sniff(struct ets_bytes bytes);

/*
 * Verifies `bytes`, borrowed as long as the view is used. Statuses: WRONG_KIND (the message says of
 * which kind), TRUNCATED, MALFORMED (also: a tensor with fewer bytes than its sizes need, no
 * program), UNSUPPORTED (scalar type or rank), LIMIT. Messages name suite, case and argument.
 * `bundle` is untouched on failure.
 */
ETS_API enum ets_status ets_bundle_init(struct ets_bundle *bundle, struct ets_bytes bytes,
                                        struct ets_error *error);

/* Suites in file order: sorted by method name. */
ETS_API void ets_bundle_suite(const struct ets_bundle *bundle, uint32_t index,
                              struct ets_bundle_suite *suite_out);

/* The first suite of that method, as the runtime chooses. Status: NOT_FOUND, and the message lists
 * those there are. */
ETS_API enum ets_status ets_bundle_find_suite(const struct ets_bundle *bundle, const char *method,
                                              struct ets_bundle_suite *suite_out,
                                              struct ets_error *error);

ETS_API void ets_bundle_case(const struct ets_bundle_suite *suite, uint32_t index,
                             struct ets_bundle_case *case_out);

/*
 * Input or expected output `index`: NONE, TENSOR, INT, BOOL or DOUBLE, and OTHER for a newer
 * writer's kind. A tensor's data point into the file and are as long as its sizes need.
 */
ETS_API void ets_bundle_input(const struct ets_bundle_case *test_case, uint32_t index,
                              struct ets_value *value_out);
ETS_API void ets_bundle_expected(const struct ets_bundle_case *test_case, uint32_t index,
                                 struct ets_value *value_out);

/*
 * Writing a bundled program (.bpte): a program with inputs and expected outputs.
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

ETS_DECLARATIONS_END

#endif
