/*
 * trace.h - recording what a program does on a device, and writing it as an ETDump.
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
 *     conv1(); // what is measured
 *     ets_trace_end(&thread, span);
 *     ets_trace_end_run(&thread);
 *     ets_trace_finish(&trace);
 *     ets_trace_write(&trace, &(struct ets_etdump_sink){NULL, write_uart}, NULL);
 *
 * For devices: no heap, no C library besides memcpy and memset. An event is copied into the
 * caller's buffer (24 bytes for the common one); the FlatBuffer is made after the run, by
 * ets_trace_write, front to back, without further memory. docs/SPEC.md has every byte.
 *
 * Nothing here stops the traced program: an event that cannot be kept is counted, the first reason
 * stays in the trace (ets_trace_get_state), and both go into the dump, where readers show them.
 *
 * Threads: each thread, and each interrupt handler, that records has a struct ets_trace_thread of
 * its own over the one shared struct ets_trace. The buffer is cut into chunks; a thread fills a
 * chunk that is its own, so that recording takes no lock and no atomic read-modify-write. What is
 * shared (taking the next chunk, adding a name, counting) uses 32-bit atomics, or the config's
 * critical section where the processor has none. ets_trace_init, _finish and what reads the trace
 * must not run while other threads record.
 *
 * Limits: 131,070 names (65,535, and 524,280 bytes of them all, where pointers have 32 bits; 65,535
 * in a stream, and for those of runs and allocators), 4096 bytes a name, chain indices up to
 * 32,767, metadata and tensor lists that fit into a chunk.
 */
#ifndef ETSCOPE_TRACE_H
#define ETSCOPE_TRACE_H

#include "etscope/base.h"
#include "etscope/etdump.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What happens when the buffer is full. */
enum ets_trace_mode {
    ETS_TRACE_STOP = 0,  /* later events are dropped and counted */
    ETS_TRACE_RING = 1,  /* the oldest chunk is given up: the latest events are kept */
    ETS_TRACE_STREAM = 2 /* full chunks go through the config's stream; see SPEC, "Streams" */
};

/* What is recorded: bits, so that each kind costs one predictable branch when it is off. */
enum ets_trace_what {
    ETS_TRACE_METHODS = 1,   /* Method::init, Method::execute and the like */
    ETS_TRACE_OPERATORS = 2, /* OPERATOR_CALL, native_call_*, and your own */
    ETS_TRACE_DELEGATES = 4, /* what delegates report */
    ETS_TRACE_ALLOCATIONS = 8,
    ETS_TRACE_OUTPUTS = 16,      /* debug values that are outputs of the whole method */
    ETS_TRACE_INTERMEDIATES = 32 /* all other debug values */
};

/* Everything but debug values: what `what` 0 in a config means. */
#define ETS_TRACE_DEFAULT \
    (ETS_TRACE_METHODS | ETS_TRACE_OPERATORS | ETS_TRACE_DELEGATES | ETS_TRACE_ALLOCATIONS)

/* Reads a counter that does not run backwards. */
typedef uint64_t (*ets_trace_clock)(void *context);

/*
 * The processor's own counter, where a program may read one of 64 bits: the time stamp counter of
 * x86, the virtual counter of AArch64, the timer of RISC-V with 64 bits. `context`: NULL. As a
 * config's clock it is read in place, which saves two calls an event; its rate is found with the
 * help of a platform clock, or told as clock_hz.
 */
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || \
                          (defined(__riscv) && __riscv_xlen == 64))
#define ETS_TRACE_HAS_CYCLES 1
uint64_t ets_trace_cycles(void *context);
#endif

/*
 * Keeps the bytes of a tensor and tells where: `*offset_out` is what the ETDump will say. Answers
 * OK, or the reason why not (NO_SPACE, IO): the event is then dropped and counted. In a ring, what
 * it was given is not taken back with the events that are given up: that is the sink's business.
 */
struct ets_trace_data_sink {
    void *context;
    enum ets_status (*write)(void *context, const void *data, size_t size, uint64_t *offset_out);
};

/*
 * A short section that nothing else of this trace may interrupt. Needed only where the processor
 * has no 32-bit atomic operations (ARMv6-M), and around data sinks that several threads share. (A
 * stream is written by one thread at a time: others leave their chunks to it.)
 */
struct ets_trace_section {
    void *context;
    void (*enter)(void *context);
    void (*leave)(void *context);
};

