/* The ETDump writer: what it writes reads back the same, by our reader and by flatc. */
#define _XOPEN_SOURCE 700
#include <unistd.h>

#include "dump/etdump_schema.h"
#include "etscope/etdump.h"
#include "test_flatc_support.h"
#include "trace/etdump_writer.h"

static const char *const models[] = {
    "cond",         "conv_portable", "conv_xnnpack",        "conv_xnnpack_int8",   "dynamic",
    "gpt_portable", "gpt_xnnpack",   "linear_fp32_xnnpack", "linear_int8_xnnpack", "map_loop",
    "mlp_portable", "mlp_xnnpack",   "multi_method"};

enum { MAX_NAMES = 512 };

/* A source that gives what another dump holds. */
struct copy {
    const struct ets_etdump *dump;
    struct ets_etdump_name names[MAX_NAMES];
    uint32_t name_count;
    struct ets_debug_value value; /* of the event asked for last */
    struct ets_etdump_source source;
};

static uint32_t name_number(struct copy *copy, struct ets_text text)
{
    if (text.data == NULL) return ETS_ETDUMP_NO_NAME;
    for (uint32_t i = 0; i < copy->name_count; i++) {
        const struct ets_text known = copy->names[i].text;
        if (known.size == text.size && memcmp(known.data, text.data, text.size) == 0) return i;
    }
    assert_true(copy->name_count < MAX_NAMES);
    copy->names[copy->name_count] = (struct ets_etdump_name){text, 0};
    return copy->name_count++;
}

static enum ets_status copy_run(void *context, uint32_t run, struct ets_etdump_run_record *out)
{
    struct copy *copy = context;
    struct ets_etdump_run from;
    ets_etdump_run(copy->dump, run, &from);
    out->name = name_number(copy, from.name);
    out->bundled_input_index = from.bundled_input_index;
    out->allocator_count = from.allocator_count;
    out->event_count = from.event_count;
    return ETS_OK;
}

static enum ets_status copy_event(void *context, uint32_t run, uint32_t index,
                                  struct ets_etdump_record *out)
{
    struct copy *copy = context;
    struct ets_etdump_run of;
    struct ets_etdump_event from;
    ets_etdump_run(copy->dump, run, &of);
    ets_etdump_event(copy->dump, &of, index, &from);
    out->kind = from.kind;
    out->name = name_number(copy, from.name);
    out->chain = from.chain;
    out->instruction = from.instruction;
    out->delegate_id = from.delegate_id;
    out->delegate_name = name_number(copy, from.delegate_name);
    out->metadata = from.metadata;
    out->start_ticks = from.start_ticks;
    out->end_ticks = from.end_ticks;
    out->allocator = from.allocator;
    out->allocated_bytes = from.allocated_bytes;
    if (from.kind != ETS_EVENT_DEBUG) return ETS_OK;
    struct ets_debug_value *value = &copy->value;
    ets_etdump_debug_value(copy->dump, from.payload_at, value);
    out->value_type = (enum ets_debug_value_type)value->type;
    out->is_output = value->is_output;
    out->int_value = value->int_value;
    out->double_value = value->double_value;
    out->float_value = (float)value->double_value;
    out->tensor_count = value->tensor_count;
    return ETS_OK;
}

static enum ets_status copy_allocator(void *context, uint32_t run, uint32_t index,
                                      uint32_t *name_out)
{
    struct copy *copy = context;
    struct ets_etdump_run of;
    ets_etdump_run(copy->dump, run, &of);
    *name_out = name_number(copy, ets_etdump_allocator_name(copy->dump, &of, index));
    return ETS_OK;
}

static enum ets_status copy_tensor(void *context, uint32_t run, uint32_t event, uint32_t index,
                                   struct ets_tensor *tensor_out, int64_t *offset_out)
{
    struct copy *copy = context;
    (void)run;
    (void)event;
    return ets_etdump_tensor(copy->dump, &copy->value, index, tensor_out, offset_out, NULL);
}

