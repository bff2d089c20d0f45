/* Reading what is left of damaged ETDumps. */
#include "dump/etdump_parts.h"
#include "etscope/etdump.h"
#include "test_files_support.h"
#include "trace/etdump_writer.h"

enum { MAX_EVENTS = 512, MAX_RUNS = 32 };

/* All that was told, with events as flat copies: their texts go with the bytes. */
struct found {
    const struct ets_etdump *dump;
    uint32_t run_count, event_count, damage_count;
    char run_names[MAX_RUNS][16];
    uint32_t first_events[MAX_RUNS];
    struct seen {
        enum ets_event_kind kind;
        char name[48];
        int64_t chain;
        int32_t instruction;
        uint64_t start_ticks, end_ticks;
        uint32_t tensors;
        int is_output;
    } events[MAX_EVENTS];
    char damage[256];
    uint32_t stop_after; /* events; 0: never */
};

static int see_run(void *context, const struct ets_etdump_run *run)
{
    struct found *found = context;
    if (found->run_count == MAX_RUNS) return 1;
    snprintf(found->run_names[found->run_count], sizeof found->run_names[0], "%.*s",
             (int)(run->name.size < 16 ? run->name.size : 16), run->name.data);
    for (uint32_t i = 0; i < run->allocator_count; i++) {
        (void)ets_etdump_allocator_name(found->dump, run, i);
    }
    found->first_events[found->run_count++] = found->event_count;
    return 0;
}

static struct seen flat(const struct ets_etdump *dump, const struct ets_etdump_event *event)
{
    struct seen seen;
    const struct ets_text name = event->name.data != NULL ? event->name : event->delegate_name;
    memset(&seen, 0, sizeof seen); /* padding too, as these are compared by their bytes */
    seen.kind = event->kind;
    seen.chain = event->chain;
    seen.instruction = event->instruction;
    seen.start_ticks = event->start_ticks;
    seen.end_ticks = event->end_ticks;
    for (size_t i = 0; i < name.size && i + 1 < sizeof seen.name; i++) seen.name[i] = name.data[i];
    if (event->kind == ETS_EVENT_DEBUG) {
        struct ets_debug_value value;
        ets_etdump_debug_value(dump, event->payload_at, &value);
        seen.is_output = value.is_output;
        for (uint32_t i = 0; i < value.tensor_count; i++) {
            struct ets_tensor tensor;
            int64_t offset;
            seen.tensors += ets_etdump_tensor(dump, &value, i, &tensor, &offset, NULL) == ETS_OK;
        }
    }
    return seen;
}

static int see_event(void *context, const struct ets_etdump_event *event, size_t event_at)
{
    (void)event_at;
    struct found *found = context;
    assert_true(found->run_count > 0);
    if (found->event_count == MAX_EVENTS) return 1;
    found->events[found->event_count++] = flat(found->dump, event);
    return found->event_count == found->stop_after;
}

static int see_damage(void *context, const struct ets_error *part)
{
    struct found *found = context;
    assert_true(strlen(part->message) > 10);
    if (found->damage_count++ == 0) {
        snprintf(found->damage, sizeof found->damage, "%s", part->message);
    }
    return 0;
}

static enum ets_status salvage(struct ets_bytes bytes, struct found *found, uint32_t stop_after)
{
    struct ets_etdump dump;
    const struct ets_etdump_visitor visitor = {found, see_run, see_event, see_damage};
    found->dump = &dump;
    found->run_count = found->event_count = found->damage_count = 0;
    found->stop_after = stop_after;
    return ets_etdump_salvage(&dump, bytes, &visitor, NULL);
}

/* What a sound dump holds, in the same form. */
static void read_all(const struct ets_etdump *dump, struct found *found)
{
    found->dump = dump;
    found->run_count = found->event_count = found->damage_count = found->stop_after = 0;
    for (uint32_t i = 0; i < dump->run_count; i++) {
        struct ets_etdump_run run;
        ets_etdump_run(dump, i, &run);
        see_run(found, &run);
        for (uint32_t j = 0; j < run.event_count; j++) {
            struct ets_etdump_event event;
            ets_etdump_event(dump, &run, j, &event);
            see_event(found, &event, 0);
        }
    }
}

