/*
 * Operators, which are what the events of a block measure: a row of an inspection; in tables, also
 * a group of rows, or a row in some runs.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "catalogue/entities.h"
#include "host/text_builder.h"
#include "inspect/stated_nodes.h"
#include "inspect/time_details.h"
#include "views/measure_words.h"
#include "views/metadata_text.h"
#include "views/work_kinds.h"

static const struct ets_row *of(const struct ets_entity_row *row)
{
    return row->item;
}

static const struct ets_operator_shown *shown(const struct ets_entity_row *row)
{
    return row->shown;
}

static const struct ets_inspection *inspection_of(const struct ets_entity_row *row)
{
    return shown(row) != NULL ? shown(row)->inspection : row->trace->inspection;
}

/* ---- what it is ---- */

static struct ets_datum get_id(const struct ets_entity_row *row)
{
    return ets_datum_count(row->number);
}

static struct ets_datum get_trace(const struct ets_entity_row *row)
{
    return ets_datum_integer(row->trace - row->study->traces);
}

static struct ets_datum get_block(const struct ets_entity_row *row)
{
    return ets_datum_index(of(row)->block, row->trace->first_block);
}

static struct ets_datum get_block_name(const struct ets_entity_row *row)
{
    return ets_datum_text(shown(row)->block->name);
}

static struct ets_datum get_block_index(const struct ets_entity_row *row)
{
    const uint32_t run = shown(row)->block->first_run;
    return ets_datum_integer(ets_inspection_run(inspection_of(row), run)->block);
}

static struct ets_datum get_method(const struct ets_entity_row *row)
{
    return ets_datum_string(shown(row)->block->method);
}

static struct ets_datum get_parent(const struct ets_entity_row *row)
{
    return ets_datum_index(of(row)->parent, row->trace->first_operator);
}

static struct ets_datum get_name(const struct ets_entity_row *row)
{
    return ets_datum_text(ets_row_operator(of(row)));
}

static struct ets_datum get_event(const struct ets_entity_row *row)
{
    return ets_datum_text(of(row)->name);
}

static struct ets_datum get_kernel(const struct ets_entity_row *row)
{
    return ets_datum_text(of(row)->kernel);
}

static struct ets_datum get_operation(const struct ets_entity_row *row)
{
    return ets_datum_text(of(row)->operation);
}

static struct ets_datum get_chain(const struct ets_entity_row *row)
{
    return ets_datum_unless_negative(of(row)->chain);
}

static struct ets_datum get_instruction(const struct ets_entity_row *row)
{
    return ets_datum_unless_negative(of(row)->instruction);
}

static struct ets_datum get_own_instruction(const struct ets_entity_row *row)
{
    return of(row)->is_delegated ? ets_datum_nothing() : get_instruction(row);
}

static struct ets_datum get_delegate_id(const struct ets_entity_row *row)
{
    return ets_datum_unless_negative(of(row)->delegate_id);
}

static struct ets_datum get_delegated(const struct ets_entity_row *row)
{
    return ets_datum_integer(of(row)->is_delegated != 0);
}

static struct ets_datum get_backend(const struct ets_entity_row *row)
{
    return ets_datum_string(of(row)->backend);
}

/* The name of the one node in another runtime's model. */
static struct ets_datum get_node(const struct ets_entity_row *row)
{
    const bool is_stated = ets_inspection_runtime(inspection_of(row)).data != NULL;
    return is_stated && of(row)->node_count > 0 ? ets_datum_text(of(row)->nodes[0].node->name)
                                                : ets_datum_nothing();
}

static struct ets_datum get_op_types(const struct ets_entity_row *row)
{
    struct ets_text_list ops = {
        .items = ets_arena_alloc_array(row->scratch, of(row)->node_count, sizeof *ops.items)};
    if (ops.items == NULL) return ets_datum_no_memory();
    for (size_t i = 0; i < of(row)->node_count; i++) {
        ets_text_list_add(&ops, of(row)->nodes[i].node->op);
    }
    return ets_datum_texts(ops.items, ops.count);
}

