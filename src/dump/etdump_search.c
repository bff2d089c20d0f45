/* Searches for tables in a damaged ETDump. */
#include "dump/etdump_search.h"

void ets_etdump_tell_error(struct ets_etdump_search *s, const struct ets_error *part)
{
    s->has_told_damage = true;
    if (!s->stopped && s->visitor->damage != NULL) {
        s->stopped = s->visitor->damage(s->visitor->context, part) != 0;
    }
}

void ets_etdump_tell_damage(struct ets_etdump_search *s, uint64_t offset, const char *reason)
{
    struct ets_error part;
    ets_set_error(&part, ETS_MALFORMED, offset, "%s", reason);
    ets_etdump_tell_error(s, &part);
}

void ets_etdump_charge(struct ets_etdump_search *s, size_t at)
{
    if (s->budget >= 4) {
        s->budget -= 4;
        return;
    }
    ets_etdump_tell_damage(s, at, "too many parts overlap: the rest was not read");
    s->stopped = true;
}

size_t ets_etdump_follow(struct ets_bytes bytes, size_t at)
{
    if (!ets_range_fits(at, 4, bytes.size)) return 0;
    const size_t target = ets_fb_follow(bytes.data, at);
    return ets_range_fits(target, 4, bytes.size) && target > at ? target : 0;
}

/* The elements of a vector of tables at `at`, cut to the end of the file. */
static struct ets_fb_vector clipped_vector(struct ets_bytes bytes, size_t at)
{
    const uint32_t count = ets_load_u32(bytes.data + at);
    const size_t room = (bytes.size - at - 4) / 4;
    return (struct ets_fb_vector){bytes.data, at + 4, count < room ? count : (uint32_t)room};
}

/* An empty type, to verify only the frame of a table. */
static const struct ets_fb_type frame_only = {"table", NULL, 0};

struct ets_fb_vector ets_etdump_find_tables(struct ets_etdump_search *s, size_t table_at,
                                            unsigned slot)
{
    const struct ets_bytes bytes = s->bytes;
    const struct ets_fb_vector none = {bytes.data, 0, 0};
    if (ets_fb_verify_table(bytes, table_at, &frame_only, 0, &s->budget, NULL) != ETS_OK) {
        return none;
    }
    const size_t field = ets_fb_field_at((struct ets_fb){bytes.data, table_at}, slot);
    const size_t at = field == 0 ? 0 : ets_etdump_follow(bytes, field);
    return at == 0 ? none : clipped_vector(bytes, at);
}

struct ets_fb_vector ets_etdump_find_runs(struct ets_etdump_search *s, size_t root_at)
{
    const size_t root = ets_etdump_follow(s->bytes, root_at);
    if (root == 0) return (struct ets_fb_vector){s->bytes.data, 0, 0};
    return ets_etdump_find_tables(s, root, ETDUMP_RUN_DATA);
}

/* Whether it has the form of an Event table: only its last slot, right after the vtable offset. */
static bool is_event_shape(struct ets_bytes bytes, size_t at)
{
    const int64_t vtable = (int64_t)at - (int32_t)ets_load_u32(bytes.data + at);
    if (vtable < 0 || !ets_range_fits((uint64_t)vtable, 6, bytes.size)) return false;
    const uint8_t *slots = bytes.data + vtable + 4;
    const uint16_t vtable_bytes = ets_load_u16(bytes.data + vtable);
    if (vtable_bytes != 6 && vtable_bytes != 8 && vtable_bytes != 10) return false;
    if (!ets_range_fits((uint64_t)vtable, vtable_bytes, bytes.size)) return false;
    for (unsigned slot = 0; 6 + 2 * slot < vtable_bytes; slot++) {
        if (ets_load_u16(slots + 2 * slot) != 0) return false;
    }
    return ets_load_u16(bytes.data + vtable + 2) == 8 &&
           ets_load_u16(bytes.data + vtable + vtable_bytes - 2) == 4;
}

bool ets_etdump_find_event(struct ets_etdump_search *s, size_t at, struct ets_etdump_event *event)
{
    const struct ets_bytes bytes = s->bytes;
    if (!ets_range_fits(at, 8, bytes.size) || !is_event_shape(bytes, at)) return false;
    ets_etdump_charge(s, at);
    if (ets_fb_verify_table(bytes, at, &ets_etdump_event_type, 0, &s->budget, NULL) != ETS_OK) {
        return false;
    }
    ets_etdump_read_event(bytes.data, at, event);
    const struct ets_fb payload = {bytes.data, event->payload_at};
    switch (event->kind) {
    case ETS_EVENT_PROFILE:
        return (event->name.data != NULL || event->delegate_name.data != NULL ||
                event->delegate_id != -1) &&
               event->end_ticks != 0 && event->end_ticks >= event->start_ticks;
    case ETS_EVENT_DEBUG:
        return ets_fb_has(payload, DEBUG_ENTRY) && ets_fb_has(payload, DEBUG_INSTRUCTION);
    case ETS_EVENT_ALLOCATION: return event->allocator > 0 && event->allocated_bytes > 0;
    case ETS_EVENT_UNKNOWN: break;
    }
    return false;
}

bool ets_etdump_has_events(struct ets_etdump_search *s, struct ets_fb_vector runs)
{
    struct ets_etdump_event event;
    for (uint32_t i = 0; i < runs.count && !s->stopped; i++) {
        const size_t at = ets_etdump_follow(s->bytes, runs.at + 4 * (size_t)i);
        ets_etdump_charge(s, runs.at + 4 * (size_t)i);
        if (at != 0 && ets_etdump_find_event(s, at, &event)) return true;
    }
    return false;
}

int ets_etdump_is_left_open(struct ets_bytes bytes)
{
    static const struct ets_etdump_visitor nobody = {.context = NULL};
    size_t root_at = 0;
    if (ets_etdump_root_at(bytes, &root_at, NULL) != ETS_OK) return 0;
    struct ets_etdump_search s = {bytes, &nobody, ETS_SALVAGE_BUDGET * (uint64_t)bytes.size, false,
                                  false};
    return ets_etdump_has_events(&s, ets_etdump_find_runs(&s, root_at));
}
