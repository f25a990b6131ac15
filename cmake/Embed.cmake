# Writes OUTPUT: a C++ function FUNCTION() returning the names and texts of FILES (see heliolite_embed).
list(LENGTH FILES count)
set(entries "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content HEX)
  # Adjacent literals of 2 000 bytes each: short enough lines for every tool that looks at the file.
  string(LENGTH "${content}" hex_length)
  set(pieces "\"\"")
  set(at 0)
  while(at LESS hex_length)
    string(SUBSTRING "${content}" ${at} 4000 piece)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" piece "${piece}")
    string(APPEND pieces "\n        \"${piece}\"")
    math(EXPR at "${at} + 4000")
  endwhile()
  math(EXPR length "${hex_length} / 2")
  string(APPEND entries "      EmbeddedFile{\"${name}\", std::string_view(${pieces}, ${length})},\n")
endforeach()
file(WRITE ${OUTPUT} "// Generated from data files; see cmake/Embed.cmake.
#include \"engine/base/embedded.h\"

#include <array>

namespace heliolite {
std::span<const EmbeddedFile> ${FUNCTION}();

std::span<const EmbeddedFile> ${FUNCTION}() {
  static const std::array<EmbeddedFile, ${count}> files{
${entries}  };
  return files;
}
}  // namespace heliolite
")