/* All fields may be 0 or NULL besides those that say otherwise. Copied by ets_trace_init. */
struct ets_trace_config {
    /*
     * Where events are kept, and names where `names` is NULL; any alignment. 2 KiB hold about 50
     * events and 18 names of 12 letters (13, where pointers have 8 bytes). Too small:
     * ets_trace_init answers NO_SPACE and everything is dropped.
     */
    void *buffer;
    size_t buffer_bytes;
    /* Where names are kept; any alignment. NULL: a quarter of `buffer`. */
    void *names;
    size_t names_bytes;
    /*
     * 1: names are kept as pointers and told apart by them, for string literals, which must stay
     * until the dump is written. 0: names are copied, and a pointer that comes again is compared.
     */
    int names_are_static;
    /* Chunks that the buffer is cut into. 0: up to 16. At least the number of threads. */
    uint32_t chunk_count;
    enum ets_trace_mode mode;
    uint32_t what; /* bits of ets_trace_what; 0: ETS_TRACE_DEFAULT */
    /* The clock for begin and end. NULL: every time is 0. */
    ets_trace_clock clock;
    void *clock_context;
    uint64_t clock_hz; /* its ticks in a second. 0: not known, see platform_clock */
    /*
     * A second, slower clock, in which delegates give their own times (in ExecuTorch:
     * et_pal_current_ticks). It is read where runs begin and end, to tie `clock` to it and to find
     * its rate. NULL: `clock` is the platform's clock, too.
     */
    ets_trace_clock platform_clock;
    void *platform_clock_context;
    /* A tick of the platform's clock is this many nanoseconds. 0: 1. */
    uint64_t platform_ns_numerator, platform_ns_denominator;
    /*
     * Where bytes of tensors go: `data_sink`, or else this buffer, each at an address that is a
     * multiple of 64. In a ring each chunk has an equal part of it, which is used again with the
     * chunk, at most 4 GiB; a tensor larger than a part is dropped and counted: fewer chunks make
     * larger parts.
     * Neither: tensors are recorded without bytes, for the extra block alone.
     */
    void *debug_buffer;
    size_t debug_buffer_bytes;
    struct ets_trace_data_sink data_sink; /* write NULL: none */
    struct ets_etdump_sink stream;        /* of mode STREAM: needed there */
    /* Of mode STREAM: 1: every begin is sent at once, so that a hang can be named. */
    int flush_begins;
    struct ets_trace_section section; /* enter NULL: none */
    struct ets_bytes fingerprint;     /* of the program, at most 64 bytes. {NULL, 0}: none */
};

/* From `begin` on, up to but without `end`. {0, 0}: all. */
struct ets_trace_range {
    uint32_t begin, end;
};

/* What an event or a value is of. */
enum ets_trace_origin {
    ETS_TRACE_ANY = 0,
    ETS_TRACE_INSTRUCTIONS = 1, /* the instruction itself */
    ETS_TRACE_PARTS = 2         /* a part of a delegate */
};

/*
 * Chooses what is recorded: what matches, where fields that are 0 match everything.
 *
 *     static const char *const names[] = {"native_call_conv*", "conv? *"};
 *     static const struct ets_trace_filter filters[] = {
 *         {.what = ETS_TRACE_OPERATORS | ETS_TRACE_DELEGATES, .names = names, .name_count = 2},
 *         {.what = ETS_TRACE_INTERMEDIATES, .instructions = {10, 20}}}; // of chain 0
 *     ets_trace_set_filters(&trace, filters, 2);
 *
 * The polarity is not that of set_delegation_intermediate_output_filter with ExecuTorch's
 * ETDumpFilter, where what matches is left out, and an empty filter leaves out everything.
 */
struct ets_trace_filter {
    /*
     * The kinds that it chooses from: bits of ets_trace_what. 0: OPERATORS, DELEGATES, OUTPUTS and
     * INTERMEDIATES. METHODS are filtered only where that is said; ALLOCATIONS cannot be.
     */
    uint32_t what;
    /*
     * Who it is: an event's name, or a delegate part's name or integer. Patterns match whole names,
     * '*' any characters and '?' one. Where patterns or integers are given, what has neither such a
     * name nor such an integer does not match: so values of instructions, which have no name.
     */
    const char *const *names;
    uint32_t name_count;
    struct ets_trace_range ids;
    /* Where it is: instructions of `chain`. */
    int32_t chain;
    struct ets_trace_range instructions;
    enum ets_trace_origin origin;
};

