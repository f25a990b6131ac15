#include "cli/bound/experiment_measures.h"

#include <algorithm>

#include "engine/base/named.h"
#include "engine/bounds/curve/orojenesis.h"
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

}  // namespace heliolite::cli
