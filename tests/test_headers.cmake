# Each public header by itself, as C11 and C++17, by the build's compilers and by clang where it is
# there, without a warning of those that users turn on.
add_test(NAME public_headers COMMAND ${CMAKE_COMMAND} -DHEADERS=${PROJECT_SOURCE_DIR}/include
  -DRUNTIME=${EXECUTORCH_ROOT} -DC_COMPILER=${CMAKE_C_COMPILER}
  -DCXX_COMPILER=${CMAKE_CXX_COMPILER} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/headers
  -P ${CMAKE_CURRENT_SOURCE_DIR}/compile_headers.cmake)
