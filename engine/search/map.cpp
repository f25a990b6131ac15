#include "engine/search/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "engine/model/running_units.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/parallel.h"
#include "engine/search/cosa/mip.h"
#include "engine/search/layer_search.h"
#include "engine/search/network_search.h"
#include "engine/search/schedule.h"

namespace heliolite {
namespace {

// Two workloads that every search treats alike: all but the workload's own name.
bool same_shape(const Workload& a, const Workload& b) {
  return a.dimensions == b.dimensions && a.tensors == b.tensors && a.operation == b.operation &&
         a.operations == b.operations && a.unit == b.unit;
}

}  // namespace

std::vector<std::size_t> first_of_shape(const std::vector<Layer>& layers) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    std::size_t first = 0;
    while (first < k && !same_shape(layers[first].workload, layers[k].workload)) ++first;
    out.push_back(first);
  }
  return out;
}

namespace {

// Why a network's totals cannot be said; empty if they can.
Diagnostics uncountable(const Network& network, double picojoules, double cycles) {
  const double most_picojoules = std::ldexp(1 / Energy::kUnitsPerPicojoule, 127), most_cycles = std::ldexp(1.0, 64);
  if (picojoules < most_picojoules && cycles < most_cycles) return {};
  const bool slow = cycles >= most_cycles;
  return {{"", 0, "layers",
           fmt::format("those of {}, by their counts, take {:.3g} {} together, less than {:.3g} can be counted",
                       network.name, slow ? cycles : picojoules, slow ? "cycles" : "pJ",
                       slow ? most_cycles : most_picojoules)}};
}

// The layers of one shape on one compute unit.
struct ShapeSearch {
  std::unique_ptr<LayerSearch> search;  // none: the machine's constraints cannot be obeyed
  Diagnostics refused;                  // why
  LayerAnswer answer;
  double first_bound = 0;
  double seconds = 0;
  u64 layers = 0;   // layers of this shape
  double runs = 0;  // of all of them, by counts and weights
  MappingResult result;
  std::optional<Cost> own;  // the cost of the layer's own optimum, where the network has another mapping
};

// Tells the caller's hook how far the layers are, from any thread.
class ProgressReporter {
 public:
  ProgressReporter(const SearchOptions& options, const Network& network, const Architecture& machine)
      : options_(options), network_(network), known_(network.layers.size()) {
    for (const Layer& layer : network.layers)
      factor_.push_back(options.evaluator.command.empty() ? machine_factor(options.objective, machine, layer.workload)
                                                          : 1);
  }

  // The options of a layer's search: what it tells goes through this object. What is proven of one of `several` units
  // is not proven of all.
  SearchOptions options_of(std::size_t layer, bool several) {
    SearchOptions out = options_;
    if (options_.progress)
      out.progress = [this, layer, several](SearchProgress news) {
        if (several) news.lower_bound = 0;
        so_far(layer, news);
      };
    return out;
  }

  // A layer's search is done, and with it all `layers` of its shape.
  void done(std::size_t layer, u64 layers, const LayerAnswer& answer) {
    if (!options_.progress) return;
    const std::lock_guard lock(mutex_);
    if (answer.found) known_[layer].value = answer.number(options_.objective) * factor_[layer];
    known_[layer].evaluated = answer.statistics.evaluated;
    layers_done_ += layers;
    report_progress(layer, true);
  }

 private:
  void so_far(std::size_t layer, const SearchProgress& news) {
    const std::lock_guard lock(mutex_);
    SearchProgress& known = known_[layer];
    const double value = news.value * factor_[layer];
    if (value > 0 && (known.value == 0 || value < known.value)) known.value = value;
    known.lower_bound = std::max(known.lower_bound, news.lower_bound * factor_[layer]);
    known.evaluated = news.evaluated;
    report_progress(layer, false);
  }

  void report_progress(std::size_t layer, bool layer_done) {
    SearchProgress news = known_[layer];
    news.layer = network_.layers[layer].workload.name;
    news.layer_done = layer_done;
    news.layers_done = layers_done_;
    news.layers = network_.layers.size();
    options_.progress(news);
  }

