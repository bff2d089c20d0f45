/* The ETDump reader: what upstream wrote, what a newer writer may write, and what nobody should. */
#include "dump/etdump_schema.h"
#include "etscope/etdump.h"
#include "test_files_support.h"
#include "trace/etdump_writer.h"

/* What flatc finds in each file, summed. */
static const struct facts {
    const char *path;
    uint32_t runs, profile, debug, allocation, delegated, outputs;
    uint64_t ticks;      /* of all profile events */
    uint32_t tensors;    /* in debug events, those of lists included */
    uint64_t dimensions; /* sum of their sizes and strides */
    uint64_t offsets;    /* sum of their places in the debug buffer */
} fixtures[] = {
    {"cond/debug.etdp", 2, 16, 6, 0, 0, 1, 220962, 6, 43, 1248},
    {"cond/profile.etdp", 6, 70, 0, 0, 0, 0, 2482866, 0, 0, 0},
    {"conv_portable/debug.etdp", 2, 31, 17, 0, 0, 1, 1136687, 17, 13987, 507022},
    {"conv_portable/profile.etdp", 6, 147, 0, 0, 0, 0, 5369953, 0, 0, 0},
    {"conv_xnnpack/debug.etdp", 2, 12, 3, 0, 8, 1, 1083880, 3, 4241, 24784},
    {"conv_xnnpack/profile.etdp", 6, 52, 0, 0, 40, 0, 2227474, 0, 0, 0},
    {"conv_xnnpack_int8/debug.etdp", 2, 14, 3, 0, 10, 1, 1160413, 3, 4241, 24784},
    {"conv_xnnpack_int8/profile.etdp", 6, 62, 0, 0, 50, 0, 2113155, 0, 0, 0},
    {"dynamic/debug.etdp", 2, 15, 7, 0, 0, 1, 308651, 7, 289, 16544},
    {"dynamic/profile.etdp", 6, 67, 0, 0, 0, 0, 917295, 0, 0, 0},
    {"gpt_portable/debug.etdp", 2, 215, 117, 0, 0, 1, 7146805, 121, 91234, 41250496},
    {"gpt_portable/profile.etdp", 6, 1067, 0, 0, 0, 0, 36471994, 0, 0, 0},
    {"gpt_xnnpack/debug.etdp", 2, 185, 112, 0, 58, 1, 4067641, 116, 102739, 16636544},
    {"gpt_xnnpack/profile.etdp", 6, 917, 0, 0, 290, 0, 9051234, 0, 0, 0},
    {"linear_fp32_xnnpack/debug.etdp", 2, 5, 3, 0, 1, 1, 2697043, 3, 1587, 49296},
    {"linear_fp32_xnnpack/profile.etdp", 6, 17, 0, 0, 5, 0, 1304958, 0, 0, 0},
    {"linear_int8_xnnpack/debug.etdp", 2, 5, 3, 0, 1, 1, 631071, 3, 1587, 49296},
    {"linear_int8_xnnpack/profile.etdp", 6, 17, 0, 0, 5, 0, 919867, 0, 0, 0},
    {"made/allocations.etdp", 3, 12, 0, 15, 0, 0, 8443, 0, 0, 0},
    {"map_loop/debug.etdp", 2, 41, 13, 0, 0, 1, 211072, 13, 154, 5616},
    {"map_loop/profile.etdp", 6, 197, 0, 0, 0, 0, 1230541, 0, 0, 0},
    {"mlp_portable/debug.etdp", 2, 15, 7, 0, 0, 1, 241179, 7, 289, 16656},
    {"mlp_portable/profile.etdp", 6, 67, 0, 0, 0, 0, 2506893, 0, 0, 0},
    {"mlp_xnnpack/debug.etdp", 2, 7, 3, 0, 3, 1, 563023, 3, 57, 320},
    {"mlp_xnnpack/profile.etdp", 6, 27, 0, 0, 15, 0, 1915005, 0, 0, 0},
    {"multi_method/debug.etdp", 6, 29, 13, 0, 0, 3, 229563, 13, 239, 9200},
    {"multi_method/profile.etdp", 18, 121, 0, 0, 0, 0, 1238349, 0, 0, 0},
    {"types/profile.etdp", 6, 127, 0, 0, 0, 0, 17284677, 0, 0, 0},
};

