/* Reads /proc/self/status. */
#include "host/resident_memory.h"

#include <stdio.h>

bool ets_resident_read(struct ets_resident *resident_out)
{
    char line[256];
    unsigned found = 0;
    *resident_out = (struct ets_resident){.own = 0};
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) return false;
    while (fgets(line, sizeof line, file) != NULL) {
        long long kib;
        if (sscanf(line, "VmHWM: %lld", &kib) == 1) {
            resident_out->peak = kib * 1024;
        } else if (sscanf(line, "RssAnon: %lld", &kib) == 1) {
            resident_out->own = kib * 1024;
        } else if (sscanf(line, "RssFile: %lld", &kib) == 1) {
            resident_out->mapped = kib * 1024;
        } else {
            continue;
        }
        found++;
    }
    fclose(file);
    return found == 3;
}