/* Names are collected beforehand, as the writer wants to know their number. */
static void copy_init(struct copy *copy, const struct ets_etdump *dump)
{
    memset(copy, 0, sizeof *copy);
    copy->dump = dump;
    for (uint32_t i = 0; i < dump->run_count; i++) {
        struct ets_etdump_run_record run;
        struct ets_etdump_record record;
        uint32_t name;
        copy_run(copy, i, &run);
        for (uint32_t j = 0; j < run.allocator_count; j++) copy_allocator(copy, i, j, &name);
        for (uint32_t j = 0; j < run.event_count; j++) copy_event(copy, i, j, &record);
    }
    copy->source = (struct ets_etdump_source){.context = copy,
                                              .names = copy->names,
                                              .name_count = copy->name_count,
                                              .run_count = dump->run_count,
                                              .run = copy_run,
                                              .event = copy_event,
                                              .allocator = copy_allocator,
                                              .tensor = copy_tensor};
}

/* The whole file in a heap block of its exact size. */
static struct ets_bytes write_exactly(const struct ets_etdump_source *source)
{
    struct ets_error error = {0};
    size_t size = 0, written = 0;
    enum ets_status status = ets_etdump_writer_size(source, &size, &error);
    if (status != ETS_OK) fail_msg("%s", error.message);
    uint8_t *data = malloc(size);
    assert_non_null(data);
    status = ets_etdump_write_buffer(source, data, size, &written, &error);
    if (status != ETS_OK) fail_msg("%s", error.message);
    assert_int_equal(written, size);
    return (struct ets_bytes){data, size};
}

static struct ets_etdump read_back(struct ets_bytes bytes)
{
    struct ets_etdump dump;
    struct ets_error error = {0};
    if (ets_etdump_init(&dump, bytes, &error) != ETS_OK) fail_msg("%s", error.message);
    assert_int_equal(dump.is_size_prefixed, 1);
    return dump;
}

static void assert_text(struct ets_text got, struct ets_text wanted)
{
    assert_int_equal(got.data == NULL, wanted.data == NULL);
    assert_int_equal(got.size, wanted.size);
    if (got.size != 0) assert_memory_equal(got.data, wanted.data, got.size);
}

static void assert_tensors(const struct ets_etdump *a, const struct ets_debug_value *left,
                           const struct ets_etdump *b, const struct ets_debug_value *right)
{
    assert_int_equal(left->tensor_count, right->tensor_count);
    for (uint32_t i = 0; i < left->tensor_count; i++) {
        struct ets_tensor x, y;
        int64_t at_x, at_y;
        assert_int_equal(ets_etdump_tensor(a, left, i, &x, &at_x, NULL), ETS_OK);
        assert_int_equal(ets_etdump_tensor(b, right, i, &y, &at_y, NULL), ETS_OK);
        assert_int_equal(x.scalar_type, y.scalar_type);
        assert_int_equal(x.rank, y.rank);
        assert_int_equal(at_x, at_y);
        assert_memory_equal(x.sizes, y.sizes, sizeof x.sizes);
        assert_memory_equal(x.strides, y.strides, sizeof x.strides);
    }
}

static void assert_events(const struct ets_etdump *a, const struct ets_etdump_event *x,
                          const struct ets_etdump *b, const struct ets_etdump_event *y)
{
    assert_int_equal(x->kind, y->kind);
    assert_text(x->name, y->name);
    assert_true(x->chain == y->chain);
    assert_int_equal(x->instruction, y->instruction);
    assert_int_equal(x->delegate_id, y->delegate_id);
    assert_text(x->delegate_name, y->delegate_name);
    assert_text((struct ets_text){(const char *)x->metadata.data, x->metadata.size},
                (struct ets_text){(const char *)y->metadata.data, y->metadata.size});
    assert_true(x->start_ticks == y->start_ticks && x->end_ticks == y->end_ticks);
    assert_int_equal(x->allocator, y->allocator);
    assert_true(x->allocated_bytes == y->allocated_bytes);
    if (x->kind != ETS_EVENT_DEBUG) return;
    struct ets_debug_value left, right;
    ets_etdump_debug_value(a, x->payload_at, &left);
    ets_etdump_debug_value(b, y->payload_at, &right);
    assert_int_equal(left.type, right.type);
    assert_int_equal(left.is_output, right.is_output);
    assert_int_equal(left.is_present, right.is_present);
    assert_true(left.int_value == right.int_value);
    assert_memory_equal(&left.double_value, &right.double_value, sizeof left.double_value);
    assert_tensors(a, &left, b, &right);
}

