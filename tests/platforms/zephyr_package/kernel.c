/* As much of Zephyr's kernel as examples/zephyr calls: a console, and the clock since its first
 * reading. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <zephyr/irq.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "cortex_m/cmsdk_uart.h"
#include "cortex_m/interrupt_lock.h"
#include "cortex_m/systick.h"

enum { CLOCK_HZ = 25000000, BAUD = 115200 };

static const struct ets_cmsdk_uart console = {0x40004000};

static void print_number(unsigned number)
{
    char text[12], *at = text + sizeof text - 1;
    *at = '\0';
    do {
        *--at = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    ets_cmsdk_uart_print(&console, at);
}

/* %s and %d alone; a line feed becomes two letters, as of Zephyr's console. */
void printk(const char *fmt, ...)
{
    va_list values;
    va_start(values, fmt);
    for (; *fmt != '\0'; fmt++) {
        const char letter[2] = {*fmt, '\0'};
        if (*fmt == '\n') {
            ets_cmsdk_uart_print(&console, "\r\n");
        } else if (*fmt != '%') {
            ets_cmsdk_uart_print(&console, letter);
        } else if (*++fmt == 's') {
            ets_cmsdk_uart_print(&console, va_arg(values, const char *));
        } else {
            const int number = va_arg(values, int);
            ets_cmsdk_uart_print(&console, number < 0 ? "-" : "");
            print_number(number < 0 ? 0u - (unsigned)number : (unsigned)number);
        }
    }
    va_end(values);
}

unsigned irq_lock(void)
{
    return ets_mask_interrupts();
}

void irq_unlock(unsigned key)
{
    ets_restore_interrupts(key);
}

uint32_t k_cycle_get_32(void)
{
    static bool has_started;
    if (!has_started) {
        has_started = true;
        ets_cmsdk_uart_start(&console, CLOCK_HZ, BAUD);
        ets_systick_start();
    }
    return (uint32_t)ets_systick_now(NULL);
}

int sys_clock_hw_cycles_per_sec(void)
{
    return CLOCK_HZ;
}
