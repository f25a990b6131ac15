#include "engine/sweep/explore.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/text.h"

namespace heliolite {

namespace {

using Plane = std::vector<std::array<double, 2>>;

// The points of the first two costs that no other one dominates and that are below the reference, by the first cost.
Plane front_of(std::span<const FrontCosts> points, const FrontCosts& reference, double most_third, bool is_flat) {
  Plane all, out;
  for (const FrontCosts& p : points)
    if ((is_flat || p[2] <= most_third) && p[0] < reference[0] && p[1] < reference[1]) all.push_back({p[0], p[1]});
  std::ranges::sort(all);
  for (const auto& p : all)
    if (out.empty() || p[1] < out.back()[1]) out.push_back(p);
  return out;
}

constexpr std::string_view kMark = "explored ";
constexpr u64 kLeastFirst = 8;
constexpr int kStarts = 3, kAscent = 40;  // ascents of the likelihood, evaluations in each
constexpr double kRefits = 1.25;          // parameters are fitted again once the points have grown by this factor
constexpr int kRefine = 6;                // points of much expected improvement that climb
constexpr std::size_t kNear = 8;          // good points whose neighbours are looked at
constexpr std::size_t kMostSamples = 400;
constexpr u64 kPatience = 10'000;  // points of the sequence in a row that are taken or not admitted
constexpr double kMargin = 0.1;    // of the range of costs, between the worst and the reference

// The number of points at which the parameters were fitted that hold with `count` of them.
u64 fitted_at(u64 first, u64 count) {
  u64 at = first;
  for (u64 next = at; next <= count; next = static_cast<u64>(static_cast<double>(next) * kRefits) + 1) at = next;
  return std::min(at, count);
}

}  // namespace

double expected_hypervolume_improvement(const Prediction& first, const Prediction& second, double third,
                                        std::span<const FrontCosts> points, const FrontCosts& reference, bool is_flat) {
  const auto area = [&](const Plane& front) {
    // Strip k lies between the k-th point and the next one; what is not dominated there is below the k-th one.
    double sum = 0, until_here = 0;
    for (std::size_t k = 0; k <= front.size(); ++k) {
      const double until_next = expected_improvement(first, k < front.size() ? front[k][0] : reference[0]);
      sum += (until_next - until_here) * expected_improvement(second, k > 0 ? front[k - 1][1] : reference[1]);
      until_here = until_next;
    }
    return sum;
  };
  if (is_flat) return area(front_of(points, reference, 0, true));
  std::vector<double> ends{third, reference[2]};
  for (const FrontCosts& p : points)
    if (p[2] > third && p[2] < reference[2]) ends.push_back(p[2]);
  std::ranges::sort(ends);
  double sum = 0;
  for (std::size_t k = 0; k + 1 < ends.size(); ++k)
    if (ends[k + 1] > ends[k] && ends[k] >= third)
      sum += (ends[k + 1] - ends[k]) * area(front_of(points, reference, ends[k], false));
  return sum;
}

std::string explored_mark(u64 number) { return fmt::format("{}{}", kMark, number); }

std::optional<u64> explored_number(const PointRecord& point) {
  const std::size_t at = point.reason.rfind(kMark);
  if (at == std::string::npos) return std::nullopt;
  std::string digits = point.reason.substr(at + kMark.size());
  if (digits.ends_with(')')) digits.pop_back();
  return parse_number<u64>(digits);
}

Explorer::Explorer(const SweepSpec& spec, const DesignPoints& points, std::function<bool()> is_over)
    : spec_(spec),
      points_(points),
      ranking_(ranking_of(spec)),
      is_over_(std::move(is_over)),
      first_(spec.explore.first.value_or(std::max<u64>(kLeastFirst, 2 * spec.parameters.size()))) {
  for (const SweepParameter& parameter : spec.parameters) {
    const std::vector<ParameterValue>& values = parameter.values;
    std::vector<std::size_t> order(values.size()), rank(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto number = [&](std::size_t k) { return values[k].number.value_or(0); };
    std::ranges::stable_sort(order, {}, number);
    bool numbered = std::ranges::all_of(values, [](const ParameterValue& v) { return v.number.has_value(); });
    for (std::size_t k = 0; k + 1 < order.size() && numbered; ++k) numbered = number(order[k]) < number(order[k + 1]);
    if (!numbered) std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
    order_.push_back(std::move(order)), rank_.push_back(std::move(rank)), numbered_.push_back(numbered);
  }
}

std::vector<bool> Explorer::categorical() const {
  std::vector<bool> out;
  for (const bool numbered : numbered_) out.push_back(!numbered);
  return out;
}

// The point of the grid in whose part of the unit cube a place lies.
u64 Explorer::id_of(std::span<const double> place) const {
  u64 id = 0;
  for (std::size_t p = 0; p < order_.size(); ++p) {
    const std::size_t n = order_[p].size();
    const auto part = std::min(n - 1, static_cast<std::size_t>(place[p] * static_cast<double>(n)));
    id = id * n + order_[p][part];
  }
  return id;
}

std::vector<double> Explorer::place_of(u64 id) const {
  const std::vector<std::size_t> chosen = points_.choice(id);
  std::vector<double> out;
  for (std::size_t p = 0; p < chosen.size(); ++p)
    out.push_back((static_cast<double>(rank_[p][chosen[p]]) + 0.5) / static_cast<double>(order_[p].size()));
  return out;
}

// For the process: values by their order, from 0 to 1; categories by their numbers.
std::vector<double> Explorer::coordinates(u64 id) const {
  const std::vector<std::size_t> chosen = points_.choice(id);
  std::vector<double> out;
  for (std::size_t p = 0; p < chosen.size(); ++p) {
    const auto rank = static_cast<double>(rank_[p][chosen[p]]);
    out.push_back(numbered_[p] ? rank / static_cast<double>(std::max<std::size_t>(1, order_[p].size() - 1)) : rank);
  }
  return out;
}

// None: the point is not to be evaluated.
std::optional<double> Explorer::log_area(u64 id) {
  const auto known = admitted_.find(id);
  if (known != admitted_.end()) return known->second;
  const DesignPoint point = points_.make(id);
  std::optional<double> area;
  if (point.machine) area = std::log(std::max(point.machine->area_um2(), 1.0));
  return admitted_[id] = area;
}

// A point without costs counts as the worst of each.
std::vector<Explorer::Sample> Explorer::samples(const std::vector<PointRecord>& evaluated) const {
  std::vector<Sample> out;
  FrontCosts worst;
  worst.fill(-std::numeric_limits<double>::infinity());
  for (const PointRecord& point : evaluated) {
    Sample& sample = out.emplace_back();
    sample.x = coordinates(point.id);
    if (point.state != PointState::Done) continue;
    const auto log = [](double x) { return std::log(std::max(x, 1e-300)); };
    if (is_front())
      sample.costs = {log(point.energy_pj), log(delay(ranking_, point)), log(std::max(point.area_um2, 1.0))};
    else sample.costs = {log(point.value), 0, 0};
    for (std::size_t c = 0; c < worst.size(); ++c) worst[c] = std::max(worst[c], sample.costs[c]);
  }
  for (std::size_t k = 0; k < out.size(); ++k)
    if (evaluated[k].state != PointState::Done)
      for (std::size_t c = 0; c < worst.size(); ++c) out[k].costs[c] = std::isinf(worst[c]) ? 0 : worst[c];
  return out;
}

std::vector<std::size_t> Explorer::best_first(const std::vector<Sample>& all, std::size_t count) const {
  std::vector<std::size_t> out(count);
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::stable_sort(out, {}, [&](std::size_t k) {
    const FrontCosts& costs = all[k].costs;
    return costs[0] + costs[1] + (ranking_.area ? costs[2] : 0);
  });
  return out;
}

// Standardised logarithms of a cost; of many points those of the best and of the latest half.
std::vector<Observation> Explorer::observations(std::size_t cost, const std::vector<Sample>& all, Learned& out) const {
  const std::vector<std::size_t> rank = best_first(all, all.size());
  std::vector<bool> kept(all.size(), all.size() <= kMostSamples);
  for (std::size_t k = 0; k < all.size() && all.size() > kMostSamples; ++k)
    if (k < kMostSamples / 2 || rank[k] + kMostSamples / 2 >= all.size()) kept[rank[k]] = true;
  std::vector<Observation> seen;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (kept[k]) seen.push_back({.x = all[k].x, .y = all[k].costs[cost]});
  const auto n = static_cast<double>(seen.size());
  double sum = 0, squares = 0;
  for (const Observation& o : seen) sum += o.y;
  out.mean = sum / n;
  for (const Observation& o : seen) squares += (o.y - out.mean) * (o.y - out.mean);
  out.deviation = std::max(std::sqrt(squares / n), 1e-9);
  for (Observation& o : seen) o.y = (o.y - out.mean) / out.deviation;
  return seen;
}

// Parameters are those of the first points, whose number rarely grows; all points count under them.
Explorer::Learned Explorer::learned(std::size_t cost, const std::vector<PointRecord>& evaluated,
                                    const std::vector<Sample>& all) {
  Learned out;
  const u64 fitted = fitted_at(first_, evaluated.size());
  const auto key = std::pair(fitted, cost);
  out.process = std::make_unique<GaussianProcess>(categorical());
  if (!fits_.contains(key)) {
    const auto end = evaluated.begin() + fitted;
    out.process->fit(observations(cost, samples({evaluated.begin(), end}), out), kStarts, kAscent, is_over_);
    if (is_over_()) return out;
    fits_[key] = out.process->parameters();
  }
  std::vector<Observation> seen = observations(cost, all, out);
  out.process->condition(std::move(seen), fits_.at(key));
  return out;
}

std::optional<u64> Explorer::any() {
  const Permutation order(points_.grid(), spec_.options.seed);
  for (u64 k = 0; k < points_.grid() && !is_over_(); ++k)
    if (const u64 id = order(k); !taken_.contains(id) && log_area(id)) return id;
  return std::nullopt;
}

// The first point of the sequence that is free.
std::optional<u64> Explorer::by_sequence(u64 number) {
  SobolSequence sequence(order_.size(), spec_.options.seed);
  for (u64 k = 0; k < number + kPatience && !is_over_(); ++k)
    if (const u64 id = id_of(sequence.next()); !taken_.contains(id) && log_area(id)) return id;
  return any();
}

// Step 1. What is learned of each cost. Step 2. What counts as known of the front, or the least value. Step 3. The free
// point of which most is expected. What is expected of it then counts as known, where several are chosen together
// (the "kriging believer" of Ginsbourger, Le Riche, Carraro 2010).
std::optional<u64> Explorer::by_expectation(const std::vector<PointRecord>& evaluated, std::vector<Sample>& known) {
  std::vector<Learned> cost;
  for (std::size_t c = 0; c < costs_learned() && !is_over_(); ++c) cost.push_back(learned(c, evaluated, known));
  if (is_over_()) return std::nullopt;
  const auto predicted = [&](std::size_t c, u64 id) {
    const Prediction p = cost[c].process->predict(coordinates(id));
    return Prediction{p.mean * cost[c].deviation + cost[c].mean, p.deviation * cost[c].deviation};
  };
  std::vector<FrontCosts> points;
  FrontCosts least = known.front().costs, reference = least;
  for (const Sample& sample : known) {
    points.push_back(sample.costs);
    for (std::size_t c = 0; c < least.size(); ++c) {
      least[c] = std::min(least[c], sample.costs[c]);
      reference[c] = std::max(reference[c], sample.costs[c]);
    }
  }
  for (std::size_t c = 0; c < least.size(); ++c) reference[c] += kMargin * (reference[c] - least[c]) + 1e-9;
  std::map<u64, double> scores;
  const auto score = [&](std::span<const double> place) {
    const u64 id = id_of(place);
    const auto [entry, is_new] = scores.try_emplace(id, -1);
    if (!is_new || is_over_() || taken_.contains(id)) return entry->second;
    const std::optional<double> area = log_area(id);
    if (!area) return entry->second;
    return entry->second = is_front() ? expected_hypervolume_improvement(predicted(0, id), predicted(1, id), *area,
                                                                         points, reference, !ranking_.area)
                                      : expected_improvement(predicted(0, id), least[0]);
  };
  const std::vector<std::size_t> rank = best_first(known, evaluated.size());
  std::vector<std::vector<double>> near;
  for (std::size_t k = 0; k < std::min(kNear, rank.size()); ++k) near.push_back(place_of(evaluated[rank[k]].id));
  SobolSequence sequence(order_.size() + 2, spec_.options.seed + 1 + known.size());
  std::optional<u64> chosen;
  for (const ScoredPoint& candidate : maximise(score, sequence, near, kRefine))
    if (const u64 id = id_of(candidate.point); !chosen && candidate.score >= 0 && !taken_.contains(id)) chosen = id;
  if (is_over_()) return std::nullopt;
  if (!chosen) chosen = any();
  if (!chosen) return std::nullopt;
  Sample believed;
  believed.x = coordinates(*chosen);
  for (std::size_t c = 0; c < costs_learned(); ++c) believed.costs[c] = predicted(c, *chosen).mean;
  if (is_front()) believed.costs[2] = *log_area(*chosen);
  known.push_back(std::move(believed));
  return chosen;
}

std::vector<u64> Explorer::choose(const std::vector<PointRecord>& evaluated) {
  taken_.clear();
  for (const PointRecord& point : evaluated) taken_.insert(point.id);
  std::vector<Sample> known = samples(evaluated);
  std::vector<u64> out;
  const u64 wanted = together(evaluated.size());
  while (out.size() < wanted && !is_over_()) {
    const u64 number = evaluated.size() + out.size();
    const std::optional<u64> id = number < first_ ? by_sequence(number) : by_expectation(evaluated, known);
    if (!id) break;
    taken_.insert(*id);
    out.push_back(*id);
  }
  return out;
}

}  // namespace heliolite
