/*
 * cmsdk_uart.h - sending over the UART of Arm's MPS2 and MPS3 boards, by polling.
 *
 *     static const struct ets_cmsdk_uart uart = {0x40004000}; // UART0 of AN385, AN386, AN500
 *     ets_cmsdk_uart_start(&uart, 25000000, 115200);
 *     ets_cmsdk_uart_print(&uart, "hello\n");
 *     config.stream = ets_cmsdk_uart_sink(&uart);
 *
 * Sending waits while the transmitter is full: a stream through it takes its time from the traced
 * program. Trace with a ring, or give the stream a sink that copies for an interrupt or DMA, where
 * that matters.
 */
#ifndef ETSCOPE_PLATFORMS_CMSDK_UART_H
#define ETSCOPE_PLATFORMS_CMSDK_UART_H

#include "etscope/etdump.h"

struct ets_cmsdk_uart {
    uintptr_t base; /* address of its registers */
};

void ets_cmsdk_uart_start(const struct ets_cmsdk_uart *uart, uint32_t clock_hz, uint32_t baud);
void ets_cmsdk_uart_print(const struct ets_cmsdk_uart *uart, const char *text);

/* Sends bytes as they are; `uart` must outlive the sink. */
struct ets_etdump_sink ets_cmsdk_uart_sink(const struct ets_cmsdk_uart *uart);

#endif
