/* dump of programs, bundled programs and data files: every field, and what segments hold. */
#include "cli/dump/dump_parts.h"
#include "etscope/bundle.h"
#include "format/program_lists.h"
#include "format/program_names.h"
#include "format/program_schema.h"
#include "format/root_types.h"

static int hash_values(struct dump_request *request, const struct ets_method *method)
{
    for (uint32_t i = 0; i < method->value_count; i++) {
        struct ets_evalue value;
        ets_method_value(method, i, &value);
        if (value.kind != ETS_EVALUE_TENSOR || value.tensor.tensor.data == NULL) continue;
        const struct ets_bytes bytes = {value.tensor.tensor.data,
                                        (size_t)value.tensor.tensor_bytes};
        const int code = dump_hash(request, bytes, false);
        if (code != CLI_OK) return code;
    }
    return CLI_OK;
}

/* All that is told below, while a failure leaves nothing behind. */
static int hash_program(struct dump_request *request, const struct ets_program *program)
{
    int code = CLI_OK;
    dump_begin_graphs(request, program);
    for (uint32_t i = 0; i < program->segment_count && code == CLI_OK; i++) {
        struct ets_segment segment;
        ets_program_segment(program, i, &segment);
        code = dump_hash(request, segment.bytes, true);
    }
    for (uint32_t m = 0; m < program->method_count && code == CLI_OK; m++) {
        struct ets_method method;
        ets_program_method(program, m, &method);
        code = hash_values(request, &method);
        for (uint32_t i = 0; i < method.delegate_count && code == CLI_OK; i++) {
            struct ets_delegate delegate;
            ets_method_delegate(&method, i, &delegate);
            code = dump_hash(request, delegate.blob, false);
            if (code == CLI_OK) code = dump_hash_zip(request, delegate.blob);
            if (code == CLI_OK) code = dump_read_graph(request, &delegate);
        }
    }
    return code;
}

static const char *role_name(uint8_t role)
{
    switch ((enum ets_segment_role)role) {
    case ETS_SEGMENT_CONSTANT: return "constant";
    case ETS_SEGMENT_MUTABLE: return "mutable";
    case ETS_SEGMENT_DELEGATE: return "delegate";
    case ETS_SEGMENT_NAMED_DATA: return "named_data";
    case ETS_SEGMENT_UNUSED: break;
    }
    return "unused";
}

static void put_segments(struct dump_request *request, const struct ets_program *program)
{
    enum { AT_ONCE = 256 };
    uint8_t roles[AT_ONCE];
    struct ets_json_writer *json = request->json;
    ets_json_begin_array(json, "segments");
    for (uint32_t i = 0; i < program->segment_count; i++) {
        struct ets_segment segment;
        const uint32_t left = program->segment_count - i;
        if (i % AT_ONCE == 0) {
            ets_program_segment_roles(program, i, left < AT_ONCE ? left : AT_ONCE, roles);
        }
        ets_program_segment(program, i, &segment);
        ets_json_begin_object(json, NULL);
        ets_json_put_string(json, "role", role_name(roles[i % AT_ONCE]));
        dump_put_content(request, segment.bytes, request->with_data);
        ets_json_end_object(json);
    }
    ets_json_end_array(json);
}

static void put_constants(struct dump_request *request, const struct ets_method *method)
{
    struct ets_json_writer *json = request->json;
    for (uint32_t i = 0; i < method->value_count; i++) {
        struct ets_evalue value;
        ets_method_value(method, i, &value);
        if (value.kind != ETS_EVALUE_TENSOR || value.tensor.tensor.data == NULL) continue;
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "method", method->name);
        ets_json_put_count(json, "value", i);
        ets_json_put_string(json, "place", ets_tensor_place_name(value.tensor.place));
        dump_put_content(
            request,
            (struct ets_bytes){value.tensor.tensor.data, (size_t)value.tensor.tensor_bytes}, false);
        ets_json_end_object(json);
    }
}

static void put_delegates(struct dump_request *request, const struct ets_method *method)
{
    struct ets_json_writer *json = request->json;
    for (uint32_t i = 0; i < method->delegate_count; i++) {
        struct ets_delegate delegate;
        ets_method_delegate(method, i, &delegate);
        ets_json_begin_object(json, NULL);
        ets_json_put_text(json, "method", method->name);
        ets_json_put_count(json, "delegate", i);
        ets_json_put_text(json, "backend", delegate.id);
        dump_put_content(request, delegate.blob, false);
        dump_put_payload(json, delegate.blob, request->with_data);
        dump_put_zip(request, delegate.blob);
        dump_put_payload_graph(request, &delegate);
        ets_json_end_object(json);
    }
}

