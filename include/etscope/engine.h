/*
 * engine.h - the real ExecuTorch runtime behind a C interface: programs, and single kernels.
 *
 * The engine is a plug-in (libetscope_engine.so): it links the ExecuTorch runtime
 * (the libraries of PyPI's executorch wheel, or a build of the user's own) and is
 * opened at run time, so that everything that only reads files needs no runtime.
 *
 *     const struct ets_engine *engine;
 *     struct ets_engine_library *library = NULL;
 *     struct ets_engine_program *program = NULL;
 *     struct ets_engine_method *method = NULL;
 *     struct ets_error error;
 *     const struct ets_engine_program_options options = {.program = ets_file_bytes(file)};
 *     struct ets_value input = {.kind = ETS_VALUE_TENSOR, .as.tensor = tensor};
 *     struct ets_value output;
 *     if (ets_engine_open(NULL, &library, &engine, &error) != ETS_OK) return error.status;
 *     if (engine->program_open(&options, &program, &error) == ETS_OK &&
 *         engine->method_open(program, "forward", &method, &error) == ETS_OK &&
 *         engine->method_set_input(method, 0, &input, &error) == ETS_OK &&
 *         engine->method_execute(method, &error) == ETS_OK &&
 *         engine->method_get_output(method, 0, &output, &error) == ETS_OK) {
 *         printf("%llu numbers\n", (unsigned long long)ets_tensor_count(&output.as.tensor));
 *     }
 *     engine->method_close(method);
 *     engine->program_close(program);
 *     ets_engine_close(library);
 *
 * One program and its methods belong to one thread at a time: ExecuTorch's event
 * tracer keeps its state in the object. Statuses: RUNTIME carries ExecuTorch's
 * error name, the missing operator's or backend's name and the instruction in the
 * message; INVALID_ARGUMENT what the caller got wrong.
 */
#ifndef ETSCOPE_ENGINE_H
#define ETSCOPE_ENGINE_H

#include "etscope/base.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of the structs below, and of what their numbers mean. */
#define ETS_ENGINE_INTERFACE_VERSION 7

struct ets_kernel_argument; /* below */
struct ets_engine_library;
struct ets_engine_program;
struct ets_engine_method;

enum ets_engine_tracer {
    ETS_TRACER_NONE = 0,     /* run untraced */
    ETS_TRACER_UPSTREAM = 1, /* ExecuTorch's own ETDumpGen */
    ETS_TRACER_ETSCOPE = 2   /* the recorder of trace.h; the dump has an extra block */
};

enum ets_engine_capture {
    ETS_CAPTURE_NONE = 0,         /* times only */
    ETS_CAPTURE_OUTPUTS = 1,      /* and the method's outputs */
    ETS_CAPTURE_INTERMEDIATES = 2 /* and every operator's outputs and delegate call's arguments */
};

struct ets_engine_program_options {
    struct ets_bytes program;           /* a whole .pte, borrowed until program_close */
    const struct ets_bytes *data_files; /* .ptd files, borrowed until program_close; may be NULL */
    size_t data_file_count;
    enum ets_engine_tracer tracer;
    enum ets_engine_capture capture; /* needs a tracer */
    size_t debug_buffer_bytes;       /* ceiling for captured tensors; 0: ETS_ENGINE_DEBUG_BYTES */
    unsigned threads; /* of the runtime's pool, this one included; 0 leaves its choice */
    /*
     * Of the program, for ETS_TRACER_ETSCOPE's trace: at most 64 bytes, borrowed until
     * program_close; {NULL, 0}: none. etscope's own tools give ets_program_fingerprint.
     */
    struct ets_bytes fingerprint;
    /*
     * 1: counts what methods take of their allocators, and what the process does, for
     * ETS_TRACER_ETSCOPE's trace, whose extra block keeps it. Costs time for each allocation.
     */
    int count_memory;
};

/*
 * Ceiling of the debug buffer where the caller names none. The buffer is reserved address space
 * that costs memory only as far as it is written, so a high ceiling is free.
 */
#define ETS_ENGINE_DEBUG_BYTES ((size_t)1 << 30)

