/*
 * rtt_sink.h - a stream or an ETDump through SEGGER's Real Time Transfer, over the debug probe.
 *
 *     static char up_buffer[4096];
 *     static const unsigned channel = 1;
 *     SEGGER_RTT_ConfigUpBuffer(channel, "etscope", up_buffer, sizeof up_buffer,
 *                               SEGGER_RTT_MODE_NO_BLOCK_SKIP);
 *     const struct ets_trace_config config = {
 *         ..., .mode = ETS_TRACE_STREAM, .stream = ets_rtt_sink(&channel)};
 *
 * On the computer: `JLinkRTTLogger -RTTChannel 1 ... trace.rtt`, then `etscope recover trace.rtt`.
 * Frames are found in channel 0, too, in between of its log text; a terminal that does not keep
 * bytes as they are needs lines: ets_text_stream(&text, ets_rtt_sink(&channel)).
 *
 * The firmware links SEGGER_RTT.c; nothing of it is here. In mode NO_BLOCK_SKIP a frame that finds
 * no room is refused, and its events are counted as dropped: make the buffer larger than what comes
 * between two reads of the probe, and no smaller than the trace's own. In mode
 * BLOCK_IF_FIFO_FULL the program waits, also where no probe is connected.
 */
#ifndef ETSCOPE_PLATFORMS_RTT_SINK_H
#define ETSCOPE_PLATFORMS_RTT_SINK_H

#include "etscope/etdump.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sends bytes as they are to an up-buffer; `channel`: its number, which must outlive the sink. */
struct ets_etdump_sink ets_rtt_sink(const unsigned *channel);

#ifdef __cplusplus
}
#endif

#endif