static struct ets_datum get_handles(const struct ets_entity_row *row)
{
    return (struct ets_datum){
        .kind = ETS_DATUM_NUMBERS, .numbers = of(row)->handles, .count = of(row)->handle_count};
}

static struct ets_datum get_tie(const struct ets_entity_row *row)
{
    return ets_datum_string(ets_tie_name(of(row)->tie));
}

static struct ets_datum get_delegate_nodes(const struct ets_entity_row *row)
{
    const size_t count = of(row)->payload_node_count;
    struct ets_text *types = ets_arena_alloc_array(row->scratch, count, sizeof *types);
    if (types == NULL) return ets_datum_no_memory();
    for (size_t i = 0; i < count; i++) types[i] = ets_text_of(of(row)->payload_nodes[i].type);
    return ets_datum_texts(types, count);
}

static struct ets_datum get_metadata(const struct ets_entity_row *row)
{
    struct ets_text_list list;
    const struct ets_operator_shown *s = shown(row);
    const uint32_t index = s != NULL ? s->line->row : row->parent;
    const bool ok = ets_row_metadata(row->scratch, inspection_of(row), index,
                                     s != NULL ? s->runs : NULL, &list);
    return ok ? ets_datum_list(list.items, list.count) : ets_datum_no_memory();
}

static struct ets_datum get_inferred(const struct ets_entity_row *row)
{
    return ets_datum_integer(of(row) != NULL && of(row)->is_inferred != 0);
}

static struct ets_datum get_depth(const struct ets_entity_row *row)
{
    return ets_datum_integer(shown(row) != NULL ? shown(row)->line->depth : of(row)->depth);
}

/* ---- where it is from ---- */

/* Names of places of a line. */
static struct ets_datum names_of(const struct ets_entity_row *row, enum ets_place_kind kind,
                                 const struct ets_numbers *list)
{
    struct ets_text *names = ets_arena_alloc_array(row->scratch, list->count, sizeof *names);
    for (uint32_t i = 0; names != NULL && i < list->count; i++) {
        names[i] = ets_places_name(shown(row)->places, kind, list->items[i]);
    }
    return ets_datum_texts(names, list->count);
}

/* What an exporter added has none: its call's places are not where it is from. */
static struct ets_datum places_of(const struct ets_entity_row *row, enum ets_place_kind kind)
{
    struct ets_text_list sources, modules;
    if (shown(row) != NULL) {
        const struct ets_operator_line *line = shown(row)->line;
        return names_of(row, kind, kind == ETS_PLACE_LINE ? &line->lines : &line->modules);
    }
    if (!ets_operator_row_places(row->scratch, of(row), &sources, &modules))
        return ets_datum_no_memory();
    const struct ets_text_list *list = kind == ETS_PLACE_LINE ? &sources : &modules;
    return ets_datum_list(list->items, list->count);
}

static struct ets_datum get_source(const struct ets_entity_row *row)
{
    return places_of(row, ETS_PLACE_LINE);
}

/* An event of which only the call is known does not repeat the call's lines. */
static struct ets_datum get_own_source(const struct ets_entity_row *row)
{
    static const struct ets_text whole_call[] = {{"(whole call)", 12}};
    const struct ets_operator_line *line = shown(row)->line;
    const bool is_of_call = of(row) != NULL && of(row)->tie == ETS_TIE_CALL;
    return is_of_call && line->lines.count > 0 ? ets_datum_texts(whole_call, 1) : get_source(row);
}

static struct ets_datum get_module(const struct ets_entity_row *row)
{
    return places_of(row, ETS_PLACE_MODULE);
}

static struct ets_datum get_category(const struct ets_entity_row *row)
{
    return ets_datum_string(of(row)->chain == -1 ? NULL : ets_work_category(of(row)));
}

static struct ets_datum get_part(const struct ets_entity_row *row)
{
    struct ets_text_list sources, modules;
    struct ets_text part;
    if (of(row)->chain == -1) return ets_datum_nothing();
    if (!ets_operator_row_places(row->scratch, of(row), &sources, &modules) ||
        !ets_work_part_name(row->scratch, modules.items, modules.count, NULL, of(row), &part)) {
        return ets_datum_no_memory();
    }
    return ets_datum_text(part);
}

