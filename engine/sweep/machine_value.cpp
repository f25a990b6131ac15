#include "engine/sweep/machine_value.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/parallel.h"
#include "engine/search/layer_search.h"
#include "engine/search/map.h"
#include "engine/search/network/least_product.h"
#include "engine/search/schedule.h"

namespace heliolite {
namespace {

constexpr double kSameValue = 1 - 1e-12;  // sums of doubles this close count as equal
constexpr std::size_t kMostMappings = 8;  // of a layer that are handed on

}  // namespace

MachineValues::MachineValues(const SweepSpec& spec) : spec_(spec), options_(spec.options) {
  options_.progress = {};
  options_.probe_other_tiles = false;
  std::vector<Layer> layers;
  for (const SweepLayer& layer : spec.layers) layers.push_back(layer.layer);
  const std::vector<std::size_t> first = first_of_shape(layers);
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const double runs = static_cast<double>(layers[l].count) * spec.layers[l].weight;
    operations_ += runs * static_cast<double>(layers[l].workload.macs());
    const auto known = std::ranges::find(shapes_, first[l]);
    if (known != shapes_.end()) runs_[at(known - shapes_.begin())] += runs;
    else shapes_.push_back(l), runs_.push_back(runs);
  }
  const bool product = info(options_.objective).degree() > 1;
  if (!product || shapes_.size() == 1 || spec.rank == SweepRank::Layers) kind_ = Kind::Sum;
  else kind_ = options_.network ? Kind::Totals : Kind::Bound;
  // A single shape's total energy and cycles are its own times the runs; a sum over layers has these once.
  if (product && shapes_.size() == 1 && spec.rank == SweepRank::Totals)
    runs_.front() = std::pow(runs_.front(), info(options_.objective).degree());
}

double MachineValues::factor(double area_um2, const std::optional<double>& cycle_ns) const {
  const double operations = info(options_.objective).per_operation ? operations_ : 1;
  return machine_factor(options_.objective, area_um2, operations) * in_value_unit(1, ranking_of(spec_), cycle_ns);
}

// One machine.
class ValueSearch {
 public:
  ValueSearch(const MachineValues& values, const Architecture& machine, double area_um2, const Knowledge& known,
              double limit, ValueGoal goal, int threads)
      : values_(values),
        machine_(machine),
        known_(known),
        factor_(values.factor(area_um2, machine.cycle_ns)),
        limit_(limit / factor_),
        goal_(goal),
        threads_(threads) {}

  MachineValue run() {
    prepare();
    if (!out_.infeasible) {
      if (values_.kind_ == MachineValues::Kind::Totals) totals();
      else own();
    }
    out_.value *= factor_, out_.lower_bound *= factor_;
    out_.knowledge.resize(layers_.size());
    for (std::size_t l = 0; l < layers_.size(); ++l) hand_on(l);
    return std::move(out_);
  }

 private:
  struct OnMachine {
    std::unique_ptr<LayerProblem> problem;
    std::unique_ptr<LayerSearch> search;
    Cost least;                       // that every mapping has
    std::vector<KnownMapping> known;  // that fit
    double own_bound = 0;             // of its own objective
    bool own_exact = false;
    std::vector<std::pair<double, Wide>> lines;
  };

  Objective objective() const { return values_.options_.objective; }
  bool stopped() const { return values_.options_.stop != nullptr && values_.options_.stop->load(); }
  const Workload& workload(std::size_t l) const { return values_.spec_.layers[values_.shapes_[l]].layer.workload; }

  const LayerSearch& search_of(std::size_t l) {
    OnMachine& layer = layers_[l];
    if (!layer.search) layer.search = std::make_unique<LayerSearch>(std::make_unique<LayerProblem>(*layer.problem));
    return *layer.search;
  }

  // Problems, what every mapping pays, and the mappings that are known from around and fit; where none does, one.
  void prepare() {
    layers_.resize(values_.shapes_.size());
    std::mutex mutex;
    parallel_for(layers_.size(), threads_, [&](std::size_t l) {
      if (prepare(l)) return;
      const std::lock_guard lock(mutex);
      out_.infeasible = true;
    });
    for (std::size_t l = 0; l < layers_.size() && !out_.infeasible; ++l) {
      out_.least_energy_pj += real_runs(l) * layers_[l].least.energy.picojoules();
      out_.least_cycles += real_runs(l) * static_cast<double>(layers_[l].least.cycles);
    }
  }

