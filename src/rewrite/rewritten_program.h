/*
 * A program of which some tables are written anew and some segments added. Nothing old is edited or
 * moved relative to its neighbours, so the bytes of segments are not copied: the new file is a list
 * of parts, one of which is the old segments.
 *
 *     struct ets_rewriting rewriting;
 *     ETS_TRY(ets_rewriting_init(&rewriting, &arena, &program, error));
 *     const uint32_t segment = ets_rewriting_add_segment(&rewriting, payload);
 *     ... change rewriting.root with the functions of flatbuffer_splice.h ...
 *     ETS_TRY(ets_rewriting_write(&rewriting, &rewritten));
 *
 * All memory is the arena's. Source: schema/program.fbs and schema/extended_header.h.
 */
#ifndef ETSCOPE_REWRITE_REWRITTEN_PROGRAM_H
#define ETSCOPE_REWRITE_REWRITTEN_PROGRAM_H

#include "etscope/program.h"
#include "rewrite/flatbuffer_splice.h"

struct ets_rewriting {
    const struct ets_program *program;
    struct ets_splice splice;
    struct ets_splice_part *root; /* a copy of the program's root table */
    struct ets_bytes *added;      /* segments */
    uint32_t added_count, added_room;
};

struct ets_rewritten {
    struct ets_bytes *parts; /* one after the other, the whole file */
    uint32_t part_count;
    uint64_t bytes; /* of all parts */
    /*
     * The new program as a view over its first part, which holds all but segments: their bytes must
     * not be read.
     */
    struct ets_program view;
};

/*
 * Refuses programs that are not to be made smaller. INVALID_ARGUMENT: it hands out values from
 * within its delegates (taps.h), and is for debugging alone. UNSUPPORTED: it has instructions or
 * values of a newer schema.
 */
enum ets_status ets_rewriting_refuse(const struct ets_program *program, struct ets_error *error);

/* Statuses: NO_MEMORY, UNSUPPORTED (a newer schema). */
enum ets_status ets_rewriting_init(struct ets_rewriting *rewriting, struct ets_arena *arena,
                                   const struct ets_program *program, struct ets_error *error);

/* The number of the new segment. Its bytes are borrowed. */
uint32_t ets_rewriting_add_segment(struct ets_rewriting *rewriting, struct ets_bytes bytes);

/*
 * Ends the rewriting, and verifies the new program. Statuses: NO_MEMORY, LIMIT, those of what
 * failed before; MALFORMED and others where the new program is not valid, which would be an error
 * here.
 */
enum ets_status ets_rewriting_write(struct ets_rewriting *rewriting,
                                    struct ets_rewritten *rewritten_out);

/*
 * Whether a program that was written has the methods of the original, with as many values, chains,
 * inputs and outputs. In a hostile file tables overlap, and what one of them gets changes another.
 * Status: MALFORMED.
 */
enum ets_status ets_rewritten_check(const struct ets_program *was, const struct ets_program *is,
                                    struct ets_error *error);

/* All parts in one piece; NULL: no memory. */
uint8_t *ets_rewritten_join(const struct ets_rewritten *rewritten, struct ets_arena *arena);

#endif
