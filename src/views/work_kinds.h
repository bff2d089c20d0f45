/*
 * What kind of work a row is: by its operators, a category; by the modules of its nodes, a part of
 * a model and a layer of a stack.
 *
 *     print(ets_work_category(row));
 *     uint32_t number;
 *     if (!ets_work_part(&arena, places, NULL, row, &number)) return no_memory;
 *     if (number != ETS_NO_INDEX) print(ets_places_name(places, ETS_PLACE_NONE, number));
 *
 * Parts and layers are read from the names of modules, as transformers, torchtune, Llama's own code
 * and timm choose them. Work of several parts or layers is a group of its own: no time is divided.
 */
#ifndef ETSCOPE_VIEWS_WORK_KINDS_H
#define ETSCOPE_VIEWS_WORK_KINDS_H

#include "views/part_table.h"
#include "views/places.h"

/*
 * "convolution", "matrix product", "attention", "normalization", "reduction", "elementwise", "data
 * movement", "quantization", "embedding" or "other". What one kernel fuses counts with its heaviest
 * operator. Static storage.
 */
const char *ets_work_category(const struct ets_row *row);

/*
 * "attention: projections", "MLP", "norm" of a row in these modules; absent: neither its modules
 * nor its operator tell. `own` (NULL: none) goes before. False: no memory.
 */
bool ets_work_part_name(struct ets_arena *arena, const struct ets_text *modules, size_t count,
                        const struct ets_part_table *own, const struct ets_row *row,
                        struct ets_text *name_out);
/* "layers.0"; of work outside of stacks, its module. Absent without modules. False: no memory. */
bool ets_work_layer_name(struct ets_arena *arena, const struct ets_text *modules, size_t count,
                         struct ets_text *name_out);

/*
 * The same as numbers of kind ETS_PLACE_NONE, with the modules that the places tell; ETS_NO_INDEX:
 * absent.
 */
bool ets_work_part(struct ets_arena *arena, struct ets_places *places,
                   const struct ets_part_table *own, const struct ets_row *row,
                   uint32_t *number_out);
bool ets_work_layer(struct ets_arena *arena, struct ets_places *places, const struct ets_row *row,
                    uint32_t *number_out);

/* The part that a module is by its path and what is computed there; NULL: it does not tell. */
const char *ets_module_part(struct ets_text path, struct ets_text operation);
/* "model.layers.0" of "model.layers.0.mlp.up_proj", or the whole path. */
struct ets_text ets_module_layer(struct ets_text path);

#endif
