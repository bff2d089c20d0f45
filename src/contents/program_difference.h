/*
 * What differs between two programs, thing by thing: methods, kernels, instructions, delegates,
 * plans, constants, named data.
 *
 *     const struct ets_program_side sides[2] = {{.program = &before}, {.program = &after}};
 *     struct ets_program_difference difference;
 *     if (ets_program_difference_find(&arena, sides, &difference, &error) != ETS_OK) ...
 *     for (uint32_t i = 0; i < difference.change_count; i++) show(&difference.changes[i]);
 *
 * Things are paired by what they are and not by their numbers: methods by name, instructions by
 * debug handle where both sides have an ETRecord, else in the order of their names; values by the
 * arguments of paired instructions, constants by their bytes. So a program that was written anew
 * with other numbers, offsets in the file or padding has no changes. All memory is the arena's;
 * programs and records are borrowed.
 */
#ifndef ETSCOPE_CONTENTS_PROGRAM_DIFFERENCE_H
#define ETSCOPE_CONTENTS_PROGRAM_DIFFERENCE_H

#include <stdbool.h>

#include "contents/content_bytes.h"
#include "contents/layer_names.h"
#include "etscope/bundle.h"
#include "etscope/etrecord.h"
#include "etscope/program.h"
#include "payload/payload_store.h"

struct ets_program_side {
    const struct ets_program *program;
    struct ets_etrecord *record;     /* of this program; NULL: none */
    const struct ets_bundle *bundle; /* that the program is in; NULL: none, no test cases */
};

enum ets_program_part {
    ETS_PART_PROGRAM,     /* index: 0 */
    ETS_PART_METHOD,      /* index: of the method in the program */
    ETS_PART_INPUT,       /* index: of the value in the method, as for all values below */
    ETS_PART_OUTPUT,      /* a value that is no input */
    ETS_PART_OPERATOR,    /* a kernel by its calls; index: of the method's operator */
    ETS_PART_BACKEND,     /* a backend by its calls; index: of its first delegate */
    ETS_PART_INSTRUCTION, /* index: of the instruction in its chain */
    ETS_PART_DELEGATE,    /* index: of the method's delegate */
    ETS_PART_NODE,        /* of a delegate's payload; index: in it */
    ETS_PART_ARENA,       /* index: of the arena, its memory_id - 1 */
    ETS_PART_CONSTANT,    /* a tensor whose bytes are in the file, or in a data file */
    ETS_PART_STATE,       /* a planned tensor with a start value */
    ETS_PART_TENSOR,      /* any other tensor */
    ETS_PART_VALUE,       /* a number, text or list */
    ETS_PART_NAMED_DATA,  /* index: of the program's named data */
    ETS_PART_CASE,        /* a test case; index: in its suite */
    ETS_PART_CASE_INPUT,  /* index: in the test case */
    ETS_PART_CASE_OUTPUT  /* an expected output, likewise */
};

enum ets_program_change_kind {
    ETS_THING_REMOVED,
    ETS_THING_ADDED,
    ETS_THING_CHANGED,
    ETS_THING_DELEGATED,  /* an INSTRUCTION: the delegate call on the other side does its work;
                             a CONSTANT: a payload holds it there */
    ETS_THING_UNDELEGATED /* the other way round */
};

/* What of a thing differs. X(NAME, name) */
#define ETS_PROGRAM_FIELD_LIST(X)                                       \
    X(VERSION, "version")                                               \
    X(NAME, "name")                                                     \
    X(INPUT_STRUCTURE, "input structure")                               \
    X(OUTPUT_STRUCTURE, "output structure")                             \
    X(INPUT_COUNT, "inputs")                                            \
    X(OUTPUT_COUNT, "outputs")                                          \
    X(VALUE_COUNT, "values")                                            \
    X(INSTRUCTION_COUNT, "instructions")                                \
    X(CALLS, "calls")                                                   \
    X(ORDER, "order") /* it runs before or after others than before */  \
    X(ARGUMENTS, "arguments")                                           \
    X(DESTINATION, "destination")                                       \
    X(STACK_TRACE, "stack trace")                                       \
    X(BACKEND, "backend")                                               \
    X(PAYLOAD, "payload")                                               \
    X(COMPILE_SPECS, "compile specs")                                   \
    X(LOCATION, "location") /* a payload in a segment or inline */      \
    X(KIND, "kind")                                                     \
    X(DTYPE, "dtype")                                                   \
    X(SIZES, "sizes")                                                   \
    X(DIM_ORDER, "dim order")                                           \
    X(DYNAMISM, "shape dynamism")                                       \
    X(PLACE, "place")                                                   \
    X(ARENA, "arena")                                                   \
    X(OFFSET, "offset")                                                 \
    X(QUALIFIED_NAME, "qualified name")                                 \
    X(REQUIRES_GRAD, "requires_grad")                                   \
    X(DEVICE, "device")                                                 \
    X(DATA, "data")                                                     \
    X(NUMBER, "value")                                                  \
    X(ITEMS, "items")                                                   \
    X(BYTES, "bytes")                                                   \
    X(PARAMETERS, "parameters") /* of a node: strides, clamps, flags */ \
    X(QUANTIZATION, "quantization")

