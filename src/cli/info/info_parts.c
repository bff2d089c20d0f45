/* What is told of files of every kind: headings, tensors and values, lists that are cut short. */
#include "cli/core/cli_text.h"
#include "cli/info/info_kinds.h"
#include "etscope/file.h"

void info_heading(struct info_request *request)
{
    struct info_line line = {.size = 0};
    if (request->has_printed) ets_output_write(request->output, "\n", 1);
    request->has_printed = true;
    info_add_text(&line, cli_text(cli_path_name(request->path)));
    info_add(&line, ": %s, ", ets_kind_name(ets_kind_sniff(request->bytes)));
    info_add_bytes(&line, request->bytes.size);
    info_end_line(request->output, &line);
}

void info_json_heading(struct info_request *request, const char *kind)
{
    info_json_string(request->json, "path", request->path);
    info_json_string(request->json, "kind", kind);
    info_json_count(request->json, "file_bytes", request->bytes.size);
}

void info_json_tensor(struct info_json *json, const struct ets_tensor *tensor)
{
    info_json_string(json, "scalar_type", ets_scalar_type_name(tensor->scalar_type));
    info_json_array(json, "sizes");
    for (uint32_t i = 0; i < tensor->rank; i++) info_json_integer(json, NULL, tensor->sizes[i]);
    info_json_end_array(json);
}

void info_json_value(struct info_json *json, const struct ets_value *value)
{
    static const char *const kinds[] = {"none", "tensor", "int", "bool", "double", "other"};
    info_json_object(json, NULL);
    info_json_string(json, "kind", kinds[value->kind]);
    if (value->kind == ETS_VALUE_TENSOR) info_json_tensor(json, &value->as.tensor);
    if (value->kind == ETS_VALUE_INT) info_json_integer(json, "value", value->as.int_value);
    if (value->kind == ETS_VALUE_BOOL) info_json_bool(json, "value", value->as.bool_value);
    if (value->kind == ETS_VALUE_DOUBLE) info_json_real(json, "value", value->as.double_value);
    info_json_end_object(json);
}

/* A list that is only a little longer than `most` is shown whole. */
static uint32_t shorten(const struct info_request *request, uint32_t count, uint32_t most)
{
    return request->all || count <= most + 2 ? count : most;
}

uint32_t info_shown(const struct info_request *request, uint32_t count)
{
    return shorten(request, count, 6);
}

uint32_t info_shown_wrapped(const struct info_request *request, uint32_t count)
{
    return shorten(request, count, 12);
}

void info_more(const struct info_request *request, uint32_t count)
{
    const uint32_t shown = info_shown(request, count);
    if (shown == count) return;
    info_print(request->output, "    and %u more; --all shows them", count - shown);
}

void info_item(const struct info_request *request, struct info_line *line, uint64_t bytes,
               struct ets_text name)
{
    enum { MOST_NAME = INFO_WIDTH - 14 };
    struct info_line size = {.size = 0};
    info_add_bytes(&size, bytes);
    info_add(line, "%*s%.*s  ", 12 - (int)size.size, "", (int)size.size, size.data);
    const bool is_cut = !request->all && name.size > MOST_NAME;
    info_add_text(line, (struct ets_text){name.data, is_cut ? MOST_NAME - 3 : name.size});
    if (is_cut) info_add(line, "...");
}
