#include "engine/sweep/front.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "engine/base/integers.h"
#include "engine/sweep/store.h"

namespace heliolite {
namespace {

// At most as expensive in each respect.
bool covers(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2];
}

class Reasons {
 public:
  void add(const PointRecord& point) {
    if (point.state == PointState::Done) return;
    std::pair key(point.state, point.reason.substr(0, point.reason.find(": ")));
    if (counts_.size() >= kMaxReasons && !counts_.contains(key)) key.second = "other reasons";
    ++counts_[key];
  }

  std::vector<ReasonCount> counts() const {
    std::vector<ReasonCount> out;
    for (const auto& [key, points] : counts_) out.push_back({key.first, key.second, points});
    std::ranges::stable_sort(out, [](const ReasonCount& a, const ReasonCount& b) {
      return std::pair(a.state, b.points) < std::pair(b.state, a.points);
    });
    return out;
  }

 private:
  std::map<std::pair<PointState, std::string>, u64> counts_;
};

}  // namespace

void BestPoints::add(const PointRecord& point) {
  const auto better = [](const PointRecord& a, const PointRecord& b) {
    return std::tie(a.value, a.id) < std::tie(b.value, b.id);
  };
  if (point.state != PointState::Done || most_ == 0) return;
  if (points_.size() == most_) {
    if (!better(point, points_.back())) return;
    points_.pop_back();
  }
  points_.insert(std::ranges::upper_bound(points_, point, better), point);
}

ParetoFront::Costs ParetoFront::costs(const PointRecord& point) const {
  return {point.energy_pj, delay(ranking_, point), ranking_.area ? point.area_um2 : 0};
}

void ParetoFront::add(const PointRecord& point) {
  if (point.state != PointState::Done) return;
  const Costs own = costs(point);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!covers(costs(members_[i]), own)) continue;
    if (costs(members_[i]) == own && point.id < members_[i].id) members_[i] = point;
    // What beats one point often beats the next.
    std::swap(members_[i], members_[i / 2]);
    return;
  }
  std::erase_if(members_, [&](const PointRecord& member) { return covers(own, costs(member)); });
  members_.push_back(point);
}

std::vector<PointRecord> ParetoFront::points() const {
  std::vector<PointRecord> out = members_;
  std::ranges::sort(out, [&](const PointRecord& a, const PointRecord& b) { return costs(a) < costs(b); });
  return out;
}

void Sensitivity::add(const PointRecord& point) {
  if (point.state != PointState::Done) return;
  if (parameters_.size() < point.values.size()) parameters_.resize(point.values.size());
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    auto& [sums, place] = parameters_[i];
    const auto [found, is_new] = place.try_emplace(point.values[i], sums.size());
    if (is_new) sums.push_back({{.value = point.values[i], .best = point.value, .best_point = point.id}});
    Sum& sum = sums[found->second];
    ++sum.effect.points;
    sum.logarithms += std::log(point.value);
    if (std::tie(point.value, point.id) < std::tie(sum.effect.best, sum.effect.best_point)) {
      sum.effect.best = point.value;
      sum.effect.best_point = point.id;
    }
  }
}

std::vector<std::vector<ParameterEffect>> Sensitivity::effects() const {
  std::vector<std::vector<ParameterEffect>> out;
  for (const Parameter& parameter : parameters_) {
    out.emplace_back();
    for (const Sum& sum : parameter.sums) {
      out.back().push_back(sum.effect);
      out.back().back().mean = std::exp(sum.logarithms / static_cast<double>(sum.effect.points));
    }
  }
  return out;
}

u64 SweepSummary::points() const {
  u64 sum = 0;
  for (const u64 count : by_state) sum += count;
  return sum;
}

Result<SweepSummary> summarize(const Store& store, std::size_t best) {
  SweepSummary out;
  BestPoints best_points(best);
  ParetoFront front(ranking_of(store.sweep()));
  Sensitivity sensitivity;
  Reasons reasons;
  Diagnostics errors = store.visit_points([&](const PointRecord& point) {
    ++out.by_state[at(point.state)];
    best_points.add(point);
    front.add(point);
    sensitivity.add(point);
    reasons.add(point);
    return true;
  });
  if (!errors.empty()) return errors;
  out.best = best_points.points();
  out.front = front.points();
  out.effects = sensitivity.effects();
  out.reasons = reasons.counts();
  return out;
}

}  // namespace heliolite