static struct found before, after;

static void assert_same_events(const struct found *got, const struct found *wanted)
{
    assert_int_equal(got->run_count, wanted->run_count);
    assert_int_equal(got->event_count, wanted->event_count);
    assert_memory_equal(got->first_events, wanted->first_events,
                        sizeof got->first_events[0] * got->run_count);
    assert_memory_equal(got->events, wanted->events, sizeof got->events[0] * got->event_count);
}

static void test_etdump_salvage__finds_all_of_a_sound_dump(void **state)
{
    (void)state;
    static const char *const names[] = {"cond/profile.etdp", "conv_xnnpack_int8/profile.etdp",
                                        "gpt_xnnpack/debug.etdp", "made/allocations.etdp",
                                        "map_loop/debug.etdp"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ets_file *file = open_file(names[i]);
        struct ets_etdump dump;
        assert_int_equal(ets_etdump_init(&dump, ets_file_bytes(file), NULL), ETS_OK);
        read_all(&dump, &before);
        assert_int_equal(salvage(ets_file_bytes(file), &after, 0), ETS_OK);
        assert_int_equal(after.damage_count, 0);
        assert_same_events(&after, &before);
        ets_file_close(file);
    }
}

/*
 * Upstream's writer garbled this one at its float16 tensors. The same model's profiling dump tells
 * which profile events there were; of the debug events, those of float16 tensors are lost.
 */
static void test_etdump_salvage__finds_the_events_around_a_refused_tensor(void **state)
{
    (void)state;
    struct ets_file *sound = open_file("types/profile.etdp"), *file = open_file("types/debug.etdp");
    struct ets_etdump dump;
    uint32_t profile = 0, debug = 0, outputs = 0, tensors = 0;
    assert_int_equal(ets_etdump_init(&dump, ets_file_bytes(sound), NULL), ETS_OK);
    read_all(&dump, &before);
    assert_int_equal(salvage(ets_file_bytes(file), &after, 0), ETS_OK);
    assert_int_equal(after.run_count, 2);
    assert_string_equal(after.run_names[0], "Default");
    assert_string_equal(after.run_names[1], "Execute");
    assert_int_equal(after.first_events[1], 2);
    assert_non_null(
        strstr(after.damage, "the table of runs holds events: ETDumpGen writes this after"));
    for (uint32_t i = 0; i < after.event_count; i++) {
        if (after.events[i].kind == ETS_EVENT_PROFILE) {
            assert_string_equal(after.events[i].name, before.events[profile].name);
            assert_int_equal(after.events[i].instruction, before.events[profile].instruction);
            profile++;
        } else {
            debug++;
            tensors += after.events[i].tensors;
            outputs += after.events[i].is_output != 0;
            assert_int_equal(after.events[i].is_output, after.events[i].chain == -1);
        }
    }
    assert_int_equal(profile, 27);
    assert_int_equal(profile, before.first_events[2]);
    assert_int_equal(debug, 20);
    assert_int_equal(outputs, 10);
    assert_int_equal(tensors, 22);
    ets_file_close(file);
    ets_file_close(sound);
}

/* Destroys the entry of run `index` in the table of runs, so that all must be searched for. */
static void garble(uint8_t *bytes, size_t runs_at, uint32_t index)
{
    bytes[runs_at + 4 * index] ^= 0x10;
}

