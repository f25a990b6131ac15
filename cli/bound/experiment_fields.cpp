#include "cli/bound/experiment_fields.h"

#include <algorithm>
#include <utility>

#include "cli/bound/bound_unit.h"
#include "cli/bound/experiment_measures.h"
#include "cli/ui/word_units.h"
#include "engine/base/field_reader.h"
#include "engine/base/text.h"
#include "engine/program/bound/program_answer.h"

namespace heliolite::cli {
namespace {

constexpr double kHuge = 1e18;
constexpr double kLeast = 1e-9;  // least value of what must be above 0

// Words, or bytes with their unit.
Shape capacity() {
  return shape::either({shape::number(0, static_cast<double>(kMaxCapacity)), shape::text(kBytePattern)});
}

Shape positive() { return shape::number(kLeast, kHuge); }

}  // namespace

const FieldTable& experiment_fields() {
  static const FieldTable table{
      "experiment",
      "Numbers of bounds, beside those of a publication.",
      {{"name", shape::text(), "Title.", "", "the file's name"},
       {"source", shape::any(), "The publication, for readers."},
       {"word_size", shape::number(kLeastWordBytes, kMostWordBytes), "Bytes in a word of capacities with a unit.",
        "bytes", "1"},
       {"chip", shape::map(chip_fields()), "The chip of measures that divide one."},
       required({"rows", shape::list(shape::map(experiment_row_fields())), "What is measured."})}};
  return table;
}

const FieldTable& experiment_row_fields() {
  static const FieldTable table{
      "row",
      "One number: of what, and what the publication has for it.",
      {required({"what", shape::text(), "What the number is, in words."}),
       {"note", shape::text(), "A remark."},
       required({"measure", shape::one_of(measure_names()), "What is measured."}),
       required({"workload", shape::text(), "What -w takes, or a C program; files stand beside this one."}),
       {"at", capacity(), "Capacity at which it is measured: words, or bytes with their unit.", "words"},
       {"paper", shape::number(0, kHuge), "The published number; with within."},
       {"within", shape::number(0, 1), "Relative tolerance."},
       {"to", shape::number(0, kHuge), "Upper end, where a range was published."},
       {"less_is_better", shape::boolean(), "A number below the published one is no failure.", "", "false"},
       {"ours", shape::number(0, kHuge), "Our number where it differs from the published one; with because."},
       {"because", shape::text(), "Why it differs."},
       {"imperfect", shape::boolean(), "Of measures on curves: also tiles that do not divide the sizes.", "", "false"},
       {"published_templates", shape::boolean(), "Of fused chains: only the templates that were published.", "",
        "false"},
       {"loads", shape::boolean(), "Of tilings: loads alone are counted, stores are not.", "", "false"},
       {"outputs_read", shape::boolean(), "Of tilings: outputs are read before they are written.", "", "false"},
       {"processors", shape::integer(1, 1 << 20), "Of parallel bounds.", "", "1"},
       {"accumulator", shape::integer(1, 1 << 30), "Words of the accumulator, of measures that have one.", "words",
        "8192"},
       {"generation", shape::number(0, 1e6), "Words that a generated word costs.", "", "1"},
       {"word_sizes", shape::names(shape::number(kLeastWordSize, kMostWordSize)),
        "Words that an element of each tensor takes.", "", "1"},
       {"param", shape::names(shape::integer(1, kMostParameter)), "Parameters of the C program."},
       {"memories", shape::list(capacity()), "Capacities of a hierarchy, the innermost and smallest first."}}};
  return table;
}

const FieldTable& chip_fields() {
  static const FieldTable table{
      "chip",
      "A chip whose area is divided between a buffer and compute units.",
      {{"area", positive(), "Area of the chip; the same as area_mm2.", "mm2"},
       {"area_mm2", positive(), "Area of the chip.", "mm2"},
       required({"mac_um2", positive(), "Area of a multiply-accumulate unit.", "um2"}),
       required({"word_um2", positive(), "Area of a word of the buffer.", "um2"}),
       required({"hertz", positive(), "Clock.", "Hz"}),
       required({"words_per_second", positive(), "Bandwidth of the memory outside.", "words per second"}),
       {"roof_operations", shape::number(1, kHuge), "Operations that the memory's roof counts.", "", "MACs"}}};
  return table;
}

ChipQuestion read_chip(const YamlNode& node, Diagnostics& errors) {
  constexpr double kSquareMicrometres = 1e6;  // in a square millimetre
  ChipQuestion question;
  FieldReader map(node, chip_fields(), errors);
  const auto positive = [&](const char* key) { return map.number(key).value_or(1); };
  const bool short_name = map.child("area").has_value();  // short for area_mm2
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
