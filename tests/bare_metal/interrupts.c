/*
 * The main loop and an interrupt handler record into one trace, the handler at ever other places of
 * the main loop's work. All fields of an event follow from who recorded it and its number, so that
 * what the handler tore or lost shows in interrupts.etdp.
 */
#include "cortex_m/interrupt_lock.h"
#include "cortex_m/semihosting.h"
#include "cortex_m/systick.h"

#define SYST_CSR (*(volatile uint32_t *)0xe000e010)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018)

enum { EVENTS = 500, CHUNKS = 40, NAMES = 12, MAIN = 1, HANDLER = 2 };

static uint64_t buffer[48 * 1024 / sizeof(uint64_t)], names[512 / sizeof(uint64_t)];
static struct ets_trace trace;
static struct ets_trace_thread main_thread, handler_thread;
static struct ets_interrupt_lock lock;

/* Names are new to both, in another order, so that they meet in the table of names as well. */
static void record(struct ets_trace_thread *thread, uint32_t who, uint32_t number)
{
    char name[] = "part ?";
    const uint64_t start = who * UINT64_C(1000000) + number;
    const uint32_t metadata = number ^ UINT32_C(0xa5a5a5a5);
    uint32_t letter = number & 15;
    if (letter >= NAMES) letter -= NAMES;
    name[5] = (char)('a' + (who == MAIN ? letter : NAMES - 1 - letter));
    ets_trace_set_instruction(thread, (int32_t)who, number);
    ets_trace_log_delegate(thread, (struct ets_trace_delegate){name, 0}, start, start + number,
                           (struct ets_bytes){(const uint8_t *)&metadata, number & 4});
}

/* In place of the clock's. */
void SysTick_Handler(void)
{
    static uint32_t number;
    SYST_RVR = 2000 + (number * 61 & 1023); /* from the next period on */
    if (number < EVENTS) record(&handler_thread, HANDLER, number++);
}

static enum ets_status write_file(const char *path)
{
    const int file = ets_semihosting_open(path);
    const struct ets_etdump_sink sink = ets_semihosting_sink(&file);
    if (file < 0) return ETS_IO;
    const enum ets_status status = ets_trace_write(&trace, &sink, NULL);
    return ets_semihosting_close(file) == 0 ? status : ETS_IO;
}

int main(void)
{
    const struct ets_trace_config config = {.buffer = buffer,
                                            .buffer_bytes = sizeof buffer,
                                            .names = names,
                                            .names_bytes = sizeof names,
                                            .chunk_count = CHUNKS,
                                            .section = ets_interrupt_section(&lock)};
    struct ets_trace_state state;
    if (ets_trace_init(&trace, &config) != ETS_OK) return 2;
    ets_trace_thread_init(&main_thread, &trace);
    ets_trace_thread_init(&handler_thread, &trace);
    SYST_RVR = 2000;
    SYST_CVR = 0;
    SYST_CSR = 7;
    for (uint32_t i = 0; i < EVENTS; i++) record(&main_thread, MAIN, i);
    SYST_CSR = 0;
    ets_trace_finish(&trace);
    ets_trace_get_state(&trace, &state);
    if (state.dropped != 0 || state.unnamed != 0 || state.names < NAMES) return 3;
    return write_file("interrupts.etdp") == ETS_OK ? 0 : 4;
}
