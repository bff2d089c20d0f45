/* Reads a tensor's raw bytes from a file; the program declares type and shape. */
#include "cli/files/raw_files.h"

#include <string.h>

#include "cli/core/cli_text.h"
#include "etscope/file.h"
#include "etscope/numerics.h"

void cli_describe_tensor(char *buffer, size_t capacity, const struct ets_tensor *tensor)
{
    size_t used =
        (size_t)snprintf(buffer, capacity, "%s [", ets_scalar_type_name(tensor->scalar_type));
    for (uint32_t i = 0; i < tensor->rank && used < capacity; i++) {
        used += (size_t)snprintf(buffer + used, capacity - used, "%s%lld", i > 0 ? ", " : "",
                                 (long long)tensor->sizes[i]);
    }
    if (used < capacity) snprintf(buffer + used, capacity - used, "]");
}

bool cli_is_raw(const char *path, struct ets_bytes bytes)
{
    if (cli_ends_with(path, ".bin")) return true;
    if (cli_ends_with(path, ".npy") || cli_ends_with(path, ".npz")) return false;
    const enum ets_kind kind = ets_kind_sniff(bytes);
    return kind != ETS_KIND_NPY && kind != ETS_KIND_ZIP && kind != ETS_KIND_ETRECORD;
}

/* Reads a plain number, with the size of its C type. */
static size_t number_bytes(enum ets_value_kind kind)
{
    return kind == ETS_VALUE_BOOL ? 1 : kind == ETS_VALUE_INT || kind == ETS_VALUE_DOUBLE ? 8 : 0;
}

static void take_number(const void *data, struct ets_value *value)
{
    if (value->kind == ETS_VALUE_INT) memcpy(&value->as.int_value, data, 8);
    else if (value->kind == ETS_VALUE_DOUBLE) memcpy(&value->as.double_value, data, 8);
    else value->as.bool_value = *(const unsigned char *)data != 0;
}

int cli_raw_read(const char *path, struct ets_bytes bytes, const char *method, size_t index,
                 const struct ets_engine_value_info *info, struct ets_value *value_out)
{
    static const char *const names[] = {
        [ETS_VALUE_INT] = "an int", [ETS_VALUE_BOOL] = "a bool", [ETS_VALUE_DOUBLE] = "a double"};
    char text[512];
    const bool is_tensor = info->kind == ETS_VALUE_TENSOR;
    uint64_t expected = number_bytes(info->kind);
    if (is_tensor) {
        const size_t element = ets_scalar_type_bytes(info->tensor.scalar_type);
        expected = ets_tensor_count(&info->tensor);
        expected = element > 0 && expected <= SIZE_MAX / element ? expected * element : UINT64_MAX;
        cli_describe_tensor(text, sizeof text, &info->tensor);
    } else if (expected > 0) {
        snprintf(text, sizeof text, "%s", names[info->kind]);
    } else {
        return cli_complain(CLI_USAGE, "%s: input %zu of %s is neither a tensor nor a number",
                            cli_path_name(path), index, method);
    }
    if (bytes.size != expected) {
        return cli_complain(CLI_INPUT,
                            "%s: %zu bytes, but input %zu of %s is %s with %llu bytes; a .npy file "
                            "states its own type and shape",
                            cli_path_name(path), bytes.size, index, method, text,
                            (unsigned long long)expected);
    }
    *value_out = (struct ets_value){.kind = info->kind};
    if (is_tensor) {
        value_out->as.tensor = info->tensor;
        value_out->as.tensor.data = bytes.data;
        value_out->as.tensor.data_bytes = bytes.size;
    } else {
        take_number(bytes.data, value_out);
    }
    return CLI_OK;
}
