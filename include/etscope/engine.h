/*
 * engine.h - runs programs and single kernels on the ExecuTorch runtime, behind a C interface.
 *
 * The engine is a plug-in, libetscope_engine.so. It links the ExecuTorch runtime (the libraries of
 * PyPI's executorch wheel, or your own build) and is opened at run time, so that programs which
 * only read files need no runtime.
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
 * Use a program and its methods from one thread at a time: ExecuTorch's event tracer keeps its
 * state in the object. Messages of status RUNTIME have ExecuTorch's error name, the missing
 * operator or backend, and the instruction. Messages of INVALID_ARGUMENT say what is wrong with the
 * call.
 */
#ifndef ETSCOPE_ENGINE_H
#define ETSCOPE_ENGINE_H

#include "etscope/base.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raised with every change of the structs below or of the meaning of their numbers. */
#define ETS_ENGINE_INTERFACE_VERSION 9

struct ets_kernel_argument; /* below */
struct ets_engine_library;
struct ets_engine_program;
struct ets_engine_method;

enum ets_engine_tracer {
    ETS_TRACER_NONE = 0,     /* do not trace */
    ETS_TRACER_UPSTREAM = 1, /* ExecuTorch's own ETDumpGen */
    ETS_TRACER_ETSCOPE = 2   /* the recorder of trace.h; the dump has an extra block */
};

enum ets_engine_capture {
    ETS_CAPTURE_NONE = 0,         /* times only */
    ETS_CAPTURE_OUTPUTS = 1,      /* times and the method's outputs */
    ETS_CAPTURE_INTERMEDIATES = 2 /* also outputs of operators, arguments of delegate calls */
};

struct ets_engine_program_options {
    struct ets_bytes program;           /* a whole .pte, borrowed until program_close */
    const struct ets_bytes *data_files; /* .ptd files, borrowed until program_close; may be NULL */
    size_t data_file_count;
    enum ets_engine_tracer tracer;
    enum ets_engine_capture capture; /* needs a tracer */
    size_t debug_buffer_bytes;       /* limit for captured tensors; 0: ETS_ENGINE_DEBUG_BYTES */
    unsigned threads; /* of the runtime's pool, the caller included; 0: the runtime's default */
    /*
     * Identifies the program in traces of ETS_TRACER_ETSCOPE: at most 64 bytes, borrowed until
     * program_close; {NULL, 0}: none. etscope's own tools use ets_program_fingerprint.
     */
    struct ets_bytes fingerprint;
    /*
     * 1: measure the memory that methods take from their allocators, and that of the process, for
     * the extra block of traces of ETS_TRACER_ETSCOPE. Costs time on each allocation.
     */
    int count_memory;
};

/*
 * The default limit of the debug buffer. The buffer is reserved address space; only the written
 * part takes memory, so a high limit costs nothing.
 */
#define ETS_ENGINE_DEBUG_BYTES ((size_t)1 << 30)

/* An input or output of a method. Sizes are upper bounds if the shape is dynamic. */
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
 * The content of a trace so far. ETDumpGen ends the process on values that it cannot write and on a
 * full debug buffer. The engine withholds these events from it and counts them here. Strings, which
 * ETS_TRACER_ETSCOPE writes to the extra block, are not counted.
 */
struct ets_engine_trace_statistics {
    uint64_t block_count;              /* event blocks: one per load and per run */
    uint64_t profile_event_count;      /* written */
    uint64_t debug_event_count;        /* written */
    uint64_t dropped_type_count;       /* debug events with values that ETDumpGen cannot write */
    uint64_t dropped_space_count;      /* debug events dropped because the debug buffer was full */
    uint64_t dropped_invalid_count;    /* events that broke the tracer's rules or had no room */
    uint64_t debug_bytes_used;         /* of the debug buffer, padding included */
    uint64_t debug_bytes_needed;       /* limit that would have avoided drops for space */
    int32_t first_dropped_instruction; /* of the first drop for type or space; -1: outside any
                                          instruction */
    char first_dropped[64];            /* its value ("float16 tensor"); "": nothing was dropped */
};

/* Kernels that are not registered, and that the engine loads for programs which name them. */
struct ets_engine_kernels_on_demand {
    const char *path;   /* of their library */
    const char *reason; /* why it is not loaded; "": it is */
    size_t count;
    const char *const *names; /* "llama::custom_sdpa.out" */
};

