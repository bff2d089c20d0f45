# cmake -DSCRIPT=... -DOUTPUT=... -P apple_exports.cmake: the names that a version script exports, one a
# line, with the underscore that names of C have in Apple's object files.
file(READ ${SCRIPT} script)
string(REGEX REPLACE ".*global:(.*)local:.*" "\\1" names "${script}")
string(REGEX MATCHALL "[A-Za-z0-9_*]+" names "${names}")
list(TRANSFORM names PREPEND "_")
list(JOIN names "\n" names)
file(WRITE ${OUTPUT} "${names}\n")
