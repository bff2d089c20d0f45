/*
 * The records in the buffer (see docs/SPEC.md), and declarations that the recorder's files share.
 */
#ifndef ETSCOPE_TRACE_RECORDER_H
#define ETSCOPE_TRACE_RECORDER_H

#include "etscope/trace.h"
#include "trace/atomic.h"
#include "trace/cycles.h"
#include "trace/freestanding.h"
#include "trace/same_text.h"
#include "trace/store.h"

/* Records in memory are little-endian on all machines. */
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ETS_RECORDED
#elif defined(__GNUC__) && !defined(__clang__)
#define ETS_RECORDED __attribute__((scalar_storage_order("little-endian")))
#pragma GCC diagnostic ignored "-Wscalar-storage-order" /* copying their bytes is intended */
#else
#error "on big-endian machines the recorder needs GCC for little-endian structs"
#endif

/* Functions off the hot path. Inlining them would cost it registers. */
#if defined(__GNUC__)
#define ETS_COLD __attribute__((noinline, cold))
#define ETS_NOINLINE __attribute__((noinline))
#define ETS_INLINE __attribute__((always_inline)) inline
#define ETS_LIKELY(condition) __builtin_expect(!!(condition), 1)
#else
#define ETS_COLD
#define ETS_NOINLINE
#define ETS_INLINE inline
#define ETS_LIKELY(condition) (condition)
#endif

enum {
    ETS_SLOT_BYTES = 24,
    ETS_RUN_SLOTS = 2,            /* of a run's header */
    ETS_SMALLEST_CHUNK_SLOTS = 4, /* a run's header and one event */
    ETS_HAS_FAR_NAMES = sizeof(size_t) > 4,
    ETS_NO_NAME_ID = 0xffff, /* larger ids belong to names beyond 65,535: number + 1 */
    ETS_CHAIN_WIDE = 254,    /* the chain index is in the second slot */
    ETS_CHAIN_NONE = 255,    /* -1 */
    ETS_LONGEST_NAME = 4096,
    ETS_KNOWN_SHIFT = 28 /* leaves as many bits as ETS_TRACE_THREAD_NAMES needs */
};

_Static_assert(ETS_TRACE_THREAD_NAMES == 1 << (32 - ETS_KNOWN_SHIFT), "places of known names");

/* The lowest five bits of a record's last byte. */
enum ets_record_kind {
    ETS_RECORD_NONE = 0,
    ETS_RECORD_PROFILE = 1,
    ETS_RECORD_DELEGATE = 2,
    ETS_RECORD_BEGIN = 3,
    ETS_RECORD_BEGIN_DELEGATE = 4,
    ETS_RECORD_RUN = 5,
    ETS_RECORD_RUN_END = 6,
    ETS_RECORD_ALLOCATOR = 7,
    ETS_RECORD_ALLOCATION = 8,
    ETS_RECORD_VALUE = 9,
    ETS_RECORD_TENSOR = 10,
    ETS_RECORD_SHAPE = 11,  /* a tensor without its bytes */
    ETS_RECORD_TOKENS = 12, /* of a language model's run */
    ETS_RECORD_KIND_MASK = 0x1f,
    ETS_RECORD_PLATFORM_TIMES = 0x20, /* of DELEGATE */
    ETS_RECORD_OUTPUT = 0x40,         /* of VALUE, TENSOR and SHAPE */
    ETS_RECORD_LONG = 0x80            /* more slots follow; the second says how many */
};

