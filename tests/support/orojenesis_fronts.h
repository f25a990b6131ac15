#pragma once
// Fronts of buffer and accesses by looking at every mapping: priced by the cost model, or walked word by word. Shares
// nothing with engine/bounds but its options.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/bounds/curve/orojenesis.h"
#include "engine/model/cost_model.h"
#include "workloads/workload.h"

namespace heliolite::testing {

// Buffer -> accesses; only what is better than everything smaller.
using Front = std::map<u64, u64>;

inline Front thinned(const Front& all) {
  Front front;
  u64 best = ~u64{0};
  for (const auto& [buffer, accesses] : all) {
    if (accesses < best) front[buffer] = best = accesses;
  }
  return front;
}

inline void put(Front& all, u64 buffer, u64 accesses) {
  const auto [it, fresh] = all.emplace(buffer, accesses);
  if (!fresh) it->second = std::min(it->second, accesses);
}

inline Architecture snowcat() {
  Architecture a;
  a.name = "snowcat";
  a.levels.resize(2);
  a.levels[0].name = "Buffer";
  a.levels[1].name = "Store";
  return a;
}

// Calls body(order) for every order of the loops, innermost first.
template <class Body>
inline void for_each_order(std::vector<int> loops, Body body) {
  std::ranges::sort(loops);
  do body(loops);
  while (std::ranges::next_permutation(loops).found);
}

// Every mapping with perfect factors on two levels, priced by the cost model.
inline Front model_front(const Workload& w, const OrojenesisOptions& options) {
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
inline std::set<std::vector<u64>> box(const Tensor& t, const std::vector<u64>& first, const std::vector<u64>& extent) {
  std::set<std::vector<u64>> words{{}};
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
        std::vector<u64> place = word;
        place.push_back(x);
        longer.insert(std::move(place));
      }
    words = std::move(longer);
  }
  return words;
}

// Walks the blocks in their order. A tensor keeps its tile until a loop moves it; along the innermost loop that moves
// it, it keeps what the next tile shares with the last.
inline u64 walked_words(const Workload& w, const Tensor& t, const std::vector<u64>& tile,
                        const std::vector<int>& order) {
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
    const auto now = box(t, first, extent);
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
inline Front walked_front(const Workload& w) {
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
          if (kept) buffer += box(w.tensors[v], std::vector<u64>(tile.size(), 0), tile).size();
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

}  // namespace heliolite::testing
