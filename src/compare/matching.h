/* Matches the operators of two blocks. */
#ifndef ETSCOPE_COMPARE_MATCHING_H
#define ETSCOPE_COMPARE_MATCHING_H

#include "base/error.h"
#include "base/text.h"
#include "etscope/experimental/difference.h"
#include "host/arena.h"
#include "host/key_table.h"
#include "host/strings.h"

enum { ETS_BEFORE = 0, ETS_AFTER = 1 };

/* One side's block, by operator of the block. */
struct ets_match_side {
    const struct ets_pool_block *block; /* NULL: none */
    uint32_t *first_child, *next_sibling;
    uint32_t first_root;
    uint32_t *name;                          /* number of its name, equal on both sides */
    uint32_t *group;                         /* ETS_NO_INDEX: none yet */
    uint32_t *next_member;                   /* of its group on this side */
    uint32_t *first_element, *element_count; /* into `elements` */
    uint32_t *elements; /* ascending for each operator: the elements of its debug handles */
};

/* Operators that are compared as one. Most groups have one of each side. */
struct ets_match_group {
    uint32_t first[2], last[2], count[2];
    bool is_renumbered; /* a pair of one name and module, whose handles are others */
};

/* What the handles of both sides are compared by, in the order of trying. */
enum ets_match_scheme {
    ETS_SCHEME_HANDLES = 0,
    ETS_SCHEME_MODULES = 1,
    ETS_SCHEME_LINES = 2,
    ETS_SCHEME_NAMES = 3,
    ETS_SCHEME_COUNT = 4
};

struct ets_match {
    struct ets_arena *arena; /* of this pair of blocks */
    struct ets_match_side sides[2];
    struct ets_match_group *groups;
    uint32_t group_count;
    uint32_t element_count; /* distinct elements of both sides */
    enum ets_match_scheme scheme;
    bool by_handles; /* both sides have what the scheme compares */
};

/* Operators of either side, in order of execution. */
struct ets_match_lists {
    uint32_t *items[2], count[2];
};

/* match_elements.c: fills elements, element_count and by_handles. False: no memory. */
bool ets_match_find_elements(struct ets_match *match);

/*
 * match_handles.c: groups operators that share debug handles, equal names first. Removes grouped
 * operators, and those with handles but no match, from the lists. False: no memory.
 */
bool ets_match_by_handles(struct ets_match *match, struct ets_match_lists *lists);

/* match_order.c: groups the longest common sequence of names. False: no memory. */
bool ets_match_by_order(struct ets_match *match, const struct ets_match_lists *lists);

/* matching.c */
/* Groups all operators of two blocks; one may be NULL. False: no memory. */
bool ets_match_blocks(struct ets_match *match, struct ets_arena *arena,
                      enum ets_match_scheme scheme, const struct ets_pool_block *before,
                      const struct ets_pool_block *after, const uint32_t *before_names,
                      const uint32_t *after_names);
/* Whether at least half of the instructions have a match, or there are none. */
bool ets_match_is_good(const struct ets_match *match);

/* match_groups.c */
uint32_t ets_match_new_group(struct ets_match *match);
void ets_match_add(struct ets_match *match, uint32_t group, int side, uint32_t member);

#endif
