"""Writes tests/unit/support/test_language_numbers.h: what kernels of language models compute.

    python make_kernels.py > ../../unit/support/test_language_numbers.h

Needs torch and executorch, whose library of custom operators has the kernels. The inputs are
`ramp`, which the test computes as well.
"""

import executorch.exir.passes._quant_patterns_and_replacements  # noqa: F401
import executorch.extension.llm.custom_ops.custom_ops  # noqa: F401
import torch

LLAMA = torch.ops.llama
DECOMPOSED = torch.ops.quantized_decomposed


def whole(seed, *sizes):
    """Integers from -32 to 31, the same as the test's."""
    count = torch.Size(sizes).numel()
    places = torch.arange(count, dtype=torch.int64)
    return ((places * places * 29 + places * 37 + seed * 11) % 64 - 32).reshape(sizes)


def ramp(seed, *sizes):
    return whole(seed, *sizes).to(torch.float32) / 16


def attention(heads, groups, rows, start, causal, size=4, room=8, scale=None):
    return LLAMA.custom_sdpa(ramp(1, 1, rows, heads, size), ramp(2, 1, room, groups, size),
                             ramp(3, 1, room, groups, size), start, None, 0.0, causal, scale)


def with_cache(rows, start):
    keys, values = ramp(4, 1, 8, 2, 4), ramp(5, 1, 8, 2, 4)
    result = LLAMA.sdpa_with_kv_cache(ramp(1, 1, rows, 4, 4), ramp(2, 1, rows, 2, 4),
                                      ramp(3, 1, rows, 2, 4), keys, values, start, rows, None, 0.0,
                                      True, None)
    return result, keys, values


def quantized(rows, start, last):
    """int8 with a scale and zero point each; `last`: positions behind heads."""
    def tensors(seed, positions, heads):
        sizes = (1, heads, positions) if last else (1, positions, heads)
        return (whole(seed, *sizes, 8).to(torch.int8), whole(seed + 1, *sizes, 1).to(torch.int8),
                (whole(seed + 2, *sizes, 1).to(torch.float32) + 40) / 512)
    q, k, v = tensors(1, rows, 4), tensors(4, 8, 4), tensors(7, 8, 4)
    return LLAMA.custom_quantized_sdpa(q[0], k[0], v[0], start, None, 0.0, True, None,
                                       q[1], q[2], k[1], k[2], v[1], v[2], last)


def updated(indices):
    cache, value = ramp(1, 2, 5, 1, 2), ramp(2, 2, 2, 1, 2)
    if indices is None:
        LLAMA.update_cache(value, cache, 3)
    else:
        LLAMA.update_cache_with_indices(value, cache, 0, torch.tensor(indices))
    return cache


def embedding(name, bits, groups, zeros):
    packed = (whole(1, 6, 8) * 5 + 160).to(torch.uint8)
    table = whole(1, 6, 8).to(torch.int8) if bits == 8 else packed
    zero = ramp(3, 6, groups) if zeros else None
    limit = 1 << (bits - 1)
    return getattr(DECOMPOSED, name)(table, ramp(2, 6, groups), zero, -limit, limit - 1,
                                     torch.tensor([[5, 0, 3]]))


def tokens():
    x = ramp(1, 1, 3, 8)
    scale, zero = DECOMPOSED.choose_qparams_per_token_asymmetric(x, torch.int8)
    integers = DECOMPOSED.quantize_per_token(x, scale, zero, -128, 127, torch.int8)
    back = DECOMPOSED.dequantize_per_token(integers, scale, zero, -128, 127, torch.int8,
                                           torch.float32)
    symmetric = DECOMPOSED.choose_qparams_per_token(x, torch.int8)[0]
    return scale, zero, integers, back, symmetric


def cases():
    yield "prefill", attention(4, 2, 3, 0, True)
    yield "decode", attention(4, 2, 1, 5, True)
    yield "middle", attention(2, 2, 3, 4, True)
    yield "one_group", attention(4, 1, 2, 6, True, scale=0.25)
    yield "not_causal", attention(2, 1, 2, 3, False)
    yield "masked", LLAMA.custom_sdpa(ramp(1, 1, 2, 2, 4), ramp(2, 1, 6, 1, 4), ramp(3, 1, 6, 1, 4),
                                      0, ramp(4, 2, 6), 0.0, False, None)
    for name, result in zip(("stepped", "stepped_keys", "stepped_values"), with_cache(2, 3)):
        yield name, result
    yield "int8", quantized(2, 3, False)
    yield "int8_heads_first", quantized(2, 3, True)
    yield "updated", updated(None)
    yield "updated_by_indices", updated([[4, 0], [2, 2]])
    yield "hadamard_8", LLAMA.fast_hadamard_transform(ramp(1, 2, 8))
    yield "hadamard_56", LLAMA.fast_hadamard_transform(ramp(1, 1, 56))
    yield "bytes", embedding("embedding_byte", 8, 1, True)
    yield "halves", embedding("embedding_4bit", 4, 2, False)
    yield "quarters", embedding("embedding_2bit", 2, 4, True)
    for name, result in zip(("token_scale", "token_zero", "token_integers", "token_numbers",
                             "token_symmetric"), tokens()):
        yield name, result


def main():
    print("/* Written by tests/data/language/make_kernels.py: numbers of executorch's kernels. */")
    print("#ifndef ETSCOPE_TESTS_LANGUAGE_NUMBERS_H\n#define ETSCOPE_TESTS_LANGUAGE_NUMBERS_H\n")
    print("/* clang-format off */")
    for name, tensor in cases():
        numbers = [f"{number:.9g}" for number in tensor.flatten().tolist()]
        print(f"static const double {name}_numbers[{len(numbers)}] = {{")
        for at in range(0, len(numbers), 6):
            print("    " + ", ".join(numbers[at:at + 6]) + ",")
        print("};")
    print("/* clang-format on */\n\n#endif")


if __name__ == "__main__":
    main()
