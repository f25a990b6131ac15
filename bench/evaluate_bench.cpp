// The hot path: legality and cost of complete mappings, one core. Mappings are the mapper's answer with the loops of
// every level shuffled, so that stationary runs differ from call to call.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <random>

#include "arch/load.h"
#include "engine/search/map.h"
#include "workloads/load.h"

namespace heliolite {
namespace {

template <class T>
T require(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::cerr << to_string(result.errors()) << "\n";
  std::exit(2);
}

// Perfect factors stay perfect: only the order within a level changes.
std::vector<Mapping> shuffled(const Mapping& best, std::size_t count) {
  std::vector<Mapping> out(count, best);
  std::mt19937_64 random(1);
  for (Mapping& m : out) {
    for (u8 begin = 0, end = 0; begin < m.loop_count; begin = end) {
      while (end < m.loop_count && m.loop[end].level == m.loop[begin].level && m.loop[end].kind == m.loop[begin].kind)
        ++end;
      std::shuffle(m.loop.begin() + begin, m.loop.begin() + end, random);
    }
  }
  return out;
}

void evaluate(benchmark::State& state, const char* machine, const char* layer) {
  const Architecture architecture = require(load_architecture(machine));
  const Workload workload = require(load_network(layer)).layers.front().workload;
  const MappingResult best = require(map_workload(workload, architecture, {}));
  const CostModel model(workload, architecture);
  const std::vector<Mapping> mappings = shuffled(best.mapping, 256);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.evaluate(mappings[next]));
    next = (next + 1) % mappings.size();
  }
  state.SetItemsProcessed(state.iterations());
}

void explain(benchmark::State& state) {
  const Architecture architecture = require(load_architecture("eyeriss"));
  const Workload workload = require(load_network("resnet18/conv2_x")).layers.front().workload;
  const MappingResult best = require(map_workload(workload, architecture, {}));
  const CostModel model(workload, architecture);
  for (auto _ : state) benchmark::DoNotOptimize(model.explain(best.mapping));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(evaluate, eyeriss_conv2_x, "eyeriss", "resnet18/conv2_x");
BENCHMARK_CAPTURE(evaluate, edge_unified_conv2_x, "edge_unified", "resnet18/conv2_x");
BENCHMARK_CAPTURE(evaluate, simba_conv2_x, "simba", "resnet18/conv2_x");
BENCHMARK_CAPTURE(evaluate, gemmini_conv2_x, "gemmini", "resnet18/conv2_x");
BENCHMARK_CAPTURE(evaluate, eyeriss_gemm, "eyeriss", "gemm:512x512x512");
BENCHMARK_CAPTURE(evaluate, eyeriss_mttkrp, "eyeriss", "mttkrp:256x32x256x256");
BENCHMARK(explain);

}  // namespace
}  // namespace heliolite
