/*
 * A program without what is in it twice or for nothing: equal constants and equal segments share
 * one copy; constants that no instruction reads, segments that nothing names, bytes between
 * segments and behind the last part go.
 *
 *     struct ets_trimmed trimmed;
 *     ETS_TRY(ets_trimmed_program(&arena, &program, &trimmed, error));
 *     if (trimmed.bytes.size > 0) keep(trimmed.bytes);
 *
 * The tables keep their places: numbers in them change (offsets and sizes of segments, offsets of
 * constants), and a tensor that nobody reads becomes a null value. So a FlatBuffer does not grow,
 * and what lies in it, old inline constants and payloads, stays as it is. Alignments of the old
 * file are kept. Named data stays under its key, because a delegate may ask for it.
 */
#ifndef ETSCOPE_REWRITE_TRIMMED_PROGRAM_H
#define ETSCOPE_REWRITE_TRIMMED_PROGRAM_H

#include "rewrite/rewritten_program.h"

struct ets_trimmed {
    uint64_t before, after;                     /* bytes of the file; equal: nothing is saved */
    uint32_t shared_constants, shared_segments; /* whose bytes are those of another one now */
    uint32_t unread_constants, unused_segments; /* that are gone */
    struct ets_bytes bytes; /* the whole new program, verified; size 0: nothing became smaller */
};

/*
 * The new program is read again: every constant that is read, start value, payload and named data
 * has the bytes that it had. Statuses: NO_MEMORY, UNSUPPORTED (a newer schema, tables that share
 * numbers), INVALID_ARGUMENT (a program with taps).
 */
enum ets_status ets_trimmed_program(struct ets_arena *arena, const struct ets_program *program,
                                    struct ets_trimmed *trimmed_out, struct ets_error *error);

#endif