/* The first slot of every record but RUN. */
struct ETS_RECORDED ets_slot {
    union ETS_RECORDED {
        uint64_t start_ticks; /* PROFILE, DELEGATE, BEGIN, RUN_END */
        uint64_t bytes;       /* ALLOCATION */
        uint64_t bits;        /* VALUE: of the integer, boolean or double */
        uint64_t position;    /* TOKENS */
    } a;
    union ETS_RECORDED {
        uint32_t duration_ticks; /* PROFILE, DELEGATE */
        uint32_t platform_low;   /* RUN_END */
        uint32_t value_type;     /* VALUE, TENSOR, SHAPE: enum ets_debug_value_type */
        int32_t allocator;       /* ALLOCATION */
        uint32_t tokens;         /* TOKENS */
    } b;
    uint32_t instruction; /* RUN_END: upper half of the platform's ticks; TOKENS: the stage */
    int32_t delegate_id;  /* -1: none. VALUE of type STRING: as below. RUN_END: the run's number */
    uint16_t name;
    uint8_t chain_code;
    uint8_t kind;
};

/* A run's header: at the start of each chunk, and where a run begins inside one. */
struct ETS_RECORDED ets_run_slots {
    uint64_t ticks;
    uint32_t run;
    uint32_t next; /* slot of the next header in the chunk; 0: none */
    int32_t bundled_input_index;
    uint16_t name;
    uint8_t flags;
    uint8_t kind;
    uint16_t slots;
    uint16_t method;
    uint32_t invocation;
    uint64_t platform_ticks;
    uint32_t events; /* events of the run in this chunk; UINT32_MAX: not counted yet */
    uint32_t unused;
};

enum {
    ETS_RUN_CONTINUED = 1, /* the run began in an earlier chunk */
    ETS_RUN_PURPOSE_SHIFT = 1
};

/* The second slot of a long PROFILE, DELEGATE, VALUE, TENSOR or SHAPE. */
struct ETS_RECORDED ets_long_slot {
    uint16_t slots;
    uint16_t far_name; /* lower half of the id of a name beyond 65,535, + 1; 0: use the slot's */
    uint32_t duration_high;
    int32_t chain;
    uint32_t count; /* bytes of metadata, or number of tensors; they follow. SHAPE: list index */
};

/*
 * A tensor in the slots after a long slot. `rank` sizes, `rank` strides (i64 each) and, for a SHAPE
 * that has them, the statistics follow.
 */
struct ETS_RECORDED ets_tensor_entry {
    int64_t offset; /* in the debug buffer; -1: no bytes */
    uint8_t scalar_type;
    uint8_t rank;
    uint16_t statistics_bytes;
    uint16_t unused[2];
};

/*
 * Statistics: struct ets_tensor_statistics up to its hash, the number of first values, zero, the
 * first values.
 */
enum { ETS_TENSOR_STATISTICS_SUMS_BYTES = 96, ETS_TENSOR_STATISTICS_BYTES = 104 };

_Static_assert(sizeof(struct ets_slot) == ETS_SLOT_BYTES, "a slot has 24 bytes");
_Static_assert(sizeof(struct ets_run_slots) == ETS_RUN_SLOTS * ETS_SLOT_BYTES, "two slots");
_Static_assert(sizeof(struct ets_long_slot) == 16, "8 bytes of the sequel are in the slot");
_Static_assert(sizeof(struct ets_tensor_entry) == 16, "entries stay aligned");

/* The lowest two bits of a chunk's state. The sequence number is above them. */
enum ets_chunk_state {
    ETS_CHUNK_FREE = 0,
    ETS_CHUNK_OPEN = 1,   /* a thread is writing it */
    ETS_CHUNK_UNSENT = 2, /* full, to be streamed */
    ETS_CHUNK_CLOSED = 3  /* a ring may reclaim it */
};

struct ets_trace_chunk {
    uint32_t state;
    uint32_t used; /* complete slots: the commit count */
    uint32_t lane; /* of the thread that wrote the records */
    uint32_t first_run, last_run;
    uint32_t last_header; /* slot of the last run's header */
    uint32_t events;      /* events and debug values; set when closed */
    union {
        uint32_t sent;          /* in a stream: sent slots */
        uint32_t payload_bytes; /* in a ring: used of the chunk's part of the debug buffer */
    };
};

