/*
 * Decides whether the times of a delegate's events use the trace's clock, and fits their clock
 * otherwise.
 */
#include <math.h>
#include <stdbool.h>

#include "inspect/inspection.h"
#include "inspect/time_details.h"

/* The conditions of a fit; the header explains them. */
enum { LEAST_CALLS = 20, LEAST_PLACES = 3 };
#define LEAST_SPREAD 4.0
#define MOST_RESIDUAL 0.05
#define MOST_SCALE_ERROR 0.05
#define NORMAL_95 1.96

/* The events of one call until the call's own event arrives; by the call's row. */
struct call {
    uint64_t sum, last_end;
    uint32_t count;
    bool is_outside, is_overlapping;
};

/* Sums over the calls of one backend, each weighted by 1 / call². */
struct fit {
    struct ets_delegate_clock *clock; /* NULL: no calls yet */
    uint32_t places;
    double least_mean, most_mean; /* of the places */
    double w, wx, wy, wxx, wxy;
    double intercept, squares; /* of relative deviations */
    double most_excess;        /* of the events over their call, relative to it */
};

/* A row with events of a delegate inside: data of all its calls. */
struct place {
    struct call open;
    uint32_t calls;
    double sums; /* of all calls' events */
    bool is_outside, is_overlapping, is_too_short;
    struct fit *fit; /* NULL: on the trace's clock */
};

struct finder {
    struct ets_inspection *inspection;
    struct place *places; /* [row] */
    struct ets_strings backends;
    struct fit *fits; /* [backend's number]; calls of unknown backends: 0 */
};

typedef void (*visit_call)(struct finder *f, uint32_t row, uint32_t event);

/* Whether identifiers tell what was measured: nothing is inferred then. */
static bool is_said(const struct ets_inspection *inspection, uint32_t row)
{
    return inspection->said != NULL && inspection->said[row].measure != ETS_PAYLOAD_TIME;
}

static bool is_delegates(const struct ets_inspection *inspection, uint32_t event)
{
    const uint32_t row = inspection->events.row[event];
    return row != ETS_NO_INDEX && inspection->rows[row].is_delegated && !is_said(inspection, row);
}

/* Time since the call's start; a 32-bit counter may wrap during the call. */
static uint64_t offset_in_call(const struct ets_event_columns *columns, uint32_t call,
                               uint32_t event)
{
    const uint64_t offset = columns->start[event] - columns->start[call];
    return columns->end[call] < columns->start[call] ? offset & UINT32_MAX : offset;
}

static void add_to_call(struct finder *f, uint32_t call, uint32_t event)
{
    const struct ets_inspection *inspection = f->inspection;
    const struct ets_event_columns *columns = &inspection->events;
    struct call *open = &f->places[columns->row[call]].open;
    const uint64_t ticks = ets_raw_ticks(inspection, event);
    const uint64_t length = ets_raw_ticks(inspection, call);
    const uint64_t offset = offset_in_call(columns, call, event);
    const bool is_inside = offset <= length && ticks <= length - offset;
    open->is_outside = open->is_outside || !is_inside;
    open->is_overlapping = open->is_overlapping || (open->count > 0 && offset < open->last_end);
    open->last_end = offset + ticks;
    open->sum = ticks > UINT64_MAX - open->sum ? UINT64_MAX : open->sum + ticks;
    open->count++;
}

/* Calls `visit` for each call that has a delegate's events, with their sum in place->open. */
static void visit_calls(struct finder *f, visit_call visit)
{
    const struct ets_event_columns *columns = &f->inspection->events;
    for (uint32_t e = 0; e < columns->count; e++) {
        const uint32_t row = columns->row[e], parent = columns->parent[e];
        if (row == ETS_NO_INDEX) continue;
        if (f->places[row].open.count > 0) visit(f, row, e);
        f->places[row].open = (struct call){0};
        if (parent != ETS_NO_INDEX && is_delegates(f->inspection, e)) add_to_call(f, parent, e);
    }
}

