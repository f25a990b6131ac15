#include "cli/bound/chip_yaml.h"

#include <algorithm>
#include <utility>

#include "cli/bound/experiment_fields.h"
#include "engine/base/field_reader.h"

namespace heliolite::cli {

ChipQuestion read_chip(const YamlNode& node, Diagnostics& errors) {
  constexpr double kSquareMicrometres = 1e6;  // in a square millimetre
  ChipQuestion question;
  FieldReader map(node, chip_fields(), errors);
  const auto positive = [&](const char* key) { return map.number(key).value_or(1); };
  const bool short_name = map.child("area").has_value();  // the same, in mm^2 too
  const bool long_name = map.child("area_mm2").has_value();
  if (short_name && long_name) map.error("area and area_mm2 are the same, give one of them");
  if (!short_name) map.needed("area_mm2");
  question.chip.area_um2 = kSquareMicrometres * positive(short_name ? "area" : "area_mm2");
  question.chip.mac_um2 = positive("mac_um2");
  question.chip.word_um2 = positive("word_um2");
  question.chip.hertz = positive("hertz");
  question.chip.words_per_second = positive("words_per_second");
  question.roof_operations = map.number("roof_operations");
  map.finish();
  return question;
}

Result<ChipQuestion> load_chip(const std::string& text) {
  const auto root = [&]() -> Result<YamlNode> {
    if (text.find('=') == std::string::npos) return YamlNode::load_file(text);
    std::string map = text;  // "a=1,b=2" as the YAML map {a: 1, b: 2}
    for (std::size_t at = map.find('='); at != std::string::npos; at = map.find('=', at)) map.replace(at, 1, ": ");
    return YamlNode::parse("{" + map + "}", "--chip");
  }();
  if (!root) return root.errors();
  Diagnostics errors;
  ChipQuestion question = read_chip(*root, errors);
  if (!errors.empty()) return errors;
  return question;
}

}  // namespace heliolite::cli
