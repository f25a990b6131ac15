// The curve of one buffer against Timeloop's, against all mappings of small Einsums priced by the cost model, and
// against a walk through all blockings.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "engine/bounds/orojenesis.h"
#include "engine/model/cost_model.h"
#include "tests/load.h"
#include "tests/random_problem.h"

namespace heliolite {
namespace {

using testing::Rng;
using testing::workload;

// Buffer -> accesses; only what is better than everything smaller.
using Front = std::map<u64, u64>;

Front thinned(const Front& all) {
  Front front;
  u64 best = ~u64{0};
  for (const auto& [buffer, accesses] : all) {
    if (accesses < best) front[buffer] = best = accesses;
  }
  return front;
}

void put(Front& all, u64 buffer, u64 accesses) {
  const auto [it, fresh] = all.emplace(buffer, accesses);
  if (!fresh) it->second = std::min(it->second, accesses);
}

Front front_of(const Result<Curve>& curve) {
  Front front;
  EXPECT_TRUE(curve.ok());
  for (const auto& point : curve->points()) front[point.buffer] = point.accesses;
  return front;
}

Architecture snowcat() {
  Architecture a;
  a.name = "snowcat";
  a.levels.resize(2);
  a.levels[0].name = "Buffer";
  a.levels[1].name = "Store";
  return a;
}

// Calls body(order) for every order of the loops, innermost first.
template <class Body>
void for_each_order(std::vector<int> loops, Body body) {
  std::ranges::sort(loops);
  do body(loops);
  while (std::ranges::next_permutation(loops).found);
}

// Every mapping with perfect factors on two levels, priced by the cost model.
Front model_front(const Workload& w, const OrojenesisOptions& options) {
  const Architecture a = snowcat();
  const CostModel model(w, a);
  Front all;
  std::vector<u64> tile(w.dimensions.size(), 1);
  const auto price = [&] {
    std::vector<int> outer;
    for (std::size_t d = 0; d < tile.size(); ++d)
      if (tile[d] < w.dimensions[d].size) outer.push_back(static_cast<int>(d));
    for_each_order(outer, [&](const std::vector<int>& order) {
      Mapping m;
      m.level_count = 2;
      for (std::size_t d = 0; d < tile.size(); ++d) m.add(LoopKind::Temporal, 0, static_cast<int>(d), tile[d]);
      for (int d : order)
        m.add(LoopKind::Temporal, 1, d,
              w.dimensions[static_cast<std::size_t>(d)].size / tile[static_cast<std::size_t>(d)]);
      const auto tensors = static_cast<TensorMask>((1u << w.tensors.size()) - 1);
      m.keep[1] = tensors;
      for (u32 keep = 0; keep <= tensors; ++keep) {
        m.keep[0] = static_cast<TensorMask>(keep);
        const Breakdown b = model.explain(m);
        u64 buffer = 0, accesses = 0;
        for (std::size_t v = 0; v < w.tensors.size(); ++v) {
          buffer += b.level[0].tensor[v].tile_words * options.word_size[v];
          const TensorTraffic& store = b.level[1].tensor[v];
          const bool read_back = options.partial_sums == PartialSums::ReadBack || !w.tensors[v].is_output();
          accesses += static_cast<u64>((read_back ? store.reads : 0) + store.updates) * options.word_size[v];
        }
        put(all, buffer, accesses);
      }
    });
  };
  const auto choose = [&](auto& self, std::size_t d) -> void {
    if (d == tile.size()) return price();
    for (u64 t = 1; t <= w.dimensions[d].size; ++t) {
      if (w.dimensions[d].size % t != 0) continue;
      tile[d] = t;
      self(self, d + 1);
    }
  };
  choose(choose, 0);
  return thinned(all);
}

// Words of a tensor's box, by their places, for one tile of a blocking.
std::set<std::vector<u64>> box(const Workload& w, const Tensor& t, const std::vector<u64>& first,
                               const std::vector<u64>& extent) {
  std::set<std::vector<u64>> words{{}};
  (void)w;
  for (const Rank& rank : t.ranks) {
    u64 low = 0, high = 0;
    for (const Term& term : rank.terms) {
      const auto d = static_cast<std::size_t>(term.dimension);
      low += term.coefficient * first[d];
      high += term.coefficient * (first[d] + extent[d] - 1);
    }
    std::set<std::vector<u64>> longer;
    for (const std::vector<u64>& word : words)
      for (u64 x = low; x <= high; ++x) {
        longer.insert(word);
        auto place = word;
        place.push_back(x);
        longer.erase(word);
        longer.insert(place);
      }
    words = std::move(longer);
  }
  return words;
}

// Walks the blocks in their order. A tensor keeps its tile until a loop moves it; along the innermost loop that moves
// it, it keeps what the next tile shares with the last.
u64 walked_words(const Workload& w, const Tensor& t, const std::vector<u64>& tile, const std::vector<int>& order) {
  const auto indexes = [&](int d) {
    return std::ranges::any_of(t.ranks, [&](const Rank& r) {
      return std::ranges::any_of(r.terms, [&](const Term& term) { return term.dimension == d; });
    });
  };
  const auto innermost = std::ranges::find_if(order, indexes);
  std::vector<u64> at(w.dimensions.size(), 0);
  std::set<std::vector<u64>> held;
  u64 words = 0;
  int changed = -1;  // the outermost loop that has just stepped
  for (;;) {
    std::vector<u64> first(at.size()), extent(at.size());
    for (std::size_t d = 0; d < at.size(); ++d) {
      first[d] = at[d] * tile[d];
      extent[d] = std::min(tile[d], w.dimensions[d].size - first[d]);
    }
    const auto now = box(w, t, first, extent);
    const auto step = std::ranges::find(order, changed);
    if (changed < 0 || (innermost != order.end() && step > innermost)) {
      words += now.size();
    } else if (innermost != order.end() && step == innermost) {
      words += static_cast<u64>(std::ranges::count_if(now, [&](const auto& word) { return !held.contains(word); }));
    }
    held = now;
    std::size_t k = 0;
    for (; k < order.size(); ++k) {
      const auto d = static_cast<std::size_t>(order[k]);
      if ((at[d] + 1) * tile[d] < w.dimensions[d].size) {
        ++at[d];
        changed = order[k];
        break;
      }
      at[d] = 0;
    }
    if (k == order.size()) return words;
  }
}

// Every blocking with every tile size, walked.
Front walked_front(const Workload& w) {
  Front all;
  std::vector<u64> tile(w.dimensions.size(), 1);
  const auto walk = [&] {
    std::vector<int> outer;
    for (std::size_t d = 0; d < tile.size(); ++d)
      if (tile[d] < w.dimensions[d].size) outer.push_back(static_cast<int>(d));
    std::vector<u64> words(w.tensors.size());
    for_each_order(outer, [&](const std::vector<int>& order) {
      for (std::size_t v = 0; v < w.tensors.size(); ++v) words[v] = walked_words(w, w.tensors[v], tile, order);
      for (u32 keep = 0; keep < 1u << w.tensors.size(); ++keep) {
        u64 buffer = 0, accesses = 0;
        for (std::size_t v = 0; v < w.tensors.size(); ++v) {
          const bool kept = (keep >> v & 1) != 0;
          if (kept) buffer += box(w, w.tensors[v], std::vector<u64>(tile.size(), 0), tile).size();
          const u64 moved = kept ? words[v] : w.macs();
          const u64 whole = w.tensor_words(static_cast<int>(v));
          accesses += moved + (w.tensors[v].is_output() && moved > whole ? moved - whole : 0);
        }
        put(all, buffer, accesses);
      }
    });
  };
  const auto choose = [&](auto& self, std::size_t d) -> void {
    if (d == tile.size()) return walk();
    for (tile[d] = 1; tile[d] <= w.dimensions[d].size; ++tile[d]) self(self, d + 1);
    tile[d] = 1;
  };
  choose(choose, 0);
  return thinned(all);
}

TEST(Orojenesis, IsTimeloopsCurve) {
  std::ifstream file(HELIOLITE_TEST_DATA "/data/orojenesis/gemm_1024.csv");
  std::string line;
  std::getline(file, line);
  Front expected;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    u64 buffer = 0, accesses = 0;
    char comma = 0;
    cells >> buffer >> comma >> accesses;
    expected[buffer] = accesses;
  }
  ASSERT_EQ(expected.size(), 23u);
  EXPECT_EQ(front_of(one_buffer_curve(workload("gemm:1024x1024x1024"))), expected);
}

TEST(Orojenesis, IsTheFrontOfAllMappings) {
  Rng rng(5);
  testing::RandomOptions shape;
  shape.max_size = 6;
  shape.max_tensors = 3;
  for (int i = 0; i < 150; ++i) {
    const Workload w = testing::random_workload(rng, shape);
    if (!check(w).empty()) continue;
    OrojenesisOptions options;
    if (i % 3 == 1) options.partial_sums = PartialSums::WriteOnly;
    if (i % 3 == 2) options.word_size = {1, 4, 2, 1, 1, 1, 1, 1};
    EXPECT_EQ(front_of(one_buffer_curve(w, options)), model_front(w, options)) << "problem " << i;
  }
}

TEST(Orojenesis, IsTheFrontOfKnownShapes) {
  for (const char* text :
       {"conv:k=2,c=2,p=4,q=1,r=3,s=1", "conv:k=2,c=1,p=4,r=2", "conv:k=1,c=2,p=4,q=2,r=4,s=1,stride=2",
        "conv:k=1,c=2,p=6,q=1,r=4,s=1,dilation=2", "gemm:4x6x8", "mttkrp:2x4x2x4", "sddmm:4x4x6",
        "o[i] += a[i+j,i]*b[j]; i=4,j=4", "o[2*i] += a[i,j]*b[j]; i=6,j=4", "o[i+j] += a[i]*b[j]; i=6,j=4"}) {
    const Workload w = workload(text);
    EXPECT_EQ(front_of(one_buffer_curve(w)), model_front(w, {})) << text;
  }
}

// With tiles of any size: no blocking is below, and those that are on it exist (the perfect ones by the cost model,
// whose overlaps further out a walk does not have).
TEST(Orojenesis, ImperfectIsTheFrontOfAllBlockings) {
  for (const char* text :
       {"gemm:5x6x7", "gemm:7x3x4", "conv:k=2,c=3,p=5,q=1,r=3,s=1", "conv:k=2,c=2,p=7,q=1,r=3,s=1,stride=2",
        "mttkrp:3x3x2x3", "o[i] += a[i+2*j]*b[j]; i=7,j=5"}) {
    const Workload w = workload(text);
    Front expected = walked_front(w);
    for (const auto& [buffer, accesses] : model_front(w, {})) put(expected, buffer, accesses);
    EXPECT_EQ(front_of(one_buffer_curve(w, {.imperfect = true})), thinned(expected)) << text;
  }
}

TEST(Orojenesis, EveryPointIsReachedByItsTiling) {
  for (const char* text : {"gemm:12x16x10", "conv:k=4,c=4,p=8,r=3", "mttkrp:4x8x4x8"}) {
    const Workload w = workload(text);
    const auto curve = one_buffer_curve(w);
    ASSERT_TRUE(curve.ok());
    const Architecture a = snowcat();
    const CostModel model(w, a);
    for (const auto& point : curve->points()) {
      Mapping m;
      m.level_count = 2;
      m.keep = {point.how.kept, static_cast<TensorMask>((1u << w.tensors.size()) - 1)};
      for (std::size_t d = 0; d < w.dimensions.size(); ++d)
        m.add(LoopKind::Temporal, 0, static_cast<int>(d), point.how.tile[d]);
      for (int k = 0; k < point.how.loop_count; ++k) {
        const auto d = point.how.loop[static_cast<std::size_t>(k)];
        m.add(LoopKind::Temporal, 1, d, w.dimensions[d].size / point.how.tile[d]);
      }
      const Breakdown b = model.explain(m);
      u64 accesses = 0;
      for (const TensorTraffic& t : b.level[1].tensor) accesses += static_cast<u64>(t.reads + t.updates);
      EXPECT_EQ(b.level[0].used_words, point.buffer) << text;
      EXPECT_EQ(accesses, point.accesses) << text << " " << point.buffer;
    }
  }
}

TEST(Orojenesis, ResidentTensorsNeverCross) {
  const Workload w = workload("gemm:8x8x8");
  OrojenesisOptions options;
  options.resident = static_cast<TensorMask>(1u << w.output());
  const auto curve = one_buffer_curve(w, options);
  ASSERT_TRUE(curve.ok());
  EXPECT_EQ(curve->points().front().buffer, 64u);
  EXPECT_EQ(curve->points().back().accesses, 128u);
}

TEST(Orojenesis, TooManyOrdersAreRefused) {
  const auto curve =
      one_buffer_curve(workload("z[a] += q[a]*r[b]*s[c]*t[d]*u[e]*v[f]*w[g]; a=2,b=2,c=2,d=2,e=2,f=2,g=2"));
  EXPECT_FALSE(curve.ok());
}

TEST(Staircase, KeepsWhatNothingBeats) {
  Staircase<int> stairs;
  EXPECT_TRUE(stairs.empty());
  EXPECT_EQ(stairs.at(10), nullptr);
  stairs.add(10, 100, 1);
  stairs.add(20, 50, 2);
  stairs.add(15, 100, 3);  // no better than 10
  stairs.add(10, 100, 4);  // the first stays
  EXPECT_EQ(stairs.at(9), nullptr);
  EXPECT_EQ(stairs.at(19)->how, 1);
  EXPECT_EQ(stairs.at(20)->how, 2);
  stairs.add(5, 50, 5);  // better than both
  ASSERT_EQ(stairs.points().size(), 1u);
  EXPECT_EQ(stairs.points()[0].how, 5);
}

}  // namespace
}  // namespace heliolite
