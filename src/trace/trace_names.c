/*
 * The table of names: entries from the front of their area, texts from its back. Entries are only
 * ever added, so readers need no lock. A small table of numbers, by hash of pointer and by hash of
 * text, makes the common look-up one comparison; what it says is never trusted without comparing,
 * as pointers are reused for other texts.
 */
#include "trace/recorder.h"

enum {
    TEXT_UNIT = 8,
    WAYS = 2,
    MOST_UNITS = 0xffff, /* as many as `names_used` can count */
    LARGEST_AREA =
        ETS_NO_NAME_ID * sizeof(struct ets_etdump_name) + MOST_UNITS * TEXT_UNIT + ETS_TEXT_SLACK
};

/* In `names_used`. */
#define ONE_UNIT UINT32_C(0x10000)

void ets_trace_names_init(struct ets_trace *trace, void *area, size_t bytes)
{
    const size_t entry_bytes = sizeof *trace->names;
    const size_t skip = (size_t)(-(uintptr_t)area & (TEXT_UNIT - 1));
    trace->names = NULL;
    trace->name_limit = trace->text_limit = trace->names_used = 0;
    for (uint32_t i = 0; i < ETS_TRACE_CACHED_NAMES; i++) trace->cached_names[i] = ETS_NO_NAME_ID;
    if (area == NULL || bytes < skip + entry_bytes + ETS_TEXT_SLACK) return;
    bytes = (bytes - skip) & ~(size_t)(TEXT_UNIT - 1);
    if (bytes > LARGEST_AREA) bytes = LARGEST_AREA;
    bytes -= ETS_TEXT_SLACK;
    trace->names = (void *)((uint8_t *)area + skip);
    trace->texts_end = (char *)trace->names + bytes;
    trace->text_limit = (uint32_t)(bytes / TEXT_UNIT);
    trace->name_limit = ETS_NO_NAME_ID;
    ets_clear(trace->names, bytes + ETS_TEXT_SLACK);
}

static uint32_t hash_pointer(const char *name)
{
    const uint32_t bits = (uint32_t)((uintptr_t)name ^ ((uintptr_t)name >> 15));
    return bits * UINT32_C(2654435769) >> 25; /* the upper 7 bits: 128 cached names */
}

_Static_assert(ETS_TRACE_CACHED_NAMES == 1 << 7, "the hashes have 7 bits");

/* The length of `name`, at most ETS_LONGEST_NAME, and a hash of it. */
static uint32_t measure(const char *name, uint32_t *hash_out)
{
    uint32_t size = 0, hash = UINT32_C(2166136261);
    for (; size < ETS_LONGEST_NAME && name[size] != '\0'; size++) {
        hash = (hash ^ (uint8_t)name[size]) * UINT32_C(16777619);
    }
    *hash_out = hash * UINT32_C(2654435769) >> 25;
    return size;
}

static inline bool is_same(const struct ets_etdump_name *entry, const char *name)
{
    const char *text = ets_load_text(&entry->text.data);
    if (text == NULL) return false;
    const size_t size = entry->text.size;
    if (size == ETS_LONGEST_NAME) return ets_begins_with(name, text, size);
    return ets_is_text(name, ets_text_start(name, text), ets_text_shape(name, size));
}

static inline bool matches(const struct ets_trace *trace, uint32_t id, const char *name)
{
    const struct ets_etdump_name *entry = &trace->names[id];
    if (trace->config.names_are_static) return ets_load_text(&entry->text.data) == name;
    return is_same(entry, name);
}

/* Looks into the cache where `hash` points. */
static inline uint16_t look_up(const struct ets_trace *trace, uint32_t hash, const char *name)
{
    for (uint32_t way = 0; way < WAYS; way++) {
        const uint16_t id = ets_load_relaxed_u16(&trace->cached_names[hash ^ way]);
        if (id != ETS_NO_NAME_ID && matches(trace, id, name)) return id;
    }
    return ETS_NO_NAME_ID;
}

/* The newer entry goes first, the one that was there moves to the second place. */
static void remember(struct ets_trace *trace, uint32_t hash, uint16_t id)
{
    const uint16_t before = ets_load_relaxed_u16(&trace->cached_names[hash]);
    if (before == id) return;
    ets_store_relaxed_u16(&trace->cached_names[hash ^ 1], before);
    ets_store_relaxed_u16(&trace->cached_names[hash], id);
}