static void assert_dumps(const struct ets_etdump *a, const struct ets_etdump *b)
{
    assert_int_equal(a->run_count, b->run_count);
    for (uint32_t i = 0; i < a->run_count; i++) {
        struct ets_etdump_run left, right;
        ets_etdump_run(a, i, &left);
        ets_etdump_run(b, i, &right);
        assert_text(left.name, right.name);
        assert_int_equal(left.bundled_input_index, right.bundled_input_index);
        assert_int_equal(left.has_events, right.has_events);
        assert_int_equal(left.event_count, right.event_count);
        assert_int_equal(left.allocator_count, right.allocator_count);
        for (uint32_t j = 0; j < left.allocator_count; j++) {
            assert_text(ets_etdump_allocator_name(a, &left, j),
                        ets_etdump_allocator_name(b, &right, j));
        }
        for (uint32_t j = 0; j < left.event_count; j++) {
            struct ets_etdump_event x, y;
            ets_etdump_event(a, &left, j, &x);
            ets_etdump_event(b, &right, j, &y);
            assert_events(a, &x, b, &y);
        }
    }
}

/* A dump of the test data and its rewritten form. */
struct pair {
    struct ets_file *file;
    struct ets_etdump dump;
    struct copy copy;
    struct ets_bytes rewritten;
};

static struct pair *open_pair(const char *path)
{
    struct pair *pair = malloc(sizeof *pair);
    assert_non_null(pair);
    assert_int_equal(ets_file_open(path, &pair->file, NULL), ETS_OK);
    assert_int_equal(ets_etdump_init(&pair->dump, ets_file_bytes(pair->file), NULL), ETS_OK);
    copy_init(&pair->copy, &pair->dump);
    pair->rewritten = write_exactly(&pair->copy.source);
    return pair;
}

static void close_pair(struct pair *pair)
{
    free((void *)(uintptr_t)pair->rewritten.data);
    ets_file_close(pair->file);
    free(pair);
}

/* Calls `check` for every sound dump of the test data. */
static void each_fixture(void (*check)(struct pair *pair, const char *name))
{
    static const char *const kinds[] = {"profile", "debug"};
    char path[512], name[64];
    for (size_t i = 0; i < COUNT(models); i++) {
        for (size_t j = 0; j < COUNT(kinds); j++) {
            snprintf(name, sizeof name, "%s/%s.etdp", models[i], kinds[j]);
            snprintf(path, sizeof path, "%s/%s", TEST_DATA, name);
            struct pair *pair = open_pair(path);
            check(pair, name);
            close_pair(pair);
        }
    }
    struct pair *pair = open_pair(TEST_DATA "/types/profile.etdp");
    check(pair, "types/profile.etdp");
    close_pair(pair);
    pair = open_pair(TEST_DATA "/made/allocations.etdp");
    check(pair, "made/allocations.etdp");
    close_pair(pair);
}

static size_t bytes_before, bytes_after;

static void check_rewritten(struct pair *pair, const char *name)
{
    const struct ets_etdump again = read_back(pair->rewritten);
    assert_dumps(&pair->dump, &again);
    bytes_before += pair->dump.bytes.size;
    bytes_after += pair->rewritten.size;
    printf("%-32s %6zu -> %6zu bytes\n", name, pair->dump.bytes.size, pair->rewritten.size);
    assert_true(pair->rewritten.size < pair->dump.bytes.size);
}