static void test_etdump_salvage__searches_where_runs_are_garbled(void **state)
{
    (void)state;
    static const char *const names[] = {"mlp_portable/profile.etdp", "mlp_portable/debug.etdp",
                                        "conv_xnnpack/debug.etdp", "cond/profile.etdp"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ets_file *file = open_file(names[i]);
        const struct ets_bytes bytes = ets_file_bytes(file);
        struct ets_etdump dump;
        uint8_t *copy = malloc(bytes.size);
        assert_non_null(copy);
        memcpy(copy, bytes.data, bytes.size);
        assert_int_equal(ets_etdump_init(&dump, bytes, NULL), ETS_OK);
        read_all(&dump, &before);
        garble(copy, dump.runs_at, 0);
        assert_int_not_equal(ets_etdump_init(&dump, (struct ets_bytes){copy, bytes.size}, NULL),
                             ETS_OK);
        assert_int_equal(salvage((struct ets_bytes){copy, bytes.size}, &after, 0), ETS_OK);
        assert_true(after.damage_count > 0);
        assert_same_events(&after, &before);
        free(copy);
        ets_file_close(file);
    }
}

/* Three runs as they are logged; written front to back, unlike upstream's. */
enum { OWN_EVENTS = 4, OWN_RUNS = 3 };

static enum ets_status own_run(void *context, uint32_t run, struct ets_etdump_run_record *out)
{
    (void)context;
    out->name = run == 0 ? 0 : 1;
    out->event_count = run == 0 ? 2 : OWN_EVENTS;
    return ETS_OK;
}

static enum ets_status own_event(void *context, uint32_t run, uint32_t index,
                                 struct ets_etdump_record *out)
{
    (void)context;
    static const uint32_t names[2][OWN_EVENTS] = {{2, 3, 0, 0}, {4, 5, 6, 0}};
    out->name = names[run != 0][index];
    out->instruction = (int32_t)index;
    out->start_ticks = 100 * run + 10 * index + 1;
    out->end_ticks = out->start_ticks + 5;
    if (run != 0 && index == 3) {
        *out = (struct ets_etdump_record){.kind = ETS_EVENT_DEBUG,
                                          .name = ETS_ETDUMP_NO_NAME,
                                          .chain = -1,
                                          .delegate_id = -1,
                                          .delegate_name = ETS_ETDUMP_NO_NAME,
                                          .value_type = ETS_DEBUG_INT,
                                          .is_output = 1};
    }
    return ETS_OK;
}

static struct ets_bytes own_dump(uint8_t *buffer, size_t capacity)
{
    static struct ets_etdump_name names[] = {{{"Default", 7}, 0},
                                             {{"Execute", 7}, 0},
                                             {{"Method::init", 12}, 0},
                                             {{"Program::load_method", 20}, 0},
                                             {{"native_call_add.out", 19}, 0},
                                             {{"OPERATOR_CALL", 13}, 0},
                                             {{"Method::execute", 15}, 0}};
    const struct ets_etdump_source source = {.names = names,
                                             .name_count = COUNT(names),
                                             .run_count = OWN_RUNS,
                                             .run = own_run,
                                             .event = own_event};
    size_t size = 0;
    assert_int_equal(ets_etdump_write_buffer(&source, buffer, capacity, &size, NULL), ETS_OK);
    return (struct ets_bytes){buffer, size};
}

static void test_etdump_salvage__follows_the_ticks_of_files_written_front_to_back(void **state)
{
    (void)state;
    uint8_t buffer[2048];
    const struct ets_bytes bytes = own_dump(buffer, sizeof buffer);
    struct ets_etdump dump;
    assert_int_equal(ets_etdump_init(&dump, bytes, NULL), ETS_OK);
    read_all(&dump, &before);
    garble(buffer, dump.runs_at, 1);
    assert_int_equal(salvage(bytes, &after, 0), ETS_OK);
    assert_same_events(&after, &before);
}

static void test_etdump_salvage__stops_when_told(void **state)
{
    (void)state;
    struct ets_file *file = open_file("types/debug.etdp"), *sound = open_file("cond/profile.etdp");
    for (uint32_t stop = 1; stop < 20; stop++) {
        assert_int_equal(salvage(ets_file_bytes(file), &after, stop), ETS_OK);
        assert_int_equal(after.event_count, stop);
        assert_int_equal(salvage(ets_file_bytes(sound), &after, stop), ETS_OK);
        assert_int_equal(after.event_count, stop);
    }
    ets_file_close(sound);
    ets_file_close(file);
}