  // Of energies and cycles; those of values may be powers of them.
  double real_runs(std::size_t l) const {
    if (values_.shapes_.size() > 1) return values_.runs_[l];
    double runs = 0;
    for (const SweepLayer& layer : values_.spec_.layers) runs += static_cast<double>(layer.layer.count) * layer.weight;
    return runs;
  }

  bool prepare(std::size_t l) {
    OnMachine& layer = layers_[l];
    if (!make_problem(l)) return false;
    const LayerProblem& problem = *layer.problem;
    const CostModel& model = problem.whole_model ? *problem.whole_model : problem.model;
    layer.least = compulsory_cost(model, problem.keep_range()).whole;
    layer.own_bound = objective_number(objective(), layer.least);
    if (l < known_.size()) {
      layer.own_bound = std::max(layer.own_bound, known_[l].least_value);
      layer.lines = known_[l].lines;
      for (const Mapping& mapping : known_[l].mappings)
        if (const Evaluation e = problem.evaluate(mapping); e.verdict == Verdict::Fits)
          layer.known.push_back({mapping, e.cost});
    }
    if (problem.whole_model) layer.known.clear();  // costs are not the model's
    if (!layer.known.empty()) return true;
    // A fast search, and if that finds nothing the exact one, which can say that there is nothing.
    LayerAnswer found = problem.whole_model ? LayerAnswer() : run_sunstone(search_of(l), budget());
    if (!found.found) {
      const MappingResult all = search_of(l).conclude(search_of(l).search(budget()), search_of(l).first_bound());
      if (all.status == Status::Infeasible) return all.end != SearchEnd::Done ? give_up() : false;
      layer.known.push_back({all.mapping, all.cost});
      return true;
    }
    layer.known.push_back({found.mapping, found.cost});
    return true;
  }

  // The problem; searches are prepared when they are needed. False: the machine's constraints cannot be obeyed.
  bool make_problem(std::size_t l) {
    OnMachine& layer = layers_[l];
    if (machine_.peer_channel) {
      Result<LayerSearch> made = LayerSearch::create(workload(l), machine_, values_.options_);
      if (!made) return false;
      layer.problem = std::make_unique<LayerProblem>(made->problem());
      layer.search = std::make_unique<LayerSearch>(*std::move(made));
      return true;
    }
    Result<Mapspace> space = resolve(workload(l), machine_, mapspace_options(values_.options_));
    if (!space) return false;
    layer.problem.reset(
        new LayerProblem{workload(l), machine_, values_.options_, *std::move(space), CostModel(workload(l), machine_)});
    return true;
  }

  // A limit ended the search before a mapping was found: nothing is known.
  bool give_up() {
    unknown_ = true;
    return true;
  }

  SearchBudget budget() const { return SearchBudget(values_.options_); }

  // The layers' own objectives.

  double number(const KnownMapping& k) const { return objective_number(objective(), k.cost); }
  double best_own(std::size_t l) const {
    double out = kNever;
    for (const KnownMapping& k : layers_[l].known) out = std::min(out, number(k));
    return out;
  }

  // What a point has whose layers have these values: their sum, or what no totals are below.
  template <class ValueOf>
  double combined(ValueOf value_of) const {
    const int degree = values_.kind_ == MachineValues::Kind::Sum ? 1 : info(objective()).degree();
    double sum = 0;
    for (std::size_t l = 0; l < layers_.size(); ++l) sum += values_.runs_[l] * std::pow(value_of(l), 1.0 / degree);
    return std::pow(sum, degree);
  }
  double lower() const {
    return combined([&](std::size_t l) { return layers_[l].own_bound; });
  }
  double upper() const {
    return combined([&](std::size_t l) { return best_own(l); });
  }
  bool beaten(double bound) const { return bound >= limit_ * kSameValue; }