static void test_etdump_writer__rewrites_every_fixture(void **state)
{
    (void)state;
    bytes_before = bytes_after = 0;
    each_fixture(check_rewritten);
    printf("all together: %.3f of upstream's bytes\n", (double)bytes_after / (double)bytes_before);
}

static char folder[64];

static void check_with_flatc(struct pair *pair, const char *name)
{
    char *before = flatc_json(folder, pair->dump.bytes),
         *after = flatc_json(folder, pair->rewritten);
    if (strcmp(before, after) != 0) fail_msg("%s: flatc reads other content", name);
    free(before);
    free(after);
}

static void test_etdump_writer__is_read_alike_by_flatc(void **state)
{
    (void)state;
    if (system("command -v flatc >/dev/null") != 0) SKIP_BECAUSE("flatc is missing");
    snprintf(folder, sizeof folder, "/tmp/etscope-XXXXXX");
    assert_non_null(mkdtemp(folder));
    each_fixture(check_with_flatc);
    rmdir(folder);
}

/* A source from an array of records in one run; names are "n0" and "n1". */
struct made {
    struct ets_etdump_record records[16];
    uint32_t count;
    struct ets_tensor tensors[4];
    int64_t offsets[4];
    struct ets_etdump_name names[2];
    struct ets_etdump_run_record run;
    uint32_t calls;         /* of made_event */
    uint32_t change_at;     /* the call from which on a record is another one; 0: never */
    enum ets_status answer; /* of made_event */
    struct ets_etdump_source source;
};

static enum ets_status made_run(void *context, uint32_t run, struct ets_etdump_run_record *out)
{
    const struct made *made = context;
    (void)run;
    *out = made->run;
    return ETS_OK;
}

static enum ets_status made_event(void *context, uint32_t run, uint32_t index,
                                  struct ets_etdump_record *out)
{
    struct made *made = context;
    (void)run;
    *out = made->records[index];
    made->calls++;
    if (made->change_at != 0 && made->calls >= made->change_at) {
        static const uint8_t many[300];
        out->delegate_name = 1;
        out->metadata = (struct ets_bytes){many, sizeof many};
    }
    return made->answer;
}

static enum ets_status made_tensor(void *context, uint32_t run, uint32_t event, uint32_t index,
                                   struct ets_tensor *tensor_out, int64_t *offset_out)
{
    const struct made *made = context;
    (void)run;
    (void)event;
    *tensor_out = made->tensors[index];
    *offset_out = made->offsets[index];
    return ETS_OK;
}

static struct ets_etdump_record absent(enum ets_event_kind kind)
{
    return (struct ets_etdump_record){.kind = kind,
                                      .name = ETS_ETDUMP_NO_NAME,
                                      .chain = -1,
                                      .instruction = -1,
                                      .delegate_id = -1,
                                      .delegate_name = ETS_ETDUMP_NO_NAME};
}

static void made_init(struct made *made)
{
    memset(made, 0, sizeof *made);
    made->names[0].text = (struct ets_text){"n0", 2};
    made->names[1].text = (struct ets_text){"n1 is longer", 12};
    made->source = (struct ets_etdump_source){.context = made,
                                              .names = made->names,
                                              .name_count = 2,
                                              .run_count = 1,
                                              .run = made_run,
                                              .event = made_event,
                                              .tensor = made_tensor};
    made->run.bundled_input_index = -1;
    for (uint32_t i = 0; i < 4; i++) {
        made->tensors[i] = (struct ets_tensor){.scalar_type = ETS_SCALAR_FLOAT, .rank = i};
        for (uint32_t j = 0; j < i; j++) made->tensors[i].sizes[j] = 2 + j;
        ets_tensor_set_contiguous(&made->tensors[i]);
        made->offsets[i] = 64 * (int64_t)i - 64; /* one negative, one 0: both are written rightly */
    }
}

static struct ets_etdump_record *add(struct made *made, enum ets_event_kind kind)
{
    struct ets_etdump_record *record = &made->records[made->count++];
    *record = absent(kind);
    made->run.event_count = made->count;
    return record;
}

