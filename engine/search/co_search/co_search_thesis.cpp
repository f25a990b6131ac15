// The co-search of the thesis (Ng, UBC 2022, algorithm 9), strategy `thesis`: tiles tagged with the smallest memories
// that hold them (memory_bins.h), machines in the order of their cheapest tiles.
#include <algorithm>

#include "engine/model/compiled.h"
#include "engine/search/co_search/co_searches.h"
#include "engine/search/co_search/memory_bins.h"
#include "engine/search/core/parallel.h"
#include "engine/search/sunstone/strategies.h"
#include "engine/space/factor_tree.h"

namespace heliolite {

// The tiles of one layer: one traversal of those of the innermost level with loops, each tagged with the smallest
// memories that hold it; then, where asked, the search of the thesis from the tiles of one machine.

Result<TaggedTiles> TaggedTiles::create(const Workload& workload, const MachineFamily& family,
                                        const SearchOptions& options, bool own) {
  auto search = LayerSearch::create(workload, family.envelope(), options);
  if (!search) return search.errors();
  return TaggedTiles(*std::move(search), family, own);
}

TaggedTiles::TaggedTiles(LayerSearch search, const MachineFamily& family, bool own)
    : search_(std::move(search)),
      family_(&family),
      own_(own && search_.problem().options.rules[Rule::SmallestMemory]),
      machines_(search_.problem().workload, family, search_.problem().options.objective),
      ladder_(search_.levels().make_ladder(SearchBudget(search_.problem().options))),
      bins_(family.size()) {
  const LayerProblem& problem = search_.problem();
  // Step 1. The levels from the first with loops up to the next fan-out or level with loops hold the same tile.
  const std::vector<ChainStep> chain = level_chain(problem.space);
  if (const int first = chain.front().level; first >= 0 && chain.size() > 1) {
    const int end = chain.front().fanout >= 0 ? chain.front().fanout : chain.front().outer;
    for (const int i : family.swept())
      if (i >= first && i < end) tagged_.push_back(i);
  }
  for (const int i : tagged_) {
    std::vector<u64>& sizes = capacities_.emplace_back();
    for (std::size_t m = 0; m < family.size(); ++m) sizes.push_back(family.capacity(m, i));
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  }
  // Step 2. One traversal for each keep choice, on the envelope: its memories hold the tiles of all machines.
  tiles_.resize(search_.levels().keep_choices().size());
  for (std::size_t k = 0; k < tiles_.size(); ++k) traverse(k);
  // Step 3. The bins.
  for (std::size_t m = 0; m < bins_.size(); ++m) fill(m);
}

void TaggedTiles::traverse(std::size_t keep) {
  const LayerProblem& problem = search_.problem();
  const KeepMasks& kept = search_.levels().keep_choices()[keep];
  ladder_->use(problem.model);
  ladder_->set_keep(kept);
  ThesisSearch thesis(*ladder_, problem.options.rules, problem.options.memory_bytes);
  for (const ThesisSearch::Tagged& t : thesis.first_candidates([&](const Extents& tile) { return tag(tile, kept); })) {
    Tile& tile = tiles_[keep].emplace_back();
    tile.choice = t.choice;
    for (const int i : tagged_) tile.words.push_back(words(i, t.choice.factor, kept));
  }
  std::stable_sort(tiles_[keep].begin(), tiles_[keep].end(),
                   [](const Tile& a, const Tile& b) { return a.choice.price < b.choice.price; });
  rules_ += thesis.rules();
}

u64 TaggedTiles::words(int level, const Extents& tile, const KeepMasks& keep) const {
  return level_words(search_.problem().model.compiled(), level, keep[level], tile);
}

// The smallest capacity of each tagged level that holds the tile, as one number.
int TaggedTiles::tag(const Extents& tile, const KeepMasks& keep) const {
  int out = 0;
  for (std::size_t k = 0; k < tagged_.size(); ++k) {
    const std::vector<u64>& sizes = capacities_[k];
    const auto holds = std::lower_bound(sizes.begin(), sizes.end(), words(tagged_[k], tile, keep));
    if (holds == sizes.end()) return kDoesNotFit;
    out = out * static_cast<int>(sizes.size()) + static_cast<int>(holds - sizes.begin());
  }
  return out;
}

// Whether no smaller machine, nowhere dearer, holds the tile.
bool TaggedTiles::needs(std::size_t machine, const Tile& tile) const {
  for (std::size_t k = 0; k < tagged_.size(); ++k)
    if (tile.words[k] <= family_->held_by_smaller(machine, tagged_[k])) return false;
  return true;
}

bool TaggedTiles::in_bin(std::size_t machine, const Tile& tile) const {
  for (std::size_t k = 0; k < tagged_.size(); ++k)
    if (tile.words[k] > family_->capacity(machine, tagged_[k])) return false;
  return !own_ || needs(machine, tile);
}

// The cheapest tile at the machine's own prices: those that the envelope prices higher cannot be.
void TaggedTiles::fill(std::size_t machine) {
  const LayerProblem& problem = search_.problem();
  Bin& bin = bins_[machine];
  Value least = Value::worst();
  ladder_->use(machines_.model(machine));
  for (std::size_t k = 0; k < tiles_.size(); ++k) {
    ladder_->set_keep(search_.levels().keep_choices()[k]);
    ThesisSearch thesis(*ladder_, problem.options.rules, problem.options.memory_bytes);
    for (const Tile& tile : tiles_[k]) {
      if (!in_bin(machine, tile)) continue;
      if (bin.needless && needs(machine, tile)) bin.needless = false;
      if (least < tile.choice.price || ladder_->stopped()) {
        if (!bin.needless) break;
        continue;
      }
      const std::optional<Score> score = thesis.first_price(tile.choice);
      if (!score || !(score->value < least)) continue;
      least = score->value;
      bin.cost = machines_.number(machine, score->cost);
    }
  }
}

double TaggedTiles::compulsory(std::size_t machine) const {
  return machines_.compulsory(machine, search_.problem().keep_range());
}

LayerAnswer TaggedTiles::complete(std::size_t machine) {
  const LayerProblem& problem = search_.problem();
  ladder_->use(machines_.model(machine));
  std::optional<Candidate> best;
  for (std::size_t k = 0; k < tiles_.size(); ++k) {
    ladder_->set_keep(search_.levels().keep_choices()[k]);
    ThesisSearch thesis(*ladder_, problem.options.rules, problem.options.memory_bytes);
    std::vector<ThesisSearch::Choice> candidates;
    for (const Tile& tile : tiles_[k]) {
      if (!in_bin(machine, tile)) continue;
      const std::optional<Score> score = thesis.first_price(tile.choice);
      if (!score) continue;
      candidates.push_back(tile.choice);
      candidates.back().price = score->value;
      if (ladder_->stopped()) break;
    }
    thesis.run_from(std::move(candidates), best);
    rules_ += thesis.rules();
  }
  LayerAnswer out;
  if (best) out.offer(problem.options.objective, ladder_->mapping(best->plan), best->score.cost);
  return out;
}

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