static struct ets_datum get_layer(const struct ets_entity_row *row)
{
    struct ets_text_list sources, modules;
    struct ets_text layer;
    if (of(row)->chain == -1) return ets_datum_nothing();
    if (!ets_operator_row_places(row->scratch, of(row), &sources, &modules) ||
        !ets_work_layer_name(row->scratch, modules.items, modules.count, &layer)) {
        return ets_datum_no_memory();
    }
    return ets_datum_text(layer);
}

/* The name of a line, as people read it. */
static struct ets_datum get_operator(const struct ets_entity_row *row)
{
    enum { ROOM = 256 };
    const struct ets_operator_line *line = shown(row)->line;
    const bool is_call =
        of(row) != NULL && of(row)->backend != NULL && ets_text_is(line->name, "DELEGATE_CALL");
    if (!line->has_own_clock && !line->is_estimate && !is_call) return ets_datum_text(line->name);
    char *room = ets_arena_alloc(row->scratch, ROOM);
    struct ets_text_builder name = {room, ROOM, 0};
    if (room == NULL) return ets_datum_no_memory();
    if (line->has_own_clock || line->is_estimate) {
        ets_add_measured_name(&name, line->name, of(row), line->times.statistics.p50);
    } else {
        ets_add_text(&name, "DELEGATE_CALL %s", of(row)->backend);
    }
    return ets_datum_text(ets_built_text(&name));
}

/* What all rows of a group have in common: places, or work without any, by a name. */
static struct ets_datum get_group(const struct ets_entity_row *row)
{
    static const enum ets_place_kind kinds[] = {[ETS_GROUP_MODULE] = ETS_PLACE_MODULE,
                                                [ETS_GROUP_SOURCE] = ETS_PLACE_LINE,
                                                [ETS_GROUP_FILE] = ETS_PLACE_FILE,
                                                [ETS_GROUP_HANDLE] = ETS_PLACE_HANDLE};
    const struct ets_operator_line *line = shown(row)->line;
    if (line->group.count == 0) return ets_datum_texts(&line->name, 1);
    return names_of(row, kinds[shown(row)->group_by], &line->group);
}

/* ---- its times ---- */

/* Those of a line, or of a row in all runs of its block. */
struct operator_times {
    const struct ets_statistics *per_run;
    double middle, self, self_middle;
    struct ets_clock_error error, self_error;
    double tick;
    bool has_own_clock, is_estimate, has_self;
};

/* False: no memory. */
static bool find_times(const struct ets_entity_row *row, struct operator_times *out)
{
    if (shown(row) != NULL) {
        const struct ets_operator_line *line = shown(row)->line;
        *out = (struct operator_times){.per_run = &line->times.statistics,
                                       .middle = line->times.middle,
                                       .self = line->self.statistics.mean,
                                       .self_middle = line->self.middle,
                                       .error = line->error,
                                       .self_error = line->self_error,
                                       .tick = shown(row)->tick,
                                       .has_own_clock = line->has_own_clock,
                                       .is_estimate = line->is_estimate,
                                       .has_self = true};
        return true;
    }
    struct ets_studied_trace *trace = &row->study->traces[row->trace - row->study->traces];
    if (!ets_study_times(row->study, trace)) return false;
    const struct ets_row_times *times = &trace->times[row->parent];
    *out = (struct operator_times){.per_run = &times->statistics,
                                   .middle = times->middle,
                                   .self = times->self,
                                   .self_middle = times->self_middle,
                                   .error = times->error,
                                   .self_error = times->self_error,
                                   .tick = trace->tick,
                                   .has_own_clock = ets_row_is_untimed(of(row)) != 0,
                                   .is_estimate = ets_row_is_estimate(of(row)) != 0,
                                   .has_self = of(row)->clock == NULL};
    return true;
}