/* Tensors become summaries (numerics.h): see ets_trace_set_reducer. */
struct ets_trace_reducer {
    uint32_t what; /* OUTPUTS, INTERMEDIATES, or both, which 0 means, too */
    uint32_t
        first_count; /* first values that are kept, at most ETS_TENSOR_STATISTICS_FIRST_LIMIT */
};

struct ets_tensor_statistics;
struct ets_trace_subject;

/* inner: what ets_trace_set_filters and _set_reducer set; functions, so that linkers see the use */
struct ets_trace_choices {
    const struct ets_trace_filter *filters;
    uint32_t filter_count, filtered; /* the kinds that they choose from */
    struct ets_trace_reducer reducer;
    int (*admits)(const struct ets_trace_choices *choices, const struct ets_trace_subject *subject);
    enum ets_status (*summarize)(const struct ets_tensor *tensor, uint32_t first_count,
                                 struct ets_tensor_statistics *statistics_out);
};

/* inner: names that were looked up lately, by hash of pointer. */
#define ETS_TRACE_CACHED_NAMES 128

/* A recorder. Declared by the caller; its fields are for the library. */
struct ets_trace {
    struct ets_trace_config config;
    struct ets_trace_chunk *chunks;
    uint8_t *slots;
    uint32_t chunk_count, chunk_slots;
    uint32_t enabled;                /* bits of ets_trace_what, and one for "finished" */
    uint32_t chunks_taken, sequence; /* chunks that were never used come first */
    uint32_t lanes, runs;
    uint32_t first_error, dropped, unnamed, backwards, overwritten, stale;
    uint32_t generation; /* how often it was reset */
    uint32_t has_allocators, has_extra_values, has_clock, has_platform;
    struct ets_trace_choices choices;
    uint32_t filtered;                       /* kinds that were ever filtered */
    size_t debug_bytes;                      /* used of the debug buffer; not in a ring */
    uint32_t part_bytes;                     /* in a ring: a chunk's part of the debug buffer */
    uint32_t sent, is_sending, stream_names; /* frames; a flag; names that were sent */
    uint32_t next_preamble, lost_frames;
    struct ets_etdump_name *names;
    size_t names_used; /* number of names, and bytes of text / 8 in the upper half */
    size_t text_limit; /* bytes of names and their texts, which begin at its end */
    uint32_t name_limit;
    uint32_t index_places; /* of the names' index, 32 bits each, right before the names */
    uint64_t first_ticks, first_platform; /* both clocks at init */
    uint64_t last_ticks, last_platform;   /* and at its end */
    uint32_t cost_ticks_q8;               /* of a begin and end pair, in 1/256 ticks */
    uint8_t fingerprint[64];
    uint16_t cached_names[ETS_TRACE_CACHED_NAMES];
};

/* inner: names that a thread used lately, by pointer. */
#define ETS_TRACE_THREAD_NAMES 16

struct ets_trace_known_name {
    const char *name; /* the caller's pointer */
    const char *copy; /* what it is compared with; NULL: names are static */
    uint32_t shape;   /* how to compare them */
    uint32_t id;
};

/* What one thread records with. Declared by the caller; its fields are for the library. */
struct ets_trace_thread {
    struct ets_trace *trace;
    uint8_t *next, *end;
    struct ets_trace_chunk *chunk; /* NULL: none is held */
    uint8_t *segment;              /* the run's header in the chunk */
    uint32_t segment_events;
    int32_t chain;
    uint32_t instruction;
    uint32_t lane;
    uint32_t generation; /* the trace's when the thread was initialised */
    uint32_t run;        /* number of the open run; 0: none */
    uint32_t invocation;
    int32_t bundled_input_index;
    uint64_t run_ticks, run_platform; /* both clocks at its begin */
    int32_t allocators;
    uint16_t run_name, method_name;
    uint8_t run_flags;
    struct ets_trace_known_name names[ETS_TRACE_THREAD_NAMES];
};

/* What a run does. */
enum ets_trace_purpose { ETS_TRACE_UNKNOWN = 0, ETS_TRACE_LOAD = 1, ETS_TRACE_EXECUTE = 2 };

