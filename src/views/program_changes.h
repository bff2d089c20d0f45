/*
 * What differs between two programs, as lines that can be shown: what uses a value, which line of
 * the model an instruction comes from, how far constants are apart; and the answer in a sentence.
 *
 *     struct ets_program_changes view;
 *     if (ets_program_changes_collect(&arena, &difference, 0, &view, &error) == ETS_OK) {
 *         puts(view.headline);
 *         for (uint32_t i = 0; i < view.line_count; i++) show(&view.lines[i]);
 *     }
 */
#ifndef ETSCOPE_VIEWS_PROGRAM_CHANGES_H
#define ETSCOPE_VIEWS_PROGRAM_CHANGES_H

#include "contents/payload_pair.h"
#include "contents/program_difference.h"
#include "etscope/numerics.h"

/* An argument of an instruction that is a value. */
struct ets_value_use {
    uint32_t chain, instruction, argument;
};

/* An element that differs. */
struct ets_element_change {
    uint64_t index; /* logical (row-major) */
    double before, after;
};

struct ets_program_change_line {
    const struct ets_program_change *change;
    struct ets_method methods[2];        /* program NULL: not there, or a change of the program's */
    const struct ets_value_use *uses[2]; /* of a value, in the order of execution */
    uint32_t use_counts[2];
    /* Of an instruction, or of the first that uses a value: what it computes. NULL: not known. */
    const struct ets_graph_node *node;
    struct ets_text parameter; /* of a constant: its name in the model; absent: not known */
    bool has_hash[2];          /* of a constant, start value, payload, named data */
    uint64_t hashes[2];
    /* Of constants and start values of one type and shape whose bytes differ. */
    bool has_numbers;
    struct ets_comparison numbers;
    struct ets_element_change *samples; /* the first elements that differ */
    uint32_t sample_count;
};

enum { ETS_PROGRAM_MOST_SAMPLES = 64 };

struct ets_program_changes {
    struct ets_program_difference *difference;
    struct ets_program_change_line *lines; /* [line_count] in the order of the changes */
    uint32_t line_count;
    uint32_t differing_methods;
    bool has_samples; /* some were asked for */
    char headline[512];
};

/* At most `most_samples` (up to ETS_PROGRAM_MOST_SAMPLES) elements are listed of each tensor. All
 * memory is the arena's. Statuses: NO_MEMORY, LIMIT, those of reading graphs. */
enum ets_status ets_program_changes_collect(struct ets_arena *arena,
                                            struct ets_program_difference *difference,
                                            uint32_t most_samples,
                                            struct ets_program_changes *view_out,
                                            struct ets_error *error);

/* program_change_line.c: the value, or instruction, of a change on a side where it is there. */
void ets_program_change_value(const struct ets_program_change_line *line, int side,
                              struct ets_evalue *value_out);
/* The tensor of a change on a side, also of a test case; false: it is of no tensor. */
bool ets_program_change_tensor(const struct ets_program_difference *difference,
                               const struct ets_program_change_line *line, int side,
                               struct ets_tensor *tensor_out);
void ets_program_change_instruction(const struct ets_program_change_line *line, int side,
                                    struct ets_instruction *instruction_out);
const struct ets_payload_node *ets_program_change_payload_node(
    const struct ets_program_change_line *line, int side);
/* The bytes of the first constant that differs; empty: none does, or they are not in the file. */
struct ets_bytes ets_program_change_node_bytes(const struct ets_program_change_line *line,
                                               int side);
/* Whether a part is a value of the method. */
bool ets_program_part_is_value(enum ets_program_part part);

/* "linear" of "aten.linear.default" or "aten::linear". */
struct ets_text ets_short_operator(struct ets_text name);

/* program_headline.c: fills view->headline. */
void ets_program_changes_say(struct ets_program_changes *view);

#endif
