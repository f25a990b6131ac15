#include "cli/bound/experiment_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/ui/word_units.h"
#include "engine/base/text.h"
#include "engine/base/text_file.h"
#include "engine/base/yaml_node.h"
#include "workloads/load.h"

namespace heliolite::cli {
namespace {

constexpr double kHuge = 1e18;

// What can be measured; "at" is the capacity.
const std::vector<std::string>& measures() {
  static const std::vector<std::string> names{
      "accesses",   // at, of one layer
      "minimum",    // the algorithmic minimum
      "intensity",  // peak MACs a word
      "gap0",       // at: accesses / all operands
      "gap1",       // maximal effectual buffer / all operands
      "effectual",  // maximal effectual buffer, any levels
      "seconds",    // to compute the curve of one layer, here and now
      "unfused",   "fused",
      "reduction",  // at: unfused / fused
      "saved",      // at: unfused - fused
      "softmax",    // at: fused with whole rows / fused with incremental softmax
      "speedup",    // of the best fused chip over the best unfused one
      "area",       // share of the buffer that a fused chip saves at the speed of the best unfused one
      "optima",     // share of the buffer that the best fused chip saves against the best unfused one
  };
  return names;
}

// Words, or bytes with their unit.
u64 read_capacity(MapReader& map, const std::string& measure, double word_size, Diagnostics& errors) {
  const auto node = map.child("at");
  const bool needed = takes_capacity(measure);
  if (!node && needed) map.error(fmt::format("measure {} needs 'at', {}", measure, capacity_notation()));
  if (!node) return 0;
  if (!needed && !measure.empty()) errors.push_back(node->error(fmt::format("'at' does not go with {}", measure)));
  const auto words = parse_words(node->text(), word_size);
  if (!words) errors.push_back(node->error(fmt::format("at = {}, must be {}", node->text(), capacity_notation())));
  return words.value_or(0);
}

// A preset, a text, or a file beside the experiment.
void read_workload(MapReader& map, ExperimentRow& row, Diagnostics& errors) {
  const std::optional<std::string> what = map.required_string("workload");
  if (!what) return;
  row.workload = *what;
  const YamlNode node = *map.child("workload");
  const bool path_like = what->find(".yaml") != std::string::npos;
  Result<Network> network = load_network(named_file(node.file(), *what, path_like));
  if (!network) {
    errors.insert(errors.end(), network.errors().begin(), network.errors().end());
    errors.push_back(node.error(fmt::format("workload '{}' cannot be read", *what)));
    return;
  }
  row.network = *std::move(network);
  if (of_one_layer(row.measure) && row.network.layers.size() != 1)
    errors.push_back(node.error(fmt::format("measure {} is of one layer, {} has {}: must be preset/layer", row.measure,
                                            *what, row.network.layers.size())));
}

ExperimentRow read_row(const YamlNode& node, const Experiment& experiment, Diagnostics& errors) {
  ExperimentRow row;
  MapReader map(node, errors);
  row.what = map.required_string("what").value_or("");
  row.note = map.string("note").value_or("");
  const auto measure = map.required_string("measure");
  if (measure && std::ranges::find(measures(), *measure) == measures().end()) {
    errors.push_back(map.child("measure")->error(fmt::format(
        "measure = {}, must be one of {}{}", *measure, join(measures(), "or"), did_you_mean(*measure, measures()))));
  }
  row.measure = measure.value_or("");
  read_workload(map, row, errors);
  row.at = read_capacity(map, row.measure, experiment.word_size, errors);
  row.paper = map.number("paper", 0, kHuge);
  row.within = map.number("within", 0, 1);
  row.unchecked = map.string("unchecked").value_or("");
  if (row.paper && row.within.has_value() != row.unchecked.empty())
    map.error("'paper' needs either 'within', a relative tolerance, or 'unchecked', why there is none");
  if (!row.paper && (row.within || !row.unchecked.empty())) map.error("'within' and 'unchecked' are about 'paper'");
  row.imperfect = map.boolean("imperfect").value_or(false);
  row.published_templates = map.boolean("published_templates").value_or(false);
  if (!experiment.chip && is_of_chip(row.measure))
    errors.push_back(node.error(fmt::format("measure {} needs a 'chip'", row.measure)));
  map.finish();
  return row;
}

void read_chip(const YamlNode& node, Experiment& experiment, Diagnostics& errors) {
  MapReader map(node, errors);
  Chip chip;
  const auto positive = [&](const char* key) { return map.required_number(key, 1e-9, kHuge).value_or(1); };
  chip.area_um2 = 1e6 * positive("area_mm2");
  chip.mac_um2 = positive("mac_um2");
  chip.word_um2 = positive("word_um2");
  chip.hertz = positive("hertz");
  chip.words_per_second = positive("words_per_second");
  experiment.roof = map.number("roof_operations", 1, kHuge);
  map.finish();
  experiment.chip = chip;
}

}  // namespace

bool takes_capacity(const std::string& measure) {
  for (const char* name : {"accesses", "gap0", "unfused", "fused", "reduction", "saved", "softmax"})
    if (measure == name) return true;
  return false;
}

bool of_one_layer(const std::string& measure) {
  for (const char* name : {"accesses", "minimum", "intensity", "gap0", "gap1", "effectual", "seconds"})
    if (measure == name) return true;
  return false;
}

bool is_of_chip(const std::string& measure) { return measure == "speedup" || measure == "area" || measure == "optima"; }

Result<Experiment> read_experiment(const std::string& path) {
  const Result<YamlNode> root = YamlNode::load_file(path);
  if (!root) return root.errors();
  Diagnostics errors;
  Experiment out;
  MapReader map(*root, errors);
  out.name = map.string("name").value_or(std::filesystem::path(path).stem().string());
  map.ignore("source");
  if (const auto size = map.child("word_size")) {
    const auto bytes = parse_word_bytes(size->text());
    if (!bytes) errors.push_back(size->error(fmt::format("word_size = {}, must be {}", size->text(), kWordBytes)));
    out.word_size = bytes.value_or(1);
  }
  if (const auto chip = map.child("chip")) read_chip(*chip, out, errors);
  if (const auto rows = map.required_child("rows")) {
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
