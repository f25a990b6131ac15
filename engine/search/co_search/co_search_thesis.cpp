#include "engine/search/co_search/co_search_thesis.h"

#include <algorithm>
#include <numeric>

#include "engine/search/co_search/tagged_tiles.h"
#include "engine/search/core/gate.h"
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
    visit(in_order());
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

  // Step 2. The machines that some tile needs, by the price of their cheapest tiles.
  std::vector<std::size_t> in_order() {
    const Gate gate(options_.rules, out_.statistics.rules);
    cost_.assign(family_.size(), 0);
    std::vector<std::size_t> order;
    for (std::size_t m = 0; m < family_.size(); ++m) {
      bool needless = true;
      for (std::size_t j = 0; j < tiles_.size(); ++j) {
        cost_[m] += layers_[j].weight * tiles_[j].cost(m);
        needless &= tiles_[j].needless(m);
        out_.machines[m].lower_bound += layers_[j].weight * tiles_[j].compulsory(m);
      }
      if (!gate.prunes(Rule::SmallestMemory, [&] { return needless; }) && cost_[m] < kNever) order.push_back(m);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cost_[a] < cost_[b]; });
    return order;
  }

  // Step 3. Each is searched from its tiles, until the next one's tiles alone cost more than the best machine.
  void visit(const std::vector<std::size_t>& order) {
    const Gate gate(options_.rules, out_.statistics.rules);
    for (const std::size_t m : order) {
      if (gate.prunes(Rule::MemoryBound, [&] { return cost_[m] >= best_; })) break;
      ++out_.configurations;
      std::vector<LayerAnswer> answers(tiles_.size());
      parallel_for(tiles_.size(), options_.threads, [&](std::size_t j) { answers[j] = tiles_[j].complete(m); });
      double sum = 0;
      for (std::size_t j = 0; j < answers.size(); ++j)
        sum += answers[j].found ? layers_[j].weight * objective_number(options_.objective, answers[j].cost) : kNever;
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
  std::vector<double> cost_;          // [machine]: sum over the layers
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
