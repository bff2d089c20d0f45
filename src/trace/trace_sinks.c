/* A stream that writes to memory. */
#include "etscope/trace.h"
#include "trace/freestanding.h"

static int write_memory(void *context, const void *data, size_t size)
{
    struct ets_trace_memory *memory = context;
    if (memory->data == NULL || memory->bytes > memory->capacity ||
        size > memory->capacity - memory->bytes) {
        return -1;
    }
    ets_copy((uint8_t *)memory->data + memory->bytes, data, size);
    memory->bytes += size;
    return 0;
}

struct ets_etdump_sink ets_trace_memory_stream(struct ets_trace_memory *memory)
{
    return (struct ets_etdump_sink){memory, write_memory};
}
