#include "cortex_m/cmsdk_uart.h"

/* Registers of the "APB UART" in Arm's Cortex-M System Design Kit, each a word. */
enum { DATA = 0, STATE = 1, CTRL = 2, BAUDDIV = 4 };
enum { STATE_TX_FULL = 1, CTRL_TX_ENABLE = 1, LEAST_BAUDDIV = 16 };

static volatile uint32_t *registers(const struct ets_cmsdk_uart *uart)
{
    return (volatile uint32_t *)uart->base;
}

void ets_cmsdk_uart_start(const struct ets_cmsdk_uart *uart, uint32_t clock_hz, uint32_t baud)
{
    uint32_t divider = 0;
    for (; baud != 0 && clock_hz >= baud; clock_hz -= baud) divider++;
    registers(uart)[BAUDDIV] = divider < LEAST_BAUDDIV ? LEAST_BAUDDIV : divider;
    registers(uart)[CTRL] = CTRL_TX_ENABLE;
}

static void put_byte(const struct ets_cmsdk_uart *uart, uint8_t byte)
{
    while ((registers(uart)[STATE] & STATE_TX_FULL) != 0) continue;
    registers(uart)[DATA] = byte;
}

void ets_cmsdk_uart_print(const struct ets_cmsdk_uart *uart, const char *text)
{
    while (*text != '\0') put_byte(uart, (uint8_t)*text++);
}

static int write_sink(void *context, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) put_byte(context, bytes[i]);
    return 0;
}

struct ets_etdump_sink ets_cmsdk_uart_sink(const struct ets_cmsdk_uart *uart)
{
    return (struct ets_etdump_sink){(void *)(uintptr_t)uart, write_sink};
}
