#include "cli/bound/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli/bound/bound_curves.h"
#include "cli/ui/inputs.h"
#include "cli/ui/units.h"
#include "engine/base/file_bytes.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/load_network.h"
#include "engine/program/bound/program_answer.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

constexpr double kHuge = 1e18;
constexpr double kLeast = 1e-9;  // least value of what must be above 0

// Words, or bytes with their unit.
Shape capacity() {
  return shape::either({shape::number(0, static_cast<double>(kMaxCapacity)), shape::text(kBytePattern)});
}

Shape positive() { return shape::number(kLeast, kHuge); }

// The keys of the map; complaints are added to `errors`.
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

namespace {

// Words, or bytes with their unit.
std::optional<u64> capacity_at(const YamlNode& node, const char* key, double word_size, Diagnostics& errors) {
  const auto words = parse_words(node.text(), word_size);
  if (!words) errors.push_back(node.error(fmt::format("{} = {}, must be {}", key, node.text(), capacity_notation())));
  return words;
}

u64 read_capacity(FieldReader& map, const Measure* measure, double word_size, Diagnostics& errors) {
  const auto node = map.child("at");
  if (!node && measure != nullptr && measure->takes_capacity)
    map.error(fmt::format("measure {} needs 'at', {}", measure->name, capacity_notation()));
  if (!node) return 0;
  if (measure != nullptr && !measure->takes_capacity)
    errors.push_back(node->error(fmt::format("'at' does not go with {}", measure->name)));
  const u64 words = capacity_at(*node, "at", word_size, errors).value_or(1);
  if (words == 0) errors.push_back(node->error("at = 0, must be at least 1"));
  return words;
}

// A preset, a text, or a file beside the experiment; a network or a C program.
void read_workload(FieldReader& map, ExperimentRow& row, Diagnostics& errors) {
  const std::optional<std::string> what = map.string("workload");
  if (!what) return;
  row.workload = *what;
  const YamlNode node = *map.child("workload");
  const bool program = is_program(*what);
  if (row.measure != nullptr && row.measure->of_program != program)
    errors.push_back(node.error(fmt::format("workload '{}' does not go with measure {}, which is of {}", *what,
                                            row.measure->name, program ? "networks" : "C programs")));
  if (program) {
    row.program = named_file(node.file(), *what, true);
    return;
  }
  const bool path_like = what->find(".yaml") != std::string::npos || what->find(".onnx") != std::string::npos;
  Result<Network> network = load_network(named_file(node.file(), *what, path_like), {}, Wanted::Edges);
  if (!network) {
    errors.insert(errors.end(), network.errors().begin(), network.errors().end());
    errors.push_back(node.error(fmt::format("workload '{}' cannot be read", *what)));
    return;
  }
  row.network = *std::move(network);
  for (const Diagnostic& error : refuse_word_bits(row.network, "an experiment with word_sizes of its own"))
    errors.push_back(node.error(error.message));
  if (row.measure != nullptr && row.measure->take != nullptr && row.network.layers.size() != 1)
    errors.push_back(node.error(fmt::format("measure {} is of one layer, {} has {}: must be preset/layer",
                                            row.measure->name, *what, row.network.layers.size())));
}

// {Outputs: 2}: words that one element of a tensor takes.
void read_word_sizes(const YamlNode& node, ExperimentRow& row, Diagnostics& errors) {
  MapReader map(node, errors);
  if (row.network.layers.size() != 1) return;
  const Workload& workload = row.network.layers.front().workload;
  row.word_sizes.assign(workload.tensors.size(), 1);
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    row.word_sizes[v] = map.number(workload.tensors[v].name, kLeastWordSize, kMostWordSize).value_or(1);
  map.finish();
}

// {N: 1000, M: 500}
void read_parameters(const YamlNode& node, ExperimentRow& row, Diagnostics& errors) {
  MapReader map(node, errors);
  for (const std::string& name : node.keys())
    row.parameters.emplace_back(name, map.integer(name, 1, kMostParameter).value_or(1));
  map.finish();
}

// [8192, 256 KiB]: at least two, ascending.
void read_memories(const YamlNode& node, ExperimentRow& row, double word_size, Diagnostics& errors) {
  for (std::size_t i = 0; node.is_sequence() && i < node.size(); ++i)
    row.memories.push_back(capacity_at(node.at(i), "memories", word_size, errors).value_or(i + 1));
  if (row.memories.size() < 2 || !std::ranges::is_sorted(row.memories))
    errors.push_back(node.error("memories must be a list of two or more capacities, the innermost and smallest first"));
}

// The keys that only some measures understand.
void read_keys(FieldReader& map, ExperimentRow& row, const Experiment& experiment, Diagnostics& errors) {
  row.imperfect = map.boolean("imperfect").value_or(false);
  row.published_templates = map.boolean("published_templates").value_or(false);
  row.rule = {!map.boolean("loads").value_or(false), map.boolean("outputs_read").value_or(false)};
  row.processors = static_cast<u64>(map.integer("processors").value_or(1));
  row.accumulator = static_cast<u64>(map.integer("accumulator").value_or(8192));
  row.generation = map.number("generation").value_or(1);
  if (const auto node = map.child("word_sizes")) read_word_sizes(*node, row, errors);
  if (const auto node = map.child("param")) read_parameters(*node, row, errors);
  if (const auto node = map.child("memories")) read_memories(*node, row, experiment.word_size, errors);
  if (row.measure == nullptr) return;
  const auto& known = row.measure->keys;
  for (const std::string_view key : {"imperfect", "published_templates", "loads", "outputs_read", "processors",
                                     "accumulator", "generation", "word_sizes", "memories", "param"})
    if (const auto node = map.child(key); node && std::ranges::find(known, key) == known.end())
      errors.push_back(node->error(fmt::format("'{}' does not go with measure {}", key, row.measure->name)));
  if (std::ranges::find(known, "memories") != known.end() && row.memories.empty())
    map.error(fmt::format("measure {} needs 'memories', a list of capacities", row.measure->name));
}

ExperimentRow read_row(const YamlNode& node, const Experiment& experiment, Diagnostics& errors) {
  ExperimentRow row;
  FieldReader map(node, experiment_row_fields(), errors);
  row.place = node.error("");
  row.what = map.string("what").value_or("");
  row.note = map.string("note").value_or("");
  if (const auto name = map.choice("measure")) row.measure = find_measure(*name);
  read_workload(map, row, errors);
  row.at = read_capacity(map, row.measure, experiment.word_size, errors);
  row.paper = map.number("paper");
  row.within = map.number("within");
  row.to = map.number("to");
  row.less_is_better = map.boolean("less_is_better").value_or(false);
  row.expected = map.number("ours");
  row.because = map.string("because").value_or("");
  if (row.paper.has_value() != row.within.has_value())
    map.error("'paper', a published number, and 'within', a relative tolerance, go together");
  if (!row.paper && (row.to || row.expected || row.less_is_better || !row.because.empty()))
    map.error("'to', 'less_is_better', 'ours' and 'because' are about 'paper'");
  if (row.paper && row.to && *row.to <= *row.paper) map.error("'to' must be above 'paper', the lower end of the range");
  if (row.expected.has_value() == row.because.empty())
    map.error("'ours', our number where it differs, and 'because', the reason, go together");
  read_keys(map, row, experiment, errors);
  if (!experiment.chip && row.measure != nullptr && row.measure->of_chip)
    errors.push_back(node.error(fmt::format("measure {} needs a 'chip'", row.measure->name)));
  map.finish();
  return row;
}

}  // namespace

