// The sweep itself: the same rows for any number of threads, after interruptions, from shards; equal questions are
// searched once.
#include "engine/sweep/design_points.h"
#include "engine/sweep/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>

#include "engine/base/yaml_node.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/formats/load_architecture.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_yaml.h"
#include "engine/search/map.h"
#include "engine/sweep/front.h"
#include "engine/sweep/store.h"
#include "engine/sweep/totals.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::sweep_runner_test {
namespace {

using testing::content_of;
using testing::run_into;
using testing::small_sweep;
using testing::store_for;
using testing::sweep_of;
using testing::SweepContent;

SweepContent whole(const TempFolder& folder, SweepSpec spec, int threads = 1) {
  spec.options.threads = threads;
  Store store = store_for(folder.path("whole" + std::to_string(threads) + ".db"), spec);
  EXPECT_FALSE(run_into(store, spec).interrupted);
  return content_of(store);
}

TEST(SweepRunner, RecordsEveryPointOfTheGrid) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder));
  const SweepContent rows = whole(folder, spec);
  ASSERT_EQ(rows.points.size(), 24u);
  std::map<PointState, int> states;
  for (std::size_t k = 0; k < rows.points.size(); ++k) {
    const PointRecord& point = rows.points[k];
    EXPECT_EQ(point.id, k);
    ++states[point.state];
    if (point.state == PointState::Done) {
      EXPECT_GT(point.energy_pj, 0);
      EXPECT_GT(point.area_um2, 0);
      EXPECT_LE(point.lower_bound, point.value);
      EXPECT_GT(point.least_words, 0);
      EXPECT_LE(point.least_words, point.words_moved);
    }
  }
  EXPECT_EQ(states[PointState::Excluded], 2);    // 4x4 with 256 words
  EXPECT_EQ(states[PointState::Infeasible], 6);  // two words hold no tile
  EXPECT_EQ(states[PointState::Done], 16);
}

SweepSpec clocked_sweep(const TempFolder& folder, const std::string& extra, const std::string& base_clock = "1") {
  folder.write("clock.yaml", "architecture:\n  name: c\n" +
                                 (base_clock.empty() ? "" : "  cycle_ns: " + base_clock + "\n") +
                                 "  levels:\n  - {name: DRAM, capacity: unbounded, energy: 100}\n"
                                 "  - {name: Buf, entries: 64, energy: 1, leak_pj_per_cycle: 0.001}\n"
                                 "  compute: {name: MAC, energy: 1}\n");
  return sweep_of(folder.write("clocks.yaml",
                               "sweep:\n  machine: clock.yaml\n  workloads: [gemm:8x8x8, gemm:4x4x16]\n"
                               "  strategy: exact\n" +
                                   extra));
}

// The faster clock wins, whatever is asked, co-searches of memories included; nothing else differs.
TEST(SweepRunner, ClocksCompareByTime) {
  for (const char* goal : {"all", "front", "best"})
    for (const char* objective : {"edp", "delay", "ed2p"})
      for (const char* rank : {"totals", "layers"}) {
        SCOPED_TRACE(std::string(goal) + " " + objective + " " + rank);
        const TempFolder folder;
        const SweepSpec spec =
            clocked_sweep(folder, std::string("  goal: ") + goal + "\n  objective: " + objective + "\n  rank: " + rank +
                                      "\n  parameters:\n    cycle_ns: {set: cycle_ns, values: [1, 0.5, 2]}\n"
                                      "    words: {set: Buf.entries, values: [64, 96]}\n");
        EXPECT_TRUE(spec.seconds);
        Store store = store_for(folder.path("r.db"), spec);
        run_into(store, spec);
        const auto summary = summarize(store);
        ASSERT_TRUE(summary.ok()) << to_string(summary.errors());
        ASSERT_FALSE(summary->best.empty());
        EXPECT_EQ(summary->best[0].values[0], "0.5");
        EXPECT_EQ(summary->best[0].cycle_ns, 0.5);
        for (const PointRecord& point : summary->front) EXPECT_EQ(point.values[0], "0.5");
        const double totals = value_of_totals(ranking_of(store.sweep()), summary->best[0]);
        EXPECT_DOUBLE_EQ(std::string(rank) == "totals" ? totals : summary->best[0].sum_of_layer_values,
                         summary->best[0].value);
      }
}