/* Where an engine is, for the handler of a crash. */
struct ets_engine_place {
    const char *method;         /* NULL: none is loaded or run */
    int is_loading;             /* 1: it is loaded, 0: it runs */
    int64_t chain, instruction; /* -1: not known; a program without tracer does not tell them */
};

/* All functions are set. Those that can fail take an optional error as last parameter. */
struct ets_engine {
    uint32_t interface_version;  /* ETS_ENGINE_INTERFACE_VERSION */
    uint32_t struct_bytes;       /* sizeof(struct ets_engine) of the plug-in */
    const char *runtime_version; /* "1.5.1", or the version of a custom build */
    int tracing_compiled_in;     /* 0: the runtime records nothing (tested at start) */
    uint64_t tick_numerator;     /* ns per trace tick = numerator / denominator */
    uint64_t tick_denominator;

    /* Registered backends and kernels. Names are valid for the life of the process. */
    size_t (*backend_count)(void);
    const char *(*backend_name)(size_t index); /* NULL past the end */
    int (*backend_is_available)(size_t index); /* 0: registered, but cannot run here */
    size_t (*kernel_count)(void);
    const char *(*kernel_name)(size_t index); /* "aten::add.out"; NULL past the end */
    /*
     * Loads the kernels of executorch's libcustom_ops_aot_lib (llama::), which program_open and
     * kernel_call use where no registered kernel has the name. They are not registered, so
     * load_library can load the original of their library. All is valid for the life of the
     * process.
     */
    void (*kernels_on_demand)(struct ets_engine_kernels_on_demand *found_out);
    int (*kernel_exists)(const char *name); /* 1: kernel_call finds it; NULL is no name */

    /*
     * Calls one kernel without a program (struct ets_kernel_argument, below). Pass all arguments of
     * the operator's schema, outputs included. The kernel's result sets the sizes and strides of
     * the outputs. After an error they are unchanged, and the output bytes are undefined.
     *
     * Statuses: NOT_FOUND: no such kernel (for all types). INVALID_ARGUMENT: there is no output; or
     * no kernel could take an argument, named by its number from 0 (a tensor with more dimensions
     * or elements than the runtime supports, strides that match no order of the dimensions, too few
     * bytes); or the kernel faulted, for example on an integer division by zero. RUNTIME: the
     * kernel refused, with ExecuTorch's error name and the reason if it logged one; or an assertion
     * failed. After a fault or a failed assertion, memory allocated by the kernel is lost. During
     * the call the engine handles SIGFPE, SIGSEGV and SIGBUS, and passes on signals that the kernel
     * did not raise.
     *
     * Some kernels do not check the types and shapes of their outputs and write past them. Check
     * them before the call. The kernel runs on the calling thread only. Several threads may call at
     * once; a logged reason may then be that of another thread's call.
     */
    enum ets_status (*kernel_call)(const char *name, struct ets_kernel_argument *arguments,
                                   size_t argument_count, struct ets_error *error);

    size_t (*thread_count)(void); /* threads that kernels and delegates use now; at least 1 */
    /* Like `threads` of program_open. INVALID_ARGUMENT: methods are open; UNSUPPORTED: no pool. */
    enum ets_status (*set_thread_count)(unsigned threads, struct ets_error *error);

    /*
     * Loads a shared library that registers kernels or backends, for the life of the process, and
     * returns how many (either may be NULL). ExecuTorch ends a process that registers a kernel
     * twice, so the library is first tried in a copy of the process. Statuses: NOT_FOUND; RUNTIME
     * with the reason of the loader or the runtime.
     */
    enum ets_status (*load_library)(const char *path, size_t *kernels_added_out,
                                    size_t *backends_added_out, struct ets_error *error);

