/*
 * trace.h - records what a program does on a device, and writes an ETDump.
 *
 *     static uint64_t buffer[256]; // 2 KiB
 *     struct ets_trace trace;
 *     struct ets_trace_thread thread;
 *     const struct ets_trace_config config = {
 *         .buffer = buffer, .buffer_bytes = sizeof buffer, .clock = read_cycles,
 *         .clock_hz = 168000000, .mode = ETS_TRACE_RING};
 *     ets_trace_init(&trace, &config);
 *     ets_trace_thread_init(&thread, &trace);
 *     const struct ets_trace_run run = {.name = "Execute", .method = "forward"};
 *     ets_trace_begin_run(&thread, &run);
 *     ets_trace_set_instruction(&thread, 0, 4);
 *     struct ets_trace_span span = ets_trace_begin(&thread, ETS_TRACE_OPERATORS, "conv1");
 *     conv1(); // the measured code
 *     ets_trace_end(&thread, span);
 *     ets_trace_end_run(&thread);
 *     ets_trace_finish(&trace);
 *     ets_trace_write(&trace, &(struct ets_etdump_sink){NULL, write_uart}, NULL);
 *
 * Made for devices: no heap, no C library but memcpy and memset. Recording copies an event into the
 * caller's buffer (24 bytes for the common one). After the run, ets_trace_write makes the
 * FlatBuffer, front to back, without further memory. docs/SPEC.md describes every byte.
 *
 * Tracing never stops the program. Events that cannot be kept are counted, and the trace keeps the
 * first reason (ets_trace_get_state). Both are written to the dump, and readers show them.
 *
 * Threads: each thread or interrupt handler that records has its own struct ets_trace_thread; all
 * share one struct ets_trace. The buffer is divided into chunks. Each thread fills its own chunk,
 * so recording takes no lock and no atomic read-modify-write. Shared work (taking the next chunk,
 * adding a name, counting) uses 32-bit atomics, or the config's critical section if the processor
 * has none. Do not call ets_trace_init, ets_trace_finish or functions that read the trace while
 * other threads record.
 *
 * Limits: 131,070 names (with 32-bit pointers 65,535 names of 524,280 bytes in total; 65,535 in a
 * stream, and for names of runs and allocators), 4096 bytes per name, chain indices up to 32,767.
 * Metadata and tensor lists must fit in a chunk.
 */
#ifndef ETSCOPE_TRACE_H
#define ETSCOPE_TRACE_H

#include "etscope/base.h"
#include "etscope/etdump.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What to do when the buffer is full. */
enum ets_trace_mode {
    ETS_TRACE_STOP = 0,  /* drop later events and count them */
    ETS_TRACE_RING = 1,  /* overwrite the oldest chunk, which keeps the latest events */
    ETS_TRACE_STREAM = 2 /* send full chunks to the config's stream; see docs/SPEC.md, "Streams" */
};

/* What to record: a set of bits. A kind that is off costs one predictable branch. */
enum ets_trace_what {
    ETS_TRACE_METHODS = 1,   /* Method::init, Method::execute and the like */
    ETS_TRACE_OPERATORS = 2, /* OPERATOR_CALL, native_call_* and your own events */
    ETS_TRACE_DELEGATES = 4, /* events that delegates report */
    ETS_TRACE_ALLOCATIONS = 8,
    ETS_TRACE_OUTPUTS = 16,      /* debug values: outputs of the method */
    ETS_TRACE_INTERMEDIATES = 32 /* all other debug values */
};

/* Everything but debug values: the meaning of `what` 0 in a config. */
#define ETS_TRACE_DEFAULT \
    (ETS_TRACE_METHODS | ETS_TRACE_OPERATORS | ETS_TRACE_DELEGATES | ETS_TRACE_ALLOCATIONS)

/* Reads a counter that never runs backwards. */
typedef uint64_t (*ets_trace_clock)(void *context);