/* `ticks` of `runs` runs; what too few runs do not give is left out. */
static struct ets_datum in_runs(double ticks, struct ets_clock_error error, double runs,
                                double tick)
{
    if (isnan(ticks)) return ets_datum_nothing();
    const struct ets_span time = ets_span_of(ticks, error, runs);
    return ets_datum_bounds(time.lower * tick, time.upper * tick);
}

/* Ticks of a clock of its own are no times. */
#define GET_TIME(name, ticks)                                                                \
    static struct ets_datum get_##name(const struct ets_entity_row *row)                     \
    {                                                                                        \
        struct operator_times t;                                                             \
        if (!find_times(row, &t)) return ets_datum_no_memory();                              \
        return t.has_own_clock ? ets_datum_nothing() : in_runs((ticks), t.error, 1, t.tick); \
    }

/* How an estimate varies says nothing of the operator. */
#define GET_SPREAD(name, ticks) GET_TIME(name, t.is_estimate ? NAN : (ticks))

GET_TIME(avg, t.per_run->mean)
GET_TIME(p50, t.per_run->p50)
GET_TIME(mid, t.middle)
GET_SPREAD(min, t.per_run->min)
GET_SPREAD(max, t.per_run->max)
GET_SPREAD(p10, t.per_run->p10)
GET_SPREAD(p90, t.per_run->p90)
GET_SPREAD(p99, shown(row)->line->times.spread.p99)
GET_SPREAD(ci_low, shown(row)->line->times.spread.median_low)
GET_SPREAD(ci_high, shown(row)->line->times.spread.median_high)

static struct ets_datum get_total(const struct ets_entity_row *row)
{
    struct operator_times t;
    if (!find_times(row, &t)) return ets_datum_no_memory();
    if (t.has_own_clock) return ets_datum_nothing();
    return in_runs(t.per_run->total, t.error, t.per_run->count, t.tick);
}

/* Where each run may be off by up to a range, the deviation may be by half of it. */
static struct ets_datum get_sd(const struct ets_entity_row *row)
{
    const struct ets_operator_line *line = shown(row)->line;
    const double count = line->times.statistics.count, sd = line->times.spread.sd;
    const double range = line->error.below + line->error.above;
    const double off = range / 2 * sqrt(count / (count - 1.0));
    const double tick = shown(row)->tick;
    if (isnan(sd) || line->has_own_clock || line->is_estimate) return ets_datum_nothing();
    return ets_datum_bounds(fmax(sd - off, 0) * tick, (sd + off) * tick);
}

static struct ets_datum get_runs(const struct ets_entity_row *row)
{
    struct operator_times t;
    return find_times(row, &t) ? ets_datum_integer(t.per_run->count) : ets_datum_no_memory();
}

static struct ets_datum get_own_ticks(const struct ets_entity_row *row)
{
    struct operator_times t;
    if (!find_times(row, &t)) return ets_datum_no_memory();
    return t.has_own_clock ? ets_datum_real(t.per_run->mean) : ets_datum_nothing();
}

static struct ets_datum get_own_unit(const struct ets_entity_row *row)
{
    const struct ets_row *operator= of(row);
    const struct ets_delegate_clock *clock = operator== NULL ? NULL : operator->clock;
    return clock == NULL || clock->unit == NULL ? ets_datum_nothing()
                                                : ets_datum_text(ets_text_of(clock->unit));
}

/* Self times are not of several runs. */
#define GET_SELF(name, ticks)                                                                \
    static struct ets_datum get_##name(const struct ets_entity_row *row)                     \
    {                                                                                        \
        struct operator_times t;                                                             \
        if (!find_times(row, &t)) return ets_datum_no_memory();                              \
        return t.has_self ? in_runs((ticks), t.self_error, 1, t.tick) : ets_datum_nothing(); \
    }

GET_SELF(self, t.self)
GET_SELF(self_mid, t.self_middle)

static struct ets_datum part(const struct ets_entity_row *row, double ticks,
                             struct ets_clock_error error)
{
    const double whole = shown(row)->runs->whole;
    if (isnan(whole) || isnan(ticks)) return ets_datum_nothing();
    const struct ets_span span = ets_span_part(ets_span_of(ticks, error, 1), whole);
    return ets_datum_bounds(span.lower, span.upper);
}