enum ets_program_field {
#define ETS_PROGRAM_FIELD_ENUM(name, text) ETS_FIELD_##name,
    ETS_PROGRAM_FIELD_LIST(ETS_PROGRAM_FIELD_ENUM)
#undef ETS_PROGRAM_FIELD_ENUM
        ETS_FIELD_COUNT
};
_Static_assert(ETS_FIELD_COUNT <= 64, "fields are bits of a word");

static inline uint64_t ets_field_bit(enum ets_program_field field)
{
    return UINT64_C(1) << field;
}

/* A node of a delegate's payload that takes a constant. */
struct ets_constant_holder {
    const struct ets_payload_graph *graph;
    uint32_t delegate, node, input;
    uint32_t named_data; /* ETS_THING_NONE: none */
    uint64_t element_count;
    struct ets_bytes bytes; /* empty: not in the file */
};

/* An index that names nothing. */
#define ETS_THING_NONE UINT32_MAX

struct ets_program_change {
    enum ets_program_part part;
    enum ets_program_change_kind kind;
    uint64_t fields;   /* bits of what differs; 0: the thing is on one side only */
    uint32_t method;   /* of `methods` below; ETS_THING_NONE: the program's */
    uint32_t index[2]; /* before and after; ETS_THING_NONE: not there */
    uint32_t chain[2]; /* of an INSTRUCTION; the case of a test case's value; else 0 */
    uint32_t suite[2]; /* of a test case and its values, in the bundle; else 0 */
    const struct ets_payload_pair *payloads; /* of a NODE; else NULL */
    /* Of a CONSTANT that is DELEGATED or UNDELEGATED: who holds it on the side without an index;
     * its bytes are the same unless `fields` has DATA, then its name is. Else NULL. */
    const struct ets_constant_holder *holder;
    uint64_t bytes[2];  /* of a tensor, payload, arena, named data; else 0 */
    uint32_t counts[2]; /* calls of a kernel or backend; what a count of a method counts; of a NODE
                           whose constants differ, the first such input */
};

/* A method of both programs, or of one. */
struct ets_method_pair {
    uint32_t index[2]; /* in the programs; ETS_THING_NONE: not there */
    bool by_handles;   /* instructions were paired by debug handle */
    uint32_t first_change, change_count;
};

struct ets_program_difference {
    struct ets_program_side sides[2];
    bool is_byte_equal;
    struct ets_method_pair *methods; /* in the order of the first program, then what is added */
    uint32_t method_count;
    struct ets_program_change *changes; /* of methods, of the program, of test cases; by part */
    uint32_t change_count, case_change_count;  /* of all; of test cases, which are the last */
    uint32_t case_count, differing_case_count; /* test cases, each pair once; 0: not compared */
    struct ets_content_bytes contents;         /* hashes of both files' bytes */
    struct ets_payload_store payloads[2];
    struct ets_layer_names layers[2]; /* of the records */
};

/*
 * Statuses: NO_MEMORY; LIMIT (tensors or payloads overlap so much that comparing them would read
 * the files many times); those of reading graphs. Check records before: ets_program_check_record.
 */
enum ets_status ets_program_difference_find(struct ets_arena *arena,
                                            const struct ets_program_side sides[2],
                                            struct ets_program_difference *difference_out,
                                            struct ets_error *error);

/* Whether a change is of test cases. */
static inline bool ets_change_is_of_cases(const struct ets_program_change *change)
{
    return change->part >= ETS_PART_CASE;
}
/* The test case of such a change, and the value of a CASE_INPUT or CASE_OUTPUT (case_changes.c). */
void ets_change_case(const struct ets_program_difference *difference,
                     const struct ets_program_change *change, int side,
                     struct ets_bundle_case *case_out);
void ets_change_case_value(const struct ets_program_difference *difference,
                           const struct ets_program_change *change, int side,
                           struct ets_value *value_out);
/* The bytes of a tensor; empty: another value, or it has none. */
struct ets_bytes ets_value_content(const struct ets_value *value);

/* MISMATCH where the record's maps are not of this program: an instruction that it lacks, or
 * another backend. */
enum ets_status ets_program_check_record(const struct ets_program *program,
                                         const struct ets_etrecord *record,
                                         struct ets_error *error);

#endif