/* Takes an entry and the room for its text with one exchange; false: there is no more. */
static bool take(struct ets_trace *trace, uint32_t units, uint32_t *before_out)
{
    uint32_t before = ets_load_relaxed(&trace->names_used);
    for (;;) {
        const uint32_t count = (before & 0xffff) + 1, texts = (before >> 16) + units;
        const size_t bytes = count * sizeof *trace->names + (size_t)texts * TEXT_UNIT;
        if (count > trace->name_limit || texts > MOST_UNITS ||
            bytes > (size_t)trace->text_limit * TEXT_UNIT) {
            return false;
        }
        if (ets_exchange_if(&trace->config.section, &trace->names_used, &before,
                            before + 1 + units * ONE_UNIT)) {
            *before_out = before;
            return true;
        }
    }
}

static uint16_t add(struct ets_trace *trace, const char *name, uint32_t size)
{
    const uint32_t units =
        trace->config.names_are_static ? 0 : (size + TEXT_UNIT) / TEXT_UNIT; /* with the NUL */
    uint32_t before;
    if (!take(trace, units, &before)) {
        ets_trace_note(trace, ETS_NO_SPACE);
        ets_trace_count(trace, &trace->unnamed, 1);
        return ETS_NO_NAME_ID;
    }
    struct ets_etdump_name *entry = &trace->names[before & 0xffff];
    entry->text.size = size;
    if (trace->config.names_are_static) {
        ets_store_text(&entry->text.data, name);
    } else {
        char *text = trace->texts_end - (size_t)((before >> 16) + units) * TEXT_UNIT;
        ets_copy(text, name, size);
        text[size] = '\0';
        ets_store_text(&entry->text.data, text);
    }
    return (uint16_t)before;
}

/* The cache had not got it: by text, in the cache and in the whole table, or else as a new one. */
ETS_SELDOM static uint16_t find_or_add(struct ets_trace *trace, const char *name,
                                       uint32_t pointer_hash)
{
    uint32_t text_hash;
    const uint32_t size = measure(name, &text_hash);
    uint16_t id = look_up(trace, text_hash, name);
    if (id == ETS_NO_NAME_ID) {
        const uint32_t count = ets_trace_name_count(trace);
        for (uint32_t i = 0; i < count && id == ETS_NO_NAME_ID; i++) {
            const char *text = ets_load_text(&trace->names[i].text.data);
            if (text != NULL && trace->names[i].text.size == size &&
                (text == name || is_same(&trace->names[i], name))) {
                id = (uint16_t)i;
            }
        }
        if (id == ETS_NO_NAME_ID) id = add(trace, name, size);
        if (id == ETS_NO_NAME_ID) return id;
        remember(trace, text_hash, id);
    }
    remember(trace, pointer_hash, id);
    return id;
}

uint16_t ets_trace_name(struct ets_trace *trace, const char *name)
{
    if (name == NULL) return ETS_NO_NAME_ID;
    if (trace->name_limit == 0) {
        ets_trace_count(trace, &trace->unnamed, 1);
        return ETS_NO_NAME_ID;
    }
    const uint32_t hash = hash_pointer(name);
    const uint16_t id = look_up(trace, hash, name);
    return id != ETS_NO_NAME_ID ? id : find_or_add(trace, name, hash);
}

ETS_SELDOM uint32_t ets_trace_learn_name(struct ets_trace_thread *thread, const char *name)
{
    const struct ets_trace *trace = thread->trace;
    const uint16_t id = ets_trace_name(thread->trace, name);
    if (id == ETS_NO_NAME_ID) return id;
    const struct ets_text text = trace->names[id].text;
    if (text.size == ETS_LONGEST_NAME) return id; /* cut, and so not the same as the name */
    const char *start = trace->config.names_are_static ? NULL : ets_text_start(name, text.data);
    struct ets_trace_known_name *known = &thread->names[ets_known_place(name)];
    if (known->name != name) thread->names[ets_known_place(name) ^ 1] = *known;
    *known = (struct ets_trace_known_name){name, start, ets_text_shape(name, text.size), id};
    return id;
}