static struct ets_datum get_share(const struct ets_entity_row *row)
{
    const struct ets_operator_line *line = shown(row)->line;
    return part(row, line->has_own_clock ? NAN : line->times.middle, line->error);
}

static struct ets_datum get_self_share(const struct ets_entity_row *row)
{
    return part(row, shown(row)->line->self.middle, shown(row)->line->self_error);
}

static struct ets_datum get_resolution(const struct ets_entity_row *row)
{
    if (shown(row) != NULL) return ets_datum_real(shown(row)->line->resolution * shown(row)->tick);
    return ets_datum_real((double)of(row)->quantum_ticks * row->trace->tick);
}

static struct ets_datum get_calls(const struct ets_entity_row *row)
{
    return ets_datum_integer(of(row)->calls_per_run);
}

/* On average, as calls of a group may differ from run to run. */
static struct ets_datum get_mean_calls(const struct ets_entity_row *row)
{
    const struct ets_operator_line *line = shown(row)->line;
    return line->calls_per_run > 0 && !line->is_rest ? ets_datum_real(line->calls_per_run)
                                                     : ets_datum_nothing();
}

static struct ets_datum get_children(const struct ets_entity_row *row)
{
    struct ets_studied_trace *trace = &row->study->traces[row->trace - row->study->traces];
    if (!ets_study_times(row->study, trace)) return ets_datum_no_memory();
    return ets_datum_integer(trace->times[row->parent].children);
}

static struct ets_datum get_clock(const struct ets_entity_row *row)
{
    return ets_datum_string(ets_row_clock(of(row)));
}

