/* Standard streams by WASI: who runs the program keeps what they take, in UTF-8. */
#include "host/os/os_streams.h"

#include <unistd.h>

void ets_os_prepare_streams(void) {}

bool ets_os_is_terminal(enum ets_os_stream stream)
{
    return isatty((int)stream);
}

unsigned ets_os_terminal_width(enum ets_os_stream stream)
{
    (void)stream;
    return 0;
}

bool ets_os_shows_utf8(void)
{
    return true;
}
