#pragma once
// The search of one machine's value (machine_value.h): its layers and what is known of them, by which machine_value.cpp
// searches layers' own objectives and network_value.cpp those of networks.
#include <atomic>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "engine/search/layer_search.h"
#include "engine/search/network/layer_hull.h"
#include "engine/search/network/least_product.h"
#include "engine/sweep/machine_value.h"

namespace heliolite {

inline constexpr double kSameValue = 1 - 1e-12;  // sums of doubles this close count as equal

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

  MachineValue run();

 private:
  struct OnMachine {
    std::unique_ptr<LayerProblem> problem;
    std::unique_ptr<LayerSearch> search;
    Cost least;                       // that every mapping has
    std::vector<KnownMapping> known;  // that fit
    double own_bound = 0;             // of its own objective
    std::vector<std::pair<double, Wide>> lines;
  };

  Objective objective() const { return values_.options_.objective; }
  bool stopped() const { return values_.options_.stop != nullptr && values_.options_.stop->load(); }
  const Workload& workload(std::size_t l) const { return values_.spec_.layers[values_.shapes_[l]].layer.workload; }

  const LayerSearch& search_of(std::size_t l);
  void prepare();
  bool prepare(std::size_t l);
  bool make_problem(std::size_t l);
  bool give_up();

  SearchBudget budget() const { return SearchBudget(values_.options_); }

  // The layers' own objectives.

  double number(const KnownMapping& k) const { return objective_number(objective(), k.cost); }
  double best_own(std::size_t l) const;

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
  double lower() const;
  double upper() const;
  bool beaten(double bound) const { return bound >= limit_ * kSameValue; }

  void own();
  bool inherited() const;
  void search_own(std::size_t l);

  // Networks: their own objective, or the least one within limits.

  // A network by what is known of its layers now.
  struct OnNetwork {
    const MachineValues::Group* group = nullptr;
    std::vector<NetworkLayer> layers;
    double value = kNever, bound = 0;
    LimitedPoint at{};  // within limits: where the bound is
  };
  OnNetwork network_of(const MachineValues::Group& group) const;
  static Cost proven_least(const OnMachine& layer);
  void keep_known(const OnNetwork& network);
  std::vector<OnNetwork> networks() const;
  static std::vector<CostChain> chains(const OnNetwork& network, CostChain (LayerHull::*side)() const);
  std::vector<LimitedPoint> corners(const OnNetwork& network, CostChain (LayerHull::*side)() const) const;
  void totals();
  bool nothing_inherited() const;
  void note(const std::vector<OnNetwork>& all);

  // Whether nothing more is to be known.
  bool enough() const { return out_.excluded || (goal_ == ValueGoal::Exclude && !beaten(out_.value)); }

  void look(OnNetwork& network) const;
  void within_limits();
  bool look_within(OnNetwork& network);
  bool search_within(OnNetwork& network);
  double slope_at(const OnNetwork& network) const;
  void note_line(std::size_t l, double lambda, const KnownMapping& known, const SumAnswer& answer);
  void keep_highest(std::size_t l, std::vector<std::pair<double, Wide>>& out) const;
  void hand_on(std::size_t l);

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

}  // namespace heliolite