/* What a method takes or gives. Sizes are upper bounds where the shape is dynamic. */
struct ets_engine_value_info {
    enum ets_value_kind kind;
    struct ets_tensor tensor; /* kind TENSOR: type, rank, sizes, strides; data is NULL */
    int is_memory_planned;
};

struct ets_engine_method_info {
    const char *name; /* borrowed until program_close */
    size_t input_count, output_count;
    size_t instruction_count;
    size_t backend_count;
    size_t planned_buffer_count;
    uint64_t planned_bytes; /* sum of the memory-planned arenas */
};

/*
 * What a trace holds so far. ETDumpGen ends the process over values it cannot write and over a
 * full debug buffer; the engine keeps these from it, and counts them here. Strings, which
 * ETS_TRACER_ETSCOPE keeps in the extra block, are in no count.
 */
struct ets_engine_trace_statistics {
    uint64_t block_count;              /* event blocks: one per load and per run */
    uint64_t profile_event_count;      /* written */
    uint64_t debug_event_count;        /* written */
    uint64_t dropped_type_count;       /* debug events of values ETDumpGen has no form for */
    uint64_t dropped_space_count;      /* debug events that found the debug buffer full */
    uint64_t dropped_invalid_count;    /* events against the tracer's rules, or without room */
    uint64_t debug_bytes_used;         /* of the debug buffer, padding included */
    uint64_t debug_bytes_needed;       /* ceiling with which nothing had been dropped for space */
    int32_t first_dropped_instruction; /* of the first drop for type or space; -1: outside one */
    char first_dropped[64];            /* and its value ("float16 tensor"); "" without a drop */
};

/* All functions are set; those that can fail take an optional error as last parameter. */
struct ets_engine {
    uint32_t interface_version;  /* ETS_ENGINE_INTERFACE_VERSION */
    uint32_t struct_bytes;       /* sizeof(struct ets_engine) of the plug-in */
    const char *runtime_version; /* "1.5.1", or what the user's own build says */
    int tracing_compiled_in;     /* 0: that runtime records nothing (tried, not assumed) */
    uint64_t tick_numerator;     /* ns of a trace's tick = numerator / denominator */
    uint64_t tick_denominator;

    /* What is registered. Names are borrowed for the life of the process. */
    size_t (*backend_count)(void);
    const char *(*backend_name)(size_t index); /* NULL past the end */
    int (*backend_is_available)(size_t index); /* 0: registered, but it cannot run here */
    size_t (*kernel_count)(void);
    const char *(*kernel_name)(size_t index); /* "aten::add.out"; NULL past the end */
    int (*kernel_exists)(const char *name);   /* 1: kernel_call finds it; NULL is no name */

    /*
     * Calls one kernel without a program (struct ets_kernel_argument, below): all arguments of the
     * operator's schema, outputs too. Sizes and strides of the outputs are set to what the kernel
     * made; after an error they are as before, and the bytes are anything. NOT_FOUND: no such
     * kernel (for all types). INVALID_ARGUMENT: an argument that no kernel could take, by its
     * number from 0 (a tensor of more dimensions or elements than the runtime has, strides that
     * come from no order of the dimensions, too few bytes), or no output. RUNTIME: what the kernel
     * refused, with ExecuTorch's error name and, where it logged one, its reason; an assertion that
     * failed. INVALID_ARGUMENT, too: the kernel faulted, as over integers divided by zero. After
     * either, memory that the kernel held itself is lost. Handlers of SIGFPE, SIGSEGV and SIGBUS
     * are the engine's during the call, and pass on what is not the kernel's. What a kernel writes
     * beyond its outputs, because it does not check their types or shapes, stays written: the
     * caller checks these. The calling thread computes alone. Several may call at once; a reason
     * that was logged may then be that of another's call.
     */
    enum ets_status (*kernel_call)(const char *name, struct ets_kernel_argument *arguments,
                                   size_t argument_count, struct ets_error *error);

    size_t (*thread_count)(void); /* threads kernels and delegates use now; at least 1 */
    /* As of program_open's options. INVALID_ARGUMENT: methods are open; UNSUPPORTED: no pool. */
    enum ets_status (*set_thread_count)(unsigned threads, struct ets_error *error);