  const SearchOptions& options_;
  const Network& network_;
  std::mutex mutex_;
  std::vector<SearchProgress> known_;  // by layer: value and bound
  std::vector<double> factor_;         // by layer: machine_factor()
  u64 layers_done_ = 0;
};

// [number of the first layer of the shape, number of the compute unit].
using ShapeKey = std::pair<std::size_t, std::size_t>;
using ShapeSearches = std::map<ShapeKey, ShapeSearch>;

bool is_feasible(const MappingResult& result) { return result.status != Status::Infeasible; }

// Gives the shapes the mappings that are best for the network, and says which units run them: `chosen`, [layer], are
// first those that are best for the layers.
NetworkOptimum choose_for_network(ShapeSearches& shapes, std::vector<ShapeKey>& chosen,
                                  const Architecture& architecture, const SearchOptions& options) {
  std::vector<ShapeOfNetwork> all;
  std::map<std::size_t, std::size_t> place;  // [shape]: in `all`
  for (const ShapeKey& key : std::set(chosen.begin(), chosen.end())) {
    place[key.first] = all.size();
    const auto unit = [](const ShapeKey& k, ShapeSearch& s) {
      return ShapeOfNetwork::Unit{k.second, s.search.get(), &s.result};
    };
    ShapeOfNetwork& shape = all.emplace_back();
    shape.units.push_back(unit(key, shapes.at(key)));
    shape.runs = shapes.at(key).runs;
    for (auto at = shapes.lower_bound({key.first, 0}); at != shapes.end() && at->first.first == key.first; ++at) {
      ShapeSearch& s = at->second;
      const bool has_none = !s.search || (!is_feasible(s.result) && options.strategy == Strategy::Exact &&
                                          s.result.end == SearchEnd::Done);
      if (at->first != key && !has_none) shape.units.push_back(unit(at->first, s));
    }
  }
  NetworkProgress report;
  if (options.progress)
    report = [&](double value, double bound) {
      const u64 layers = chosen.size();
      options.progress({"network", value, bound, 0, false, layers, layers});
    };
  NetworkOptimum out = search_for_network(all, architecture, options, report);
  for (ShapeKey& key : chosen) {
    const ShapeOfNetwork& shape = all[place.at(key.first)];
    const MappingResult& result = *shape.units.front().own;
    ShapeSearch& s = shapes.at({key.first, result.unit});
    if (result.unit != key.second) s.result = result;
    s.own = shape.before;
    if (s.own) s.answer.mapping = s.result.mapping, s.answer.cost = s.result.cost;
    key.second = result.unit;
    out.own.push_back(s.own);
    out.proven.push_back(shape.proven);
  }
  return out;
}

// Where two units have answers of the same number their exact values decide: equally fast mappings by their energies.
bool is_better(const MappingResult& a, const MappingResult& b, Objective objective) {
  if (a.value != b.value) return a.value < b.value;
  return Value::of(objective, a.cost) < Value::of(objective, b.cost);
}

// Which of the searches of one shape, each on a unit of its own, has the best answer; the first of equally good ones.
// Its result is proven by the bounds of all.
ShapeKey choose_unit(ShapeSearches& shapes, std::size_t shape, const SearchOptions& options) {
  const auto begin = shapes.lower_bound({shape, 0}), end = shapes.lower_bound({shape + 1, 0});
  if (std::next(begin) == end) return begin->first;
  auto best = begin;
  for (auto s = begin; s != end; ++s)
    if (is_feasible(s->second.result) &&
        (!is_feasible(best->second.result) || is_better(s->second.result, best->second.result, options.objective)))
      best = s;
  MappingResult& result = best->second.result;
  double seconds = 0, least = result.lower_bound;
  std::string unproven;
  for (auto s = begin; s != end; ++s) {
    seconds += s->second.seconds;
    if (s == best) continue;
    const MappingResult& other = s->second.result;
    result.statistics += other.statistics;
    if (!s->second.search) continue;  // cannot be mapped there
    const LayerProblem& problem = s->second.search->problem();
    const double bound =
        is_feasible(other)
            ? other.lower_bound
            : s->second.first_bound * machine_factor(options.objective, problem.architecture, problem.workload);
    if (bound < least) unproven = problem.architecture.compute.name;
    least = std::min(least, bound);
  }
  result.seconds = best->second.seconds = seconds;
  if (is_feasible(result) && result.status != Status::Measured && least < result.lower_bound) {
    result.lower_bound = least;
    result.gap = least > 0 ? result.value / least - 1 : 0;
    result.status = Status::Bounded;
    result.why_not_proven = fmt::format("of {} no better bound is known", unproven);
  }
  return best->first;
}

}  // namespace