    /*
     * Opens a program. Close `*program_out` with program_close. The runtime does not verify
     * everything that the bytes say: pass an untrusted program to ets_program_init first. Statuses:
     * WRONG_KIND (not a .pte), MALFORMED, UNSUPPORTED, RUNTIME, NO_MEMORY; INVALID_ARGUMENT (a
     * different number of threads while methods are open: their delegates keep a pointer to the
     * pool).
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
     * Loads a method: plans memory and initialises delegates (traced as Default). An error names
     * the operator or backend that is not registered. NOT_FOUND: no such method. Methods planned
     * with share_mutable_buffers share their state as long as the program is open. Other state
     * belongs to the method and ends with it.
     */
    enum ets_status (*method_open)(struct ets_engine_program *program, const char *method,
                                   struct ets_engine_method **method_out, struct ets_error *error);
    void (*method_close)(struct ets_engine_method *method); /* NULL is allowed */
    /*
     * Copies `value` into the input, for all runs until it is set again. Kind, scalar type and
     * shape must match; a dynamic shape may be smaller. A plain number must equal the one that the
     * program was exported with. Statuses: INVALID_ARGUMENT, UNSUPPORTED, RUNTIME.
     */
    enum ets_status (*method_set_input)(struct ets_engine_method *method, size_t index,
                                        const struct ets_value *value, struct ets_error *error);
    /*
     * Runs once (traced as Execute). Buffers that the program changes keep their values for the
     * next run, traced or not. Statuses: INVALID_ARGUMENT (an input is not set), RUNTIME.
     */
    enum ets_status (*method_execute)(struct ets_engine_method *method, struct ets_error *error);
    /* Valid until close or the next execute, also of a method that shares its state. */
    enum ets_status (*method_get_output)(struct ets_engine_method *method, size_t index,
                                         struct ets_value *value_out, struct ets_error *error);
    /*
     * The tensor named `name` in the program, for example a buffer of the model, with its current
     * content. Valid as long as an output. NOT_FOUND: no tensor has that name, or the export kept
     * no names.
     */
    enum ets_status (*method_get_attribute)(struct ets_engine_method *method, const char *name,
                                            struct ets_value *value_out, struct ets_error *error);

    /*
     * Ends the trace. The ETDump and the used part of the debug buffer are valid until
     * program_close; both are empty without a tracer. Methods cannot run afterwards.
     */
    enum ets_status (*trace_finish)(struct ets_engine_program *program,
                                    struct ets_bytes *etdump_out, struct ets_bytes *debug_out,
                                    struct ets_error *error);

    /* Suspends (0) and resumes (1) recording, so that warm-up runs leave no events. */
    void (*trace_enable)(struct ets_engine_program *program, int enabled);

    /*
     * Sets the bundled test case of the following runs, for the trace of ETS_TRACER_ETSCOPE. -1:
     * none, the default.
     */
    void (*trace_set_case)(struct ets_engine_program *program, int32_t bundled_input_index);

    /* Counts of recorded and dropped events so far; all zero without a tracer. */
    void (*trace_statistics)(const struct ets_engine_program *program,
                             struct ets_engine_trace_statistics *statistics_out);

    /* What is loaded or run now, by the thread that began last. A signal handler may call it. */
    void (*current_place)(struct ets_engine_place *place_out);
};

/*
 * Opens the plug-in at `path`. If `path` is NULL, opens the first that exists of: the file named by
 * the environment variable ETSCOPE_ENGINE; libetscope_engine.so next to the executable, in etscope,
 * ../lib or ../lib/etscope from there; the same next to libetscope; the system's library path.
 * Statuses: UNAVAILABLE (not found or cannot be loaded; the message says why and what to do),
 * MISMATCH (another interface version). While the library and its runtime start, output of other
 * threads to standard error is lost.
 */
ETS_API enum ets_status ets_engine_open(const char *path, struct ets_engine_library **library_out,
                                        const struct ets_engine **engine_out,
                                        struct ets_error *error);

/* The path of the loaded engine, valid until close. */
ETS_API const char *ets_engine_path(const struct ets_engine_library *library);

/* Closes the handle; the runtime's registrations stay for the life of the process. */
ETS_API void ets_engine_close(struct ets_engine_library *library);

/* The one symbol a plug-in exports: */
#define ETS_ENGINE_SYMBOL "ets_engine_interface"
typedef const struct ets_engine *ets_engine_interface_function(void);

/*
 * Arguments of one call of a kernel of the runtime.
 *
 * Pass the arguments of the operator's schema in its order, outputs ("out") included. The engine
 * adds the return values, which the runtime expects after them.
 *
 *     struct ets_kernel_argument arguments[] = {
 *         {.kind = ETS_KERNEL_TENSOR, .as.tensor = &self},
 *         {.kind = ETS_KERNEL_TENSOR, .as.tensor = &other},
 *         {.kind = ETS_KERNEL_INT, .as.int_value = 1},
 *         {.kind = ETS_KERNEL_TENSOR, .is_output = 1, .as.tensor = &sum},
 *     };
 *     status = engine->kernel_call("aten::add.out", arguments, 4, &error);
 *
 * All pointers are borrowed for the call only.
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
 * Tensors must be dense in some order of dimensions (contiguous, channels last). The bytes of an
 * output (`data_bytes`, which need no initial value) are written although `data` is const. Its
 * sizes are the largest allowed; the call sets sizes and strides to those of the result.
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
