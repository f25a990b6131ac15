// The co-search of the thesis (Ng, UBC 2022, algorithm 9), strategy `thesis`: tiles tagged with the smallest memories
// that hold them (memory_bins.h), machines in the order of their cheapest tiles.
#include "engine/search/co_search/co_searches.h"

#include <algorithm>

#include "engine/search/co_search/memory_bins.h"
#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

class TaggedSearch {
 public:
  TaggedSearch(std::span<const WeightedLayer> layers, const MachineFamily& family, const SearchOptions& options)
      : layers_(layers), family_(family), options_(options) {
    out_.machines.resize(family.size());
  }

  Result<CoSearchResult> run() {
    if (Diagnostics why = traverse(); !why.empty()) return why;
    visit(rank_machines(layers_, tiles_, options_.rules, out_));
    for (const TaggedTiles& t : tiles_) out_.statistics += t.statistics();
    return conclude();
  }

 private:
  // Step 1. The tiles of every layer, tagged.
  Diagnostics traverse() {
    const bool own = layers_.size() == 1;  // what a layer does not need another one may
    std::vector<std::optional<Result<TaggedTiles>>> made(layers_.size());
    parallel_for(layers_.size(), options_.threads,
                 [&](std::size_t j) { made[j] = TaggedTiles::create(layers_[j].workload, family_, options_, own); });
    for (auto& m : made) {
      if (!*m) return m->errors();
      tiles_.push_back(std::move(**m));
    }
    return {};
  }

  // Step 2. By the price of their cheapest tiles each machine is searched from them, until the next one's tiles alone
  // cost more than the best machine.
  void visit(const MachineRanking& ranking) {
    const Gate gate(options_.rules, out_.statistics.rules);
    for (const std::size_t m : ranking.order) {
      if (gate.prunes(Rule::MemoryBound, [&] { return ranking.cost[m] >= best_; })) break;
      ++out_.configurations;
      std::vector<LayerAnswer> answers(tiles_.size());
      parallel_for(tiles_.size(), options_.threads, [&](std::size_t j) { answers[j] = tiles_[j].complete(m); });
      double sum = 0;
      for (std::size_t j = 0; j < answers.size(); ++j)
        sum += answers[j].found ? layers_[j].weight * objective_number(options_.objective, answers[j].cost,
                                                                       family_.machine(m), layers_[j].workload)
                                : kNever;
      if (sum == kNever) continue;
      out_.machines[m].state = CoSearchMachine::State::Searched;
      out_.machines[m].value = sum;
      if (sum > best_ || (sum == best_ && out_.best < m)) continue;
      best_ = sum;
      out_.best = m;
      answers_ = std::move(answers);
    }
  }

  Result<CoSearchResult> conclude() {
    if (best_ == kNever) return std::move(out_);
    for (std::size_t j = 0; j < layers_.size(); ++j) {
      const auto search = LayerSearch::create(layers_[j].workload, family_.machine(out_.best), options_);
      if (!search) return search.errors();
      out_.layers.push_back(search->conclude(answers_[j], search->first_bound()));
    }
    out_.value = best_;
    out_.lower_bound = kNever;
    for (const CoSearchMachine& m : out_.machines) out_.lower_bound = std::min(out_.lower_bound, m.lower_bound);
    out_.status = out_.value <= out_.lower_bound ? Status::Optimal : Status::Bounded;
    out_.gap = out_.lower_bound > 0 ? out_.value / out_.lower_bound - 1 : 0;
    return std::move(out_);
  }

  std::span<const WeightedLayer> layers_;
  const MachineFamily& family_;
  const SearchOptions& options_;
  std::vector<TaggedTiles> tiles_;    // [layer]
  std::vector<LayerAnswer> answers_;  // [layer]: on the best machine
  double best_ = kNever;
  CoSearchResult out_;
};

}  // namespace

Result<CoSearchResult> co_search_thesis(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                        const SearchOptions& options) {
  return TaggedSearch(layers, family, options).run();
}

}  // namespace heliolite