#define ROWS ETS_IN_ROWS(1u << ETS_GROUP_NONE)
#define BY(group) (ETS_SEEN_BY_TABLES_ALONE | ETS_IN_ROWS(1u << ETS_GROUP_##group))
#define TABLES ETS_SEEN_BY_TABLES_ALONE
/* clang-format off */
static const struct ets_entity_column columns[] = {
    {"id", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "number of the operator, counted from 0", get_id},
    {"trace", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "id in `traces`", get_trace},
    {"block", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "id in `blocks`", get_block},
    {"block", ETS_QUANTITY_TEXT, false, TABLES, "name of its block, such as Execute: the runs with the same name, method, test case or stage, and events", get_block_name},
    {"block_index", ETS_QUANTITY_INTEGER, false, TABLES, "number of that block", get_block_index},
    {"method", ETS_QUANTITY_TEXT, false, TABLES, "the method that ran, if the trace, an ETRecord or a program tells; for an ambiguous block, the methods that fit", get_method},
    {"parent", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "id of the operator that encloses it, whose time includes its time", get_parent},
    {"children", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "number of operators directly inside", get_children},
    {"runs", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL, "number of runs that the times cover", get_runs},
    {"chain", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "number of the chain; null outside instructions", get_chain},
    {"instruction", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "number of the instruction in its chain; of a delegate's operator, that of the call", get_instruction},
    {"instruction", ETS_QUANTITY_INTEGER, false, TABLES | ROWS, "index in the program's chain; null outside of instructions and inside a delegate", get_own_instruction},
    {"name", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "short name: addmm.out, DELEGATE_CALL, a delegate's operator", get_name},
    {"operator", ETS_QUANTITY_TEXT, false, TABLES | ETS_IN_ROWS(1u << ETS_GROUP_NONE | 1u << ETS_GROUP_OP), "the name for people: the kernel, or the delegate's operator", get_operator},
    {"module", ETS_QUANTITY_TEXTS, false, BY(MODULE), "what lines are grouped by", get_group},
    {"source", ETS_QUANTITY_TEXTS, false, BY(SOURCE), "what lines are grouped by", get_group},
    {"backend", ETS_QUANTITY_TEXT, false, BY(BACKEND), "what lines are grouped by", get_operator},
    {"file", ETS_QUANTITY_TEXTS, false, BY(FILE), "what lines are grouped by", get_group},
    {"debug_handle", ETS_QUANTITY_TEXTS, false, BY(HANDLE), "what lines are grouped by", get_group},
    {"category", ETS_QUANTITY_TEXT, false, BY(CATEGORY), "what the operators do: convolution, matrix product, attention, normalization, reduction, elementwise, data movement, quantization, embedding, other", get_operator},
    {"part", ETS_QUANTITY_TEXT, false, BY(PART), "part of the model, by the names of its modules", get_operator},
    {"layer", ETS_QUANTITY_TEXT, false, BY(LAYER), "layer of a stack, by the numbers in paths of modules; else the module", get_operator},
    {"event", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL | ROWS, "the event's own name in the trace", get_event},
    {"kernel", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL | ROWS, "the program's operator (needs the program), such as aten::add.out", get_kernel},
    {"operation", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "name without the parts that depend on the processor: equal in two traces even if XNNPACK names its kernels differently", get_operation},
    {"delegate_id", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "identifier of a delegate's events, if it is a number", get_delegate_id},
    {"delegated", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "1: reported by a delegate", get_delegated},
    {"calls", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_RELATIONS, "number of events in one run", get_calls},
    {"calls", ETS_QUANTITY_REAL, false, TABLES, "events in one run: more than 1 in a loop; of a group, over all its rows; null for the rest of a total", get_mean_calls},
    {"avg", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_ALL, "mean of its time per run, all calls added up", get_avg},
    {"p50", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_ALL, "median; quantiles are by linear interpolation", get_p50},
    {"mid", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_ALL, "mean over the middle half of the runs, ordered by their total time, so that one slow run has no effect; shares are fractions of the mid of the whole run", get_mid},
    {"min", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_ALL, "shortest time per run", get_min},
    {"max", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_ALL, "longest time per run", get_max},
    {"p10", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_ALL, "quantile, likewise", get_p10},
    {"p90", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_ALL, "quantile, likewise", get_p90},
    {"p99", ETS_QUANTITY_TIME, true, TABLES, "99th percentile over the runs", get_p99},
    {"ci_low", ETS_QUANTITY_TIME, true, TABLES, "95 % confidence interval of the median of these runs, without assumptions about the distribution; null below 6 runs", get_ci_low},
    {"ci_high", ETS_QUANTITY_TIME, true, TABLES, "its upper end", get_ci_high},
    {"sd", ETS_QUANTITY_TIME, true, TABLES, "standard deviation over the runs, divisor n - 1", get_sd},
    {"total", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_ALL, "sum over all runs", get_total},
    {"share", ETS_QUANTITY_SHARE, true, TABLES, "mid divided by the mid of the whole run (Method::execute, or Program::load_method for a load); shares add up", get_share},
    {"self", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_PEOPLE | ETS_IN_ROWS(1u << ETS_GROUP_MODULE), "as `self_mid`", get_self_mid},
    {"self", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_RELATIONS, "avg minus that of the operators inside; adds up to the whole run, within its bounds", get_self},
    {"self_mid", ETS_QUANTITY_TIME, true, ETS_SEEN_BY_RELATIONS, "mid minus that of the operators inside, likewise", get_self_mid},
    {"self", ETS_QUANTITY_TIME, true, BY(MODULE), "avg minus that of the modules inside", get_self},
    {"self_mid", ETS_QUANTITY_TIME, true, BY(MODULE), "mid minus that of the modules inside, which people see", get_self_mid},
    {"self_share", ETS_QUANTITY_SHARE, true, BY(MODULE), "its part of the mid of the whole run; self shares add up to the run", get_self_share},
    {"clock", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "trace; fitted or unknown: a delegate's operator with its own clock, which has no times and is not added to anything; overlapping, device: it has times, but no self; estimated: its times are no measurement; counted: what it reports is no time", get_clock},
    {"own_ticks", ETS_QUANTITY_REAL, false, ETS_SEEN_BY_RELATIONS, "avg of an operator with its own clock, in ticks of that clock", get_own_ticks},
    {"own_unit", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "unit of own_ticks where the backend states one: cycles, us, bytes, count", get_own_unit},
    {"resolution", ETS_QUANTITY_TIME, false, ETS_SEEN_BY_ALL, "step of the delegate's clock: the true time of a call differs by less than this; 0: exact", get_resolution},
    {"source", ETS_QUANTITY_TEXTS, false, ETS_SEEN_BY_PEOPLE | ROWS, "likewise, but what only its call is known of has none of its own", get_own_source},
    {"source", ETS_QUANTITY_TEXTS, false, ETS_SEEN_BY_ALL | ROWS, "source lines, file:line; of what an exporter added, none", get_source},
    {"module", ETS_QUANTITY_TEXTS, false, ETS_SEEN_BY_ALL | ROWS, "module paths, likewise; what quantization adds after a layer belongs to that layer", get_module},
    {"category", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "what it does: convolution, matrix product, attention, data movement, ...", get_category},
    {"part", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "part of the model, by the names of its modules: attention: scores, MLP, norm, ...", get_part},
    {"layer", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_RELATIONS, "layer of a stack, such as layers.3; else the module", get_layer},
    {"node", ETS_QUANTITY_TEXT, false, TABLES | ROWS, "of another runtime's profile, the node's own name", get_node},
    {"backend", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL | ROWS, "the delegate's backend, such as XnnpackBackend; of another runtime's profile, what ran the operator", get_backend},
    {"op_types", ETS_QUANTITY_TEXTS, false, ETS_SEEN_BY_ALL | ROWS, "distinct operators of its nodes in the edge graph; of nodes that share a handle, those of its own kernel, and its own one where there are as many as calls", get_op_types},
    {"debug_handles", ETS_QUANTITY_NUMBERS, false, ETS_SEEN_BY_ALL | ROWS, "debug handles, from the ETRecord or from the delegate's payload", get_handles},
    {"tie", ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL | ROWS, "how a delegate's operator was identified: map, node, near, or call (only its call is known)", get_tie},
    {"delegate_nodes", ETS_QUANTITY_TEXTS, false, TABLES | ROWS, "all nodes of the payload that the event computes", get_delegate_nodes},
    {"metadata", ETS_QUANTITY_TEXTS, false, ETS_SEEN_BY_ALL | ROWS, "what a delegate attached to its events, each text once; for bytes that are not text, or more than 4,096, the size, \"(12 bytes)\", of a single one its number, \"(byte 7)\"", get_metadata},
    {"inferred", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL | ROWS, "1: joined by the order of operators, because the record maps no handle there", get_inferred},
    {"depth", ETS_QUANTITY_INTEGER, false, ETS_SEEN_BY_ALL, "nesting depth; 0: outermost; a row's time contains the deeper rows inside of it", get_depth},
    {NULL, ETS_QUANTITY_TEXT, false, ETS_SEEN_BY_ALL, NULL, NULL},
};
/* clang-format on */

