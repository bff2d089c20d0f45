/* Foreign start-up code that would have to be silenced comes with libraries, which WASI loads none
 * of. */
#include "host/os/os_quiet.h"

int ets_os_quiet_begin(void)
{
    return -1;
}

void ets_os_quiet_end(int saved)
{
    (void)saved;
}
