# Optional parts are left out, with a note, where their packages are missing.

find_package(PkgConfig QUIET)
find_package(ZLIB QUIET)
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/reader.h)

if(ZLIB_FOUND AND RAPIDJSON_INCLUDE_DIR)
  set(ETS_WITH_RECORD ON)
else()
  set(ETS_WITH_RECORD OFF)
  message(STATUS "ETRecord support is left out: it needs zlib1g-dev and rapidjson-dev")
endif()

if(EXECUTORCH_ROOT AND EXISTS ${EXECUTORCH_ROOT}/lib/libexecutorch.so)
  set(ETS_WITH_ENGINE ON)
else()
  set(ETS_WITH_ENGINE OFF)
  message(STATUS "The engine is left out: EXECUTORCH_ROOT names no ExecuTorch runtime")
endif()
