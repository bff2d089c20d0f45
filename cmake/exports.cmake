# cmake -DHEADERS=... -DOUTPUT=... -P exports.cmake: a version script that exports the functions
# which the headers declare with ETS_API.
set(names)
foreach(header IN LISTS HEADERS)
  file(READ ${header} text)
  string(REGEX MATCHALL "\nETS_API[^;(#]*[ *]ets_[a-z0-9_]+\\(" declarations "${text}")
  foreach(declaration IN LISTS declarations)
    string(REGEX MATCH "ets_[a-z0-9_]+\\($" name "${declaration}")
    string(REPLACE "(" ";" name ${name})
    string(APPEND names "    ${name}\n")
  endforeach()
endforeach()
file(WRITE ${OUTPUT} "{\n  global:\n${names}  local: *;\n};\n")
