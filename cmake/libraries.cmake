# libetscope (static and shared) from the host components; from those for devices libetscope_trace,
# and libetscope_verify, which judges outputs by a bundled program (verify.h). The shared one exports
# what public headers declare with ETS_API; in inner headers that is for Python's own library.

set(ets_host_components base operators trace host format numerics verify payload dump record import memory contents rewrite reference
    inspect compare cost partition gap engine arrow)
set(ets_host_objects)
foreach(component ${ets_host_components})
  if(TARGET ets_${component})
    list(APPEND ets_host_objects $<TARGET_OBJECTS:ets_${component}>)
  endif()
endforeach()

# ets_library(<target> STATIC|SHARED [<more objects>...])
function(ets_library target kind)
  add_library(${target} ${kind} ${ets_host_objects} ${ARGN})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${target} PRIVATE ets_compile_options PUBLIC m ${CMAKE_DL_LIBS}
    $<$<PLATFORM_ID:Windows>:ws2_32 advapi32>)
  if(ETS_WITH_RECORD)
    target_link_libraries(${target} PUBLIC ZLIB::ZLIB)
  endif()
  if(kind STREQUAL SHARED)
    set_target_properties(${target} PROPERTIES
      LINKER_LANGUAGE C) # as for the program: nothing of the C++ runtime is used
  endif()
endfunction()

file(GLOB_RECURSE ets_public_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/etscope/*.h)
set(ets_public_exports ${PROJECT_BINARY_DIR}/exports.map)
if(WIN32)
  set(ets_public_exports ${PROJECT_BINARY_DIR}/exports.def)
endif()
add_custom_command(OUTPUT ${ets_public_exports}
  COMMAND ${CMAKE_COMMAND} "-DHEADERS=${ets_public_headers}" -DOUTPUT=${ets_public_exports}
          -P ${PROJECT_SOURCE_DIR}/cmake/exports.cmake
  DEPENDS ${ets_public_headers} ${PROJECT_SOURCE_DIR}/cmake/exports.cmake
  VERBATIM)
add_custom_target(etscope_exports DEPENDS ${ets_public_exports})

ets_library(etscope_static STATIC)
set(ets_reader_libraries etscope_static)
get_property(ets_has_shared_libraries GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
if(ets_has_shared_libraries) # elsewhere CMake would make a second archive of the same name
  ets_library(etscope_shared SHARED)
  list(APPEND ets_reader_libraries etscope_shared)
  add_dependencies(etscope_shared etscope_exports)
  ets_export(etscope_shared ${ets_public_exports})
  set_target_properties(etscope_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endif()
set_target_properties(${ets_reader_libraries} PROPERTIES OUTPUT_NAME etscope)

if(TARGET ets_trace)
  add_library(etscope_trace STATIC $<TARGET_OBJECTS:ets_trace> $<TARGET_OBJECTS:ets_base>
    $<TARGET_OBJECTS:ets_numerics>)
  target_include_directories(etscope_trace PUBLIC ${PROJECT_SOURCE_DIR}/include)
endif()

add_library(etscope_verify STATIC $<TARGET_OBJECTS:ets_verify> $<TARGET_OBJECTS:ets_format>
  $<TARGET_OBJECTS:ets_numerics> $<TARGET_OBJECTS:ets_base>)
target_include_directories(etscope_verify PUBLIC ${PROJECT_SOURCE_DIR}/include)

# Views, what is known of some files, and tables, pictures, text and SQL of them: not for users of the library, whose interface
# would never settle.
set(ets_output_objects $<TARGET_OBJECTS:ets_generate> $<TARGET_OBJECTS:ets_quality> $<TARGET_OBJECTS:ets_views> $<TARGET_OBJECTS:ets_advice>
    $<TARGET_OBJECTS:ets_study> $<TARGET_OBJECTS:ets_catalogue> $<TARGET_OBJECTS:ets_output>)
add_library(etscope_output STATIC ${ets_output_objects})
target_include_directories(etscope_output PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(etscope_output PUBLIC etscope_static)