static struct ets_etdump init(struct ets_bytes bytes)
{
    struct ets_etdump dump;
    struct ets_error error = {0};
    if (ets_etdump_init(&dump, bytes, &error) != ETS_OK) fail_msg("%s", error.message);
    return dump;
}

static int is_text(struct ets_text text, const char *wanted)
{
    return text.data != NULL && text.size == strlen(wanted) &&
           memcmp(text.data, wanted, text.size) == 0;
}

static void count_tensors(const struct ets_etdump *dump, const struct ets_debug_value *value,
                          struct facts *found)
{
    for (uint32_t i = 0; i < value->tensor_count; i++) {
        struct ets_tensor tensor;
        int64_t offset;
        assert_int_equal(ets_etdump_tensor(dump, value, i, &tensor, &offset, NULL), ETS_OK);
        found->tensors++;
        found->offsets += (uint64_t)offset;
        for (uint32_t j = 0; j < tensor.rank; j++) {
            found->dimensions += (uint64_t)(tensor.sizes[j] + tensor.strides[j]);
        }
    }
}

static void count_event(const struct ets_etdump *dump, const struct ets_etdump_event *event,
                        struct facts *found)
{
    struct ets_debug_value value;
    found->delegated += event->delegate_name.data != NULL || event->delegate_id != -1;
    switch (event->kind) {
    case ETS_EVENT_PROFILE:
        found->profile++;
        found->ticks += event->end_ticks - event->start_ticks;
        break;
    case ETS_EVENT_DEBUG:
        found->debug++;
        ets_etdump_debug_value(dump, event->payload_at, &value);
        assert_int_equal(value.is_present, 1);
        found->outputs += value.is_output != 0;
        count_tensors(dump, &value, found);
        break;
    case ETS_EVENT_ALLOCATION: found->allocation++; break;
    case ETS_EVENT_UNKNOWN: fail();
    }
}

static struct facts count_dump(const struct ets_etdump *dump)
{
    struct facts found = {.runs = dump->run_count};
    for (uint32_t i = 0; i < dump->run_count; i++) {
        struct ets_etdump_run run;
        ets_etdump_run(dump, i, &run);
        assert_true(is_text(run.name, "Default") || is_text(run.name, "Execute"));
        assert_int_equal(run.bundled_input_index, -1);
        for (uint32_t j = 0; j < run.event_count; j++) {
            struct ets_etdump_event event;
            ets_etdump_event(dump, &run, j, &event);
            count_event(dump, &event, &found);
        }
    }
    return found;
}

static void assert_facts(const struct facts *found, const struct facts *wanted)
{
    assert_int_equal(found->runs, wanted->runs);
    assert_int_equal(found->profile, wanted->profile);
    assert_int_equal(found->debug, wanted->debug);
    assert_int_equal(found->allocation, wanted->allocation);
    assert_int_equal(found->delegated, wanted->delegated);
    assert_int_equal(found->outputs, wanted->outputs);
    assert_true(found->ticks == wanted->ticks);
    assert_int_equal(found->tensors, wanted->tensors);
    assert_true(found->dimensions == wanted->dimensions);
    assert_true(found->offsets == wanted->offsets);
}

static void test_etdump__reads_every_fixture(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        struct ets_file *file = open_file(fixtures[i].path);
        const struct ets_etdump dump = init(ets_file_bytes(file));
        assert_int_equal(dump.is_size_prefixed, 1);
        assert_int_equal(dump.version, 0);
        const struct facts found = count_dump(&dump);
        assert_facts(&found, &fixtures[i]);
        ets_file_close(file);
    }
}

/* The same bytes without the prefix are the bare form. */
static void test_etdump__reads_the_bare_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fixtures); i++) {
        struct ets_file *file = open_file(fixtures[i].path);
        const struct ets_bytes bytes = ets_file_bytes(file);
        const struct ets_etdump dump = init((struct ets_bytes){bytes.data + 4, bytes.size - 4});
        assert_int_equal(dump.is_size_prefixed, 0);
        const struct facts found = count_dump(&dump);
        assert_facts(&found, &fixtures[i]);
        ets_file_close(file);
    }
}

