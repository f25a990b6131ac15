#include "engine/search/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>

#include "engine/search/core/budget.h"
#include "engine/search/core/parallel.h"
#include "engine/search/cosa/mip_solver.h"
#include "engine/search/layer_search.h"
#include "engine/search/network_search.h"
#include "engine/search/schedule.h"
#include "engine/search/validate_question.h"

namespace heliolite {
namespace {

// Two workloads that every search treats alike: all but the workload's own name.
bool same_shape(const Workload& a, const Workload& b) {
  const auto same_term = [](const Term& x, const Term& y) {
    return x.dimension == y.dimension && x.coefficient == y.coefficient;
  };
  const auto same_rank = [&](const Rank& x, const Rank& y) {
    return std::equal(x.terms.begin(), x.terms.end(), y.terms.begin(), y.terms.end(), same_term);
  };
  const auto same_tensor = [&](const Tensor& x, const Tensor& y) {
    return x.name == y.name && x.role == y.role && x.word_bits == y.word_bits &&
           std::equal(x.ranks.begin(), x.ranks.end(), y.ranks.begin(), y.ranks.end(), same_rank);
  };
  const auto same_dimension = [](const Dimension& x, const Dimension& y) {
    return x.name == y.name && x.size == y.size;
  };
  return std::equal(a.dimensions.begin(), a.dimensions.end(), b.dimensions.begin(), b.dimensions.end(),
                    same_dimension) &&
         std::equal(a.tensors.begin(), a.tensors.end(), b.tensors.begin(), b.tensors.end(), same_tensor);
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

  // The options of a layer's search: what it tells goes through this object.
  SearchOptions options_of(std::size_t layer) {
    SearchOptions out = options_;
    if (options_.progress) out.progress = [this, layer](const SearchProgress& news) { so_far(layer, news); };
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

bool is_feasible(const MappingResult& result) { return result.status != Status::Infeasible; }

// Gives the shapes the mappings that are best for the network.
NetworkOptimum choose_for_network(std::map<std::size_t, ShapeSearch>& shapes, const std::vector<std::size_t>& shape_of,
                                  const Architecture& architecture, const SearchOptions& options) {
  std::vector<ShapeOfNetwork> all;
  for (auto& [k, s] : shapes) all.push_back({s.search.get(), s.runs, &s.result});
  NetworkProgress tell;
  if (options.progress)
    tell = [&](double value, double bound) {
      const u64 layers = shape_of.size();
      options.progress({"network", value, bound, 0, false, layers, layers});
    };
  NetworkOptimum out = search_for_network(all, architecture, options, tell);
  auto shape = all.begin();
  for (auto& [k, s] : shapes) {
    s.own = shape++->before;
    if (s.own) s.answer.mapping = s.result.mapping, s.answer.cost = s.result.cost;
  }
  for (const std::size_t k : shape_of) out.own.push_back(shapes.at(k).own);
  return out;
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

  // Step 1. One search per shape.
  const std::vector<std::size_t> shape_of = first_of_shape(network.layers);
  std::map<std::size_t, ShapeSearch> shapes;
  std::vector<std::size_t> first, second;
  Diagnostics refused;
  ProgressReporter reporter(options, network, architecture);
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    if (shape_of[k] != k) continue;
    auto search = LayerSearch::create(network.layers[k].workload, architecture, reporter.options_of(k));
    ShapeSearch& s = shapes[k];
    for (std::size_t j = k; j < network.layers.size(); ++j)
      if (shape_of[j] == k)
        ++s.layers, s.runs += static_cast<double>(network.layers[j].count) * (weights.empty() ? 1 : weights[j]);
    if (!search) {
      refused.insert(refused.end(), search.errors().begin(), search.errors().end());
      s.refused = search.errors();
      continue;
    }
    s.search = std::make_unique<LayerSearch>(*std::move(search));
    first.push_back(k);
    if (s.search->has_second_step()) second.push_back(k);
  }
  if (first.empty() && !refused.empty()) return refused;  // not one layer can obey
  const auto run = [&](std::size_t shape, auto step, bool last) {
    const Stopwatch clock;
    ShapeSearch& s = shapes.at(shape);
    const SearchBudget all =
        options.network ? share::kOwnBeforeNetwork.of(SearchBudget(options)) : SearchBudget(options);
    s.answer = step(s, all.after(s.answer.statistics.evaluated, s.seconds));
    s.seconds += clock.seconds();
    if (last) reporter.done(shape, s.layers, s.answer);
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
    s.result.why_infeasible = s.refused;
    if (!s.search) continue;
    s.result = s.search->conclude(s.answer, s.first_bound);
    s.result.seconds = s.seconds;
  }
  NetworkResult out;
  if (options.network && std::ranges::all_of(shapes, [](const auto& s) { return is_feasible(s.second.result); }))
    out.optimum = choose_for_network(shapes, shape_of, architecture, options);
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
    const Cost& cost = shapes.at(shape_of[k]).result.cost;
    out.layers.push_back({layer.workload.name, layer.count, shapes.at(shape_of[k]).result});
    out.total.energy += cost.energy * layer.count;
    out.total.cycles += cost.cycles * layer.count;
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
