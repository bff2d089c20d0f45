/* The orders in which a view's lines may stand; each view's header says which it has. */
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
