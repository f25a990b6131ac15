#include "engine/sweep/totals.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/search/core/layer_problem.h"
#include "workloads/network.h"

namespace heliolite {
namespace {

constexpr double kSecondsPerNanosecond = 1e-9;

// Sums of weights such as 0.1 are off by some units in the last place, which must not make a cycle.
constexpr double kSumError = 1e-12;

double whole(double cycles) { return std::ceil(cycles * (1 - kSumError)); }

double length_of_cycle(const Ranking& ranking, std::optional<double> cycle_ns) {
  return ranking.seconds ? cycle_ns.value_or(0) * kSecondsPerNanosecond : 1;
}

double power(double base, int exponent) {
  double out = 1;
  for (int k = 0; k < exponent; ++k) out *= base;
  return out;
}

// The value of an option in the sweep's file; none if it is not there.
std::optional<YamlNode> option_of(const SweepRecord& sweep, std::string_view name) {
  const Result<YamlNode> document = YamlNode::parse(sweep.text, sweep.name);
  const std::optional<YamlNode> options = document ? document->find("sweep") : std::nullopt;
  return options ? options->find(name) : std::nullopt;
}

// Sums over layers. Rounded sums of doubles grow with each term, so bounds stay bounds when they are summed alike.
class Sum {
 public:
  Sum(const Ranking& ranking, std::optional<double> cycle_ns)
      : ranking_(ranking),
        powers_(info(ranking.objective)),
        // A layer's value has cycles in place of delays.
        in_unit_(in_value_unit(1, ranking, cycle_ns)),
        cycle_ns_(cycle_ns) {}

  // `factor`: machine_factor() of the layer, which its value and its bound have.
  void add(double runs, double energy_pj, double cycles, double value, double lower_bound, double factor) {
    energy_pj_ += runs * energy_pj;
    cycles_ += runs * cycles;
    values_ += runs * value;
    bounds_ += runs * lower_bound;
    roots_ += runs * std::pow(lower_bound / factor, 1.0 / powers_.degree());
    if (powers_.per_operation) per_factor_ += runs / factor;
    else factor_ = factor;
  }

  Totals totals() const {
    Totals out;
    out.energy_pj = energy_pj_;
    out.cycles = whole(cycles_);
    out.sum_of_layer_values = values_ * in_unit_;
    // The machine's part is the same of all layers, operations add up.
    const double factor = powers_.per_operation ? 1 / per_factor_ : factor_;
    if (ranking_.rank == SweepRank::Layers && !powers_.per_operation) {
      out.value = out.sum_of_layer_values;
      out.lower_bound = bounds_ * in_unit_;
    } else {
      out.value = objective_number(ranking_.objective, out.energy_pj, delay(ranking_, out.cycles, cycle_ns_)) * factor;
      out.lower_bound = std::min(out.value, power(roots_, powers_.degree()) * in_unit_ * factor);
      if (powers_.per_operation) out.sum_of_layer_values = out.value;
    }
    return out;
  }

 private:
  Ranking ranking_;
  ObjectiveInfo powers_;
  double in_unit_;
  std::optional<double> cycle_ns_;
  double energy_pj_ = 0, cycles_ = 0, values_ = 0, bounds_ = 0, roots_ = 0;
  double factor_ = 1, per_factor_ = 0;
};

// The sums over all layers and, where their mean counts, those of each workload.
class PointSums {
 public:
  PointSums(const Ranking& ranking, std::optional<double> cycle_ns)
      : ranking_(ranking), cycle_ns_(cycle_ns), all_(ranking, cycle_ns) {}

  void add(const std::string& workload, u64 count, double weight, double energy_pj, double cycles, double value,
           double lower_bound, double factor) {
    const double times = static_cast<double>(count);
    all_.add(times * weight, energy_pj, cycles, value, lower_bound, factor);
    if (ranking_.mean == SweepMean::Total) return;
    if (networks_.empty() || workload_ != workload) networks_.push_back({Sum(ranking_, cycle_ns_), weight});
    workload_ = workload;
    networks_.back().first.add(times, energy_pj, cycles, value, lower_bound, factor);
  }

