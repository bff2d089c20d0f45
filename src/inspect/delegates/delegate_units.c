/*
 * Reads the units of a delegate call with the first reader that finds any, and matches events to
 * them.
 */
#include "inspect/delegates/delegate_units.h"

#include "base/text.h"
#include "host/strings.h"

static const struct ets_delegate_reader *const readers[] = {
    &ets_delegate_symbol_reader, /* names of events in the payload are exact */
    &ets_delegate_map_reader,    /* then the backend's own map is preferred */
    &ets_delegate_payload_reader,
};

const char *ets_tie_name(enum ets_tie tie)
{
    static const char *const names[] = {NULL, "map", "node", "near", "call"};
    return tie <= ETS_TIE_CALL ? names[tie] : NULL;
}

enum ets_status ets_delegate_units_read(struct ets_arena *arena,
                                        const struct ets_delegate_call *call,
                                        struct ets_delegate_units *units_out,
                                        struct ets_error *error)
{
    const char *const nothing =
        call->record == NULL
            ? "this backend's payload cannot be read, and there is no ETRecord"
            : "this backend's payload cannot be read, and there is no delegate map";
    *units_out = (struct ets_delegate_units){.reason = nothing};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const char *reason = units_out->reason;
        ETS_TRY(readers[i]->read(arena, call, units_out, error));
        if (units_out->count > 0) return ETS_OK;
        if (reason != nothing) units_out->reason = reason; /* of the reader that is preferred */
    }
    return ETS_OK;
}

static enum ets_status explain(struct ets_arena *arena, const char **reason_out,
                               struct ets_error *error, const char *format, ...) ETS_PRINTF(4, 5);
static enum ets_status explain(struct ets_arena *arena, const char **reason_out,
                               struct ets_error *error, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    const size_t size = ets_format_text(text, sizeof text, format, arguments);
    va_end(arguments);
    *reason_out = ets_arena_copy_text(arena, text, size);
    return *reason_out == NULL ? ets_fail_unit_memory(error) : ETS_OK;
}

/* "Fully Connected" of "Fully Connected (NC, F32) GEMM #1". */
static struct ets_text type_of(struct ets_text name)
{
    size_t size = 0;
    while (size < name.size && name.data[size] != '(' && name.data[size] != '#') size++;
    while (size > 0 && name.data[size - 1] == ' ') size--;
    return (struct ets_text){name.data, size};
}

/* Element types and micro-kernels, after the operator's type, depend on the processor. */
static bool is_same_operator(struct ets_text expected, struct ets_text seen)
{
    return ets_text_equal(type_of(expected), type_of(seen));
}

static bool is_conversion(struct ets_text name)
{
    return ets_text_is(type_of(name), "Convert");
}

/* The number of conversions among the names from `first` on. */
static uint32_t count_conversions(const struct ets_text *names, uint32_t first, uint32_t count)
{
    uint32_t end = first;
    while (end < count && is_conversion(names[end])) end++;
    return end - first;
}

static uint32_t count_unit_conversions(const struct ets_delegate_units *units, uint32_t first)
{
    uint32_t end = first;
    while (end < units->count && is_conversion(units->items[end].event)) end++;
    return end - first;
}

/*
 * Matches all events or none: a single extra event shows that the prediction is wrong for this
 * runtime. Exception: conversions of 16-bit floats that are not in the payload, because they depend
 * on the processor. They belong to the next unit, at the end to the last.
 */
static enum ets_status match_in_order(struct ets_arena *arena,
                                      const struct ets_delegate_units *units,
                                      const struct ets_text *names, uint32_t count,
                                      struct ets_unit_match *matches, const char **reason_out,
                                      struct ets_error *error)
{
    uint32_t at = 0, unit = 0;
    while (at < count || unit < units->count) {
        const uint32_t own = count_unit_conversions(units, unit);
        const uint32_t seen = count_conversions(names, at, count);
        const bool are_added = units->may_convert && own == 0;
        if (own != seen && !are_added) break;
        const uint32_t beside = unit < units->count ? unit : unit - 1;
        for (uint32_t i = 0; i < seen; i++) {
            matches[at++] = (struct ets_unit_match){are_added ? beside : unit++, are_added};
        }
        if (at == count || unit == units->count) break;
        if (!is_same_operator(units->items[unit].event, names[at])) break;
        matches[at++] = (struct ets_unit_match){unit++, false};
    }
    if (at == count && unit == units->count) return ETS_OK;
    const struct ets_text seen = at < count ? names[at] : (struct ets_text){"", 0};
    for (uint32_t i = 0; i < count; i++) matches[i].unit = ETS_NO_INDEX;
    if (count != units->count || at == count) {
        return explain(arena, reason_out, error,
                       "the payload has %u operators but the trace has %u", units->count, count);
    }
    return explain(arena, reason_out, error,
                   "operator %u is %.*s in the payload but %.*s in the trace", at + 1,
                   ETS_TEXT(units->items[unit].event), ETS_TEXT(seen));
}

static enum ets_status match_by_name(struct ets_arena *arena,
                                     const struct ets_delegate_units *units,
                                     const struct ets_text *names, uint32_t count,
                                     struct ets_unit_match *matches, const char **reason_out,
                                     struct ets_error *error)
{
    struct ets_strings events;
    if (ets_strings_init(&events, arena) != 0) return ets_fail_unit_memory(error);
    uint32_t *unit_of_text =
        ets_arena_alloc_array(arena, (size_t)units->count + 1, sizeof *unit_of_text);
    if (unit_of_text == NULL) return ets_fail_unit_memory(error);
    for (uint32_t i = 0; i < units->count; i++) {
        const uint32_t text = ets_strings_add(&events, units->items[i].event);
        if (text == UINT32_MAX) return ets_fail_unit_memory(error);
        unit_of_text[text] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t text = ets_strings_find(&events, names[i]);
        if (text != UINT32_MAX && text != ETS_STRING_NONE) matches[i].unit = unit_of_text[text];
        else *reason_out = "the delegate map has no such identifier";
    }
    return ETS_OK;
}

enum ets_status ets_delegate_units_match(struct ets_arena *arena,
                                         const struct ets_delegate_units *units,
                                         const struct ets_text *names, uint32_t count,
                                         struct ets_unit_match *matches_out,
                                         const char **reason_out, struct ets_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        matches_out[i] = (struct ets_unit_match){ETS_NO_INDEX, false};
    }
    *reason_out = units->reason;
    if (units->count == 0 || units->reason != NULL) return ETS_OK;
    return (units->is_ordered ? match_in_order : match_by_name)(arena, units, names, count,
                                                                matches_out, reason_out, error);
}
