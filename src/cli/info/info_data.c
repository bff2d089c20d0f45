/* info on files that hold values: .bpte, .ptd, .npy. */
#include <string.h>

#include "cli/info/info_kinds.h"
#include "etscope/bundle.h"
#include "etscope/program.h"
#include "record/numpy.h"

/* "  case 0 inputs  float32 [2, 16], float32 [4]" */
static void print_values(struct info_request *request, const struct ets_bundle_case *test_case,
                         bool is_input)
{
    const uint32_t count = is_input ? test_case->input_count : test_case->expected_count;
    struct info_list list;
    char label[32];
    if (is_input) snprintf(label, sizeof label, "case %u inputs", (unsigned)test_case->index);
    else snprintf(label, sizeof label, "%13s", "expected");
    info_list_begin(&list, request->output, label);
    for (uint32_t i = 0; i < count; i++) {
        struct info_line item = {.size = 0};
        struct ets_value value;
        if (is_input) ets_bundle_input(test_case, i, &value);
        else ets_bundle_expected(test_case, i, &value);
        info_add_value(&item, &value);
        info_list_add(&list, &item);
    }
    if (count == 0) info_add(&list.line, "none");
    info_list_end(&list);
}

static void print_suite(struct info_request *request, const struct ets_bundle_suite *suite)
{
    struct info_line line = {.size = 0};
    info_add(&line, "\ntest cases of ");
    info_add_text(&line, suite->method_name);
    info_add(&line, ": %u", (unsigned)suite->case_count);
    info_end_line(request->output, &line);
    for (uint32_t i = 0; i < info_shown(request, suite->case_count); i++) {
        struct ets_bundle_case test_case;
        ets_bundle_case(suite, i, &test_case);
        print_values(request, &test_case, true);
        print_values(request, &test_case, false);
    }
    info_more(request, suite->case_count);
}

static void put_values(struct info_json *json, const struct ets_bundle_case *test_case,
                       bool is_input)
{
    const uint32_t count = is_input ? test_case->input_count : test_case->expected_count;
    info_json_array(json, is_input ? "inputs" : "expected");
    for (uint32_t i = 0; i < count; i++) {
        struct ets_value value;
        if (is_input) ets_bundle_input(test_case, i, &value);
        else ets_bundle_expected(test_case, i, &value);
        info_json_value(json, &value);
    }
    info_json_end_array(json);
}

static void put_suite(struct info_json *json, const struct ets_bundle_suite *suite)
{
    info_json_object(json, NULL);
    info_json_text(json, "method", suite->method_name);
    info_json_array(json, "cases");
    for (uint32_t i = 0; i < suite->case_count; i++) {
        struct ets_bundle_case test_case;
        ets_bundle_case(suite, i, &test_case);
        info_json_object(json, NULL);
        put_values(json, &test_case, true);
        put_values(json, &test_case, false);
        info_json_end_object(json);
    }
    info_json_end_array(json);
    info_json_end_object(json);
}

static void print_bundle(struct info_request *request, const struct ets_bundle *bundle,
                         const struct ets_program *program)
{
    struct info_line line = {.size = 0};
    info_heading(request);
    info_fact(request->output, "bundle version", "%u", (unsigned)bundle->version);
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, i, &suite);
        print_suite(request, &suite);
    }
    info_add(&line, "\nthe program inside, ");
    info_add_bytes(&line, bundle->program.size);
    info_end_line(request->output, &line);
    info_print_program(request, program);
}

static void put_bundle(struct info_request *request, const struct ets_bundle *bundle,
                       const struct ets_program *program)
{
    struct info_json *json = request->json;
    info_json_row(json);
    info_json_heading(request, "bundle");
    info_json_count(json, "bundle_version", bundle->version);
    info_json_array(json, "suites");
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        struct ets_bundle_suite suite;
        ets_bundle_suite(bundle, i, &suite);
        put_suite(json, &suite);
    }
    info_json_end_array(json);
    info_json_object(json, "program");
    info_json_count(json, "offset", bundle->program_offset);
    info_json_count(json, "bytes", bundle->program.size);
    info_put_program(request, program);
    info_json_end_object(json);
    info_json_end_row(json);
}

int info_bundle(struct info_request *request)
{
    struct ets_bundle bundle;
    struct ets_program program;
    struct ets_error error;
    if (ets_bundle_init(&bundle, request->bytes, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    if (ets_program_init(&program, bundle.program, &error) != ETS_OK) {
        if (error.offset != ETS_NO_OFFSET) error.offset += bundle.program_offset;
        return cli_fail(request->path, &error);
    }
    if (request->json != NULL) put_bundle(request, &bundle, &program);
    else print_bundle(request, &bundle, &program);
    return CLI_OK;
}

static void print_data_file(struct info_request *request, const struct ets_data_file *data)
{
    info_heading(request);
    info_fact(request->output, "schema version", "%u", (unsigned)data->version);
    info_fact(request->output, "segments", "%u", (unsigned)data->segment_count);
    info_print(request->output, "\nentries: %u", (unsigned)data->entry_count);
    for (uint32_t i = 0; i < info_shown(request, data->entry_count); i++) {
        struct ets_data_entry entry;
        struct info_line line = {.size = 0};
        ets_data_file_entry(data, i, &entry);
        info_item(request, &line, entry.bytes.size, entry.key);
        info_add(&line, ": ");
        if (entry.has_layout) info_add_tensor(&line, &entry.tensor, false);
        else info_add(&line, "opaque");
        info_end_line(request->output, &line);
    }
    info_more(request, data->entry_count);
}

static void put_data_file(struct info_request *request, const struct ets_data_file *data)
{
    struct info_json *json = request->json;
    info_json_row(json);
    info_json_heading(request, "data_file");
    info_json_count(json, "schema_version", data->version);
    info_json_count(json, "segment_count", data->segment_count);
    info_json_array(json, "entries");
    for (uint32_t i = 0; i < data->entry_count; i++) {
        struct ets_data_entry entry;
        ets_data_file_entry(data, i, &entry);
        info_json_object(json, NULL);
        info_json_text(json, "key", entry.key);
        info_json_count(json, "bytes", entry.bytes.size);
        info_json_count(json, "segment", entry.segment_index);
        if (entry.has_layout) info_json_tensor(json, &entry.tensor);
        info_json_end_object(json);
    }
    info_json_end_array(json);
    info_json_end_row(json);
}

int info_data_file(struct info_request *request)
{
    struct ets_data_file data;
    struct ets_error error;
    if (ets_data_file_init(&data, request->bytes, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    if (request->json != NULL) put_data_file(request, &data);
    else print_data_file(request, &data);
    return CLI_OK;
}

int info_npy(struct info_request *request)
{
    struct ets_tensor tensor;
    struct ets_error error;
    if (ets_npy_read(request->bytes, &tensor, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    const uint64_t count = ets_tensor_count(&tensor);
    if (request->json != NULL) {
        info_json_row(request->json);
        info_json_heading(request, "npy");
        info_json_tensor(request->json, &tensor);
        info_json_count(request->json, "element_count", count);
        info_json_bool(request->json, "row_major", ets_tensor_is_contiguous(&tensor));
        info_json_end_row(request->json);
        return CLI_OK;
    }
    struct info_line line = {.size = 0};
    info_heading(request);
    info_label(&line, "tensor");
    info_add_tensor(&line, &tensor, false);
    info_end_line(request->output, &line);
    info_fact(request->output, "elements", "%llu, %s", (unsigned long long)count,
              ets_tensor_is_contiguous(&tensor) ? "row by row" : "column by column");
    return CLI_OK;
}