/*
 * The processor's own 64-bit counter, where programs may read it: the time stamp counter of x86,
 * the virtual counter of AArch64, the timer of 64-bit RISC-V. `context` is NULL. As a config's
 * clock it is read inline, which saves two calls per event. Give its rate as clock_hz, or give a
 * platform clock to measure the rate with.
 */
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || \
                          (defined(__riscv) && __riscv_xlen == 64))
#define ETS_TRACE_HAS_CYCLES 1
uint64_t ets_trace_cycles(void *context);
#endif

/*
 * Stores the bytes of a tensor. `*offset_out` is their position, which the ETDump states. Returns
 * OK, or why not (NO_SPACE, IO); the event is then dropped and counted. When a ring overwrites
 * events, the bytes that they gave to the sink stay there.
 */
struct ets_trace_data_sink {
    void *context;
    enum ets_status (*write)(void *context, const void *data, size_t size, uint64_t *offset_out);
};

/*
 * A critical section. Needed only if the processor has no 32-bit atomic operations (ARMv6-M), or if
 * several threads share a data sink. (Only one thread at a time writes to a stream: the others
 * leave it their chunks.)
 */
struct ets_trace_section {
    void *context;
    void (*enter)(void *context);
    void (*leave)(void *context);
};

/*
 * The settings of a trace. Fields may be 0 or NULL unless stated otherwise. ets_trace_init copies
 * the struct.
 */
struct ets_trace_config {
    /*
     * Memory for events, and for names if `names` is NULL. Any alignment. 2 KiB hold about 50
     * events and 18 names of 12 letters (13 names with 8-byte pointers). If it is too small,
     * ets_trace_init returns NO_SPACE and all events are dropped.
     */
    void *buffer;
    size_t buffer_bytes;
    /* Memory for names. Any alignment. NULL: use a quarter of `buffer`. */
    void *names;
    size_t names_bytes;
    /*
     * 1: keep and compare names as pointers; for string literals, which must stay valid until the
     * dump is written. 0: copy names; the text behind a pointer seen before is compared.
     */
    int names_are_static;
    /* Number of chunks of the buffer, at least the number of threads. 0: up to 16. */
    uint32_t chunk_count;
    enum ets_trace_mode mode;
    uint32_t what; /* bits of ets_trace_what; 0: ETS_TRACE_DEFAULT */
    /* The clock for begin and end. NULL: every time is 0. */
    ets_trace_clock clock;
    void *clock_context;
    uint64_t clock_hz; /* ticks per second. 0: unknown, see platform_clock */
    /*
     * The clock of the times that delegates report (in ExecuTorch: et_pal_current_ticks). Reading
     * it may take longer than reading `clock`. It is read when runs begin and end, to relate
     * `clock` to it and to measure the rate of `clock`. NULL: `clock` is also the platform's clock.
     */
    ets_trace_clock platform_clock;
    void *platform_clock_context;
    /* Nanoseconds of a platform tick, as a fraction. 0 means 1. */
    uint64_t platform_ns_numerator, platform_ns_denominator;
    /*
     * Memory for the bytes of tensors, if there is no `data_sink`. Each tensor starts at a multiple
     * of 64. In a ring, each chunk has an equal part of it, at most 4 GiB, which is reused with the
     * chunk. A tensor larger than its part is dropped and counted; fewer chunks make larger parts.
     * With neither buffer nor sink, tensors are recorded without bytes, in the extra block only.
     */
    void *debug_buffer;
    size_t debug_buffer_bytes;
    struct ets_trace_data_sink data_sink; /* write NULL: none */
    struct ets_etdump_sink stream;        /* required in mode STREAM */
    /* Mode STREAM: 1: send each begin at once, which shows where a program hangs. */
    int flush_begins;
    struct ets_trace_section section; /* enter NULL: none */
    struct ets_bytes fingerprint; /* identifies the program; at most 64 bytes. {NULL, 0}: none */
};