static struct ets_etdump_record *add_value(struct made *made, enum ets_debug_value_type type)
{
    struct ets_etdump_record *record = add(made, ETS_EVENT_DEBUG);
    record->value_type = type;
    return record;
}

/* One event of each kind, one value of each type. */
static void fill(struct made *made)
{
    static const uint8_t metadata[] = {1, 2, 3, 4, 5};
    made_init(made);
    made->run.bundled_input_index = 2;
    struct ets_etdump_record *record = add(made, ETS_EVENT_PROFILE);
    record->name = 0;
    record->start_ticks = 7;
    record->end_ticks = UINT64_MAX;
    record = add(made, ETS_EVENT_PROFILE);
    record->delegate_id = 0;
    record->chain = 0;
    record->instruction = 5;
    record->metadata = (struct ets_bytes){metadata, sizeof metadata};
    record = add(made, ETS_EVENT_PROFILE);
    record->delegate_name = 1;
    record = add(made, ETS_EVENT_ALLOCATION);
    record->allocator = 1;
    record->allocated_bytes = UINT64_C(1) << 40;
    add_value(made, ETS_DEBUG_NULL)->name = 1;
    add_value(made, ETS_DEBUG_INT)->int_value = INT64_MIN;
    add_value(made, ETS_DEBUG_BOOL)->int_value = 1;
    add_value(made, ETS_DEBUG_BOOL)->is_output = 1;
    add_value(made, ETS_DEBUG_FLOAT)->float_value = 1.5f;
    add_value(made, ETS_DEBUG_DOUBLE)->double_value = -0.0;
    add_value(made, ETS_DEBUG_TENSOR)->is_output = 1;
    add_value(made, ETS_DEBUG_TENSOR)->delegate_id = 9;
    add_value(made, ETS_DEBUG_TENSOR_LIST)->tensor_count = 4;
    record = add_value(made, ETS_DEBUG_TENSOR_LIST);
    record->chain = 0;
    record->instruction = 3;
    record->is_output = 1;
}

static void get_value(const struct ets_etdump *dump, uint32_t index, struct ets_etdump_event *event,
                      struct ets_debug_value *value)
{
    struct ets_etdump_run run;
    ets_etdump_run(dump, 0, &run);
    ets_etdump_event(dump, &run, index, event);
    assert_int_equal(event->kind, ETS_EVENT_DEBUG);
    ets_etdump_debug_value(dump, event->payload_at, value);
    assert_int_equal(value->is_present, 1);
}

static void check_values(const struct ets_etdump *dump)
{
    struct ets_etdump_event event;
    struct ets_debug_value value;
    struct ets_tensor tensor;
    int64_t offset = 0;
    get_value(dump, 4, &event, &value);
    assert_int_equal(value.type, ETS_DEBUG_NULL);
    assert_int_equal(event.name.size, 12);
    assert_int_equal(event.chain, -1);
    get_value(dump, 5, &event, &value);
    assert_true(value.type == ETS_DEBUG_INT && value.int_value == INT64_MIN);
    get_value(dump, 6, &event, &value);
    assert_true(value.type == ETS_DEBUG_BOOL && value.int_value == 1 && !value.is_output);
    get_value(dump, 7, &event, &value);
    assert_true(value.type == ETS_DEBUG_BOOL && value.int_value == 0 && value.is_output);
    get_value(dump, 8, &event, &value);
    assert_true(value.type == ETS_DEBUG_FLOAT && value.double_value == 1.5);
    get_value(dump, 9, &event, &value);
    assert_true(value.type == ETS_DEBUG_DOUBLE && 1 / value.double_value < 0);
    get_value(dump, 12, &event, &value);
    assert_int_equal(value.tensor_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(ets_etdump_tensor(dump, &value, i, &tensor, &offset, NULL), ETS_OK);
        assert_int_equal(tensor.rank, i);
        assert_true(offset == 64 * (int64_t)i - 64);
    }
    assert_true(tensor.sizes[2] == 4 && tensor.strides[0] == 12);
    get_value(dump, 13, &event, &value);
    assert_true(value.tensor_count == 0 && value.is_output && event.instruction == 3);
}

