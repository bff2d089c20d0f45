# cmake -DFOLDER=... -DOUTPUT=... -P page_assets.cmake: the page's script and style sheet as C arrays,
# each with its SHA-256.
set(text "/* Made by cmake/page_assets.cmake. */\n#include \"output/page/page_parts.h\"\n")
foreach(asset script:report.js style:report.css live:live.js)
  string(REGEX MATCH "^(.*):(.*)$" match ${asset})
  set(name ${CMAKE_MATCH_1})
  set(path ${FOLDER}/${CMAKE_MATCH_2})
  file(READ ${path} bytes HEX)
  file(SHA256 ${path} sum)
  foreach(list bytes sum)
    string(REGEX REPLACE "(..)" "0x\\1," ${list} "${${list}}")
  endforeach()
  string(APPEND text "static const uint8_t ${name}[] = {${bytes}};\n"
    "const struct ets_page_asset ets_page_${name} = {${name}, sizeof ${name}, {${sum}}};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
