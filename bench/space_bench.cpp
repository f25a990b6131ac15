// What of a mapspace is walked: the tiles of a level and the unrollings of a fan-out, for a ResNet-18 layer, and loop
// orders.
#include <benchmark/benchmark.h>

#include "engine/formats/load_network.h"
#include "engine/space/factor_tree.h"
#include "engine/space/order_trie.h"
#include "engine/space/unrolling.h"

namespace heliolite {
namespace {

constexpr const char* kLayer = "o[k,p,q] += i[c,p+r,q+s] * w[k,c,r,s]; k=128,c=128,p=28,q=28,r=3,s=3";

struct Setting {
  Workload workload;
  std::vector<DivisorTable> tables;
  Extents sizes = unit_extents();
  FactorLimits open{};

  Setting() : workload(load_network(kLayer)->layers[0].workload) {
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
      sizes[d] = static_cast<u32>(workload.dimensions[d].size);
      open[d] = {1, sizes[d]};
      tables.emplace_back(sizes[d]);
    }
  }
};

// Args: words of a unified buffer, T1 on or off. Items are fitting tiles given to the visitor.
void tiles(benchmark::State& state) {
  const Setting s;
  const Footprint footprint(s.workload);
  CapacityTest fits(footprint);
  fits.add(0b111, static_cast<u64>(state.range(0)));
  const TileSpace space = make_tile_space(s.tables, unit_extents(), s.sizes, s.open);
  TileCounts counts;
  for (auto _ : state) {
    u64 sum = 0;
    counts = for_each_tile(space, {.maximal = state.range(1) != 0}, fits, [&](const Extents& e) { sum += e[0]; });
    benchmark::DoNotOptimize(sum);
  }
  state.counters["tiles"] = static_cast<double>(counts.tiles);
  state.counters["tests"] = static_cast<double>(counts.tests);
  state.counters["tests/s"] =
      benchmark::Counter(static_cast<double>(counts.tests), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(tiles)->ArgsProduct({{256, 8192, 65536}, {0, 1}})->Unit(benchmark::kMicrosecond);

// Args: X, Y, rules on or off.
void unrollings(benchmark::State& state) {
  const Setting s;
  UnrollingSpace space;
  space.dimension_count = static_cast<u8>(s.tables.size());
  space.tensor_count = 3;
  space.left = s.sizes;
  for (int d = 0; d < space.dimension_count; ++d) space.divisors[d] = &s.tables[d];
  for (int v = 0; v < 3; ++v) space.indexing[v] = s.workload.indexing(v);
  space.fanout.fanout_x = static_cast<u64>(state.range(0));
  space.fanout.fanout_y = static_cast<u64>(state.range(1));
  space.fanout.factor = s.open;
  space.fanout.allowed_x = space.fanout.allowed_y = all_dimensions(space);
  const bool on = state.range(2) != 0;
  UnrollingCounts counts;
  for (auto _ : state) {
    u64 sum = 0;
    counts = for_each_unrolling(space, {on, on, on}, [&](const Unrolling& u) { sum += u.x[0]; });
    benchmark::DoNotOptimize(sum);
  }
  state.counters["unrollings"] = static_cast<double>(counts.unrollings);
}
BENCHMARK(unrollings)
    ->ArgsProduct({{14}, {12}, {0, 1}})
    ->ArgsProduct({{32}, {32}, {0, 1}})
    ->Unit(benchmark::kMicrosecond);

// Building the loop-order trie, once per workload.
void orders(benchmark::State& state, const char* workload) {
  const auto network = load_network(workload);
  if (!network.ok()) return state.SkipWithError("workload not found");
  const ReuseTable reuse = infer_reuse(network->layers[0].workload);
  std::size_t kept = 0;
  for (auto _ : state) {
    const OrderTrie trie = build_order_trie(reuse);
    kept = trie.kept.size();
    benchmark::DoNotOptimize(kept);
  }
  state.counters["kept"] = static_cast<double>(kept);
}

BENCHMARK_CAPTURE(orders, gemm, "gemm:64x64x64");
BENCHMARK_CAPTURE(orders, conv, "o[n,k,p,q] += i[n,c,p+r,q+s] * w[k,c,r,s]; n=4,k=64,c=64,p=56,q=56,r=3,s=3");
BENCHMARK_CAPTURE(orders, ttmc, "o[i,l,m] += a[i,j,k] * b[j,l] * c[k,m]; i=64,j=64,k=64,l=8,m=8");
BENCHMARK_CAPTURE(orders, tcl, "o[l,m,n] += a[i,j,k] * b[i,l] * c[j,m] * d[k,n]; i=64,j=64,k=64,l=8,m=8,n=8");

}  // namespace
}  // namespace heliolite
