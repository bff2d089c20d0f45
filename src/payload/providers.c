/* Backends and kernels that PyPI's runtime does not have, and what has them. */
#include "payload/providers.h"

#include <string.h>

/* What PyPI's wheels have beside what the engine links: Linux's two of them, macOS's two others. */
#ifdef __APPLE__
#define LIBRARY_OF_LINUX(file) NULL
#define LIBRARY_OF_MACOS(file) file
#define CUSTOM_OPERATORS "libcustom_ops_aot_lib.dylib"
#else
#define LIBRARY_OF_LINUX(file) file
#define LIBRARY_OF_MACOS(file) NULL
#define CUSTOM_OPERATORS "libcustom_ops_aot_lib.so"
#endif

#define BACKEND(name, builds)          \
    {                                  \
        name, NULL, NULL, builds, true \
    }

static const struct ets_provider providers[] = {
    {"QnnBackend", LIBRARY_OF_LINUX("libexecutorch_backend_qnn.so"), "Qualcomm's QNN SDK",
     "ExecuTorch for Qualcomm's processors (its wheel for Linux on x86_64)", true},
    {"OpenvinoBackend", LIBRARY_OF_LINUX("libexecutorch_backend_openvino.so"),
     "OpenVINO's libopenvino_c.so", "ExecuTorch with OpenVINO (its wheels for Linux)", true},
    {"CoreMLBackend", LIBRARY_OF_MACOS("libexecutorch_backend_coreml.dylib"), "macOS's Core ML",
     "ExecuTorch for macOS and iOS (its wheel for macOS, EXECUTORCH_BUILD_COREML)", true},
    BACKEND("CoreAIBackend", "ExecuTorch for macOS and iOS (EXECUTORCH_BUILD_COREAI)"),
    BACKEND("MPSBackend", "ExecuTorch for macOS and iOS (EXECUTORCH_BUILD_MPS)"),
    {"MLXBackend", LIBRARY_OF_MACOS("libexecutorch_backend_mlx.dylib"), "macOS's Metal",
     "ExecuTorch for Macs with Apple silicon (its wheel for macOS, EXECUTORCH_BUILD_MLX)", true},
    BACKEND("MetalBackend", "ExecuTorch for Macs (EXECUTORCH_BUILD_METAL)"),
    BACKEND("CudaBackend", "ExecuTorch for NVIDIA's graphics processors (EXECUTORCH_BUILD_CUDA)"),
    BACKEND("VulkanBackend",
            "ExecuTorch with Vulkan or WebGPU (EXECUTORCH_BUILD_VULKAN, EXECUTORCH_BUILD_WEBGPU)"),
    BACKEND("EthosUBackend",
            "firmware for Arm's Ethos-U, on a board or a Corstone simulator "
            "(EXECUTORCH_BUILD_ARM_BAREMETAL)"),
    BACKEND("ArmBackend", "firmware of ExecuTorch 0.6 or before for Arm's Ethos-U"),
    BACKEND("VgfBackend", "ExecuTorch with Arm's ML SDK for Vulkan (EXECUTORCH_BUILD_VGF)"),
    BACKEND("TOSABackend",
            "no runtime: TOSA is an interchange format, which Arm's TOSA reference "
            "model executes"),
    BACKEND(
        "NeuropilotBackend",
        "ExecuTorch for MediaTek's processors with its NeuroPilot SDK (EXECUTORCH_BUILD_NEURON)"),
    BACKEND("EnnBackend", "ExecuTorch for Samsung's Exynos, with its ENN SDK"),
    BACKEND("NeutronBackend", "ExecuTorch for NXP's eIQ Neutron (EXECUTORCH_BUILD_NXP_NEUTRON)"),
    BACKEND("NativeBackend", "ExecuTorch built from source with backends/native"),
    {"llama::", CUSTOM_OPERATORS, NULL, NULL, false},
    {"preprocess::", CUSTOM_OPERATORS, NULL, NULL, false},
    {"cortex_m::", NULL, NULL, "ExecuTorch for Cortex-M (EXECUTORCH_BUILD_CORTEX_M)", false},
    {"cadence::", NULL, NULL, "ExecuTorch for Cadence's DSPs (EXECUTORCH_BUILD_CADENCE)", false},
};
enum { PROVIDER_COUNT = sizeof providers / sizeof *providers };

const struct ets_provider *ets_provider_at(size_t index)
{
    return index < PROVIDER_COUNT ? &providers[index] : NULL;
}

const struct ets_provider *ets_provider_of(const char *name)
{
    for (size_t i = 0; i < PROVIDER_COUNT; i++) {
        if (strstr(name, providers[i].part) != NULL) return &providers[i];
    }
    return NULL;
}