Result<NetworkResult> map_network(const Network& network, const Architecture& architecture,
                                  const SearchOptions& options, std::span<const double> weights) {
  const Stopwatch whole;
  if (Diagnostics errors = validate_question(options); !errors.empty()) return errors;
  if (options.evaluator.command.empty())
    if (Diagnostics errors = objective_complaints(options.objective, architecture); !errors.empty()) return errors;
  if (options.strategy == Strategy::Cosa && !has_mip_solver())
    return Diagnostic{"", 0, "strategy", fmt::format("cosa needs {}", kMipSolverPackage)};
  if (options.witness && network.layers.size() != 1)
    return Diagnostic{"", 0, "witness", fmt::format("{} has {} layers, name one", network.name, network.layers.size())};

  // Step 1. One search per shape and compute unit that can run it.
  const std::vector<std::size_t> shape_of = first_of_shape(network.layers);
  ShapeSearches shapes;
  std::vector<ShapeKey> first, second;
  Diagnostics refused;
  ProgressReporter reporter(options, network, architecture);
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    if (shape_of[k] != k) continue;
    const Workload& workload = network.layers[k].workload;
    const Result<std::vector<std::size_t>> units = units_that_run(workload, architecture);
    if (!units) return units.errors();
    u64 layers = 0;
    double runs = 0;
    for (std::size_t j = k; j < network.layers.size(); ++j)
      if (shape_of[j] == k)
        ++layers, runs += static_cast<double>(network.layers[j].count) * (weights.empty() ? 1 : weights[j]);
    for (const std::size_t unit : *units) {
      const ShapeKey key{k, unit};
      auto search = LayerSearch::create(workload, architecture.chain(unit), reporter.options_of(k, units->size() > 1));
      ShapeSearch& s = shapes[key];
      s.layers = unit == units->front() ? layers : 0, s.runs = runs;
      if (!search) {
        refused.insert(refused.end(), search.errors().begin(), search.errors().end());
        s.refused = search.errors();
        continue;
      }
      s.search = std::make_unique<LayerSearch>(*std::move(search));
      first.push_back(key);
      if (s.search->has_second_step()) second.push_back(key);
    }
  }
  if (first.empty() && !refused.empty()) return refused;  // not one layer can obey
  const auto run = [&](const ShapeKey& shape, auto step, bool last) {
    const Stopwatch clock;
    ShapeSearch& s = shapes.at(shape);
    const SearchBudget all =
        options.network ? share::kOwnBeforeNetwork.of(SearchBudget(options)) : SearchBudget(options);
    s.answer = step(s, all.after(s.answer.statistics.evaluated, s.seconds));
    s.seconds += clock.seconds();
    if (last) reporter.done(shape.first, s.layers, s.answer);
    else s.search->problem().report_progress(s.answer.found ? s.answer.number(options.objective) : 0, 0);
  };

  // Step 2. All searches, in any order: each writes its own place.
  parallel_for(first.size(), options.threads, [&](std::size_t t) {
    ShapeSearch& shape = shapes.at(first[t]);
    const bool last = !shape.search->has_second_step();
    shape.first_bound = shape.search->first_bound();
    shape.search->problem().report_progress(0, shape.first_bound);
    run(
        first[t],
        [](const ShapeSearch& s, const SearchBudget& budget) { return s.search->search(s.search->first_step(budget)); },
        last);
  });

  // Step 3. All tile sizes start from the answer with perfect ones.
  parallel_for(second.size(), options.threads, [&](std::size_t t) {
    run(
        second[t],
        [](const ShapeSearch& s, const SearchBudget& budget) { return s.search->second_step(s.answer, budget); }, true);
  });

  // Step 4. What is proven of each layer, and the mappings that are best for the network.
  for (auto& [k, s] : shapes) {
    s.result.strategy = options.strategy;
    s.result.unit = k.second;
    s.result.why_infeasible = s.refused;
    if (!s.search) continue;
    s.result = s.search->conclude(s.answer, s.first_bound);
    s.result.unit = k.second;
    s.result.seconds = s.seconds;
  }
  std::vector<ShapeKey> chosen;  // [layer]
  for (std::size_t k = 0; k < network.layers.size(); ++k)
    chosen.push_back(shape_of[k] == k ? choose_unit(shapes, k, options) : chosen[shape_of[k]]);
  NetworkResult out;
  if (options.network && std::ranges::all_of(chosen, [&](const auto& k) { return is_feasible(shapes.at(k).result); }))
    out.optimum = choose_for_network(shapes, chosen, architecture, options);
  std::erase_if(first, [&](const ShapeKey& key) { return std::ranges::find(chosen, key) == chosen.end(); });
  const double searched = whole.seconds();

  // Step 5. What other factors are worth.
  parallel_for(first.size(), options.threads, [&](std::size_t t) {
    const Stopwatch clock;
    ShapeSearch& s = shapes.at(first[t]);
    s.result.other_tiles =
        s.search->probe_other_tiles(s.answer, SearchBudget(options).after(s.answer.statistics.evaluated, s.seconds));
    if (s.result.other_tiles) s.result.other_tiles->seconds = clock.seconds();
  });

  // Step 6. The results, in the network's order.
  double picojoules = 0, cycles = 0;
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    const Layer& layer = network.layers[k];
    const MappingResult& result = shapes.at(chosen[k]).result;
    const Cost& cost = result.cost;
    out.layers.push_back({layer.workload.name, layer.count, result});
    out.total += cost * layer.count;
    picojoules += cost.energy.picojoules() * static_cast<double>(layer.count);
    cycles += static_cast<double>(cost.cycles) * static_cast<double>(layer.count);
    if (shape_of[k] == k) continue;
    MappingResult& reused = out.layers.back().result;
    reused.seconds = 0;
    if (reused.other_tiles) reused.other_tiles->seconds = 0, reused.other_tiles->evaluated = 0;
  }
  if (Diagnostics errors = uncountable(network, picojoules, cycles); !errors.empty()) return errors;
  out.seconds = searched;
  return out;
}

Result<MappingResult> map_workload(const Workload& workload, const Architecture& architecture,
                                   const SearchOptions& options) {
  Network network{workload.name, {{workload, 1}}};
  SearchOptions serial = options;
  serial.threads = 1;
  auto result = map_network(network, architecture, serial);
  if (!result) return result.errors();
  return std::move(result->layers.front().result);
}

}  // namespace heliolite
