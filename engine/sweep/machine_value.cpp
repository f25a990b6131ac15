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
#include "engine/sweep/point_answer.h"

namespace heliolite {
namespace {

constexpr double kSameValue = 1 - 1e-12;  // sums of doubles this close count as equal
constexpr std::size_t kMostMappings = 8;  // of a layer that are handed on
// Chains this close to each other, as a part of a network's energy + lambda x cycles, meet.
constexpr double kChainsMeet = 1e-14;
// Energies are below this, in pJ, for one run of a layer (engine/search/core/objective.h).
constexpr double kMostPj = Objective::kMostLambda / Energy::kUnitsPerPicojoule;

}  // namespace

MachineValues::MachineValues(const SweepSpec& spec) : spec_(spec), options_(spec.options) {
  options_.progress = {};
  options_.probe_other_tiles = false;
  std::vector<Layer> layers;
  for (const SweepLayer& layer : spec.layers) layers.push_back(layer.layer);
  const std::vector<std::size_t> first = first_of_shape(layers);
  // The place of a number in a list, at the end if it was not there, and its runs.
  const auto add = [](std::vector<std::size_t>& list, std::vector<double>& runs, std::size_t number, double more) {
    const auto known = std::ranges::find(list, number);
    if (known != list.end()) runs[at(known - list.begin())] += more;
    else list.push_back(number), runs.push_back(more);
  };
  bool several = false;
  for (const SweptNetwork& network : networks_of(spec)) {
    Group group{network.weight, 0, {}, {}};
    for (std::size_t l = network.begin; l < network.end; ++l) {
      const double runs = runs_of(spec.layers[l], spec.mean);
      group.operations += runs * static_cast<double>(layers[l].workload.macs());
      add(shapes_, runs_, first[l], static_cast<double>(layers[l].count) * spec.layers[l].weight);
      add(group.shapes, group.runs, at(std::ranges::find(shapes_, first[l]) - shapes_.begin()), runs);
    }
    if (!info(options_.objective).per_operation) group.operations = 1;
    several |= group.shapes.size() > 1;
    groups_.push_back(std::move(group));
  }
  const bool product = info(options_.objective).degree() > 1;
  if (product && spec.rank == SweepRank::Totals) degree_ = info(options_.objective).degree();
  if (spec.limits.any()) kind_ = Kind::Limited;
  else if (degree_ == 1 || !several) kind_ = Kind::Sum;
  else kind_ = options_.network ? Kind::Totals : Kind::Bound;
}

double MachineValues::factor(double area_um2, const std::optional<double>& cycle_ns) const {
  return machine_factor(options_.objective, area_um2, 1) * in_value_unit(1, ranking_of(spec_), cycle_ns);
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
      else if (values_.kind_ == MachineValues::Kind::Limited) within_limits();
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
      out_.least_energy_pj += values_.runs_[l] * layers_[l].least.energy.picojoules();
      out_.least_cycles += values_.runs_[l] * static_cast<double>(layers_[l].least.cycles);
    }
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

