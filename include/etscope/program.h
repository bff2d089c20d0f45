/*
 * program.h - reads ExecuTorch programs (.pte), with their methods, instructions, values and
 * delegates, and tensor data files (.ptd), which hold weights.
 *
 *     struct ets_program program;
 *     struct ets_error error;
 *     if (ets_program_init(&program, ets_file_bytes(file), &error) != ETS_OK) { ... }
 *     for (uint32_t i = 0; i < program.method_count; i++) {
 *         struct ets_method method;
 *         struct ets_chain chain;
 *         ets_program_method(&program, i, &method);
 *         for (uint32_t c = 0; c < method.chain_count; c++) {
 *             ets_method_chain(&method, c, &chain);
 *             for (uint32_t j = 0; j < chain.instruction_count; j++) {
 *                 struct ets_instruction instruction;
 *                 ets_chain_instruction(&chain, j, &instruction);
 *                 printf("%.*s %u: %.*s\n", ETS_TEXT(method.name), j, ETS_TEXT(instruction.name));
 *             }
 *         }
 *     }
 *
 * These are views over the caller's bytes: nothing is allocated or copied, and any number of
 * threads may read. ets_program_init verifies everything once: the FlatBuffer, the segments, all
 * indices (values, operators, delegates, constants, jump destinations), and that tensors fit in
 * their bytes. The other functions cannot fail, provided that each `index` is below its count. A
 * method, chain or instruction points to the view it came from, which must live as long. Schema:
 * ExecuTorch schema/program.fbs, identifier ET12; extended header: schema/extended_header.h.
 */
#ifndef ETSCOPE_PROGRAM_H
#define ETSCOPE_PROGRAM_H

#include "etscope/base.h"
#include "etscope/tensor.h"

ETS_DECLARATIONS_BEGIN

/* The schema version that this reader knows, the only one so far. */
#define ETS_PROGRAM_VERSION 0

struct ets_program {
    struct ets_bytes bytes; /* the whole file */
    uint32_t version;
    uint32_t method_count; /* constant getter methods included */
    uint32_t segment_count;
    uint32_t named_data_count;
    uint32_t header_bytes;     /* of the extended header; 0: the file has none */
    uint64_t flatbuffer_bytes; /* from the file's start, the extended header included */
    uint64_t segment_base;  /* file offset that segment offsets are relative to; 0: no segments */
    uint64_t segment_bytes; /* from there to the end of the last segment */
    size_t root_at;         /* inner */
};

/* A method: ExecuTorch's ExecutionPlan. */
struct ets_method {
    const struct ets_program *program;
    struct ets_text name;
    uint32_t index; /* in the program */
    uint32_t input_count;
    uint32_t output_count;
    uint32_t value_count;
    uint32_t operator_count;
    uint32_t delegate_count;
    uint32_t chain_count;             /* 1 today */
    uint32_t arena_count;             /* planned memory areas: memory_id 1 to arena_count */
    struct ets_text input_structure;  /* pytree text of the Python arguments; may be absent */
    struct ets_text output_structure; /* pytree text of the results; may be absent */
    size_t plan_at;                   /* inner */
};

/* The content of an EValue, with the numbers of KernelTypes in the schema. */
enum ets_evalue_kind {
    ETS_EVALUE_UNKNOWN = 0, /* nothing, or a kind of a newer writer */
    ETS_EVALUE_NULL = 1,
    ETS_EVALUE_INT = 2,
    ETS_EVALUE_BOOL = 3,
    ETS_EVALUE_DOUBLE = 4,
    ETS_EVALUE_TENSOR = 5,
    ETS_EVALUE_STRING = 6,
    ETS_EVALUE_INT_LIST = 7, /* of Int values */
    ETS_EVALUE_DOUBLE_LIST = 8,
    ETS_EVALUE_BOOL_LIST = 9,
    ETS_EVALUE_TENSOR_LIST = 10,         /* of Tensor values */
    ETS_EVALUE_OPTIONAL_TENSOR_LIST = 11 /* of Tensor or Null values, or -1 */
};