/* Bits of ets_trace.enabled above those of ets_trace_what. */
#define ETS_ENABLED_WHAT UINT32_C(0x3f)
#define ETS_ENABLED_BEGINS (UINT32_C(1) << 30)
#define ETS_ENABLED_CYCLES (UINT32_C(1) << 29) /* no begins, and ets_trace_cycles as clock */

/*
 * ets_trace.filtered: four sets of kinds, without ALLOCATIONS. The lowest byte has those that
 * filters select from; the next two those that some run began with, and those that some run began
 * without; the last what the latest START frame of a stream told.
 */
#define ETS_KINDS UINT32_C(0x37)
#define ETS_KINDS_HAD 8
#define ETS_KINDS_LACKED 16
#define ETS_KINDS_TOLD 24

/* Kinds of which events may be missing: filters left some out, or only some runs have any. */
static inline uint32_t ets_trace_filtered_kinds(const struct ets_trace *trace)
{
    const uint32_t noted = ets_load_relaxed(&trace->filtered);
    return (noted | (noted >> ETS_KINDS_HAD & noted >> ETS_KINDS_LACKED)) & ETS_KINDS;
}

static inline uint32_t ets_trace_told_kinds(const struct ets_trace *trace)
{
    return ets_load_relaxed(&trace->filtered) >> ETS_KINDS_TOLD;
}

void ets_trace_note_kinds(struct ets_trace *trace, uint32_t noted);

/* The span of an event is the last word of its slot, with the instruction instead of the delegate.
 */
_Static_assert(ETS_TRACE_SPAN_EVENT >> 56 == ETS_RECORD_PROFILE, "as records have it");

enum { ETS_SPAN_EVENT = 1, ETS_SPAN_DELEGATE = 2, ETS_SPAN_OFF = 3, ETS_SPAN_FAR = 4 };

static inline bool ets_span_is_event(uint64_t about)
{
    return (about >> 56 & ~(uint64_t)ETS_SPAN_FAR) == ETS_SPAN_EVENT || about >> 63 != 0;
}

static inline bool ets_span_is_delegate(uint64_t about)
{
    return (about >> 56 & ~(uint64_t)ETS_SPAN_FAR) == ETS_SPAN_DELEGATE;
}

/* A wide span has no room for a name beyond 65,535. */
static inline uint64_t ets_span_named(uint64_t place, uint32_t id)
{
    if (!ETS_HAS_FAR_NAMES) return place | (uint64_t)id << 32;
    if (id > ETS_NO_NAME_ID && place >> 63 != 0) id = ETS_NO_NAME_ID;
    const uint64_t far = id > ETS_NO_NAME_ID ? (uint64_t)ETS_SPAN_FAR << 56 : 0;
    return place | far | (uint64_t)(uint16_t)id << 32;
}

static inline uint32_t ets_span_name(uint64_t about)
{
    const bool is_far = ETS_HAS_FAR_NAMES && about >> 63 == 0 && (about >> 56 & ETS_SPAN_FAR) != 0;
    return (uint16_t)(about >> 32) | (uint32_t)is_far << 16;
}

static inline uint32_t ets_name_id(uint32_t number)
{
    return number < ETS_NO_NAME_ID || !ETS_HAS_FAR_NAMES ? number : number + 1;
}

static inline uint32_t ets_name_number(uint32_t id)
{
    return ETS_HAS_FAR_NAMES && id > ETS_NO_NAME_ID ? id - 1 : id;
}

/* For both slots of a long record. */
static inline uint16_t ets_near_name(uint32_t id)
{
    return ETS_HAS_FAR_NAMES && id > ETS_NO_NAME_ID ? ETS_NO_NAME_ID : (uint16_t)id;
}

static inline uint16_t ets_far_name(uint32_t id)
{
    return ETS_HAS_FAR_NAMES && id > ETS_NO_NAME_ID ? (uint16_t)(id + 1) : 0;
}

static inline int32_t ets_span_chain(uint64_t about)
{
    if (about >> 63 != 0) return (int32_t)(about >> 48 & 0x7fff);
    const uint8_t code = (uint8_t)(about >> 48);
    return code == ETS_CHAIN_NONE ? -1 : code;
}

