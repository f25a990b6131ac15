#include "engine/sweep/machine_value.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/parallel.h"
#include "engine/search/map.h"
#include "engine/search/schedule.h"
#include "engine/sweep/value_search.h"

namespace heliolite {
namespace {

constexpr std::size_t kMostMappings = 8;  // of a layer that are handed on

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

MachineValue ValueSearch::run() {
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

const LayerSearch& ValueSearch::search_of(std::size_t l) {
  OnMachine& layer = layers_[l];
  if (!layer.search) layer.search = std::make_unique<LayerSearch>(std::make_unique<LayerProblem>(*layer.problem));
  return *layer.search;
}

// Problems, what every mapping pays, and the mappings that are known from around and fit; where none does, one.
void ValueSearch::prepare() {
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

bool ValueSearch::prepare(std::size_t l) {
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
bool ValueSearch::make_problem(std::size_t l) {
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
bool ValueSearch::give_up() {
  unknown_ = true;
  return true;
}

double ValueSearch::best_own(std::size_t l) const {
  double out = kNever;
  for (const KnownMapping& k : layers_[l].known) out = std::min(out, number(k));
  return out;
}

double ValueSearch::lower() const {
  return combined([&](std::size_t l) { return layers_[l].own_bound; });
}

double ValueSearch::upper() const {
  return combined([&](std::size_t l) { return best_own(l); });
}

void ValueSearch::own() {
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

bool ValueSearch::inherited() const {
  return std::ranges::any_of(known_, [](const LayerKnowledge& k) { return k.least_value > 0; });
}

void ValueSearch::search_own(std::size_t l) {
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

// The lines that are somewhere above all others.
void ValueSearch::keep_highest(std::size_t l, std::vector<std::pair<double, Wide>>& out) const {
  LayerHull hull(layers_[l].least, 1);
  for (const auto& [lambda, value] : layers_[l].lines) hull.add_line(lambda, value);
  const std::vector<double> slopes = hull.lower().slope;
  for (const auto& line : layers_[l].lines)
    if (std::ranges::find(slopes, line.first) != slopes.end()) out.push_back(line);
}

// What parts of a set may begin with.
void ValueSearch::hand_on(std::size_t l) {
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
    const auto best = std::ranges::min_element(layers_[l].known, {}, [&](const KnownMapping& k) { return number(k); });
    if (best != layers_[l].known.end()) out.mappings.push_back(best->mapping);
  }
}

MachineValue MachineValues::search(const Architecture& machine, double area_um2, const Knowledge& known, double limit,
                                   ValueGoal goal, int threads) const {
  return ValueSearch(*this, machine, area_um2, known, limit, goal, threads).run();
}

}  // namespace heliolite
