/* What the files that read Core ML's payloads share. */
#ifndef ETSCOPE_PAYLOAD_COREML_PARTS_H
#define ETSCOPE_PAYLOAD_COREML_PARTS_H

#include "format/coreml.h"
#include "format/mil.h"
#include "host/strings.h"
#include "payload/payload_reader.h"

/* A name in the program, and what it stands for. */
struct ets_coreml_name {
    bool is_literal;              /* a constant, which becomes a value where it is computed with */
    struct ets_mil_value literal; /* of a literal */
    uint32_t value;               /* of the graph; ETS_PAYLOAD_NONE: none yet */
    uint32_t producer;            /* node; ETS_PAYLOAD_NONE: none */
};

struct ets_coreml_reading {
    struct ets_payload_builder *builder;
    struct ets_bytes weights;             /* file of weights */
    struct ets_text debug_info, metadata; /* JSON, or data NULL */
    struct ets_text function;             /* to read; data NULL: the only one, or main */
    struct ets_strings names;             /* of the function's values */
    struct ets_coreml_name *definitions;  /* by number of a name */
    uint32_t definition_room;
    struct ets_strings symbols; /* with debug handles */
    int64_t *handles;           /* by number of a symbol */
    uint32_t handle_room;
    uint32_t value_room, constant_room;
};

/* coreml_program.c: fills the graph from a function of the model. Statuses: NO_MEMORY (also beyond
 * the limit), MALFORMED, UNSUPPORTED. */
enum ets_status ets_coreml_program_read(struct ets_coreml_reading *reading, struct ets_bytes model,
                                        struct ets_error *error);

/* coreml_values.c */
bool ets_coreml_add_value(struct ets_coreml_reading *reading, const struct ets_mil_type *type,
                          uint32_t *value_out);
/* ETS_PAYLOAD_NONE: no room. */
uint32_t ets_coreml_add_constant(struct ets_coreml_reading *reading,
                                 const struct ets_mil_value *literal);
/* The value of a literal, with its bytes. */
bool ets_coreml_add_literal(struct ets_coreml_reading *reading, const struct ets_mil_value *literal,
                            uint32_t *value_out);
/* NULL: no memory. Names that are defined again mean what was defined last. */
struct ets_coreml_name *ets_coreml_define(struct ets_coreml_reading *reading, struct ets_text name);
/* NULL: nothing has the name. */
struct ets_coreml_name *ets_coreml_lookup(struct ets_coreml_reading *reading, struct ets_text name);
/* The result of an operation constexpr_*, which is a stored weight. */
bool ets_coreml_add_weight(struct ets_coreml_reading *reading, struct ets_bytes operation,
                           struct ets_text type, const struct ets_mil_type *result,
                           uint32_t *value_out);

/* The value of a key in map<string, message>; data NULL: there is none. */
struct ets_bytes ets_coreml_entry(struct ets_bytes message, uint32_t map, const char *key);

/* coreml_operators.c: ATen's operator; NULL: none that is known to be the same. */
const char *ets_coreml_operation(struct ets_text type);
/* The place of an operator's input among its values; UINT32_MAX: literals of this name are
 * parameters. */
uint32_t ets_coreml_input_rank(struct ets_text name);

#endif
