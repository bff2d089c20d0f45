# Builds for macOS on another system with Zig's compiler, headers and linker; tools/macos_setup.sh
# fetched them into ETS_MACOS_ROOT. ETS_MACOS names the processor: arm64 or x86_64. What is built was not
# made with Apple's tools, is not signed, and cannot be run here.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ETS_MACOS ETS_MACOS_ROOT)

set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR ${ETS_MACOS})
set(CMAKE_C_COMPILER ${ETS_MACOS_ROOT}/bin/${ETS_MACOS}-cc)
set(CMAKE_CXX_COMPILER ${ETS_MACOS_ROOT}/bin/${ETS_MACOS}-c++)
set(CMAKE_AR ${ETS_MACOS_ROOT}/bin/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${ETS_MACOS_ROOT}/bin/ranlib CACHE FILEPATH "")
set(CMAKE_INSTALL_NAME_TOOL ${ETS_MACOS_ROOT}/bin/install_name_tool CACHE FILEPATH "")
set(CMAKE_OSX_SYSROOT "" CACHE PATH "")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY) # a program in C++ would first build a C++ library
set(CMAKE_FIND_ROOT_PATH ${ETS_MACOS_ROOT}/sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${ETS_MACOS_ROOT}/sysroot)
# The C++ library that the engine takes is the system's, of which Zig has none to link with.
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-Wl,-undefined,dynamic_lookup")
