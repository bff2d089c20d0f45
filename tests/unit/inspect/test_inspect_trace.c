/* Inspections of etscope's own traces: what the extra block tells is believed, and shown. */
#include "test_inspect_support.h"

#include <math.h>
#include <stdbool.h>

#include "inspect/time_details.h"

#include "base/crc32.h"
#include "etscope/trace.h"

/* A recording with a scripted clock: each reading is one step further. */
struct recording {
    uint64_t now, step;
    uint64_t buffer[4096];
    struct ets_trace_config config;
    struct ets_trace trace;
    struct ets_trace_thread thread;
    struct ets_bytes dump;
    size_t extra_at;
};

static uint64_t read_script(void *context)
{
    struct recording *r = context;
    return r->now += r->step;
}

static struct recording *prepare(void)
{
    struct recording *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->now = 1000;
    r->step = 10;
    r->config = (struct ets_trace_config){.buffer = r->buffer,
                                          .buffer_bytes = sizeof r->buffer,
                                          .clock = read_script,
                                          .clock_context = r};
    return r;
}

static void start(struct recording *r)
{
    assert_int_equal(ets_trace_init(&r->trace, &r->config), ETS_OK);
    ets_trace_thread_init(&r->thread, &r->trace);
}

static void dump(struct recording *r)
{
    struct ets_trace_extra extra;
    size_t size;
    ets_trace_finish(&r->trace);
    assert_int_equal(ets_trace_dump_size(&r->trace, &size, NULL), ETS_OK);
    uint8_t *data = malloc(size);
    assert_non_null(data);
    assert_int_equal(ets_trace_write_buffer(&r->trace, data, size, &size, NULL), ETS_OK);
    r->dump = (struct ets_bytes){data, size};
    assert_int_equal(ets_trace_extra_init(&extra, r->dump, NULL), ETS_OK);
    r->extra_at = (size_t)(extra.entries.data - data);
}

static void discard(struct recording *r)
{
    free((void *)(uintptr_t)r->dump.data);
    free(r);
}

/* Two instructions, each a call around its kernel, inside of Method::execute. */
static void record_run(struct recording *r, const char *method, uint32_t invocation,
                       const char *first, const char *second)
{
    const struct ets_trace_run run = {.name = "Execute",
                                      .method = method,
                                      .invocation = invocation,
                                      .purpose = ETS_TRACE_EXECUTE};
    const char *const kernels[] = {first, second};
    ets_trace_begin_run(&r->thread, &run);
    const struct ets_trace_span whole =
        ets_trace_begin_at(&r->thread, ETS_TRACE_METHODS, "Method::execute", -1, 0);
    for (uint32_t i = 0; i < COUNT(kernels); i++) {
        ets_trace_set_instruction(&r->thread, 0, i);
        const struct ets_trace_span call =
            ets_trace_begin(&r->thread, ETS_TRACE_OPERATORS, "OPERATOR_CALL");
        ets_trace_end(&r->thread, ets_trace_begin(&r->thread, ETS_TRACE_OPERATORS, kernels[i]));
        ets_trace_end(&r->thread, call);
    }
    ets_trace_set_instruction(&r->thread, -1, 0);
    ets_trace_end(&r->thread, whole);
    ets_trace_end_run(&r->thread);
}

/* The operators of multi_method's encode and of its decode. */
static void record_encode(struct recording *r, const char *method, uint32_t invocation)
{
    record_run(r, method, invocation, "native_call_mul.out", "native_call_relu.out");
}

static double time_of(const struct ets_inspection *inspection, uint32_t block, const char *name)
{
    struct ets_statistics times;
    const struct ets_row *row = find_row(inspection, block, name);
    assert_non_null(row);
    const uint32_t index = (uint32_t)(row - ets_inspection_row(inspection, 0));
    assert_int_equal(ets_inspection_row_statistics(inspection, index, ETS_NO_INDEX, &times, NULL),
                     ETS_OK);
    return times.mean;
}