    /*
     * Adds a shared library that registers kernels or backends of its own, for the life of the
     * process, and says how many (either may be NULL). It is tried in a copy of the process first,
     * as ExecuTorch ends a process that registers a kernel twice. NOT_FOUND; RUNTIME with the
     * loader's or the runtime's reason.
     */
    enum ets_status (*load_library)(const char *path, size_t *kernels_added_out,
                                    size_t *backends_added_out, struct ets_error *error);

    /*
     * Program. `*program_out` is the caller's to close. The runtime verifies the bytes, but not
     * all that they say: a program from elsewhere should pass ets_program_init first. WRONG_KIND:
     * no .pte at all; MALFORMED, UNSUPPORTED, RUNTIME, NO_MEMORY; INVALID_ARGUMENT: another number
     * of threads while methods are open (their delegates keep a pointer to the pool).
     */
    enum ets_status (*program_open)(const struct ets_engine_program_options *options,
                                    struct ets_engine_program **program_out,
                                    struct ets_error *error);
    void (*program_close)(struct ets_engine_program *program); /* NULL is allowed */
    size_t (*method_count)(const struct ets_engine_program *program);
    const char *(*method_name)(const struct ets_engine_program *program, size_t index);
    enum ets_status (*method_info)(const struct ets_engine_program *program, const char *method,
                                   struct ets_engine_method_info *info_out,
                                   struct ets_error *error);
    enum ets_status (*input_info)(const struct ets_engine_program *program, const char *method,
                                  size_t index, struct ets_engine_value_info *info_out,
                                  struct ets_error *error);
    enum ets_status (*output_info)(const struct ets_engine_program *program, const char *method,
                                   size_t index, struct ets_engine_value_info *info_out,
                                   struct ets_error *error);
    /* Name of a method's `index`-th delegate backend; NULL past the end. */
    const char *(*method_backend)(const struct ets_engine_program *program, const char *method,
                                  size_t index);

    /*
     * Loads a method: memory is planned, delegates are initialised (traced as Default). A failed
     * load names the operator or backend that is not registered. NOT_FOUND: no such method.
     * Methods that were planned with share_mutable_buffers share their state as long as the program
     * is open; any other state is the method's own and goes with it.
     */
    enum ets_status (*method_open)(struct ets_engine_program *program, const char *method,
                                   struct ets_engine_method **method_out, struct ets_error *error);
    void (*method_close)(struct ets_engine_method *method); /* NULL is allowed */
    /*
     * Copies `value` in; its data may go afterwards. It stays for every run until it is set again.
     * Kind, scalar type and shape must match; a dynamic shape may be smaller. A plain number must
     * equal the one the program was exported with. INVALID_ARGUMENT, UNSUPPORTED, RUNTIME.
     */
    enum ets_status (*method_set_input)(struct ets_engine_method *method, size_t index,
                                        const struct ets_value *value, struct ets_error *error);
    /*
     * Runs once (traced as Execute). Buffers that the program changes keep their values for the
     * next run, whether this one is traced or not. INVALID_ARGUMENT: an input is not set; RUNTIME.
     */
    enum ets_status (*method_execute)(struct ets_engine_method *method, struct ets_error *error);
    /* Borrowed until the next execute, of a method that shares its state as well, or close. */
    enum ets_status (*method_get_output)(struct ets_engine_method *method, size_t index,
                                         struct ets_value *value_out, struct ets_error *error);
    /*
     * The tensor that the program calls `name`, as a buffer of the model, with what it holds now;
     * borrowed as an output is. NOT_FOUND: no tensor has that name, or the export kept none.
     */
    enum ets_status (*method_get_attribute)(struct ets_engine_method *method, const char *name,
                                            struct ets_value *value_out, struct ets_error *error);

    /*
     * Ends the trace. ETDump bytes and the used part of the debug buffer are borrowed until
     * program_close; both are empty without a tracer. Methods cannot run afterwards.
     */
    enum ets_status (*trace_finish)(struct ets_engine_program *program,
                                    struct ets_bytes *etdump_out, struct ets_bytes *debug_out,
                                    struct ets_error *error);

