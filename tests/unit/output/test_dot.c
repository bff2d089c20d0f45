/* DOT files of graphs that no exporter makes. */
#include "test_faults_support.h"

#include "base/text.h"
#include "output/graph/graph_writers.h"

static void test_dot__deep_modules_share_a_cluster(void **state)
{
    (void)state;
    enum { DEEP = 5000 };
    char path[2 * DEEP + 1];
    for (int i = 0; i < DEEP; i++) memcpy(path + 2 * i, "m/", 3);
    path[2 * DEEP - 1] = '\0';
    struct ets_model_node node = {.kind = ETS_MODEL_OPERATOR,
                                  .id = {"i0", 2},
                                  .label = {"add", 3},
                                  .layer = {path, strlen(path)},
                                  .ticks = 1};
    struct ets_model_graph graph = {.id = {"forward", 7}, .nodes = &node, .node_count = 1};
    const struct ets_model model = {.graphs = &graph, .graph_count = 1};
    struct ets_output *output;
    char *data;
    size_t size;
    assert_int_equal(ets_output_open_memory(&output, &data, &size, NULL), ETS_OK);
    ets_write_dot(output, "deep", &model, 1);
    assert_int_equal(ets_output_commit(output, NULL), ETS_OK);
    assert_true(size < 4 * sizeof path); /* one cluster for each module has 25 MB */
    unsigned opened = 0, closed = 0;
    for (size_t i = 0; i < size; i++) {
        opened += data[i] == '{';
        closed += data[i] == '}';
    }
    assert_int_equal(opened, 2 + 32);
    assert_int_equal(closed, opened);
    assert_true(ets_text_contains((struct ets_text){data, size}, "{ label=\"m\"; "));
    assert_true(ets_text_contains((struct ets_text){data, size}, "{ label=\"m/m/m/"));
    ets_output_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dot__deep_modules_share_a_cluster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
