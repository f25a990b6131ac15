#pragma once
// A made-up sweep for tests of the report: costs follow simple formulas, names are as unpleasant as names can be.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/sweep/store.h"
#include "tests/support/sweep_records.h"

namespace heliolite {

inline const std::string kUnpleasantName = "</script><script>alert('x')</script> & \"naïve\" \u2028 <!-- ☃";

inline constexpr std::array<const char*, 3> kReportTensors{"Weights", "Inputs", "Outputs"};
inline constexpr u64 kReportLayers = 6;
inline constexpr u64 kLayersOfNet = 4;      // of the workload "net"; the others are those of "other net"
inline constexpr u64 kTensorsOfOther = 10;  // more than there are hues
inline const std::string kLongLayer =
    "block_3_expanded_depthwise_convolution_with_stride_2_and_a_name_that_goes_on_and_on";

// A grid of l1 (5 values) x l2 (10) x pe (4) x an unpleasantly named parameter (the rest).
inline SweepRecord report_sweep(u64 points) {
  SweepRecord sweep;
  sweep.name = "made up " + kUnpleasantName;
  sweep.question = "0123456789abcdef";
  sweep.text = "sweep:\n  name: made_up  # " + kUnpleasantName + "\n";
  sweep.version = "heliolite 0.1.0 (test)";
  sweep.objective = "edp";
  sweep.strategy = "sunstone";
  sweep.goal = "front";
  sweep.rank = "layers";
  sweep.delay_unit = "cycles";
  sweep.grid_points = sweep.planned_points = sweep.shard_points = points;
  sweep.parameters = {"l1", "l2", "pe", kUnpleasantName};
  return sweep;
}

// What the layers of a point share.
inline PointRecord report_costs(u64 id) {
  const u64 l1 = id % 5, l2 = id / 5 % 10, pe = id / 50 % 4, other = id / 200;
  PointRecord point;
  point.id = id;
  point.values = {std::to_string(12 << l1), std::to_string(54 * (l2 + 1)) + " KB",
                  std::array{"12x14", "16x16", "24x24", "32x32"}[pe], kUnpleasantName + std::to_string(other)};
  point.compute_units = std::array{168, 256, 576, 1024}[pe];
  const auto units = static_cast<double>(point.compute_units), more = static_cast<double>(other);
  const double small = std::exp2(static_cast<double>(l1)), large = static_cast<double>(l2 + 1);
  point.area_um2 = 1800 * units * (1 + 0.1 * small) + 4e5 * large;
  point.capacity_bytes = 24 * small * units + 54 * 1024 * large;
  point.energy_pj = 6e9 * (1 + 1 / small + 0.04 * small + 1.5 / large + 0.12 * large) * (1 + 0.02 * more);
  point.cycles = std::round(2e9 / units * (1 + 0.8 / large) * (1 + 0.3 / small) / (1 + 0.01 * more)) + 1e5;
  if (id % 11 == 3) {
    point.state = PointState::Cut;
    point.reason = "compulsory-bound: beaten by point 42";
  } else if (id % 13 == 5) {
    point.state = PointState::Infeasible;
    point.reason = "no legal mapping: Reg holds too little for " + kUnpleasantName;
  }
  return point;
}

// The level closest to the compute units leaks.
inline std::string report_breakdown(const LayerRecord& layer) {
  std::vector<std::string> tensors(kReportTensors.begin(), kReportTensors.end());
  if (layer.workload != "net") {
    tensors.clear();
    for (u64 i = 0; i < kTensorsOfOther; ++i) tensors.push_back("T" + std::to_string(i));
  }
  std::string levels;
  for (const auto& [level, share] : {std::pair("DRAM", 0.5), {"GLB", 0.2}, {"RegFile", 0.2}}) {
    const double each = layer.energy_pj * share / static_cast<double>(tensors.size());
    levels += "\"" + std::string(level) + "\": {";
    for (const std::string& tensor : tensors) levels += "\"" + tensor + "\": " + std::to_string(each) + ", ";
    levels += "\"leakage\": " + std::to_string(layer.energy_pj * (share == 0.5 ? 0 : 0.01)) + "}, ";
  }
  return "{" + levels + "\"compute\": " + std::to_string(layer.energy_pj * 0.08) + "}";
}

// As a sweep writes it; the second layers have none.
inline std::string report_mapping() {
  return "mapping:\n  - level: DRAM\n    keep: [Weights, Inputs, Outputs]\n    temporal: [K: 4, C: [3, 2]]\n"
         "    spatial: {x: [P: 14], y: [K: 2, R: 3]}\n"
         "  - level: GLB\n    keep: []\n  - level: RegFile\n    keep: [Outputs]\n    temporal: [S: 3]\n";
}

inline std::vector<LayerRecord> report_layers(u64 id) {
  const PointRecord point = report_costs(id);
  std::vector<LayerRecord> layers(kReportLayers);
  for (u64 i = 0; i < kReportLayers; ++i) {
    LayerRecord& layer = layers[i];
    layer.point = point.id;
    layer.layer = i;
    layer.workload = i < kLayersOfNet ? "net" : "other net";
    layer.name = i == 2 ? kUnpleasantName : i == 3 ? kLongLayer : "conv" + std::to_string(i + 1);
    layer.count = i + 1;
    layer.status = "bounded";
    layer.energy_pj = point.energy_pj / static_cast<double>(kReportLayers * (i + 1));
    layer.cycles = point.cycles / static_cast<double>(kReportLayers * (i + 1));
    layer.value = layer.energy_pj * layer.cycles;
    layer.lower_bound = id % 3 == 0 ? layer.value : layer.value / (1 + 0.03 * static_cast<double>(i + 1));
    layer.words_moved = 1'000'000 + 50'000 * i;
    layer.least_words = i == 0 && id % 2 == 0 ? 0 : 1'000'000;  // of some first ones nothing is known
    layer.utilization = 1 - 0.1 * static_cast<double>(i);
    layer.evaluated = 1000 * (i + 1);
    layer.breakdown = report_breakdown(layer);
    if (i != 1) layer.mapping = report_mapping();
  }
  return layers;
}

inline PointRecord report_point(u64 id) { return summed(report_costs(id), report_layers(id), report_sweep(1)); }

// The database of such a sweep with all its points.
inline void write_report_sweep(const std::string& path, u64 points) {
  Result<Store> store = Store::create(path, report_sweep(points));
  ASSERT_TRUE(store.ok()) << to_string(store.errors());
  const Diagnostics errors = store->together([&] {
    Diagnostics problems;
    for (u64 id = 0; id < points && problems.empty(); ++id) {
      const PointRecord point = report_point(id);
      problems = point.state == PointState::Done ? store->write(point, report_layers(id)) : store->write(point);
    }
    return problems;
  });
  ASSERT_TRUE(errors.empty()) << to_string(errors);
}

}  // namespace heliolite
