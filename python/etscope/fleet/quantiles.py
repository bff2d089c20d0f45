"""Quantiles of merged sketches: KLL of Apache DataSketches."""


def merged(sketches):
    from datasketches import kll_doubles_sketch

    union = None
    for data in sketches:
        sketch = kll_doubles_sketch.deserialize(bytes(data))
        if union is None:
            union = sketch
        else:
            union.merge(sketch)
    return union


def merged_quantiles(sketches, ranks):
    """A value for each rank, off by at most the sketch's rank error; None without data."""
    union = merged(sketches)
    if union is None or union.is_empty():
        return [None] * len(ranks)
    return [float(value) for value in union.get_quantiles(list(ranks))]
