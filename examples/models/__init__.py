"""The example models. Each file has a build() that returns its methods:

    {method name: (module, [inputs of test case 0, inputs of test case 1, ...])}

Weights and inputs come from fixed seeds, so an export can be repeated.
"""

from . import mlp, mobile_cnn, tiny_transformer

MODELS = {
    "mlp": mlp.build,
    "mobile_cnn": mobile_cnn.build,
    "tiny_transformer": tiny_transformer.build,
}
