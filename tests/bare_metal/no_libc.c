/*
 * A program without any C library: writes a small ETDump to standard output through the kernel,
 * and ends with the status that the writer gave.
 */
#include "etscope/etdump.h"
#include "trace/etdump_writer.h"

/* What compilers may call. Volatile, so that they do not make these call themselves. */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

void *memcpy(void *to, const void *from, size_t size)
{
    volatile uint8_t *target = to;
    const uint8_t *source = from;
    for (size_t i = 0; i < size; i++) target[i] = source[i];
    return to;
}

void *memset(void *to, int value, size_t size)
{
    volatile uint8_t *target = to;
    for (size_t i = 0; i < size; i++) target[i] = (uint8_t)value;
    return to;
}

static long call_kernel(long number, long first, long second, long third)
{
    long result;
#if defined(__x86_64__)
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third)
                     : "rcx", "r11", "memory");
#else
#error "the program for this test is for x86-64 only"
#endif
    return result;
}

enum { CALL_WRITE = 1, CALL_EXIT = 60 };

static int write_out(void *context, const void *data, size_t size)
{
    (void)context;
    return call_kernel(CALL_WRITE, 1, (long)(uintptr_t)data, (long)size) == (long)size ? 0 : -1;
}

enum { EVENTS = 20 };

static enum ets_status get_run(void *context, uint32_t run, struct ets_etdump_run_record *out)
{
    (void)context;
    out->name = run;
    out->event_count = EVENTS;
    return ETS_OK;
}

static enum ets_status get_event(void *context, uint32_t run, uint32_t index,
                                 struct ets_etdump_record *out)
{
    (void)context;
    (void)run;
    out->chain = 0;
    out->instruction = (int32_t)index;
    if (index % 2 == 0) {
        out->name = 2;
        out->start_ticks = 1000 + 10 * (uint64_t)index;
        out->end_ticks = out->start_ticks + index;
    } else {
        out->kind = ETS_EVENT_DEBUG;
        out->value_type = ETS_DEBUG_TENSOR_LIST;
        out->tensor_count = index;
    }
    return ETS_OK;
}

static enum ets_status get_tensor(void *context, uint32_t run, uint32_t event, uint32_t index,
                                  struct ets_tensor *tensor_out, int64_t *offset_out)
{
    (void)context;
    (void)run;
    (void)event;
    tensor_out->scalar_type = ETS_SCALAR_FLOAT;
    tensor_out->rank = 1;
    tensor_out->sizes[0] = index;
    tensor_out->strides[0] = 1;
    *offset_out = index == 0 ? -1 : 64 * (int64_t)index;
    return ETS_OK;
}

/* The kernel jumps here: the stack is not as after a call, which compilers count on. */
__attribute__((force_align_arg_pointer)) void _start(void);

void _start(void)
{
    static struct ets_etdump_name names[] = {
        {{"Default", 7}, 0}, {{"Execute", 7}, 0}, {{"OPERATOR_CALL", 13}, 0}};
    const struct ets_etdump_source source = {.names = names,
                                             .name_count = 3,
                                             .run_count = 2,
                                             .run = get_run,
                                             .event = get_event,
                                             .tensor = get_tensor};
    const struct ets_etdump_sink sink = {NULL, write_out};
    call_kernel(CALL_EXIT, (long)ets_etdump_write(&source, &sink, NULL), 0, 0);
    for (;;) continue;
}
