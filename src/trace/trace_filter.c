/* Filters events and values by name and position. */
#include "trace/recorder.h"

enum {
    FILTERABLE = ETS_TRACE_METHODS | ETS_TRACE_OPERATORS | ETS_TRACE_DELEGATES | ETS_TRACE_OUTPUTS |
                 ETS_TRACE_INTERMEDIATES,
    FILTERED_BY_DEFAULT = FILTERABLE & ~ETS_TRACE_METHODS
};

/* Backtracks only to the last '*', so the time is at most the product of the lengths. */
static bool matches_pattern(const char *name, const char *pattern)
{
    const char *star = NULL, *from = name;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            from = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++;
            name++;
        } else if (star != NULL) {
            pattern = star + 1;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == '\0';
}

static bool is_all(struct ets_trace_range range)
{
    return range.begin == 0 && range.end == 0;
}

static bool is_inside(struct ets_trace_range range, uint32_t number)
{
    return number >= range.begin && number < range.end;
}

static bool matches_who(const struct ets_trace_filter *filter,
                        const struct ets_trace_subject *subject)
{
    if (filter->name_count == 0 && is_all(filter->ids)) return true;
    if (subject->name == NULL) {
        return subject->is_part && !is_all(filter->ids) &&
               is_inside(filter->ids, (uint32_t)subject->id);
    }
    for (uint32_t i = 0; i < filter->name_count; i++) {
        if (matches_pattern(subject->name, filter->names[i])) return true;
    }
    return false;
}

static bool matches_where(const struct ets_trace_filter *filter,
                          const struct ets_trace_subject *subject)
{
    if (filter->origin == ETS_TRACE_INSTRUCTIONS && subject->is_part) return false;
    if (filter->origin == ETS_TRACE_PARTS && !subject->is_part) return false;
    if (is_all(filter->instructions)) return true;
    return subject->chain == filter->chain && is_inside(filter->instructions, subject->instruction);
}

static uint32_t kinds_of(const struct ets_trace_filter *filter)
{
    return filter->what == 0 ? FILTERED_BY_DEFAULT : filter->what;
}

static int admits(const struct ets_trace_choices *choices, const struct ets_trace_subject *subject)
{
    for (uint32_t i = 0; i < choices->filter_count; i++) {
        const struct ets_trace_filter *filter = &choices->filters[i];
        if ((kinds_of(filter) & subject->what) != 0 && matches_who(filter, subject) &&
            matches_where(filter, subject)) {
            return 1;
        }
    }
    return 0;
}

static bool is_range(struct ets_trace_range range)
{
    return is_all(range) || range.begin < range.end;
}

static bool is_filter(const struct ets_trace_filter *filter)
{
    if ((filter->what & ~(uint32_t)FILTERABLE) != 0) return false;
    if (!is_range(filter->ids) || !is_range(filter->instructions)) return false;
    if ((unsigned)filter->origin > ETS_TRACE_PARTS) return false;
    if (filter->name_count != 0 && filter->names == NULL) return false;
    for (uint32_t i = 0; i < filter->name_count; i++) {
        if (filter->names[i] == NULL) return false;
    }
    return true;
}

enum ets_status ets_trace_set_filters(struct ets_trace *trace,
                                      const struct ets_trace_filter *filters, uint32_t count)
{
    uint32_t kinds = 0;
    if (filters == NULL && count != 0) return ETS_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < count; i++) {
        if (!is_filter(&filters[i])) return ETS_INVALID_ARGUMENT;
        kinds |= kinds_of(&filters[i]);
    }
    trace->choices.filters = filters;
    trace->choices.filter_count = count;
    trace->choices.filtered = kinds;
    trace->choices.admits = admits;
    ets_trace_enable_filters(trace);
    return ETS_OK;
}
