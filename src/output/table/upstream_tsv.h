/* The table of ExecuTorch's Inspector, byte for byte. */
#ifndef ETSCOPE_OUTPUT_TABLE_UPSTREAM_TSV_H
#define ETSCOPE_OUTPUT_TABLE_UPSTREAM_TSV_H

#include "etscope/file.h"
#include "etscope/inspect.h"
#include "host/output.h"
#include "inspect/upstream/upstream_view.h"

/*
 * Writes the view as upstream's Inspector.save_data_to_tsv does, byte for byte. Columns and their
 * order: docs/compatibility.md.
 */
ETS_API void ets_upstream_write_tsv(const struct ets_upstream_view *view,
                                    struct ets_output *output);

#endif
