# The borders between the folders, the exported symbols, and that the checker sees violations.
if(Python3_FOUND)
  add_test(NAME layers
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers.py
                   --build ${PROJECT_BINARY_DIR})
  add_test(NAME test_launcher COMMAND ${Python3_EXECUTABLE} -m unittest test_launcher
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME layers_checker COMMAND ${Python3_EXECUTABLE} -m unittest test_layers
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(layers_checker PROPERTIES
    ENVIRONMENT "CC=${CMAKE_C_COMPILER};PYTHONDONTWRITEBYTECODE=1")
endif()