static void test_etdump_writer__writes_every_kind_of_event_and_value(void **state)
{
    (void)state;
    struct made made;
    fill(&made);
    const struct ets_bytes bytes = write_exactly(&made.source);
    const struct ets_etdump dump = read_back(bytes);
    struct ets_etdump_run run;
    struct ets_etdump_event event;
    ets_etdump_run(&dump, 0, &run);
    assert_int_equal(run.bundled_input_index, 2);
    assert_int_equal(run.event_count, made.count);
    ets_etdump_event(&dump, &run, 0, &event);
    assert_true(event.end_ticks == UINT64_MAX && event.metadata.data == NULL);
    ets_etdump_event(&dump, &run, 1, &event);
    assert_true(event.delegate_id == 0 && event.metadata.size == 5 && event.metadata.data[4] == 5);
    ets_etdump_event(&dump, &run, 2, &event);
    assert_true(event.metadata.data != NULL && event.metadata.size == 0);
    ets_etdump_event(&dump, &run, 3, &event);
    assert_true(event.kind == ETS_EVENT_ALLOCATION && event.allocated_bytes == UINT64_C(1) << 40);
    check_values(&dump);
    free((void *)(uintptr_t)bytes.data);
}

static void test_etdump_writer__leaves_defaults_out_and_aligns_wide_fields(void **state)
{
    (void)state;
    struct made made;
    made_init(&made);
    struct ets_etdump_record *record = add(&made, ETS_EVENT_PROFILE);
    record->name = 0;
    record->chain = 0;
    record->start_ticks = 1;
    record->end_ticks = 2;
    add_value(&made, ETS_DEBUG_TENSOR_LIST)->tensor_count = 4;
    const struct ets_bytes bytes = write_exactly(&made.source);
    const struct ets_etdump dump = read_back(bytes);
    struct ets_etdump_run run;
    struct ets_etdump_event event;
    ets_etdump_run(&dump, 0, &run);
    ets_etdump_event(&dump, &run, 0, &event);
    const struct ets_fb profile = {bytes.data, event.payload_at};
    assert_false(ets_fb_has(profile, PROFILE_CHAIN));
    assert_false(ets_fb_has(profile, PROFILE_INSTRUCTION));
    assert_false(ets_fb_has(profile, PROFILE_METADATA));
    assert_int_equal(ets_fb_field_at(profile, PROFILE_START) % 8, 0);
    assert_int_equal(ets_fb_field_at(profile, PROFILE_END) % 8, 0);
    ets_etdump_event(&dump, &run, 1, &event);
    const struct ets_fb debug = {bytes.data, event.payload_at};
    const struct ets_fb_vector tensors =
        ets_fb_vector(ets_fb_table(ets_fb_table(debug, DEBUG_ENTRY), VALUE_TENSOR_LIST), 0);
    for (uint32_t i = 0; i < tensors.count; i++) {
        const struct ets_fb tensor = ets_fb_vector_table(tensors, i);
        assert_int_equal(ets_fb_vector(tensor, TENSOR_SIZES).at % 8, 0);
        assert_int_equal(ets_fb_vector(tensor, TENSOR_STRIDES).at % 8, 0);
        assert_int_equal(ets_fb_has(tensor, TENSOR_OFFSET), i != 1);
        assert_int_equal(ets_fb_field_at(tensor, TENSOR_OFFSET) % 8, 0);
    }
    free((void *)(uintptr_t)bytes.data);
}

/* As where a stream lost names: their texts are empty, and need no room each. */
static void test_etdump_writer__names_that_were_lost_share_one_text(void **state)
{
    (void)state;
    enum { LOST = 1000 };
    struct made made;
    struct ets_etdump_name names[LOST + 2] = {{{NULL, 0}, 0}};
    fill(&made);
    const struct ets_bytes few = write_exactly(&made.source);
    names[0] = made.source.names[0];
    names[1] = made.source.names[1];
    made.source.names = names;
    made.source.name_count = LOST + 2;
    const struct ets_bytes many = write_exactly(&made.source);
    assert_in_range(many.size, few.size + 4, few.size + 16);
    free((void *)(uintptr_t)few.data);
    free((void *)(uintptr_t)many.data);
}

