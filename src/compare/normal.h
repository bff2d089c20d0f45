/* The standard normal distribution, which large samples' rank sums follow. */
#ifndef ETSCOPE_COMPARE_NORMAL_H
#define ETSCOPE_COMPARE_NORMAL_H

/* How far from 0 a value lies with probability `tail`, above 0 and at most a half, on that side. */
double ets_normal_quantile(double tail);

#endif