static void test_etdump_salvage__refuses_other_kinds(void **state)
{
    (void)state;
    struct ets_file *file = open_file("mlp_portable/model.pte");
    assert_int_equal(salvage(ets_file_bytes(file), &after, 0), ETS_WRONG_KIND);
    assert_int_equal(salvage((struct ets_bytes){NULL, 0}, &after, 0), ETS_WRONG_KIND);
    ets_file_close(file);
}

/* The events found are among the sound ones, in their order. */
static void assert_subset(const struct found *got, const struct found *whole)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < got->event_count; i++) {
        while (next < whole->event_count &&
               memcmp(&got->events[i], &whole->events[next], sizeof got->events[0]) != 0) {
            next++;
        }
        if (next == whole->event_count) fail_msg("event %u is none of the file's", i);
        next++;
    }
}

static void cut_everywhere(struct ets_bytes bytes)
{
    struct ets_etdump dump;
    uint32_t most = 0;
    assert_int_equal(ets_etdump_init(&dump, bytes, NULL), ETS_OK);
    read_all(&dump, &before);
    for (size_t size = 0; size < bytes.size; size++) {
        struct ets_error error = {0};
        uint8_t *cut = malloc(size == 0 ? 1 : size);
        assert_non_null(cut);
        memcpy(cut, bytes.data, size);
        const enum ets_status status =
            ets_etdump_init(&dump, (struct ets_bytes){cut, size}, &error);
        if (size >= 12) assert_int_equal(status, ETS_TRUNCATED);
        else assert_int_not_equal(status, ETS_OK); /* a few bytes can look like a text */
        if (salvage((struct ets_bytes){cut, size}, &after, 0) == ETS_OK) {
            assert_true(after.damage_count > 0);
            assert_subset(&after, &before);
            if (after.event_count > most) most = after.event_count;
        }
        free(cut);
    }
    assert_true(most > 0);
}

static void test_etdump_salvage__finds_a_subset_wherever_a_dump_is_cut(void **state)
{
    (void)state;
    static const char *const names[] = {"linear_fp32_xnnpack/debug.etdp", "cond/debug.etdp",
                                        "mlp_xnnpack/profile.etdp", "made/allocations.etdp"};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct ets_file *file = open_file(names[i]);
        cut_everywhere(ets_file_bytes(file));
        ets_file_close(file);
    }
    uint8_t buffer[2048];
    cut_everywhere(own_dump(buffer, sizeof buffer));
}

/* Every byte with a bit flipped, or replaced, in `ways` ways: nothing may be read outside. */
static void damage_everywhere(struct ets_bytes bytes, size_t ways)
{
    uint8_t *copy = malloc(bytes.size);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    const struct ets_bytes damaged = {copy, bytes.size};
    for (size_t at = 0; at < bytes.size; at++) {
        const uint8_t byte = bytes.data[at];
        const uint8_t wrong[] = {(uint8_t)(byte ^ 1 << at % 8), 0xff, 0, (uint8_t)(byte ^ 0x80)};
        for (size_t i = 0; i < ways; i++) {
            struct ets_etdump dump;
            copy[at] = wrong[i];
            if (ets_etdump_init(&dump, damaged, NULL) == ETS_OK) read_all(&dump, &after);
            (void)salvage(damaged, &after, 0);
        }
        copy[at] = byte;
    }
    free(copy);
}

static void test_etdump_salvage__survives_damage_to_every_byte(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t ways; /* fewer for larger dumps */
    } dumps[] = {{"linear_fp32_xnnpack/debug.etdp", 3},
                 {"made/allocations.etdp", 2},
                 {"types/debug.etdp", 1}};
    for (size_t i = 0; i < COUNT(dumps); i++) {
        struct ets_file *file = open_file(dumps[i].path);
        damage_everywhere(ets_file_bytes(file), dumps[i].ways);
        ets_file_close(file);
    }
    uint8_t buffer[2048];
    damage_everywhere(own_dump(buffer, sizeof buffer), 3);
}

