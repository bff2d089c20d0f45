#include "cortex_m/semihosting.h"

/* Numbers of "Semihosting for AArch32 and AArch64", Arm's ABI document. */
enum { SYS_OPEN = 0x01, SYS_CLOSE = 0x02, SYS_WRITE = 0x05, SYS_EXIT_EXTENDED = 0x20 };
enum { MODE_WRITE_BINARY = 5, APPLICATION_EXIT = 0x20026 };

static int call(int operation, const uintptr_t *arguments)
{
    register int r0 __asm__("r0") = operation;
    register const uintptr_t *r1 __asm__("r1") = arguments;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

int ets_semihosting_open(const char *path)
{
    size_t length = 0;
    while (path[length] != '\0') length++;
    const uintptr_t arguments[] = {(uintptr_t)path, MODE_WRITE_BINARY, length};
    return call(SYS_OPEN, arguments);
}

int ets_semihosting_write(int file, const void *data, size_t size)
{
    const uintptr_t arguments[] = {(uintptr_t)file, (uintptr_t)data, size};
    return call(SYS_WRITE, arguments) == 0 ? 0 : -1; /* it answers what was not written */
}

int ets_semihosting_close(int file)
{
    const uintptr_t arguments[] = {(uintptr_t)file};
    return call(SYS_CLOSE, arguments);
}

static int write_sink(void *context, const void *data, size_t size)
{
    return ets_semihosting_write(*(const int *)context, data, size);
}

struct ets_etdump_sink ets_semihosting_sink(const int *file)
{
    return (struct ets_etdump_sink){(void *)(uintptr_t)file, write_sink};
}

_Noreturn void ets_semihosting_exit(int status)
{
    const uintptr_t arguments[] = {APPLICATION_EXIT, (uintptr_t)status};
    for (;;) call(SYS_EXIT_EXTENDED, arguments);
}
