/* Libraries by LoadLibrary. */
#include "host/os/os_libraries.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "host/os/os_files.h"
#include "host/os/windows/windows_error.h"

const char ets_os_library_ending[] = ".dll";

static char failure[512];
static DWORD failure_code;

void *ets_os_load(const char *path, bool stays)
{
    wchar_t wide[ETS_OS_WIDE], full[ETS_OS_WIDE];
    HMODULE library = NULL, pinned;
    SetLastError(ERROR_MOD_NOT_FOUND);
    if (ets_os_wide(path, wide) != NULL) {
        /* Never from the current folder, which may hold files of strangers. */
        if (!ets_os_has_folder(path)) {
            library = LoadLibraryExW(
                wide, NULL, LOAD_LIBRARY_SEARCH_APPLICATION_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
        } else if (GetFullPathNameW(wide, ETS_OS_WIDE, full, NULL) - 1 < ETS_OS_WIDE - 1) {
            library = LoadLibraryExW(full, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
        }
    }
    failure_code = library == NULL ? GetLastError() : 0;
    if (library != NULL && stays) {
        GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                           (const wchar_t *)(uintptr_t)library, &pinned);
    }
    return (void *)library;
}

const char *ets_os_load_failure(void)
{
    if (failure_code == ERROR_MOD_NOT_FOUND) {
        return "it, or a library that it needs, was not found";
    }
    const DWORD size = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS,
                                      NULL, failure_code, MAKELANGID(LANG_ENGLISH, SUBLANG_DEFAULT),
                                      failure, sizeof failure, NULL);
    if (size == 0) snprintf(failure, sizeof failure, "Windows error %lu", failure_code);
    failure[strcspn(failure, "\r\n")] = '\0';
    return failure;
}

bool ets_os_load_found_nothing(const char *path)
{
    return failure_code == ERROR_MOD_NOT_FOUND && !ets_os_has_folder(path);
}

void ets_os_unload(void *library)
{
    FreeLibrary((HMODULE)library);
}

void *ets_os_symbol(void *library, const char *name)
{
    const FARPROC function = GetProcAddress((HMODULE)library, name);
    void *symbol;
    memcpy(&symbol, &function, sizeof symbol);
    return symbol;
}

static bool name_module(HMODULE module, char *path, size_t room)
{
    wchar_t wide[ETS_OS_WIDE];
    const DWORD size = GetModuleFileNameW(module, wide, ETS_OS_WIDE);
    return size > 0 && size < ETS_OS_WIDE && ets_os_narrow(wide, path, room);
}

bool ets_os_file_of(const void *address, char *path, size_t room)
{
    HMODULE module;
    return GetModuleHandleExA(GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT |
                                  GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                              (const char *)address, &module) &&
           name_module(module, path, room);
}

bool ets_os_program(char *path, size_t room)
{
    return name_module(NULL, path, room);
}
