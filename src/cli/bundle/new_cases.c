/*
 * Reads the test cases of `bundle` from its options: arrays, numbers, and cases of other bundles.
 */
#include "cli/bundle/new_cases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"

static int no_memory(void)
{
    return cli_complain(CLI_INTERNAL, "no memory for the test cases");
}

/* Makes room for one more pointer in a list; false after reporting an error. */
static bool grow(void **list, size_t count, size_t size)
{
    void *grown = realloc(*list, (count + 1) * size);
    if (grown == NULL) {
        no_memory();
        return false;
    }
    *list = grown;
    return true;
}

void *cli_new_cases_alloc(struct cli_new_cases *cases, size_t size)
{
    void *list = cases->buffers;
    if (!grow(&list, cases->buffer_count, sizeof *cases->buffers)) return NULL;
    cases->buffers = list;
    void *memory = calloc(size + 1, 1);
    if (memory == NULL) no_memory();
    else cases->buffers[cases->buffer_count++] = memory;
    return memory;
}

static int open_file(struct cli_new_cases *cases, const char *path, struct ets_file **file_out)
{
    struct ets_error error;
    void *list = cases->files;
    if (!grow(&list, cases->file_count, sizeof *cases->files)) return CLI_INTERNAL;
    cases->files = list;
    if (cli_file_open(path, &cases->files[cases->file_count], &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    *file_out = cases->files[cases->file_count++];
    return CLI_OK;
}

/* The suite of `method`, created if necessary; NULL after reporting an error. */
static struct cli_new_suite *suite_of(struct cli_new_cases *cases, struct ets_text method)
{
    for (uint32_t i = 0; i < cases->suite_count; i++) {
        if (cli_text_is(method, cases->suites[i].method)) return &cases->suites[i];
    }
    void *list = cases->suites;
    if (!grow(&list, cases->suite_count, sizeof *cases->suites)) return NULL;
    cases->suites = list;
    char *name = cli_new_cases_alloc(cases, method.size + 1);
    if (name == NULL) return NULL;
    memcpy(name, method.data, method.size);
    struct cli_new_suite *suite = &cases->suites[cases->suite_count++];
    *suite = (struct cli_new_suite){.method = name};
    return suite;
}

static struct ets_new_case *add_case(struct cli_new_suite *suite)
{
    void *list = suite->cases;
    if (!grow(&list, suite->case_count, sizeof *suite->cases)) return NULL;
    suite->cases = list;
    struct ets_new_case *added = &suite->cases[suite->case_count++];
    *added = (struct ets_new_case){.input_count = 0};
    return added;
}

/* Appends a value; lists are short, so each value has its own memory. */
static struct ets_value *add_value(struct cli_new_cases *cases, const struct ets_value **list,
                                   uint32_t *count)
{
    struct ets_value *grown = cli_new_cases_alloc(cases, (*count + 1) * sizeof *grown);
    if (grown == NULL) return NULL;
    if (*count > 0) memcpy(grown, *list, *count * sizeof *grown);
    *list = grown;
    return &grown[(*count)++];
}

/* The state while options are read. */
struct reading {
    struct cli_new_cases *cases;
    const char *method; /* of the following cases */
    struct ets_new_case *current;
    const char *current_method;
    bool is_expecting; /* the words belong to --expect */
};

/* The only method, or "forward". */
static int choose_method(const struct cli_program *model, char *name, size_t capacity)
{
    const uint32_t count = model->program.method_count;
    for (uint32_t i = 0; i < count; i++) {
        struct ets_method method;
        ets_program_method(&model->program, i, &method);
        if (count > 1 && !cli_text_is(method.name, "forward")) continue;
        snprintf(name, capacity, "%.*s", (int)method.name.size, method.name.data);
        return CLI_OK;
    }
    return cli_complain(
        CLI_USAGE,
        "the program has no method forward: give --method before --new-case to choose "
        "one of its %u methods",
        count);
}

/* The program's value at this place, if there is one. */
static bool find_wanted(const struct reading *r, struct ets_evalue *wanted_out)
{
    struct ets_method method;
    const uint32_t index = r->is_expecting ? r->current->expected_count : r->current->input_count;
    if (ets_program_find_method(&r->cases->model->program, r->current_method, &method, NULL) !=
        ETS_OK) {
        return false;
    }
    if (index >= (r->is_expecting ? method.output_count : method.input_count)) return false;
    if (r->is_expecting) ets_method_output(&method, index, wanted_out);
    else ets_method_input(&method, index, wanted_out);
    return true;
}

/* Parses "3", "true" or "0.5" as the type that the program has at this place. */
static int parse_number(const struct reading *r, const char *word, struct ets_value *value_out)
{
    struct ets_evalue wanted = {.kind = ETS_EVALUE_UNKNOWN};
    char *end = NULL;
    (void)find_wanted(r, &wanted);
    errno = 0;
    switch (wanted.kind) {
    case ETS_EVALUE_BOOL:
        value_out->kind = ETS_VALUE_BOOL;
        value_out->as.bool_value = strcmp(word, "true") == 0 || strcmp(word, "1") == 0;
        if (value_out->as.bool_value || strcmp(word, "false") == 0 || strcmp(word, "0") == 0) {
            return CLI_OK;
        }
        return cli_complain(CLI_USAGE, "%s is not a bool: give true or false", word);
    case ETS_EVALUE_DOUBLE:
        value_out->kind = ETS_VALUE_DOUBLE;
        value_out->as.double_value = strtod(word, &end);
        break;
    case ETS_EVALUE_INT:
        value_out->kind = ETS_VALUE_INT;
        value_out->as.int_value = strtoll(word, &end, 10);
        break;
    default:
        return cli_complain(
            CLI_USAGE, "%s, %s %u is not a plain number: give a .npy or .npz file, not \"%s\"",
            r->current_method, r->is_expecting ? "output" : "input",
            r->is_expecting ? r->current->expected_count : r->current->input_count, word);
    }
    if (end != word && *end == '\0' && errno == 0) return CLI_OK;
    return cli_complain(CLI_USAGE, "\"%s\" is not a number of that type", word);
}

static int begin_case(struct reading *r)
{
    char chosen[256];
    if (r->method == NULL) {
        const int code = choose_method(r->cases->model, chosen, sizeof chosen);
        if (code != CLI_OK) return code;
    }
    const char *name = r->method != NULL ? r->method : chosen;
    struct cli_new_suite *suite = suite_of(r->cases, cli_text(name));
    r->current = suite != NULL ? add_case(suite) : NULL;
    r->is_expecting = false;
    if (r->current == NULL) return CLI_INTERNAL;
    r->current_method = suite->method;
    return CLI_OK;
}

static int begin_expecting(struct reading *r)
{
    if (r->current == NULL) {
        return cli_complain(CLI_USAGE, "--expect must follow its --new-case");
    }
    if (r->is_expecting) {
        return cli_complain(CLI_USAGE,
                            "give all outputs of a case in one --expect: --expect a.npy b.npy");
    }
    r->is_expecting = true;
    return CLI_OK;
}

/* Adds the next input or expected output of the case. */
static int take_value(struct reading *r, const struct ets_value *value)
{
    struct ets_new_case *c = r->current;
    struct ets_value *place = r->is_expecting
                                  ? add_value(r->cases, &c->expected, &c->expected_count)
                                  : add_value(r->cases, &c->inputs, &c->input_count);
    if (place == NULL) return CLI_INTERNAL;
    *place = *value;
    return CLI_OK;
}

/* Adds all arrays of a file in order. */
static int take_arrays(struct reading *r, const char *path)
{
    void *list = r->cases->arrays;
    if (!grow(&list, r->cases->array_count, sizeof *r->cases->arrays)) return CLI_INTERNAL;
    r->cases->arrays = list;
    struct cli_arrays *arrays = &r->cases->arrays[r->cases->array_count++];
    int code = cli_arrays_open(path, arrays);
    for (size_t i = 0; code == CLI_OK && i < arrays->count; i++) {
        struct ets_value value = {.kind = ETS_VALUE_TENSOR};
        code = cli_arrays_read(arrays, i, &value.as.tensor);
        if (code == CLI_OK) code = take_value(r, &value);
    }
    return code;
}

static int add_word(struct reading *r, const char *word)
{
    struct ets_value value = {.kind = ETS_VALUE_NONE};
    if (cli_ends_with(word, ".npy") || cli_ends_with(word, ".npz")) return take_arrays(r, word);
    const int code = parse_number(r, word, &value);
    return code == CLI_OK ? take_value(r, &value) : code;
}

/* Adds all cases of another bundle; its data is not copied. */
static int take_cases(struct cli_new_cases *cases, const char *path)
{
    struct ets_error error;
    struct ets_file *file = NULL;
    const int code = open_file(cases, path, &file);
    if (code != CLI_OK) return code;
    struct ets_bundle *bundle = cli_new_cases_alloc(cases, sizeof *bundle);
    if (bundle == NULL) return CLI_INTERNAL;
    if (ets_bundle_init(bundle, ets_file_bytes(file), &error) != ETS_OK) {
        return cli_fail(path, &error);
    }
    for (uint32_t s = 0; s < bundle->suite_count; s++) {
        struct ets_bundle_suite from;
        ets_bundle_suite(bundle, s, &from);
        struct cli_new_suite *suite = suite_of(cases, from.method_name);
        for (uint32_t i = 0; suite != NULL && i < from.case_count; i++) {
            struct ets_bundle_case old;
            struct ets_new_case *added = add_case(suite);
            ets_bundle_case(&from, i, &old);
            struct ets_value *values = cli_new_cases_alloc(
                cases, ((size_t)old.input_count + old.expected_count) * sizeof *values);
            if (added == NULL || values == NULL) return CLI_INTERNAL;
            *added = (struct ets_new_case){.inputs = values,
                                           .input_count = old.input_count,
                                           .expected = values + old.input_count,
                                           .expected_count = old.expected_count};
            for (uint32_t k = 0; k < old.input_count; k++) ets_bundle_input(&old, k, values++);
            for (uint32_t k = 0; k < old.expected_count; k++) {
                ets_bundle_expected(&old, k, values++);
            }
        }
        if (suite == NULL) return CLI_INTERNAL;
    }
    return CLI_OK;
}

static int read_arguments(const struct cli_arguments *arguments, struct reading *r)
{
    const char *name, *value;
    bool begins;
    int code = CLI_OK;
    for (unsigned i = 0; code == CLI_OK; i++) {
        if ((name = cli_given(arguments, i, &value, &begins)) == NULL) break;
        const bool is_case = strcmp(name, "--new-case") == 0,
                   is_expect = strcmp(name, "--expect") == 0;
        if (strcmp(name, "--method") == 0) r->method = value;
        if (strcmp(name, "--cases-from") == 0) code = take_cases(r->cases, value);
        if (is_case && begins) code = begin_case(r);
        if (is_expect && begins) code = begin_expecting(r);
        if (code == CLI_OK && (is_case || is_expect)) code = add_word(r, value);
    }
    return code;
}

static int compare_suites(const void *a, const void *b)
{
    return strcmp(((const struct cli_new_suite *)a)->method,
                  ((const struct cli_new_suite *)b)->method);
}

int cli_new_cases_open(const struct cli_arguments *arguments, const struct cli_program *model,
                       struct cli_new_cases *cases)
{
    *cases = (struct cli_new_cases){.model = model};
    struct reading reading = {.cases = cases};
    const int code = read_arguments(arguments, &reading);
    if (code != CLI_OK) return code;
    if (cases->suite_count == 0) {
        return cli_complain(CLI_USAGE,
                            "bundle needs test cases: --new-case x.npy, or --cases-from "
                            "other.bpte");
    }
    qsort(cases->suites, cases->suite_count, sizeof *cases->suites, compare_suites);
    cases->views = calloc(cases->suite_count, sizeof *cases->views);
    if (cases->views == NULL) return no_memory();
    for (uint32_t i = 0; i < cases->suite_count; i++) {
        const struct cli_new_suite *suite = &cases->suites[i];
        cases->views[i] = (struct ets_new_suite){suite->method, suite->cases, suite->case_count};
    }
    return CLI_OK;
}

void cli_new_cases_close(struct cli_new_cases *cases)
{
    for (uint32_t i = 0; i < cases->suite_count; i++) free(cases->suites[i].cases);
    for (size_t i = 0; i < cases->file_count; i++) ets_file_close(cases->files[i]);
    for (size_t i = 0; i < cases->array_count; i++) cli_arrays_close(&cases->arrays[i]);
    for (size_t i = 0; i < cases->buffer_count; i++) free(cases->buffers[i]);
    free(cases->suites);
    free(cases->views);
    free(cases->files);
    free(cases->arrays);
    free(cases->buffers);
}

/* Copies elements from the layout of `from` to the layout of `to`. */
static void copy_elements(const struct ets_tensor *from, const struct ets_tensor *to,
                          unsigned char *out)
{
    const size_t bytes = ets_scalar_type_bytes(from->scalar_type);
    int64_t position[ETS_TENSOR_MAX_RANK] = {0};
    for (uint64_t left = ets_tensor_count(from); left > 0; left--) {
        size_t source = 0, target = 0;
        for (uint32_t i = 0; i < from->rank; i++) {
            source += (size_t)(position[i] * from->strides[i]);
            target += (size_t)(position[i] * to->strides[i]);
        }
        memcpy(out + target * bytes, (const unsigned char *)from->data + source * bytes, bytes);
        for (uint32_t i = from->rank; i-- > 0;) {
            if (++position[i] < from->sizes[i]) break;
            position[i] = 0;
        }
    }
}

/* Copies a tensor's elements to the layout of `to`, which has the same sizes and no gaps. */
static int move_elements(struct cli_new_cases *cases, struct ets_tensor *tensor,
                         struct ets_tensor to)
{
    bool is_alike = true;
    for (uint32_t i = 0; i < to.rank; i++) {
        is_alike = is_alike && (to.sizes[i] <= 1 || to.strides[i] == tensor->strides[i]);
    }
    if (is_alike) return CLI_OK;
    to.data_bytes = (size_t)ets_tensor_extent(&to);
    unsigned char *data = cli_new_cases_alloc(cases, to.data_bytes);
    if (data == NULL) return CLI_INTERNAL;
    copy_elements(tensor, &to, data);
    to.data = data;
    *tensor = to;
    return CLI_OK;
}

int cli_new_cases_copy(struct cli_new_cases *cases, struct ets_value *value)
{
    if (value->kind != ETS_VALUE_TENSOR) return CLI_OK;
    const size_t bytes = (size_t)ets_tensor_extent(&value->as.tensor);
    unsigned char *data = cli_new_cases_alloc(cases, bytes);
    if (data == NULL) return CLI_INTERNAL;
    if (bytes > 0) memcpy(data, value->as.tensor.data, bytes);
    value->as.tensor.data = data;
    value->as.tensor.data_bytes = bytes;
    return CLI_OK;
}

/* Sorts dimensions by stride, largest first; equal strides keep their order. */
static void sort_dimensions(const struct ets_tensor *declared, uint8_t *order)
{
    for (uint32_t i = 0; i < declared->rank; i++) {
        uint32_t k = i;
        for (; k > 0 && declared->strides[order[k - 1]] < declared->strides[i]; k--) {
            order[k] = order[k - 1];
        }
        order[k] = (uint8_t)i;
    }
}

static int lay_out(struct cli_new_cases *cases, const struct ets_evalue *wanted,
                   const struct ets_value *value)
{
    uint8_t order[ETS_TENSOR_MAX_RANK];
    if (value->kind != ETS_VALUE_TENSOR || wanted->kind != ETS_EVALUE_TENSOR) return CLI_OK;
    struct ets_tensor *tensor = (struct ets_tensor *)(uintptr_t)&value->as.tensor;
    struct ets_tensor to = *tensor;
    sort_dimensions(&wanted->tensor.tensor, order);
    if (wanted->tensor.tensor.rank != to.rank || ets_tensor_set_dim_order(&to, order) != ETS_OK) {
        return CLI_OK;
    }
    return move_elements(cases, tensor, to);
}

int cli_new_cases_lay_out(struct cli_new_cases *cases)
{
    int code = CLI_OK;
    for (uint32_t s = 0; s < cases->suite_count; s++) {
        const struct cli_new_suite *suite = &cases->suites[s];
        struct ets_method method;
        if (ets_program_find_method(&cases->model->program, suite->method, &method, NULL) !=
            ETS_OK) {
            continue;
        }
        for (uint32_t c = 0; c < suite->case_count; c++) {
            const struct ets_new_case *each = &suite->cases[c];
            struct ets_evalue wanted;
            for (uint32_t i = 0; code == CLI_OK && i < each->input_count; i++) {
                ets_method_input(&method, i, &wanted);
                code = lay_out(cases, &wanted, &each->inputs[i]);
            }
            for (uint32_t i = 0; code == CLI_OK && i < each->expected_count; i++) {
                ets_method_output(&method, i, &wanted);
                code = lay_out(cases, &wanted, &each->expected[i]);
            }
        }
    }
    return code;
}
