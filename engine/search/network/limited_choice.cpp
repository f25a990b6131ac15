// The best mappings of a network's layers within limits, with their proof (docs/rules/network.md, "Between the
// corners"): a choice of one item of each list under constraints on the sums, a multiple-choice knapsack.
#include "engine/base/mapped.h"
#include "engine/search/network/trade_off.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

// Sums of doubles are not exact: what is this close to a limit of a search counts as inside.
constexpr double kSlack = 1e-9;
// A gap this narrow is none.
constexpr double kClosed = 1 + 1e-12;
// Sums that are held after a layer; with more the search for the best choice is given up.
constexpr std::size_t kMostSums = 100'000;
// Items of all layers up to which listed ones are exchanged, which takes the square of that: some tenths of a second.
constexpr std::size_t kMostExchanged = 4'000;
// The first lists go up to this part of the gap, each next one twice as far.
constexpr double kFirstPart = 1.0 / 32;

double pj_of(const Cost& c) { return c.energy.picojoules(); }
double cycles_of(const Cost& c) { return static_cast<double>(c.cycles); }

// Where sums lie that are better than a value: at least and at most this energy (pJ) and these cycles.
struct ChoiceRegion {
  double least_pj = 0, least_cycles = 0, most_pj = kNever, most_cycles = kNever;
};

// The largest energy or cycles with which an objective is below a value, the other one being what it is.
double most_energy(Objective objective, double value, double cycles) {
  return info(objective).energy_power == 0 ? kNever : value / objective_number(objective, 1, cycles);
}
double most_cycles(Objective objective, double value, double pj) {
  const int power = info(objective).cycles_power;
  return power == 0 ? kNever : std::pow(value / objective_number(objective, pj, 1), 1.0 / power);
}

// The largest x up to `most` for which `empty` holds, which holds up to some x: from below.
template <class Empty>
double last_empty(double least, double most, Empty&& empty) {
  if (!empty(least)) return 0;
  for (int k = 0; k < 60 && most - least > 1e-9 * most; ++k) {
    const double middle = least + (most - least) / 2;
    (empty(middle) ? least : most) = middle;
  }
  return least;
}

class ChoiceSearch {
 public:
  ChoiceSearch(const LimitedQuestion& question, const ListMappings& list)
      : q_(question), ask_(list), items_(question.corners), gate_(question.rules, out_.rules) {}

  LimitedChoice run() {
    // Step 1. The best choice of corners, and what no choice is below.
    const std::optional<LimitedPoint> least = least_within(q_.curve, q_.objective, q_.limits);
    out_.lower_bound = least ? least->value : kNever;
    exchange(q_.choices);
    // Step 2. Lists up to a part of the gap, until all of it is listed.
    double part = kFirstPart;
    while (q_.certain && least && out_.value > out_.lower_bound * kClosed && !stopped()) {
      if (!measure_gap()) break;
      const bool all = part >= 1;
      const double gap = gap_;
      const bool listed = list(std::min(part, 1.0) * gap);
      // Step 3. The best choice of what is listed.
      if (items_of_all_layers() <= kMostExchanged) exchange({choice_});
      if (!listed || !choose()) break;
      if (all || (measure_gap() && gap_ <= part * gap)) {
        out_.complete = true;
        out_.lower_bound = std::max(out_.lower_bound, relaxed_);
        break;
      }
      part = std::min(1.0, 2 * part * gap / gap_);
    }
    return conclude();
  }

 private:
  bool stopped() const { return q_.stop && q_.stop(); }

  // The layers' items as sums over their runs.
  std::vector<std::vector<LimitedPoint>> points() const {
    std::vector<std::vector<LimitedPoint>> out(q_.layers.size());
    for (std::size_t l = 0; l < out.size(); ++l)
      for (const KnownMapping& m : items_[q_.layers[l].shape])
        out[l].push_back({q_.layers[l].runs * pj_of(m.cost), q_.layers[l].runs * cycles_of(m.cost)});
    return out;
  }

