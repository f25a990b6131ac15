// The hot path, one core: legality and cost of complete mappings, in true counts too, and drawing them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "bench/presets.h"
#include "engine/model/cost_model.h"
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

// The mapper's answer with tiles of other sizes: every factor but a dimension's outermost is changed a little, the
// outermost one covers the rest.
Mapping other_tiles(const Mapping& best, const Workload& workload, std::mt19937_64& random) {
  Mapping m = best;
  m.loop_count = 0;
  std::vector<u64> left;
  std::vector<int> last(workload.dimensions.size(), -1);
  for (const Dimension& d : workload.dimensions) left.push_back(d.size);
  for (int k = 0; k < best.loop_count; ++k) last[best.loop[k].dimension] = k;
  for (int k = 0; k < best.loop_count; ++k) {
    const Loop& loop = best.loop[k];
    u64& rest = left[loop.dimension];
    const u64 change = random() % 5, end = std::max<u64>(loop.end + change, 3) - 2;
    const u64 factor = last[loop.dimension] == k ? rest : std::min(end, rest);
    if (factor > 1) m.add(loop.kind, loop.level, loop.dimension, factor, (rest - 1) % factor + 1);
    rest = (rest - 1) / factor + 1;
  }
  return m;
}

// True counts of mappings whose factors do not divide: the mapper's answer with tiles of other sizes, where they fit.
void true_counts(benchmark::State& state, const BenchPair& pair) {
  const CostModel model(pair.workload, pair.architecture);
  const MappingResult best = require(map_workload(pair.workload, pair.architecture, {}));
  std::mt19937_64 random(1);
  std::vector<Mapping> mappings;
  for (u64 tries = 0; mappings.size() < 256 && tries < 1'000'000; ++tries) {
    const Mapping m = other_tiles(best.mapping, pair.workload, random);
    if (!m.is_perfect() && model.evaluate(m, Counts::True).verdict == Verdict::Fits) mappings.push_back(m);
  }
  if (mappings.empty()) return state.SkipWithError("no such mapping fits");
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(model.evaluate(mappings[next], Counts::True));
    next = (next + 1) % mappings.size();
  }
  state.SetItemsProcessed(state.iterations());
}

const int registered = [] {
  const std::vector<std::string> layers{"resnet18/conv2_x", "gemm:512x512x512", "mttkrp:256x32x256x256"};
  on_every_machine("evaluate", layers, evaluate);
  on_every_machine("draw", layers, draw);
  on_every_machine("true_counts", {"gemm:1000x370x1290", "resnet18/conv2_x"}, true_counts);
  return 0;
}();

}  // namespace
}  // namespace heliolite
