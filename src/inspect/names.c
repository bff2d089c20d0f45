/* What rows say of kernels. */
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