enum ets_shape_dynamism {
    ETS_SHAPE_STATIC = 0,
    ETS_SHAPE_BOUND = 1,  /* sizes are upper bounds */
    ETS_SHAPE_UNBOUND = 2 /* the runtime's loader rejects these */
};

/* Where a tensor's bytes are. */
enum ets_tensor_place {
    ETS_PLACE_CONSTANT = 0,          /* in the file, read only */
    ETS_PLACE_PLANNED = 1,           /* in a planned arena, without an initial value */
    ETS_PLACE_PLANNED_STATE = 2,     /* in a planned arena, initialised from the file */
    ETS_PLACE_RUNTIME = 3,           /* not planned: the pointer is supplied at run time */
    ETS_PLACE_EXTERNAL_CONSTANT = 4, /* in a data file (.ptd), read only, found by qualified_name */
    ETS_PLACE_EXTERNAL_STATE = 5     /* in a planned arena, initialised from a data file */
};

/* Schema's DeviceType. */
enum ets_device_type { ETS_DEVICE_CPU = 0, ETS_DEVICE_CUDA = 1 };

struct ets_program_tensor {
    struct ets_tensor tensor; /* data: bytes of the constant or initial value, else NULL */
    enum ets_shape_dynamism dynamism;
    enum ets_tensor_place place;
    uint64_t tensor_bytes;    /* element bytes x sizes; an upper bound if the shape is dynamic */
    uint32_t memory_id;       /* arena, from 1; 0: not planned */
    uint64_t memory_offset;   /* of the tensor in its arena, bytes */
    uint32_t data_buffer_idx; /* of the constant or initial value in the file; 0: none */
    int requires_grad;
    struct ets_text qualified_name; /* "linear.weight": key of an external tensor, or name of a
                                       buffer if the export kept it; else absent */
    int32_t device_type;            /* enum ets_device_type, or a number of a newer writer */
    int32_t device_index;
};

/* One EValue of a method. Only the field of its kind is set. */
struct ets_evalue {
    enum ets_evalue_kind kind;
    uint8_t tag;         /* as stored; identifies newer kinds */
    uint32_t index;      /* in the method's values */
    uint32_t item_count; /* lists */
    int64_t int_value;   /* INT, BOOL (0 or 1) */
    double double_value;
    struct ets_text string;
    struct ets_program_tensor tensor;
    size_t value_at; /* file offset of the EValue table */
    size_t items_at; /* inner */
    const struct ets_program *program;
};

struct ets_operator {
    struct ets_text name;     /* "aten::add" */
    struct ets_text overload; /* "out"; may be absent or empty */
};

/* Numbers are those of InstructionArguments in the schema. */
enum ets_instruction_kind {
    ETS_INSTRUCTION_UNKNOWN = 0, /* nothing, or a kind of a newer writer */
    ETS_INSTRUCTION_KERNEL_CALL = 1,
    ETS_INSTRUCTION_DELEGATE_CALL = 2,
    ETS_INSTRUCTION_MOVE_CALL = 3,
    ETS_INSTRUCTION_JUMP_FALSE_CALL = 4,
    ETS_INSTRUCTION_FREE_CALL = 5
};

/* A list of instructions; the runtime logs `index` as chain_index. */
struct ets_chain {
    struct ets_method method;
    uint32_t index;
    uint32_t instruction_count;
    uint32_t trace_count; /* leading instructions that have a stack trace; usually 0 */
    size_t chain_at;      /* inner */
};

struct ets_instruction {
    enum ets_instruction_kind kind;
    uint8_t tag;             /* as stored; identifies newer kinds */
    uint32_t instruction_id; /* position in the chain, which the runtime logs */
    uint32_t chain_index;
    int32_t operator_index;   /* KERNEL_CALL; else -1 */
    int32_t delegate_index;   /* DELEGATE_CALL; else -1 */
    int32_t destination;      /* JUMP_FALSE_CALL: next instruction if the condition is false,
                                 instruction_count for the end; else -1 */
    struct ets_text name;     /* operator's name or delegate's id; absent for other kinds */
    struct ets_text overload; /* KERNEL_CALL; may be absent */
    uint32_t argument_count;  /* values: KERNEL_CALL and DELEGATE_CALL: the args as stored (which
                                 repeat the results), MOVE_CALL: from and to,
                                 JUMP_FALSE_CALL: the condition, FREE_CALL: the value */
    uint32_t frame_count;     /* of its stack trace */
    size_t call_at;           /* file offset of the table of arguments */
    size_t arguments_at;      /* inner */
    size_t frames_at;         /* inner */
    uint32_t operands[2];     /* inner */
    const struct ets_program *program;
};

