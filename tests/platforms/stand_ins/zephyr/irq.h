/* Stands in for Zephyr's header: what platforms/zephyr uses of it. */
#ifndef STAND_IN_ZEPHYR_IRQ_H
#define STAND_IN_ZEPHYR_IRQ_H

unsigned irq_lock(void);
void irq_unlock(unsigned key);

#endif
