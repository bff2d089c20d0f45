/*
 * zephyr_trace.h - clock, critical section and printk lines for traces on Zephyr.
 *
 *     static struct ets_text_sink text;
 *     static struct ets_zephyr_lock lock;
 *     const struct ets_trace_config config = {
 *         ..., .clock = ets_zephyr_cycles, .clock_hz = ets_zephyr_cycles_hz(),
 *         .section = ets_zephyr_section(&lock), .mode = ETS_TRACE_STREAM,
 *         .stream = ets_text_stream(&text, ets_zephyr_printk_sink())};
 *
 * `etscope recover console.log` reads the console's lines. The Zephyr module of this repository
 * compiles this file (zephyr/Kconfig). All of it is for supervisor mode.
 */
#ifndef ETSCOPE_PLATFORMS_ZEPHYR_TRACE_H
#define ETSCOPE_PLATFORMS_ZEPHYR_TRACE_H

#include "etscope/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The hardware clock. From any thread and interrupt handler. `context`: NULL. Where it has 32 bits
 * (no CONFIG_TIMER_HAS_64BIT_CYCLE_COUNTER), it must be read once in 2^32 cycles.
 */
uint64_t ets_zephyr_cycles(void *context);
uint64_t ets_zephyr_cycles_hz(void);

struct ets_zephyr_lock {
    unsigned key;
};

/* A section without interrupts. */
struct ets_trace_section ets_zephyr_section(struct ets_zephyr_lock *lock);

/*
 * Prints each line of a text sink (text_sink.h); other data is refused. Needs CONFIG_PRINTK:
 * without it, printk prints nothing and nobody is told. With CONFIG_LOG_PRINTK, the log's buffer
 * must have room for the lines (CONFIG_LOG_BUFFER_SIZE), or be written at once
 * (CONFIG_LOG_MODE_IMMEDIATE).
 */
struct ets_etdump_sink ets_zephyr_printk_sink(void);

#ifdef __cplusplus
}
#endif

#endif
