#include "segger/rtt_sink.h"

/* Of SEGGER_RTT.c: returns how many bytes it took. */
unsigned SEGGER_RTT_Write(unsigned BufferIndex, const void *pBuffer, unsigned NumBytes);

static int write_channel(void *context, const void *data, size_t size)
{
    const unsigned channel = *(const unsigned *)context;
    const char *at = data;
    while (size != 0) { /* in mode NO_BLOCK_TRIM a part may be taken */
        const unsigned taken = SEGGER_RTT_Write(channel, at, (unsigned)size);
        if (taken == 0 || taken > size) return -1;
        at += taken;
        size -= taken;
    }
    return 0;
}

struct ets_etdump_sink ets_rtt_sink(const unsigned *channel)
{
    return (struct ets_etdump_sink){(void *)(uintptr_t)channel, write_channel};
}
