# Writes the folder OUTPUT: SOURCE/include/heliolite as OUTPUT/heliolite, and what its headers include of the tree,
# directly or through others, as OUTPUT/heliolite/internal. Quoted includes then say "heliolite/internal/..": a program
# needs one include folder, and no name of a header of ours can be taken for one of its own.
#
# cmake -DSOURCE=. -DOUTPUT=build/.. -P cmake/PublicHeaders.cmake
cmake_minimum_required(VERSION 3.25)
file(GLOB pending RELATIVE ${SOURCE} ${SOURCE}/include/heliolite/*.h)
set(seen "")
file(REMOVE_RECURSE ${OUTPUT})
while(pending)
  list(POP_FRONT pending header)
  if(header IN_LIST seen)
    continue()
  endif()
  list(APPEND seen ${header})
  file(READ ${SOURCE}/${header} text)
  string(REGEX MATCHALL "\n#include \"[^\"]+\"" includes "${text}")
  list(TRANSFORM includes REPLACE "\n#include \"([^\"]+)\"" "\\1")
  list(APPEND pending ${includes})
  string(REGEX REPLACE "(\n#include \")" "\\1heliolite/internal/" text "${text}")
  if(header MATCHES "^include/(heliolite/.*)")
    file(WRITE ${OUTPUT}/${CMAKE_MATCH_1} "${text}")
  else()
    file(WRITE ${OUTPUT}/heliolite/internal/${header} "${text}")
  endif()
endwhile()
