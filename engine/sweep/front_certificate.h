#pragma once
// A front that is certain (docs/rules/sweep.md, "Certain fronts"): after a fast pass, points that may be on the Pareto
// front, or be the best, are searched again by `exact`, until each one is proven or beaten by one that is. What is
// known of a point stands in its row's `reason`.
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sweep/families.h"
#include "engine/sweep/store.h"

namespace heliolite {

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
  Ranking ranking_;
  PilotRule rule_;
  std::map<u64, PointRecord> open_, proven_, dominated_;
};

}  // namespace heliolite
