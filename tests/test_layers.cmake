# The borders between the folders, the exported symbols, the size of recorded data, and that the
# checkers see violations; what tools tell of a new ExecuTorch; the tool that copies the library of
# llama:: kernels; and what is for macOS.
if(Python3_FOUND)
  add_test(NAME layers
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers.py
                   --build ${PROJECT_BINARY_DIR})
  add_test(NAME test_launcher COMMAND ${Python3_EXECUTABLE} -m unittest test_launcher
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME layers_checker COMMAND ${Python3_EXECUTABLE} -m unittest test_layers
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME data_size COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_data_size.py)
  add_test(NAME data_size_checker COMMAND ${Python3_EXECUTABLE} -m unittest test_data_size
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  add_test(NAME version_changes COMMAND ${Python3_EXECUTABLE} -m unittest test_version_changes
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(layers_checker PROPERTIES
    ENVIRONMENT "CC=${CMAKE_C_COMPILER};PYTHONDONTWRITEBYTECODE=1")
endif()
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME llama_operators COMMAND ${Python3_EXECUTABLE} -m unittest test_llama_operators
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(llama_operators PROPERTIES
    ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER};PYTHONDONTWRITEBYTECODE=1")
  ets_add_test(macos ${Python3_EXECUTABLE} -m unittest --verbose test_macos)
  set_tests_properties(macos PROPERTIES WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
endif()
