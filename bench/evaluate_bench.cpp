// The hot path, one core: legality and cost of complete mappings, and drawing them.
#include <benchmark/benchmark.h>

#include "bench/presets.h"
#include "engine/search/baseline/sampler.h"
#include "engine/search/map.h"

namespace heliolite {
namespace {

// Mappings that fit, drawn at random: they share neither tiles nor orders, so that no branch is learned from the call
// before. There are more of them than a predictor remembers.
std::vector<Mapping> drawn(const BenchPair& pair, const CostModel& model) {
  constexpr std::size_t kMappings = 4096;
  const Mapspace space = require(resolve(pair.workload, pair.architecture));
  const Sampler sampler(space, model, false, 1);
  std::vector<Mapping> out;
  Mapping mapping;
  for (u64 k = 0; out.size() < kMappings && k < 20'000'000; ++k)
    if (sampler.evaluate(k, mapping).verdict == Verdict::Fits) out.push_back(mapping);
  return out;
}

void evaluate(benchmark::State& state, const BenchPair& pair) {
  const CostModel model(pair.workload, pair.architecture);
  const std::vector<Mapping> mappings = drawn(pair, model);
  if (mappings.empty()) return state.SkipWithError("no mapping fits");
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.evaluate(mappings[next]));
    next = next + 1 < mappings.size() ? next + 1 : 0;
  }
  state.SetItemsProcessed(state.iterations());
}

// Items are the samples that strategy random counts: those that the fan-outs have room for. What is drawn in vain is
// part of their time.
void draw(benchmark::State& state, const BenchPair& pair) {
  const CostModel model(pair.workload, pair.architecture);
  const Mapspace space = require(resolve(pair.workload, pair.architecture));
  const Sampler sampler(space, model, false, 1);
  Mapping mapping;
  u64 number = 0, counted = 0;
  for (auto _ : state) {
    const Verdict verdict = sampler.evaluate(number++, mapping).verdict;
    counted += verdict == Verdict::Fits || verdict == Verdict::OverCapacity ? 1 : 0;
  }
  state.SetItemsProcessed(static_cast<i64>(counted));
}

void explain(benchmark::State& state) {
  const BenchPair pair("eyeriss", "resnet18/conv2_x");
  const MappingResult best = require(map_workload(pair.workload, pair.architecture, {}));
  const CostModel model(pair.workload, pair.architecture);
  for (auto _ : state) benchmark::DoNotOptimize(model.explain(best.mapping));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK(explain);

const int registered = [] {
  const std::vector<std::string> layers{"resnet18/conv2_x", "gemm:512x512x512", "mttkrp:256x32x256x256"};
  on_every_machine("evaluate", layers, evaluate);
  on_every_machine("draw", layers, draw);
  return 0;
}();

}  // namespace
}  // namespace heliolite
