/* Stands in for Zephyr's header: what platforms/zephyr uses of it. */
#ifndef STAND_IN_ZEPHYR_KERNEL_H
#define STAND_IN_ZEPHYR_KERNEL_H

#include <stdint.h>

uint32_t k_cycle_get_32(void);
uint64_t k_cycle_get_64(void);
int sys_clock_hw_cycles_per_sec(void);

#endif
