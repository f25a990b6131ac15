#include "engine/search/co_search/co_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/search/co_search/co_searches.h"
#include "engine/search/co_search/memory_bins.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/core/parallel.h"
#include "engine/search/map.h"
#include "workloads/word_bits.h"

namespace heliolite {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFinalists = 3;  // machines that get the full search

// Evaluations that are limited for a layer on one machine are limited together for all machines: a quarter is for the
// walk that ranks them, a quarter for the finalists, the rest for the proof (co_search_exact.cpp).
SearchOptions limited_to(const SearchOptions& options, std::size_t machines, std::size_t share) {
  SearchOptions out = options;
  if (out.budget_evaluations) out.budget_evaluations = std::max<u64>(1, *out.budget_evaluations * machines / share);
  return out;
}

// The layers on one machine, each by its own search.
struct Mapped {
  std::vector<MappingResult> layers;
  double value = 0, lower_bound = 0;
  bool feasible = true;
};

// Layers on machines by single searches, all in parallel.
class SingleSearches {
 public:
  SingleSearches(std::span<const WeightedLayer> layers, const MachineFamily& family, const SearchOptions& options)
      : layers_(layers), family_(family), options_(options) {
    options_.threads = 1;
  }

  Result<std::vector<Mapped>> run(std::span<const std::size_t> machines, int threads) const {
    const std::size_t count = layers_.size();
    std::vector<std::optional<Result<MappingResult>>> found(machines.size() * count);
    parallel_for(found.size(), threads, [&](std::size_t t) {
      found[t] = map_workload(layers_[t % count].workload, family_.machine(machines[t / count]), options_);
    });
    std::vector<Mapped> out(machines.size());
    for (std::size_t t = 0; t < found.size(); ++t) {
      if (!*found[t]) return found[t]->errors();
      MappingResult& layer = **found[t];
      Mapped& mapped = out[t / count];
      mapped.feasible &= layer.status != Status::Infeasible;
      mapped.value += layers_[t % count].weight * layer.value;
      mapped.lower_bound += layers_[t % count].weight * layer.lower_bound;
      mapped.layers.push_back(std::move(layer));
    }
    return out;
  }

 private:
  std::span<const WeightedLayer> layers_;
  const MachineFamily& family_;
  SearchOptions options_;
};

// What a word of a tensor takes of a level must be the same on all machines: prices and capacities are compared by the
// level's words.
Diagnostics words_differ(std::span<const WeightedLayer> layers, const MachineFamily& family) {
  const Architecture& first = family.machine(0);
  for (const WeightedLayer& layer : layers) {
    if (!states_word_bits(layer.workload)) continue;
    for (std::size_t m = 1; m < family.size(); ++m)
      for (std::size_t i = 0; i < first.levels.size(); ++i)
        if (const StorageLevel& level = family.machine(m).levels[i]; level.word_bits != first.levels[i].word_bits)
          return {{"", 0, "machines",
                   fmt::format("{} states sizes of words, and words of {} have {} bits on one machine and {} on "
                               "another: a search of many machines at once needs the same, search each on its own",
                               layer.workload.name, level.name, first.levels[i].word_bits, level.word_bits)}};
  }
  return {};
}

// Records machines that were searched, and takes the best of them for the answer.
void conclude(std::span<const std::size_t> machines, std::vector<Mapped> mapped, CoSearchResult& out) {
  const Mapped* best = nullptr;
  for (std::size_t k = 0; k < machines.size(); ++k) {
    CoSearchMachine& machine = out.machines[machines[k]];
    machine.state = mapped[k].feasible ? CoSearchMachine::State::Searched : CoSearchMachine::State::Infeasible;
    machine.value = mapped[k].value;
    machine.lower_bound = mapped[k].lower_bound;
    for (const MappingResult& layer : mapped[k].layers) out.statistics += layer.statistics;
    const bool better =
        best == nullptr || mapped[k].value < best->value || (mapped[k].value == best->value && machines[k] < out.best);
    if (!mapped[k].feasible || !better) continue;
    best = &mapped[k];
    out.best = machines[k];
  }
  if (best == nullptr) {
    if (!mapped.empty()) out.layers = std::move(mapped.front().layers);
    return;
  }
  out.value = best->value;
  out.layers = best->layers;
  conclude_bounds(out, kNever);
}

// The machines that completed bins show to be the most promising, best first.
class Ranking {
 public:
  Ranking(std::span<const WeightedLayer> layers, std::vector<MemoryBins>& bins, const SearchOptions& options)
      : layers_(layers), bins_(bins), rules_(options.rules), threads_(options.threads) {}

