// heliolite bound --experiment FILE: compares published numbers on curves with ours. Format: docs/orojenesis.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/bound/bound_modes.h"
#include "cli/bound/bound_orojenesis.h"
#include "cli/bound/experiment.h"
#include "cli/map/answer_texts.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/lines.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/named.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/fusion/cut.h"
#include "engine/program/bound/program_answer.h"
#include "engine/search/core/budget.h"

namespace heliolite::cli {

const std::vector<Measure>& measures() {
  static const std::vector<Measure> all = [] {
    std::vector<Measure> list = curve_measures();
    for (const auto& part : {bound_measures(), published_measures(), program_measures()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

std::vector<std::string> measure_names() { return names_of(measures()); }
const Measure* find_measure(std::string_view name) { return find_row(measures(), name); }

// Measures on C programs.

namespace {

Result<double> program_words_of(const ExperimentRow& row) {
  const Result<ProgramAnswer> answer = bound_program({row.program, row.parameters, {row.at}, false, {}, false});
  if (!answer) return answer.errors();
  return static_cast<double>(answer->words.front());
}

}  // namespace

std::vector<Measure> program_measures() {
  return {{.name = "program", .takes_capacity = true, .keys = {"param"}, .take = program_words_of, .of_program = true}};
}

// Measures on curves of accesses by buffer size, and those of networks and chips, which are taken elsewhere.

namespace {

double operands(const ExperimentRow& row) { return static_cast<double>(operand_words(layer_of(row))); }

Result<Curve> curve_of(const ExperimentRow& row) {
  return one_buffer_curve(layer_of(row), {.imperfect = row.imperfect});
}

// The largest buffer that helps on any levels, over `unit`.
Result<double> effectual(const ExperimentRow& row, double unit) {
  const Result<NestedCurve> curve = nested_curve(layer_of(row), {.imperfect = row.imperfect});
  if (!curve) return curve.errors();
  return static_cast<double>(curve->points().back().buffer) / unit;
}

// The least accesses at the row's capacity, over `unit`.
Result<double> accesses(const ExperimentRow& row, double unit) {
  const Result<Curve> curve = curve_of(row);
  if (!curve) return curve.errors();
  return static_cast<double>(curve->at(row.at)->accesses) / unit;
}

Result<double> minimum(const ExperimentRow& row) {
  const Result<Curve> curve = curve_of(row);
  if (!curve) return curve.errors();
  return static_cast<double>(curve->points().back().accesses);
}

Result<double> peak_intensity(const ExperimentRow& row) {
  const Result<double> least = minimum(row);
  if (!least) return least.errors();
  return intensity(layer_of(row).macs(), static_cast<u64>(*least));
}

Result<double> seconds(const ExperimentRow& row) {
  const Stopwatch clock;
  const Result<Curve> curve = curve_of(row);
  if (!curve) return curve.errors();
  return clock.seconds();
}

}  // namespace

std::vector<Measure> curve_measures() {
  const std::vector<std::string_view> tiles{"imperfect"}, templates{"imperfect", "published_templates"};
  return {
      {"accesses", true, tiles, [](const ExperimentRow& row) { return accesses(row, 1); }},
      {"minimum", false, tiles, minimum},           // the algorithmic minimum
      {"intensity", false, tiles, peak_intensity},  // peak MACs a word
      {"gap0", true, tiles, [](const ExperimentRow& row) { return accesses(row, operands(row)); }},
      {"gap1", false, tiles, [](const ExperimentRow& row) { return effectual(row, operands(row)); }},
      {"effectual", false, tiles, [](const ExperimentRow& row) { return effectual(row, 1); }},
      {"seconds", false, tiles, seconds},  // to compute the curve of one layer, here and now
      {"unfused", true, templates},
      {"fused", true, templates},
      {"reduction", true, templates},  // unfused / fused
      {"saved", true, templates},      // unfused - fused
      {"softmax", true, templates},    // fused with whole rows / fused with incremental softmax
      // Times on the chip: the best fused one over the best unfused one; the share of the buffer that a fused one saves
      // at the speed of the best unfused one, and that the best fused one saves.
      {"speedup", false, templates, nullptr, true},
      {"area", false, templates, nullptr, true},
      {"optima", false, templates, nullptr, true},
  };
}

namespace {

class Meter {
 public:
  explicit Meter(const Experiment& experiment) : experiment_(experiment) {}

  Result<double> measure(const ExperimentRow& row) {
    return row.measure->take != nullptr ? row.measure->take(row) : of_network(row, row.network);
  }

 private:
  Result<double> of_network(const ExperimentRow& row, const Network& network) {
    SegmentOptions options;
    options.imperfect = row.imperfect;
    if (row.published_templates) options.fusion = kPublishedTemplates;
    const Result<const SegmentedNetwork*> found = segmented(row, network, options);
    if (!found) return found.errors();
    if (row.measure->of_chip) return of_chip(row, network, **found);
    const auto unfused = static_cast<double>((*found)->unfused(row.at));
    const auto fused = static_cast<double>((*found)->fused(row.at));
    if (row.measure->name == "unfused") return unfused;
    if (row.measure->name == "fused") return fused;
    if (row.measure->name == "saved") return unfused - fused;
    if (row.measure->name == "reduction") return unfused / fused;
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
    const ChipQuestion& question = *experiment_.chip;
    const u64 roof = question.roof(network.macs());
    const Provision before = best_provision(provisions(question.chip, roof, network_steps(segmented, false)));
    const std::vector<Provision> after = provisions(question.chip, roof, network_steps(segmented, true));
    const Provision best = best_provision(after);
    if (row.measure->name == "speedup") return best.macs_per_second / before.macs_per_second;
    if (before.share == 0) return 0;  // nothing to save
    if (row.measure->name == "optima") return 1 - best.share / before.share;
    // The smallest buffer that is as fast.
    for (const Provision& p : after)
      if (p.macs_per_second >= before.macs_per_second) return 1 - p.share / before.share;
    return 0;
  }

  const Experiment& experiment_;
  // By workload, imperfect tiles, published templates, incremental softmax.
  std::map<std::tuple<std::string, bool, bool, bool>, SegmentedNetwork> networks_;
};

std::string verdict_text(const ExperimentRow& row) {
  const std::string tolerance = row.within ? fmt::format("{:g} %", *row.within * 100) : "";
  switch (row.verdict()) {
    case RowVerdict::None: return "";
    case RowVerdict::Same:
      return row.to ? painted("in", Tone::Good) + " the range" : painted("within", Tone::Good) + " " + tolerance;
    case RowVerdict::Better: return painted("better", Tone::Good);
    case RowVerdict::Differs: return painted("differs,", Tone::Doubt) + " see below";
    case RowVerdict::Outside: break;
  }
  if (row.expected) return fmt::format("{} {} of {:.4g}", painted("OUTSIDE", Tone::Bad), tolerance, *row.expected);
  return painted("OUTSIDE", Tone::Bad) + " " + (row.to ? "the range" : tolerance);
}

std::string number(double x) { return std::abs(x) >= 1e4 && x == std::floor(x) ? count(x) : fmt::format("{:.4g}", x); }

std::string rows_text(const std::string& name, const std::vector<ExperimentRow>& rows) {
  Table table({"<what", "<measure", "at [words]", "paper", "ours", "ours/paper", "<checked"});
  for (const ExperimentRow& row : rows)
    table.row({row.what, std::string(row.measure->name), row.measure->takes_capacity ? grouped(row.at) : "",
               !row.paper ? ""
               : row.to   ? number(*row.paper) + " to " + number(*row.to)
                          : number(*row.paper),
               number(row.ours), row.paper && !row.to ? fmt::format("{:.3f}", row.ours / *row.paper) : "",
               verdict_text(row)});
  std::string text = name + "\n\n" + table.to_string();
  for (const ExperimentRow& row : rows) {
    if (!row.because.empty()) text += fmt::format("  {} differs: {}\n", row.what, row.because);
    if (!row.note.empty()) text += fmt::format("  {}: {}\n", row.what, row.note);
  }
  return text;
}

}  // namespace

int run_experiment(const std::string& path, const Output& output) {
  Result<Experiment> read = read_experiment(path);
  if (!read) return fail(read.errors());
  for (const ExperimentRow& row : read->rows) output.report_notes(row.network.notes);
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
                            {"measure", row.measure->name},
                            {"at", row.measure->takes_capacity ? Json(row.at) : Json()},
                            {"paper", row.paper ? Json(*row.paper) : Json()},
                            {"ours", row.ours},
                            {"within", row.within ? Json(*row.within) : Json()},
                            {"to", row.to ? Json(*row.to) : Json()},
                            {"expected", row.expected ? Json(*row.expected) : Json()},
                            {"because", row.because.empty() ? Json() : Json(row.because)},
                            {"verdict", row.paper ? Json(name(row.verdict())) : Json()},
                            {"holds", row.holds()}});
  }
  output.table(rows_text(experiment->name, rows));
  return write_partial_answer(output, json, rows.size(), experiment->rows.size(), "rows",
                              all_hold ? kSuccess : kNegative);
}

}  // namespace heliolite::cli
