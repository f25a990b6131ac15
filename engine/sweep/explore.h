#pragma once
// Which points goal explore evaluates (docs/formats_sweep.md, "Exploring"): some that fill the grid evenly, then each
// one of which most is expected by what those before it were: improvement on the least value, or of the volume that the
// Pareto front dominates. A point's choice follows from the seed and the points before it alone, so a run that goes on
// chooses as one that was never interrupted, whatever the number of threads.
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/search/bayes/gaussian_process.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// What is expected of a point that is not evaluated yet, where several costs count: how much more of the space of costs
// it dominates than the points that are known. Costs are less the better.

// Two costs that have to be evaluated, and a third that is known before (0: there is none).
using FrontCosts = std::array<double, 3>;

// How much a point with costs as `first` and `second` predict, each by itself, is expected to add to the volume that
// `points` dominate and that is below `reference` in all costs: of energy, delay and area, say. With `is_flat` the
// third cost does not count, and it is the area of the first two. `third`: the point's third cost. The expectation over
// the plane of the first two costs is a sum over strips between the points (Emmerich, Deutz, Klinkenberg, IEEE CEC
// 2011), in which each cost's part is the expected improvement on the strip's end; that over the third cost a sum over
// the slabs between the points' third costs.
double expected_hypervolume_improvement(const Prediction& first, const Prediction& second, double third,
                                        std::span<const FrontCosts> points, const FrontCosts& reference, bool is_flat);

// "explored 12": the 12th point that was chosen. It stands in the rows' `reason`, at the end of what else it says.
std::string explored_mark(u64 number);
std::optional<u64> explored_number(const PointRecord& point);

class Explorer {
 public:
  // `is_over` is asked often; when it says yes, choose() ends soon.
  Explorer(const SweepSpec& spec, const DesignPoints& points, std::function<bool()> is_over);

  // Points that fill the grid evenly, and how many are chosen together after these.
  u64 first() const { return first_; }
  u64 together(u64 evaluated) const { return evaluated < first_ ? first_ - evaluated : spec_.explore.batch; }

  // The ids of the next together() points after these, which are all in the order in which they were chosen. Fewer: no
  // more points are admitted, or is_over().
  std::vector<u64> choose(const std::vector<PointRecord>& evaluated);

 private:
  // What was learned of the logarithms of one cost.
  struct Learned {
    std::unique_ptr<GaussianProcess> process;
    double mean = 0, deviation = 1;
  };
  // What is learned of points: their coordinates, and the logarithms of their costs.
  struct Sample {
    std::vector<double> x;
    FrontCosts costs{};  // of aim best: the value, alone
  };

  bool is_front() const { return spec_.explore.aim == ExploreFor::Front; }
  std::size_t costs_learned() const { return is_front() ? 2 : 1; }
  std::vector<bool> categorical() const;
  u64 id_of(std::span<const double> place) const;
  std::vector<double> place_of(u64 id) const;
  std::vector<double> coordinates(u64 id) const;
  std::optional<double> log_area(u64 id);
  std::vector<Sample> samples(const std::vector<PointRecord>& evaluated) const;
  // The places of the first `count` samples, the best first: by their costs' product.
  std::vector<std::size_t> best_first(const std::vector<Sample>& all, std::size_t count) const;
  std::vector<Observation> observations(std::size_t cost, const std::vector<Sample>& all, Learned& out) const;
  Learned learned(std::size_t cost, const std::vector<PointRecord>& evaluated, const std::vector<Sample>& all);
  std::optional<u64> by_sequence(u64 number);
  std::optional<u64> by_expectation(const std::vector<PointRecord>& evaluated, std::vector<Sample>& known);
  std::optional<u64> any();

  const SweepSpec& spec_;
  const DesignPoints& points_;
  const Ranking ranking_;
  std::function<bool()> is_over_;
  u64 first_;
  std::vector<std::vector<std::size_t>> order_;    // [parameter]: its values by number, or as they stand
  std::vector<std::vector<std::size_t>> rank_;     // [parameter][value]: its place in `order_`
  std::vector<bool> numbered_;                     // [parameter]: the order means something
  std::map<u64, std::optional<double>> admitted_;  // [id]: log of the area; none: constraints say no, or no machine
  std::set<u64> taken_;                            // ids that are evaluated or chosen
  std::map<std::pair<u64, std::size_t>, KernelParameters> fits_;  // [points, cost]
};

}  // namespace heliolite