  std::vector<std::size_t> finalists(CoSearchResult& out) {
    const MachineRanking ranking = rank_machines(layers_, bins_, rules_, out);
    const Gate gate(rules_, out.statistics.rules);
    // A bin's cost takes everything outside its tiles for compulsory: it is what the machine can reach at best.
    std::vector<std::pair<double, std::size_t>> completed;
    double best = kNever;
    for (const std::size_t m : ranking.order) {
      if (gate.prunes(Rule::MemoryBound, [&] { return ranking.cost[m] >= best; })) break;
      ++out.configurations;
      completed.emplace_back(complete(m), m);
      best = std::min(best, completed.back().first);
    }
    std::stable_sort(completed.begin(), completed.end());
    std::vector<std::size_t> first;
    for (const auto& [value, m] : completed)
      if (first.size() < kFinalists && value < kNever) first.push_back(m);
    return first;
  }

 private:
  double complete(std::size_t machine) {
    std::vector<double> value(bins_.size());
    parallel_for(bins_.size(), threads_, [&](std::size_t j) { value[j] = bins_[j].complete(machine); });
    double sum = 0;
    for (std::size_t j = 0; j < bins_.size(); ++j) sum += layers_[j].weight * value[j];
    return sum;
  }

  std::span<const WeightedLayer> layers_;
  std::vector<MemoryBins>& bins_;
  const RuleSet& rules_;
  int threads_;
};

Result<CoSearchResult> sunstone_arch(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                     const SearchOptions& options) {
  CoSearchResult out;
  out.machines.resize(family.size());
  const SearchOptions walk = limited_to(options, family.size(), 4);
  std::vector<std::optional<Result<MemoryBins>>> filled(layers.size());
  parallel_for(layers.size(), options.threads,
               [&](std::size_t j) { filled[j] = MemoryBins::create(layers[j].workload, family, walk); });
  std::vector<MemoryBins> bins;
  for (auto& b : filled) {
    if (!*b) return b->errors();
    bins.push_back(std::move(**b));
  }
  std::vector<std::size_t> finalists = Ranking(layers, bins, options).finalists(out);
  for (const MemoryBins& b : bins) out.statistics += b.statistics();
  // The single search has other means to find a first mapping, and says why there is none.
  if (finalists.empty()) finalists.push_back(0);
  const SearchOptions single = limited_to(options, family.size(), 4 * finalists.size());
  auto mapped = SingleSearches(layers, family, single).run(finalists, options.threads);
  if (!mapped) return mapped.errors();
  conclude(finalists, *std::move(mapped), out);
  return out;
}

Result<CoSearchResult> tagged_search(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                     const SearchOptions& options) {
  auto out = co_search_thesis(layers, family, limited_to(options, family.size(), 1));
  if (!out || !out->layers.empty()) return out;
  // The single search says why there is nothing.
  const std::vector<std::size_t> first{0};
  auto mapped = SingleSearches(layers, family, options).run(first, options.threads);
  if (!mapped) return mapped.errors();
  conclude(first, *std::move(mapped), *out);
  return out;
}

Diagnostics check_strategy(const SearchOptions& options) {
  if (options.network && options.strategy == Strategy::Thesis)
    return {{"", 0, "strategy",
             fmt::format("thesis adds up the layers' own objectives, {} is of the network's energy and cycles: must be "
                         "exact or sunstone",
                         name(asked_objective(options)))}};
  if (searches_machines_together(options.strategy)) return {};
  return {{"", 0, "strategy",
           std::string(name(options.strategy)) + " cannot search machines together; there is exact, sunstone, thesis"}};
}

template <class Search>
Result<CoSearchResult> timed(Search search) {
  const auto start = Clock::now();
  Result<CoSearchResult> out = search();
  if (out) out->seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return out;
}

}  // namespace

Result<CoSearchResult> co_search(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                 const SearchOptions& options) {
  if (Diagnostics bad = check_strategy(options); !bad.empty()) return bad;
  if (options.factors != Factors::Perfect)
    return Diagnostic{"", 0, "factors", "must be perfect where machines are searched together"};
  if (Diagnostics bad = words_differ(layers, family); !bad.empty()) return bad;
  for (const Architecture& machine : family.machines())
    if (Diagnostics bad = objective_complaints(options.objective, machine); !bad.empty()) return bad;
  if (options.network || !family.has_envelope())
    return timed([&] { return co_search_one_by_one(layers, family, options, /*every=*/false); });
  SearchOptions asked = options;
  // The rule compares prices; a machine with a smaller memory may have a larger area.
  if (info(options.objective).area_power != 0) asked.rules.set(Rule::SmallestMemory, false);
  return timed([&]() -> Result<CoSearchResult> {
    if (options.strategy == Strategy::Thesis) return tagged_search(layers, family, asked);
    SearchOptions first = asked;
    first.strategy = Strategy::Sunstone;
    Result<CoSearchResult> start = sunstone_arch(layers, family, first);
    if (!start || options.strategy == Strategy::Sunstone) return start;
    return co_search_exact(layers, family, limited_to(asked, family.size(), 2), *start);
  });
}