/* Numbers n with begin <= n < end. {0, 0}: all. */
struct ets_trace_range {
    uint32_t begin, end;
};

/* Where an event or value comes from. */
enum ets_trace_origin {
    ETS_TRACE_ANY = 0,
    ETS_TRACE_INSTRUCTIONS = 1, /* the instruction itself */
    ETS_TRACE_PARTS = 2         /* a part of a delegate */
};

/*
 * Selects what to record: events that match all fields. A field of 0 matches everything.
 *
 *     static const char *const names[] = {"native_call_conv*", "conv? *"};
 *     static const struct ets_trace_filter filters[] = {
 *         {.what = ETS_TRACE_OPERATORS | ETS_TRACE_DELEGATES, .names = names, .name_count = 2},
 *         {.what = ETS_TRACE_INTERMEDIATES, .instructions = {10, 20}}}; // of chain 0
 *     ets_trace_set_filters(&trace, filters, 2);
 *
 * Note the opposite meaning of ExecuTorch's set_delegation_intermediate_output_filter: matches of
 * an ETDumpFilter are left out, and an empty one leaves out everything.
 */
struct ets_trace_filter {
    /*
     * The kinds to filter: bits of ets_trace_what. 0: OPERATORS, DELEGATES, OUTPUTS and
     * INTERMEDIATES. METHODS are filtered only if named here. ALLOCATIONS cannot be filtered.
     */
    uint32_t what;
    /*
     * Names: of an event or a delegate's part, or the integer of a delegate's part (`ids`).
     * Patterns match whole names; '*' matches any text, '?' one character. If patterns or integers
     * are given, events without a matching name or integer are not recorded. These include values
     * of instructions, which have no name.
     */
    const char *const *names;
    uint32_t name_count;
    struct ets_trace_range ids;
    /* Position: instructions of `chain`. */
    int32_t chain;
    struct ets_trace_range instructions;
    enum ets_trace_origin origin;
};

/* Records tensors as statistics (numerics.h): see ets_trace_set_reducer. */
struct ets_trace_reducer {
    uint32_t what; /* OUTPUTS, INTERMEDIATES or both. 0: both */
    uint32_t
        first_count; /* values to keep from the start, at most ETS_TENSOR_STATISTICS_FIRST_LIMIT */
};

struct ets_tensor_statistics;
struct ets_trace_subject;

/*
 * inner: set by ets_trace_set_filters and ets_trace_set_reducer. The function pointers let linkers
 * drop unused code.
 */
struct ets_trace_choices {
    const struct ets_trace_filter *filters;
    uint32_t filter_count, filtered; /* the kinds that filters select from */
    struct ets_trace_reducer reducer;
    int (*admits)(const struct ets_trace_choices *choices, const struct ets_trace_subject *subject);
    enum ets_status (*summarize)(const struct ets_tensor *tensor, uint32_t first_count,
                                 struct ets_tensor_statistics *statistics_out);
};

/* inner: recently used names, by hash of the pointer. */
#define ETS_TRACE_CACHED_NAMES 128