  std::size_t items_of_all_layers() const {
    return sum_of<std::size_t>(q_.layers, [&](const LimitedLayer& layer) { return items_[layer.shape].size(); });
  }

  void exchange(const std::vector<CornerChoice>& from) {
    if (from.empty() || from.front().empty()) return;
    const auto layers = points();
    if (const auto choice = choose_within(layers, from, q_.objective, q_.limits)) take(layers, *choice);
  }

  void take(const std::vector<std::vector<LimitedPoint>>& layers, const CornerChoice& choice) {
    double pj = 0, cycles = 0;
    for (std::size_t l = 0; l < choice.size(); ++l)
      pj += layers[l][choice[l]].energy_pj, cycles += layers[l][choice[l]].cycles;
    if (!q_.limits.meets(pj, cycles)) return;
    const double value = objective_number(q_.objective, pj, cycles);
    if (value < out_.value || choice_.empty()) out_.value = value, choice_ = choice;
  }

  // Choices are looked for below this value: that of the best so far, or what the limits allow at most.
  double target() const {
    if (out_.value < kNever) return out_.value * (1 + kSlack);
    const double cycles = q_.limits.cycles, pj = std::min(q_.limits.energy_pj, q_.limits.pj_per_cycle * cycles);
    const bool of_pj = info(q_.objective).energy_power != 0, of_cycles = info(q_.objective).cycles_power != 0;
    if ((of_pj && std::isinf(pj)) || (of_cycles && std::isinf(cycles))) return kNever;
    return objective_number(q_.objective, pj, cycles) * (1 + kSlack);
  }

  ChoiceRegion region() const {
    const CostLimits& limits = q_.limits;
    const double fast = q_.curve.front().cycles, cheap = q_.curve.back().energy_pj;
    ChoiceRegion out{cheap, fast, limits.energy_pj * CostLimits::kSame, limits.cycles * CostLimits::kSame};
    if (std::isinf(value_)) return out;
    const auto nothing_within = [&](double pj, double cycles) {
      CostLimits tighter = limits;
      tighter.energy_pj = std::min(pj, limits.energy_pj), tighter.cycles = std::min(cycles, limits.cycles);
      const auto least = least_within(q_.curve, q_.objective, tighter);
      return !least || least->value >= value_;
    };
    out.least_cycles =
        std::max(fast, last_empty(fast, q_.curve.back().cycles, [&](double x) { return nothing_within(kNever, x); }));
    out.least_pj = std::max(
        cheap, last_empty(cheap, q_.curve.front().energy_pj, [&](double x) { return nothing_within(x, kNever); }));
    out.most_cycles = std::min(out.most_cycles, most_cycles(q_.objective, value_, out.least_pj));
    out.most_pj = std::min({out.most_pj, most_energy(q_.objective, value_, out.least_cycles),
                            limits.pj_per_cycle * CostLimits::kSame * out.most_cycles});
    return out;
  }

  // The most of energy + lambda x cycles in the region: along its upper side energy falls convexly, or is at its most.
  double most_sum(const ChoiceRegion& r, double lambda) const {
    double out = 0;
    const auto at = [&](double cycles) {
      if (cycles < r.least_cycles || cycles > r.most_cycles) return;
      out = std::max(out, std::min(r.most_pj, most_energy(q_.objective, value_, cycles)) + lambda * cycles);
    };
    at(r.least_cycles), at(r.most_cycles);
    if (info(q_.objective).degree() > 1) at(most_cycles(q_.objective, value_, r.most_pj));
    return out;
  }

  double least_of(std::size_t shape, double lambda) const {
    double least = kNever;
    for (const KnownMapping& m : q_.corners[shape]) least = std::min(least, pj_of(m.cost) + lambda * cycles_of(m.cost));
    return least;
  }

