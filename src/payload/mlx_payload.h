/* What the files that read MLX's payload share: its operators by name and by what they make. */
#ifndef ETSCOPE_PAYLOAD_MLX_PAYLOAD_H
#define ETSCOPE_PAYLOAD_MLX_PAYLOAD_H

#include "format/mlx_schema.h"
#include "payload/payload_reader.h"

/* mlx_operators.c: the base name of ATen's operator that an MLX operator is; NULL: none. */
const char *ets_mlx_operation(const char *name);

/* Integers packed into words of 32 bits. */
const struct ets_payload_type *ets_mlx_packed_type(int64_t bits);

/*
 * mlx_shapes.c: type and sizes of what a node makes, as far as they follow from its inputs. false:
 * no memory.
 */
bool ets_mlx_infer(struct ets_payload_builder *builder, const struct ets_fb_type *type,
                   const struct ets_payload_node *node);

#endif
