# WebAssembly with WASI preview 1, by Debian's clang; zlib, SQLite and headers lie in ETS_FOREIGN_ROOT
# (tools/wasm.sh).
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ETS_FOREIGN_ROOT)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_AR llvm-ar)
set(CMAKE_RANLIB llvm-ranlib)
set(CMAKE_FIND_ROOT_PATH ${ETS_FOREIGN_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ZLIB_LIBRARY ${ETS_FOREIGN_ROOT}/lib/libz.a CACHE FILEPATH "" FORCE)
set(ZLIB_INCLUDE_DIR ${ETS_FOREIGN_ROOT}/include CACHE PATH "" FORCE)
set(RAPIDJSON_INCLUDE_DIR ${ETS_FOREIGN_ROOT}/include CACHE PATH "" FORCE)
set(SQLITE3_INCLUDE_DIR ${ETS_FOREIGN_ROOT}/include CACHE PATH "" FORCE)
set(ETS_LINKED_SQLITE ${ETS_FOREIGN_ROOT}/lib/libsqlite3.a CACHE FILEPATH "" FORCE)
# Names of signals alone, and a clock of the process that is the wall's; the C++ that is used throws nothing, which this C++ library cannot.
set(CMAKE_C_FLAGS_INIT "-D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS")
set(CMAKE_CXX_FLAGS_INIT "-D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS -fno-exceptions")
# 8 MiB of stack, as on Linux, below all data so that its end is met by a trap; 4 GiB of memory.
set(CMAKE_EXE_LINKER_FLAGS_INIT
  "-lwasi-emulated-signal -lwasi-emulated-process-clocks -Wl,-z,stack-size=8388608,--stack-first,--max-memory=4294967296,--strip-all")
