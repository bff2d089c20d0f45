/* Matches by going back only to the last *. */
#include "base/text_pattern.h"

bool ets_text_matches(struct ets_text pattern, struct ets_text text)
{
    size_t p = 0, t = 0, star = SIZE_MAX, from = 0;
    while (t < text.size) {
        if (p < pattern.size && pattern.data[p] == '*') {
            star = p++;
            from = t;
        } else if (p < pattern.size &&
                   (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++from;
        } else {
            return false;
        }
    }
    while (p < pattern.size && pattern.data[p] == '*') p++;
    return p == pattern.size;
}