  // The line of the curve over which the gap is narrowest: lambda_, and how far above it better choices are at most.
  // False: they may be any distance above.
  bool measure_gap() {
    value_ = target();
    region_ = region();
    if (std::isinf(region_.most_cycles) || std::isinf(region_.most_pj)) return false;
    double narrowest = kNever;
    std::vector<double> lambdas{lambda_};
    for (std::size_t k = 0; k + 1 < q_.curve.size() && !on_a_line_; ++k)
      lambdas.push_back((q_.curve[k].energy_pj - q_.curve[k + 1].energy_pj) /
                        (q_.curve[k + 1].cycles - q_.curve[k].cycles));
    for (const double lambda : lambdas) {
      double least = 0;
      for (const LimitedLayer& layer : q_.layers) least += layer.runs * least_of(layer.shape, lambda);
      const double most = most_sum(region_, lambda);
      const double gap = most * kClosed - least;
      if (gap < narrowest) narrowest = gap, lambda_ = lambda;
    }
    gap_ = std::max(narrowest, 0.0);
    on_a_line_ = true;
    return true;
  }

  // Lists what lies at most `above` over the line, all runs of a layer together. False: some list is not complete.
  bool list(double above) {
    const std::size_t shapes = items_.size();
    std::vector<ListQuestion> asked(shapes);
    double least_pj = 0, least_cycles = 0;
    for (const LimitedLayer& layer : q_.layers) {
      least_pj += layer.runs * pj_of(q_.corners[layer.shape].back().cost);
      least_cycles += layer.runs * cycles_of(q_.corners[layer.shape].front().cost);
    }
    for (const LimitedLayer& layer : q_.layers) {
      const std::vector<KnownMapping>& corners = q_.corners[layer.shape];
      ListQuestion& a = asked[layer.shape];
      a.shape = layer.shape;
      a.lambda = lambda_ * Energy::kUnitsPerPicojoule;
      a.below_pj = std::max(a.below_pj, (least_of(layer.shape, lambda_) + above / layer.runs) * kClosed);
      a.most_pj = std::max(a.most_pj, (region_.most_pj - least_pj) / layer.runs + pj_of(corners.back().cost));
      a.most_cycles =
          std::max(a.most_cycles, (region_.most_cycles - least_cycles) / layer.runs + cycles_of(corners.front().cost));
    }
    std::vector<ListAnswer> answers(shapes);
    parallel_for(shapes, q_.threads, [&](std::size_t s) {
      if (!stopped() && asked[s].below_pj > 0) answers[s] = ask_(asked[s]);
    });
    bool complete = true;
    for (std::size_t s = 0; s < shapes; ++s) {
      if (asked[s].below_pj == 0) continue;
      ++out_.lists;
      complete &= answers[s].complete;
      add(s, answers[s].mappings);
    }
    return complete;
  }

  // New items come behind those that choices know by number.
  void add(std::size_t shape, const std::vector<KnownMapping>& mappings) {
    std::vector<KnownMapping>& items = items_[shape];
    for (const KnownMapping& m : mappings)
      if (std::ranges::find(items, m.cost, &KnownMapping::cost) == items.end()) items.push_back(m);
  }

  // A sum of the first layers' items.
  struct Sum {
    double pj = 0, cycles = 0, above = 0;  // over the line
    u32 before = 0, item = 0;              // index of the sum without the last layer; the item that was added
  };