    /* Suspends (0) and resumes (1) recording, so that warm-up runs leave no events. */
    void (*trace_enable)(struct ets_engine_program *program, int enabled);

    /*
     * The test case of the bundle that runs from now on, for ETS_TRACER_ETSCOPE's trace; -1: none,
     * as at first.
     */
    void (*trace_set_case)(struct ets_engine_program *program, int32_t bundled_input_index);

    /* What was recorded and dropped so far; all zero without a tracer. */
    void (*trace_statistics)(const struct ets_engine_program *program,
                             struct ets_engine_trace_statistics *statistics_out);
};

/*
 * Opens the plug-in at `path`, or for NULL the first that exists of: the file named by the
 * environment variable ETSCOPE_ENGINE, libetscope_engine.so beside the executable, in etscope,
 * ../lib or ../lib/etscope there, the same beside libetscope, the system's library path.
 * UNAVAILABLE: none found or it cannot be loaded, with the reason and what to do. MISMATCH: another
 * interface version. While the library and its runtime start, what other threads write to standard
 * error is lost.
 */
ETS_API enum ets_status ets_engine_open(const char *path, struct ets_engine_library **library_out,
                                        const struct ets_engine **engine_out,
                                        struct ets_error *error);

/* The file the engine was loaded from, borrowed until close. */
ETS_API const char *ets_engine_path(const struct ets_engine_library *library);

/* Closes the handle; the runtime's registrations stay for the life of the process. */
ETS_API void ets_engine_close(struct ets_engine_library *library);

/* The one symbol a plug-in exports: */
#define ETS_ENGINE_SYMBOL "ets_engine_interface"
typedef const struct ets_engine *ets_engine_interface_function(void);

/*
 * One call of one of the runtime's kernels, as C has it.
 *
 * Arguments are those of the operator's schema, in its order, the outputs ("out") among them; what
 * the runtime wants behind them (the return values once more) is the engine's affair.
 *
 *     struct ets_kernel_argument arguments[] = {
 *         {.kind = ETS_KERNEL_TENSOR, .as.tensor = &self},
 *         {.kind = ETS_KERNEL_TENSOR, .as.tensor = &other},
 *         {.kind = ETS_KERNEL_INT, .as.int_value = 1},
 *         {.kind = ETS_KERNEL_TENSOR, .is_output = 1, .as.tensor = &sum},
 *     };
 *     status = engine->kernel_call("aten::add.out", arguments, 4, &error);
 *
 * Nothing is kept: all pointers are borrowed for the call.
 */

enum ets_kernel_argument_kind {
    ETS_KERNEL_NONE = 0, /* an optional argument that is absent, whatever its type */
    ETS_KERNEL_INT = 1,  /* int, SymInt, and the enumerations: ScalarType, MemoryFormat, Layout */
    ETS_KERNEL_BOOL = 2, /* int_value: 0 or 1 */
    ETS_KERNEL_DOUBLE = 3,
    ETS_KERNEL_STRING = 4,
    ETS_KERNEL_TENSOR = 5,
    ETS_KERNEL_INT_LIST = 6,
    ETS_KERNEL_BOOL_LIST = 7, /* ints: 0 or 1 */
    ETS_KERNEL_DOUBLE_LIST = 8,
    ETS_KERNEL_TENSOR_LIST = 9,
    ETS_KERNEL_OPTIONAL_TENSOR_LIST = 10 /* tensors may be NULL */
};

/*
 * A Scalar is an INT, BOOL or DOUBLE.
 *
 * Tensors must be dense in some order of dimensions (contiguous, channels last). An output's bytes
 * (`data_bytes` of them, which need no value) are written although `data` is const; its sizes are
 * the largest that they may become, and are set, with the strides, to what the kernel made.
 */
struct ets_kernel_argument {
    enum ets_kernel_argument_kind kind;
    int is_output; /* 1: a tensor, or all tensors of a list, that the kernel writes */
    size_t count;  /* of a list */
    union {
        int64_t int_value;
        double double_value;
        struct ets_text text;
        struct ets_tensor *tensor;
        const int64_t *ints;
        const double *doubles;
        struct ets_tensor *const *tensors;
    } as;
};

#ifdef __cplusplus
}
#endif

#endif
