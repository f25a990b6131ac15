#include "engine/search/exact_search.h"

#include <algorithm>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/search/exact_expansion.h"
#include "engine/search/parallel.h"

namespace heliolite {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 28;  // of one layer's states
// Parents are extended in parts that do not depend on the threads: so the answer does not either.
constexpr std::size_t kParts = 16;
constexpr std::size_t kLeastPart = 4;  // parents

// The share of the parents that one task extends.
struct Part {
  std::size_t begin, end;
  ExactIncumbent incumbent;
  ExactLayer out;
  ExactPass pass;
  SearchStatistics statistics;
  std::vector<bool> machines_tried;
  bool done = false;
};

}  // namespace

ExactSearch::ExactSearch(const LayerProblem& problem, const std::array<TensorMask, kMaxLevels>& keep,
                         const Lattice& lattice, std::span<const ExactFanout> fanouts)
    : problem_(problem),
      model_(make_exact_model(problem, keep, lattice, fanouts)),
      bounds_(model_),
      machines_tried_(model_.machine.size()) {}

CostBound ExactSearch::root_bound(u32 machine) const { return bounds_.at_root(ExactSteps(model_).root(machine)); }

std::size_t ExactSearch::most_states() const { return kBytes / ExactLayer(model_, -1).bytes_of_a_state(); }

ExactPass ExactSearch::run(std::size_t width, const SearchBudget& budget, ExactIncumbent& incumbent) {
  ExactPass pass;
  pass.complete = true;
  std::vector<ExactLayer> layers;
  for (int level = -1; level < model_.levels(); ++level) layers.emplace_back(model_, level);
  for (u32 machine = 0; machine < model_.machine.size(); ++machine) {
    ExactNode root;
    root.key = incumbent.key_of(root_bound(machine));
    if (problem_.family && problem_.options.rules[Rule::MemoryBound] &&
        statistics_.rules.count(Rule::MemoryBound, incumbent.cuts(root.key)))
      continue;
    layers[0].add(ExactSteps(model_).root(machine), root, false);
  }
  for (int level = 0; level < model_.levels(); ++level) {
    if (!extend(level, layers, budget, incumbent, pass)) break;
    layers[at(level)].forget_values();
    narrow(layers[at(level) + 1], width, pass);
  }
  pass.complete |= incumbent.cuts(pass.least_left);
  return pass;
}

// All states of one layer by one level. False if the budget ended it.
bool ExactSearch::extend(int level, std::vector<ExactLayer>& layers, const SearchBudget& budget,
                         ExactIncumbent& incumbent, ExactPass& pass) {
  const ExactLayer& parents = layers[at(level)];
  const std::size_t most = most_states();
  const std::size_t size = std::max(kLeastPart, (parents.size() + kParts - 1) / kParts);
  std::vector<Part> parts;
  for (std::size_t begin = 0; begin < parents.size(); begin += size)
    parts.push_back(
        {begin, std::min(begin + size, parents.size()), incumbent, ExactLayer(model_, level), {}, {}, {}, false});
  const u64 evaluations = budget.evaluations_left(statistics_.evaluated) / std::max<std::size_t>(1, parts.size());
  parallel_for(parts.size(), problem_.options.threads, [&](std::size_t p) {
    Part& part = parts[p];
    part.pass.complete = part.done = true;
    ExactExpansion expansion(problem_, model_, bounds_, layers, level, part.incumbent, part.out);
    for (std::size_t k = part.begin; k < part.end; ++k) {
      if (part.incumbent.cuts(parents.node(k).key)) continue;
      if (!expansion.extend(k, budget, evaluations)) {
        part.pass.leave(parents.node(k).key);
        part.done &= !expansion.stopped();
      }
      if (part.out.size() > 2 * most) narrow(part.out, most, part.pass);
    }
    part.statistics = expansion.statistics();
    part.machines_tried = expansion.machines_tried();
  });
  bool done = true;
  ExactLayer& out = layers[at(level) + 1];
  if (parts.size() == 1) out = std::move(parts.front().out);
  for (Part& part : parts) {
    incumbent.offer(part.incumbent);
    statistics_ += part.statistics;
    for (std::size_t m = 0; m < machines_tried_.size(); ++m)
      if (part.machines_tried[m]) machines_tried_[m] = true;
    done &= part.done;
    if (!part.pass.complete) pass.leave(part.pass.least_left);
    if (parts.size() == 1) break;
    const bool dominance = problem_.options.rules[Rule::StateDominance] && !budget.over();
    for (std::size_t k = 0; k < part.out.size(); ++k)
      if (!part.out.node(k).dropped) out.add(part.out, k, dominance);
    part.out = ExactLayer(model_, level);
    if (out.size() > 2 * most) narrow(out, most, pass);
  }
  out.compact();
  if (!done)
    for (std::size_t k = 0; k < out.size(); ++k) pass.leave(out.node(k).key);
  return done;
}

// Keeps the most promising.
void ExactSearch::narrow(ExactLayer& layer, std::size_t width, ExactPass& pass) const {
  layer.compact();
  if (layer.size() <= width) return;
  std::vector<u32> order(layer.size());
  std::iota(order.begin(), order.end(), u32{0});
  const auto less = [&](u32 a, u32 b) {
    const ExactKey &x = layer.node(a).key, &y = layer.node(b).key;
    return x < y || (!(y < x) && a < b);
  };
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(width), order.end(), less);
  for (std::size_t k = width; k < order.size(); ++k) {
    pass.leave(layer.node(order[k]).key);
    layer.drop(order[k]);
  }
  layer.compact();
}

}  // namespace heliolite
