#include "engine/sweep/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "engine/base/mapped.h"

namespace heliolite {
namespace {

// Energy, delay and, if it counts, area.
using FrontGoods = std::array<double, 3>;

FrontGoods front_goods(const Ranking& ranking, double energy_pj, double cycles, const PointRecord& point) {
  return {energy_pj, delay(ranking, cycles, point.cycle_ns), ranking.area ? point.area_um2 : 0};
}

FrontGoods front_goods(const Ranking& ranking, const PointRecord& point) {
  return front_goods(ranking, point.energy_pj, point.cycles, point);
}

// At most as expensive in each respect.
bool covers(const FrontGoods& a, const FrontGoods& b) { return a[0] <= b[0] && a[1] <= b[1] && a[2] <= b[2]; }

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

void ParetoFront::add(const PointRecord& point) {
  if (point.state != PointState::Done) return;
  const auto costs = [this](const PointRecord& one) { return front_goods(ranking_, one); };
  const FrontGoods own = costs(point);
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
  std::ranges::sort(out, {}, [this](const PointRecord& point) { return front_goods(ranking_, point); });
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

u64 SweepSummary::points() const { return sum_of<u64>(by_state); }

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

namespace {

// Ends the reason of a dominated point: no search of all its mappings was needed.
constexpr std::string_view kNotSearched = ", whatever its mappings";

bool says(const PointRecord& point, std::string_view word) { return point.reason.starts_with(word); }

}  // namespace

bool certifies_front(const SweepSpec& spec) {
  return spec.goal == SweepGoal::Front && spec.options.strategy == Strategy::Exact;
}

bool certifies_front(const SweepRecord& sweep) {
  return sweep.goal == name(SweepGoal::Front) && sweep.strategy == name(Strategy::Exact);
}

SweepSpec fast_pass_of(const SweepSpec& spec) {
  SweepSpec out = spec;
  if (out.options.tiles == Tiles::Even) out.options.strategy = Strategy::Sunstone;
  return out;
}

std::string open_reason(const PointRecord& point, const std::vector<LayerRecord>& layers,
                        const SearchOptions& options) {
  if (options.strategy != Strategy::Exact) return fmt::format("{}: not searched by exact yet", kOpenPoint);
  if (options.network)
    return point.lower_bound < point.value ? fmt::format("{}: the network's optimum is not proven", kOpenPoint) : "";
  for (const LayerRecord& layer : layers)
    if (layer.status != name(Status::Optimal))
      return fmt::format("{}: {} is not proven: {}", kOpenPoint, layer.name, layer.reason);
  return "";
}

std::string front_status(const PointRecord& point, const SweepRecord& sweep) {
  if (sweep.goal == name(SweepGoal::Best) && says(point, kBestPoint)) return std::string(kBestPoint);
  if (!certifies_front(sweep)) return "";
  if (point.state == PointState::Cut) return std::string(kDominatedPoint);
  if (point.state != PointState::Done) return "";
  for (const std::string_view word : {kFrontPoint, kDominatedPoint})
    if (says(point, word)) return std::string(word);
  return std::string(kOpenPoint);
}

FrontCertificate::FrontCertificate(const SweepSpec& spec) : ranking_(ranking_of(spec)), rule_(spec, {}) {}

void FrontCertificate::add(const PointRecord& point) {
  open_.erase(point.id);
  if (point.state != PointState::Done) return;
  if (says(point, kOpenPoint)) open_[point.id] = point;
  else if (says(point, kDominatedPoint) && point.reason.ends_with(kNotSearched)) dominated_[point.id] = point;
  else if (proven_.insert_or_assign(point.id, point).second) rule_.add(point);
}

std::vector<u64> FrontCertificate::open_ids() const { return keys_of(open_); }

std::vector<PointRecord> FrontCertificate::front() const {
  ParetoFront out(ranking_);
  for (const auto* points : {&open_, &proven_})
    for (const auto& [id, point] : *points) out.add(point);
  return out.points();
}

u64 FrontCertificate::candidates() const {
  u64 out = open();
  for (const PointRecord& point : front()) out += open_.contains(point.id) ? 0 : 1;
  return out;
}

std::vector<u64> FrontCertificate::most_urgent(std::size_t many) const {
  std::vector<u64> out;
  for (const PointRecord& point : front())
    if (open_.contains(point.id)) out.push_back(point.id);
  if (!out.empty()) return out;
  for (const auto& [id, point] : open_) out.push_back(id);
  std::ranges::stable_sort(out, {}, [&](u64 id) { return open_.at(id).value; });
  if (out.size() > many) out.resize(many);
  return out;
}

std::optional<std::string> FrontCertificate::excluded(const PointRecord& point, const Totals& least) const {
  const PointRecord* by = rule_.excluded_by(least, point);
  if (by == nullptr) return std::nullopt;
  return fmt::format("{} by point {}{}", kDominatedPoint, by->id, kNotSearched);
}

std::vector<PointRecord> FrontCertificate::conclusions(const std::function<Totals(u64 point)>& least) const {
  const std::vector<PointRecord> members = front();
  // What may still come below a member of the front.
  std::map<u64, FrontGoods> may_reach;
  for (const auto& [id, point] : open_) {
    const Totals bound = least(id);
    may_reach[id] = front_goods(ranking_, bound.energy_pj, bound.cycles, point);
  }
  std::vector<PointRecord> out;
  const auto conclude = [&](PointRecord point, std::string reason) {
    if (std::exchange(point.reason, std::move(reason)) != point.reason) out.push_back(std::move(point));
  };
  for (const auto& entry : proven_) {
    const PointRecord& point = entry.second;
    const u64 id = entry.first;
    const FrontGoods own = front_goods(ranking_, point);
    const auto beats = [&](const PointRecord& other) { return covers(front_goods(ranking_, other), own); };
    const auto by = std::ranges::find_if(members, beats);
    const bool on_front = by != members.end() && by->id == id;
    const auto threat = std::ranges::find_if(may_reach, [&](const auto& other) {
      return covers(other.second, own) && (other.second != own || other.first < id);
    });
    if (!on_front && by != members.end() && !open_.contains(by->id))
      conclude(point, fmt::format("{} by point {}", kDominatedPoint, by->id));
    else if (on_front && threat == may_reach.end())
      conclude(point, fmt::format("{}: no other point has less", kFrontPoint));
    else conclude(point, "");
  }
  return out;
}

}  // namespace heliolite
