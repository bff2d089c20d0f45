/* The board: an MPS2 with a Cortex-M4 (AN386), or an MPS3 with a Cortex-M55 (AN547). */
#ifndef ETSCOPE_EXAMPLES_BOARD_H
#define ETSCOPE_EXAMPLES_BOARD_H

#include "cortex_m/cmsdk_uart.h"

enum { SYSTEM_CLOCK_HZ = 25000000, BAUD = 115200 };

#if defined(BOARD_AN547)
static const struct ets_cmsdk_uart console = {0x59303000}, second_uart = {0x59304000};
#else
static const struct ets_cmsdk_uart console = {0x40004000}, second_uart = {0x40005000};
#endif

#endif
