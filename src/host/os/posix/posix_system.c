/* The machine by sysconf, uname, /proc and sysctl. */
#define _DEFAULT_SOURCE /* _SC_NPROCESSORS_ONLN, _SC_PHYS_PAGES */
#define _DARWIN_C_SOURCE
#include "host/os/os_system.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <malloc/malloc.h>
#include <sys/sysctl.h>
#elif defined(__linux__)
#include <malloc.h>
#endif

size_t ets_os_block_bytes(void *block)
{
#if defined(__APPLE__)
    return block != NULL ? malloc_size(block) : 0;
#elif defined(__linux__)
    return malloc_usable_size(block);
#else
    (void)block;
    return 0;
#endif
}

void ets_os_keep_released_memory(void)
{
#if defined(__GLIBC__)
    /* Its largest: smaller blocks come from the heap. */
    mallopt(M_MMAP_THRESHOLD, sizeof(long) < 8 ? 512 << 10 : 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

uint32_t ets_os_cores(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

uint64_t ets_os_physical_memory(void)
{
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && bytes > 0) return (uint64_t)pages * (uint64_t)bytes;
#endif
    return UINT64_MAX;
}

bool ets_os_busy_seconds(double *seconds_out)
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

bool ets_os_name_system(char *text, size_t room)
{
    struct utsname name;
    if (uname(&name) != 0) return false;
    snprintf(text, room, "%.40s %.40s %.40s", name.sysname, name.release, name.machine);
    return true;
}

#ifdef __APPLE__
static void read_named(const char *name, void *value, size_t bytes)
{
    if (sysctlbyname(name, value, &bytes, NULL, 0) != 0) memset(value, 0, bytes);
}
#endif

void ets_os_read_processor(struct ets_os_processor *processor_out)
{
    *processor_out = (struct ets_os_processor){.name = ""};
#ifdef __APPLE__
    static const char *const names[] = {"hw.l1dcachesize", "hw.l2cachesize", "hw.l3cachesize"};
    read_named("machdep.cpu.brand_string", processor_out->name, sizeof processor_out->name - 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        read_named(names[i], &processor_out->cache_bytes[i], sizeof processor_out->cache_bytes[i]);
    }
#endif
}