Result<CoSearchResult> grid_search(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                   const SearchOptions& options) {
  if (Diagnostics bad = check_strategy(options); !bad.empty()) return bad;
  return timed([&]() -> Result<CoSearchResult> {
    if (options.network) return co_search_one_by_one(layers, family, options, /*every=*/true);
    CoSearchResult out;
    out.machines.resize(family.size());
    std::vector<std::size_t> all(family.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    auto mapped = SingleSearches(layers, family, options).run(all, options.threads);
    if (!mapped) return mapped.errors();
    out.configurations = family.size();
    conclude(all, *std::move(mapped), out);
    return out;
  });
}

// The co-search of machines that cannot share a traversal: of a network's own objective, whose energies and cycles are
// summed up before they are multiplied; of machines with several compute units; where ramps count. Each is searched as
// map_network() does, the most promising first, and those are left out whose compulsory energy and cycles already make
// too much (docs/rules/co_search.md).

namespace {

// Sums of doubles are compared: a bound that is one is taken to be this much less.
constexpr double kSumRoundedDown = 1 - 1e-12;

class OneByOne {
 public:
  OneByOne(std::span<const WeightedLayer> layers, const MachineFamily& family, const SearchOptions& options)
      : layers_(layers), family_(family), options_(options) {
    for (const WeightedLayer& layer : layers) {
      network_.layers.push_back({layer.workload, 1});
      weights_.push_back(layer.weight);
    }
    out_.machines.resize(family.size());
  }

  Result<CoSearchResult> run(bool every) {
    const Gate gate(options_.rules, out_.statistics.rules);
    for (std::size_t m = 0; m < family_.size(); ++m) out_.machines[m].lower_bound = least_value(m);
    for (const std::size_t m : most_promising_first()) {
      if (options_.stop != nullptr && options_.stop->load()) break;
      const double least = out_.machines[m].lower_bound;
      // The first of equal machines is the answer.
      const auto too_dear = [&] { return found_ && (least > out_.value || (least == out_.value && m > out_.best)); };
      if (!every && gate.prunes(Rule::MemoryBound, too_dear)) continue;
      if (Diagnostics errors = search(m); !errors.empty()) return errors;
    }
    conclude();
    return std::move(out_);
  }

 private:
  // What nothing on the machine is below. 0: its constraints cannot be obeyed, which the search says.
  double least_value(std::size_t machine) const {
    double energy_pj = 0, cycles = 0, sum = 0;
    for (const WeightedLayer& layer : layers_) {
      const Result<Cost> least = least_cost(layer.workload, family_.machine(machine), options_);
      if (!least) return 0;
      energy_pj += layer.weight * least->energy.picojoules();
      cycles += layer.weight * static_cast<double>(least->cycles);
      sum += layer.weight * objective_number(options_.objective, *least, family_.machine(machine), layer.workload);
    }
    if (!options_.network) return sum * kSumRoundedDown;
    const double factor = machine_factor(options_.objective, family_.machine(machine).area_um2(), 1);
    return objective_number(options_.objective, energy_pj, cycles) * factor;
  }

  std::vector<std::size_t> most_promising_first() const {
    std::vector<std::size_t> order(family_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t m) { return out_.machines[m].lower_bound; });
    return order;
  }

  Diagnostics search(std::size_t m) {
    Result<NetworkResult> result = map_network(network_, family_.machine(m), options_, weights_);
    if (!result) return result.errors();
    CoSearchMachine& machine = out_.machines[m];
    ++out_.configurations;
    std::vector<MappingResult> mapped;
    bool feasible = true;
    double value = 0, bound = 0;  // of the sum over layers
    for (std::size_t j = 0; j < layers_.size(); ++j) {
      MappingResult& layer = result->layers[j].result;
      out_.statistics += layer.statistics;
      feasible &= layer.status != Status::Infeasible;
      value += layers_[j].weight * layer.value;
      bound += layers_[j].weight * layer.lower_bound;
      mapped.push_back(std::move(layer));
    }
    if (options_.network && result->optimum) value = result->optimum->value, bound = result->optimum->lower_bound;
    if (!feasible || (options_.network && !result->optimum)) {
      machine.state = CoSearchMachine::State::Infeasible;
      if (out_.layers.empty()) out_.layers = std::move(mapped);
      return {};
    }
    machine.state = CoSearchMachine::State::Searched;
    machine.value = value;
    machine.lower_bound = std::max(machine.lower_bound, bound);
    if (found_ && (machine.value > out_.value || (machine.value == out_.value && m > out_.best))) return {};
    found_ = true;
    out_.best = m;
    out_.value = machine.value;
    out_.layers = std::move(mapped);
    return {};
  }

  void conclude() {
    if (!found_) return;
    conclude_bounds(out_, out_.value);
  }

  std::span<const WeightedLayer> layers_;
  const MachineFamily& family_;
  const SearchOptions& options_;
  Network network_;
  std::vector<double> weights_;
  bool found_ = false;  // `best`, `value` and `layers` of the answer are of a machine
  CoSearchResult out_;
};

}  // namespace

Result<CoSearchResult> co_search_one_by_one(std::span<const WeightedLayer> layers, const MachineFamily& family,
                                            const SearchOptions& options, bool every) {
  return OneByOne(layers, family, options).run(every);
}

}  // namespace heliolite
