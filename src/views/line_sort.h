/* The sort orders of views; the header of each view states which it supports. */
#ifndef ETSCOPE_VIEWS_LINE_SORT_H
#define ETSCOPE_VIEWS_LINE_SORT_H

enum ets_sort_by {
    ETS_SORT_ORDER = 0, /* of execution, nested */
    ETS_SORT_TIME = 1,  /* median of the runs, longest first */
    ETS_SORT_MAX = 2,
    ETS_SORT_CALLS = 3,
    ETS_SORT_NAME = 4,
    ETS_SORT_CHANGE = 5, /* what changed first, the largest change of the median first */
    ETS_SORT_RATIO = 6   /* likewise, by the change against the median before */
};

#endif