static struct ets_etdump_event event_of(const struct ets_etdump *dump, uint32_t run_index,
                                        uint32_t index)
{
    struct ets_etdump_run run;
    struct ets_etdump_event event;
    assert_true(run_index < dump->run_count);
    ets_etdump_run(dump, run_index, &run);
    assert_true(index < run.event_count);
    ets_etdump_event(dump, &run, index, &event);
    return event;
}

static void test_etdump__gives_events_as_upstream_shows_them(void **state)
{
    (void)state;
    struct ets_file *file = open_file("mlp_portable/profile.etdp");
    struct ets_etdump dump = init(ets_file_bytes(file));
    struct ets_etdump_event event = event_of(&dump, 0, 1);
    assert_true(is_text(event.name, "Program::load_method"));
    assert_true(event.chain == -1 && event.instruction == 0);
    assert_true(event.start_ticks == 748863291 && event.end_ticks == 748976310);
    event = event_of(&dump, 1, 2);
    assert_true(is_text(event.name, "native_call_addmm.out"));
    assert_true(event.chain == 0 && event.instruction == 1);
    assert_true(event.end_ticks - event.start_ticks == 506625);
    event = event_of(&dump, 2, 11);
    assert_true(is_text(event.name, "OPERATOR_CALL"));
    assert_true(event.instruction == 5 && event.end_ticks - event.start_ticks == 5478);
    assert_null(event.metadata.data);
    ets_file_close(file);

    file = open_file("conv_xnnpack/debug.etdp");
    dump = init(ets_file_bytes(file));
    event = event_of(&dump, 1, 1);
    assert_null(event.name.data);
    assert_true(is_text(event.delegate_name, "Convolution (NHWC, F32) IGEMM #1"));
    assert_int_equal(event.delegate_id, -1);
    assert_non_null(event.metadata.data);
    assert_int_equal(event.metadata.size, 0);
    ets_file_close(file);
}

static void test_etdump__gives_allocators_and_allocations(void **state)
{
    (void)state;
    struct ets_file *file = open_file("made/allocations.etdp");
    const struct ets_etdump dump = init(ets_file_bytes(file));
    static const uint64_t sizes[] = {64, 4096, 0, 128, 0, 256};
    static const int32_t allocators[] = {2, 1, 0, 2, 0, 2};
    for (uint32_t i = 0; i < dump.run_count; i++) {
        struct ets_etdump_run run;
        ets_etdump_run(&dump, i, &run);
        assert_int_equal(run.allocator_count, 2);
        assert_true(is_text(ets_etdump_allocator_name(&dump, &run, 0), "planned"));
        assert_true(is_text(ets_etdump_allocator_name(&dump, &run, 1), "temp"));
        for (uint32_t j = 0; j < COUNT(sizes); j++) {
            const struct ets_etdump_event event = event_of(&dump, i, j);
            assert_int_equal(event.kind, sizes[j] != 0 ? ETS_EVENT_ALLOCATION : ETS_EVENT_PROFILE);
            assert_true(event.allocated_bytes == sizes[j]);
            assert_int_equal(event.allocator, allocators[j]);
        }
    }
    ets_file_close(file);
}

/* A file put together by hand, front to back. */
struct hand {
    uint8_t bytes[8192];
    size_t size;
};

static void put16(struct hand *hand, unsigned value)
{
    assert_true(hand->size + 2 <= sizeof hand->bytes);
    hand->bytes[hand->size++] = (uint8_t)value;
    hand->bytes[hand->size++] = (uint8_t)(value >> 8);
}

static void put32(struct hand *hand, uint32_t value)
{
    put16(hand, value & 0xffff);
    put16(hand, value >> 16);
}

static void set32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

/* A vtable; `entries` are those of the slots. */
static void put_vtable(struct hand *hand, unsigned table_bytes, unsigned count,
                       const uint16_t *entries)
{
    put16(hand, 4 + 2 * count);
    put16(hand, table_bytes);
    for (unsigned i = 0; i < count; i++) put16(hand, entries[i]);
    if (hand->size % 4 != 0) put16(hand, 0);
}

