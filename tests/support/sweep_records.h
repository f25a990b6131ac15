#pragma once
// A sweep's question and rows that are made up, different for every id, equal for equal ids.
#include <cstdint>
#include <string>
#include <vector>

#include "engine/sweep/records.h"
#include "engine/sweep/totals.h"

namespace heliolite {

inline constexpr u64 kTestLayers = 3;  // of every point

inline SweepRecord test_sweep(u64 points = 8) {
  return {.name = "made_up",
          .question = "0123456789abcdef",
          .text = "sweep: {name: made_up}\n",
          .version = "test",
          .objective = "edp",
          .strategy = "sunstone",
          .goal = "all",
          .rank = "totals",
          .delay_unit = "cycles",
          .grid_points = points,
          .planned_points = points,
          .shard_points = points,
          .parameters = {"l1", "it's \"odd\""},
          .reading = "{}",
          .notes = {"a note", "it's \"odd\""}};
}

// A number from 0 to 999, scattered over ids.
inline u64 scattered(u64 id, u64 salt) { return (id * 2654435761u + salt * 40503u) % 4294967296u * 977 % 1000; }

inline LayerRecord test_layer(u64 point, u64 layer) {
  LayerRecord out;
  out.point = point;
  out.layer = layer;
  out.workload = "net";
  out.name = "conv" + std::to_string(layer);
  out.question = std::to_string(point / 2) + "." + std::to_string(layer);
  out.status = "feasible";
  out.energy_pj = 1 + static_cast<double>(scattered(point / 2, layer)) / 3;
  out.cycles = 5 + static_cast<double>(layer);
  out.value = out.energy_pj * out.cycles;
  out.lower_bound = out.value / 3;
  out.words_moved = 300 + layer;
  out.least_words = 200;
  out.utilization = 0.5;
  out.evaluated = 100 + layer;
  out.seconds = 0.25;
  out.mapping = R"({"levels": {"L1": "K4"}})";
  out.breakdown = R"({"L1": {"Weights": 12.5}, "compute": 1})";
  return out;
}

// The point with the costs of its layers.
inline PointRecord summed(PointRecord point, const std::vector<LayerRecord>& layers,
                          const SweepRecord& sweep = test_sweep()) {
  const Totals sum = totals(layers, ranking_of(sweep), point.cycle_ns);
  point.energy_pj = sum.energy_pj;
  point.cycles = sum.cycles;
  point.value = sum.value;
  point.lower_bound = sum.lower_bound;
  point.sum_of_layer_values = sum.sum_of_layer_values;
  point.words_moved = sum.words_moved;
  point.least_words = sum.least_words;
  return point;
}

inline std::vector<LayerRecord> test_layers(u64 point, u64 layers = kTestLayers) {
  std::vector<LayerRecord> out;
  for (u64 layer = 0; layer < layers; ++layer) out.push_back(test_layer(point, layer));
  return out;
}

// Of this many layers.
inline PointRecord test_point(u64 id, u64 layers = kTestLayers) {
  PointRecord out;
  out.id = id;
  out.state = scattered(id, 1) < 700 ? PointState::Done : static_cast<PointState>(scattered(id, 2) % 5);
  out.values = {std::to_string(id / 4), id % 4 == 0 ? "a, \"b\"" : std::to_string(id % 4) + " KB"};
  out.area_um2 = 1000 + static_cast<double>(scattered(id, 3));
  out.compute_units = 64;
  out.capacity_bytes = 4096;
  if (out.state != PointState::Done) out.reason = "because of " + std::to_string(id % 3);
  return summed(out, test_layers(id, layers));
}

}  // namespace heliolite
