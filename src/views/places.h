/*
 * Numbers the places that work comes from: source lines, files, modules and debug handles.
 *
 *     struct ets_places *places = ets_places_new(&arena);
 *     struct ets_numbers lines, modules;
 *     if (places == NULL || !ets_places_of_row(places, row, &lines, &modules)) return false;
 *     for (uint32_t i = 0; i < lines.count; i++) {
 *         print(ets_places_name(places, ETS_PLACE_LINE, lines.items[i]));
 *     }
 *
 * A line is identified by its file and line number, never by a text, so paths of any length are
 * safe. Numbers count from 0 in order of appearance, separately for each kind, and are valid only
 * with these places. All memory comes from the arena; texts belong to the ETRecord. If memory runs
 * out, a function returns false, NULL or ETS_NO_INDEX, and the places are no longer usable.
 */
#ifndef ETSCOPE_VIEWS_PLACES_H
#define ETSCOPE_VIEWS_PLACES_H

#include <stdbool.h>

#include "etscope/inspect.h"
#include "host/arena.h"

enum ets_place_kind {
    ETS_PLACE_LINE = 0, /* "models/zoo.py:16" */
    ETS_PLACE_FILE = 1,
    ETS_PLACE_MODULE = 2, /* a path; "(model)" is the outermost */
    ETS_PLACE_HANDLE = 3,
    ETS_PLACE_NONE = 4 /* work without a place, by a name: "(not in the record)" */
};

struct ets_places;

struct ets_numbers {
    uint32_t *items;
    uint32_t count;
};

struct ets_places *ets_places_new(struct ets_arena *arena);

/* The number of a place; new places are added. */
uint32_t ets_places_line(struct ets_places *places, const struct ets_graph_frame *frame);
uint32_t ets_places_module(struct ets_places *places, struct ets_text path);
uint32_t ets_places_none(struct ets_places *places, struct ets_text name);

/* The path of a module; "" is the model itself. */
struct ets_text ets_places_path(const struct ets_places *places, uint32_t module);

/* The file of a line, and the first frame with that line. */
uint32_t ets_places_file_of(const struct ets_places *places, uint32_t line);
const struct ets_graph_frame *ets_places_frame(const struct ets_places *places, uint32_t line);
uint32_t ets_places_file_count(const struct ets_places *places);

/*
 * Lines and modules of a row's nodes, each once, in the order of the nodes. The module of a node
 * that a pass inserted counts only if no other node has one: the quantization of a layer's output
 * belongs to that layer.
 */
bool ets_places_of_row(struct ets_places *places, const struct ets_row *row,
                       struct ets_numbers *lines_out, struct ets_numbers *modules_out);
/* Files of those lines; and the row's debug handles, each once. */
bool ets_places_files_of_row(struct ets_places *places, const struct ets_row *row,
                             struct ets_numbers *files_out);
bool ets_places_handles_of_row(struct ets_places *places, const struct ets_row *row,
                               struct ets_numbers *handles_out);

/*
 * The number of a list. Lists of one kind have the same number exactly if they contain the same
 * numbers in the same order.
 */
uint32_t ets_places_list(struct ets_places *places, enum ets_place_kind kind,
                         const struct ets_numbers *list);

/* The name for people; data NULL: no name. */
struct ets_text ets_places_name(const struct ets_places *places, enum ets_place_kind kind,
                                uint32_t number);
/* The names of all: "blocks.py:35, blocks.py:53". */
bool ets_places_names(struct ets_places *places, enum ets_place_kind kind,
                      const struct ets_numbers *list, struct ets_text *names_out);

/*
 * The same as texts, for tables that show the places of single rows and do not group by them: in
 * `arena`, without places that outlive the call.
 */
struct ets_text_list {
    struct ets_text *items;
    size_t count;
};
bool ets_operator_row_places(struct ets_arena *arena, const struct ets_row *row,
                             struct ets_text_list *sources_out, struct ets_text_list *modules_out);
bool ets_operator_node_places(struct ets_arena *arena, const struct ets_row_node *nodes,
                              size_t count, struct ets_text_list *sources_out,
                              struct ets_text_list *modules_out);
/* Adds `text` to the list, unless it is absent or already there. The list must have room. */
void ets_text_list_add(struct ets_text_list *list, struct ets_text text);

#endif