static void look_at_call(struct finder *f, uint32_t row, uint32_t event)
{
    struct place *place = &f->places[row];
    place->calls++;
    place->sums += (double)place->open.sum;
    place->is_outside = place->is_outside || place->open.is_outside;
    place->is_overlapping = place->is_overlapping || place->open.is_overlapping;
    if (place->open.sum > ets_raw_ticks(f->inspection, event)) place->is_too_short = true;
}

/* The fit of a backend's calls; NULL: no memory. */
static struct fit *fit_of(struct finder *f, const char *backend)
{
    struct ets_arena *arena = &f->inspection->arena;
    if (f->fits == NULL) {
        f->fits =
            ets_arena_alloc_array(arena, (size_t)f->inspection->row_count + 2, sizeof *f->fits);
        if (f->fits == NULL || ets_strings_init(&f->backends, arena) != 0) return NULL;
    }
    const struct ets_text name = {backend, backend == NULL ? 0 : strlen(backend)};
    const uint32_t number = ets_strings_add(&f->backends, name);
    if (number == UINT32_MAX) return NULL;
    struct fit *fit = &f->fits[number];
    if (fit->clock != NULL) return fit;
    fit->clock = ets_arena_alloc(arena, sizeof *fit->clock);
    if (fit->clock == NULL) return NULL;
    *fit->clock = (struct ets_delegate_clock){.state = ETS_CLOCK_UNKNOWN,
                                              .scale = NAN,
                                              .scale_error = NAN,
                                              .residual = NAN,
                                              .share = NAN};
    fit->least_mean = INFINITY;
    return fit;
}

static bool start_fit(struct finder *f, uint32_t row, struct ets_delegate_clock **clock_out)
{
    struct place *place = &f->places[row];
    struct fit *fit = fit_of(f, f->inspection->rows[row].backend);
    if (fit == NULL) return false;
    const double mean = place->sums / place->calls;
    place->fit = fit;
    fit->places++;
    fit->clock->calls += place->calls;
    fit->least_mean = fmin(fit->least_mean, mean);
    fit->most_mean = fmax(fit->most_mean, mean);
    *clock_out = fit->clock;
    return true;
}

/* The clock of the delegate's rows inside `row`; *clock_out NULL: the trace's. */
static bool judge_place(struct finder *f, uint32_t row, bool has_steps,
                        struct ets_delegate_clock **clock_out)
{
    const struct place *place = &f->places[row];
    *clock_out = NULL;
    if (place->is_outside && (place->is_too_short || !has_steps)) {
        return start_fit(f, row, clock_out);
    }
    if (place->is_outside || !place->is_overlapping) return true;
    *clock_out = ets_arena_alloc(&f->inspection->arena, sizeof **clock_out);
    if (*clock_out == NULL) return false;
    **clock_out = (struct ets_delegate_clock){
        .state = ETS_CLOCK_OVERLAPPING, .scale = 1, .residual = NAN, .share = NAN};
    return true;
}

static void add_to_sums(struct finder *f, uint32_t row, uint32_t event)
{
    const struct place *place = &f->places[row];
    const double y = (double)ets_raw_ticks(f->inspection, event);
    if (place->fit == NULL || y <= 0) return;
    struct fit *fit = place->fit;
    const double x = (double)place->open.sum, weight = 1 / (y * y);
    fit->w += weight;
    fit->wx += weight * x;
    fit->wy += weight * y;
    fit->wxx += weight * x * x;
    fit->wxy += weight * x * y;
}

static void add_deviation(struct finder *f, uint32_t row, uint32_t event)
{
    const struct place *place = &f->places[row];
    const double y = (double)ets_raw_ticks(f->inspection, event);
    if (place->fit == NULL || y <= 0) return;
    struct fit *fit = place->fit;
    const double scaled = fit->clock->scale * (double)place->open.sum;
    const double deviation = (y - fit->intercept - scaled) / y;
    fit->squares += deviation * deviation;
    fit->most_excess = fmax(fit->most_excess, (scaled - y) / y);
}