/* Places in the file of future_dump. */
enum { HAND_ROOT = 24, HAND_VERSION = 32, HAND_RUNS = 36, HAND_RUN = 60, HAND_EVENTS = 76 };

/* One run "abc" with an event of unknown kind and a profile event, all with fields to come. */
static void future_dump(struct hand *hand)
{
    memset(hand, 0, sizeof *hand);
    put32(hand, 0);
    put32(hand, HAND_ROOT - 4);
    put32(hand, 0x30304445);                                        /* ED00 */
    put_vtable(hand, 12, 3, (const uint16_t[]){0, 4, 8});           /* 12 */
    put32(hand, 12);                                                /* HAND_ROOT */
    put32(hand, 8);                                                 /* -> HAND_RUNS */
    put32(hand, 0);                                                 /* a field to come */
    put32(hand, 1);                                                 /* HAND_RUNS */
    put32(hand, 20);                                                /* -> HAND_RUN */
    put_vtable(hand, 16, 6, (const uint16_t[]){4, 0, 0, 8, 12, 0}); /* 44 */
    put32(hand, 16);                                                /* HAND_RUN */
    put32(hand, 100);                                               /* -> the name, 164 */
    put32(hand, 8);                                                 /* -> HAND_EVENTS */
    put32(hand, UINT32_MAX);                                        /* a field to come */
    put32(hand, 2);                                                 /* HAND_EVENTS */
    put32(hand, 20);                                                /* -> 100 */
    put32(hand, 32);                                                /* -> 116 */
    put_vtable(hand, 8, 4, (const uint16_t[]){0, 0, 0, 4});         /* 88 */
    put32(hand, 12);                                                /* 100: an Event to come */
    put32(hand, UINT32_MAX);
    put_vtable(hand, 8, 1, (const uint16_t[]){4}); /* 108 */
    put32(hand, 8);                                /* 116: an Event */
    put32(hand, 32);                               /* -> 152 */
    put_vtable(hand, 12, 11, (const uint16_t[]){4, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0}); /* 124 */
    put32(hand, 28);         /* 152: ProfileEvent */
    put32(hand, 8);          /* -> the name */
    put32(hand, UINT32_MAX); /* a field to come */
    put32(hand, 3);          /* 164 */
    put32(hand, 0x00636261);
    set32(hand->bytes, (uint32_t)hand->size - 4);
}

static struct ets_bytes bytes_of(const struct hand *hand)
{
    return (struct ets_bytes){hand->bytes, hand->size};
}

static void test_etdump__passes_over_fields_and_kinds_to_come(void **state)
{
    (void)state;
    struct hand hand;
    future_dump(&hand);
    const struct ets_etdump dump = init(bytes_of(&hand));
    assert_int_equal(dump.run_count, 1);
    struct ets_etdump_event event = event_of(&dump, 0, 0);
    assert_int_equal(event.kind, ETS_EVENT_UNKNOWN);
    assert_true(event.name.data == NULL && event.instruction == -1);
    event = event_of(&dump, 0, 1);
    assert_int_equal(event.kind, ETS_EVENT_PROFILE);
    assert_true(is_text(event.name, "abc"));
    assert_true(event.chain == 0 && event.instruction == -1 && event.end_ticks == 0);
}

/* Initializes from a heap block of the exact size. */
static void assert_refused(struct ets_bytes bytes, enum ets_status wanted, const char *message)
{
    struct ets_etdump dump;
    struct ets_error error = {0};
    uint8_t *block = malloc(bytes.size == 0 ? 1 : bytes.size);
    assert_non_null(block);
    if (bytes.size != 0) memcpy(block, bytes.data, bytes.size);
    const enum ets_status status =
        ets_etdump_init(&dump, (struct ets_bytes){block, bytes.size}, &error);
    free(block);
    if (status != wanted || error.status != wanted || strstr(error.message, message) == NULL) {
        fail_msg("%s: %s, but wanted %s: %s", ets_status_name(status), error.message,
                 ets_status_name(wanted), message);
    }
}

