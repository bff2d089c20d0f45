/*
 * The table of names: an index by hash of the text, the entries, and the texts from the end of the
 * area backwards. Entries are only added, so readers need no lock. A small table of numbers by hash
 * of the pointer makes the common lookup a single comparison. The text is always compared, because
 * pointers are reused for other texts. Small areas have no index: all names are searched.
 */
#include "trace/recorder.h"

enum {
    TEXT_UNIT = 8,
    WAYS = 2,
    LEAST_INDEXED_AREA = 4096,
    NUMBER_BITS = 17, /* of an index entry: number of the name + 1; above them bits of the hash */
    COUNT_BITS = 4 * sizeof(size_t), /* of `names_used` */
    MOST_NAMES = ETS_HAS_FAR_NAMES ? 2 * ETS_NO_NAME_ID : ETS_NO_NAME_ID
};

/* In `names_used`: as much text as it can count. */
#define ONE_UNIT ((size_t)1 << COUNT_BITS)
#define MOST_UNITS (ONE_UNIT - 1 < UINT32_MAX ? ONE_UNIT - 1 : UINT32_MAX)

_Static_assert(MOST_NAMES < 1 << NUMBER_BITS, "numbers fit into the index");

static char *texts_end(const struct ets_trace *trace)
{
    return (char *)trace->names + trace->text_limit;
}

static uint32_t *index_of(const struct ets_trace *trace)
{
    return (uint32_t *)(void *)trace->names - trace->index_places;
}

static uint32_t most_names(const struct ets_trace *trace)
{
    const bool is_stream =
        trace->config.mode == ETS_TRACE_STREAM; /* frames have 16 bits for them */
    return is_stream ? ETS_NO_NAME_ID : MOST_NAMES;
}

/* The index is an eighth of the area, or a quarter if there are no texts beside the entries. */
static size_t cut_index(struct ets_trace *trace, void *area, size_t bytes)
{
    if (bytes < LEAST_INDEXED_AREA) return 0;
    size_t index_bytes =
        bytes >> (trace->config.names_are_static ? 2 : 3) & ~(size_t)(TEXT_UNIT - 1);
    const size_t most = ((size_t)most_names(trace) * 2) * sizeof(uint32_t);
    if (index_bytes > most) index_bytes = most;
    trace->index_places = (uint32_t)(index_bytes / sizeof(uint32_t));
    ets_clear(area, index_bytes);
    return index_bytes;
}

/*
 * Entries are cleared if a reader may see one while it is added, because all are searched or sent.
 * Otherwise the index leads only to complete entries.
 */
void ets_trace_names_init(struct ets_trace *trace, void *area, size_t bytes)
{
    const size_t entry_bytes = sizeof *trace->names;
    const size_t skip = (size_t)(-(uintptr_t)area & (TEXT_UNIT - 1));
    trace->names = NULL;
    trace->names_used = 0;
    trace->name_limit = trace->index_places = 0;
    for (uint32_t i = 0; i < ETS_TRACE_CACHED_NAMES; i++) trace->cached_names[i] = ETS_NO_NAME_ID;
    if (area == NULL || bytes < skip + entry_bytes + ETS_TEXT_SLACK) return;
    bytes = (bytes - skip) & ~(size_t)(TEXT_UNIT - 1);
    uint8_t *at = (uint8_t *)area + skip;
    const size_t index_bytes = cut_index(trace, at, bytes);
    bytes -= index_bytes + ETS_TEXT_SLACK;
    const size_t most = (size_t)most_names(trace) * entry_bytes + (size_t)MOST_UNITS * TEXT_UNIT;
    if (bytes > most) bytes = most;
    trace->names = (void *)(at + index_bytes);
    trace->text_limit = bytes;
    trace->name_limit = most_names(trace);
    const uint32_t places = trace->index_places;
    if (places != 0 && trace->name_limit > places - (places >> 3)) {
        trace->name_limit = places - (places >> 3); /* keeps searches short */
    }
    const bool is_searched = places == 0 || trace->config.mode == ETS_TRACE_STREAM;
    if (is_searched) ets_clear(trace->names, bytes);
    ets_clear(texts_end(trace), ETS_TEXT_SLACK);
}

