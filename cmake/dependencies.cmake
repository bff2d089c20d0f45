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

find_path(SQLITE3_INCLUDE_DIR sqlite3.h)
if(SQLITE3_INCLUDE_DIR)
  set(ETS_WITH_SQL ON)
else()
  set(ETS_WITH_SQL OFF)
  message(STATUS "SQL is left out: it needs libsqlite3-dev")
endif()

# The Python package is built over the executorch beside it, unless one is named.
set(ETS_RUNTIME_IS_BESIDE OFF)
if(SKBUILD AND NOT EXECUTORCH_ROOT AND DEFINED ENV{EXECUTORCH_ROOT})
  set(EXECUTORCH_ROOT $ENV{EXECUTORCH_ROOT})
elseif(SKBUILD AND NOT EXECUTORCH_ROOT)
  find_package(Python3 COMPONENTS Interpreter)
  execute_process(
    COMMAND ${Python3_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_path('platlib'))"
    OUTPUT_VARIABLE ets_site_packages OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(EXISTS ${ets_site_packages}/executorch/lib/libexecutorch${CMAKE_SHARED_LIBRARY_SUFFIX})
    set(EXECUTORCH_ROOT ${ets_site_packages}/executorch)
    set(ETS_RUNTIME_IS_BESIDE ON)
  endif()
endif()

# The wheel has shared libraries; a build of one's own may have archives.
file(GLOB ets_runtime ${EXECUTORCH_ROOT}/lib/libexecutorch${CMAKE_SHARED_LIBRARY_SUFFIX}
  ${EXECUTORCH_ROOT}/lib/libexecutorch.a)
if(EXECUTORCH_ROOT AND ets_runtime)
  set(ETS_WITH_ENGINE ON)
else()
  set(ETS_WITH_ENGINE OFF)
  message(STATUS "The engine is left out: EXECUTORCH_ROOT names no ExecuTorch runtime")
endif()
