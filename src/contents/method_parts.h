/* Two methods while they are compared: which instruction, value and delegate is which. */
#ifndef ETSCOPE_CONTENTS_METHOD_PARTS_H
#define ETSCOPE_CONTENTS_METHOD_PARTS_H

#include "base/error.h"
#include "contents/content_bytes.h"
#include "contents/program_difference.h"
#include "payload/payload_store.h"

enum { ETS_BEFORE_SIDE = 0, ETS_AFTER_SIDE = 1 };

/* Where an instruction is, and what it is paired by. */
struct ets_paired_instruction {
    uint32_t chain, index;
    uint32_t name;    /* number of kind and name, alike on both sides */
    uint32_t partner; /* ETS_THING_NONE: none */
    uint32_t taker;   /* the delegate call on the other side that does its work, likewise */
};

struct ets_paired_side {
    struct ets_method method;
    struct ets_etrecord *record;     /* NULL: none */
    const char *record_method;       /* the method's name, terminated */
    struct ets_layer_method *layers; /* NULL: nothing is known of its layers */
    struct ets_paired_instruction *instructions;
    uint32_t instruction_count;
    uint32_t *first_of_chain;   /* [chain_count + 1] */
    uint32_t *value_partner;    /* [value_count] */
    uint32_t *delegate_partner; /* [delegate_count] */
};

struct ets_paired_methods {
    struct ets_arena *arena;
    struct ets_content_bytes *contents; /* of both programs */
    struct ets_payload_store *payloads; /* [2] */
    struct ets_paired_side sides[2];
    bool by_handles;
    struct ets_error *error;
};

/* The other side of 0 is 1. */
static inline int ets_other_side(int side)
{
    return 1 - side;
}

/* method_parts.c */
void ets_paired_instruction_read(const struct ets_paired_side *side, uint32_t index,
                                 struct ets_instruction *instruction_out);

/* instruction_pairs.c: lists the instructions and pairs them. NO_MEMORY, and reading graphs. */
enum ets_status ets_pair_instructions(struct ets_paired_methods *methods);

/* handle_pairs.c: pairs instructions whose debug handles stand for the same, and finds takers.
 * NO_MEMORY, and reading graphs. */
enum ets_status ets_pair_by_handles(struct ets_paired_methods *methods);

/* value_pairs.c: pairs values and delegates, once instructions are. NO_MEMORY, LIMIT. */
enum ets_status ets_pair_values(struct ets_paired_methods *methods);

/* The bytes of a tensor as the program holds them; empty: none. */
static inline struct ets_bytes ets_tensor_content(const struct ets_program_tensor *tensor)
{
    if (tensor->tensor.data == NULL) return (struct ets_bytes){NULL, 0};
    return (struct ets_bytes){tensor->tensor.data, (size_t)tensor->tensor_bytes};
}

/* The list of changes while it grows (method_parts.c). */
struct ets_change_list {
    struct ets_arena *arena;
    struct ets_program_change *items;
    uint32_t count, capacity;
};
/* A new change, nothing but its part and kind set; NULL: no memory. */
struct ets_program_change *ets_change_add(struct ets_change_list *list, enum ets_program_part part,
                                          enum ets_program_change_kind kind);

/* method_changes.c: everything that differs in paired methods. NO_MEMORY, LIMIT. */
enum ets_status ets_method_changes(struct ets_paired_methods *methods,
                                   struct ets_change_list *changes);
/* payload_changes.c: node by node, of paired delegates. NO_MEMORY, LIMIT. */
enum ets_status ets_payload_changes(struct ets_paired_methods *methods,
                                    struct ets_change_list *changes);
/* moved_constants.c: marks constants, of the changes from `first` on, that a payload holds on the
 * other side. NO_MEMORY, LIMIT. */
enum ets_status ets_move_constants(struct ets_paired_methods *methods,
                                   struct ets_change_list *changes, uint32_t first);
/* value_changes.c: of paired and unpaired values. NO_MEMORY, LIMIT. */
enum ets_status ets_value_changes(struct ets_paired_methods *methods,
                                  struct ets_change_list *changes);
/* case_changes.c: of the test cases of both bundles; sets the counts of cases. NO_MEMORY, LIMIT. */
enum ets_status ets_case_changes(struct ets_program_difference *difference,
                                 struct ets_change_list *changes, struct ets_error *error);
/* Whether an argument or item of one side is that of the other. */
bool ets_same_argument(const struct ets_paired_methods *methods, uint32_t before, uint32_t after);

#endif
