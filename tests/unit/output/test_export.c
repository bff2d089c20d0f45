/* Exported traces: failing memory is told, and tracks nest whatever the times of events are. */
#include "test_model_support.h"

#include "output/export/export_files.h"
#include "output/export/export_tracks.h"
#include "test_faults_support.h"

static enum ets_status export_with(const struct ets_allocator *allocator,
                                   enum ets_export_format format,
                                   const struct ets_export_trace *trace, struct ets_error *error)
{
    struct ets_output *output;
    char *data;
    size_t size;
    assert_int_equal(ets_output_open_memory(&output, &data, &size, NULL), ETS_OK);
    const enum ets_status status =
        ets_export_write(output, format, trace, 1, allocator, NULL, error);
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
    if (status == ETS_OK) assert_true(size > 500);
    ets_output_free(data);
    return status;
}

static void assert_failures_are_told(const struct ets_export_trace *trace,
                                     enum ets_export_format format)
{
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long n = 0; status != ETS_OK; n += FAULT_STRIDE) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_error error = {.status = ETS_OK};
        status = export_with(&allocator, format, trace, &error);
        assert_int_equal(status, error.status);
        if (status == ETS_OK) assert_true(failing.calls <= n); /* nothing was left out */
        else assert_int_equal(status, ETS_NO_MEMORY);
        if (status != ETS_OK) assert_memory_equal(error.message, "no memory for ", 14);
        assert_int_equal(failing.live, 0);
        assert_true(n < 10000);
    }
}

static void test_export__failing_memory_is_told(void **state)
{
    (void)state;
    struct model model;
    open_model("gpt_xnnpack", &model);
    const struct ets_export_trace of_program = {
        .name = "profile.etdp", .inspection = model.inspection, .program = &model.program};
    const struct ets_export_trace of_record = {
        .name = "profile.etdp", .inspection = model.inspection, .record = model.record};
    for (int format = ETS_EXPORT_CHROME; format <= ETS_EXPORT_TENSORBOARD; format++) {
        assert_failures_are_told(&of_program, (enum ets_export_format)format);
    }
    assert_failures_are_told(&of_record, ETS_EXPORT_TENSORBOARD);
    close_model(&model);
    struct ets_file *dump = open_fixture("made", "allocations.etdp");
    struct ets_inspection *inspection =
        inspect(ets_file_bytes(dump), (struct ets_inspect_options){.method = NULL});
    const struct ets_export_trace alone = {.name = "profile.etdp", .inspection = inspection};
    assert_failures_are_told(&alone, ETS_EXPORT_PERFETTO);
    assert_failures_are_told(&alone, ETS_EXPORT_CHROME);
    ets_inspection_close(inspection);
    ets_file_close(dump);
}

static void test_export__counts_of_traces_are_checked(void **state)
{
    (void)state;
    struct ets_error error;
    assert_int_equal(ets_export_write(NULL, ETS_EXPORT_CHROME, NULL, 0, NULL, NULL, &error),
                     ETS_INVALID_ARGUMENT);
    assert_string_equal(error.message, "there is no trace to export");
    const struct ets_export_trace two[2] = {{.name = "a"}, {.name = "b"}};
    assert_int_equal(ets_export_write(NULL, ETS_EXPORT_SPEEDSCOPE, two, 2, NULL, NULL, &error),
                     ETS_INVALID_ARGUMENT);
    assert_string_equal(error.message, "this format holds one trace: export one at a time");
}

/* ---- tracks ---- */

enum { MOST_TRACKS = 1000, MOST_DEPTH = 200 };

/* Checks each track as a viewer would read it. */
struct checker {
    struct {
        uint64_t ends[MOST_DEPTH], now;
        uint32_t depth;
    } tracks[MOST_TRACKS];
    uint32_t track_count, begin_count, end_count;
};

static bool check_trace(void *context, uint32_t trace, const char *name)
{
    (void)context;
    assert_int_equal(trace, 0);
    assert_non_null(name);
    return true;
}

static bool check_track(void *context, const struct ets_track *track)
{
    struct checker *checker = context;
    assert_int_equal(track->number, ++checker->track_count);
    assert_true(track->number < MOST_TRACKS && track->parent < track->number);
    return true;
}