/* A recorder. The caller declares it. Its fields belong to the library. */
struct ets_trace {
    struct ets_trace_config config;
    struct ets_trace_chunk *chunks;
    uint8_t *slots;
    uint32_t chunk_count, chunk_slots;
    uint32_t enabled;                /* bits of ets_trace_what, and one for "finished" */
    uint32_t chunks_taken, sequence; /* unused chunks are taken first */
    uint32_t lanes, runs;
    uint32_t first_error, dropped, unnamed, backwards, overwritten, stale;
    uint32_t generation; /* number of resets */
    uint32_t has_allocators, has_extra_values, has_clock, has_platform;
    struct ets_trace_choices choices;
    uint32_t filtered;   /* kinds that were filtered, or that only some runs have */
    size_t debug_bytes;  /* used bytes of the debug buffer; not in a ring */
    uint32_t part_bytes; /* ring: each chunk's part of the debug buffer */
    uint32_t sent, is_sending, stream_names; /* frames sent; a flag; names sent */
    uint32_t next_preamble, lost_frames;
    struct ets_etdump_name *names;
    size_t names_used; /* number of names, and bytes of text / 8 in the upper half */
    size_t text_limit; /* bytes for names and their texts; texts grow from the end */
    uint32_t name_limit;
    uint32_t index_places; /* of the name index, 32 bits each, just before the names */
    uint64_t first_ticks, first_platform; /* both clocks at init */
    uint64_t last_ticks, last_platform;   /* both clocks at the end */
    uint32_t cost_ticks_q8;               /* cost of a begin and end pair, in 1/256 ticks */
    uint8_t fingerprint[64];
    uint16_t cached_names[ETS_TRACE_CACHED_NAMES];
};

/* inner: names that a thread used recently, by pointer. */
#define ETS_TRACE_THREAD_NAMES 16

struct ets_trace_known_name {
    const char *name; /* the caller's pointer */
    const char *copy; /* compared with `name`; NULL: names are static */
    uint32_t shape;   /* how to compare them */
    uint32_t id;
};

/* The state of one recording thread. The caller declares it. Its fields belong to the library. */
struct ets_trace_thread {
    struct ets_trace *trace;
    uint8_t *next, *end;
    struct ets_trace_chunk *chunk; /* NULL: none */
    uint8_t *segment;              /* the run's header in the chunk */
    uint32_t segment_events;
    int32_t chain;
    uint32_t instruction;
    uint32_t lane;
    uint32_t generation; /* of the trace when the thread was initialised */
    uint32_t run;        /* number of the open run; 0: none */
    uint32_t invocation;
    int32_t bundled_input_index;
    uint64_t run_ticks, run_platform; /* both clocks when the run began */
    int32_t allocators;
    uint16_t run_name, method_name;
    uint8_t run_flags;
    struct ets_trace_known_name names[ETS_TRACE_THREAD_NAMES];
};

/* What a run does. */
enum ets_trace_purpose { ETS_TRACE_UNKNOWN = 0, ETS_TRACE_LOAD = 1, ETS_TRACE_EXECUTE = 2 };

/* A run block. */
/* What a run of a language model is for. */
enum ets_run_stage {
    ETS_STAGE_NONE = 0,    /* of no generation, or not known */
    ETS_STAGE_PREFILL = 1, /* the tokens of the prompt */
    ETS_STAGE_DECODE = 2,  /* a token after those that were made before */
    ETS_STAGE_ENCODE = 3,  /* what an encoder reads before */
    ETS_STAGE_COUNT = 4
};

/* "prefill", "decode", "encode"; NULL for NONE. Static storage. */
static inline const char *ets_run_stage_name(enum ets_run_stage stage)
{
    return stage == ETS_STAGE_PREFILL  ? "prefill"
           : stage == ETS_STAGE_DECODE ? "decode"
           : stage == ETS_STAGE_ENCODE ? "encode"
                                       : NULL;
}

struct ets_trace_run {
    const char *name;    /* "Default" and "Execute" in ExecuTorch. NULL: "Default" */
    const char *method;  /* the method that is loaded or executed. NULL: not known */
    uint32_t invocation; /* number of earlier runs of the method */
    enum ets_trace_purpose purpose;
    int is_bundled; /* 1: bundled_input_index is set */
    int32_t bundled_input_index;
    /*
     * Of a language model: how many tokens the run computes, from which position of the sequence
     * on, and for what, so that readers tell prefill and decode apart and say tokens per second.
     * `tokens` 0: not known; an encoder's run has none, only the stage. Takes a slot of 24 bytes.
     */
    enum ets_run_stage stage;
    uint32_t tokens;
    uint64_t position;
};

