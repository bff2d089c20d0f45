/* `quality --group-by layer`: what each layer's quantization adds. */
#ifndef ETSCOPE_CLI_QUALITY_LAYER_QUALITY_H
#define ETSCOPE_CLI_QUALITY_LAYER_QUALITY_H

#include "cli/quality/quality_sides.h"
#include "quality/layer_study.h"

struct cli_layer_quality {
    double wanted; /* KL divergence; NaN: none */
    struct ets_layer_study study;
};

/* Studies the layers after both sides ran. Reports errors; returns an exit code. */
int cli_layer_quality_run(struct cli_quality *quality, struct cli_layer_quality *layers);
/* Writes the file of --filter, if it is given. Likewise. */
int cli_layer_quality_filter(const struct cli_quality *quality,
                             const struct cli_layer_quality *layers);

#endif
