#pragma once
// The cost of a design point over all layers, and a lower bound of it.
//
// A point's value is the objective of its total energy E and its total delay D, such as E x D; or, where that is asked,
// the sum of the layers' own objectives; or the mean of such values, one of each workload. Delays are in seconds where
// every machine of the sweep states the length of its cycles: machines of different clocks compare by time, not by
// cycles.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/search/core/objective.h"
#include "engine/search/core/options.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// How the value of a point is made.
struct Ranking {
  Objective objective = Objective::Edp;
  SweepRank rank = SweepRank::Totals;
  bool seconds = false;  // delays are; else they are in cycles
  bool area = true;      // the Pareto front is of energy, delay and area; else of energy and delay
  SweepMean mean = SweepMean::Total;
};
Ranking ranking_of(const SweepSpec& spec);
Ranking ranking_of(const SweepRecord& sweep);

// The mean of values of networks by their weights: none is 0 or above. Grows with each value, and in proportion to all.
struct WeightedValue {
  double weight = 1, value = 0;
};
double mean_of(SweepMean mean, const std::vector<WeightedValue>& values);

// The layers of one network of a sweep, which are neighbours in its list, and the weight of its value in the mean; of
// SweepMean::Total all layers.
struct SweptNetwork {
  std::size_t begin = 0, end = 0;
  double weight = 1;
};
std::vector<SweptNetwork> networks_of(const SweepSpec& spec);
// How often the layer runs in its network: of SweepMean::Total weights are factors of that.
double runs_of(const SweepLayer& layer, SweepMean mean);

// The delay of a number of cycles, in seconds or in cycles. With seconds `cycle_ns` must be known.
double delay(const Ranking& ranking, double cycles, std::optional<double> cycle_ns);
inline double delay(const Ranking& ranking, const PointRecord& point) {
  return delay(ranking, point.cycles, point.cycle_ns);
}

// "s" or "cycles"; "pJ s^2".
std::string delay_unit(const Ranking& ranking);
std::string value_unit(const Ranking& ranking);

// Whether the two ranks order points differently.
bool ranks_differ(const Ranking& ranking);

// The totals of a point's layers on a machine with this clock. The lower bound of an objective of totals follows from
// those of the layers by Hoelder's inequality: with runs w and bounds b of E x D it is (sum of w sqrt(b))^2.
// `network_bound`: that of the network's own objective or within limits, or of several their mean, where it was
// searched for; it takes the place of the former.
Totals totals(const std::vector<LayerRecord>& layers, const Ranking& ranking, std::optional<double> cycle_ns,
              std::optional<double> network_bound = {});

// A value of the objective whose delays are cycles, in the unit of the points' values.
double in_value_unit(double value, const Ranking& ranking, std::optional<double> cycle_ns);

// Lower bounds on the totals: what every mapping of every layer pays (engine/search/core/compulsory.h); value and
// lower_bound are equal. Errors: constraints of the machine that a layer cannot obey, named by layer.
Result<Totals> compulsory_totals(const SweepSpec& spec, const Architecture& machine);

// Facts that follow from a sweep's record and are stored nowhere. Some read the sweep's file anew each time: who asks
// for each row keeps the answer (OpenStore::sums).

// The objective of a point's total energy and total delay, in the unit of its value. The sum of the layers' objectives
// is for products of energy and delay another number, and much smaller. What is per operation is always of the totals.
double value_of_totals(const Ranking& ranking, const PointRecord& point);

// What the values of points are, for headings: "EDP of totals [pJ s]".
std::string value_title(const SweepRecord& sweep);

// The outermost memory of whatever machine.
inline constexpr std::string_view kOutermostMemory = "the outermost memory";

// What is to be said of networks (layers_alone_note()), if some workload of the sweep has several layers; else "".
std::string layers_alone_note(const SweepSpec& spec);
std::string layers_alone_note(const SweepRecord& sweep);

// How the sweep counts words where factors do not divide.
Counts counts_of(const SweepRecord& sweep);

// Whether the sweep's file asks for all factors, and not for perfect ones only.
bool has_any_factors(const SweepRecord& sweep);
// The mean and the limits that it asks for.
SweepMean asked_mean(const SweepRecord& sweep);
SweepLimits asked_limits(const SweepRecord& sweep);
// The tiles that it asks for.
Tiles tiles_of(const SweepRecord& sweep);

}  // namespace heliolite
