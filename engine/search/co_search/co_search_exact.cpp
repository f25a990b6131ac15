// The exact co-search: branch and bound over sets of machines. What a set costs at least is, for every layer, the
// optimum over its machines and mappings together, found in one traversal (exact.h with a family).
// Proofs: docs/rules/co_search.md.
#include "engine/search/co_search/co_searches.h"

#include <numeric>

#include "engine/search/core/parallel.h"
#include "engine/search/exact/exact.h"
#include "engine/search/layer_search.h"
#include "engine/search/map.h"

namespace heliolite {
namespace {

constexpr double kSameBound = 1 - 1e-12;  // sums of doubles this close count as equal
constexpr u32 kNobody = ~u32{0};

// What is known of one layer on a set of machines.
struct LayerBound {
  double value = 0;         // no mapping on any machine of the set is below
  u32 machine = kNobody;    // that reaches the value
  bool unfinished = false;  // the budget ended the search
};

struct MachineSet {
  std::vector<u32> machines;
  std::vector<LayerBound> layers;
  double bound = 0;  // sum over the layers
};

// The best mapping known of one layer on one machine.
struct Known {
  double value = kNever;
  std::size_t mapping = 0;  // in found_
};

class LayerOnMachines {
 public:
  LayerOnMachines(const WeightedLayer& layer, const MachineFamily& family, const SearchOptions& options, Mapspace space)
      : layer_(layer),
        family_(family),
        options_(options),
        space_(std::move(space)),
        machines_(layer.workload, family, options.objective),
        known_(family.size()) {}

  double weight() const { return layer_.weight; }
  double known(std::size_t machine) const { return known_[machine].value; }
  const SearchStatistics& statistics() const { return statistics_; }
  const std::vector<bool>& tried() const { return tried_; }

  // Prices a mapping on every machine.
  void offer(const Mapping& mapping) {
    for (std::size_t m = 0; m < machines_.size(); ++m) {
      const Evaluation e = machines_.model(m).evaluate(mapping);
      if (e.verdict != Verdict::Fits) continue;
      const double value = machines_.number(m, e.cost);
      if (value < known_[m].value) known_[m] = {value, found_.size()};
    }
    found_.push_back(mapping);
  }

  // The optimum over the set's machines if it is below `limit`; else says that it is not. Their areas are alike, or do
  // not count.
  struct Answer {
    LayerBound bound;
    std::optional<Mapping> mapping;  // below the limit
  };
  Answer search(const MachineSet& set, double inherited, double limit) {
    const double factor = machines_.factor(set.machines.front());
    auto family = std::make_shared<MachineFamily>(family_.subset(set.machines));
    LayerProblem problem{
        layer_.workload, family->envelope(), options_, space_, CostModel(layer_.workload, family->envelope()), family};
    for (u32 m : set.machines) problem.machines.push_back(machines_.model(m));
    LayerAnswer start = best_known(set);
    if (!start.found) start = first_mapping(set);
    const LayerAnswer answer = exact_search(problem, start, SearchBudget(options_).after(used_),
                                            key_of_number(options_.objective, limit / factor));
    statistics_ += answer.statistics;
    used_ += answer.statistics.evaluated;
    tried_.resize(family_.size());
    for (std::size_t k = 0; k < answer.machines_tried.size(); ++k)
      if (answer.machines_tried[k]) tried_[set.machines[k]] = true;
    const double value = answer.found ? objective_number(options_.objective, answer.cost) * factor : kNever;
    Answer out;
    if (value < limit) out.mapping = answer.mapping, out.bound.machine = set.machines[answer.machine];
    out.bound.unfinished = !answer.complete;
    out.bound.value =
        answer.complete ? std::min(value, limit) : std::max(inherited, answer.lower_bound.value_or(0) * factor);
    return out;
  }

  // The answer for one machine, of which `optimal` says that nothing is below.
  Result<MappingResult> conclude(std::size_t machine, bool optimal) const {
    auto search = LayerSearch::create(layer_.workload, family_.machine(machine), options_);
    if (!search) return search.errors();
    LayerAnswer answer;
    if (known_[machine].value < kNever) {
      const Mapping& mapping = found_[known_[machine].mapping];
      answer.offer(options_.objective, mapping, machines_.model(machine).evaluate(mapping).cost);
      answer.complete = optimal;
    }
    answer.statistics = statistics_;
    return search->conclude(answer, search->first_bound());
  }