// Where some machines state no clock all are compared in cycles, and that is said.
TEST(SweepRunner, UnitsOfDelayAreNeverMixed) {
  const TempFolder folder;
  const std::string some =
      "  parameters:\n    m:\n      values:\n        a: {cycle_ns: 0.5}\n        b: {Buf.entries: 128}\n";
  const SweepSpec mixed = clocked_sweep(folder, some, "");
  EXPECT_FALSE(mixed.seconds);
  const auto of_units = [](const Diagnostic& warning) {
    return warning.message.find("in cycles") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(mixed.warnings, of_units), 1);
  EXPECT_TRUE(clocked_sweep(folder, some, "3").seconds);
  const SweepSpec none = clocked_sweep(folder, "  parameters: {w: {set: Buf.entries, values: [64, 128]}}\n", "");
  EXPECT_FALSE(none.seconds);
  EXPECT_EQ(std::ranges::count_if(none.warnings, of_units), 0);
  const SweepSpec all = clocked_sweep(folder, "  parameters: {c: {set: cycle_ns, values: [1, 2]}}\n", "");
  EXPECT_TRUE(all.seconds);
}

// A point's sums are those of its layers, and a layer's row is what the model says of its mapping.
TEST(SweepRunner, RowsAgreeWithTheModel) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder));
  const SweepContent rows = whole(folder, spec);
  const DesignPoints points(spec);
  double energy = 0, cycles = 0, value = 0, words = 0;
  MovementBound bound;
  for (const LayerRecord& row : rows.layers) {
    if (row.point != 4) continue;  // 2 KB, 64 words, 1x2
    const Workload& workload = spec.layers[row.layer].layer.workload;
    const Architecture machine = *points.machine(row.point);
    const auto text = YamlNode::parse(row.mapping, "mapping");
    ASSERT_TRUE(text.ok()) << to_string(text.errors());
    const auto mapping = read_mapping(*text->find("mapping"), workload, machine);
    ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
    const Evaluation cost = CostModel(workload, machine).evaluate(*mapping);
    EXPECT_EQ(cost.verdict, Verdict::Fits);
    EXPECT_DOUBLE_EQ(row.energy_pj, cost.cost.energy.picojoules());
    EXPECT_DOUBLE_EQ(row.cycles, static_cast<double>(cost.cost.cycles));
    const LevelDistance outermost = bound.distances(workload, machine, *mapping)->back();
    EXPECT_EQ(row.words_moved, outermost.mapping.accesses);
    EXPECT_EQ(row.least_words, outermost.bound.least);
    words += static_cast<double>(row.words_moved * row.count) * row.weight;
    energy += row.energy_pj * static_cast<double>(row.count) * row.weight;
    cycles += row.cycles * static_cast<double>(row.count) * row.weight;
    value += row.value * static_cast<double>(row.count) * row.weight;
  }
  EXPECT_DOUBLE_EQ(rows.points[4].energy_pj, energy);
  const double second = *rows.points[4].cycle_ns * 1e-9;
  EXPECT_DOUBLE_EQ(rows.points[4].value, energy * cycles * second);
  EXPECT_DOUBLE_EQ(rows.points[4].sum_of_layer_values, value * second);
  EXPECT_DOUBLE_EQ(rows.points[4].words_moved, words);
}

TEST(SweepRunner, AnyNumberOfThreadsGivesTheSameRows) {
  for (const char* goal : {"  goal: all\n", "  goal: front\n  pilots: 3\n", "  goal: best\n  pilots: 3\n"}) {
    const TempFolder own;
    const SweepSpec spec = sweep_of(small_sweep(own, goal));
    const SweepContent one = whole(own, spec, 1);
    EXPECT_EQ(whole(own, spec, 2), one) << goal;
    EXPECT_EQ(whole(own, spec, 8), one) << goal;
  }
}

TEST(SweepRunner, SearchesEqualQuestionsOnce) {
  const TempFolder folder;
  // Areas change no mapping: two values of the first parameter ask the same.
  const SweepSpec spec = sweep_of(small_sweep(folder, "",
                                              "  parameters:\n"
                                              "    area: {set: DRAM.area_um2, values: [1, 2, 3]}\n"
                                              "    spad: {set: Spad.entries, values: [16, 64]}\n"));
  Store store = store_for(folder.path("reuse.db"), spec);
  const SweepRun run = run_into(store, spec);
  EXPECT_EQ(run.points, 6u);
  EXPECT_EQ(run.searched, 4u);
  EXPECT_EQ(run.reused, 8u);
  std::set<std::string> questions;
  ASSERT_TRUE(store.visit_layers([&](const LayerRecord& l) { return questions.insert(l.question), true; }).empty());
  EXPECT_EQ(questions.size(), 4u);
}