  Totals totals() const {
    Totals out = all_.totals();
    if (networks_.empty()) return out;
    std::vector<WeightedValue> values, bounds;
    for (const auto& [sum, weight] : networks_) {
      const Totals own = sum.totals();
      values.push_back({weight, own.value}), bounds.push_back({weight, own.lower_bound});
    }
    out.value = mean_of(ranking_.mean, values);
    out.lower_bound = std::min(out.value, mean_of(ranking_.mean, bounds));
    return out;
  }

 private:
  Ranking ranking_;
  std::optional<double> cycle_ns_;
  Sum all_;
  std::vector<std::pair<Sum, double>> networks_;  // with their weights
  std::string workload_;                          // of the last one
};

std::string text_of(const YamlNode& node) { return lower(node.text()); }

// Whether its Pareto front is of energy and delay alone.
bool front_without_area(const SweepRecord& sweep) {
  const std::optional<YamlNode> front = option_of(sweep, "front");
  return front && std::ranges::none_of(elements(*front), [](const YamlNode& n) { return text_of(n) == "area"; });
}

}  // namespace

double mean_of(SweepMean mean, const std::vector<WeightedValue>& values) {
  if (values.size() == 1) return values.front().value;
  double sum = 0, weights = 0;
  bool never = false;
  for (const WeightedValue& v : values) {
    if (mean == SweepMean::Geometric && v.value == 0) return 0;
    never |= v.value == kNever;
    sum += v.weight * (mean == SweepMean::Geometric ? std::log(v.value) : v.value);
    weights += v.weight;
  }
  if (never) return kNever;
  return mean == SweepMean::Geometric ? std::exp(sum / weights) : sum / weights;
}

std::vector<SweptNetwork> networks_of(const SweepSpec& spec) {
  if (spec.mean == SweepMean::Total) return {{0, spec.layers.size(), 1}};
  std::vector<SweptNetwork> out;
  for (std::size_t l = 0; l < spec.layers.size(); ++l) {
    if (l == 0 || spec.layers[l].workload != spec.layers[l - 1].workload) out.push_back({l, l, spec.layers[l].weight});
    out.back().end = l + 1;
  }
  return out;
}

double runs_of(const SweepLayer& layer, SweepMean mean) {
  return static_cast<double>(layer.layer.count) * (mean == SweepMean::Total ? layer.weight : 1);
}

SweepMean asked_mean(const SweepRecord& sweep) {
  const std::optional<YamlNode> mean = option_of(sweep, "mean");
  return mean ? find_named<SweepMean>(text_of(*mean)).value_or(SweepMean::Total) : SweepMean::Total;
}

SweepLimits asked_limits(const SweepRecord& sweep) {
  const std::optional<YamlNode> limits = option_of(sweep, "limits");
  const auto number = [&](const char* key) {
    const std::optional<YamlNode> node = limits ? limits->find(key) : std::nullopt;
    return node ? node->as_number() : std::nullopt;
  };
  return {number("energy"), number("delay"), number("power")};
}

Ranking ranking_of(const SweepSpec& spec) {
  return {spec.options.objective, spec.rank, spec.seconds, spec.area_on_front, spec.mean};
}

// Records are checked when they are read.
Ranking ranking_of(const SweepRecord& sweep) {
  return {parse_asked_objective(sweep.objective).value_or(AskedObjective()).objective,
          sweep.rank == name(SweepRank::Totals) ? SweepRank::Totals : SweepRank::Layers,
          sweep.delay_unit == delay_unit({.seconds = true}), !front_without_area(sweep), asked_mean(sweep)};
}

double delay(const Ranking& ranking, double cycles, std::optional<double> cycle_ns) {
  return cycles * length_of_cycle(ranking, cycle_ns);
}

std::string delay_unit(const Ranking& ranking) { return ranking.seconds ? "s" : "cycles"; }

std::string value_unit(const Ranking& ranking) { return unit(info(ranking.objective), delay_unit(ranking), " "); }

bool ranks_differ(const Ranking& ranking) { return info(ranking.objective).degree() > 1; }

double in_value_unit(double value, const Ranking& ranking, std::optional<double> cycle_ns) {
  return value * power(length_of_cycle(ranking, cycle_ns), info(ranking.objective).cycles_power);
}

Totals totals(const std::vector<LayerRecord>& layers, const Ranking& ranking, std::optional<double> cycle_ns,
              std::optional<double> network_bound) {
  PointSums sum(ranking, cycle_ns);
  double words_moved = 0, least_words = 0;
  bool words_known = true;
  for (const LayerRecord& l : layers) {
    const double runs = static_cast<double>(l.count) * l.weight;
    const ObjectiveInfo& objective = info(ranking.objective);
    const bool factors = objective.area_power != 0 || objective.per_operation;
    const double factor = factors ? l.value / objective_number(ranking.objective, l.energy_pj, l.cycles) : 1;
    sum.add(l.workload, l.count, l.weight, l.energy_pj, l.cycles, l.value, l.lower_bound, factor);
    words_moved += runs * static_cast<double>(l.words_moved);
    least_words += runs * static_cast<double>(l.least_words);
    words_known = words_known && l.least_words > 0;
  }
  Totals out = sum.totals();
  // The search of the network's own objective takes values for equal that differ by less than this.
  if (network_bound) out.lower_bound = *network_bound > out.value * (1 - kSumError) ? out.value : *network_bound;
  if (words_known) out.words_moved = words_moved, out.least_words = least_words;
  return out;
}

Result<Totals> compulsory_totals(const SweepSpec& spec, const Architecture& machine) {
  PointSums sum(ranking_of(spec), machine.cycle_ns);
  for (const SweepLayer& layer : spec.layers) {
    const Workload& workload = layer.layer.workload;
    const Result<Cost> least = least_cost(workload, machine, spec.options);
    if (!least) {
      Diagnostic error = least.errors().front();
      error.message = workload.name + ": " + error.message;
      return error;
    }
    const double factor = machine_factor(spec.options.objective, machine, workload);
    const double value = objective_number(spec.options.objective, *least) * factor;
    sum.add(layer.workload, layer.layer.count, layer.weight, least->energy.picojoules(),
            static_cast<double>(least->cycles), value, value, factor);
  }
  Totals out = sum.totals();
  // Logarithms are rounded: two means in the order of their values may be the other way round by that.
  if (spec.mean == SweepMean::Geometric) out.value *= 1 - kSumError;
  out.lower_bound = out.value;
  return out;
}

double value_of_totals(const Ranking& ranking, const PointRecord& point) {
  if (info(ranking.objective).per_operation) return point.value;
  return objective_number(ranking.objective, point.energy_pj, delay(ranking, point)) *
         machine_factor(ranking.objective, point.area_um2, 1);
}

std::string value_title(const SweepRecord& sweep) {
  const Ranking ranking = ranking_of(sweep);
  std::string name(info(ranking.objective).label);
  const std::optional<AskedObjective> asked = parse_asked_objective(sweep.objective);
  if (asked && asked->network) name = "network's " + name;
  else if (ranks_differ(ranking)) name = ranking.rank == SweepRank::Totals ? name + " of totals" : "sum of " + name;
  if (ranking.mean != SweepMean::Total) name = fmt::format("{} mean of {}", heliolite::name(ranking.mean), name);
  return fmt::format("{} [{}]", name, value_unit(ranking));
}

std::string layers_alone_note(const SweepSpec& spec) {
  const bool network = std::ranges::adjacent_find(spec.layers, {}, &SweepLayer::workload) != spec.layers.end();
  return network ? layers_alone_note(kOutermostMemory) : "";
}

std::string layers_alone_note(const SweepRecord& sweep) {
  std::string note = layers_alone_note(kOutermostMemory);
  return std::ranges::find(sweep.notes, note) == sweep.notes.end() ? "" : note;
}

Counts counts_of(const SweepRecord& sweep) {
  const std::optional<YamlNode> factors = option_of(sweep, "factors");
  const bool any = factors && find_named<Factors>(lower(factors->text())) == Factors::Any;
  return any ? Counts::True : Counts::Timeloop;
}

bool has_any_factors(const SweepRecord& sweep) {
  if (counts_of(sweep) == Counts::True) return true;
  // An option of databases from before all tile sizes were counted word by word.
  const std::optional<YamlNode> imperfect = option_of(sweep, "imperfect");
  return imperfect && imperfect->as_bool().value_or(false);
}

Tiles tiles_of(const SweepRecord& sweep) {
  const std::optional<YamlNode> tiles = option_of(sweep, "tiles");
  return tiles ? find_named<Tiles>(lower(tiles->text())).value_or(Tiles::Even) : Tiles::Even;
}

}  // namespace heliolite