static void test_etdump__says_of_which_other_kind_a_file_is(void **state)
{
    (void)state;
    static const struct {
        const char *path, *kind;
    } others[] = {
        {"mlp_portable/model.pte", "not an ETDump but an ExecuTorch program (.pte)"},
        {"mlp_portable/model.bpte", "not an ETDump but a bundled program (.bpte)"},
        {"mlp_portable/model.etrecord", "not an ETDump but an ETRecord"},
        {"mlp_portable/inputs/forward.0.0.npy", "not an ETDump but a NumPy array file (.npy)"},
        {"mlp_portable/golden.json", "not an ETDump but a JSON text"},
        {"README.md", "not an ETDump but a text file"},
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        struct ets_file *file = open_file(others[i].path);
        assert_refused(ets_file_bytes(file), ETS_WRONG_KIND, others[i].kind);
        ets_file_close(file);
    }
    assert_refused((struct ets_bytes){NULL, 0}, ETS_WRONG_KIND, "an empty file");
    assert_refused((struct ets_bytes){(const uint8_t *)"PK\3\4and so on", 13}, ETS_WRONG_KIND,
                   "a zip file that is not an ETRecord");
    assert_refused((struct ets_bytes){(const uint8_t *)"\x10\0\0\0\x14", 5}, ETS_TRUNCATED,
                   "unknown kind");
}

static void test_etdump__checks_the_size_prefix(void **state)
{
    (void)state;
    struct hand hand;
    future_dump(&hand);
    struct ets_bytes bytes = bytes_of(&hand);
    bytes.size += 100; /* a stranger's tail */
    assert_int_equal(init(bytes).bytes.size, hand.size);
    bytes.size = hand.size - 1;
    assert_refused(bytes, ETS_TRUNCATED, "announces 168 bytes, but only 167 follow");
    set32(hand.bytes, UINT32_MAX);
    assert_refused(bytes_of(&hand), ETS_TRUNCATED, "announces 4294967295 bytes");
    set32(hand.bytes, 15);
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "announces only 15 bytes");
    set32(hand.bytes, (uint32_t)hand.size - 5); /* cuts the last name's terminator */
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "not terminated");
}

static void test_etdump__refuses_offsets_that_point_wrong(void **state)
{
    (void)state;
    struct hand hand;
    for (uint32_t offset = 0; offset < 4; offset++) {
        future_dump(&hand);
        set32(hand.bytes + 4, offset);
        assert_refused(bytes_of(&hand), ETS_MALFORMED, "points at itself");
        future_dump(&hand);
        set32(hand.bytes + HAND_RUNS + 4, offset);
        assert_refused(bytes_of(&hand), ETS_MALFORMED, "ETDump.run_data: offset");
    }
    future_dump(&hand);
    set32(hand.bytes + 4, 10000);
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "ETDump.root: points to byte 10004 of 172");
    future_dump(&hand);
    set32(hand.bytes + HAND_ROOT, 0x7fffffff);
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "vtable lies outside the file");
    future_dump(&hand);
    set32(hand.bytes + HAND_ROOT, 0x80000000);
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "vtable lies outside the file");
    future_dump(&hand);
    hand.bytes[14] = 200;
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "ETDump: table of 200 bytes");
    future_dump(&hand);
    hand.bytes[12] = 7;
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "ETDump: vtable of 7 bytes");
    future_dump(&hand);
    hand.bytes[48] = 14; /* where in its table the run has its name: half of it outside */
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "RunData.name: lies outside its table");
    future_dump(&hand);
    hand.bytes[48] = 0;
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "RunData has no name");
}

static void test_etdump__refuses_absurd_counts_and_versions(void **state)
{
    (void)state;
    struct hand hand;
    future_dump(&hand);
    set32(hand.bytes + HAND_RUNS, UINT32_MAX);
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "4294967295 elements of 4 bytes");
    future_dump(&hand);
    set32(hand.bytes + HAND_EVENTS, 1u << 30); /* times 4 is 0 in 32 bits */
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "1073741824 elements of 4 bytes");
    future_dump(&hand);
    hand.bytes[16] = 8; /* the field to come becomes the version */
    set32(hand.bytes + HAND_VERSION, 1);
    assert_refused(bytes_of(&hand), ETS_UNSUPPORTED,
                   "ETDump has version 1; only version 0 is supported");
}

