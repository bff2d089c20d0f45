# What `cmake --install` puts below the prefix: the program, the libraries with their headers and
# pkg-config files, the engine, man pages and shell completions. The component program is what a
# Debian package has of it.
include(GNUInstallDirs)

install(TARGETS ${ets_reader_libraries}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/etscope
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET etscope)
  install(TARGETS etscope RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()

# What a static link needs. (The JSON reader is C++ that uses nothing of the C++ runtime.)
set(ets_private_requires)
set(ets_private_libraries "-lm")
if(CMAKE_DL_LIBS)
  string(APPEND ets_private_libraries " -l${CMAKE_DL_LIBS}")
endif()
if(ETS_WITH_RECORD)
  set(ets_private_requires zlib)
endif()
file(RELATIVE_PATH ets_prefix_of_pkgconfig /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" ets_prefix_of_pkgconfig "${ets_prefix_of_pkgconfig}")
set(ets_pkgconfig_files etscope.pc)
if(TARGET etscope_trace)
  install(TARGETS etscope_trace etscope_verify ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  list(APPEND ets_pkgconfig_files etscope_trace.pc)
endif()
foreach(file ${ets_pkgconfig_files})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${file}.in ${PROJECT_BINARY_DIR}/${file} @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# find_package(etscope), for readers of traces and for applications on devices; the same names serve
# projects that use add_subdirectory.
if(TARGET etscope_trace)
  include(CMakePackageConfigHelpers)
  set(ets_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/etscope)
  set(ets_reader_soname
    ${CMAKE_SHARED_LIBRARY_PREFIX}etscope${CMAKE_SHARED_LIBRARY_SUFFIX}.${PROJECT_VERSION_MAJOR})
  set(ets_reader_file
    ${CMAKE_SHARED_LIBRARY_PREFIX}etscope${CMAKE_SHARED_LIBRARY_SUFFIX})
  set(ets_trace_file
    ${CMAKE_STATIC_LIBRARY_PREFIX}etscope_trace${CMAKE_STATIC_LIBRARY_SUFFIX})
  set(ets_verify_file
    ${CMAKE_STATIC_LIBRARY_PREFIX}etscope_verify${CMAKE_STATIC_LIBRARY_SUFFIX})
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/etscope-config.cmake.in
    ${PROJECT_BINARY_DIR}/etscope-config.cmake
    INSTALL_DESTINATION ${ets_package_folder}
    PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/etscope-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/etscope-config.cmake
    ${PROJECT_BINARY_DIR}/etscope-config-version.cmake DESTINATION ${ets_package_folder})
  list(GET ets_reader_libraries -1 ets_reader_library) # the shared one, where there is one
  add_library(etscope::etscope ALIAS ${ets_reader_library})
  add_library(etscope::trace ALIAS etscope_trace)
  add_library(etscope::verify ALIAS etscope_verify)
  add_library(etscope_executorch INTERFACE)
  target_link_libraries(etscope_executorch INTERFACE etscope_trace)
  target_compile_features(etscope_executorch INTERFACE cxx_std_17)
  add_library(etscope::executorch ALIAS etscope_executorch)
  # ExecuTorch's own header names, which have to be found before ExecuTorch's headers.
  add_library(etscope_etdump INTERFACE)
  target_link_libraries(etscope_etdump INTERFACE etscope_executorch etscope_verify)
  target_include_directories(etscope_etdump BEFORE INTERFACE
    ${PROJECT_SOURCE_DIR}/include/etscope/compat)
  add_library(etscope::etdump ALIAS etscope_etdump)
endif()

# The program looks for the engine in ../lib/etscope. A runtime that lies in the build folder goes
# along with the engine; any other is used where it is.
if(TARGET etscope_engine)
  set(ets_plugins etscope_engine)
  if(TARGET etscope_llama)
    list(APPEND ets_plugins etscope_llama_stand_ins)
  endif()
  install(TARGETS ${ets_plugins} LIBRARY DESTINATION lib/etscope COMPONENT program)
  install(PROGRAMS ${ETS_LLAMA_LIBRARY} DESTINATION lib/etscope COMPONENT program OPTIONAL)
  install(FILES ${ETS_LLAMA_REASON} DESTINATION lib/etscope COMPONENT program)
  cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${EXECUTORCH_ROOT}" NORMALIZE ets_runtime_is_ours)
  if(ets_runtime_is_ours)
    file(GLOB runtime_libraries ${EXECUTORCH_ROOT}/lib/libexecutorch*${CMAKE_SHARED_LIBRARY_SUFFIX})
    # The engine does not link these two: they need a vendor's libraries.
    list(FILTER runtime_libraries EXCLUDE REGEX "backend_(openvino|qnn)")
    install(FILES ${runtime_libraries} DESTINATION lib/etscope COMPONENT program)
    set_target_properties(${ets_plugins} PROPERTIES INSTALL_RPATH "${ETS_OWN_FOLDER}")
  else()
    set_target_properties(${ets_plugins} PROPERTIES INSTALL_RPATH "${EXECUTORCH_ROOT}/lib")
  endif()
endif()

# What `make page` built, if it was: `etscope open` shows it.
install(FILES ${PROJECT_SOURCE_DIR}/build-wasm/etscope.html DESTINATION ${CMAKE_INSTALL_DATADIR}/etscope
  COMPONENT program OPTIONAL)

file(GLOB man_pages ${PROJECT_SOURCE_DIR}/docs/man/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
foreach(completion
    "etscope.bash|bash-completion/completions|etscope"
    "_etscope|zsh/site-functions|_etscope"
    "etscope.fish|fish/vendor_completions.d|etscope.fish")
  string(REPLACE "|" ";" completion "${completion}")
  list(GET completion 0 file)
  list(GET completion 1 folder)
  list(GET completion 2 name)
  if(EXISTS ${PROJECT_SOURCE_DIR}/docs/completions/${file})
    install(FILES ${PROJECT_SOURCE_DIR}/docs/completions/${file}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/${folder} RENAME ${name}
      COMPONENT program)
  endif()
endforeach()