  void own() {
    const auto conclude = [&](bool exact) {
      out_.lower_bound = lower(), out_.value = unknown_ ? kNever : upper();
      out_.excluded = beaten(out_.lower_bound);
      out_.exact = exact && !unknown_ && values_.kind_ == MachineValues::Kind::Sum;
    };
    if (unknown_) return conclude(false);
    conclude(false);
    if (out_.excluded) {
      out_.by_least_costs = out_.searches == 0 && !inherited();
      return;
    }
    if (goal_ == ValueGoal::Estimate || (goal_ == ValueGoal::Exclude && !beaten(out_.value))) return;
    std::vector<std::size_t> order(layers_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(),
                             [&](std::size_t l) { return values_.runs_[l] * (best_own(l) - layers_[l].own_bound); });
    for (const std::size_t l : order) {
      if (stopped()) break;
      if (!(best_own(l) * kSameValue <= layers_[l].own_bound)) search_own(l);
      conclude(false);
      if (out_.excluded || (goal_ == ValueGoal::Exclude && !beaten(out_.value))) return;
    }
    bool exact = true;
    for (std::size_t l = 0; l < layers_.size(); ++l) exact &= best_own(l) * kSameValue <= layers_[l].own_bound;
    if (exact)
      for (std::size_t l = 0; l < layers_.size(); ++l) layers_[l].own_bound = best_own(l);
    conclude(exact && !stopped());
  }

  bool inherited() const {
    return std::ranges::any_of(known_, [](const LayerKnowledge& k) { return k.least_value > 0; });
  }

  void search_own(std::size_t l) {
    OnMachine& layer = layers_[l];
    const auto best = std::ranges::min_element(layer.known, {}, [&](const KnownMapping& k) { return number(k); });
    const double known = number(*best);
    ++out_.searches;
    if (layer.problem->whole_model || values_.options_.open) {
      const MappingResult all = search_of(l).conclude(search_of(l).search(budget()), search_of(l).first_bound());
      if (all.status == Status::Infeasible) return;
      const double factor = machine_factor(objective(), machine_, workload(l));
      layer.known.push_back({all.mapping, all.cost});
      layer.own_bound = std::max(layer.own_bound,
                                 all.status == Status::Optimal ? number(layer.known.back()) : all.lower_bound / factor);
      return;
    }
    const LayerAnswer found = run_exact_alone(search_of(l), budget(), objective_key(objective(), best->cost));
    if (found.found) layer.known.push_back({found.mapping, found.cost});
    if (found.complete) layer.own_bound = std::max(layer.own_bound, std::min(known, best_own(l)));
    else layer.own_bound = std::max(layer.own_bound, std::min(known, found.lower_bound.value_or(0)));
  }

  // The network's own objective.