static uint32_t hash_pointer(const char *name)
{
    const uint32_t bits = (uint32_t)((uintptr_t)name ^ ((uintptr_t)name >> 15));
    return bits * UINT32_C(2654435769) >> 25; /* the upper 7 bits: 128 cached names */
}

_Static_assert(ETS_TRACE_CACHED_NAMES == 1 << 7, "the hash has 7 bits");

/* The length of `name`, at most ETS_LONGEST_NAME, and a hash of it. */
static uint32_t measure(const char *name, uint32_t *hash_out)
{
    uint32_t size = 0, hash = UINT32_C(2166136261);
    for (; size < ETS_LONGEST_NAME && name[size] != '\0'; size++) {
        hash = (hash ^ (uint8_t)name[size]) * UINT32_C(16777619);
    }
    *hash_out = hash * UINT32_C(2654435769);
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

/* The same for a measured name. */
static bool is_same_sized(const struct ets_etdump_name *entry, const char *name, uint32_t size)
{
    const char *text = ets_load_text(&entry->text.data);
    return text != NULL && entry->text.size == size && (text == name || is_same(entry, name));
}

static inline bool matches(const struct ets_trace *trace, uint32_t id, const char *name)
{
    const struct ets_etdump_name *entry = &trace->names[id];
    if (trace->config.names_are_static) return ets_load_text(&entry->text.data) == name;
    return is_same(entry, name);
}

/* Looks into the cache at `hash`. */
static inline uint16_t look_up(const struct ets_trace *trace, uint32_t hash, const char *name)
{
    for (uint32_t way = 0; way < WAYS; way++) {
        const uint16_t id = ets_load_acquire_u16(&trace->cached_names[hash ^ way]);
        if (id != ETS_NO_NAME_ID && matches(trace, id, name)) return id;
    }
    return ETS_NO_NAME_ID;
}

/*
 * Puts the newer entry first and moves the old one to the second place. A thread that sees the
 * number must also see the entry, which is undefined before it is written; hence the releases.
 */
static void remember(struct ets_trace *trace, uint32_t hash, uint32_t id)
{
    if (id >= ETS_NO_NAME_ID) return;
    const uint16_t before = ets_load_acquire_u16(&trace->cached_names[hash]);
    ets_store_release_u16(&trace->cached_names[hash ^ 1], before);
    ets_store_release_u16(&trace->cached_names[hash], (uint16_t)id);
}

/* Takes an entry and the room for its text with one exchange; false: none is left. */
static bool take(struct ets_trace *trace, size_t units, size_t *before_out)
{
    size_t before = ets_load_size(&trace->names_used);
    for (;;) {
        const size_t count = (before & (ONE_UNIT - 1)) + 1, texts = (before >> COUNT_BITS) + units;
        const size_t bytes = count * sizeof *trace->names + texts * TEXT_UNIT;
        if (count > trace->name_limit || texts > MOST_UNITS || bytes > trace->text_limit) {
            return false;
        }
        if (ets_exchange_size_if(&trace->config.section, &trace->names_used, &before,
                                 before + 1 + units * ONE_UNIT)) {
            *before_out = before;
            return true;
        }
    }
}

/* Returns its number, or ETS_ETDUMP_NO_NAME. */
static uint32_t add(struct ets_trace *trace, const char *name, uint32_t size)
{
    const size_t units =
        trace->config.names_are_static ? 0 : (size + TEXT_UNIT) / TEXT_UNIT; /* with the NUL */
    size_t before;
    if (!take(trace, units, &before)) {
        ets_trace_note(trace, ETS_NO_SPACE);
        ets_trace_count(trace, &trace->unnamed, 1);
        return ETS_ETDUMP_NO_NAME;
    }
    const uint32_t number = (uint32_t)(before & (ONE_UNIT - 1));
    struct ets_etdump_name *entry = &trace->names[number];
    entry->text.size = size;
    if (trace->config.names_are_static) {
        ets_store_text(&entry->text.data, name);
    } else {
        char *text = texts_end(trace) - ((before >> COUNT_BITS) + units) * TEXT_UNIT;
        ets_copy(text, name, size);
        ets_clear(text + size, units * TEXT_UNIT - size);
        ets_store_text(&entry->text.data, text);
    }
    return number;
}

/* Searches all names by text. */
static uint32_t search_all(struct ets_trace *trace, const char *name, uint32_t size)
{
    const uint32_t count = ets_trace_name_count(trace);
    for (uint32_t i = 0; i < count; i++) {
        if (is_same_sized(&trace->names[i], name, size)) return i;
    }
    return add(trace, name, size);
}

/*
 * Searches from the hash's place to the next free one. One exists, because there are more places
 * than names. If two threads add a text at the same time, both of its numbers are valid.
 */
static uint32_t search_index(struct ets_trace *trace, const char *name, uint32_t size,
                             uint32_t hash)
{
    const uint32_t places = trace->index_places, tag = hash << NUMBER_BITS;
    uint32_t *index = index_of(trace);
    uint32_t at = (uint32_t)((uint64_t)hash * places >> 32), added = ETS_ETDUMP_NO_NAME;
    for (;;) {
        uint32_t held = ets_load_acquire(&index[at]);
        if (held == 0) {
            if (added == ETS_ETDUMP_NO_NAME) added = add(trace, name, size);
            if (added == ETS_ETDUMP_NO_NAME) return added;
            if (ets_compare_exchange(&trace->config.section, &index[at], &held,
                                     tag | (added + 1))) {
                return added;
            }
        }
        const uint32_t number = (held & ((1U << NUMBER_BITS) - 1)) - 1;
        if ((held ^ tag) >> NUMBER_BITS == 0 && is_same_sized(&trace->names[number], name, size)) {
            return number;
        }
        if (++at == places) at = 0;
    }
}

/* After a cache miss: finds the text, or adds it. */
ETS_COLD static uint32_t find_or_add(struct ets_trace *trace, const char *name,
                                     uint32_t pointer_hash)
{
    uint32_t hash;
    const uint32_t size = measure(name, &hash);
    const uint32_t number = trace->index_places == 0 ? search_all(trace, name, size)
                                                     : search_index(trace, name, size, hash);
    if (number == ETS_ETDUMP_NO_NAME) return ETS_NO_NAME_ID;
    remember(trace, pointer_hash, number);
    return ets_name_id(number);
}

uint32_t ets_trace_name(struct ets_trace *trace, const char *name)
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

uint16_t ets_trace_near_name(struct ets_trace *trace, const char *name)
{
    const uint32_t id = ets_trace_name(trace, name);
    if (!ETS_HAS_FAR_NAMES) return (uint16_t)id;
    if (id > ETS_NO_NAME_ID) ets_trace_count(trace, &trace->unnamed, 1);
    return id > ETS_NO_NAME_ID ? ETS_NO_NAME_ID : (uint16_t)id;
}

ETS_COLD uint32_t ets_trace_learn_name(struct ets_trace_thread *thread, const char *name)
{
    const struct ets_trace *trace = thread->trace;
    const uint32_t id = ets_trace_name(thread->trace, name);
    if (id >= ETS_NO_NAME_ID) return id;
    const struct ets_text text = trace->names[id].text;
    if (text.size == ETS_LONGEST_NAME) return id; /* it was cut, so it differs from the name */
    const char *start = trace->config.names_are_static ? NULL : ets_text_start(name, text.data);
    struct ets_trace_known_name *known = &thread->names[ets_known_place(name)];
    if (known->name != name) thread->names[ets_known_place(name) ^ 1] = *known;
    *known = (struct ets_trace_known_name){name, start, ets_text_shape(name, text.size), id};
    return id;
}
