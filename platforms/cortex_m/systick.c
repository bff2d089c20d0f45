#include "cortex_m/systick.h"

#include "cortex_m/interrupt_lock.h"

#define SYST_CSR (*(volatile uint32_t *)0xe000e010)
#define SYST_RVR (*(volatile uint32_t *)0xe000e014)
#define SYST_CVR (*(volatile uint32_t *)0xe000e018)
#define SCB_ICSR (*(volatile uint32_t *)0xe000ed04)

enum {
    CSR_ENABLE = 1,
    CSR_INTERRUPT = 2,
    CSR_PROCESSOR_CLOCK = 4,
    ICSR_SYSTICK_PENDING = 1 << 26,
    PERIOD_BITS = 24,
    PERIOD = 1 << PERIOD_BITS
};

static volatile uint32_t periods;

void SysTick_Handler(void)
{
    periods++;
}

void ets_systick_start(void)
{
    periods = 0;
    SYST_RVR = PERIOD - 1;
    SYST_CVR = 0;
    SYST_CSR = CSR_PROCESSOR_CLOCK | CSR_INTERRUPT | CSR_ENABLE;
}

uint64_t ets_systick_now(void *context)
{
    (void)context;
    const uint32_t mask = ets_mask_interrupts();
    uint32_t whole = periods, left = SYST_CVR;
    if ((SCB_ICSR & ICSR_SYSTICK_PENDING) != 0) { /* a period ended that is not counted yet */
        left = SYST_CVR;
        whole++;
    }
    ets_restore_interrupts(mask);
    /* It counts down; a period begins with 0, at which the interrupt becomes pending. */
    return ((uint64_t)whole << PERIOD_BITS) + (left == 0 ? 0 : PERIOD - left);
}