static bool check_begin(void *context, const struct ets_slice *slice)
{
    struct checker *checker = context;
    assert_true(slice->track > 0 && slice->track <= checker->track_count);
    assert_true(slice->end >= slice->start && slice->end <= INT64_MAX);
    assert_true(slice->start >= checker->tracks[slice->track].now);
    const uint32_t depth = checker->tracks[slice->track].depth++;
    assert_true(depth < MOST_DEPTH);
    if (depth > 0) assert_true(slice->end <= checker->tracks[slice->track].ends[depth - 1]);
    checker->tracks[slice->track].ends[depth] = slice->end;
    checker->tracks[slice->track].now = slice->start;
    checker->begin_count++;
    return true;
}

static bool check_end(void *context, const struct ets_slice *slice)
{
    struct checker *checker = context;
    assert_true(checker->tracks[slice->track].depth > 0);
    const uint32_t depth = --checker->tracks[slice->track].depth;
    assert_int_equal(checker->tracks[slice->track].ends[depth], slice->end);
    assert_true(slice->end >= checker->tracks[slice->track].now);
    checker->tracks[slice->track].now = slice->end;
    checker->end_count++;
    return true;
}

static bool check_sample(void *context, const struct ets_sample *sample)
{
    struct checker *checker = context;
    assert_true(sample->track > 0 && sample->track <= checker->track_count);
    return true;
}

static void check_tracks(const struct ets_inspection *inspection, uint32_t slice_count)
{
    struct checker *checker = calloc(1, sizeof *checker);
    assert_non_null(checker);
    const struct ets_track_sink sink = {.context = checker,
                                        .add_trace = check_trace,
                                        .add_track = check_track,
                                        .begin = check_begin,
                                        .end = check_end,
                                        .add_sample = check_sample};
    const struct ets_export_trace trace = {.name = "made", .inspection = inspection};
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_tracks_visit(&arena, &trace, 1, &sink, NULL), ETS_OK);
    assert_int_equal(checker->begin_count, slice_count);
    assert_int_equal(checker->end_count, slice_count);
    ets_arena_reset(&arena);
    free(checker);
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Times of all kinds: near each other, wrapped, backwards, at both ends of 64 bits. */
static uint64_t random_time(uint32_t *state)
{
    switch (next_random(state) % 8) {
    case 0: return UINT32_MAX - next_random(state) % 50;
    case 1: return next_random(state);
    case 2: return next_random(state) % 4 == 0 ? UINT64_MAX - next_random(state) % 9 : 0;
    default: return 1000 + next_random(state) % 60;
    }
}

static struct made_event random_event(uint32_t *state)
{
    const uint64_t start = random_time(state);
    const uint64_t end =
        next_random(state) % 4 == 0 ? random_time(state) : start + next_random(state) % 40;
    const int32_t instruction = (int32_t)(next_random(state) % 4);
    switch (next_random(state) % 8) {
    case 0: return (struct made_event)FRAMEWORK("Method::execute", start, end);
    case 1: return (struct made_event)CALL("OPERATOR_CALL", instruction, start, end);
    case 2: return (struct made_event)CALL("DELEGATE_CALL", instruction, start, end);
    case 3: return (struct made_event)CALL("native_call_add.out", instruction, start, end);
    case 4: return (struct made_event)ALLOCATION(1, 1 + next_random(state) % 100);
    case 5: return (struct made_event)LOGGED(instruction, 5);
    case 6: return (struct made_event)DELEGATE_ID(instruction, instruction, start, end);
    default: return (struct made_event)DELEGATE("inside", instruction, start, end);
    }
}

static void test_export__tracks_nest_for_any_times(void **state)
{
    (void)state;
    enum { EVENTS = 24, RUNS = 3 };
    for (uint32_t seed = 1; seed <= 2000; seed += FAULT_STRIDE) {
        struct made_event events[RUNS][EVENTS];
        struct made_run runs[RUNS];
        uint32_t random = seed, slice_count = 0;
        for (uint32_t r = 0; r < RUNS; r++) {
            for (uint32_t e = 0; e < EVENTS; e++) {
                events[r][e] = random_event(&random);
                slice_count += events[r][e].kind == ETS_EVENT_PROFILE;
            }
            runs[r] = (struct made_run){.name = "Execute",
                                        .test_case = -1,
                                        .events = events[r],
                                        .event_count = EVENTS,
                                        .allocator_count = 1};
        }
        struct ets_bytes dump = make_dump(runs, RUNS);
        struct ets_inspection *inspection =
            inspect(dump, (struct ets_inspect_options){.method = NULL});
        check_tracks(inspection, slice_count);
        ets_inspection_close(inspection);
        free((void *)(uintptr_t)dump.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_export__failing_memory_is_told),
        cmocka_unit_test(test_export__counts_of_traces_are_checked),
        cmocka_unit_test(test_export__tracks_nest_for_any_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
