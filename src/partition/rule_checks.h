/*
 * What single rules refuse, by backends/xnnpack/partition/config of ExecuTorch 1.5.1: the files
 * generic_node_configs.py, gemm_configs.py and quant_affine_configs.py. Each adds to the judgement
 * what fails.
 */
#ifndef ETSCOPE_PARTITION_RULE_CHECKS_H
#define ETSCOPE_PARTITION_RULE_CHECKS_H

#include "partition/partition_node.h"

/* node_checks.c */
void ets_check_alpha(struct ets_judgement *judgement);
void ets_check_batch_norm(struct ets_judgement *judgement);
void ets_check_clone(struct ets_judgement *judgement); /* refuses nothing that a record tells */
void ets_check_conversion(struct ets_judgement *judgement);
void ets_check_gelu(struct ets_judgement *judgement);
void ets_check_pow(struct ets_judgement *judgement);
void ets_check_prelu(struct ets_judgement *judgement);
void ets_check_softmax(struct ets_judgement *judgement);

/* pool_checks.c */
void ets_check_avg_pool(struct ets_judgement *judgement);
void ets_check_max_dim(struct ets_judgement *judgement);
void ets_check_max_pool(struct ets_judgement *judgement);
void ets_check_max_pool_with_indices(struct ets_judgement *judgement);
void ets_check_mean(struct ets_judgement *judgement);
void ets_check_upsample(struct ets_judgement *judgement);

/* shape_checks.c */
void ets_check_cat(struct ets_judgement *judgement);
void ets_check_pad(struct ets_judgement *judgement);
void ets_check_slice(struct ets_judgement *judgement);
void ets_check_unsqueeze(struct ets_judgement *judgement);
void ets_check_view(struct ets_judgement *judgement);

/* product_checks.c */
void ets_check_addmm(struct ets_judgement *judgement);
void ets_check_convolution(struct ets_judgement *judgement);
void ets_check_linear(struct ets_judgement *judgement);
void ets_check_mm(struct ets_judgement *judgement);
void ets_check_permute(struct ets_judgement *judgement);
void ets_check_restricted(struct ets_judgement *judgement);
void ets_check_with_product(struct ets_judgement *judgement);

/* substitutes.c: what does the work of a node without a rule, is taken and was seen to be faster;
 * NULL: nothing known */
const char *ets_substitute_of(const struct ets_judgement *judgement);

#endif