/* 64 references to one run, which has 64 references to one event: 4096 events in 600 bytes. */
static void test_etdump__refuses_overlaps_that_multiply(void **state)
{
    (void)state;
    enum { TIMES = 64 };
    struct hand hand = {.size = 0};
    put32(&hand, 0);
    put32(&hand, 36 - 4);
    put32(&hand, 0x30304445);
    put_vtable(&hand, 8, 2, (const uint16_t[]){0, 4});        /* 12: ETDump */
    put_vtable(&hand, 12, 4, (const uint16_t[]){4, 0, 0, 8}); /* 20: RunData */
    put_vtable(&hand, 4, 0, NULL);                            /* 32: an Event that holds nothing */
    put32(&hand, 36 - 12);
    put32(&hand, 4);
    put32(&hand, TIMES);
    for (uint32_t i = 0; i < TIMES; i++) put32(&hand, 4 * (TIMES - i));
    put32(&hand, (uint32_t)hand.size - 20);
    put32(&hand, 12 + 4 * TIMES + 4); /* -> the name */
    put32(&hand, 4);
    put32(&hand, TIMES);
    for (uint32_t i = 0; i < TIMES; i++) put32(&hand, 4 * (TIMES - i));
    put32(&hand, (uint32_t)hand.size - 32);
    put32(&hand, 3);
    put32(&hand, 0x00636261);
    set32(hand.bytes, (uint32_t)hand.size - 4);
    assert_refused(bytes_of(&hand), ETS_MALFORMED, "offsets overlap");
    set32(hand.bytes + 44, 1); /* one run alone is sound */
    const struct ets_etdump dump = init(bytes_of(&hand));
    assert_int_equal(event_of(&dump, 0, TIMES - 1).kind, ETS_EVENT_UNKNOWN);
}

/* Where upstream's writer met a float16 tensor. */
static void test_etdump__refuses_a_garbled_table_of_runs(void **state)
{
    (void)state;
    struct ets_file *file = open_file("types/debug.etdp");
    assert_refused(ets_file_bytes(file), ETS_MALFORMED,
                   "the table of runs holds events: ETDumpGen writes this after a float16 or "
                   "bfloat16 tensor. Those tensors are lost; the rest can be read");
    ets_file_close(file);
}

/* A dump of one debug event with one tensor, in memory that tests may change. */
struct tensor_dump {
    struct ets_tensor tensor;
    int64_t offset;
    uint8_t bytes[1024];
    size_t size;
    struct ets_etdump dump;
    struct ets_debug_value value;
    struct ets_fb table;
};

static enum ets_status one_run(void *context, uint32_t run, struct ets_etdump_run_record *out)
{
    (void)context;
    (void)run;
    out->name = 0;
    out->event_count = 1;
    return ETS_OK;
}

static enum ets_status one_tensor_event(void *context, uint32_t run, uint32_t index,
                                        struct ets_etdump_record *out)
{
    (void)context;
    (void)run;
    (void)index;
    out->kind = ETS_EVENT_DEBUG;
    out->value_type = ETS_DEBUG_TENSOR;
    return ETS_OK;
}

static enum ets_status one_tensor(void *context, uint32_t run, uint32_t event, uint32_t index,
                                  struct ets_tensor *tensor_out, int64_t *offset_out)
{
    const struct tensor_dump *made = context;
    (void)run;
    (void)event;
    (void)index;
    *tensor_out = made->tensor;
    *offset_out = made->offset;
    return ETS_OK;
}