/*
 * inner: kinds of spans, in the top byte of `about`. The bytes below hold the chain, the name, and
 * the instruction or the delegate's integer. In a wide span only the top bit is the kind.
 */
#define ETS_TRACE_SPAN_EVENT (UINT64_C(1) << 56)
#define ETS_TRACE_SPAN_DELEGATE (UINT64_C(2) << 56)
#define ETS_TRACE_SPAN_OFF (UINT64_C(3) << 56)
#define ETS_TRACE_SPAN_WIDE (UINT64_C(1) << 63)

/* inner: bits of `enabled`: set by ets_trace_finish, and for filtered kinds. */
#define ETS_TRACE_FINISHED (UINT32_C(1) << 31)
#define ETS_TRACE_FILTERED(what) ((uint32_t)(what) << 16)

/*
 * An open event, passed by value from begin to end. After ets_trace_reset it is stale, because its
 * name may be gone. Its fields belong to the library.
 */
struct ets_trace_span {
    uint64_t start_ticks;
    uint64_t about; /* 0: never begun */
    uint32_t generation;
};

/* inner: the part of a span that functions return: two registers. */
struct ets_trace_begun {
    uint64_t start_ticks, about;
};

/* The identifier of a delegate's part: either an integer or a string, as in ExecuTorch. */
struct ets_trace_delegate {
    const char *name; /* NULL: use the integer `id` */
    int32_t id;
};

/* The state of a trace, for reports. */
struct ets_trace_state {
    enum ets_status first_error; /* why the first event was dropped. OK: none was */
    uint32_t dropped;            /* events that could not be kept */
    uint32_t unnamed;            /* events kept without their name */
    uint32_t backwards;          /* events that ended before they began, kept with duration 0 */
    uint32_t overwritten;        /* events that a ring replaced by later ones */
    uint32_t stale;              /* ends of spans from before ets_trace_reset; not kept */
    uint32_t names;
    size_t used_bytes, capacity_bytes; /* of the buffer's part for events */
    size_t debug_bytes; /* of the debug buffer, from its start; events refer to these only */
};

/* A list of tensors, read one by one, so that the caller needs no array. */
struct ets_trace_tensors {
    void *context;
    uint32_t count;
    /*
     * Fills `tensor_out`, which is all zero, with tensor `index`. It is called twice for each
     * tensor and must give the same answer. Returns OK, or why not; the list is then dropped and
     * counted.
     */
    enum ets_status (*get)(void *context, uint32_t index, struct ets_tensor *tensor_out);
};

/*
 * Prepares `trace`. Statuses: INVALID_ARGUMENT (config NULL, mode unknown, mode STREAM without a
 * stream, a chunk_count that leaves no room for an event), NO_SPACE (a buffer too small for an
 * event). After a failure all calls are safe; events are dropped and counted.
 */
enum ets_status ets_trace_init(struct ets_trace *trace, const struct ets_trace_config *config);

/*
 * Forgets all events, names and counts. Initialise all threads again. The config's `what` applies
 * again; sinks, filters, reducer and the measured cost stay. A span that is open across a reset is
 * stale: its end records nothing and is counted. Statuses: those of ets_trace_init.
 */
enum ets_status ets_trace_reset(struct ets_trace *trace);

/* Prepares `thread` to record into `trace`, outside any run and instruction. */
void ets_trace_thread_init(struct ets_trace_thread *thread, struct ets_trace *trace);

/*
 * Closes the thread's chunk, so that a ring can reuse it. For threads that end or pause. The thread
 * may record again later.
 */
void ets_trace_thread_release(struct ets_trace_thread *thread);

/*
 * Sets what to record from now on: bits of ets_trace_what; 0: nothing. Callable from any thread;
 * call it between runs. The dump says with which kinds only some runs began (but for ALLOCATIONS),
 * as of filtered kinds.
 */
void ets_trace_enable(struct ets_trace *trace, uint32_t what);