static uint64_t count(const struct ets_study *study)
{
    return study->operator_count;
}

/* The last trace whose first operator is not behind it. The parent is its number there. */
static bool find(struct ets_entity_row *row)
{
    const struct ets_study *study = row->study;
    uint32_t low = 0, high = study->sources.trace_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (study->traces[middle].first_operator <= row->number) low = middle;
        else high = middle;
    }
    row->trace = &study->traces[low];
    row->parent = (uint32_t)(row->number - row->trace->first_operator);
    row->item = ets_inspection_row(row->trace->inspection, row->parent);
    return true;
}

/* As --group-by names them. */
static const char *const kinds[] = {[ETS_GROUP_NONE] = "none",       [ETS_GROUP_OP] = "op",
                                    [ETS_GROUP_MODULE] = "module",   [ETS_GROUP_SOURCE] = "source",
                                    [ETS_GROUP_BACKEND] = "backend", [ETS_GROUP_FILE] = "file",
                                    [ETS_GROUP_HANDLE] = "handle",   NULL};

const struct ets_entity ets_operators_entity = {
    .name = "operators",
    .kinds = kinds,
    .meaning =
        "The rows of the operator table: what the events of a block measure. Times are in "
        "the trace's unit.",
    .columns = columns,
    .count = count,
    .find = find,
};