static void tensor_dump_init(struct tensor_dump *made, uint32_t rank, int64_t offset)
{
    struct ets_etdump_name name = {{"Execute", 7}, 0};
    const struct ets_etdump_source source = {.context = made,
                                             .names = &name,
                                             .name_count = 1,
                                             .run_count = 1,
                                             .run = one_run,
                                             .event = one_tensor_event,
                                             .tensor = one_tensor};
    memset(made, 0, sizeof *made);
    made->tensor = (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT, .rank = rank};
    for (uint32_t i = 0; i < rank; i++) {
        made->tensor.sizes[i] = 2 + i;
        made->tensor.strides[i] = 5 * (1 + i);
    }
    made->offset = offset;
    assert_int_equal(
        ets_etdump_write_buffer(&source, made->bytes, sizeof made->bytes, &made->size, NULL),
        ETS_OK);
    made->dump = init((struct ets_bytes){made->bytes, made->size});
    ets_etdump_debug_value(&made->dump, event_of(&made->dump, 0, 0).payload_at, &made->value);
    assert_int_equal(made->value.tensor_count, 1);
    const struct ets_fb value = {made->bytes, made->value.value_at};
    made->table = ets_fb_table(value, VALUE_TENSOR);
}

static void assert_tensor(struct tensor_dump *made, enum ets_status wanted, const char *message)
{
    struct ets_tensor tensor;
    struct ets_error error = {0};
    int64_t offset = 0;
    init((struct ets_bytes){made->bytes, made->size}); /* what is wrong is no matter of layout */
    assert_int_equal(ets_etdump_tensor(&made->dump, &made->value, 0, &tensor, &offset, &error),
                     wanted);
    if (strstr(error.message, message) == NULL) fail_msg("%s", error.message);
}

static void test_etdump__gives_tensors_with_strides(void **state)
{
    (void)state;
    struct tensor_dump made;
    struct ets_tensor tensor;
    int64_t offset;
    tensor_dump_init(&made, 3, 64);
    assert_int_equal(ets_etdump_tensor(&made.dump, &made.value, 0, &tensor, &offset, NULL), ETS_OK);
    assert_int_equal(tensor.rank, 3);
    assert_memory_equal(tensor.sizes, made.tensor.sizes, sizeof tensor.sizes);
    assert_memory_equal(tensor.strides, made.tensor.strides, sizeof tensor.strides);
    assert_true(offset == 64 && tensor.data == NULL);
    tensor_dump_init(&made, ETS_TENSOR_MAX_RANK, 0);
    assert_int_equal(ets_etdump_tensor(&made.dump, &made.value, 0, &tensor, &offset, NULL), ETS_OK);
    assert_int_equal(tensor.rank, ETS_TENSOR_MAX_RANK);
    set32(made.bytes + ets_fb_vector(made.table, TENSOR_STRIDES).at - 4, 0); /* none: row by row */
    assert_int_equal(ets_etdump_tensor(&made.dump, &made.value, 0, &tensor, &offset, NULL), ETS_OK);
    assert_int_equal(ets_tensor_is_contiguous(&tensor), 1);
}

static void test_etdump__refuses_tensors_that_make_no_sense(void **state)
{
    (void)state;
    struct tensor_dump made;
    tensor_dump_init(&made, 16, 64);
    uint8_t *sizes = made.bytes + ets_fb_vector(made.table, TENSOR_SIZES).at;
    set32(sizes - 4, 17);
    assert_tensor(&made, ETS_UNSUPPORTED, "tensor with 17 dimensions; at most 16 are supported");
    set32(sizes - 4, 15);
    assert_tensor(&made, ETS_MALFORMED, "tensor with 15 sizes and 16 strides");
    set32(sizes - 4, 16);
    set32(sizes + 4, UINT32_MAX);
    assert_tensor(&made, ETS_MALFORMED, "negative size or stride");
    set32(sizes + 4, 0);
    made.bytes[ets_fb_vector(made.table, TENSOR_STRIDES).at + 7] = 0x80;
    assert_tensor(&made, ETS_MALFORMED, "negative size or stride");
    tensor_dump_init(&made, 1, 64);
    made.bytes[ets_fb_field_at(made.table, TENSOR_SCALAR_TYPE)] = 30;
    assert_tensor(&made, ETS_UNSUPPORTED, "tensor with unknown scalar type 30");
    made.bytes[ets_fb_field_at(made.table, TENSOR_SCALAR_TYPE)] = 0xff;
    assert_tensor(&made, ETS_UNSUPPORTED, "tensor with unknown scalar type -1");
}

