/* From reset to main, without a C library. Names of handlers are CMSIS's. */
#include <stdint.h>

#include "cortex_m/semihosting.h"
#include "cortex_m/systick.h"

/* From cortex_m.ld. */
extern uint32_t ets_stack_top[], ets_data_source[], ets_data[], ets_data_end[], ets_bss_end[];

int main(void);
void Reset_Handler(void);
void Default_Handler(void);

/* A fault ends the program, so that QEMU and a test do, too. */
void Default_Handler(void)
{
    enum { STATUS_FAULT = 125 };
    ets_semihosting_exit(STATUS_FAULT);
}

static void enable_floating_point(void)
{
#if defined(__ARM_FP)
    *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20; /* CPACR: coprocessors 10 and 11 */
    __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
}

void Reset_Handler(void)
{
    const uint32_t *source = ets_data_source;
    enable_floating_point();
    for (volatile uint32_t *at = ets_data; at < ets_data_end; at++) *at = *source++;
    for (volatile uint32_t *at = ets_data_end; at < ets_bss_end; at++) *at = 0;
    ets_semihosting_exit(main());
}

__attribute__((weak)) void SysTick_Handler(void)
{
    Default_Handler();
}

enum { RESERVED = 0 };

/* Add the handlers of your own interrupts behind the 16 of the processor. */
__attribute__((section(".vectors"), used)) static const uintptr_t vectors[16] = {
    (uintptr_t)ets_stack_top,
    (uintptr_t)Reset_Handler,
    (uintptr_t)Default_Handler, /* NMI */
    (uintptr_t)Default_Handler, /* HardFault */
    (uintptr_t)Default_Handler, /* MemManage */
    (uintptr_t)Default_Handler, /* BusFault */
    (uintptr_t)Default_Handler, /* UsageFault */
    (uintptr_t)Default_Handler, /* SecureFault */
    RESERVED,
    RESERVED,
    RESERVED,
    (uintptr_t)Default_Handler, /* SVCall */
    (uintptr_t)Default_Handler, /* DebugMonitor */
    RESERVED,
    (uintptr_t)Default_Handler, /* PendSV */
    (uintptr_t)SysTick_Handler};
