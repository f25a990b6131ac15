#include "cli/bound/experiment_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "cli/bound/bound_unit.h"
#include "cli/bound/experiment_fields.h"
#include "cli/bound/experiment_measures.h"
#include "cli/ui/read_arguments.h"
#include "cli/ui/word_units.h"
#include "engine/base/field_reader.h"
#include "engine/base/file_bytes.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/load_network.h"
#include "engine/program/bound/program_answer.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
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