// What is in the store of a sweep that stops after every few points and goes on, by turns on one thread and on two.
SweepContent in_pieces(const TempFolder& folder, SweepSpec spec) {
  Store store = store_for(folder.path("pieces.db"), spec);
  bool interrupted = true;
  for (int piece = 0; interrupted && piece < 50; ++piece) {
    std::atomic<bool> stop = false;
    spec.options.stop = &stop;
    spec.options.threads = 1 + piece % 2;
    const auto run = run_sweep(spec, store, {}, [&](const SweepNews& news) {
      if (news.points >= news.kept + 3) stop = true;
    });
    EXPECT_TRUE(run.ok());
    if (!run.ok()) return {};
    interrupted = run->interrupted;
  }
  EXPECT_FALSE(interrupted);
  return content_of(store);
}

TEST(SweepRunner, InterruptedRunsGoOn) {
  for (const char* goal : {"  goal: front\n  pilots: 2\n", "  goal: best\n"}) {
    const TempFolder folder;
    const SweepSpec spec = sweep_of(small_sweep(folder, goal));
    const SweepContent through = whole(folder, spec);
    EXPECT_EQ(in_pieces(folder, spec), through) << goal;
  }
}

TEST(SweepRunner, AFinishedSweepIsNotRepeated) {
  const TempFolder folder;
  const SweepSpec spec = sweep_of(small_sweep(folder));
  Store store = store_for(folder.path("again.db"), spec);
  EXPECT_GT(run_into(store, spec).searched, 0u);
  const SweepRun again = run_into(store, spec);
  EXPECT_EQ(again.searched + again.reused + again.points, 0u);
}

TEST(SweepRunner, ShardsTogetherHaveWhatOneRunHas) {
  for (const char* goal : {"  goal: all\n", "  goal: front\n  pilots: 3\n", "  goal: best\n  pilots: 3\n"}) {
    const TempFolder folder;
    const SweepSpec spec = sweep_of(small_sweep(folder, goal));
    const SweepContent one = whole(folder, spec);
    std::map<u64, PointRecord> points;
    std::map<std::pair<u64, u64>, LayerRecord> layers;  // by point and layer
    for (u64 k = 0; k < 3; ++k) {
      const Shard shard{k, 3};
      Store store = store_for(folder.path("shard" + std::to_string(k) + ".db"), spec, shard);
      run_into(store, spec, shard);
      const SweepContent part = content_of(store);
      EXPECT_LT(part.points.size(), one.points.size());
      for (const PointRecord& row : part.points) {
        const auto [at, fresh] = points.emplace(row.id, row);
        EXPECT_EQ(at->second, row);
      }
      for (const LayerRecord& row : part.layers) {
        const auto [at, fresh] = layers.emplace(std::pair(row.point, row.layer), row);
        EXPECT_EQ(at->second, row);
      }
    }
    SweepContent united;
    for (const auto& [id, row] : points) united.points.push_back(row);
    for (const auto& [id, row] : layers) united.layers.push_back(row);
    EXPECT_EQ(united, one) << goal;
  }
}

constexpr const char* kNetworkObjective = "  objective: network_edp\n";

// Every point has the least product of its layers' energies and cycles: the value of map_network(), at most that of the
// layers' own optima, and proven where strategy exact did.
TEST(SweepRunner, GivesEachPointTheNetworksOptimum) {
  const TempFolder folder;
  SweepSpec spec = sweep_of(small_sweep(folder, kNetworkObjective));
  spec.options.strategy = Strategy::Exact;
  const SweepContent rows = whole(folder, spec);
  const DesignPoints points(spec);
  Network network;
  std::vector<double> weights;
  for (const SweepLayer& layer : spec.layers) {
    network.layers.push_back(layer.layer);
    weights.push_back(layer.weight);
  }
  const TempFolder other;
  SweepSpec alone = sweep_of(small_sweep(other));
  alone.options.strategy = Strategy::Exact;
  const SweepContent layers_own = whole(other, alone);
  for (const PointRecord& point : rows.points) {
    if (point.state != PointState::Done) continue;
    const auto found = map_network(network, *points.machine(point.id), spec.options, weights);
    ASSERT_TRUE(found.ok() && found->optimum);
    const double second = *point.cycle_ns * 1e-9;
    EXPECT_NEAR(point.value, found->optimum->value * second, 1e-12 * point.value) << point.id;
    EXPECT_EQ(point.lower_bound, point.value) << point.id;
    EXPECT_LE(point.value, layers_own.points[point.id].value) << point.id;
  }
}