/* One frame of an instruction's stack trace. */
struct ets_program_frame {
    struct ets_text file_name;
    struct ets_text name;    /* function */
    struct ets_text context; /* source line */
    int32_t line;
};

struct ets_delegate {
    struct ets_text id;    /* "XnnpackBackend" */
    struct ets_bytes blob; /* the backend's payload; may be empty */
    int is_inline;         /* 1: inside the FlatBuffer; 0: a segment of its own */
    uint32_t blob_index;   /* of the inline data or segment */
    uint32_t compile_spec_count;
    size_t delegate_at; /* inner */
    const struct ets_program *program;
};

struct ets_compile_spec {
    struct ets_text key;
    struct ets_bytes value;
};

/* One planned memory area. */
struct ets_planned_arena {
    uint32_t memory_id; /* from 1, as in tensors; the runtime counts from 0 */
    uint64_t bytes;
    int32_t device_type; /* enum ets_device_type, or a number of a newer writer */
    int32_t device_index;
};

struct ets_segment {
    uint64_t offset; /* in the file; the stored offset is relative to segment_base */
    uint64_t size;   /* bytes; often 0, and empty segments share offsets */
    struct ets_bytes bytes;
};

/* The use of a segment: the first that applies, in this order. */
enum ets_segment_role {
    ETS_SEGMENT_UNUSED = 0,
    ETS_SEGMENT_CONSTANT = 1,
    ETS_SEGMENT_MUTABLE = 2,
    ETS_SEGMENT_DELEGATE = 3,
    ETS_SEGMENT_NAMED_DATA = 4
};

struct ets_program_named_data {
    struct ets_text key;
    uint32_t segment_index; /* keys may share a segment */
    struct ets_bytes bytes;
};

/* What the bytes of the file are used for. The other fields add up to file_bytes. */
struct ets_program_sizes {
    uint64_t file_bytes;
    uint64_t flatbuffer_bytes; /* without the inline constants and delegate blobs */
    uint64_t constant_bytes;   /* constant segment, inline constants */
    uint64_t mutable_bytes;    /* initial values of mutable tensors */
    uint64_t delegate_bytes;   /* delegate blobs, each counted once */
    uint64_t named_data_bytes; /* each segment counted once */
    uint64_t unused_bytes;     /* segments that nothing refers to */
    uint64_t padding_bytes;    /* between these parts */
    uint64_t trailing_bytes;   /* after the last part; not part of the program */
};

/*
 * Verifies `bytes`, which must stay valid as long as the view is used. Statuses: WRONG_KIND (the
 * message names the kind that it is), TRUNCATED, MALFORMED, UNSUPPORTED (an unknown version, scalar
 * type, rank, layout or location), LIMIT. Messages name the method, chain, instruction or value;
 * the offset is that of its table. `program` is not changed on failure.
 */
ETS_API enum ets_status ets_program_init(struct ets_program *program, struct ets_bytes bytes,
                                         struct ets_error *error);

/*
 * Identifies the whole file: XXH64 with seed 0, as `xxhsum -H64` prints it. Reads every byte. Does
 * not protect against forgery. Traces hold it as 8 bytes, little-endian.
 */
#define ETS_PROGRAM_FINGERPRINT_BYTES 8
ETS_API uint64_t ets_program_fingerprint(const struct ets_program *program);

/* Methods in file order: sorted by name, constant getter methods last. */
ETS_API void ets_program_method(const struct ets_program *program, uint32_t index,
                                struct ets_method *method_out);

/* The first method named `name`. Status: NOT_FOUND (the message lists the methods). */
ETS_API enum ets_status ets_program_find_method(const struct ets_program *program, const char *name,
                                                struct ets_method *method_out,
                                                struct ets_error *error);

ETS_API void ets_method_value(const struct ets_method *method, uint32_t index,
                              struct ets_evalue *value_out);