static inline uint8_t ets_chain_code(int32_t chain)
{
    return (uint32_t)chain + 1 <= ETS_CHAIN_WIDE ? (uint8_t)chain : ETS_CHAIN_WIDE; /* -1 is 255 */
}

/* Writes a slot as three words: loading a word after smaller stores would stall. */
static inline void ets_put_slot(uint8_t *at, uint64_t first, uint64_t second, uint64_t third)
{
    ets_store_u64(at, first);
    ets_store_u64(at + 8, second);
    ets_store_u64(at + 16, third);
}

static inline uint64_t ets_now(const struct ets_trace *trace)
{
    return trace->config.clock(
        trace->config.clock_context); /* ets_trace_init ensures that it exists */
}

static inline uint32_t ets_chunk_sequence(uint32_t state)
{
    return state >> 2;
}

/* Whether chunk state `a` was taken before `b`: numbers start again from 0 after 2^30 chunks. */
static inline bool ets_chunk_is_older(uint32_t a, uint32_t b)
{
    return ((a & ~UINT32_C(3)) - (b & ~UINT32_C(3))) >> 31 != 0;
}

static inline uint8_t *ets_chunk_slots(const struct ets_trace *trace, uint32_t index)
{
    return trace->slots + (size_t)index * trace->chunk_slots * ETS_SLOT_BYTES;
}

/* The number of slots of the complete record at `at`. */
static inline uint32_t ets_record_slots(const uint8_t *at)
{
    if ((at[ETS_SLOT_BYTES - 1] & ETS_RECORD_LONG) == 0) return 1;
    return ets_fetch_u16(at + ETS_SLOT_BYTES);
}

static inline enum ets_record_kind ets_record_kind_of(const uint8_t *at)
{
    return (enum ets_record_kind)(at[ETS_SLOT_BYTES - 1] & ETS_RECORD_KIND_MASK);
}

/* 1 if it becomes an event of the ETDump. */
static inline int ets_record_is_event(const uint8_t *at)
{
    switch (ets_record_kind_of(at)) {
    case ETS_RECORD_PROFILE:
    case ETS_RECORD_DELEGATE:
    case ETS_RECORD_ALLOCATION:
    case ETS_RECORD_TENSOR: return 1;
    case ETS_RECORD_VALUE: return at[8] != ETS_DEBUG_STRING;
    default: return 0;
    }
}

/* 1 if it becomes an event of the ETDump or a debug value in the extra block. */
static inline int ets_record_is_kept(const uint8_t *at)
{
    return ets_record_is_event(at) || ets_record_kind_of(at) == ETS_RECORD_VALUE ||
           ets_record_kind_of(at) == ETS_RECORD_SHAPE;
}

/* The subject of a filter. */
struct ets_trace_subject {
    uint32_t what;
    const char *name;
    int32_t id; /* of a delegate's part without a name; else -1 */
    bool is_part;
    int32_t chain;
    uint32_t instruction;
};

/* Whether the filters admit the part (NULL: the instruction itself). */
bool ets_trace_admits(const struct ets_trace_thread *thread, uint32_t what,
                      const struct ets_trace_delegate *part);

/* Whether the kind is enabled and the filters admit the part. */
static inline bool ets_trace_wants(const struct ets_trace_thread *thread, uint32_t what,
                                   const struct ets_trace_delegate *part)
{
    const uint32_t enabled = ets_trace_enabled(thread->trace);
    if ((enabled & (what | ETS_TRACE_FILTERED(what))) == what) return true;
    return (enabled & what) != 0 && ets_trace_admits(thread, what, part);
}

/* Updates `enabled` from the choices. */
void ets_trace_enable_filters(struct ets_trace *trace);

/* Reads both clocks in a row. If there is only one, returns its reading twice. */
void ets_trace_read_clocks(const struct ets_trace *trace, uint64_t *ticks, uint64_t *platform);

