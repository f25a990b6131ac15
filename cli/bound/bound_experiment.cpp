#include "cli/bound/bound_experiment.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/bound/experiment_yaml.h"
#include "cli/map/partial_answer.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/bounds/curve/orojenesis_nested.h"
#include "engine/bounds/fusion/cut.h"

namespace heliolite::cli {
namespace {

class Meter {
 public:
  explicit Meter(const Experiment& experiment) : experiment_(experiment) {}

  Result<double> measure(const ExperimentRow& row) {
    return of_one_layer(row.measure) ? of_layer(row, row.network) : of_network(row, row.network);
  }

 private:
  static Result<double> of_layer(const ExperimentRow& row, const Network& network) {
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

  Result<double> of_network(const ExperimentRow& row, const Network& network) {
    SegmentOptions options;
    options.imperfect = row.imperfect;
    if (row.published_templates) options.fusion = kPublishedTemplates;
    const Result<const SegmentedNetwork*> found = segmented(row, network, options);
    if (!found) return found.errors();
    if (is_of_chip(row.measure)) return of_chip(row, network, **found);
    const auto unfused = static_cast<double>((*found)->unfused(row.at));
    const auto fused = static_cast<double>((*found)->fused(row.at));
    if (row.measure == "unfused") return unfused;
    if (row.measure == "fused") return fused;
    if (row.measure == "saved") return unfused - fused;
    if (row.measure == "reduction") return unfused / fused;
    options.fusion.incremental_softmax = false;
    const Result<const SegmentedNetwork*> whole = segmented(row, network, options);
    if (!whole) return whole.errors();
    return static_cast<double>((*whole)->fused(row.at)) / fused;
  }

  // Rows share networks.
  Result<const SegmentedNetwork*> segmented(const ExperimentRow& row, const Network& network,
                                            const SegmentOptions& options) {
    const std::tuple key{row.workload, row.imperfect, row.published_templates, options.fusion.incremental_softmax};
    if (const auto known = networks_.find(key); known != networks_.end()) return &known->second;
    Result<SegmentedNetwork> made = SegmentedNetwork::create(network, options);
    if (!made) return made.errors();
    return &networks_.emplace(key, std::move(*made)).first->second;
  }

  double of_chip(const ExperimentRow& row, const Network& network, const SegmentedNetwork& segmented) const {
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
    if (before.share == 0) return 0;  // nothing to save
    if (row.measure == "optima") return 1 - best.share / before.share;
    // The smallest buffer that is as fast.
    for (const Provision& p : after)
      if (p.macs_per_second >= before.macs_per_second) return 1 - p.share / before.share;
    return 0;
  }

  const Experiment& experiment_;
  // By workload, imperfect tiles, published templates, incremental softmax.
  std::map<std::tuple<std::string, bool, bool, bool>, SegmentedNetwork> networks_;
};

std::string verdict(const ExperimentRow& row) {
  if (!row.paper) return "";
  if (!row.within) return "not checked";
  return fmt::format("{} {:g} %", row.holds() ? "within" : "OUTSIDE", *row.within * 100);
}

std::string number(double x) { return std::abs(x) >= 1e4 && x == std::floor(x) ? count(x) : fmt::format("{:.4g}", x); }

std::string rows_text(const std::string& name, const std::vector<ExperimentRow>& rows) {
  Table table({"<what", "<measure", "at [words]", "paper", "ours", "ours/paper", "<checked"});
  for (const ExperimentRow& row : rows) {
    table.row({row.what, row.measure, takes_capacity(row.measure) ? grouped(row.at) : "",
               row.paper ? number(*row.paper) : "", number(row.ours),
               row.paper ? fmt::format("{:.3f}", row.ours / *row.paper) : "", verdict(row)});
  }
  std::string text = name + "\n\n" + table.to_string();
  for (const ExperimentRow& row : rows) {
    if (!row.unchecked.empty()) text += fmt::format("  {}: not checked: {}\n", row.what, row.unchecked);
    if (!row.note.empty()) text += fmt::format("  {}: {}\n", row.what, row.note);
  }
  return text;
}

}  // namespace

int run_experiment(const std::string& path, const Output& output) {
  Result<Experiment> read = read_experiment(path);
  if (!read) return fail(read.errors());
  const auto experiment = std::make_shared<const Experiment>(*std::move(read));
  const auto meter = std::make_shared<Meter>(*experiment);
  std::vector<ExperimentRow> rows;
  bool all_hold = true;
  Json json = answer_head("bound");
  json["question"] = {{"experiment", path}, {"name", experiment->name}};
  json["rows"] = Json::array();
  for (ExperimentRow row : experiment->rows) {
    const auto ours = until_interrupted([experiment, meter, row] { return meter->measure(row); });
    if (!ours) break;
    if (!*ours) return fail(ours->errors());
    row.ours = **ours;
    rows.push_back(row);
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
  output.table(rows_text(experiment->name, rows));
  return write_partial_answer(output, json, rows.size(), experiment->rows.size(), "rows",
                              all_hold ? kSuccess : kNegative);
}

}  // namespace heliolite::cli
