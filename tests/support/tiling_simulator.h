#pragma once
// Executes tilings box by box on sets of elements: an independent count of what they move.
#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "engine/bounds/tiling/iotile_problem.h"

namespace heliolite::testing {

// Elements are vectors of rank values.
using ElementSet = std::set<std::vector<u64>>;

struct SimulatedTraffic {
  double loads = 0;   // words of inputs and of partial sums
  double stores = 0;  // words of outputs
  double held = 0;    // most words of all boxes at a time
};

class TilingSimulator {
 public:
  TilingSimulator(const TilingProblem& problem, const TiledLevel& level) : problem_(problem), level_(level) {}

  // One cache: each tensor's buffer holds its current box and nothing else.
  SimulatedTraffic run() {
    std::vector<int> loops(level_.order.inner.begin(), level_.order.inner.end());
    for (int d = 0; d < problem_.dimensions; ++d)
      if (std::find(loops.begin(), loops.end(), d) == loops.end()) loops.push_back(d);
    held_.resize(problem_.tensors.size());
    walk(loops, loops.size(), unit_origin());
    for (std::size_t v = 0; v < held_.size(); ++v)
      if (problem_.tensors[v].is_output) store(v, held_[v]);
    return traffic_;
  }

 private:
  static Extents unit_origin() {
    Extents e;
    e.fill(0);
    return e;
  }

  // loops[0] is the innermost.
  void walk(const std::vector<int>& loops, std::size_t n, Extents origin) {
    if (n == 0) return visit(origin);
    const int d = loops[n - 1];
    for (origin[d] = 0; origin[d] < problem_.size[d]; origin[d] += level_.tile[d]) walk(loops, n - 1, origin);
  }

  struct Interval {
    u64 first, last;
  };
  // Of one dimension, in the box at `origin` or in the largest box.
  Interval covered(int d, DimensionMask held, u64 origin) const {
    if ((held >> d & 1) != 0) return {0, problem_.size[d] - 1};
    return {origin, std::min<u64>(problem_.size[d], origin + level_.tile[d]) - 1};
  }

  struct Values {
    std::set<u64> sums;
    bool interval = false;  // room for all between the least and the largest: what is there already stays
  };
  Values values(const TiledTensor::TiledRank& rank, DimensionMask held, const Extents& origin) const {
    if (rank.lifted) return lifted_values(rank, held, origin);
    Values v{{0}};
    u64 interval = 1, pairs = 1;
    for (int i = 0; i < rank.count; ++i) {
      const int d = rank.dimension[i];
      const auto step = static_cast<u64>(rank.coefficient[i]);
      const Interval largest = covered(d, held, 0), here = covered(d, held, origin[d]);
      interval += step * (largest.last - largest.first);
      pairs *= largest.last - largest.first + 1;
      std::set<u64> next;
      for (const u64 sum : v.sums)
        for (u64 x = here.first; x <= here.last; ++x) next.insert(sum + step * x);
      v.sums = std::move(next);
    }
    v.interval = interval <= pairs;
    return v;
  }

  // Remainders are the leading digits. Only those values that quotient and remainder make up exist.
  Values lifted_values(const TiledTensor::TiledRank& rank, DimensionMask held, const Extents& origin) const {
    constexpr u64 kQuotients = 1000;  // more than there are
    Values v{{0}};
    for (std::size_t i = 0; i < rank.count; ++i) {
      const TiledTensor::Remainders& remainders = rank.remainders[i];
      const auto count = static_cast<u64>(remainders.count), size = static_cast<u64>(remainders.values);
      const Interval quotients = covered(rank.dimension[i], held, origin[rank.dimension[i]]);
      Interval left{0, 0};
      if (remainders.dimension >= 0)
        left = covered(remainders.dimension, held, origin[static_cast<std::size_t>(remainders.dimension)]);
      std::set<u64> next;
      for (u64 r = left.first; r <= left.last; ++r)
        for (u64 q = quotients.first; q <= quotients.last && q * count + r < size; ++q)
          for (const u64 sum : v.sums) next.insert(sum + r * (i == 0 ? 1000 : 1) * kQuotients + q);
      v.sums = std::move(next);
    }
    return v;
  }

  void visit(const Extents& origin) {
    double words = 0;
    for (std::size_t v = 0; v < problem_.tensors.size(); ++v) {
      move(v, origin);
      words += static_cast<double>(held_[v].size()) * problem_.tensors[v].word_size;
    }
    traffic_.held = std::max(traffic_.held, words);
  }

  // Drops what the box at `origin` has no room for and loads what it needs.
  void move(std::size_t v, const Extents& origin) {
    const TiledTensor& tensor = problem_.tensors[v];
    std::vector<Values> along;
    for (const TiledTensor::TiledRank& rank : tensor.ranks)
      along.push_back(values(rank, level_.order.reuse[v].held, origin));
    ElementSet dropped;
    for (const auto& element : held_[v])
      for (std::size_t r = 0; r < along.size(); ++r) {
        const auto& [sums, interval] = along[r];
        const bool room =
            interval ? element[r] >= *sums.begin() && element[r] <= *sums.rbegin() : sums.contains(element[r]);
        if (!room) dropped.insert(element);
      }
    for (const auto& element : dropped) held_[v].erase(element);
    if (tensor.is_output) store(v, dropped);
    std::vector<u64> element(along.size());
    load(v, along, 0, element);
  }

  void load(std::size_t v, const std::vector<Values>& along, std::size_t rank, std::vector<u64>& element) {
    if (rank < along.size()) {
      for (const u64 x : along[rank].sums) {
        element[rank] = x;
        load(v, along, rank + 1, element);
      }
      return;
    }
    if (!held_[v].insert(element).second) return;
    const TiledTensor& tensor = problem_.tensors[v];
    const bool fresh = tensor.is_output && !problem_.rule.outputs_are_read && !stored_[v].contains(element);
    if (!fresh) traffic_.loads += tensor.word_size;
  }

  void store(std::size_t v, const ElementSet& elements) {
    traffic_.stores += static_cast<double>(elements.size()) * problem_.tensors[v].word_size;
    stored_[v].insert(elements.begin(), elements.end());
  }

  const TilingProblem& problem_;
  const TiledLevel& level_;
  std::vector<ElementSet> held_;
  std::map<std::size_t, ElementSet> stored_;
  SimulatedTraffic traffic_;
};

}  // namespace heliolite::testing
