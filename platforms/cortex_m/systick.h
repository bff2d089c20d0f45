/*
 * systick.h - the clock that nearly every Cortex-M has.
 *
 *     ets_systick_start();
 *     const struct ets_trace_config config = {
 *         ..., .clock = ets_systick_now, .clock_hz = SYSTEM_CLOCK_HZ};
 *
 * A tick is a cycle of the processor. SysTick counts 24 bits; its interrupt, once in 2^24 cycles,
 * counts the rest: interrupts may be off for that long at most. Where SysTick belongs to an RTOS,
 * read DWT->CYCCNT instead (Cortex-M3 and later; 32 bits, so extend it in the RTOS's tick).
 */
#ifndef ETSCOPE_PLATFORMS_SYSTICK_H
#define ETSCOPE_PLATFORMS_SYSTICK_H

#include <stdint.h>

void ets_systick_start(void);

/* Cycles since then. From any thread and interrupt handler. `context`: NULL. */
uint64_t ets_systick_now(void *context);

/* Goes into the vector table. */
void SysTick_Handler(void);

#endif
