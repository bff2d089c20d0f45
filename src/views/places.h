/*
 * Where work comes from, in numbers: lines of source, files, modules and debug handles.
 *
 *     struct ets_places *places = ets_places_new(&arena);
 *     struct ets_numbers lines, modules;
 *     if (places == NULL || !ets_places_of_row(places, row, &lines, &modules)) return false;
 *     for (uint32_t i = 0; i < lines.count; i++) {
 *         print(ets_places_name(places, ETS_PLACE_LINE, lines.items[i]));
 *     }
 *
 * A line is the pair of its file and its line number, never a text: equal numbers are equal lines,
 * however long their paths are and however alike they begin or end. Numbers count from 0 in order
 * of appearance, each kind for itself, and mean something with these places only. All memory is
 * the arena's, texts are the record's; a function that needs memory and gets none returns false,
 * NULL or ETS_NO_INDEX, and the places are then of no more use.
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
    ETS_PLACE_NONE = 4 /* what the record puts nowhere, by a name: "(not in the record)" */
};

struct ets_places;

struct ets_numbers {
    uint32_t *items;
    uint32_t count;
};

struct ets_places *ets_places_new(struct ets_arena *arena);

/* The number of a place, which is added when it is new. */
uint32_t ets_places_line(struct ets_places *places, const struct ets_graph_frame *frame);
uint32_t ets_places_module(struct ets_places *places, struct ets_text path);
uint32_t ets_places_none(struct ets_places *places, struct ets_text name);

/* The path of a module; "" is the model itself. */
struct ets_text ets_places_path(const struct ets_places *places, uint32_t module);

/* The file of a line, and the frame that it was first seen in. */
uint32_t ets_places_file_of(const struct ets_places *places, uint32_t line);
const struct ets_graph_frame *ets_places_frame(const struct ets_places *places, uint32_t line);
uint32_t ets_places_file_count(const struct ets_places *places);

/*
 * Lines and modules of a row's nodes, each once, in the order of the nodes. A node that a pass put
 * into the graph has a module only where no other node has one: what quantizes the output of a
 * layer belongs to that layer.
 */
bool ets_places_of_row(struct ets_places *places, const struct ets_row *row,
                       struct ets_numbers *lines_out, struct ets_numbers *modules_out);
/* Files of those lines; and the row's debug handles, each once. */
bool ets_places_files_of_row(struct ets_places *places, const struct ets_row *row,
                             struct ets_numbers *files_out);
bool ets_places_handles_of_row(struct ets_places *places, const struct ets_row *row,
                               struct ets_numbers *handles_out);

/*
 * One number for a list: lists of one kind have the same number where they hold the same numbers in
 * the same order, and no other does.
 */
uint32_t ets_places_list(struct ets_places *places, enum ets_place_kind kind,
                         const struct ets_numbers *list);

/* What people read; data NULL: the absent name. */
struct ets_text ets_places_name(const struct ets_places *places, enum ets_place_kind kind,
                                uint32_t number);
/* Of all: "blocks.py:35, blocks.py:53". */
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
/* Adds `text` where it is there and not in the list yet, which has room for all that is added. */
void ets_text_list_add(struct ets_text_list *list, struct ets_text text);

#endif