static uint64_t visits;

static int count_run(void *context, const struct ets_etdump_run *run)
{
    (void)context;
    (void)run;
    visits++;
    return 0;
}

static int count_event(void *context, const struct ets_etdump_event *event, size_t event_at)
{
    (void)event_at;
    (void)context;
    (void)event;
    visits++;
    return 0;
}

static int count_damage(void *context, const struct ets_error *part)
{
    (void)context;
    (void)part;
    visits++;
    return 0;
}

static void store32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* `times` references to one run, which has as many to what `event_offset` makes of the last. */
static struct ets_bytes overlapping(uint32_t times, uint32_t event_offset)
{
    const size_t references = 4 * (size_t)times;
    const size_t run = 48 + references, events = run + 12, event = events + 4 + references;
    uint8_t *bytes = calloc(1, event + 16);
    assert_non_null(bytes);
    static const uint8_t start[] = {0,  0, 0,  0, 32, 0, 0, 0, 'E', 'D', '0', '0',
                                    8,  0, 8,  0, 0,  0, 4, 0, /* ETDump's vtable */
                                    12, 0, 12, 0, 4,  0, 0, 0, 0,   0,   8,   0, /* RunData's */
                                    4,  0, 4,  0,                                /* Event's */
                                    24, 0, 0,  0, 4,  0, 0, 0};
    memcpy(bytes, start, sizeof start);
    store32(bytes, (uint32_t)(event + 12));
    store32(bytes + 44, times);
    for (uint32_t i = 0; i < times; i++) {
        store32(bytes + 48 + 4 * (size_t)i, 4 * (times - i));
        store32(bytes + events + 4 + 4 * (size_t)i, 4 * (times - i) + event_offset);
    }
    store32(bytes + run, (uint32_t)run - 20);
    store32(bytes + run + 4, (uint32_t)(event + 4 - (run + 4)));
    store32(bytes + run + 8, 4);
    store32(bytes + events, times);
    store32(bytes + event, (uint32_t)event - 32);
    store32(bytes + event + 4, 3);
    memcpy(bytes + event + 8, "abc", 4);
    return (struct ets_bytes){bytes, event + 16};
}

/* 50,000 runs of 50,000 events each, sound or not, in 400 kB: their product must not be visited. */
static void test_etdump_salvage__does_not_multiply_overlaps(void **state)
{
    (void)state;
    static const uint32_t event_offsets[] = {0, 4, 1u << 30};
    const struct ets_etdump_visitor visitor = {NULL, count_run, count_event, count_damage};
    for (size_t i = 0; i < COUNT(event_offsets); i++) {
        const struct ets_bytes bytes = overlapping(50000, event_offsets[i]);
        struct ets_etdump dump;
        visits = 0;
        assert_int_equal(ets_etdump_salvage(&dump, bytes, &visitor, NULL), ETS_OK);
        assert_true(visits > 0 && visits < bytes.size);
        free((void *)(uintptr_t)bytes.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_etdump_salvage__finds_all_of_a_sound_dump),
        cmocka_unit_test(test_etdump_salvage__finds_the_events_around_a_refused_tensor),
        cmocka_unit_test(test_etdump_salvage__searches_where_runs_are_garbled),
        cmocka_unit_test(test_etdump_salvage__follows_the_ticks_of_files_written_front_to_back),
        cmocka_unit_test(test_etdump_salvage__stops_when_told),
        cmocka_unit_test(test_etdump_salvage__refuses_other_kinds),
        cmocka_unit_test(test_etdump_salvage__finds_a_subset_wherever_a_dump_is_cut),
        cmocka_unit_test(test_etdump_salvage__survives_damage_to_every_byte),
        cmocka_unit_test(test_etdump_salvage__does_not_multiply_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