  // What a point has whose layers have these values: of each network their sum, or what no totals are below.
  template <class ValueOf>
  double combined(ValueOf value_of) const {
    return mean([&](const MachineValues::Group& group) {
      double sum = 0;
      for (std::size_t k = 0; k < group.shapes.size(); ++k)
        sum += group.runs[k] * std::pow(value_of(group.shapes[k]), 1.0 / values_.degree_);
      return std::pow(sum, values_.degree_);
    });
  }
  // The mean of the networks' values.
  template <class ValueOf>
  double mean(ValueOf value_of) const {
    std::vector<WeightedValue> values;
    for (const MachineValues::Group& group : values_.groups_)
      values.push_back({group.weight, value_of(group) / group.operations});
    return mean_of(values_.spec_.mean, values);
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

  // Networks: their own objective, or the least one within limits.

  // A network by what is known of its layers now.
  struct OnNetwork {
    const MachineValues::Group* group = nullptr;
    std::vector<NetworkLayer> layers;
    double value = kNever, bound = 0;
    LimitedPoint at{};  // within limits: where the bound is
  };

  OnNetwork network_of(const MachineValues::Group& group) const {
    OnNetwork out{&group, {}, kNever, 0, {}};
    for (std::size_t k = 0; k < group.shapes.size(); ++k) {
      const OnMachine& layer = layers_[group.shapes[k]];
      NetworkLayer one{LayerHull(proven_least(layer), group.runs[k]), {}};
      for (const KnownMapping& known : layer.known)
        if (one.hull.add_mapping(known.cost) == one.known.size()) one.known.push_back(known);
      for (const auto& [lambda, value] : layer.lines) one.hull.add_line(lambda, value);
      out.layers.push_back(std::move(one));
    }
    return out;
  }

  // The ends of the trade-off: the least cycles decide at the steepest line, for energies are below its lambda, and the
  // least energy at the flattest, where no cycles make a unit.
  static Cost proven_least(const OnMachine& layer) {
    Cost out = layer.least;
    for (const auto& [lambda, value] : layer.lines) {
      if (lambda == Objective::kMostLambda)
        out.cycles = std::max(out.cycles, static_cast<u64>(Wide(value / Wide(lambda))));
      if (lambda == Objective::kLeastLambda && value > 1)
        out.energy.units = std::max(out.energy.units, static_cast<u128>(static_cast<double>(value) * kSameValue) - 1);
    }
    return out;
  }

  // The mappings that its search has found.
  void keep_known(const OnNetwork& network) {
    for (std::size_t k = 0; k < network.layers.size(); ++k) {
      std::vector<KnownMapping>& known = layers_[network.group->shapes[k]].known;
      for (const KnownMapping& found : network.layers[k].known)
        if (std::ranges::find(known, found.cost, &KnownMapping::cost) == known.end()) known.push_back(found);
    }
  }

  std::vector<OnNetwork> networks() const {
    std::vector<OnNetwork> out;
    for (const MachineValues::Group& group : values_.groups_) out.push_back(network_of(group));
    return out;
  }

  static std::vector<CostChain> chains(const OnNetwork& network, CostChain (LayerHull::*side)() const) {
    std::vector<CostChain> out;
    for (const NetworkLayer& layer : network.layers) out.push_back((layer.hull.*side)());
    return out;
  }

  std::vector<LimitedPoint> corners(const OnNetwork& network, CostChain (LayerHull::*side)() const) const {
    return corners_of_sum(chains(network, side), network.group->runs, objective());
  }

  void totals() {
    if (unknown_) return;
    std::vector<OnNetwork> all = networks();
    for (OnNetwork& network : all) look(network);
    note(all);
    if (out_.excluded) {
      out_.by_least_costs = nothing_inherited();
      return;
    }
    if (goal_ == ValueGoal::Estimate || enough()) return;
    std::mutex mutex;
    for (OnNetwork& network : all) {
      if (&network != &all.front()) network.layers = network_of(*network.group).layers;
      const auto search = [&](std::size_t k, double lambda, const KnownMapping& known) {
        const std::size_t l = network.group->shapes[k];
        const MappingResult found = search_of(l).search_for_sum(lambda, known.mapping, budget());
        SumAnswer answer{KnownMapping{found.mapping, found.cost}, found.status == Status::Optimal, found.lower_bound};
        const std::lock_guard lock(mutex);
        note_line(l, lambda, known, answer);
        return answer;
      };
      const auto tell = [&](double value, double bound) {
        network.value = value, network.bound = std::max(network.bound, bound);
        note(all);
      };
      const ProductQuestion question{objective(), values_.options_.rules, threads_,
                                     [&] { return stopped() || enough(); }, tell};
      const LeastProduct best = find_least_product(network.layers, search, question);
      out_.searches += best.searches;
      tell(best.value, best.lower_bound);
      keep_known(network);
      if (enough()) break;
    }
    out_.exact = std::ranges::all_of(all, [](const OnNetwork& n) { return n.value * kSameValue <= n.bound; });
  }

  bool nothing_inherited() const {
    return std::ranges::all_of(layers_, [](const OnMachine& l) { return l.lines.empty(); });
  }

  void note(const std::vector<OnNetwork>& all) {
    const auto of = [&](const MachineValues::Group& group) -> const OnNetwork& {
      return all[at(&group - values_.groups_.data())];
    };
    out_.value = mean([&](const MachineValues::Group& group) { return of(group).value; });
    out_.lower_bound =
        std::max(out_.lower_bound, mean([&](const MachineValues::Group& group) { return of(group).bound; }));
    out_.excluded = beaten(out_.lower_bound);
  }

  // Whether nothing more is to be known.
  bool enough() const { return out_.excluded || (goal_ == ValueGoal::Exclude && !beaten(out_.value)); }

  // By what is known now.
  void look(OnNetwork& network) const {
    const auto least = [&](CostChain (LayerHull::*side)() const) {
      return std::ranges::min(corners(network, side), {}, &LimitedPoint::value).value;
    };
    network.value = least(&LayerHull::upper);
    network.bound = std::max(network.bound, std::min(least(&LayerHull::lower), network.value));
  }

  // The least value within limits: where the lines have it, the known mappings around are searched until the two meet
  // there (docs/rules/network.md, "Within limits"). The value is that of mappings, or of what lies between them.
  void within_limits() {
    out_.value = kNever;
    if (unknown_ || !values_.options_.rules[Rule::MemoryBound]) return;
    std::vector<OnNetwork> all = networks();
    for (OnNetwork& network : all)
      if (!look_within(network)) return;
    note(all);
    if (out_.excluded) {
      out_.by_least_costs = nothing_inherited();
      return;
    }
    if (goal_ == ValueGoal::Estimate) return;
    for (OnNetwork& network : all) {
      while (!stopped() && !enough() && search_within(network)) {
        if (!look_within(network)) return;
        note(all);
      }
    }
  }

  // False: no mappings keep to the limits.
  bool look_within(OnNetwork& network) {
    CostLimits limits = limits_in_cycles(values_.spec_, machine_.cycle_ns);
    double runs = 0;
    for (const double k : network.group->runs) runs += k;
    limits.energy_pj = std::min(limits.energy_pj, runs * kMostPj);
    const std::optional<LimitedPoint> known = least_within(corners(network, &LayerHull::upper), objective(), limits);
    const std::optional<LimitedPoint> least = least_within(corners(network, &LayerHull::lower), objective(), limits);
    if (!least) {
      out_.infeasible = true;
      return false;
    }
    network.value = known ? known->value : kNever;
    network.bound = std::max(network.bound, std::min(least->value, network.value));
    network.at = *least;
    return true;
  }

  // Searches the layers whose chains are apart at the slope that the known mappings have where the bound is. False:
  // there are none.
  bool search_within(OnNetwork& network) {
    const double lambda = slope_at(network);
    const Wide here = network.at.energy_pj * Energy::kUnitsPerPicojoule + Wide(lambda) * network.at.cycles;
    std::vector<std::size_t> due;
    for (std::size_t k = 0; k < network.layers.size(); ++k)
      if (!network.layers[k].exhausted &&
          network.group->runs[k] * network.layers[k].hull.open_at(lambda) > here * kChainsMeet)
        due.push_back(k);
    std::vector<SumAnswer> found(due.size());
    parallel_for(due.size(), threads_, [&](std::size_t d) {
      const NetworkLayer& layer = network.layers[due[d]];
      const std::size_t l = network.group->shapes[due[d]];
      const KnownMapping& known = layer.known[layer.hull.best_at(lambda)];
      const MappingResult best = search_of(l).search_for_sum(lambda, known.mapping, budget());
      found[d] = {KnownMapping{best.mapping, best.cost}, best.status == Status::Optimal, best.lower_bound};
    });
    for (std::size_t d = 0; d < due.size(); ++d) {
      NetworkLayer& layer = network.layers[due[d]];
      note_line(network.group->shapes[due[d]], lambda, layer.known[layer.hull.best_at(lambda)], found[d]);
      layer.known.push_back(*found[d].found);
      layer.exhausted |= !found[d].complete;
    }
    keep_known(network);
    OnNetwork now = network_of(*network.group);
    for (std::size_t k = 0; k < now.layers.size(); ++k) now.layers[k].exhausted = network.layers[k].exhausted;
    network.layers = std::move(now.layers);
    out_.searches += due.size();
    return !due.empty();
  }

  // The slope of the edge of the known mappings that the bound is under; beyond their ends the steepest and the
  // flattest. At a corner of the bound within the limits, what the objective's own tangent has.
  double slope_at(const OnNetwork& network) const {
    const std::vector<LimitedPoint> known = corners(network, &LayerHull::upper);
    const double cycles = network.at.cycles;
    if (cycles < known.front().cycles * kSameValue) return Objective::kMostLambda;
    const double power = info(objective()).cycles_power, energy = info(objective()).energy_power;
    for (std::size_t k = 1; k < known.size(); ++k) {
      const LimitedPoint &a = known[k - 1], &b = known[k];
      if (cycles > b.cycles) continue;
      return std::clamp((a.energy_pj - b.energy_pj) / (b.cycles - a.cycles) * Energy::kUnitsPerPicojoule,
                        Objective::kLeastLambda, Objective::kMostLambda);
    }
    if (energy > 0 && power == 0) return Objective::kLeastLambda;
    return std::clamp(power * network.at.energy_pj / cycles * Energy::kUnitsPerPicojoule, Objective::kLeastLambda,
                      Objective::kMostLambda);
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