std::string_view name(RowVerdict verdict) {
  constexpr std::array<std::string_view, 5> kNames{"", "same", "better", "differs", "outside"};
  return kNames[at(verdict)];
}

RowVerdict ExperimentRow::verdict() const {
  if (!paper) return RowVerdict::None;
  const auto inside = [&](double low, double high) {
    return ours >= low * (1 - *within) && ours <= high * (1 + *within);
  };
  if (expected) return inside(*expected, *expected) ? RowVerdict::Differs : RowVerdict::Outside;
  if (inside(*paper, to.value_or(*paper))) return RowVerdict::Same;
  return less_is_better && ours < *paper ? RowVerdict::Better : RowVerdict::Outside;
}

Result<Experiment> read_experiment(const std::string& path) {
  const Result<YamlNode> root = YamlNode::load_file(path);
  if (!root) return root.errors();
  Diagnostics errors;
  Experiment out;
  FieldReader map(*root, experiment_fields(), errors);
  out.name = map.string("name").value_or(std::filesystem::path(path).stem().string());
  map.ignore("source");
  if (const auto size = map.child("word_size")) {
    const auto bytes = parse_word_bytes(size->text());
    if (!bytes) errors.push_back(size->error(fmt::format("word_size = {}, must be {}", size->text(), kWordBytes)));
    out.word_size = bytes.value_or(1);
  }
  if (const auto chip = map.child("chip")) out.chip = read_chip(*chip, errors);
  if (const auto rows = map.child("rows")) {
    if (!rows->is_sequence() || rows->size() == 0)
      errors.push_back(rows->error("rows must be a list of {what, workload, measure, ..}"));
    for (std::size_t i = 0; rows->is_sequence() && i < rows->size(); ++i)
      out.rows.push_back(read_row(rows->at(i), out, errors));
  }
  map.finish();
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace heliolite::cli
