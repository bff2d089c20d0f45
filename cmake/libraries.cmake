# libetscope (static and shared) from the host components; from those for devices libetscope_trace,
# and libetscope_verify, which judges outputs by a bundled program (verify.h).

set(ets_host_components base trace host format numerics verify record reference inspect compare gap
    engine views output)
set(ets_host_objects)
foreach(component ${ets_host_components})
  if(TARGET ets_${component})
    list(APPEND ets_host_objects $<TARGET_OBJECTS:ets_${component}>)
  endif()
endforeach()

add_library(etscope_static STATIC ${ets_host_objects})
add_library(etscope_shared SHARED ${ets_host_objects})
foreach(library etscope_static etscope_shared)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME etscope)
  target_include_directories(${library} PUBLIC ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${library} PRIVATE ets_compile_options PUBLIC m ${CMAKE_DL_LIBS})
  if(ETS_WITH_RECORD)
    target_link_libraries(${library} PUBLIC ZLIB::ZLIB)
  endif()
endforeach()
set_target_properties(etscope_shared PROPERTIES
  LINKER_LANGUAGE C # as for the program: nothing of the C++ runtime is used
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map)
target_link_options(etscope_shared PRIVATE
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)

if(TARGET ets_trace)
  add_library(etscope_trace STATIC $<TARGET_OBJECTS:ets_trace> $<TARGET_OBJECTS:ets_base>
    $<TARGET_OBJECTS:ets_numerics>)
  target_include_directories(etscope_trace PUBLIC ${PROJECT_SOURCE_DIR}/include)
endif()

add_library(etscope_verify STATIC $<TARGET_OBJECTS:ets_verify> $<TARGET_OBJECTS:ets_format>
  $<TARGET_OBJECTS:ets_numerics> $<TARGET_OBJECTS:ets_base>)
target_include_directories(etscope_verify PUBLIC ${PROJECT_SOURCE_DIR}/include)
