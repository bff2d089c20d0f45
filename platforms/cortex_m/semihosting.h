/*
 * semihosting.h - files on the computer to which a Cortex-M is connected, through its debugger or
 * QEMU.
 *
 *     const int file = ets_semihosting_open("trace.etdp");
 *     if (file >= 0) {
 *         const struct ets_etdump_sink sink = ets_semihosting_sink(&file);
 *         ets_trace_write(&trace, &sink, NULL);
 *         ets_semihosting_close(file);
 *     }
 *
 * Each call stops the processor until the debugger has answered; without a debugger it is a hard
 * fault. So it is for development, and after the run rather than in it.
 */
#ifndef ETSCOPE_PLATFORMS_SEMIHOSTING_H
#define ETSCOPE_PLATFORMS_SEMIHOSTING_H

#include "etscope/etdump.h"

/* Makes a file, or empties it. Returns its number, which is -1 after a failure. */
int ets_semihosting_open(const char *path);

/* 0, or -1 where not all of it could be written. */
int ets_semihosting_write(int file, const void *data, size_t size);
int ets_semihosting_close(int file);

/* Sends to a file; `file`: the address of its number, which must outlive the sink. */
struct ets_etdump_sink ets_semihosting_sink(const int *file);

/* Ends the program, and QEMU with this exit status. */
_Noreturn void ets_semihosting_exit(int status);

#endif
