#include "engine/sweep/pilots.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "engine/sweep/families.h"

namespace heliolite {
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
  if (spec.goal == SweepGoal::All) return 0;
  return spec.pilots.value_or(co_searches(spec, points) ? 1 : kPilots);
}

std::vector<u64> choose_pilots(const SweepSpec& spec, const DesignPoints& points) {
  std::vector<u64> out;
  const u64 wanted = pilot_count(spec, points);
  if (wanted == 0) return out;
  std::vector<Candidate> all = candidates(spec, points, wanted);
  std::ranges::sort(all, {}, [](const Candidate& c) { return std::pair(c.least.value, c.id); });
  const std::size_t front = spec.goal == SweepGoal::Front ? front_first(all) : 0;
  const std::size_t pilots = std::min<std::size_t>(wanted, all.size());
  // Of a front with more than enough points those at even distances.
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
    return dominates({pilot.energy_pj, delay(ranking_, pilot), pilot.area_um2},
                     {least.energy_pj, delay(ranking_, least.cycles, point.cycle_ns), point.area_um2});
  };
  const auto found = std::ranges::find_if(pilots_, beats);
  return goal_ == SweepGoal::All || found == pilots_.end() ? nullptr : &*found;
}

}  // namespace heliolite