static void test_etdump_writer__writes_dumps_without_runs_or_events(void **state)
{
    (void)state;
    struct made made;
    made_init(&made);
    struct ets_bytes bytes = write_exactly(&made.source);
    struct ets_etdump dump = read_back(bytes);
    struct ets_etdump_run run;
    ets_etdump_run(&dump, 0, &run);
    assert_int_equal(run.has_events, 0);
    free((void *)(uintptr_t)bytes.data);
    made.source.run_count = 0;
    made.source.name_count = 0;
    bytes = write_exactly(&made.source);
    dump = read_back(bytes);
    assert_int_equal(dump.run_count, 0);
    free((void *)(uintptr_t)bytes.data);
}

static void test_etdump_writer__says_how_much_space_every_small_buffer_lacks(void **state)
{
    (void)state;
    struct made made;
    fill(&made);
    const struct ets_bytes whole = write_exactly(&made.source);
    for (size_t capacity = 0; capacity < whole.size; capacity++) {
        struct ets_error error;
        size_t size = 0;
        assert_int_equal(ets_etdump_write_buffer(&made.source, NULL, capacity, &size, &error),
                         ETS_NO_SPACE);
        assert_int_equal(size, whole.size);
    }
    free((void *)(uintptr_t)whole.data);
}

struct failing_sink {
    size_t left; /* writes that work */
    size_t taken;
    int has_failed;
    uint8_t bytes[8192];
};

static int write_or_fail(void *context, const void *data, size_t size)
{
    struct failing_sink *sink = context;
    assert_false(sink->has_failed);
    if (sink->left == 0) {
        sink->has_failed = 1;
        return -1;
    }
    sink->left--;
    assert_true(size <= sizeof sink->bytes - sink->taken);
    memcpy(sink->bytes + sink->taken, data, size);
    sink->taken += size;
    return 0;
}

static void test_etdump_writer__stops_at_the_first_refused_write(void **state)
{
    (void)state;
    struct made made;
    fill(&made);
    const struct ets_bytes whole = write_exactly(&made.source);
    struct failing_sink state_of_sink;
    const struct ets_etdump_sink sink = {&state_of_sink, write_or_fail};
    size_t writes = 0;
    for (;; writes++) {
        struct ets_error error;
        memset(&state_of_sink, 0, sizeof state_of_sink);
        state_of_sink.left = writes;
        const enum ets_status status = ets_etdump_write(&made.source, &sink, &error);
        assert_memory_equal(state_of_sink.bytes, whole.data, state_of_sink.taken);
        if (status == ETS_OK) break;
        assert_int_equal(status, ETS_IO);
        assert_true(error.offset == state_of_sink.taken);
    }
    assert_int_equal(state_of_sink.taken, whole.size);
    assert_true(writes >= whole.size / 128);
    free((void *)(uintptr_t)whole.data);
}

static void assert_refused(struct made *made, enum ets_status wanted)
{
    struct ets_error error = {0};
    size_t size = 0;
    uint8_t buffer[4096];
    assert_int_equal(ets_etdump_writer_size(&made->source, &size, &error), wanted);
    assert_int_equal(error.status, wanted);
    assert_true(strlen(error.message) > 10);
    assert_int_equal(ets_etdump_write_buffer(&made->source, buffer, sizeof buffer, &size, NULL),
                     wanted);
    assert_int_equal(size, 0);
}

