/* Quantiles of the normal distribution, by bisection. */
#include "compare/normal.h"

#include <math.h>

double ets_normal_quantile(double tail)
{
    double low = 0, high = 40;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) / 2 > tail) low = middle;
        else high = middle;
    }
    return high;
}
