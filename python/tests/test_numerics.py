"""The comparators of the C library against NumPy in double: random, special, large, strided."""

import math

import numpy as np
import pytest

from etscope import Error, numerics

DTYPES = [
    "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8",
    "uint16", "uint32", "uint64", "bool", "complex64", "complex128", "float8_e5m2",
    "float8_e4m3fn",
]  # fmt: skip
FLOATS = ["float64", "float32", "float16", "bfloat16"]


def dtype_named(name):
    if name.startswith(("bfloat", "float8")):
        return np.dtype(getattr(pytest.importorskip("ml_dtypes"), name))
    return np.dtype(name)


def random_pair(name, count, seed=1):
    """Two arrays, of which a part of the numbers differ."""
    random = np.random.default_rng(seed)
    dtype = dtype_named(name)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        a = random.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
        b = np.where(random.random(count) < 0.7, a, a ^ dtype.type(1))
        b[::17] = random.integers(limits.min, limits.max, len(b[::17]), dtype=dtype, endpoint=True)
        return a, b
    if dtype.kind == "b":
        return random.random(count) < 0.5, random.random(count) < 0.5
    a = random.normal(size=count) * 4
    b = a * (1 + 0.1 * random.normal(size=count)) * (random.random(count) < 0.9)
    if dtype.kind == "c":
        return (a + 1j * b).astype(dtype), (b + 1j * a).astype(dtype)
    return a.astype(dtype), b.astype(dtype)


def doubles(array):
    if array.dtype.kind == "c":
        return array.view(array.real.dtype).astype(np.float64)
    return array.astype(np.float64)


def close(found, wanted, scale=0.0):
    assert math.isclose(found, wanted, rel_tol=2e-14, abs_tol=2e-14 * scale), (found, wanted)


def expect_numpys(found, a, b):
    x, y = doubles(a).ravel(), doubles(b).ravel()
    components = x.size // a.size
    is_finite = np.isfinite(x) & np.isfinite(y)
    assert found.count == x.size and found.finite_count == is_finite.sum()
    is_alike = (x == y) | (np.isnan(x) & np.isnan(y))
    assert found.unequal_count == (~is_alike).sum()
    broken = np.flatnonzero(~is_alike & ~is_finite)
    assert found.broken_count == broken.size
    assert found.first_broken_index == (broken[0] // components if broken.size else None)
    assert found.reference_nan_count == np.isnan(x).sum()
    assert found.reference_inf_count == np.isinf(x).sum()
    assert found.other_nan_count == np.isnan(y).sum()
    assert found.other_inf_count == np.isinf(y).sum()
    x, y = np.where(is_finite, x, 0), np.where(is_finite, y, 0)
    error = np.abs(y - x)
    relative = error / np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-8)
    close(found.sum_abs_error, math.fsum(error))
    assert found.max_abs_error == error.max() and found.max_rel_error == relative.max()
    if error.max() > 0:
        assert found.max_abs_error_index == error.argmax() // components
        assert found.max_rel_error_index == relative.argmax() // components
    if broken.size or not is_finite.any():
        assert math.isnan(found.mse) and math.isnan(found.snr_db)
        return
    count = is_finite.sum()
    close(found.mse, math.fsum(error**2) / count)
    close(found.rmse, math.sqrt(math.fsum(error**2) / count))
    close(found.mean_abs_error, math.fsum(error) / count)
    close(found.mean_rel_error, math.fsum(relative) / count)
    signal, noise, other = math.fsum(x**2), math.fsum(error**2), math.fsum(y**2)
    if noise and signal:
        close(found.snr_db, 10 * math.log10(signal / noise), 1)
    if other and signal:
        lengths = math.sqrt(signal) * math.sqrt(other)
        close(found.cosine_similarity, math.fsum(x * y) / lengths, 1)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("count", [1, 3, 17, 511, 512, 1027, 20_003])
def test_random_pairs_of_every_type(name, count):
    a, b = random_pair(name, count)
    expect_numpys(numerics.compare(a, b), a, b)
    expect_numpys(numerics.compare(a, a), a, a)


@pytest.mark.parametrize("name", FLOATS)
def test_special_numbers_in_all_pairs(name):
    dtype = dtype_named(name)
    numbers = [0.0, -0.0, 1.0, -2.5, np.nan, np.inf, -np.inf]
    if name.startswith("float"):
        limits = np.finfo(dtype)
        numbers += [limits.smallest_subnormal, -limits.tiny, limits.eps]
    if name != "float64":
        numbers += [float(np.asarray(3e38 if name != "float16" else 65504).astype(dtype))]
    a, b = np.array(np.meshgrid(numbers, numbers)).reshape(2, -1).astype(dtype)
    expect_numpys(numerics.compare(a, b), a, b)
    for i in range(len(a)):  # and each alone
        expect_numpys(numerics.compare(a[i : i + 1], b[i : i + 1]), a[i : i + 1], b[i : i + 1])
    # Behind a block of usual numbers, at any place in a vector.
    usual = np.ones(513, dtype)
    first, second = np.concatenate([usual, a]), np.concatenate([usual, b])
    expect_numpys(numerics.compare(first, second), first, second)


