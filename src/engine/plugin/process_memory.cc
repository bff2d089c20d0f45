/* Reads the memory of the process, if the system reports it. */
#include "engine/plugin/memory_report.h"

#ifdef __linux__
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#endif
#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define ETS_HAS_MALLINFO2 1
/* Weak, because the engine also runs with older libraries, which do not have it. */
extern "C" struct mallinfo2 mallinfo2(void) noexcept __attribute__((weak));
#endif
#endif

namespace ets
{
namespace
{
#ifdef __linux__
/* Reads a small file as text; false: it cannot be read. */
bool read_text(const char *path, char *text, size_t room)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t size = read(file, text, room - 1);
    close(file);
    text[size < 0 ? 0 : size] = '\0';
    return size > 0;
}
#endif

/* /proc/self/statm: all, resident, of it shared with files; in pages. */
void read_resident(process_memory *out)
{
#ifdef __linux__
    char text[128];
    unsigned long long all, resident, shared;
    const long page = sysconf(_SC_PAGESIZE);
    if (page <= 0 || !read_text("/proc/self/statm", text, sizeof text)) return;
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
    if (mallinfo2 != nullptr) {
        const struct mallinfo2 info = mallinfo2();
        const uint64_t heap = info.uordblks + info.hblkhd;
        if (heap >= apart) memory.heap = heap - apart;
    }
#else
    (void)apart;
#endif
    read_resident(&memory);
    return memory;
}

/* Linux forgets the peak when asked to (clear_refs), and VmHWM tells it. */
bool start_resident_peak()
{
#ifdef __linux__
    const int file = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool is_done = write(file, "5", 1) == 1;
    close(file);
    return is_done;
#else
    return false;
#endif
}

uint64_t read_resident_peak()
{
#ifdef __linux__
    char text[4096];
    unsigned long long kibibytes;
    if (!read_text("/proc/self/status", text, sizeof text)) return UINT64_MAX;
    const char *line = strstr(text, "VmHWM:");
    if (line != nullptr && sscanf(line, "VmHWM: %llu kB", &kibibytes) == 1) {
        return kibibytes * 1024;
    }
#endif
    return UINT64_MAX;
}

}  // namespace ets
