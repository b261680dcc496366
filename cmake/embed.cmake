# SPDX-License-Identifier: BSD-3-Clause
# embed.cmake - text files as constants of a C++ source: report.js becomes NAMESPACE::report_js
#
#   cmake -DOUT=FILE -DHEADER=FILE -DNAMESPACE=NAME "-DFILES=A;B" -P embed.cmake
set(source "// Made by cmake/embed.cmake\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  string(REPLACE "." "_" name ${name})
  file(READ ${file} text)
  string(APPEND source "const char* const ${name} = R\"embedded(${text})embedded\";\n\n")
endforeach()
file(WRITE ${OUT} "${source}}  // namespace ${NAMESPACE}\n")
