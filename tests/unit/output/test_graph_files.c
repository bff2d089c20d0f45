/* Files of graphs: failing memory is told, and Model Explorer's groups and attributes are bounded.
 */
#include "test_model_support.h"

#include "base/text.h"
#include "output/graph/graph_files.h"
#include "output/graph/graph_writers.h"
#include "test_faults_support.h"

static enum ets_status write_with(const struct ets_allocator *allocator,
                                  enum ets_graph_format format,
                                  const struct ets_graph_source *source, struct ets_error *error)
{
    struct ets_output *output;
    enum ets_graph_file failed;
    char *data;
    size_t size;
    assert_int_equal(ets_output_open_memory(&output, &data, &size, NULL), ETS_OK);
    const enum ets_status status =
        ets_graph_write(output, format, source, allocator, &failed, error);
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
    if (status == ETS_OK) assert_true(size > 500);
    ets_output_free(data);
    return status;
}

static void assert_failures_are_told(enum ets_graph_format format,
                                     const struct ets_graph_source *source)
{
    enum ets_status status = ETS_NO_MEMORY;
    struct ets_error error;
    /* What the record keeps once it is read is not of this allocator. */
    assert_int_equal(write_with(NULL, format, source, &error), ETS_OK);
    for (unsigned long n = 0; status != ETS_OK; n += FAULT_STRIDE) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        error = (struct ets_error){.status = ETS_OK};
        status = write_with(&allocator, format, source, &error);
        assert_int_equal(status, error.status);
        if (status == ETS_OK) assert_true(failing.calls <= n); /* nothing was left out */
        else assert_int_equal(status, ETS_NO_MEMORY);
        if (status != ETS_OK) assert_memory_equal(error.message, "no memory for ", 14);
        assert_int_equal(failing.live, 0);
        assert_true(n < 10000);
    }
}

static void test_graph_files__failing_memory_is_told(void **state)
{
    (void)state;
    struct model model;
    open_model("gpt_xnnpack", &model);
    const struct ets_graph_source all = {.title = "model.pte",
                                         .program = &model.program,
                                         .record = model.record,
                                         .inspection = model.inspection};
    const struct ets_graph_source program = {.title = "model.pte", .program = &model.program};
    const struct ets_graph_source record = {.title = "model.etrecord", .record = model.record};
    for (int format = ETS_GRAPH_DOT; format <= ETS_GRAPH_MODEL_EXPLORER_DATA; format++) {
        assert_failures_are_told((enum ets_graph_format)format, &all);
        if (format == ETS_GRAPH_MODEL_EXPLORER_DATA) continue;
        assert_failures_are_told((enum ets_graph_format)format, &program);
        assert_failures_are_told((enum ets_graph_format)format, &record);
    }
    close_model(&model);
}

/* What Model Explorer gets of a node in a module `depth` deep. */
static char *explorer_of_depth(int depth, const struct ets_allocator *allocator, bool *ok_out)
{
    enum { DEEP = 5000 };
    char path[2 * DEEP + 1];
    for (int i = 0; i < depth; i++) memcpy(path + 2 * i, "m/", 3);
    path[2 * depth - 1] = '\0';
    struct ets_model_note notes[] = {
        {"argument", {"a = 1", 5}, 0}, {"source", {"a.py:1", 6}, 0}, {"argument", {"b = 2", 5}, 1}};
    struct ets_model_node node = {.kind = ETS_MODEL_OPERATOR,
                                  .id = {"i0", 2},
                                  .label = {"add", 3},
                                  .layer = {path, strlen(path)},
                                  .notes = notes,
                                  .note_count = 3};
    struct ets_model_graph graph = {.id = {"forward", 7}, .nodes = &node, .node_count = 1};
    struct ets_arena arena;
    const struct ets_model model = {.arena = &arena, .graphs = &graph, .graph_count = 1};
    struct ets_output *output;
    char *data;
    size_t size;
    ets_arena_init(&arena, allocator, 0);
    assert_int_equal(ets_output_open_memory(&output, &data, &size, NULL), ETS_OK);
    *ok_out = ets_write_model_explorer(output, "deep", &model);
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
    ets_arena_reset(&arena);
    return data;
}

static void test_graph_files__deep_modules_share_a_group(void **state)
{
    (void)state;
    bool ok;
    for (int depth = 1; depth < 40; depth++) {
        char *data = explorer_of_depth(depth, NULL, &ok);
        assert_true(ok);
        int slashes = 0, dots = 0;
        const char *at = strstr(data, "\"namespace\": \"m");
        assert_non_null(at);
        for (at += 14; *at != '"'; at++) {
            slashes += *at == '/';
            dots += *at == '.';
        }
        assert_int_equal(slashes, depth < 32 ? depth - 1 : 31);
        assert_int_equal(dots, depth <= 32 ? 0 : depth - 32);
        ets_output_free(data);
    }
    char *data = explorer_of_depth(5000, NULL, &ok);
    assert_true(ok && strlen(data) < 12000);
    ets_output_free(data);
    struct failing failing = {.fail_at = 0};
    const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
    data = explorer_of_depth(33, &allocator, &ok);
    assert_false(ok);
    ets_output_free(data);
}

static void test_graph_files__equal_keys_are_numbered(void **state)
{
    (void)state;
    bool ok;
    char *data = explorer_of_depth(1, NULL, &ok);
    assert_non_null(strstr(data, "{\"key\": \"argument\", \"value\": \"a = 1\"}"));
    assert_non_null(strstr(data, "{\"key\": \"argument 2\", \"value\": \"b = 2\"}"));
    ets_output_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_graph_files__failing_memory_is_told),
        cmocka_unit_test(test_graph_files__deep_modules_share_a_group),
        cmocka_unit_test(test_graph_files__equal_keys_are_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