/* A run block. */
struct ets_trace_run {
    const char *name;    /* "Default" and "Execute" in ExecuTorch. NULL: "Default" */
    const char *method;  /* the method that is loaded or executed. NULL: not known */
    uint32_t invocation; /* how many runs of it came before */
    enum ets_trace_purpose purpose;
    int is_bundled; /* 1: bundled_input_index is meant */
    int32_t bundled_input_index;
};

/*
 * inner: kinds of spans, in the uppermost byte of `about`; below are the chain, the name, and the
 * instruction or the delegate's integer. Of a wide one only the uppermost bit is the kind's.
 */
#define ETS_TRACE_SPAN_EVENT (UINT64_C(1) << 56)
#define ETS_TRACE_SPAN_DELEGATE (UINT64_C(2) << 56)
#define ETS_TRACE_SPAN_OFF (UINT64_C(3) << 56)
#define ETS_TRACE_SPAN_WIDE (UINT64_C(1) << 63)

/* inner: in `enabled` the bit of ets_trace_finish, and those of filtered kinds. */
#define ETS_TRACE_FINISHED (UINT32_C(1) << 31)
#define ETS_TRACE_FILTERED(what) ((uint32_t)(what) << 16)

/*
 * What is between begin and end, passed by value. It belongs to the trace as it was when it began:
 * after ets_trace_reset it is stale, as its name may be gone. Fields are for the library.
 */
struct ets_trace_span {
    uint64_t start_ticks;
    uint64_t about; /* 0: never begun */
    uint32_t generation;
};

/* inner: the part of a span that functions hand out: two registers. */
struct ets_trace_begun {
    uint64_t start_ticks, about;
};

/* The name of a part of a delegate: an integer or a string, as in ExecuTorch exactly one. */
struct ets_trace_delegate {
    const char *name; /* NULL: the integer `id` counts */
    int32_t id;
};

/* What a trace can tell about itself. */
struct ets_trace_state {
    enum ets_status first_error; /* OK: nothing was ever refused */
    uint32_t dropped;            /* events that were not kept */
    uint32_t unnamed;            /* events that were kept without their name */
    uint32_t backwards;          /* events that ended before they began: their duration is 0 */
    uint32_t overwritten;        /* events that a ring gave up for later ones */
    uint32_t stale;              /* ends of what had begun before ets_trace_reset: not kept */
    uint32_t names;
    size_t used_bytes, capacity_bytes; /* of what is for events in the buffer */
    size_t debug_bytes; /* of the debug buffer, from its front: what events refer to is inside */
};

/* A list of tensors, handed over one by one, so that nobody needs an array of them. */
struct ets_trace_tensors {
    void *context;
    uint32_t count;
    /*
     * Fills `tensor_out`, which is clear, with tensor `index`. Asked twice for each, with the same
     * answer. Answers OK, or why not: the list is then dropped and counted.
     */
    enum ets_status (*get)(void *context, uint32_t index, struct ets_tensor *tensor_out);
};

/*
 * Prepares `trace`. Statuses: INVALID_ARGUMENT (config NULL, mode unknown, mode STREAM without a
 * stream, a chunk_count that leaves no room for an event), NO_SPACE (a buffer too small for an
 * event). After a failure every call is safe, and events are dropped and counted.
 */
enum ets_status ets_trace_init(struct ets_trace *trace, const struct ets_trace_config *config);

/*
 * Forgets all events, names and counts; threads must be initialised again, and the config's `what`
 * is recorded. Sinks, filters, reducer and the measured cost stay. A span that is open meanwhile is
 * stale: its end records nothing and is counted. Statuses: as init.
 */
enum ets_status ets_trace_reset(struct ets_trace *trace);

/* Makes `thread` one that records into `trace`, outside of any run and instruction. */
void ets_trace_thread_init(struct ets_trace_thread *thread, struct ets_trace *trace);

/*
 * Closes the chunk that the thread holds, so that a ring can reclaim it: for threads that end or
 * pause. It can go on recording.
 */
void ets_trace_thread_release(struct ets_trace_thread *thread);

/* Sets what is recorded from now on: bits of ets_trace_what, 0 for nothing. From any thread. */
void ets_trace_enable(struct ets_trace *trace, uint32_t what);

/*
 * The config's debug buffer and data sink, set later: before the first tensor. buffer NULL, write
 * NULL: none. A debug buffer is used from its front again. Not while other threads record.
 */
