#include "zephyr/zephyr_trace.h"

#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "text/text_line.h"

#ifdef CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER
uint64_t ets_zephyr_cycles(void *context)
{
    (void)context;
    return k_cycle_get_64();
}
#else
uint64_t ets_zephyr_cycles(void *context)
{
    static uint32_t last, wraps;
    (void)context;
    const unsigned key = irq_lock();
    const uint32_t cycles = k_cycle_get_32();
    if (cycles < last) wraps++;
    last = cycles;
    const uint64_t now = (uint64_t)wraps << 32 | cycles;
    irq_unlock(key);
    return now;
}
#endif

uint64_t ets_zephyr_cycles_hz(void)
{
    return (uint64_t)sys_clock_hw_cycles_per_sec();
}

/* The lock is written and read only while interrupts are off. */
static void enter(void *context)
{
    const unsigned key = irq_lock();
    ((struct ets_zephyr_lock *)context)->key = key;
}

static void leave(void *context)
{
    irq_unlock(((const struct ets_zephyr_lock *)context)->key);
}

struct ets_trace_section ets_zephyr_section(struct ets_zephyr_lock *lock)
{
    return (struct ets_trace_section){lock, enter, leave};
}

static int write_line(void *context, const void *data, size_t size)
{
    char text[ETS_TEXT_LINE_LETTERS];
    (void)context;
    if (ets_text_line_copy(text, data, size) != 0) return -1;
    printk("%s\n", text);
    return 0;
}

struct ets_etdump_sink ets_zephyr_printk_sink(void)
{
    return (struct ets_etdump_sink){NULL, write_line};
}