/*
 * Set the config's debug buffer and data sink later, before the first tensor. NULL as buffer or
 * write: none. A debug buffer is filled from its start again. Do not call while other threads
 * record.
 */
void ets_trace_set_debug_buffer(struct ets_trace *trace, void *buffer, size_t bytes);
void ets_trace_set_data_sink(struct ets_trace *trace, struct ets_trace_data_sink sink);

/*
 * Sets filters. From now on, a kind named by a filter is recorded only if it matches at least one
 * filter; other kinds are recorded as before. The filters and their patterns are borrowed until
 * they are set again; NULL, 0: no filters. Do not call while other threads record. Filtering costs
 * about as much as comparing the names; kinds without a filter cost nothing. Statuses:
 * INVALID_ARGUMENT (a kind that cannot be filtered, a range that ends before it begins, NULL with a
 * count); the filters are then unchanged.
 *
 * The dump says which kinds were filtered, so that etscope can join the remaining operators with
 * their ETRecord. The method is certain only if the runs name it.
 */
enum ets_status ets_trace_set_filters(struct ets_trace *trace,
                                      const struct ets_trace_filter *filters, uint32_t count);

/*
 * Reduces tensors of these kinds to statistics when they are logged: counts of numbers, NaNs,
 * infinities and zeros, range, sums (for mean, deviation, L1 and L2 norm), hash and first values.
 * That takes 104 bytes and 8 per first value. The tensors' bytes are not kept, and not needed after
 * the call. ETDump has no field for statistics, so they are written to the extra block. Of tensors
 * whose elements are not numbers only the shape is kept. NULL: reduce none. The struct is copied.
 * Do not call while other threads record. Statuses: INVALID_ARGUMENT (other kinds, too many first
 * values).
 */
enum ets_status ets_trace_set_reducer(struct ets_trace *trace,
                                      const struct ets_trace_reducer *reducer);

/* Counts an event that the caller cannot record. The first `reason` is kept. */
void ets_trace_drop(struct ets_trace *trace, enum ets_status reason);

/*
 * Opens a run block for the thread's events, up to the next begin_run. Ends the previous run if it
 * is still open. An event outside any run opens one named "Default".
 */
void ets_trace_begin_run(struct ets_trace_thread *thread, const struct ets_trace_run *run);

/* Ends the run. Later events still belong to it; ExecuTorch logs outputs there. */
void ets_trace_end_run(struct ets_trace_thread *thread);

/*
 * Sets the current instruction. Outside any instruction: chain -1, instruction 0, as in ExecuTorch.
 */
static inline void ets_trace_set_instruction(struct ets_trace_thread *thread, int32_t chain,
                                             uint32_t instruction)
{
    thread->chain = chain;
    thread->instruction = instruction;
}

/* Bits of ets_trace_what, ETS_TRACE_FINISHED, and inner ones. */
static inline uint32_t ets_trace_enabled(const struct ets_trace *trace)
{
#if defined(__GNUC__) && __GCC_ATOMIC_INT_LOCK_FREE == 2
    return __atomic_load_n(&trace->enabled, __ATOMIC_RELAXED);
#else
    return *(const volatile uint32_t *)&trace->enabled;
#endif
}

/* inner: the position of an event, as in its span. 0 for chains above 32,767, which are dropped. */
static inline uint64_t ets_trace_place(int32_t chain, uint32_t instruction)
{
    const uint32_t number = (uint32_t)chain;
    if (number + 1 < 255) { /* -1 is 255 */
        return ETS_TRACE_SPAN_EVENT | (uint64_t)(number & 255) << 48 | instruction;
    }
    if (number > 0x7fff) return 0;
    return ETS_TRACE_SPAN_WIDE | (uint64_t)number << 48 | instruction;
}

/* inner: the functions below call these if the kind is enabled or the trace is finished. */
struct ets_trace_begun ets_trace_begin_enabled(struct ets_trace_thread *thread, const char *name,
                                               uint64_t place, uint32_t enabled);
