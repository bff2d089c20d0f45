/* The pools of a program's methods as C. */
#ifndef ETSCOPE_OUTPUT_TEXT_POOL_SNIPPET_H
#define ETSCOPE_OUTPUT_TEXT_POOL_SNIPPET_H

#include "host/output.h"
#include "views/allocation_pools.h"

/*
 * Arrays to copy into an application, in C11 and C++11, with a comment for each and for what they
 * do not hold. Writing errors appear at the output's commit.
 */
ETS_API void ets_pool_snippet_write(const struct ets_allocation_owners *owners,
                                    const struct ets_allocation_pools *pools,
                                    struct ets_output *output);

#endif
