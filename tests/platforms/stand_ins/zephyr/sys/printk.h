/* Stands in for Zephyr's header: what platforms/zephyr uses of it. */
#ifndef STAND_IN_ZEPHYR_PRINTK_H
#define STAND_IN_ZEPHYR_PRINTK_H

__attribute__((format(printf, 1, 2))) void printk(const char *fmt, ...);

#endif
