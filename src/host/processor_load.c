/* The load of the processor, from /proc/stat where there is one. */
#define _POSIX_C_SOURCE 200809L
#include "host/processor_load.h"

#include <stdio.h>
#include <unistd.h>

bool ets_processor_busy_seconds(double *seconds_out)
{
    unsigned long long user, nice, system, idle, waiting, interrupts, soft_interrupts, stolen;
    FILE *file = fopen("/proc/stat", "r");
    if (file == NULL) return false;
    const int count = fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice,
                             &system, &idle, &waiting, &interrupts, &soft_interrupts, &stolen);
    fclose(file);
    const long ticks = sysconf(_SC_CLK_TCK);
    if (count != 8 || ticks <= 0) return false;
    *seconds_out =
        (double)(user + nice + system + interrupts + soft_interrupts + stolen) / (double)ticks;
    return true;
}