@pytest.mark.parametrize("name", ["int64", "int32", "int16", "int8", "uint8", "uint16", "uint64"])
def test_extreme_integers(name):
    limits = np.iinfo(name)
    numbers = np.array([limits.min, limits.max, limits.max - 1, 0, 1], name)
    a, b = np.array(np.meshgrid(numbers, numbers)).reshape(2, -1)
    for repeats in (1, 40):
        first, second = np.tile(a, repeats), np.tile(b, repeats)
        expect_numpys(numerics.compare(first, second), first, second)
        everything = numerics.closeness(first, second, rtol=0, atol=0)
        assert everything.outside_count == (doubles(first) != doubles(second)).sum()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "bool"])
def test_bytes_of_every_pair(dtype):
    """All 65,536 pairs there are."""
    numbers = np.arange(256, dtype=np.uint8)
    numbers = numbers % 2 == 1 if dtype == "bool" else numbers.view(dtype)
    a, b = (part.ravel() for part in np.meshgrid(numbers, numbers))
    expect_numpys(numerics.compare(a, b), a, b)


def test_large_arrays_lose_nothing():
    random = np.random.default_rng(2)
    a = random.normal(size=1_000_000).astype(np.float32)
    b = a + np.float32(1e-3) * random.normal(size=a.size).astype(np.float32)
    expect_numpys(numerics.compare(a, b), a, b)


@pytest.mark.parametrize("name", FLOATS + ["int8", "int32"])
def test_layouts_and_mixed_types(name):
    a, b = (array.reshape(4, 30, 50) for array in random_pair(name, 6000))
    turned = np.asfortranarray(b)
    found = numerics.compare(a, turned)
    expect_numpys(found, a, b)
    assert found.layouts_differ and not found.types_differ
    a_part, b_part = a[:, ::2, ::-3], b[:, ::2, ::-3]
    expect_numpys(numerics.compare(a_part, b_part), a_part, b_part)
    images, others = a.transpose(2, 0, 1), b.transpose(2, 0, 1)
    found = numerics.compare(images, others)
    expect_numpys(found, np.ascontiguousarray(images), np.ascontiguousarray(others))
    assert not found.layouts_differ
    swapped = a.astype(np.float64)
    found = numerics.compare(a, swapped)
    assert found.unequal_count == 0 and found.types_differ == (name != "float64")
    assert numerics.compare(swapped, swapped.astype(">f8")).unequal_count == 0