void ets_trace_set_debug_buffer(struct ets_trace *trace, void *buffer, size_t bytes);
void ets_trace_set_data_sink(struct ets_trace *trace, struct ets_trace_data_sink sink);

/*
 * From now on a kind that filters choose from is recorded only where it matches any of these; kinds
 * that no filter names are as before. Borrowed, with their patterns, until they are set again;
 * NULL, 0: none. Not while other threads record. A filtered kind takes about as long as its names
 * take to compare; others cost nothing. Statuses: INVALID_ARGUMENT (bits that are not filtered, a
 * range that ends before it begins, NULL with a count): the filters stay as they were.
 *
 * The dump says which kinds were filtered: etscope's readers then join what is left of the
 * operators with their ETRecord. They know the method for certain where runs name it.
 */
enum ets_status ets_trace_set_filters(struct ets_trace *trace,
                                      const struct ets_trace_filter *filters, uint32_t count);

/*
 * From now on tensors of these kinds are reduced where they are logged: to counts of numbers, NaNs,
 * infinities and zeros, to range, sums (for mean, deviation, L1 and L2 norm), hash and first
 * values, 104 bytes and 8 for each of these. Their bytes are not kept, nor needed after the call;
 * an ETDump has no place for this: it is in the extra block. Tensors whose elements are no numbers
 * keep their shape alone. NULL: none is reduced. Copied. Not while other threads record. Statuses:
 * INVALID_ARGUMENT (other kinds, too many first values).
 */
enum ets_status ets_trace_set_reducer(struct ets_trace *trace,
                                      const struct ets_trace_reducer *reducer);

/* Counts an event that the caller cannot record; `reason` is kept if it is the first one. */
void ets_trace_drop(struct ets_trace *trace, enum ets_status reason);

/*
 * Opens a run block, in which the thread's events are until the next begin_run; the one before is
 * ended where that was not done. An event outside of any run opens one named "Default".
 */
void ets_trace_begin_run(struct ets_trace_thread *thread, const struct ets_trace_run *run);

/* Ends the run. Events that come now still belong to it (ExecuTorch's outputs do). */
void ets_trace_end_run(struct ets_trace_thread *thread);

/* The instruction that runs: chain -1 and instruction 0 outside of any, as in ExecuTorch. */
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

/* inner: the place of an event as its span has it; 0 for chains beyond 32,767, which are dropped.
 */
static inline uint64_t ets_trace_place(int32_t chain, uint32_t instruction)
{
    const uint32_t number = (uint32_t)chain;
    if (number + 1 < 255) { /* -1 is 255 */
        return ETS_TRACE_SPAN_EVENT | (uint64_t)(number & 255) << 48 | instruction;
    }
    if (number > 0x7fff) return 0;
    return ETS_TRACE_SPAN_WIDE | (uint64_t)number << 48 | instruction;
}

/* inner: what the functions below do where the kind is enabled or the trace is finished. */
struct ets_trace_begun ets_trace_begin_enabled(struct ets_trace_thread *thread, const char *name,
                                               uint64_t place, uint32_t enabled);
void ets_trace_end_begun(struct ets_trace_thread *thread, struct ets_trace_begun begun,
                         uint32_t generation);

/* inner: the same where filters choose from the kind, or the trace is finished. */
struct ets_trace_begun ets_trace_begin_filtered(struct ets_trace_thread *thread, uint32_t what,
                                                const char *name, int32_t chain,
                                                uint32_t instruction);

/*
 * Begins an event at the instruction that is given. `what`: the one bit that it is enabled by.
 * `name` may change or go after the call (unless names_are_static); NULL: none.
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
 * Ends it; the event is recorded now, so that events stand in the order of their ends. A span that
 * was begun while disabled, or filtered out, does nothing; a zero one is counted as dropped,
 * INVALID_ARGUMENT; a stale one is counted as that.
 */
static inline void ets_trace_end(struct ets_trace_thread *thread, struct ets_trace_span span)
{
    const struct ets_trace_begun begun = {span.start_ticks, span.about};
    if (span.about != ETS_TRACE_SPAN_OFF) ets_trace_end_begun(thread, begun, span.generation);
}

/* Begins an event of a delegate. */
struct ets_trace_span ets_trace_begin_delegate(struct ets_trace_thread *thread,
                                               struct ets_trace_delegate part);

