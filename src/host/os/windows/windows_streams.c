/* Standard streams and consoles by the Windows API. */
#include "host/os/os_streams.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

static HANDLE handle_of(enum ets_os_stream stream)
{
    return GetStdHandle(stream == ETS_OS_OUTPUT ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE);
}

void ets_os_prepare_streams(void)
{
    static const enum ets_os_stream streams[] = {ETS_OS_OUTPUT, ETS_OS_MESSAGES};
    for (int i = 0; i <= 2; i++) _setmode(i, _O_BINARY);
    for (size_t i = 0; i < 2; i++) {
        DWORD mode;
        const HANDLE console = handle_of(streams[i]);
        if (!GetConsoleMode(console, &mode)) continue;
        SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
        SetConsoleOutputCP(CP_UTF8);
    }
}

/* _isatty would take any device for one. */
bool ets_os_is_terminal(enum ets_os_stream stream)
{
    DWORD mode;
    return GetConsoleMode(handle_of(stream), &mode);
}

unsigned ets_os_terminal_width(enum ets_os_stream stream)
{
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(handle_of(stream), &info)) return 0;
    return (unsigned)(info.srWindow.Right - info.srWindow.Left + 1);
}

bool ets_os_shows_utf8(void)
{
    return true;
}