@pytest.mark.parametrize("name", FLOATS + ["int64", "int32", "int16", "int8", "uint8", "bool"])
@pytest.mark.parametrize("rtol, atol", [(0, 0), (1e-2, 0), (0, 1), (1e-2, 1e-3)])
def test_closeness_is_numpys(name, rtol, atol):
    a, b = random_pair(name, 5003)
    x, y = doubles(a), doubles(b)
    error, room = np.abs(y - x), atol + rtol * np.abs(x)
    found = numerics.closeness(a, b, rtol, atol)
    outside = np.flatnonzero(error > room)
    assert found.count == a.size and found.outside_count == outside.size
    assert found.all_close == (outside.size == 0)
    if outside.size:
        assert found.first_index == outside[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = np.where(error > room, error / room, 0)
        assert found.worst_index == excess.argmax() and found.worst_excess == excess.max()
    assert numerics.closeness(a, a, 0, 0).all_close


@pytest.mark.parametrize("name", FLOATS)
def test_closeness_of_special_numbers(name):
    numbers = np.array([0, -0.0, 1, np.nan, np.inf, -np.inf])
    a, b = np.array(np.meshgrid(numbers, numbers)).reshape(2, -1).astype(dtype_named(name))
    for equal_nan in (False, True):
        for rtol, atol in ((0, 0), (0.5, 0), (0, 2), (1e30, 1e30)):
            wanted = np.isclose(doubles(b), doubles(a), rtol, atol, equal_nan)
            found = numerics.closeness(a, b, rtol, atol, equal_nan)
            assert found.outside_count == (~wanted).sum()


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("count", [1, 100, 2049])
def test_ulps(name, count):
    a, b = random_pair(name, count)
    bits = a.dtype.itemsize * 8

    def rank(array):
        stored = array.view(f"u{array.dtype.itemsize}").astype(object)
        return np.where(stored >> (bits - 1), (1 << (bits - 1)) - stored, stored)

    apart = [abs(int(d)) for d in rank(a) - rank(b)]
    found = numerics.ulps(a, b)
    assert found.count == count and found.max == max(apart)
    assert found.max_index == (apart.index(max(apart)) if max(apart) else None)
    assert math.isclose(found.mean, sum(apart) / count, rel_tol=1e-12)


def test_top_k_and_steps():
    random = np.random.default_rng(3)
    a = random.normal(size=(50, 20)).astype(np.float32)
    b = (a + 0.05 * random.normal(size=a.shape)).astype(np.float32)
    first = np.argsort(-a, axis=1, kind="stable")[:, :3]
    second = np.argsort(-b, axis=1, kind="stable")[:, :3]
    found = numerics.top_k(a, b, 3)
    common = np.array([len(set(x) & set(y)) for x, y in zip(first, second)])
    assert found.row_count == 50 and found.all_agree == (common == 3).sum()
    assert found.first_agrees == (first[:, 0] == second[:, 0]).sum()
    assert found.first_unlike == np.flatnonzero(common < 3)[0]
    close(found.overlap, common.mean() / 3)
    off = np.abs(doubles(b) - doubles(a)) / 0.05
    found = numerics.steps(a, b, 0.05)
    whole = np.rint(off)
    assert [found.equal, found.one_off, found.two_off] == [(whole == n).sum() for n in range(3)]
    assert found.max == off.max() and found.max_index == off.argmax()
    close(found.mean, off.mean())
    assert numerics.top_k(a, a).first_unlike is None
    assert numerics.steps([1, 2], [1, 2]).max_index is None


@pytest.mark.parametrize("name", FLOATS + ["int64", "int32", "int16", "int8", "uint8"])
@pytest.mark.parametrize("count", [512, 1027])
def test_steps_of_every_type(name, count):
    a, b = random_pair(name, count)
    off = np.abs(doubles(b) - doubles(a)) / 0.75
    found = numerics.steps(a, b, 0.75)
    whole = np.rint(off)
    assert [found.equal, found.one_off, found.two_off] == [(whole == n).sum() for n in range(3)]
    assert found.count == count and found.max == off.max() and found.max_index == off.argmax()
    assert math.isclose(found.mean, off.mean(), rel_tol=1e-12)
    if name in FLOATS:
        a[5], b[7] = np.nan, np.inf
        assert numerics.steps(a, b, 0.75).count == count - 2


@pytest.mark.parametrize("name", FLOATS + ["int8", "int32"])
def test_top_k_of_rows_longer_than_a_block(name):
    a, b = (array.reshape(3, 4, 700) for array in random_pair(name, 8400))
    found = numerics.top_k(a, np.asfortranarray(b), 5)
    orders = [np.argsort(-doubles(side), axis=-1, kind="stable") for side in (a, b)]
    places = [order[..., :5].reshape(-1, 5) for order in orders]
    common = np.array([len(set(x) & set(y)) for x, y in zip(*places)])
    assert found.row_count == 12 and found.all_agree == (common == 5).sum()
    assert found.first_agrees == (places[0][:, 0] == places[1][:, 0]).sum()
    close(found.overlap, common.mean() / 5)


def test_what_cannot_be_compared():
    for arguments, status in (
        (([1, 2], [1]), "MISMATCH"),
        (([1.0], [1j]), "MISMATCH"),
        ((np.array(["a"]), np.array(["a"])), "UNSUPPORTED"),
    ):
        with pytest.raises(Error) as caught:
            numerics.compare(*arguments)
        assert caught.value.status == status
    for call in (
        lambda: numerics.closeness([1.0], [1.0], rtol=-1),
        lambda: numerics.steps([1.0], [1.0], 0),
        lambda: numerics.top_k([1.0], [1.0], 65),
        lambda: numerics.top_k([1.0], [1.0], -1),
        lambda: numerics.top_k([1.0], [1.0], 2**32 + 1),
    ):
        with pytest.raises(Error) as caught:
            call()
        assert caught.value.status == "INVALID_ARGUMENT"
    with pytest.raises(Error):
        numerics.ulps([1], [1])


def test_empty_and_single_numbers():
    found = numerics.compare(np.zeros((0, 3)), np.zeros((0, 3)))
    assert found.count == 0 and math.isnan(found.mse) and math.isnan(found.snr_db)
    found = numerics.compare(2.0, 3.0)
    assert found.count == 1 and found.mse == 1 and found.max_abs_error_index == 0
    assert found == numerics.compare(2.0, 3.0) and found != numerics.compare(2.0, 2.5)
    assert "mse=1.0" in repr(found) and found.as_dict()["max_abs_error"] == 1


def test_torch_tensors_are_read_in_place():
    torch = pytest.importorskip("torch")
    a = torch.arange(24, dtype=torch.bfloat16).reshape(2, 3, 4)
    b = a.clone()
    b[1, 2, 3] = 25
    found = numerics.compare(a, b)
    assert found.max_abs_error == 2 and found.max_abs_error_index == 23
    assert numerics.compare(a.permute(2, 0, 1), b.permute(2, 0, 1)).unequal_count == 1
