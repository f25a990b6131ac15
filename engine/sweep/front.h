#pragma once
// What of a sweep's points is best: its best points, its Pareto front, the effect of each parameter, and a front that
// is certain. All is gathered in one walk over the points; memory grows with the answers, not with the points.
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/sweep/families.h"
#include "engine/sweep/records.h"
#include "engine/sweep/store.h"
#include "engine/sweep/totals.h"

namespace heliolite {

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

// A front that is certain (docs/rules/sweep.md, "Certain fronts"): after a fast pass, points that may be on the Pareto
// front, or be the best, are searched again by `exact`, until each one is proven or beaten by one that is. What is
// known of a point stands in its row's `reason`.

// Whether the sweep's front is to be certain: goal front, strategy exact.
bool certifies_front(const SweepSpec& spec);
bool certifies_front(const SweepRecord& sweep);

// The sweep with the strategy of the fast pass.
SweepSpec fast_pass_of(const SweepSpec& spec);

// Reasons of points that are done begin with these.
inline constexpr std::string_view kOpenPoint = "open";            // may be on the front, not proven
inline constexpr std::string_view kFrontPoint = "front";          // on the front, certain
inline constexpr std::string_view kBestPoint = "best";            // of goal best: no machine is better, certain
inline constexpr std::string_view kDominatedPoint = "dominated";  // not on the front, certain

// "open: ..", or "" if the point's answers are proven by a search of all mappings with these options.
std::string open_reason(const PointRecord& point, const std::vector<LayerRecord>& layers, const SearchOptions& options);

// "front", "dominated" or "open" of a point that is done or cut, in a sweep whose front is to be certain; of a sweep
// for the best point "best" of the one that is proven to be it; otherwise "".
std::string front_status(const PointRecord& point, const SweepRecord& sweep);

// What is known of the points of one sweep or shard.
class FrontCertificate {
 public:
  explicit FrontCertificate(const SweepSpec& spec);

  // A point that is done, or cut; again when more is known.
  void add(const PointRecord& point);

  // Points that are done but open: those on the front by what is known first, then by value. `many`: the most
  // of those off the front.
  std::vector<u64> most_urgent(std::size_t many) const;
  // Points that are open; and these with the proven ones on the front so far.
  u64 open() const { return open_.size(); }
  std::vector<u64> open_ids() const;
  const PointRecord& open_point(u64 id) const { return open_.at(id); }
  u64 candidates() const;

  // If proven points keep everything with at least these totals off the front and from being the best: the reason why.
  std::optional<std::string> excluded(const PointRecord& point, const Totals& least) const;

  // The points whose reason changes when all is done: on the front or dominated by which, in the order of ids. `least`
  // is asked for what nothing on an open point is below.
  std::vector<PointRecord> conclusions(const std::function<Totals(u64 point)>& least) const;

 private:
  std::vector<PointRecord> front() const;  // of the open and the proven ones

  Ranking ranking_;
  PilotRule rule_;
  std::map<u64, PointRecord> open_, proven_, dominated_;
};

}  // namespace heliolite
