/* Tensors and plain values of any file. */
#include "cli/dump/dump_parts.h"

void dump_put_tensor(struct ets_json_writer *json, const struct ets_tensor *tensor)
{
    const char *name = ets_scalar_type_name(tensor->scalar_type);
    if (name != NULL) ets_json_put_string(json, "dtype", name);
    else ets_json_put_integer(json, "dtype", tensor->scalar_type);
    ets_json_begin_array(json, "sizes");
    for (uint32_t i = 0; i < tensor->rank; i++) ets_json_put_integer(json, NULL, tensor->sizes[i]);
    ets_json_end_array(json);
    ets_json_begin_array(json, "strides");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        ets_json_put_integer(json, NULL, tensor->strides[i]);
    }
    ets_json_end_array(json);
}

/* What sizes and strides reach, gaps included. */
static struct ets_bytes bytes_of(const struct ets_tensor *tensor)
{
    const uint64_t extent = ets_tensor_extent(tensor);
    const struct ets_bytes none = {NULL, 0};
    if (tensor->data == NULL || extent > tensor->data_bytes) return none;
    return (struct ets_bytes){tensor->data, (size_t)extent};
}

int dump_hash_value(struct dump_request *request, const struct ets_value *value)
{
    if (value->kind != ETS_VALUE_TENSOR) return CLI_OK;
    return dump_hash(request, bytes_of(&value->as.tensor), true);
}

void dump_put_value(struct dump_request *request, const struct ets_value *value)
{
    struct ets_json_writer *json = request->json;
    switch (value->kind) {
    case ETS_VALUE_TENSOR:
        ets_json_put_string(json, "kind", "tensor");
        dump_put_tensor(json, &value->as.tensor);
        dump_put_content(request, bytes_of(&value->as.tensor), request->with_data);
        return;
    case ETS_VALUE_INT:
        ets_json_put_string(json, "kind", "int");
        ets_json_put_integer(json, "value", value->as.int_value);
        return;
    case ETS_VALUE_BOOL:
        ets_json_put_string(json, "kind", "bool");
        ets_json_put_bool(json, "value", value->as.bool_value != 0);
        return;
    case ETS_VALUE_DOUBLE:
        ets_json_put_string(json, "kind", "double");
        ets_json_put_any_real(json, "value", value->as.double_value);
        return;
    case ETS_VALUE_NONE: ets_json_put_string(json, "kind", "none"); return;
    case ETS_VALUE_OTHER: ets_json_put_string(json, "kind", "other"); return;
    }
}