/* Why no fit is tried; NULL: it can be tried. */
static const char *find_obstacle(const struct fit *fit)
{
    if (fit->clock->calls < LEAST_CALLS) return "fewer than 20 calls";
    if (fit->places < LEAST_PLACES) return "calls at fewer than 3 places";
    if (!(fit->most_mean >= LEAST_SPREAD * fit->least_mean) || fit->most_mean <= 0) {
        return "all calls are of similar length, within a factor of 4";
    }
    return NULL;
}

static double determinant(const struct fit *fit)
{
    return fit->w * fit->wxx - fit->wx * fit->wx;
}

static void solve(struct fit *fit)
{
    if (fit->clock == NULL) return;
    fit->clock->reason = find_obstacle(fit);
    const double det = determinant(fit);
    if (fit->clock->reason == NULL && !(det > 0)) fit->clock->reason = "some calls took no time";
    if (fit->clock->reason != NULL) return;
    fit->clock->scale = (fit->w * fit->wxy - fit->wx * fit->wy) / det;
    fit->intercept = (fit->wxx * fit->wy - fit->wx * fit->wxy) / det;
}

/* Checks the conditions of the fit. */
static void judge_fit(struct fit *fit)
{
    struct ets_delegate_clock *clock = fit->clock;
    if (clock == NULL || clock->reason != NULL) return;
    const double det = determinant(fit);
    clock->residual = sqrt(fit->squares / (clock->calls - 2));
    clock->scale_error = NORMAL_95 * clock->residual * sqrt(fit->w / det);
    const double intercept_error = NORMAL_95 * clock->residual * sqrt(fit->wxx / det);
    if (!(clock->residual <= MOST_RESIDUAL)) {
        clock->reason = "calls deviate from a line by more than 5 %";
    } else if (!(clock->scale > 0) || clock->scale_error > MOST_SCALE_ERROR * clock->scale) {
        clock->reason = "its scale is uncertain by more than 5 %";
    } else if (fit->intercept < -intercept_error) {
        clock->reason = "a fitted line makes calls shorter than their events";
    } else if (fit->most_excess > 2 * clock->residual) {
        clock->reason = "a fitted line makes a call shorter than its events";
    } else {
        clock->state = ETS_CLOCK_FITTED;
        return;
    }
    clock->scale = clock->scale_error = NAN;
}

/* Rows inside one call are judged together. */
static bool judge_places(struct finder *f)
{
    struct ets_inspection *inspection = f->inspection;
    struct ets_delegate_clock **clocks =
        ets_arena_alloc_array(&inspection->arena, inspection->row_count, sizeof(void *));
    bool *has_steps =
        ets_arena_alloc_array(&inspection->arena, inspection->row_count, sizeof *has_steps);
    if (clocks == NULL || has_steps == NULL) return false;
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        const struct ets_row *row = &inspection->rows[i];
        if (row->is_delegated && row->parent != ETS_NO_INDEX && row->quantum_ticks > 0) {
            has_steps[row->parent] = true;
        }
    }
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        if (f->places[i].calls > 0 && !judge_place(f, i, has_steps[i], &clocks[i])) return false;
    }
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        struct ets_row *row = &inspection->rows[i];
        if (is_said(inspection, i)) continue;
        if (row->is_delegated && row->parent != ETS_NO_INDEX) row->clock = clocks[row->parent];
    }
    return true;
}

static enum ets_clock_state stated_clock(enum ets_payload_measure measure)
{
    switch (measure) {
    case ETS_PAYLOAD_PHASE: return ETS_CLOCK_OVERLAPPING;
    case ETS_PAYLOAD_DEVICE_TIME: return ETS_CLOCK_DEVICE;
    case ETS_PAYLOAD_ESTIMATE: return ETS_CLOCK_ESTIMATED;
    case ETS_PAYLOAD_FIGURE:
    case ETS_PAYLOAD_PART: return ETS_CLOCK_COUNTED;
    case ETS_PAYLOAD_TIME: break;
    }
    return ETS_CLOCK_UNKNOWN;
}