static void put_methods(struct dump_request *request, const struct ets_program *program,
                        const char *key,
                        void (*put)(struct dump_request *, const struct ets_method *))
{
    ets_json_begin_array(request->json, key);
    for (uint32_t m = 0; m < program->method_count; m++) {
        struct ets_method method;
        ets_program_method(program, m, &method);
        put(request, &method);
    }
    ets_json_end_array(request->json);
}

static void put_header(struct ets_json_writer *json, uint64_t header_bytes,
                       uint64_t flatbuffer_bytes, uint64_t segment_base, uint64_t segment_bytes)
{
    ets_json_begin_object(json, "header");
    ets_json_put_count(json, "header_bytes", header_bytes);
    ets_json_put_count(json, "flatbuffer_bytes", flatbuffer_bytes);
    ets_json_put_count(json, "segment_base", segment_base);
    ets_json_put_count(json, "segment_bytes", segment_bytes);
    ets_json_end_object(json);
}

static void put_program(struct dump_request *request, const struct ets_program *program)
{
    struct ets_json_writer *json = request->json;
    ets_json_put_hash(json, "fingerprint", ets_program_fingerprint(program));
    put_header(json, program->header_bytes, program->flatbuffer_bytes, program->segment_base,
               program->segment_bytes);
    ets_json_put_flatbuffer(json, "flatbuffer", ets_program_root(program), &ets_program_type,
                            request->with_data);
    put_segments(request, program);
    put_methods(request, program, "constants", put_constants);
    put_methods(request, program, "delegates", put_delegates);
}

int dump_program(struct dump_request *request)
{
    struct ets_program program;
    struct ets_error error;
    if (ets_program_init(&program, request->bytes, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    int code = hash_program(request, &program);
    if (code == CLI_OK) code = dump_begin(request);
    if (code != CLI_OK) return code;
    put_program(request, &program);
    dump_end(request);
    return CLI_OK;
}

int dump_bundle(struct dump_request *request)
{
    struct ets_bundle bundle;
    struct ets_program program;
    struct ets_error error;
    enum ets_status status = ets_bundle_init(&bundle, request->bytes, &error);
    if (status == ETS_OK) {
        status = ets_program_init(&program, bundle.program, &error);
        if (status != ETS_OK && error.offset != ETS_NO_OFFSET) {
            error.offset += bundle.program_offset;
        }
    }
    if (status != ETS_OK) return cli_fail(request->path, &error);
    int code = hash_program(request, &program);
    if (code == CLI_OK) code = dump_begin(request);
    if (code != CLI_OK) return code;
    const struct ets_fb root = {bundle.bytes.data, bundle.root_at};
    ets_json_put_flatbuffer(request->json, "flatbuffer", root, &ets_bundle_type,
                            request->with_data);
    ets_json_begin_object(request->json, "program");
    ets_json_put_count(request->json, "offset", bundle.program_offset);
    put_program(request, &program);
    ets_json_end_object(request->json);
    dump_end(request);
    return CLI_OK;
}

int dump_data_file(struct dump_request *request)
{
    struct ets_data_file data;
    struct ets_data_segment segment;
    struct ets_error error;
    if (ets_data_file_init(&data, request->bytes, &error) != ETS_OK) {
        return cli_fail(request->path, &error);
    }
    int code = CLI_OK;
    for (uint32_t i = 0; i < data.segment_count && code == CLI_OK; i++) {
        ets_data_file_segment(&data, i, &segment);
        code = dump_hash(request, segment.bytes, true);
    }
    if (code == CLI_OK) code = dump_begin(request);
    if (code != CLI_OK) return code;
    const struct ets_fb root = {data.bytes.data, data.root_at};
    put_header(request->json, 40, data.flatbuffer_bytes, data.segment_base, data.segment_bytes);
    ets_json_put_flatbuffer(request->json, "flatbuffer", root, &ets_data_file_type,
                            request->with_data);
    ets_json_begin_array(request->json, "segments");
    for (uint32_t i = 0; i < data.segment_count; i++) {
        ets_data_file_segment(&data, i, &segment);
        ets_json_begin_object(request->json, NULL);
        dump_put_content(request, segment.bytes, request->with_data);
        ets_json_end_object(request->json);
    }
    ets_json_end_array(request->json);
    dump_end(request);
    return CLI_OK;
}