/* The value of input or output `index`; value_out->index is its index in the values. */
ETS_API void ets_method_input(const struct ets_method *method, uint32_t index,
                              struct ets_evalue *value_out);
ETS_API void ets_method_output(const struct ets_method *method, uint32_t index,
                               struct ets_evalue *value_out);

ETS_API void ets_method_operator(const struct ets_method *method, uint32_t index,
                                 struct ets_operator *operator_out);
/* A chain of no instructions where `index` is beyond the last: a method may have none. */
ETS_API void ets_method_chain(const struct ets_method *method, uint32_t index,
                              struct ets_chain *chain_out);
ETS_API void ets_chain_instruction(const struct ets_chain *chain, uint32_t index,
                                   struct ets_instruction *instruction_out);

ETS_API void ets_method_delegate(const struct ets_method *method, uint32_t index,
                                 struct ets_delegate *delegate_out);

/* Arena `index` has memory_id `index` + 1. */
ETS_API void ets_method_arena(const struct ets_method *method, uint32_t index,
                              struct ets_planned_arena *arena_out);

ETS_API void ets_program_named_data(const struct ets_program *program, uint32_t index,
                                    struct ets_program_named_data *data_out);

/*
 * Overlapping segments, which no writer makes, are each counted in full; padding_bytes is then the
 * remainder, at least 0.
 */
ETS_API void ets_program_sizes(const struct ets_program *program,
                               struct ets_program_sizes *sizes_out);

/*
 * Tensor data files (.ptd): weights that programs refer to by name.
 *
 *     struct ets_data_file data;
 *     if (ets_data_file_init(&data, ets_file_bytes(file), &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < data.entry_count; i++) {
 *             struct ets_data_entry entry;
 *             ets_data_file_entry(&data, i, &entry);
 *             printf("%.*s: %zu bytes\n", ETS_TEXT(entry.key), entry.bytes.size);
 *         }
 *     }
 *
 * These are views over the caller's bytes: nothing is allocated or copied, and any number of
 * threads may read. ets_data_file_init verifies everything once. The other functions cannot fail,
 * provided that `index` is below its count. Schema: ExecuTorch
 * extension/flat_tensor/serialize/flat_tensor.fbs, identifier FT01, header FH01.
 */

/* The schema version that this reader, like the runtime, accepts. */
#define ETS_DATA_FILE_VERSION 0

struct ets_data_file {
    struct ets_bytes bytes; /* the whole file */
    uint32_t version;
    uint32_t entry_count;
    uint32_t segment_count;
    uint64_t flatbuffer_bytes; /* from the file's start, the header included */
    uint64_t segment_base;     /* file offset that segment offsets are relative to; 0: none */
    uint64_t segment_bytes;    /* from there to the end of the last segment */
    size_t root_at;            /* inner */
};

/* One named entry. */
struct ets_data_entry {
    struct ets_text key;      /* fully qualified name of a tensor, or a key of a backend */
    uint32_t segment_index;   /* keys may share a segment */
    struct ets_bytes bytes;   /* the whole segment */
    int has_layout;           /* 0: opaque bytes, `tensor` is all zero */
    struct ets_tensor tensor; /* data_bytes is what its sizes need */
};

/* One segment of the file. */
struct ets_data_segment {
    uint64_t offset; /* in the file; the stored offset is relative to segment_base */
    uint64_t size;
    struct ets_bytes bytes;
};

/*
 * Verifies `bytes`, which must stay valid as long as the view is used. Statuses: WRONG_KIND (the
 * message names the kind that it is), TRUNCATED, MALFORMED (also: a segment shorter than its
 * tensor), UNSUPPORTED (version, scalar type or rank), LIMIT. Messages name the entry or segment.
 * `data` is not changed on failure.
 */
ETS_API enum ets_status ets_data_file_init(struct ets_data_file *data, struct ets_bytes bytes,
                                           struct ets_error *error);

/* Entries in file order. */
ETS_API void ets_data_file_entry(const struct ets_data_file *data, uint32_t index,
                                 struct ets_data_entry *entry_out);

ETS_DECLARATIONS_END

#endif