 private:
  LayerAnswer best_known(const MachineSet& set) const {
    LayerAnswer out;
    for (std::size_t k = 0; k < set.machines.size(); ++k) {
      const Known& known = known_[set.machines[k]];
      if (known.value == kNever) continue;
      const Mapping& mapping = found_[known.mapping];
      out.offer(options_.objective, mapping, machines_.model(set.machines[k]).evaluate(mapping).cost,
                static_cast<u32>(k));
    }
    return out;
  }

  // No mapping so far fits one of the machines: one of Sunstone's, on that with the most room.
  LayerAnswer first_mapping(const MachineSet& set) {
    const auto room = [&](u32 machine) {
      double words = 1;
      for (int i : family_.swept()) words *= static_cast<double>(family_.capacity(machine, i));
      return words;
    };
    const auto most =
        std::max_element(set.machines.begin(), set.machines.end(), [&](u32 a, u32 b) { return room(a) < room(b); });
    SearchOptions options = options_;
    options.strategy = Strategy::Sunstone;
    if (options.budget_evaluations)
      options.budget_evaluations = std::max<u64>(1, SearchBudget(options_).evaluations_left(used_) / 2);
    LayerAnswer out;
    const auto found = map_workload(layer_.workload, family_.machine(*most), options);
    if (found) used_ += found->statistics.evaluated;
    if (found && found->status != Status::Infeasible)
      out.offer(options_.objective, found->mapping, found->cost, static_cast<u32>(most - set.machines.begin()));
    return out;
  }

  const WeightedLayer& layer_;
  const MachineFamily& family_;
  const SearchOptions& options_;
  Mapspace space_;
  LayerOnFamily machines_;
  std::vector<Known> known_;  // by machine
  std::vector<Mapping> found_;
  SearchStatistics statistics_;
  u64 used_ = 0;             // evaluations, those of first mappings included
  std::vector<bool> tried_;  // machines
};

class CoSearch {
 public:
  CoSearch(std::vector<LayerOnMachines> layers, const MachineFamily& family, const SearchOptions& options,
           const CoSearchResult& start)
      : layers_(std::move(layers)), family_(family), options_(options), result_(start) {
    result_.statistics = {};
    for (CoSearchMachine& machine : result_.machines) machine = {};
    for (std::size_t j = 0; j < layers_.size(); ++j)
      if (start.layers[j].status != Status::Infeasible) layers_[j].offer(start.layers[j].mapping);
    update_best();
  }

  Result<CoSearchResult> run() {
    MachineSet all;
    all.machines.resize(family_.size());
    std::iota(all.machines.begin(), all.machines.end(), u32{0});
    all.layers.resize(layers_.size());
    if (info(options_.objective).area_power == 0) open_.push_back(std::move(all));
    else  // searches together compare energy and cycles only
      for (const u32 machine : all.machines) open_.push_back({{machine}, all.layers});
    while (!open_.empty()) {
      // Step 1. The set that may hold the best machine.
      const auto next = std::min_element(open_.begin(), open_.end(),
                                         [](const MachineSet& a, const MachineSet& b) { return a.bound < b.bound; });
      MachineSet set = std::move(*next);
      open_.erase(next);
      // Step 2. Its layers' optima, but those that the set before has given already.
      if (!beaten(set)) search(set);
      // Step 3. Closed, or smaller sets.
      if (beaten(set) || unfinished(set) || set.machines.size() == 1) close(set);
      else split(set);
    }
    return conclude();
  }

 private:
  bool beaten(const MachineSet& set) const { return set.bound >= best_ * kSameBound; }
  static bool unfinished(const MachineSet& set) {
    return std::any_of(set.layers.begin(), set.layers.end(), [](const LayerBound& b) { return b.unfinished; });
  }

  void search(MachineSet& set) {
    std::vector<std::size_t> asked;
    for (std::size_t j = 0; j < layers_.size(); ++j)
      if (set.layers[j].machine == kNobody) asked.push_back(j);
    std::vector<LayerOnMachines::Answer> answers(asked.size());
    parallel_for(asked.size(), options_.threads, [&](std::size_t k) {
      const std::size_t j = asked[k];
      const double others = set.bound - layers_[j].weight() * set.layers[j].value;
      const double limit = layers_[j].weight() > 0 ? (best_ - others) / layers_[j].weight() : kNever;
      answers[k] = layers_[j].search(set, set.layers[j].value, limit);
    });
    for (std::size_t k = 0; k < asked.size(); ++k) {
      set.layers[asked[k]] = answers[k].bound;
      if (answers[k].mapping) layers_[asked[k]].offer(*answers[k].mapping);
    }
    update_best();
    set.bound = 0;
    for (std::size_t j = 0; j < layers_.size(); ++j) set.bound += layers_[j].weight() * set.layers[j].value;
  }

