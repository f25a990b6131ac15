#pragma once
// Small sweeps for tests: files written and read back, databases compared.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/sweep/design_points.h"
#include "engine/sweep/question.h"
#include "engine/sweep/runner.h"
#include "engine/sweep/store.h"
#include "engine/sweep/sweep_yaml.h"
#include "tests/support/cli_runner.h"

namespace heliolite::testing {

// A machine of two levels and some fields to sweep.
inline constexpr const char* kSmallMachine = R"(
architecture:
  name: small
  technology_nm: 45
  word_bits: 16
  energy: table
  levels:
  - {name: DRAM, dram: LPDDR4, bandwidth: {read: 4, write: 4}}
  - {name: GLB, capacity: 2 KB, bandwidth: {read: 8, write: 8}, keep: [inputs, outputs], open: weights, fanout: 2x2}
  - {name: Spad, entries: 64, bandwidth: {read: 4, write: 4}}
)";

inline constexpr const char* kSmallWorkloads = R"(
  workloads:
  - {workload: "gemm:16x8x12", weight: 2}
  - {workload: "conv:c=4,k=8,p=6,r=3"}
  strategy: sunstone
)";

// 24 points; two of them excluded, six without a mapping.
inline constexpr const char* kSmallParameters = R"(
  parameters:
    pe: {set: GLB.fanout, values: [1x2, 2x2, 4x4]}
    spad: {set: Spad.entries, values: [2, 16, 64, 256]}
    glb: {set: GLB.capacity, from: 1 KB, to: 2 KB, factor: 2}
  constraints: ["spad * pe < 4096"]
)";

// A sweep of the small machine: `extra` are further keys.
inline std::string small_sweep(const TempFolder& folder, const std::string& extra = "",
                               const std::string& parameters = kSmallParameters) {
  folder.write("machine.yaml", kSmallMachine);
  return folder.write("sweep.yaml", "sweep:\n  name: small\n  machine: machine.yaml" + std::string(kSmallWorkloads) +
                                        extra + parameters);
}

inline SweepSpec sweep_of(const std::string& path) {
  auto spec = load_sweep(path);
  EXPECT_TRUE(spec.ok()) << to_string(spec.errors());
  return *std::move(spec);
}

// All rows, apart from times.
struct SweepContent {
  std::vector<PointRecord> points;
  std::vector<LayerRecord> layers;

  bool operator==(const SweepContent&) const = default;
};

inline SweepContent content_of(const Store& store) {
  SweepContent out;
  EXPECT_TRUE(store.visit_points([&](const PointRecord& p) { return out.points.push_back(p), true; }).empty());
  EXPECT_TRUE(store
                  .visit_layers([&](LayerRecord l) {
                    l.seconds = 0;
                    return out.layers.push_back(std::move(l)), true;
                  })
                  .empty());
  return out;
}

inline SweepContent content_of(const std::string& database) {
  const auto store = Store::read(database);
  EXPECT_TRUE(store.ok()) << to_string(store.errors());
  return content_of(*store);
}

inline Store store_for(const std::string& database, const SweepSpec& spec, Shard shard = {}) {
  auto store = Store::resume(database, sweep_record(spec, shard, "test"));
  EXPECT_TRUE(store.ok()) << to_string(store.errors());
  return *std::move(store);
}

inline SweepRun run_into(Store& store, const SweepSpec& spec, Shard shard = {}) {
  const auto run = run_sweep(spec, store, shard);
  EXPECT_TRUE(run.ok()) << to_string(run.errors());
  return *run;
}

}  // namespace heliolite::testing
