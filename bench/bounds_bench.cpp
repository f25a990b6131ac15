// Lower bounds of one workload for one memory, and the best tiling for two caches.
#include <benchmark/benchmark.h>

#include <array>

#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/formats/load_network.h"

namespace heliolite {
namespace {

void bounds(benchmark::State& state, const char* text) {
  const auto network = load_network(text);
  if (!network.ok()) return state.SkipWithError("workload not found");
  for (auto _ : state) {
    const LowerBounds all(network->layers[0].workload);
    benchmark::DoNotOptimize(all.words(16384));
  }
}

void two_caches(benchmark::State& state, const char* text) {
  const auto network = load_network(text);
  if (!network.ok()) return state.SkipWithError("workload not found");
  const TilingProblem problem = tiling_problem(network->layers[0].workload);
  const std::array<CacheLevel, 2> caches{{{8192, 1}, {262144, 1}}};
  for (auto _ : state) benchmark::DoNotOptimize(best_tiling(problem, caches));
}

BENCHMARK_CAPTURE(bounds, gemm, "gemm:4096x4096x4096")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bounds, conv, "conv:n=16,k=64,c=64,p=56,r=3")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(bounds, strided, "conv:n=16,k=64,c=3,p=112,r=7,stride=2")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(two_caches, conv, "conv:n=16,k=64,c=64,p=56,r=3")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heliolite
