#pragma once
// Every uneven mapping of a small problem, one stack of stores after the other; and problems whose buffers are small,
// so that uneven tiles gain.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "engine/base/integers.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/keep.h"
#include "engine/space/mapspace.h"
#include "tests/support/exhaustive_oracle.h"
#include "tests/support/search_problem.h"

namespace heliolite::testing {

// Levels whose tensors may have tiles of their own, from the machine's description alone.
inline bool may_split(const Architecture& a, std::size_t i) {
  if (i + 1 == a.levels.size() || !a.levels[i].loops_allowed) return false;
  const LoopConstraints& loops = a.levels[i].constraints.temporal;
  const NetworkEnergy& network = a.levels[i + 1].network;
  return loops.factors.empty() && loops.order.empty() && network.hop_pj == 0 && network.router_pj == 0;
}

// Every order of every choice of tensors for a level: as many stores as the choice has tensors.
inline std::vector<std::vector<TensorMask>> stores_of(TensorMask keep, TensorMask open) {
  std::vector<std::vector<TensorMask>> out;
  for (unsigned chosen = open;; chosen = (chosen - 1) & open) {
    std::vector<TensorMask> parts;
    for (const int v : bits(keep | chosen)) parts.push_back(static_cast<TensorMask>(1u << v));
    do out.push_back(parts.empty() ? std::vector<TensorMask>{0} : parts);
    while (std::next_permutation(parts.begin(), parts.end()));
    if (chosen == 0) return out;
  }
}

// The optima over all uneven mappings, one stack of stores after the other; none if they are too many.
inline std::optional<OracleAnswer> all_uneven(const SearchProblem& p, u64 limit) {
  const CostModel model(p.workload, p.architecture);
  const Mapspace space = *resolve(p.workload, p.architecture);
  std::vector<StackedParts> stacks{{}};
  for (std::size_t i = 0; i < p.architecture.levels.size(); ++i) {
    const LevelSpace& level = space.levels[i];
    const auto choices = may_split(p.architecture, i)
                             ? stores_of(level.keep, level.open)
                             : std::vector<std::vector<TensorMask>>{{static_cast<TensorMask>(level.keep | level.open)}};
    std::vector<StackedParts> next;
    for (const StackedParts& stack : stacks)
      for (const auto& parts : choices) {
        next.push_back(stack);
        next.back().push_back(parts);
      }
    stacks = std::move(next);
  }
  OracleAnswer out;
  for (const StackedParts& parts : stacks) {
    const StoreStack stack = stack_stores(p.architecture, parts, p.workload);
    if (stack.level_of.size() > kMaxLevels) return std::nullopt;
    const auto price = [&](const Mapping& m) { return model.evaluate(unstacked(m, stack)); };
    const auto some = enumerate_mapspace(p.workload, stack.stacked, {.limit = limit, .price = price});
    if (!some || out.mappings + some->mappings > limit) return std::nullopt;
    for (std::size_t k = 0; k < out.best.size() && some->legal > 0; ++k) {
      const auto objective = static_cast<Objective::Kind>(k);
      if (out.legal > 0 && Value::of(objective, out.best[k].cost) <= Value::of(objective, some->best[k].cost)) continue;
      out.best[k] = some->best[k];
      out.best[k].mapping = unstacked(some->best[k].mapping, stack);
    }
    out.mappings += some->mappings;
    out.legal += some->legal;
  }
  return out;
}

// A matrix product or a convolution in one dimension, on a machine whose buffers are small and keep everything. With
// `word_bits` the words of tensors are 0.5, 1 or 1.5 times as large as a level's.
inline SearchProblem small_buffers(u64 seed, bool word_bits) {
  Rng rng(seed);
  const auto size = [&] { return std::array<u64, 5>{2, 3, 4, 6, 8}[pick(rng, 0, 4)]; };
  RandomOptions shape;
  shape.max_levels = 3;
  shape.max_fanout = 2;
  shape.reductions = seed % 3 == 0;
  SearchProblem p;
  const std::string text = chance(rng, 60)
                               ? fmt::format("gemm:{}x{}x{}", size(), size(), size())
                               : fmt::format("conv:k={},c={},p={},q=1,r=3,s=1", pick(rng, 1, 2), size(), size());
  p.workload = load_network(text)->layers[0].workload;
  do p.architecture = random_architecture(rng, shape);
  while (p.architecture.levels.size() < 2);
  for (StorageLevel& level : p.architecture.levels) {
    level.keep = {{"all"}, {}};
    level.network = {};
    if (shape.reductions) level.network.ingress_pj = static_cast<double>(pick(rng, 0, 80)) / 8;
    level.entries = pick(rng, 4, 48);
    level.multiple_buffering = 1;
  }
  if (p.architecture.levels.size() > 2) p.architecture.levels[0].keep = {{"outputs"}, {"all"}};
  p.architecture.levels.back().entries.reset();
  for (Tensor& t : p.workload.tensors)
    if (word_bits) t.word_bits = WordLength::of_parts(p.architecture.levels[0].word_bits.parts() * pick(rng, 1, 3), 2);
  p.answer = *enumerate_mapspace(p.workload, p.architecture);
  return p;
}

}  // namespace heliolite::testing