/* The lengths of all events of a row, if they are parts of a whole. */
static double sum_parts(const struct ets_inspection *inspection, uint32_t row)
{
    const uint32_t *events;
    uint32_t count;
    double sum = 0;
    if (!is_said(inspection, row) || inspection->said[row].measure != ETS_PAYLOAD_PART) return 0;
    ets_inspection_row_events(inspection, row, &events, &count);
    for (uint32_t i = 0; i < count; i++) sum += (double)ets_raw_ticks(inspection, events[i]);
    return sum;
}

static bool state_clock(struct ets_inspection *inspection, uint32_t row, const double *wholes)
{
    const struct ets_payload_identifier *said = &inspection->said[row];
    const uint32_t parent = inspection->rows[row].parent;
    const bool is_part = said->measure == ETS_PAYLOAD_PART && parent != ETS_NO_INDEX;
    struct ets_delegate_clock *clock = ets_arena_alloc(&inspection->arena, sizeof *clock);
    if (clock == NULL) return false;
    const enum ets_clock_state state = stated_clock(said->measure);
    *clock = (struct ets_delegate_clock){
        .state = state,
        .scale = state == ETS_CLOCK_COUNTED ? NAN : 1,
        .scale_error = state == ETS_CLOCK_COUNTED ? NAN : 0,
        .residual = NAN,
        .unit = said->unit,
        .share = is_part && wholes[parent] > 0 ? sum_parts(inspection, row) / wholes[parent] : NAN,
    };
    inspection->rows[row].clock = clock;
    inspection->rows[row].quantum_ticks = 0;
    return true;
}

/* Clocks of rows whose identifiers tell what was measured. */
static bool state_clocks(struct ets_inspection *inspection)
{
    if (inspection->said == NULL) return true;
    double *wholes =
        ets_arena_alloc_array(&inspection->arena, inspection->row_count, sizeof *wholes);
    if (wholes == NULL) return false;
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        const uint32_t parent = inspection->rows[i].parent;
        if (parent != ETS_NO_INDEX) wholes[parent] += sum_parts(inspection, i);
    }
    for (uint32_t i = 0; i < inspection->row_count; i++) {
        if (is_said(inspection, i) && !state_clock(inspection, i, wholes)) return false;
    }
    return true;
}

enum ets_status ets_delegate_clocks_find(struct ets_inspection *inspection, struct ets_error *error)
{
    struct finder f = {.inspection = inspection};
    f.places = ets_arena_alloc_array(&inspection->arena, inspection->row_count, sizeof *f.places);
    if (f.places == NULL) return ets_fail_memory(error, "the delegates' clocks");
    visit_calls(&f, look_at_call);
    if (!judge_places(&f) || !state_clocks(inspection))
        return ets_fail_memory(error, "the delegates' clocks");
    if (f.fits == NULL) return ETS_OK;
    visit_calls(&f, add_to_sums);
    for (uint32_t i = 0; i < f.backends.count; i++) solve(&f.fits[i]);
    visit_calls(&f, add_deviation);
    for (uint32_t i = 0; i < f.backends.count; i++) judge_fit(&f.fits[i]);
    return ETS_OK;
}

const char *ets_row_clock(const struct ets_row *row)
{
    static const char *const names[] = {"fitted", "unknown",   "overlapping",
                                        "device", "estimated", "counted"};
    return row->clock == NULL ? "trace" : names[row->clock->state];
}

int ets_row_has_own_clock(const struct ets_row *row)
{
    return row->clock != NULL && row->clock->state != ETS_CLOCK_OVERLAPPING;
}

int ets_row_is_estimate(const struct ets_row *row)
{
    return row->clock != NULL && row->clock->state == ETS_CLOCK_ESTIMATED;
}

int ets_row_is_untimed(const struct ets_row *row)
{
    return ets_row_has_own_clock(row) && !ets_row_is_estimate(row) &&
           row->clock->state != ETS_CLOCK_DEVICE;
}
