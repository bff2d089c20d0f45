/* The root tables of programs, bundled programs and data files, with all below them. */
#ifndef ETSCOPE_FORMAT_ROOT_TYPES_H
#define ETSCOPE_FORMAT_ROOT_TYPES_H

#include "format/flatbuffer.h"

extern const struct ets_fb_type ets_program_type;   /* Program */
extern const struct ets_fb_type ets_bundle_type;    /* BundledProgram */
extern const struct ets_fb_type ets_data_file_type; /* FlatTensor */

#endif