static void test_inspect_trace__times_are_nanoseconds_whatever_is_said(void **state)
{
    (void)state;
    struct recording *r = prepare();
    r->config.clock_hz = 500000000; /* a tick is 2 ns */
    start(r);
    record_encode(r, NULL, 0);
    dump(r);
    for (int unit = ETS_UNIT_NS; unit <= ETS_UNIT_CYCLES; unit++) {
        int is_known = 0;
        struct ets_inspection *inspection =
            inspect(r->dump, (struct ets_inspect_options){.tick_unit = (enum ets_time_unit)unit});
        assert_int_equal(ets_inspection_tick_unit(inspection, &is_known), ETS_UNIT_NS);
        assert_int_equal(is_known, 1);
        assert_true(time_of(inspection, 0, "native_call_mul.out") == 20);
        assert_true(ets_inspection_trace(inspection)->clock_hz == 500000000);
        ets_inspection_close(inspection);
    }
    discard(r);
}

static void test_inspect_trace__a_dump_of_others_tells_nothing(void **state)
{
    (void)state;
    static const struct made_event events[] = {CALL("native_call_a.out", 0, 0, 5)};
    static const struct made_run runs[] = {{"Execute", -1, events, COUNT(events), 0}};
    struct ets_inspection *inspection = NULL;
    struct ets_error error;
    int is_known = 1;
    struct made made =
        inspect_runs(runs, 1, (struct ets_inspect_options){.tick_unit = ETS_UNIT_US});
    assert_null(ets_inspection_trace(made.inspection));
    assert_int_equal(ets_inspection_tick_unit(made.inspection, &is_known), ETS_UNIT_US);
    assert_int_equal(is_known, 0);
    assert_true(isnan(ets_inspection_tracing_cost(made.inspection, 0).ns));
    const struct ets_run *run = ets_inspection_run(made.inspection, 0);
    assert_true(run->method.data == NULL && run->purpose == ETS_TRACE_UNKNOWN);
    assert_int_equal(run->thread, ETS_NO_INDEX);
    assert_int_equal(ets_inspection_block(made.inspection, 0)->is_method_named, 0);
    const struct ets_inspect_options subtracting = {.subtract_overhead = 1};
    assert_int_equal(ets_inspection_open(made.dump, &subtracting, &inspection, &error),
                     ETS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "cannot be subtracted"));
    made_close(&made);
}

