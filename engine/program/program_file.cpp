#include "engine/program/program_file.h"

#include "engine/base/text_file.h"
#include "engine/program/program_build.h"
#include "engine/program/sketch_reader.h"

namespace heliolite {

Result<AffineProgram> parse_program(std::string_view text, const std::string& name) {
  const Result<ProgramSketch> sketch = read_sketch(text, name);
  if (!sketch) return sketch.errors();
  return build_program(*sketch);
}

Result<AffineProgram> load_program(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  return parse_program(*text, path);
}

}  // namespace heliolite
