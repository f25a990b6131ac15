#pragma once
// The summary of a sweep: its best points, its Pareto front, the effect of each parameter. It is gathered in one walk
// over the points; memory grows with the answers, not with the points.
#include <array>
#include <map>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/sweep/records.h"
#include "engine/sweep/totals.h"

namespace heliolite {

class Store;

// The at most `most` done points of least value; of equal ones those with smaller ids.
class BestPoints {
 public:
  explicit BestPoints(std::size_t most) : most_(most) {}

  // A point that is not done is passed over.
  void add(const PointRecord& point);
  const std::vector<PointRecord>& points() const { return points_; }  // best first

 private:
  std::size_t most_;
  std::vector<PointRecord> points_;
};

// The points that are done and that no other one beats: at most its energy, delay and area (where
// that is on the front), and less of one of them.
// A front keeps only one of points equal in all three, the one with the smallest id. The order of the calls does not
// matter.
class ParetoFront {
 public:
  explicit ParetoFront(const Ranking& ranking) : ranking_(ranking) {}

  // A point that is not done is passed over.
  void add(const PointRecord& point);
  std::vector<PointRecord> points() const;  // by energy, then delay, area

 private:
  using Costs = std::array<double, 3>;
  Costs costs(const PointRecord& point) const;

  Ranking ranking_;
  std::vector<PointRecord> members_;  // those that beat others lately come first
};

// What is known of one value of a parameter over all points that have it and are done.
struct ParameterEffect {
  std::string value;   // as written
  u64 points = 0;      // that have it and are done
  double best = 0;     // least PointRecord::value of these
  u64 best_point = 0;  // id of the point with that value
  double mean = 0;     // geometric mean of PointRecord::value
};

// How much each parameter matters.
class Sensitivity {
 public:
  // A point that is not done is passed over.
  void add(const PointRecord& point);
  // [parameter][value], values in the order in which they came.
  std::vector<std::vector<ParameterEffect>> effects() const;

 private:
  struct Sum {
    ParameterEffect effect;
    double logarithms = 0;
  };

  struct Parameter {
    std::vector<Sum> sums;
    std::map<std::string, std::size_t> place;  // of a value in `sums`
  };

  std::vector<Parameter> parameters_;
};

// How many points that are not done have the same state and the same reason, up to the first ": " of the reason.
struct ReasonCount {
  PointState state;
  std::string reason;
  u64 points = 0;
};

inline constexpr std::size_t kMaxReasons = 50;  // further ones are counted together as "other reasons"

struct SweepSummary {
  std::array<u64, kPointStateNames.size()> by_state{};  // [PointState]: points
  std::vector<ReasonCount> reasons;                     // by state; those of most points first
  std::vector<PointRecord> best;                        // best first
  std::vector<PointRecord> front;                       // by energy, then delay, area
  std::vector<std::vector<ParameterEffect>> effects;    // [parameter][value]

  u64 count(PointState state) const { return by_state[at(state)]; }
  u64 points() const;  // of all states
};

// The summary with at most `best` best points. Errors: those of the store.
Result<SweepSummary> summarize(const Store& store, std::size_t best = 10);

}  // namespace heliolite
