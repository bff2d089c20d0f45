/*
 * Shorthands for the descriptor tables of one schema file. Include it only in the .c file that
 * defines them.
 */
#ifndef ETSCOPE_FORMAT_DESCRIPTOR_H
#define ETSCOPE_FORMAT_DESCRIPTOR_H

#include "format/flatbuffer.h"

/* clang-format off */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SCALAR(name, slot, type) {name, slot, ETS_FB_SCALAR, 0, {.scalar = type}}
#define SCALARS(name, slot, type) {name, slot, ETS_FB_SCALARS, 0, {.scalar = type}}
#define SCALAR_OR_MINUS_ONE(name, slot, type) {name, slot, ETS_FB_SCALAR, ETS_FB_MINUS_ONE, {.scalar = type}}
#define BLOB(name, slot) {name, slot, ETS_FB_SCALARS, ETS_FB_BLOB, {.scalar = ETS_FB_U8}}
#define STRING(name, slot, flags) {name, slot, ETS_FB_STRING, flags, {0}}
#define TABLE(name, slot, flags, type) {name, slot, ETS_FB_TABLE, flags, {.table = &(type)}}
#define TABLES(name, slot, type) {name, slot, ETS_FB_TABLES, 0, {.table = &(type)}}
#define UNION(name, slot, choice_) {name, slot, ETS_FB_UNION, 0, {.choice = &(choice_)}}
#define TYPE(name, fields) {name, fields, COUNT(fields)}
/* clang-format on */

#endif