TEST(SweepRunner, FindsWhatTheLayersOwnOptimaAreAbove) {
  std::vector<double> value;
  for (const char* objective : {"edp", "network_edp"}) {
    const TempFolder folder;
    const SweepSpec spec = sweep_of(folder.write(
        "tpu.yaml", "sweep:\n  machine: tpu_v4i\n  workloads: [resnet18]\n  objective: " + std::string(objective) +
                        "\n  parameters: {clock: {set: cycle_ns, values: [1]}}\n"));
    Store store = store_for(folder.path("tpu.db"), spec);
    run_into(store, spec);
    value.push_back(content_of(store).points.at(0).value);
    EXPECT_TRUE(store.check().empty()) << to_string(store.check());
    EXPECT_EQ(store.sweep().objective, objective);
    EXPECT_EQ(value_title(store.sweep()), value.size() == 1 ? "EDP of totals [pJ s]" : "network's EDP [pJ s]");
  }
  EXPECT_LT(value[1], value[0]);
}

TEST(SweepRunner, NetworksOptimaAreTheSameForAnyThreadsAndPieces) {
  for (const char* goal : {"", "  goal: front\n  pilots: 3\n", "  goal: best\n  pilots: 3\n"}) {
    const TempFolder folder;
    const SweepSpec spec = sweep_of(small_sweep(folder, std::string(kNetworkObjective) + goal));
    const SweepContent through = whole(folder, spec);
    EXPECT_EQ(whole(folder, spec, 2), through);
    EXPECT_EQ(whole(folder, spec, 8), through);
    EXPECT_EQ(in_pieces(folder, spec), through) << goal;
  }
}

// Of one layer the network's objective is the layer's own, and a point whose machine differs in areas alone is answered
// by another's rows.
TEST(SweepRunner, NetworksOptimaOfOneLayerAreTheLayers) {
  const std::string machine_only = "  parameters:\n    area: {set: DRAM.area_um2, values: [1, 2, 3]}\n";
  for (const char* goal : {"", "  goal: best\n"}) {
    std::vector<PointRecord> points[2];
    for (const bool network : {false, true}) {
      const TempFolder folder;
      folder.write("machine.yaml", testing::kSmallMachine);
      const SweepSpec spec =
          sweep_of(folder.write("one.yaml", "sweep:\n  machine: machine.yaml\n  workloads: [\"gemm:16x8x12\"]\n" +
                                                std::string(goal) + (network ? kNetworkObjective : "") + machine_only));
      Store store = store_for(folder.path("one.db"), spec);
      const SweepRun run = run_into(store, spec);
      EXPECT_EQ(run.searched, 1u);
      points[network] = content_of(store).points;
    }
    EXPECT_EQ(points[0], points[1]);
  }
}

TEST(SweepRunner, RefusesWhatANetworksObjectiveDoesNotGoWith) {
  const TempFolder folder;
  const auto ranked = load_sweep(small_sweep(folder, std::string(kNetworkObjective) + "  rank: layers\n"));
  ASSERT_FALSE(ranked.ok());
  EXPECT_NE(to_string(ranked.errors()).find("rank must be totals, or objective edp"), std::string::npos)
      << to_string(ranked.errors());
  folder.write("machine.yaml", testing::kSmallMachine);
  const auto cosa = load_sweep(folder.write(
      "cosa.yaml", "sweep:\n  machine: machine.yaml\n  workloads: [\"gemm:16x8x12\"]\n  strategy: cosa\n" +
                       std::string(kNetworkObjective) + "  parameters: {w: {set: Spad.entries, values: [16]}}\n"));
  ASSERT_FALSE(cosa.ok());
  EXPECT_NE(to_string(cosa.errors()).find("strategy cosa"), std::string::npos) << to_string(cosa.errors());
}

}  // namespace
}  // namespace heliolite::sweep_runner_test