static void test_etdump_writer__refuses_more_than_two_gibibytes(void **state)
{
    (void)state;
    struct made made;
    made_init(&made);
    made.run.event_count = UINT32_MAX; /* none of which may be asked for */
    assert_refused(&made, ETS_LIMIT);
    assert_int_equal(made.calls, 0);
    made_init(&made);
    made.names[1].text.size = INT32_MAX; /* none of which may be read */
    assert_refused(&made, ETS_LIMIT);
    made_init(&made);
    add_value(&made, ETS_DEBUG_TENSOR_LIST)->tensor_count = UINT32_MAX;
    assert_refused(&made, ETS_LIMIT);
    made_init(&made);
    made.source.run_count = UINT32_MAX;
    assert_refused(&made, ETS_LIMIT);
}

static void test_etdump_writer__refuses_records_that_no_file_can_hold(void **state)
{
    (void)state;
    struct made made;
    made_init(&made);
    made.run.name = ETS_ETDUMP_NO_NAME;
    assert_refused(&made, ETS_INVALID_ARGUMENT);
    made_init(&made);
    add(&made, ETS_EVENT_PROFILE)->name = 2;
    assert_refused(&made, ETS_INVALID_ARGUMENT);
    made_init(&made);
    add(&made, ETS_EVENT_PROFILE)->chain = INT64_C(1) << 31;
    assert_refused(&made, ETS_INVALID_ARGUMENT);
    made_init(&made);
    add(&made, ETS_EVENT_UNKNOWN);
    assert_refused(&made, ETS_INVALID_ARGUMENT);
    made_init(&made);
    add_value(&made, ETS_DEBUG_STRING);
    assert_refused(&made, ETS_INVALID_ARGUMENT);
    made_init(&made);
    made.run.allocator_count = 1;
    assert_refused(&made, ETS_INVALID_ARGUMENT);
    made_init(&made);
    add_value(&made, ETS_DEBUG_TENSOR);
    made.tensors[0].rank = ETS_TENSOR_MAX_RANK + 1;
    assert_refused(&made, ETS_INVALID_ARGUMENT);
    made.source.tensor = NULL;
    assert_refused(&made, ETS_INVALID_ARGUMENT);
}

static void test_etdump_writer__passes_on_why_the_source_failed(void **state)
{
    (void)state;
    struct made made;
    fill(&made);
    made.answer = ETS_TRUNCATED;
    assert_refused(&made, ETS_TRUNCATED);
    assert_int_equal(made.calls, 2); /* one for each call of the writer */
}

/* Whenever a record changes, the writer says so and stays inside the buffer. */
static void test_etdump_writer__notices_a_source_that_changes(void **state)
{
    (void)state;
    struct made made;
    fill(&made);
    const struct ets_bytes whole = write_exactly(&made.source);
    uint8_t *buffer = malloc(whole.size);
    assert_non_null(buffer);
    for (uint32_t call = made.count + 1; call <= 3 * made.count; call++) {
        size_t size = 0;
        made.calls = 0;
        made.change_at = call;
        assert_int_equal(ets_etdump_write_buffer(&made.source, buffer, whole.size, &size, NULL),
                         ETS_MISMATCH);
    }
    free(buffer);
    free((void *)(uintptr_t)whole.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_etdump_writer__rewrites_every_fixture),
        cmocka_unit_test(test_etdump_writer__is_read_alike_by_flatc),
        cmocka_unit_test(test_etdump_writer__writes_every_kind_of_event_and_value),
        cmocka_unit_test(test_etdump_writer__leaves_defaults_out_and_aligns_wide_fields),
        cmocka_unit_test(test_etdump_writer__names_that_were_lost_share_one_text),
        cmocka_unit_test(test_etdump_writer__writes_dumps_without_runs_or_events),
        cmocka_unit_test(test_etdump_writer__says_how_much_space_every_small_buffer_lacks),
        cmocka_unit_test(test_etdump_writer__stops_at_the_first_refused_write),
        cmocka_unit_test(test_etdump_writer__refuses_more_than_two_gibibytes),
        cmocka_unit_test(test_etdump_writer__refuses_records_that_no_file_can_hold),
        cmocka_unit_test(test_etdump_writer__passes_on_why_the_source_failed),
        cmocka_unit_test(test_etdump_writer__notices_a_source_that_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