void ets_trace_end_begun(struct ets_trace_thread *thread, struct ets_trace_begun begun,
                         uint32_t generation);

/* inner: the same for a filtered kind or a finished trace. */
struct ets_trace_begun ets_trace_begin_filtered(struct ets_trace_thread *thread, uint32_t what,
                                                const char *name, int32_t chain,
                                                uint32_t instruction);

/*
 * Begins an event at the given instruction. `what` is the single bit that enables it. `name` may
 * change after the call (unless names_are_static); NULL: none.
 */
static inline struct ets_trace_span ets_trace_begin_at(struct ets_trace_thread *thread,
                                                       uint32_t what, const char *name,
                                                       int32_t chain, uint32_t instruction)
{
    struct ets_trace_begun begun = {0, ETS_TRACE_SPAN_OFF};
    const uint32_t enabled = ets_trace_enabled(thread->trace);
    if ((enabled & (what | ETS_TRACE_FILTERED(what) | ETS_TRACE_FINISHED)) == what) {
        begun = ets_trace_begin_enabled(thread, name, ets_trace_place(chain, instruction), enabled);
    } else if ((enabled & (what | ETS_TRACE_FINISHED)) != 0) {
        begun = ets_trace_begin_filtered(thread, what, name, chain, instruction);
    }
    const struct ets_trace_span span = {begun.start_ticks, begun.about, thread->generation};
    return span;
}

/* The same at the current instruction. */
static inline struct ets_trace_span ets_trace_begin(struct ets_trace_thread *thread, uint32_t what,
                                                    const char *name)
{
    return ets_trace_begin_at(thread, what, name, thread->chain, thread->instruction);
}

/*
 * Ends and records the event; events are therefore in the order of their ends. A span that began
 * while its kind was disabled, or that was filtered out, is ignored. A zero span is counted as
 * dropped (INVALID_ARGUMENT), a stale span as stale.
 */
static inline void ets_trace_end(struct ets_trace_thread *thread, struct ets_trace_span span)
{
    const struct ets_trace_begun begun = {span.start_ticks, span.about};
    if (span.about != ETS_TRACE_SPAN_OFF) ets_trace_end_begun(thread, begun, span.generation);
}

/* Begins an event of a delegate. */
struct ets_trace_span ets_trace_begin_delegate(struct ets_trace_thread *thread,
                                               struct ets_trace_delegate part);

/* Ends the event, at the current instruction. `metadata` is copied; {NULL, 0}: none. */
void ets_trace_end_delegate(struct ets_trace_thread *thread, struct ets_trace_span span,
                            struct ets_bytes metadata);

/* Records a delegate's event after it ended, with times of the platform clock. */
void ets_trace_log_delegate(struct ets_trace_thread *thread, struct ets_trace_delegate part,
                            uint64_t start_platform_ticks, uint64_t end_platform_ticks,
                            struct ets_bytes metadata);

/*
 * 1 if a debug value would be recorded now: its kind is enabled and passes the filters. For callers
 * that must prepare the value.
 */
int ets_trace_wants_value(const struct ets_trace_thread *thread,
                          const struct ets_trace_delegate *part, int is_output);

/*
 * Record debug values. `part` NULL: a value of the instruction itself, else of a delegate's part.
 * `is_output`: 1 for an output of the method. Return OK, also if the kind is disabled or filtered
 * out; else why the value was dropped: NO_SPACE, IO (from the data sink), INVALID_ARGUMENT (rank
 * over ETS_TENSOR_MAX_RANK, missing bytes).
 *
 * A tensor with bytes becomes a debug event of the ETDump. A tensor without bytes (there is no
 * sink, or it was reduced) goes to the extra block only, because readers of ETDump take every
 * offset for a position in the debug buffer.
 */
enum ets_status ets_trace_log_tensor(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part,
                                     const struct ets_tensor *tensor, int is_output);
