#include "cli/bound_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "cli/json.h"
#include "cli/table.h"
#include "cli/word_units.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/bounds/orojenesis_nested.h"
#include "engine/bounds/provision.h"
#include "engine/bounds/segment.h"
#include "workloads/load.h"

namespace heliolite::cli {
namespace {

struct Row {
  std::string what, workload, measure, note;
  u64 at = 0;  // words of buffer
  std::optional<double> paper;
  std::optional<double> within;  // relative tolerance
  std::string unchecked;         // why there is none
  bool imperfect = false;
  bool published_templates = false;
  double ours = 0;

  bool holds() const { return !paper || !within || std::abs(ours / *paper - 1) <= *within; }
  std::string verdict() const {
    if (!paper) return "";
    if (!within) return "not checked";
    return holds() ? fmt::format("within {:g} %", *within * 100) : fmt::format("OUTSIDE {:g} %", *within * 100);
  }
};

struct Experiment {
  std::string name;
  double word_size = 1;  // bytes: what units of `at` are divided by
  std::optional<Chip> chip;
  std::optional<double> roof;  // operations that the chip's memory roof counts, else MACs
  std::vector<Row> rows;
};

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

bool takes_capacity(const std::string& measure) {
  for (const char* name : {"accesses", "gap0", "unfused", "fused", "reduction", "saved", "softmax"})
    if (measure == name) return true;
  return false;
}

bool is_of_chip(const std::string& measure) { return measure == "speedup" || measure == "area" || measure == "optima"; }

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

Row read_row(const YamlNode& node, const Experiment& experiment, Diagnostics& errors) {
  Row row;
  MapReader map(node, errors);
  row.what = map.required_string("what").value_or("");
  row.workload = map.required_string("workload").value_or("");
  row.note = map.string("note").value_or("");
  const auto measure = map.required_string("measure");
  if (measure && std::ranges::find(measures(), *measure) == measures().end()) {
    errors.push_back(map.child("measure")->error(fmt::format(
        "measure = {}, must be one of {}{}", *measure, join(measures(), "or"), did_you_mean(*measure, measures()))));
  }
  row.measure = measure.value_or("");
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

class Meter {
 public:
  explicit Meter(const Experiment& experiment) : experiment_(experiment) {}

  Result<double> measure(const Row& row) {
    const Result<Network> network = load_network(row.workload);
    if (!network) return network.errors();
    for (const char* name : {"accesses", "minimum", "intensity", "gap0", "gap1", "effectual", "seconds"})
      if (row.measure == name) return of_layer(row, *network);
    return of_network(row, *network);
  }

 private:
  static Result<double> of_layer(const Row& row, const Network& network) {
    if (network.layers.size() != 1)
      return Diagnostic{row.workload, 0, "",
                        fmt::format("measure {} is of one layer, must be preset/layer", row.measure)};
    const Workload& w = network.layers[0].workload;
    const auto words = static_cast<double>(operand_words(w));
    if (row.measure == "effectual" || row.measure == "gap1") {
      const Result<NestedCurve> curve = nested_curve(w, {.imperfect = row.imperfect});
      if (!curve) return curve.errors();
      const auto buffer = static_cast<double>(curve->points().back().buffer);
      return row.measure == "gap1" ? buffer / words : buffer;
    }
    const auto begin = std::chrono::steady_clock::now();
    const Result<Curve> curve = one_buffer_curve(w, {.imperfect = row.imperfect});
    if (!curve) return curve.errors();
    if (row.measure == "seconds")
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const u64 least = curve->points().back().accesses;
    if (row.measure == "minimum") return static_cast<double>(least);
    if (row.measure == "intensity") return intensity(w.macs(), least);
    const auto accesses = static_cast<double>(curve->at(row.at)->accesses);
    return row.measure == "gap0" ? accesses / words : accesses;
  }

  Result<double> of_network(const Row& row, const Network& network) {
    SegmentOptions options;
    options.imperfect = row.imperfect;
    if (row.published_templates) options.fusion = kPublishedTemplates;
    const Result<SegmentedNetwork> found = SegmentedNetwork::create(network, options);
    if (!found) return found.errors();
    if (is_of_chip(row.measure)) return of_chip(row, network, *found);
    const auto unfused = static_cast<double>(found->unfused(row.at)), fused = static_cast<double>(found->fused(row.at));
    if (row.measure == "unfused") return unfused;
    if (row.measure == "fused") return fused;
    if (row.measure == "saved") return unfused - fused;
    if (row.measure == "reduction") return unfused / fused;
    options.fusion.incremental_softmax = false;
    const Result<SegmentedNetwork> whole = SegmentedNetwork::create(network, options);
    if (!whole) return whole.errors();
    return static_cast<double>(whole->fused(row.at)) / fused;
  }

  double of_chip(const Row& row, const Network& network, const SegmentedNetwork& segmented) const {
    std::vector<CurveStep> unfused, fused;
    const auto add = [](std::vector<CurveStep>& curve, u64 buffer, u64 accesses) {
      if (curve.empty() || accesses < curve.back().accesses) curve.push_back({buffer, accesses});
    };
    for (const u64 capacity : segmented.capacities()) {
      add(unfused, capacity, segmented.unfused(capacity));
      add(fused, capacity, segmented.fused(capacity));
    }
    const auto roof = experiment_.roof ? static_cast<u64>(*experiment_.roof) : network.macs();
    const Provision before = best_provision(provisions(*experiment_.chip, roof, unfused));
    const std::vector<Provision> after = provisions(*experiment_.chip, roof, fused);
    const Provision best = best_provision(after);
    if (row.measure == "speedup") return best.macs_per_second / before.macs_per_second;
    if (row.measure == "optima") return 1 - best.share / before.share;
    // The smallest buffer that is as fast.
    for (const Provision& p : after)
      if (p.macs_per_second >= before.macs_per_second) return 1 - p.share / before.share;
    return 0;
  }

  const Experiment& experiment_;
};

std::string number(double x) { return std::abs(x) >= 1e4 && x == std::floor(x) ? count(x) : fmt::format("{:.4g}", x); }

std::string rows_text(const Experiment& experiment) {
  Table table({"<what", "<measure", "at [words]", "paper", "ours", "ours/paper", "<checked"});
  for (const Row& row : experiment.rows) {
    table.row({row.what, row.measure, takes_capacity(row.measure) ? grouped(row.at) : "",
               row.paper ? number(*row.paper) : "", number(row.ours),
               row.paper ? fmt::format("{:.3f}", row.ours / *row.paper) : "", row.verdict()});
  }
  std::string text = experiment.name + "\n\n" + table.to_string();
  for (const Row& row : experiment.rows) {
    if (!row.unchecked.empty()) text += fmt::format("  {}: not checked: {}\n", row.what, row.unchecked);
    if (!row.note.empty()) text += fmt::format("  {}: {}\n", row.what, row.note);
  }
  return text;
}

}  // namespace

int run_experiment(const std::string& path, const Output& output) {
  Result<Experiment> experiment = read_experiment(path);
  if (!experiment) return fail(experiment.errors());
  Meter meter(*experiment);
  bool all_hold = true;
  Json json = answer_head("bound");
  json["question"] = {{"experiment", path}, {"name", experiment->name}};
  json["rows"] = Json::array();
  for (Row& row : experiment->rows) {
    const Result<double> ours = meter.measure(row);
    if (!ours) return fail(ours.errors());
    row.ours = *ours;
    all_hold = all_hold && row.holds();
    json["rows"].push_back({{"what", row.what},
                            {"workload", row.workload},
                            {"measure", row.measure},
                            {"at", takes_capacity(row.measure) ? Json(row.at) : Json()},
                            {"paper", row.paper ? Json(*row.paper) : Json()},
                            {"ours", row.ours},
                            {"within", row.within ? Json(*row.within) : Json()},
                            {"unchecked", row.unchecked.empty() ? Json() : Json(row.unchecked)},
                            {"holds", row.holds()}});
  }
  output.table(rows_text(*experiment));
  if (!output.json(json)) return kBadInput;
  return all_hold ? kSuccess : kNegative;
}

}  // namespace heliolite::cli
