/* Upstream's view against what upstream's own Inspector said of the same files (golden.json). */
#include "test_inspect_support.h"

#include "inspect/upstream/upstream_view.h"

#include "record/json.h"

/* Of all models, in blocks that upstream could read. */
enum { GOLDEN_EVENTS = 1114 };

/* One golden.json, and where in it the comparison is. */
struct golden {
    const struct ets_json_value *root;
    const struct ets_json_value *strings;
    char place[256];
};

static const struct ets_json_value *item(const struct ets_json_value *array, uint32_t index)
{
    const struct ets_json_value *at = ets_json_first(array);
    for (uint32_t i = 0; i < index; i++) at = ets_json_next(at);
    return at;
}

static void require(const struct golden *golden, int holds, const char *what)
{
    if (!holds) fail_msg("%s: %s differs", golden->place, what);
}

static double number_of(const struct ets_json_value *value)
{
    return value->kind == ETS_JSON_DOUBLE ? value->as.number : (double)value->as.integer;
}

/* Bit for bit: no tolerance. */
static int same_number(double value, const struct ets_json_value *expected)
{
    const double other = number_of(expected);
    return memcmp(&value, &other, sizeof value) == 0;
}

static int same_text(const char *text, const struct ets_json_value *expected)
{
    if (text == NULL) return ets_json_is(expected, ETS_JSON_NULL);
    return ets_json_text_is(expected, text);
}

static void compare_times(const struct golden *golden, const struct ets_upstream_event *event,
                          const struct ets_json_value *expected)
{
    const struct ets_json_value *raw = ets_json_get(expected, "raw");
    const struct ets_json_value *start = ets_json_get(expected, "start_time");
    require(golden, raw->size == event->sample_count, "number of raw times");
    require(golden, start->size == event->sample_count, "number of start times");
    for (uint32_t i = 0; i < event->sample_count; i++) {
        require(golden, same_number(event->raw[i], item(raw, i)), "raw");
        require(golden, (int64_t)event->start_time[i] == item(start, i)->as.integer, "start_time");
    }
    const struct ets_statistics *s = &event->statistics;
    const struct {
        const char *name;
        double value;
    } statistics[] = {{"p10", s->p10},  {"p50", s->p50}, {"p90", s->p90},
                      {"avg", s->mean}, {"min", s->min}, {"max", s->max}};
    for (size_t i = 0; i < COUNT(statistics); i++) {
        const struct ets_json_value *value = ets_json_get(expected, statistics[i].name);
        if (s->count == 0) require(golden, ets_json_is(value, ETS_JSON_NULL), statistics[i].name);
        else require(golden, same_number(statistics[i].value, value), statistics[i].name);
    }
}

/* None, a number, or a list of them. */
static void compare_handles(const struct golden *golden, const struct ets_upstream_event *event,
                            const struct ets_json_value *expected)
{
    if (ets_json_is(expected, ETS_JSON_NULL)) {
        require(golden, event->handles == NULL, "debug_handles");
        return;
    }
    const int is_list = ets_json_is(expected, ETS_JSON_ARRAY);
    require(golden, event->handle_count == (is_list ? expected->size : 1), "debug_handles");
    for (uint32_t i = 0; i < event->handle_count; i++) {
        const struct ets_json_value *handle = is_list ? item(expected, i) : expected;
        require(golden, event->handles[i] == handle->as.integer, "debug_handles");
    }
}

static void compare_identity(const struct golden *golden, const struct ets_upstream_event *event,
                             const struct ets_json_value *expected)
{
    const struct ets_json_value *id = ets_json_get(expected, "delegate_debug_identifier");
    require(golden, same_text(event->name, ets_json_get(expected, "name")), "name");
    if (event->delegate_id != -1) {
        require(golden, ets_json_is(id, ETS_JSON_INT) && id->as.integer == event->delegate_id,
                "delegate_debug_identifier");
    } else {
        require(golden, same_text(event->delegate_identifier, id), "delegate_debug_identifier");
    }
    require(golden, event->is_delegated == ets_json_get(expected, "is_delegated_op")->as.integer,
            "is_delegated_op");
    require(golden, same_text(event->backend, ets_json_get(expected, "delegate_backend_name")),
            "delegate_backend_name");
    require(golden, event->instruction == ets_json_get(expected, "instruction_id")->as.integer,
            "instruction_id");
    const struct ets_json_value *ops = ets_json_get(expected, "op_types");
    require(golden, ops->size == event->op_type_count, "number of op_types");
    for (uint32_t i = 0; i < ops->size; i++) {
        require(golden, same_text(event->op_types[i], item(ops, i)), "op_types");
    }
}

/* "{'L__self__': ('', '__main__.M'), ...}" as Python prints a node's modules. */
static void print_modules(const struct ets_graph_node *node, char *text, size_t capacity)
{
    size_t used = (size_t)snprintf(text, capacity, "{");
    for (uint32_t i = 0; i < node->module_count && used < capacity; i++) {
        const struct ets_graph_module *m = &node->modules[i];
        used += (size_t)snprintf(text + used, capacity - used, "%s'%.*s': ('%.*s', '%.*s')",
                                 i > 0 ? ", " : "", (int)m->key.size, m->key.data,
                                 (int)m->path.size, m->path.data, (int)m->type.size, m->type.data);
    }
    assert_true(used + 1 < capacity);
    snprintf(text + used, capacity - used, "}");
}

