#include "cortex_m/interrupt_lock.h"

/* The lock is read and written only while interrupts are off. */
static void enter(void *context)
{
    const uint32_t before = ets_mask_interrupts();
    ((struct ets_interrupt_lock *)context)->before = before;
}

static void leave(void *context)
{
    ets_restore_interrupts(((const struct ets_interrupt_lock *)context)->before);
}

struct ets_trace_section ets_interrupt_section(struct ets_interrupt_lock *lock)
{
    return (struct ets_trace_section){lock, enter, leave};
}
