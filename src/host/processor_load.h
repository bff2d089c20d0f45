/*
 * How busy the processor's cores are, with this process and with others.
 *
 *     double before, after;
 *     const bool is_known = ets_processor_busy_seconds(&before);
 *     work();
 *     if (is_known && ets_processor_busy_seconds(&after)) printf("%f\n", after - before);
 */
#ifndef ETSCOPE_HOST_PROCESSOR_LOAD_H
#define ETSCOPE_HOST_PROCESSOR_LOAD_H

#include <stdbool.h>

/* Seconds since the start that cores were busy or another guest had them, all cores together;
 * false: the system does not tell. */
bool ets_processor_busy_seconds(double *seconds_out);

#endif
