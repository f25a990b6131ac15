#include "engine/sweep/families.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "engine/sweep/best_machine.h"

namespace heliolite {

bool co_searches(const SweepSpec& spec, const DesignPoints& points) {
  const bool can = searches_machines_together(spec.options.strategy) && spec.options.factors == Factors::Perfect &&
                   spec.options.tiles == Tiles::Even;
  // A co-search minimises the sum of the layers' objectives.
  const bool one_run = spec.layers.size() == 1;
  const bool totals = spec.rank == SweepRank::Totals && ranks_differ(ranking_of(spec));
  const bool of_sum = one_run || !totals;
  const bool one_sum = spec.mean == SweepMean::Total && !spec.limits.any();
  return spec.goal == SweepGoal::Best && can && of_sum && one_sum && points.family_size() > 1;
}

Families::Families(const SweepSpec& spec, const DesignPoints& points, const ShardRule& mine)
    : points_(points), mine_(mine), sampled_(spec.sample.has_value()) {
  if (!sampled_) return;
  for (u64 k = 0; k < points.planned(); ++k)
    if (const u64 id = points.id(k); mine.has(id)) sample_[points.family(id)].push_back(id);
  for (auto& [family, ids] : sample_) std::ranges::sort(ids);
}

std::optional<std::vector<u64>> Families::next() {
  if (sampled_) return next_of_sample();
  while (member_ == 0 && family_ < points_.families() && !mine_.has(points_.member(family_, 0))) ++family_;
  if (family_ == points_.families()) return std::nullopt;
  std::vector<u64> ids;
  while (ids.size() < kMaxFamily && member_ < points_.family_size()) ids.push_back(points_.member(family_, member_++));
  if (member_ == points_.family_size()) {
    member_ = 0;
    ++family_;
  }
  return ids;
}

std::optional<std::vector<u64>> Families::next_of_sample() {
  if (sample_.empty()) return std::nullopt;
  std::vector<u64>& ids = sample_.begin()->second;
  const auto piece = std::min<std::size_t>(ids.size(), kMaxFamily);
  std::vector<u64> out(ids.begin(), ids.begin() + piece);
  ids.erase(ids.begin(), ids.begin() + piece);
  if (ids.empty()) sample_.erase(sample_.begin());
  return out;
}

namespace {

struct Candidate {
  u64 id = 0;
  Totals least;
  double delay = 0, area_um2 = 0;
};

// At most as much of everything, and less of something.
bool dominates(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2] && a != b;
}

std::array<double, 3> goods(const Candidate& c) { return {c.least.energy_pj, c.delay, c.area_um2}; }

std::vector<Candidate> candidates(const SweepSpec& spec, const DesignPoints& points, u64 pilots) {
  std::vector<Candidate> out;
  const u64 count = std::min(points.planned(), std::max(kPilotCandidates, pilots));
  const std::atomic<bool>* stop = spec.options.stop;
  for (u64 k = 0; k < count && !(stop && stop->load()); ++k) {
    const u64 place = static_cast<u64>(static_cast<u128>(k) * points.planned() / count);
    const DesignPoint point = points.make(points.id(place));
    if (!point.machine) continue;
    if (const Result<Totals> least = compulsory_totals(spec, *point.machine))
      out.push_back({point.id, *least, delay(ranking_of(spec), least->cycles, point.machine->cycle_ns),
                     point.machine->area_um2()});
  }
  return out;
}

// Moves those that no other one dominates to the front, by area.
std::size_t front_first(std::vector<Candidate>& all) {
  const auto undominated = [&](const Candidate& c) {
    return std::ranges::none_of(all, [&](const Candidate& other) { return dominates(goods(other), goods(c)); });
  };
  std::vector<u64> front;
  for (const Candidate& c : all)
    if (undominated(c)) front.push_back(c.id);
  const auto rest = std::stable_partition(
      all.begin(), all.end(), [&](const Candidate& c) { return std::ranges::find(front, c.id) != front.end(); });
  std::ranges::stable_sort(all.begin(), rest, {}, &Candidate::area_um2);
  return front.size();
}

}  // namespace

u64 pilot_count(const SweepSpec& spec, const DesignPoints& points) {
  if (spec.goal == SweepGoal::All || spec.goal == SweepGoal::Explore) return 0;
  return spec.pilots.value_or(co_searches(spec, points) || searches_sets(spec) ? 1 : kPilots);
}

std::vector<u64> choose_pilots(const SweepSpec& spec, const DesignPoints& points) {
  std::vector<u64> out;
  const u64 wanted = pilot_count(spec, points);
  if (wanted == 0) return out;
  std::vector<Candidate> all = candidates(spec, points, wanted);
  std::ranges::sort(all, {}, [](const Candidate& c) { return std::pair(c.least.value, c.id); });
  const std::size_t front = spec.goal == SweepGoal::Front ? front_first(all) : 0;
  const std::size_t pilots = std::min<std::size_t>(wanted, all.size());
  // A front with more than enough points gives those at even distances.
  for (std::size_t k = 0; k < pilots; ++k) out.push_back(all[front > pilots ? k * front / pilots : k].id);
  std::ranges::sort(out);
  return out;
}

PilotRule::PilotRule(const SweepSpec& spec, const std::vector<PointRecord>& pilots)
    : goal_(spec.goal), ranking_(ranking_of(spec)) {
  for (const PointRecord& pilot : pilots)
    if (pilot.state == PointState::Done) pilots_.push_back(pilot);
}

const PointRecord* PilotRule::beaten_by(const Totals& least, const PointRecord& point) const {
  const auto beats = [&](const PointRecord& pilot) {
    if (goal_ == SweepGoal::Best) return pilot.value < least.value;
    const double weight = ranking_.area ? 1 : 0;
    return dominates({pilot.energy_pj, delay(ranking_, pilot), weight * pilot.area_um2},
                     {least.energy_pj, delay(ranking_, least.cycles, point.cycle_ns), weight * point.area_um2});
  };
  const auto found = std::ranges::find_if(pilots_, beats);
  return goal_ == SweepGoal::All || found == pilots_.end() ? nullptr : &*found;
}

const PointRecord* PilotRule::excluded_by(const Totals& least, const PointRecord& point) const {
  // Where a point is beaten in all goods it is the best by no objective of totals; by others its value has to be
  // beaten.
  // Where values are equal, the smallest id is the best.
  const auto rank = [](const PointRecord& p) { return std::pair(p.value, p.id); };
  const auto best = std::ranges::min_element(pilots_, {}, rank);
  if (best == pilots_.end() || rank(*best) > std::pair(least.value, point.id)) return nullptr;
  return beaten_by(least, point);
}

}  // namespace heliolite
