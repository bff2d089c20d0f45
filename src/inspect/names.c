/* Base names, for comparing kernels with nodes. */
#include "inspect/names.h"

#include <string.h>

static const char native_call[] = "native_call_";

struct ets_text ets_row_kernel(const struct ets_row *row)
{
    const size_t size = sizeof native_call - 1;
    if (row->is_delegated || row->name.size <= size ||
        memcmp(row->name.data, native_call, size) != 0) {
        return (struct ets_text){NULL, 0};
    }
    return (struct ets_text){row->name.data + size, row->name.size - size};
}

struct ets_text ets_kernel_base_name(struct ets_text kernel)
{
    static const char copy[] = "_copy";
    const size_t copy_size = sizeof copy - 1;
    if (kernel.data == NULL) return kernel; /* an event without a name */
    const char *dot = memchr(kernel.data, '.', kernel.size);
    size_t size = dot != NULL ? (size_t)(dot - kernel.data) : kernel.size;
    if (size > copy_size && memcmp(kernel.data + size - copy_size, copy, copy_size) == 0) {
        size -= copy_size;
    }
    while (size > 1 && kernel.data[size - 1] == '_') size--;
    return (struct ets_text){kernel.data, size};
}

/* The last component but the overload. */
struct ets_text ets_node_base_name(struct ets_text op)
{
    size_t end = op.size;
    while (end > 0 && op.data[end - 1] != '.') end--;
    if (end == 0) return ets_kernel_base_name(op);
    end--;
    size_t start = end;
    while (start > 0 && op.data[start - 1] != '.') start--;
    return ets_kernel_base_name((struct ets_text){op.data + start, end - start});
}