/* Adds to a counter of the trace, which saturates instead of wrapping. */
void ets_trace_count(struct ets_trace *trace, uint32_t *count, uint32_t more);

/* Keeps the first reason only. */
void ets_trace_note(struct ets_trace *trace, enum ets_status reason);

/*
 * Reserves room for a record of `slots`. ets_trace_commit completes it and makes it visible to
 * readers. Opens a run if none is open. A failure was already counted as a drop.
 */
enum ets_status ets_trace_reserve(struct ets_trace_thread *thread, uint32_t slots,
                                  uint8_t **at_out);

static inline void ets_trace_commit(struct ets_trace_thread *thread, uint32_t slots, bool is_event)
{
    uint32_t *used = &thread->chunk->used;
    if (is_event) thread->segment_events++;
    thread->next += (size_t)slots * ETS_SLOT_BYTES;
    ets_store_release(used, ets_load_relaxed(used) + slots);
}

/* The same for debug values. Those of the extra block are also counted when a ring overwrites them.
 */
static inline void ets_trace_commit_value(struct ets_trace_thread *thread, uint32_t slots,
                                          bool is_event)
{
    if (!is_event) thread->chunk->events++;
    ets_trace_commit(thread, slots, is_event);
}

/*
 * The id of the name; ETS_NO_NAME_ID for NULL or if there is no room (counted). The second function
 * is for records without room for the id of a name beyond 65,535.
 */
uint32_t ets_trace_name(struct ets_trace *trace, const char *name);
uint16_t ets_trace_near_name(struct ets_trace *trace, const char *name);
void ets_trace_names_init(struct ets_trace *trace, void *area, size_t bytes);

/* The same; the thread also remembers the name for ets_known_name. */
uint32_t ets_trace_learn_name(struct ets_trace_thread *thread, const char *name);

static inline uint32_t ets_known_place(const char *name)
{
    return (uint32_t)(uintptr_t)name * UINT32_C(2654435769) >> ETS_KNOWN_SHIFT;
}

/*
 * The name if the thread used it recently, or NULL. Reads only the thread's own memory. The name
 * NULL is never known, because its place is taken from the start.
 */
static inline const struct ets_trace_known_name *ets_known_name(
    const struct ets_trace_thread *thread, const char *name)
{
    const uint32_t place = ets_known_place(name);
    const struct ets_trace_known_name *known = &thread->names[place];
    if (known->name != name) {
        known = &thread->names[place ^ 1];
        if (known->name != name) return NULL;
    }
    if (known->copy == NULL || ets_is_text(name, known->copy, known->shape)) return known;
    return NULL;
}

static inline uint32_t ets_trace_name_count(const struct ets_trace *trace)
{
    return (uint32_t)(ets_load_size(&trace->names_used) & (((size_t)1 << 4 * sizeof(size_t)) - 1));
}

/* The number of the name of a record (not RUN); ETS_ETDUMP_NO_NAME: none. */
static inline uint32_t ets_record_name(const struct ets_trace *trace, const uint8_t *at)
{
    const uint16_t name = ets_fetch_u16(at + offsetof(struct ets_slot, name));
    uint16_t far = 0;
    if (name != ETS_NO_NAME_ID) return name;
    if (!ETS_HAS_FAR_NAMES) return ETS_ETDUMP_NO_NAME;
    if ((at[ETS_SLOT_BYTES - 1] & ETS_RECORD_LONG) != 0) {
        far = ets_fetch_u16(at + ETS_SLOT_BYTES + offsetof(struct ets_long_slot, far_name));
    }
    const uint32_t number = UINT32_C(0xfffe) + far;
    return far != 0 && number < ets_trace_name_count(trace) ? number : ETS_ETDUMP_NO_NAME;
}

/* Sends the full chunks, unless another thread is sending. Returns the stream's status. */
enum ets_status ets_trace_send_full(struct ets_trace *trace);

#endif