  void totals() {
    std::vector<NetworkLayer> network;
    if (unknown_) return;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const OnMachine& layer = layers_[l];
      NetworkLayer one{LayerHull(layer.least, values_.runs_[l]), {}};
      for (const KnownMapping& k : layer.known)
        if (one.hull.add_mapping(k.cost) == one.known.size()) one.known.push_back(k);
      for (const auto& [lambda, value] : layer.lines) one.hull.add_line(lambda, value);
      network.push_back(std::move(one));
    }
    look(network);
    if (out_.excluded) {
      out_.by_least_costs = std::ranges::all_of(layers_, [](const OnMachine& l) { return l.lines.empty(); });
      return;
    }
    if (goal_ == ValueGoal::Estimate || enough()) return;
    std::mutex mutex;
    const auto search = [&](std::size_t l, double lambda, const KnownMapping& known) {
      const MappingResult found = search_of(l).search_for_sum(lambda, known.mapping, budget());
      SumAnswer answer{KnownMapping{found.mapping, found.cost}, found.status == Status::Optimal, found.lower_bound};
      const std::lock_guard lock(mutex);
      note_line(l, lambda, known, answer);
      return answer;
    };
    ProductQuestion question{objective(), values_.options_.rules, threads_, [&] { return stopped() || enough(); },
                             [&](double value, double bound) { note(value, bound); }};
    const LeastProduct best = find_least_product(network, search, question);
    out_.searches += best.searches;
    note(best.value, best.lower_bound);
    out_.exact = best.optimal;
    for (std::size_t l = 0; l < layers_.size(); ++l) layers_[l].known = network[l].known;
  }

  void note(double value, double bound) {
    out_.value = value;
    out_.lower_bound = std::max(out_.lower_bound, bound);
    out_.excluded = beaten(out_.lower_bound);
  }

  // Whether nothing more is to be known.
  bool enough() const { return out_.excluded || (goal_ == ValueGoal::Exclude && !beaten(out_.value)); }

  // By what is known now.
  void look(const std::vector<NetworkLayer>& network) {
    std::vector<CostChain> upper, lower;
    for (const NetworkLayer& layer : network) upper.push_back(layer.hull.upper()), lower.push_back(layer.hull.lower());
    const auto least = [&](const std::vector<CostChain>& chains) {
      double out = kNever;
      for_each_corner_of_sum(chains, values_.runs_, [&](const CostPoint& p, const auto&) {
        const double pj = static_cast<double>(p.energy) / Energy::kUnitsPerPicojoule;
        out = std::min(out, objective_number(objective(), pj, static_cast<double>(p.cycles)));
      });
      return out;
    };
    note(least(upper), std::min(least(lower), least(upper)));
  }

  // What a search has proven of all mappings of the layer.
  void note_line(std::size_t l, double lambda, const KnownMapping& known, const SumAnswer& answer) {
    const auto value = [&](const Cost& cost) {
      LayerHull one(cost, 1);
      return one.value_at(one.add_mapping(cost), lambda);
    };
    Wide least = std::min<Wide>(value(known.cost), value(answer.found->cost));
    if (!answer.complete) least = std::min<Wide>(least, Wide(answer.lower_bound_pj * Energy::kUnitsPerPicojoule));
    if (answer.complete || answer.lower_bound_pj > 0) layers_[l].lines.emplace_back(lambda, least);
  }

  // The lines that are somewhere above all others.
  void keep_highest(std::size_t l, std::vector<std::pair<double, Wide>>& out) const {
    LayerHull hull(layers_[l].least, 1);
    for (const auto& [lambda, value] : layers_[l].lines) hull.add_line(lambda, value);
    const std::vector<double> slopes = hull.lower().slope;
    for (const auto& line : layers_[l].lines)
      if (std::ranges::find(slopes, line.first) != slopes.end()) out.push_back(line);
  }

  // What parts of a set may begin with.
  void hand_on(std::size_t l) {
    LayerKnowledge& out = out_.knowledge[l];
    if (!layers_[l].problem) return;
    if (values_.options_.rules[Rule::RoomReuse]) {
      keep_highest(l, out.lines);
      out.least_value = values_.kind_ == MachineValues::Kind::Totals ? 0 : layers_[l].own_bound;
    }
    if (layers_[l].problem->whole_model) return;
    // Corners of the hull, or the best by the layer's own objective.
    LayerHull hull(layers_[l].least, 1);
    std::vector<std::size_t> place;
    for (std::size_t k = 0; k < layers_[l].known.size(); ++k)
      if (hull.add_mapping(layers_[l].known[k].cost) == place.size()) place.push_back(k);
    for (const std::size_t k : hull.upper().mapping) out.mappings.push_back(layers_[l].known[place[k]].mapping);
    if (out.mappings.size() > kMostMappings) out.mappings.resize(kMostMappings);
    if (values_.kind_ != MachineValues::Kind::Totals) {
      const auto best =
          std::ranges::min_element(layers_[l].known, {}, [&](const KnownMapping& k) { return number(k); });
      if (best != layers_[l].known.end()) out.mappings.push_back(best->mapping);
    }
  }

  const MachineValues& values_;
  const Architecture& machine_;
  const Knowledge& known_;
  double factor_, limit_;
  ValueGoal goal_;
  int threads_;
  std::atomic<bool> unknown_ = false;
  std::vector<OnMachine> layers_;
  MachineValue out_;
};

MachineValue MachineValues::search(const Architecture& machine, double area_um2, const Knowledge& known, double limit,
                                   ValueGoal goal, int threads) const {
  return ValueSearch(*this, machine, area_um2, known, limit, goal, threads).run();
}

}  // namespace heliolite