static void test_inspect_trace__methods_never_share_a_block(void **state)
{
    (void)state;
    struct recording *r = prepare();
    start(r);
    record_encode(r, "encode", 4);
    record_encode(r, "decode", 0);
    record_encode(r, "encode", 5);
    record_encode(r, NULL, 0);
    dump(r);
    struct ets_inspection *inspection =
        inspect(r->dump, (struct ets_inspect_options){.partial = 0});
    static const uint32_t blocks[] = {0, 1, 0, 2}, invocations[] = {4, 0, 5, 0};
    static const char *const methods[] = {"encode", "decode", NULL};
    assert_int_equal(ets_inspection_run_count(inspection), 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct ets_run *run = ets_inspection_run(inspection, i);
        assert_int_equal(run->block, blocks[i]);
        assert_int_equal(run->invocation, invocations[i]);
        assert_int_equal(run->purpose, ETS_TRACE_EXECUTE);
        assert_int_equal(run->thread, 0);
        assert_int_equal(run->is_partial, 0);
        if (methods[blocks[i]] == NULL) assert_null(run->method.data);
        else assert_text(run->method, methods[blocks[i]]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        const struct ets_block *block = ets_inspection_block(inspection, i);
        assert_int_equal(block->method_state, ETS_METHOD_NONE); /* nothing to join with */
        assert_int_equal(block->is_method_named, methods[i] != NULL);
        if (methods[i] == NULL) assert_null(block->method);
        else assert_string_equal(block->method, methods[i]);
    }
    ets_inspection_close(inspection);
    discard(r);
}

/* A program of multi_method's, and a trace of two of its instructions. */
struct joined {
    struct ets_file *file;
    struct ets_program program;
};

static struct joined open_program(const char *model)
{
    struct joined joined = {.file = open_fixture(model, "model.pte")};
    assert_int_equal(ets_program_init(&joined.program, ets_file_bytes(joined.file), NULL), ETS_OK);
    return joined;
}

/* The kernels of a method's instructions 0 and 1, as events name them. */
static void kernels_of(const struct joined *joined, const char *method, char kernels[2][96])
{
    struct ets_method found;
    struct ets_chain chain;
    assert_int_equal(ets_program_find_method(&joined->program, method, &found, NULL), ETS_OK);
    ets_method_chain(&found, 0, &chain);
    for (uint32_t i = 0; i < 2; i++) {
        struct ets_instruction instruction;
        ets_chain_instruction(&chain, i, &instruction);
        assert_int_equal(instruction.kind, ETS_INSTRUCTION_KERNEL_CALL);
        const struct ets_text name = instruction.name, overload = instruction.overload;
        const size_t prefix = strlen("aten::");
        snprintf(kernels[i], 96, "native_call_%.*s%s%.*s", (int)(name.size - prefix),
                 name.data + prefix, overload.size > 0 ? "." : "", (int)overload.size,
                 overload.size > 0 ? overload.data : "");
    }
}

static void test_inspect_trace__the_named_method_alone_is_tried(void **state)
{
    (void)state;
    struct joined joined = open_program("multi_method");
    char kernels[2][96];
    kernels_of(&joined, "decode", kernels);
    static const struct {
        const char *named, *wanted;
        enum ets_status status;
        const char *message;
    } cases[] = {
        {"decode", NULL, ETS_OK, NULL},
        {"decode", "decode", ETS_OK, NULL},
        {"encode", NULL, ETS_MISMATCH, "encode"},
        {"train", NULL, ETS_MISMATCH, "it ran train, which the program does not have"},
        {"decode", "encode", ETS_MISMATCH, "it ran decode, not encode"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct recording *r = prepare();
        start(r);
        record_run(r, cases[i].named, 0, kernels[0], kernels[1]);
        dump(r);
        struct ets_inspect_options options = {.program = &joined.program,
                                              .method = cases[i].wanted};
        struct ets_inspection *inspection = NULL;
        struct ets_error error = {.status = ETS_OK};
        assert_int_equal(ets_inspection_open(r->dump, &options, &inspection, &error),
                         cases[i].status);
        if (cases[i].status != ETS_OK) {
            if (strstr(error.message, cases[i].message) == NULL) fail_msg("%s", error.message);
            options.allow_mismatch = 1;
            inspection = inspect(r->dump, options);
        }
        const struct ets_block *block = ets_inspection_block(inspection, 0);
        assert_int_equal(block->method_state,
                         cases[i].status == ETS_OK ? ETS_METHOD_FOUND : ETS_METHOD_MISMATCH);
        assert_string_equal(block->method, cases[i].named);
        assert_int_equal(find_row(inspection, 0, kernels[0])->kernel.size > 0,
                         cases[i].status == ETS_OK);
        ets_inspection_close(inspection);
        discard(r);
    }
    ets_file_close(joined.file);
}

static void test_inspect_trace__another_program_is_a_mismatch(void **state)
{
    (void)state;
    struct joined joined = open_program("multi_method"), other = open_program("mlp_portable");
    char kernels[2][96];
    kernels_of(&joined, "decode", kernels);
    static const size_t sizes[] = {0, 8, 5};
    for (int is_other = 0; is_other < 2; is_other++) {
        for (size_t i = 0; i < COUNT(sizes); i++) {
            struct recording *r = prepare();
            const uint64_t number =
                ets_program_fingerprint(is_other ? &other.program : &joined.program);
            uint8_t fingerprint[8];
            for (size_t k = 0; k < 8; k++) fingerprint[k] = (uint8_t)(number >> 8 * k);
            r->config.fingerprint = (struct ets_bytes){fingerprint, sizes[i]};
            start(r);
            record_run(r, "decode", 0, kernels[0], kernels[1]);
            dump(r);
            const bool is_refused = is_other && sizes[i] == 8;
            struct ets_inspect_options options = {.program = &joined.program};
            struct ets_inspection *inspection = NULL;
            struct ets_error error = {.status = ETS_OK};
            assert_int_equal(ets_inspection_open(r->dump, &options, &inspection, &error),
                             is_refused ? ETS_MISMATCH : ETS_OK);
            if (is_refused) {
                char digits[64];
                snprintf(digits, sizeof digits, "fingerprint is %016llx, this",
                         (unsigned long long)number);
                assert_non_null(strstr(error.message, "made by another program"));
                assert_non_null(strstr(error.message, digits));
                options.allow_mismatch = 1;
                inspection = inspect(r->dump, options);
            }
            assert_int_equal(ets_inspection_is_other_program(inspection), is_refused);
            assert_int_equal(ets_inspection_trace(inspection)->fingerprint.size, sizes[i]);
            ets_inspection_close(inspection);
            discard(r);
        }
    }
    ets_file_close(joined.file);
    ets_file_close(other.file);
}

/*
 * Readings are 10 ns apart. A pair has two, and the measuring adds one to four pairs: 22.5 ns. A
 * kernel lasts one reading, its call three, two calls and the whole nine.
 */
static void test_inspect_trace__overhead_is_taken_off_what_encloses(void **state)
{
    (void)state;
    struct recording *r = prepare();
    start(r);
    ets_trace_measure_cost(&r->thread);
    r->step = 100; /* so that something is left */
    record_encode(r, "encode", 0);
    dump(r);
    struct ets_inspection *inspection =
        inspect(r->dump, (struct ets_inspect_options){.partial = 0});
    assert_true(ets_inspection_trace(inspection)->cost_ns_q8 == 22 * 256 + 128);
    assert_true(ets_inspection_tracing_cost(inspection, 0).ns == 5 * 22.5);
    assert_false(ets_inspection_tracing_cost(inspection, 0).is_subtracted);
    assert_true(time_of(inspection, 0, "native_call_mul.out") == 100);
    assert_true(time_of(inspection, 0, "OPERATOR_CALL") == 300);
    assert_true(time_of(inspection, 0, "Method::execute") == 900);
    ets_inspection_close(inspection);
    inspection = inspect(r->dump, (struct ets_inspect_options){.subtract_overhead = 1});
    assert_true(ets_inspection_tracing_cost(inspection, 0).ns == 5 * 22.5);
    assert_true(ets_inspection_tracing_cost(inspection, 0).is_subtracted);
    assert_true(time_of(inspection, 0, "native_call_mul.out") == 100 - 11); /* 11.25 */
    assert_true(time_of(inspection, 0, "OPERATOR_CALL") == 300 - 34);       /* 33.75 */
    assert_true(time_of(inspection, 0, "Method::execute") == 900 - 101);    /* 101.25 */
    const struct ets_event_table *events = ets_inspection_events(inspection);
    assert_true(events->end[0] - events->start[0] == 100); /* the table is as recorded */
    ets_inspection_close(inspection);
    discard(r);
}

static void test_inspect_trace__no_time_gets_negative_and_delegates_stay(void **state)
{
    (void)state;
    struct recording *r = prepare();
    start(r);
    ets_trace_measure_cost(&r->thread);
    r->step = 1;
    ets_trace_begin_run(&r->thread, &(struct ets_trace_run){.name = "Execute"});
    ets_trace_set_instruction(&r->thread, 0, 0);
    const struct ets_trace_span call =
        ets_trace_begin(&r->thread, ETS_TRACE_OPERATORS, "DELEGATE_CALL");
    ets_trace_log_delegate(&r->thread, (struct ets_trace_delegate){"conv", 0}, 2000, 2005,
                           (struct ets_bytes){NULL, 0});
    r->now += 50;
    ets_trace_end(&r->thread, call);
    ets_trace_end(&r->thread, ets_trace_begin(&r->thread, ETS_TRACE_OPERATORS, "short"));
    dump(r);
    struct ets_inspection *inspection =
        inspect(r->dump, (struct ets_inspect_options){.subtract_overhead = 1});
    assert_true(time_of(inspection, 0, "conv") == 5);
    assert_true(time_of(inspection, 0, "DELEGATE_CALL") == 51 - 11);
    assert_true(time_of(inspection, 0, "short") == 0);
    assert_true(ets_inspection_tracing_cost(inspection, 0).ns == 2 * 22.5);
    ets_inspection_close(inspection);
    discard(r);
}

/* What a full buffer or a ring did not keep is no reason to say that another method ran. */
static void test_inspect_trace__incomplete_runs_are_still_joined(void **state)
{
    (void)state;
    struct joined joined = open_program("multi_method");
    char kernels[2][96];
    kernels_of(&joined, "decode", kernels);
    static const enum ets_trace_mode modes[] = {ETS_TRACE_STOP, ETS_TRACE_RING};
    for (size_t m = 0; m < COUNT(modes); m++) {
        struct recording *r = prepare();
        uint32_t partial = 0;
        r->config.mode = modes[m];
        r->config.buffer_bytes = 1024;
        start(r);
        for (uint32_t i = 0; i < 20; i++) record_run(r, "decode", i, kernels[0], kernels[1]);
        dump(r);
        struct ets_inspection *inspection =
            inspect(r->dump, (struct ets_inspect_options){.program = &joined.program});
        const struct ets_trace_state *told = &ets_inspection_trace(inspection)->state;
        assert_int_equal(told->dropped > 0, modes[m] == ETS_TRACE_STOP);
        assert_int_equal(told->overwritten > 0, modes[m] == ETS_TRACE_RING);
        for (uint32_t i = 0; i < ets_inspection_run_count(inspection); i++) {
            const struct ets_run *run = ets_inspection_run(inspection, i);
            const struct ets_block *block = ets_inspection_block(inspection, run->block);
            assert_string_equal(block->method, "decode");
            if (run->event_count > 0 && !run->is_partial) {
                assert_int_equal(block->method_state, ETS_METHOD_FOUND);
            }
            assert_int_not_equal(block->method_state, ETS_METHOD_MISMATCH);
            partial += run->is_partial ? 1 : 0;
        }
        assert_true(partial <= (modes[m] == ETS_TRACE_RING ? 1 : 0));
        ets_inspection_close(inspection);
        discard(r);
    }
    ets_file_close(joined.file);
}

/* Of two instructions only the first one's kernel is kept. */
static void test_inspect_trace__filtered_runs_are_still_joined(void **state)
{
    (void)state;
    struct joined joined = open_program("multi_method");
    char kernels[2][96];
    kernels_of(&joined, "decode", kernels);
    const char *const names[] = {kernels[0]};
    const struct ets_trace_filter filter = {
        .what = ETS_TRACE_OPERATORS, .names = names, .name_count = 1};
    struct recording *r = prepare();
    start(r);
    assert_int_equal(ets_trace_set_filters(&r->trace, &filter, 1), ETS_OK);
    record_run(r, "decode", 0, kernels[0], kernels[1]);
    dump(r);
    struct ets_inspection *inspection =
        inspect(r->dump, (struct ets_inspect_options){.program = &joined.program});
    assert_int_equal(ets_inspection_trace(inspection)->filtered, ETS_TRACE_OPERATORS);
    assert_int_equal(ets_inspection_events(inspection)->count, 2);
    assert_int_equal(ets_inspection_block(inspection, 0)->method_state, ETS_METHOD_FOUND);
    ets_inspection_close(inspection);
    discard(r);
    ets_file_close(joined.file);
}

/* A damaged extra block is a damage of its own: the events are all there. */
static void test_inspect_trace__every_flipped_byte_of_the_block_is_survived(void **state)
{
    (void)state;
    struct recording *r = prepare();
    static const uint8_t fingerprint[] = {1, 2, 3, 4, 5};
    r->config.fingerprint = (struct ets_bytes){fingerprint, sizeof fingerprint};
    start(r);
    record_encode(r, "encode", 0);
    record_encode(r, "decode", 0);
    dump(r);
    uint8_t *bytes = malloc(r->dump.size);
    assert_non_null(bytes);
    memcpy(bytes, r->dump.data, r->dump.size);
    for (size_t at = r->extra_at; at < r->dump.size; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[at] ^= (uint8_t)(1u << bit);
            struct ets_inspection *inspection =
                inspect((struct ets_bytes){bytes, r->dump.size},
                        (struct ets_inspect_options){.tick_unit = ETS_UNIT_US});
            const bool is_magic = at + 4 >= r->dump.size; /* then it is no extra block at all */
            assert_null(ets_inspection_trace(inspection));
            assert_int_equal(ets_inspection_tick_unit(inspection, NULL), ETS_UNIT_US);
            assert_int_equal(ets_inspection_damage_count(inspection), is_magic ? 0 : 1);
            if (!is_magic) {
                assert_non_null(strstr(ets_inspection_damage(inspection, 0)->reason, "extra"));
                assert_true(ets_inspection_damage(inspection, 0)->offset < r->dump.size);
            }
            assert_int_equal(ets_inspection_events(inspection)->count, 10);
            assert_int_equal(ets_inspection_block_count(inspection), 1);
            ets_inspection_close(inspection);
            bytes[at] ^= (uint8_t)(1u << bit);
        }
    }
    free(bytes);
    discard(r);
}

/* The check sum does not vouch for what a hostile file says. */
static void test_inspect_trace__lies_with_a_good_sum_are_survived(void **state)
{
    (void)state;
    struct recording *r = prepare();
    start(r);
    ets_trace_measure_cost(&r->thread);
    record_encode(r, "encode", 0);
    dump(r);
    uint8_t *bytes = malloc(r->dump.size);
    assert_non_null(bytes);
    const size_t end = r->dump.size - 16;
    for (size_t at = r->extra_at; at < end; at++) {
        memcpy(bytes, r->dump.data, r->dump.size);
        bytes[at] ^= 0xff;
        const uint32_t crc = ets_crc32(0, bytes + r->extra_at, end - r->extra_at);
        for (unsigned k = 0; k < 4; k++) bytes[end + 4 + k] = (uint8_t)(crc >> 8 * k);
        struct ets_inspection *inspection = NULL;
        struct ets_error error;
        const struct ets_inspect_options options = {.subtract_overhead = 1, .partial = 1};
        const enum ets_status status = ets_inspection_open((struct ets_bytes){bytes, r->dump.size},
                                                           &options, &inspection, &error);
        assert_true(status == ETS_OK || status == ETS_INVALID_ARGUMENT); /* no cost is told */
        if (status != ETS_OK) continue;
        assert_non_null(ets_inspection_trace(inspection));
        assert_int_equal(ets_inspection_damage_count(inspection), 0);
        assert_true(time_of(inspection, 0, "Method::execute") <= 90);
        assert_true(ets_inspection_tracing_cost(inspection, 0).ns >= 0);
        ets_inspection_close(inspection);
    }
    free(bytes);
    discard(r);
}

static void test_inspect_trace__every_failed_allocation_is_told(void **state)
{
    (void)state;
    struct joined joined = open_program("multi_method");
    char kernels[2][96];
    kernels_of(&joined, "decode", kernels);
    struct recording *r = prepare();
    start(r);
    ets_trace_measure_cost(&r->thread);
    record_run(r, "decode", 0, kernels[0], kernels[1]);
    record_run(r, "train", 0, kernels[0], kernels[1]);
    dump(r);
    unsigned long n = 0;
    for (int succeeded = 0; !succeeded; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        const struct ets_inspect_options options = {
            .program = &joined.program, .subtract_overhead = 1, .allocator = &allocator};
        struct ets_inspection *inspection = NULL;
        const enum ets_status status = ets_inspection_open(r->dump, &options, &inspection, NULL);
        succeeded = status == ETS_OK;
        if (!succeeded) assert_int_equal(status, ETS_NO_MEMORY);
        ets_inspection_close(inspection);
        assert_int_equal(failing.live, 0);
        assert_true(n < 10000);
    }
    assert_true(n > 1);
    discard(r);
    ets_file_close(joined.file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inspect_trace__times_are_nanoseconds_whatever_is_said),
        cmocka_unit_test(test_inspect_trace__a_dump_of_others_tells_nothing),
        cmocka_unit_test(test_inspect_trace__methods_never_share_a_block),
        cmocka_unit_test(test_inspect_trace__the_named_method_alone_is_tried),
        cmocka_unit_test(test_inspect_trace__another_program_is_a_mismatch),
        cmocka_unit_test(test_inspect_trace__overhead_is_taken_off_what_encloses),
        cmocka_unit_test(test_inspect_trace__no_time_gets_negative_and_delegates_stay),
        cmocka_unit_test(test_inspect_trace__incomplete_runs_are_still_joined),
        cmocka_unit_test(test_inspect_trace__filtered_runs_are_still_joined),
        cmocka_unit_test(test_inspect_trace__every_flipped_byte_of_the_block_is_survived),
        cmocka_unit_test(test_inspect_trace__lies_with_a_good_sum_are_survived),
        cmocka_unit_test(test_inspect_trace__every_failed_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