/* Ends it, at the instruction that is current now. `metadata` is copied; {NULL, 0}: none. */
void ets_trace_end_delegate(struct ets_trace_thread *thread, struct ets_trace_span span,
                            struct ets_bytes metadata);

/* An event of a delegate after the fact, with the platform clock's times. */
void ets_trace_log_delegate(struct ets_trace_thread *thread, struct ets_trace_delegate part,
                            uint64_t start_platform_ticks, uint64_t end_platform_ticks,
                            struct ets_bytes metadata);

/*
 * 1 where a debug value would be recorded now: its kind is enabled, and filters let it pass. For
 * callers that have to prepare it.
 */
int ets_trace_wants_value(const struct ets_trace_thread *thread,
                          const struct ets_trace_delegate *part, int is_output);

/*
 * Debug values. `part` NULL: of the instruction itself, else of a delegate's part. `is_output`: an
 * output of the whole method. Each answers OK, also where the kind is disabled or filtered; else
 * why the value was dropped: NO_SPACE, IO (the data sink's answers), INVALID_ARGUMENT (rank over
 * ETS_TENSOR_MAX_RANK, bytes missing).
 *
 * A tensor whose bytes are kept is a debug event of the ETDump. One whose bytes are not, because
 * there is no sink or it was reduced, is told in the extra block alone, as ETDump's readers take
 * every offset for a place in the debug buffer.
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
/* ETDump has no place for a string: it goes into the extra block. It is kept as names are. */
enum ets_status ets_trace_log_string(struct ets_trace_thread *thread,
                                     const struct ets_trace_delegate *part, const char *value,
                                     int is_output);

/*
 * Adds an allocator to the open run. Returns its number, which starts from 1 in each run; 0 where
 * it was dropped or allocations are not recorded.
 */
int32_t ets_trace_add_allocator(struct ets_trace_thread *thread, const char *name);

/* An allocation of `bytes` from allocator number `allocator`. */
void ets_trace_log_allocation(struct ets_trace_thread *thread, int32_t allocator, uint64_t bytes);

/*
 * Measures what a begin and end pair costs on this device, both clock readings included, for the
 * dump: readers can then subtract it. The least of 64 times four pairs counts. Takes 2.5 kB of
 * stack; records nothing. Without a clock nothing is measured.
 */
void ets_trace_measure_cost(struct ets_trace_thread *thread);

/*
 * Mode STREAM: sends what the thread has recorded so far, after the full chunks of all threads.
 * Statuses: IO (the stream refused: what it was given is dropped and counted), OK otherwise, also
 * where another thread is sending, which leaves the rest for later.
 */
enum ets_status ets_trace_flush(struct ets_trace_thread *thread);

/* Ends recording: what comes later is dropped and counted, INVALID_ARGUMENT. */
void ets_trace_finish(struct ets_trace *trace);

ETS_API void ets_trace_get_state(const struct ets_trace *trace, struct ets_trace_state *state_out);

/*
 * Where events were dropped because memory was full, the last run of the dump has this name, and
 * one event of it, so that readers that do not know the extra block tell it, too.
 */
#define ETS_TRACE_CUT_NAME "etscope: events were dropped, the tracer's memory was full"

/*
 * The size of the ETDump that ets_trace_write would write now. Statuses as ets_etdump_writer_size.
 */
ETS_API enum ets_status ets_trace_dump_size(struct ets_trace *trace, size_t *bytes_out,
                                            struct ets_error *error);

/*
 * Writes all that is kept as an ETDump, times in nanoseconds, with the extra block. The trace stays
 * as it is. Statuses as ets_etdump_write and ets_etdump_write_buffer.
 */
ETS_API enum ets_status ets_trace_write(struct ets_trace *trace, const struct ets_etdump_sink *sink,
                                        struct ets_error *error);
ETS_API enum ets_status ets_trace_write_buffer(struct ets_trace *trace, void *buffer,
                                               size_t capacity, size_t *bytes_out,
                                               struct ets_error *error);

/*
 * A stream into the caller's memory, for mode STREAM and for ets_trace_write; as a config's stream
 * it must stay as long as the trace. What does not fit is refused: in mode STREAM its events are
 * counted as dropped, and ets_trace_recover makes an ETDump of the first `bytes`. Sinks for files
 * and descriptors are in platforms/; others are a function of yours.
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