/* Upstream's two dictionaries have the keys "<node name>_"; equal texts are kept once, by number.
 */
static void compare_nodes(const struct golden *golden, const struct ets_upstream_event *event,
                          const struct ets_json_value *expected)
{
    const struct ets_json_value *traces = ets_json_get(expected, "stack_traces");
    const struct ets_json_value *modules = ets_json_get(expected, "module_hierarchy");
    require(golden, traces->size == event->node_count, "number of stack_traces");
    for (uint32_t i = 0; i < event->node_count; i++) {
        const struct ets_graph_node *node = event->nodes[i];
        char key[256], text[2048];
        snprintf(key, sizeof key, "%.*s_", (int)node->name.size, node->name.data);
        const struct ets_json_value *trace = ets_json_get(traces, key);
        require(golden, ets_json_is(trace, ETS_JSON_INT), "a node of stack_traces");
        const struct ets_json_value *stored = item(golden->strings, (uint32_t)trace->as.integer);
        const struct ets_text as_text = ets_json_text(stored);
        require(golden,
                as_text.size == node->stack_trace.size &&
                    memcmp(as_text.data, node->stack_trace.data, as_text.size) == 0,
                "a stack trace");
        const struct ets_json_value *module = ets_json_get(modules, key);
        if (module == NULL) continue;
        print_modules(node, text, sizeof text);
        require(golden, same_text(text, item(golden->strings, (uint32_t)module->as.integer)),
                "module_hierarchy");
    }
}

static void compare_view(struct golden *golden, const struct ets_upstream_view *view,
                         const struct ets_json_value *expected, const char *place)
{
    snprintf(golden->place, sizeof golden->place, "%s", place);
    require(golden, view->block_count == expected->size, "number of blocks");
    for (uint32_t b = 0; b < view->block_count; b++) {
        const struct ets_upstream_block *block = &view->blocks[b];
        const struct ets_json_value *other = item(expected, b);
        const struct ets_json_value *events = ets_json_get(other, "events");
        require(golden, same_text(block->name, ets_json_get(other, "name")), "block name");
        require(
            golden,
            block->bundled_input_index == ets_json_get(other, "bundled_input_index")->as.integer,
            "test case");
        require(golden, block->event_count == events->size, "number of events");
        const struct ets_json_value *event = ets_json_first(events);
        for (uint32_t i = 0; i < block->event_count; i++, event = ets_json_next(event)) {
            snprintf(golden->place, sizeof golden->place, "%s, block %u, event %u", place, b, i);
            compare_identity(golden, &block->events[i], event);
            compare_times(golden, &block->events[i], event);
            compare_handles(golden, &block->events[i], ets_json_get(event, "debug_handles"));
            compare_nodes(golden, &block->events[i], event);
        }
    }
}

/* Returns how many events were compared. */
static uint32_t compare_dump(struct golden *golden, const char *model, const char *kind,
                             struct ets_etrecord *record)
{
    char name[64], place[128];
    const struct ets_json_value *expected = ets_json_get(golden->root, kind);
    if (expected == NULL) return 0; /* upstream failed on it: golden.json says how */
    snprintf(name, sizeof name, "%s.etdp", kind);
    snprintf(place, sizeof place, "%s/%s", model, name);
    struct ets_file *file = open_fixture(model, name);
    struct ets_inspection *inspection =
        inspect(ets_file_bytes(file), (struct ets_inspect_options){.record = record});
    const struct ets_upstream_view *view;
    assert_int_equal(
        ets_inspection_upstream_view(inspection, ETS_UNIT_NS, ETS_UNIT_MS, &view, NULL), ETS_OK);
    compare_view(golden, view, expected, place);
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->block_count; i++) count += view->blocks[i].event_count;
    ets_inspection_close(inspection);
    ets_file_close(file);
    return count;
}

static uint32_t compare_model(const char *model)
{
    struct ets_file *record_file = open_fixture(model, "model.etrecord");
    struct ets_etrecord *record = open_record(ets_file_bytes(record_file));
    struct ets_file *file = open_fixture(model, "golden.json");
    const struct ets_bytes bytes = ets_file_bytes(file);
    char *text = malloc(bytes.size + 1);
    assert_non_null(text);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    struct ets_json json;
    struct ets_json_failure failure;
    ets_json_init(&json, NULL);
    assert_int_equal(ets_json_parse(&json, text, bytes.size, &failure), ETS_OK);
    struct golden golden = {.root = json.values, .strings = ets_json_get(json.values, "strings")};
    const uint32_t count = compare_dump(&golden, model, "profile", record) +
                           compare_dump(&golden, model, "debug", record);
    ets_json_reset(&json);
    free(text);
    ets_file_close(file);
    ets_etrecord_close(record);
    ets_file_close(record_file);
    return count;
}

static void test_upstream_golden__every_event_is_upstreams(void **state)
{
    (void)state;
    uint32_t count = 0;
    for (size_t i = 0; i < COUNT(fixture_models); i++) count += compare_model(fixture_models[i]);
    assert_int_equal(count, GOLDEN_EVENTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_upstream_golden__every_event_is_upstreams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
