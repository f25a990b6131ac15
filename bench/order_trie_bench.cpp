// Building the loop-order trie, once per workload.
#include <benchmark/benchmark.h>

#include "engine/formats/load_network.h"
#include "engine/space/order_trie.h"

namespace heliolite {
namespace {

void build(benchmark::State& state, const char* workload) {
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

BENCHMARK_CAPTURE(build, gemm, "gemm:64x64x64");
BENCHMARK_CAPTURE(build, conv, "o[n,k,p,q] += i[n,c,p+r,q+s] * w[k,c,r,s]; n=4,k=64,c=64,p=56,q=56,r=3,s=3");
BENCHMARK_CAPTURE(build, ttmc, "o[i,l,m] += a[i,j,k] * b[j,l] * c[k,m]; i=64,j=64,k=64,l=8,m=8");
BENCHMARK_CAPTURE(build, tcl, "o[l,m,n] += a[i,j,k] * b[i,l] * c[j,m] * d[k,n]; i=64,j=64,k=64,l=8,m=8,n=8");

}  // namespace
}  // namespace heliolite
