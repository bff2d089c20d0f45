/* Reads the memory of the process, if the system reports it. */
#include "engine/plugin/memory_report.h"

#ifdef __linux__
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#endif
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define ETS_HAS_MALLINFO2 1
#endif
#endif

namespace ets
{
namespace
{
/* /proc/self/statm: all, resident, of it shared with files; in pages. */
void read_resident(process_memory *out)
{
#ifdef __linux__
    char text[128];
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    unsigned long long all, resident, shared;
    const long page = sysconf(_SC_PAGESIZE);
    if (size <= 0 || page <= 0) return;
    text[size] = '\0';
    if (sscanf(text, "%llu %llu %llu", &all, &resident, &shared) != 3) return;
    out->resident = resident * static_cast<uint64_t>(page);
    out->of_files = shared * static_cast<uint64_t>(page);
#else
    (void)out;
#endif
}
}  // namespace

process_memory read_process_memory(uint64_t apart)
{
    process_memory memory;
#ifdef ETS_HAS_MALLINFO2
    const struct mallinfo2 info = mallinfo2();
    const uint64_t heap = info.uordblks + info.hblkhd;
    if (heap >= apart) memory.heap = heap - apart;
#else
    (void)apart;
#endif
    read_resident(&memory);
    return memory;
}

}  // namespace ets