  void update_best() {
    for (std::size_t m = 0; m < family_.size(); ++m) {
      double sum = 0;
      for (const LayerOnMachines& layer : layers_) sum += layer.weight() * layer.known(m);
      if (sum < best_) best_ = sum, result_.best = m;
    }
  }

  void close(const MachineSet& set) {
    for (u32 m : set.machines) result_.machines[m].lower_bound = set.bound;
  }

  // Between machines that different layers want, at the level where their memories differ most.
  void split(const MachineSet& set) {
    const u32 a = set.layers.front().machine;
    u32 b = a;
    for (const LayerBound& layer : set.layers)
      if (b == a) b = layer.machine;
    int level = -1;
    double most = 1;
    for (int i : family_.swept()) {
      const auto [less, more] = std::minmax({family_.capacity(a, i), family_.capacity(b, i)});
      const double ratio = static_cast<double>(more) / static_cast<double>(std::max<u64>(1, less));
      if (ratio > most) most = ratio, level = i;
    }
    const u64 least = level < 0 ? 0 : std::min(family_.capacity(a, level), family_.capacity(b, level));
    MachineSet halves[2];
    for (u32 m : set.machines) {
      const bool first = level < 0 ? m == a : family_.capacity(m, level) <= least;
      halves[first ? 0 : 1].machines.push_back(m);
    }
    for (MachineSet& half : halves) {
      half.layers = set.layers;
      half.bound = set.bound;
      for (LayerBound& layer : half.layers)
        if (!std::binary_search(half.machines.begin(), half.machines.end(), layer.machine)) layer.machine = kNobody;
      open_.push_back(std::move(half));
    }
  }

  Result<CoSearchResult> conclude() {
    std::vector<bool> tried(family_.size());
    for (const LayerOnMachines& layer : layers_) {
      result_.statistics += layer.statistics();
      for (std::size_t m = 0; m < layer.tried().size(); ++m)
        if (layer.tried()[m]) tried[m] = true;
    }
    result_.configurations = static_cast<u64>(std::count(tried.begin(), tried.end(), true));
    if (best_ == kNever) {
      for (CoSearchMachine& machine : result_.machines) machine.state = CoSearchMachine::State::Infeasible;
      return result_;
    }
    result_.value = result_.lower_bound = best_;
    for (const CoSearchMachine& machine : result_.machines)
      result_.lower_bound = std::min(result_.lower_bound, machine.lower_bound);
    const bool optimal = result_.lower_bound >= best_ * kSameBound;
    if (optimal) result_.lower_bound = best_;
    result_.status = optimal ? Status::Optimal : Status::Bounded;
    result_.gap = result_.lower_bound > 0 ? best_ / result_.lower_bound - 1 : 0;
    CoSearchMachine& winner = result_.machines[result_.best];
    winner = {CoSearchMachine::State::Searched, best_, optimal ? best_ : winner.lower_bound};
    result_.layers.clear();
    for (const LayerOnMachines& layer : layers_) {
      auto concluded = layer.conclude(result_.best, optimal);
      if (!concluded) return concluded.errors();
      result_.layers.push_back(*std::move(concluded));
    }
    return result_;
  }

  std::vector<LayerOnMachines> layers_;
  const MachineFamily& family_;
  const SearchOptions& options_;
  CoSearchResult result_;
  std::vector<MachineSet> open_;
  double best_ = kNever;
};

}  // namespace

Result<CoSearchResult> co_search_exact(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                       const SearchOptions& options, const CoSearchResult& start) {
  std::vector<LayerOnMachines> on_machines;
  for (const WeightedLayer& layer : layers) {
    auto space = resolve(layer.workload, family.envelope(), mapspace_options(options));
    if (!space) return space.errors();
    on_machines.emplace_back(layer, family, options, *std::move(space));
  }
  return CoSearch(std::move(on_machines), family, options, start).run();
}

}  // namespace heliolite