enum ets_status ets_trace_log_tensors(struct ets_trace_thread *thread,
                                      const struct ets_trace_delegate *part,
                                      const struct ets_tensor *tensors, uint32_t count,
                                      int is_output);
enum ets_status ets_trace_log_tensor_list(struct ets_trace_thread *thread,
                                          const struct ets_trace_delegate *part,
                                          const struct ets_trace_tensors *tensors, int is_output);
enum ets_status ets_trace_log_int(struct ets_trace_thread *thread,
                                  const struct ets_trace_delegate *part, int64_t value,
                                  int is_output);
enum ets_status ets_trace_log_double(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part, double value,
                                     int is_output);
enum ets_status ets_trace_log_bool(struct ets_trace_thread *thread,
                                   const struct ets_trace_delegate *part, int value, int is_output);
/* ETDump has no field for a string, so it goes to the extra block. It is stored like a name. */
enum ets_status ets_trace_log_string(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part, const char *value,
                                     int is_output);

/*
 * Adds an allocator to the open run. Returns its number, which starts at 1 in each run, or 0 if it
 * was dropped or allocations are not recorded.
 */
int32_t ets_trace_add_allocator(struct ets_trace_thread *thread, const char *name);

/* Records an allocation of `bytes` from allocator number `allocator`. */
void ets_trace_log_allocation(struct ets_trace_thread *thread, int32_t allocator, uint64_t bytes);

/*
 * Measures the cost of a begin and end pair on this device, both clock readings included. The dump
 * states it, so that readers can subtract it. Takes the minimum of 64 times four pairs, uses 2.5 kB
 * of stack and records nothing. Does nothing without a clock.
 */
void ets_trace_measure_cost(struct ets_trace_thread *thread);

/*
 * Mode STREAM: sends the full chunks of all threads, then what this thread recorded so far.
 * Statuses: IO (the stream refused; the events are dropped and counted). OK also if another thread
 * is sending at the moment, which leaves the rest for later.
 */
enum ets_status ets_trace_flush(struct ets_trace_thread *thread);

/* Ends recording. Later events are dropped and counted (INVALID_ARGUMENT). */
void ets_trace_finish(struct ets_trace *trace);

ETS_API void ets_trace_get_state(const struct ets_trace *trace, struct ets_trace_state *state_out);

/*
 * If events were dropped because memory was full, the dump ends with a run of this name that has
 * one event of this name. It shows the loss to readers that do not know the extra block.
 */
#define ETS_TRACE_CUT_NAME "etscope: events were dropped, the tracer's memory was full"

/*
 * The size of the ETDump that ets_trace_write would write now. Statuses: those of
 * ets_etdump_writer_size.
 */
ETS_API enum ets_status ets_trace_dump_size(struct ets_trace *trace, size_t *bytes_out,
                                            struct ets_error *error);

/*
 * Writes the trace as an ETDump with times in nanoseconds and the extra block. The trace is
 * unchanged. Statuses: those of ets_etdump_write and ets_etdump_write_buffer.
 */
ETS_API enum ets_status ets_trace_write(struct ets_trace *trace, const struct ets_etdump_sink *sink,
                                        struct ets_error *error);
ETS_API enum ets_status ets_trace_write_buffer(struct ets_trace *trace, void *buffer,
                                               size_t capacity, size_t *bytes_out,
                                               struct ets_error *error);

/*
 * A stream into the caller's memory, for mode STREAM and for ets_trace_write. As a config's stream
 * it must live as long as the trace. Data that does not fit is refused: in mode STREAM its events
 * are counted as dropped, and ets_trace_recover makes an ETDump of the first `bytes`. platforms/
 * has sinks for files and descriptors. For anything else write your own.
 */
struct ets_trace_memory {
    void *data;
    size_t capacity;
    size_t bytes; /* used */
};

struct ets_etdump_sink ets_trace_memory_stream(struct ets_trace_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
