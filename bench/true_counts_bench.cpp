// True counts of mappings whose factors do not divide, one core: the mapper's answer with
// tiles of other sizes, where they fit.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

#include "bench/presets.h"
#include "engine/base/integers.h"
#include "engine/model/cost_model.h"
#include "engine/search/map.h"

namespace heliolite {
namespace {

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

void evaluate(benchmark::State& state, const BenchPair& pair) {
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
  on_every_machine("evaluate", {"gemm:1000x370x1290", "resnet18/conv2_x"}, evaluate);
  return 0;
}();

}  // namespace
}  // namespace heliolite