  // The best choice of all items, and the least value that sums have when they may take longer to keep to the limit of
  // power. False: given up.
  bool choose() {
    const auto layers = points();
    std::vector<LimitedPoint> rest(layers.size() + 1);  // the least energy and cycles of the layers from here on
    for (std::size_t l = layers.size(); l-- > 0;) {
      rest[l] = rest[l + 1];
      rest[l].energy_pj += std::ranges::min_element(layers[l], {}, &LimitedPoint::energy_pj)->energy_pj;
      rest[l].cycles += std::ranges::min_element(layers[l], {}, &LimitedPoint::cycles)->cycles;
    }
    measure_gap();
    std::vector<std::vector<Sum>> stages{{{}}};
    for (std::size_t l = 0; l < layers.size(); ++l) {
      std::vector<Sum> next;
      const double line = q_.layers[l].runs * least_of(q_.layers[l].shape, lambda_);
      for (u32 k = 0; k < stages[l].size(); ++k) {
        if (next.size() > 2 * kMostSums) keep_lowest(next);
        if (next.size() > 2 * kMostSums || stopped()) return false;
        for (u32 i = 0; i < layers[l].size(); ++i) {
          const LimitedPoint& p = layers[l][i];
          Sum s = stages[l][k];
          s.pj += p.energy_pj, s.cycles += p.cycles, s.above += p.energy_pj + lambda_ * p.cycles - line;
          s.before = k, s.item = i;
          if (s.pj + rest[l + 1].energy_pj > region_.most_pj || s.cycles + rest[l + 1].cycles > region_.most_cycles)
            continue;
          if (gate_.prunes(Rule::ReducedCost, [&] { return s.above > gap_; })) continue;
          next.push_back(s);
        }
      }
      keep_lowest(next);
      if (next.size() > kMostSums) return false;
      stages.push_back(std::move(next));
    }
    take_best(layers, stages);
    return true;
  }

  // Without those that another one is nowhere above.
  static void keep_lowest(std::vector<Sum>& sums) {
    std::ranges::sort(sums, {}, [](const Sum& s) { return std::tuple(s.cycles, s.pj, s.before, s.item); });
    double least = kNever;
    std::erase_if(sums, [&](const Sum& s) {
      if (s.pj >= least) return true;
      least = s.pj;
      return false;
    });
  }

  void take_best(const std::vector<std::vector<LimitedPoint>>& layers, const std::vector<std::vector<Sum>>& stages) {
    relaxed_ = out_.value;
    for (const Sum& end : stages.back()) {
      const double cycles = std::max(end.cycles, end.pj / (q_.limits.pj_per_cycle * CostLimits::kSame));
      if (cycles <= q_.limits.cycles * CostLimits::kSame && end.pj <= q_.limits.energy_pj * CostLimits::kSame)
        relaxed_ = std::min(relaxed_, objective_number(q_.objective, end.pj, cycles) * (2 - kClosed));
      if (!q_.limits.meets(end.pj, end.cycles) || objective_number(q_.objective, end.pj, end.cycles) >= out_.value)
        continue;
      CornerChoice choice(layers.size());
      Sum at = end;
      for (std::size_t l = layers.size(); l-- > 0; at = stages[l][at.before]) choice[l] = at.item;
      take(layers, choice);
    }
  }

  LimitedChoice conclude() {
    if (out_.value <= out_.lower_bound * kClosed * kClosed) out_.lower_bound = out_.value;
    for (std::size_t l = 0; l < choice_.size(); ++l) out_.layers.push_back(items_[q_.layers[l].shape][choice_[l]]);
    return std::move(out_);
  }

  const LimitedQuestion& q_;
  const ListMappings& ask_;
  std::vector<std::vector<KnownMapping>> items_;  // [shape]: that are known
  CornerChoice choice_;                           // [layer]: the best so far
  ChoiceRegion region_;
  double value_ = kNever;    // below which choices are looked for
  bool on_a_line_ = false;   // lambda_ has been chosen, and stays
  double lambda_ = 0;        // pJ a cycle
  double gap_ = 0;           // how far above the line they are at most, in pJ
  double relaxed_ = kNever;  // no choice of what is listed is below
  LimitedChoice out_;
  Gate gate_;
};

}  // namespace

LimitedChoice find_limited_choice(const LimitedQuestion& question, const ListMappings& list) {
  return ChoiceSearch(question, list).run();
}

}  // namespace heliolite
