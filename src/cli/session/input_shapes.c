/* Chooses shapes for generated inputs: --shape, the record's example, the upper bound. */
#include "cli/session/input_shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "record/record_maps.h"

enum { SHAPE_TEXT = 160 };

static bool is_equal(struct ets_text a, struct ets_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The graph's value of the method's `index`-th input; NULL: no record, or not a tensor there. */
static const struct ets_graph_value *find_example(const struct cli_session *session,
                                                  const char *method, size_t index,
                                                  struct ets_text *name_out)
{
    const struct ets_graph *graph;
    size_t user = 0;
    *name_out = (struct ets_text){NULL, 0};
    if (session->record.record == NULL ||
        ets_etrecord_edge_graph(session->record.record, method, &graph, NULL) != ETS_OK) {
        return NULL;
    }
    for (uint32_t i = 0; i < graph->input_count; i++) {
        const struct ets_graph_input *input = &graph->inputs[i];
        if (input->role != ETS_INPUT_USER || user++ != index) continue;
        if (input->argument.kind != ETS_ARGUMENT_TENSOR) return NULL;
        *name_out = input->argument.name;
        return ets_graph_find_value(graph, input->argument.name);
    }
    return NULL;
}

static bool is_dynamic(const struct cli_session *session, const char *method, size_t index)
{
    struct ets_method plan;
    struct ets_evalue value;
    if (ets_program_find_method(&session->model.program, method, &plan, NULL) != ETS_OK ||
        index >= plan.input_count) {
        return false;
    }
    ets_method_input(&plan, (uint32_t)index, &value);
    return value.kind == ETS_EVALUE_TENSOR && value.tensor.dynamism != ETS_SHAPE_STATIC;
}

static void print_shape(const int64_t *sizes, uint32_t rank, char text[SHAPE_TEXT])
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < rank; i++) {
        const int size = snprintf(text + used, SHAPE_TEXT - used, "%s%lld", i > 0 ? "x" : "",
                                  (long long)sizes[i]);
        if (size < 0 || (size_t)size >= SHAPE_TEXT - used) return;
        used += (size_t)size;
    }
}

/* "1x8"; returns the number of sizes, or -1: malformed, or more than `most`. */
static int parse_sizes(const char *text, int64_t *sizes, uint32_t most)
{
    uint32_t count = 0;
    while (count < most) {
        char *end;
        if (*text < '0' || *text > '9') return -1;
        const long long size = strtoll(text, &end, 10);
        if (size > INT32_MAX) return -1;
        sizes[count++] = size;
        if (*end == '\0') return (int)count;
        if (*end != 'x' && *end != ',') return -1;
        text = end + 1;
    }
    return -1;
}

/* The value of --shape for an input, which names it by number or as the record does; NULL: none. */
static const char *find_option(const struct cli_session *session, size_t index,
                               struct ets_text name)
{
    const char *option;
    for (unsigned i = 0; (option = cli_value_at(session->arguments, "--shape", i)) != NULL; i++) {
        const char *equals = strchr(option, '=');
        if (equals == NULL) continue;
        const struct ets_text key = {option, (size_t)(equals - option)};
        char number[24];
        (void)snprintf(number, sizeof number, "%zu", index);
        if (cli_text_is(key, number) || (name.data != NULL && is_equal(key, name))) {
            return equals + 1;
        }
    }
    return NULL;
}

/* Lays the elements out anew in the order of the strides before. */
static void resize(struct ets_tensor *tensor, const int64_t *sizes)
{
    uint32_t order[ETS_TENSOR_MAX_RANK];
    int64_t stride = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t at = i;
        for (; at > 0 && tensor->strides[order[at - 1]] < tensor->strides[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    for (uint32_t i = tensor->rank; i-- > 0;) {
        tensor->sizes[order[i]] = sizes[order[i]];
        tensor->strides[order[i]] = stride;
        stride *= sizes[order[i]] > 0 ? sizes[order[i]] : 1;
    }
}

static int take_option(const char *method, size_t index, const char *option, bool is_fixed,
                       struct ets_tensor *tensor)
{
    int64_t sizes[ETS_TENSOR_MAX_RANK] = {0};
    char bound[SHAPE_TEXT];
    print_shape(tensor->sizes, tensor->rank, bound);
    const int count = parse_sizes(option, sizes, ETS_TENSOR_MAX_RANK);
    bool fits = count == (int)tensor->rank;
    for (uint32_t i = 0; fits && i < tensor->rank; i++) {
        fits = is_fixed ? sizes[i] == tensor->sizes[i] : sizes[i] <= tensor->sizes[i];
    }
    if (!fits) {
        return cli_complain(CLI_USAGE, "--shape %s does not fit input %zu of %s, which is %s %s",
                            option, index, method, is_fixed ? "always" : "at most", bound);
    }
    resize(tensor, sizes);
    return CLI_OK;
}

/* The sizes with which the model was exported, if all are known and fit. */
static bool take_example(const struct ets_graph_value *example, struct ets_tensor *tensor)
{
    if (example == NULL || example->rank != tensor->rank || example->sizes == NULL) return false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (example->sizes[i] < 0 || example->sizes[i] > tensor->sizes[i]) return false;
    }
    resize(tensor, example->sizes);
    return true;
}

int cli_input_shape(const struct cli_session *session, const char *method, size_t index,
                    struct ets_tensor *tensor)
{
    struct ets_text name;
    char shape[SHAPE_TEXT], called[96] = "";
    const struct ets_graph_value *example = find_example(session, method, index, &name);
    const char *option = find_option(session, index, name);
    const bool is_fixed = !is_dynamic(session, method, index);
    if (option != NULL) return take_option(method, index, option, is_fixed, tensor);
    if (is_fixed || session->is_next_turn) return CLI_OK;
    if (name.data != NULL)
        (void)snprintf(called, sizeof called, " (%.*s)", (int)(name.size < 64 ? name.size : 64),
                       name.data);
    const bool is_example = take_example(example, tensor);
    print_shape(tensor->sizes, tensor->rank, shape);
    cli_note("%s: input %zu%s has a dynamic shape and is %s, %s; --shape %zu=... chooses another",
             method, index, called, shape, is_example ? "as in the export" : "its upper bound",
             index);
    return CLI_OK;
}

int cli_input_shapes_check(const struct cli_session *session, const char *method,
                           size_t input_count)
{
    const char *option;
    for (unsigned i = 0; (option = cli_value_at(session->arguments, "--shape", i)) != NULL; i++) {
        const char *equals = strchr(option, '=');
        int64_t sizes[ETS_TENSOR_MAX_RANK];
        if (equals == NULL || parse_sizes(equals + 1, sizes, ETS_TENSOR_MAX_RANK) < 0) {
            return cli_complain(
                CLI_USAGE, "--shape takes an input and its sizes, such as 0=1x8, not %s", option);
        }
        bool is_found = false;
        for (size_t k = 0; k < input_count && !is_found; k++) {
            struct ets_text name;
            (void)find_example(session, method, k, &name);
            is_found = find_option(session, k, name) == equals + 1;
        }
        if (!is_found) {
            return cli_complain(CLI_USAGE, "--shape %s: %s has no such input; it has %zu", option,
                                method, input_count);
        }
    }
    return CLI_OK;
}
