/* The standard normal distribution, the limit of rank sums of large samples. */
#ifndef ETSCOPE_COMPARE_NORMAL_H
#define ETSCOPE_COMPARE_NORMAL_H

/* The value exceeded with probability `tail`, 0 < tail <= 0.5. */
double ets_normal_quantile(double tail);

#endif
