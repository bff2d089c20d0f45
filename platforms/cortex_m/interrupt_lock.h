/*
 * interrupt_lock.h - a section without interrupts, for the config of a trace.
 *
 *     static struct ets_interrupt_lock lock;
 *     const struct ets_trace_config config = {..., .section = ets_interrupt_section(&lock)};
 *
 * Needed if interrupt handlers record, too: on Cortex-M0, which has no atomic operations, for all
 * shared data; elsewhere only for the data sink.
 */
#ifndef ETSCOPE_PLATFORMS_INTERRUPT_LOCK_H
#define ETSCOPE_PLATFORMS_INTERRUPT_LOCK_H

#include "etscope/trace.h"

struct ets_interrupt_lock {
    uint32_t before; /* PRIMASK outside of the section */
};

struct ets_trace_section ets_interrupt_section(struct ets_interrupt_lock *lock);

/* Masks all interrupts; returns what they were before, for ets_restore_interrupts. */
static inline uint32_t ets_mask_interrupts(void)
{
    uint32_t before;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(before)::"memory");
    return before;
}

static inline void ets_restore_interrupts(uint32_t before)
{
    __asm__ volatile("msr primask, %0" ::"r"(before) : "memory");
}

#endif
