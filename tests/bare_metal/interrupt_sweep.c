/*
 * An interrupt handler records its first event while the main loop records its first one: once for
 * every instruction of the main loop's at which the interrupt can come. (QEMU counts time in
 * instructions here, and a cycle is less than one.) Nothing may be lost wherever it came.
 */
#include "cortex_m/interrupt_lock.h"
#include "cortex_m/systick.h"

#define SYST_CSR (*(volatile uint32_t *)0xe000e010)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018)
#define SCB_ICSR (*(volatile uint32_t *)0xe000ed04)

enum { RUN_SLOTS = 2, EVENT_SLOTS = 1, SLOT_BYTES = 24, LEAST_DELAYS = 500, MOST_DELAYS = 20000 };

static uint64_t buffer[128];
static struct ets_trace trace;
static struct ets_trace_thread main_thread, handler_thread;
static struct ets_interrupt_lock lock;
static volatile int is_main_done, came_late, has_come;

static void record(struct ets_trace_thread *thread, const char *name)
{
    ets_trace_end(thread, ets_trace_begin(thread, ETS_TRACE_OPERATORS, name));
}

void SysTick_Handler(void)
{
    SYST_CSR = 0;
    SCB_ICSR = UINT32_C(1) << 25; /* after a short delay it is pending once more */
    came_late = is_main_done;
    record(&handler_thread, "handler");
    has_come = 1;
}

static uint64_t no_time(void *context)
{
    (void)context;
    return 7;
}

/* Both events, each in a run and a chunk of its own, under two names and that of the runs. */
static int is_whole(void)
{
    struct ets_trace_state state;
    ets_trace_get_state(&trace, &state);
    return state.first_error == ETS_OK && state.dropped == 0 && state.unnamed == 0 &&
           /* The runs' name is told twice where the handler came between looking and adding. */
           (state.names == 3 || state.names == 4) &&
           state.used_bytes == 2 * (RUN_SLOTS + EVENT_SLOTS) * SLOT_BYTES;
}

/* 1 where the dump has as many bytes as one with `names` names must have. */
static int is_dump_whole(void)
{
    static size_t expected[2]; /* with 3 and 4 names */
    struct ets_trace_state state;
    size_t size = 0;
    ets_trace_get_state(&trace, &state);
    if (ets_trace_dump_size(&trace, &size, NULL) != ETS_OK) return 0;
    size_t *known = &expected[state.names - 3];
    if (*known == 0) *known = size;
    return *known == size;
}

static int try_delay(uint32_t delay)
{
    const struct ets_trace_config config = {.buffer = buffer,
                                            .buffer_bytes = sizeof buffer,
                                            .chunk_count = 2,
                                            .clock = no_time,
                                            .section = ets_interrupt_section(&lock)};
    if (ets_trace_init(&trace, &config) != ETS_OK) return 0;
    ets_trace_thread_init(&main_thread, &trace);
    ets_trace_thread_init(&handler_thread, &trace);
    is_main_done = came_late = has_come = 0;
    SYST_RVR = delay;
    SYST_CVR = 0;
    SYST_CSR = 7;
    record(&main_thread, "main");
    is_main_done = 1;
    while (!has_come) continue;
    return is_whole() && is_dump_whole();
}

int main(void)
{
    uint32_t delay = 1;
    for (; delay < MOST_DELAYS; delay++) {
        if (!try_delay(delay)) return 1;
        if (came_late) return delay < LEAST_DELAYS ? 2 : 0;
    }
    return 3;
}
