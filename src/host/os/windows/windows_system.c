/* The machine by the Windows API and the registry. */
#include "host/os/os_system.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

size_t ets_os_block_bytes(void *block)
{
    return block != NULL ? _msize(block) : 0;
}

void ets_os_keep_released_memory(void) {}

uint32_t ets_os_cores(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? info.dwNumberOfProcessors : 1;
}

uint64_t ets_os_physical_memory(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};
    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : UINT64_MAX;
}

static double seconds_of(FILETIME time)
{
    return (double)((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) / 1e7;
}

bool ets_os_busy_seconds(double *seconds_out)
{
    FILETIME idle, kernel, user;
    if (!GetSystemTimes(&idle, &kernel, &user)) return false;
    *seconds_out = seconds_of(kernel) + seconds_of(user) - seconds_of(idle); /* kernel has idle */
    return true;
}

static bool read_text(const char *key, const char *name, char *text, size_t room)
{
    DWORD size = (DWORD)room;
    return RegGetValueA(HKEY_LOCAL_MACHINE, key, name, RRF_RT_REG_SZ, NULL, text, &size) ==
           ERROR_SUCCESS;
}

bool ets_os_name_system(char *text, size_t room)
{
    char build[32];
    SYSTEM_INFO info;
    GetNativeSystemInfo(&info);
    const char *processor =
        info.wProcessorArchitecture == PROCESSOR_ARCHITECTURE_ARM64 ? "aarch64" : "x86_64";
    if (!read_text("SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion", "CurrentBuild", build,
                   sizeof build)) {
        return false;
    }
    snprintf(text, room, "Windows %s %s", build, processor);
    return true;
}

void ets_os_read_processor(struct ets_os_processor *processor_out)
{
    *processor_out = (struct ets_os_processor){.name = ""};
    if (!read_text("HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "ProcessorNameString",
                   processor_out->name, sizeof processor_out->name)) {
        processor_out->name[0] = '\0';
    }
}