static void test_etdump__says_which_value_is_not_there(void **state)
{
    (void)state;
    struct tensor_dump made;
    struct ets_debug_value value;
    tensor_dump_init(&made, 1, 64);
    const struct ets_fb table = {made.bytes, made.value.value_at};
    uint8_t *type = made.bytes + ets_fb_field_at(table, VALUE_TYPE);
    const size_t payload_at = event_of(&made.dump, 0, 0).payload_at;
    for (int i = -128; i < 128; i++) {
        *type = (uint8_t)i;
        ets_etdump_debug_value(&made.dump, payload_at, &value);
        assert_int_equal(value.type, i);
        assert_int_equal(value.is_present, i == ETS_DEBUG_NULL || i == ETS_DEBUG_TENSOR);
        assert_int_equal(value.tensor_count, i == ETS_DEBUG_TENSOR);
    }
}

static void test_etdump__finds_a_tensors_bytes(void **state)
{
    (void)state;
    static const uint8_t bytes[100];
    const struct ets_bytes buffer = {bytes, sizeof bytes};
    struct ets_error error;
    /* 2 x 3 floats with strides 10, 2: the last element is number 14, the extent 60 bytes */
    struct ets_tensor tensor = {
        .scalar_type = ETS_SCALAR_FLOAT, .rank = 2, .sizes = {2, 3}, .strides = {10, 2}};
    assert_int_equal(ets_etdump_tensor_data(buffer, 40, &tensor, &error), ETS_OK);
    assert_ptr_equal(tensor.data, bytes + 40);
    assert_int_equal(tensor.data_bytes, 60);
    assert_int_equal(ets_etdump_tensor_data(buffer, 41, &tensor, &error), ETS_TRUNCATED);
    assert_true(error.offset == 41 && tensor.data == NULL && tensor.data_bytes == 0);
    assert_int_equal(ets_etdump_tensor_data(buffer, INT64_MAX, &tensor, &error), ETS_TRUNCATED);
    assert_int_equal(ets_etdump_tensor_data(buffer, -1, &tensor, &error), ETS_NOT_FOUND);
    assert_null(tensor.data);
    assert_int_equal(ets_etdump_tensor_data(buffer, -2, &tensor, &error), ETS_MALFORMED);
    tensor.sizes[1] = 0;
    assert_int_equal(ets_etdump_tensor_data(buffer, -1, &tensor, &error), ETS_OK);
    assert_null(tensor.data);
    tensor.sizes[1] = INT64_MAX;
    assert_int_equal(ets_etdump_tensor_data(buffer, 0, &tensor, &error), ETS_TRUNCATED);
    tensor.sizes[0] = INT64_MAX; /* a count over 64 bits that steps of 0 make look small */
    tensor.strides[0] = tensor.strides[1] = 0;
    assert_int_equal(ets_etdump_tensor_data(buffer, 0, &tensor, &error), ETS_TRUNCATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_etdump__reads_every_fixture),
        cmocka_unit_test(test_etdump__reads_the_bare_form),
        cmocka_unit_test(test_etdump__gives_events_as_upstream_shows_them),
        cmocka_unit_test(test_etdump__gives_allocators_and_allocations),
        cmocka_unit_test(test_etdump__passes_over_fields_and_kinds_to_come),
        cmocka_unit_test(test_etdump__says_of_which_other_kind_a_file_is),
        cmocka_unit_test(test_etdump__checks_the_size_prefix),
        cmocka_unit_test(test_etdump__refuses_offsets_that_point_wrong),
        cmocka_unit_test(test_etdump__refuses_absurd_counts_and_versions),
        cmocka_unit_test(test_etdump__refuses_overlaps_that_multiply),
        cmocka_unit_test(test_etdump__refuses_a_garbled_table_of_runs),
        cmocka_unit_test(test_etdump__gives_tensors_with_strides),
        cmocka_unit_test(test_etdump__refuses_tensors_that_make_no_sense),
        cmocka_unit_test(test_etdump__says_which_value_is_not_there),
        cmocka_unit_test(test_etdump__finds_a_tensors_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
