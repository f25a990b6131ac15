#include "engine/search/all_tiles/any_search.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/all_tiles/partial_search.h"
#include "engine/search/all_tiles/trail.h"
#include "engine/search/certify/incumbent.h"
#include "engine/search/certify/reduced_problem.h"
#include "engine/search/core/option_kinds.h"
#include "engine/search/core/options.h"

namespace heliolite {

namespace {

constexpr u64 kRootEvaluations = 2'000;     // of step 2 for strategies that prove nothing by themselves
constexpr std::size_t kLookPoints = 1'000;  // of the tables of a short look
constexpr u64 kFirstClimb = 10'000;         // evaluations of each climb of step 1
// Shares of the time and of the evaluations that are left: what each climb gets at most, the first look at all mappings
// together, each turn of a proof, all but the last climb, and the last proof if no climb follows.
constexpr double kClimb = 0.01, kFirstLook = 0.01, kTurn = 0.05, kProof = 0.93, kProofAlone = 0.98;
constexpr double kOldStart = 0.25;  // of a climb's part, where it goes on from a start that has been climbed from
constexpr int kTurns = 2;           // of both proofs, before one goes on
// A proof goes on that has left this many times less than the other one: when only one has had a turn, and later.
constexpr double kFarAhead = 2, kAhead = 1.4;
// Where both have come equally far: how many turns, and the share of the time left that each turn gets.
constexpr int kTies = 4;
constexpr double kTie = 0.3;
// Answers this far above their bound are climbed from again: they are likely not the best. Further away each climb gets
// twice as much.
constexpr double kFar = 1.01, kVeryFar = 1.1;

LayerProblem with_sound_rules(LayerProblem problem) {
  problem.options.rules = problem.rules_of_all_tiles();
  return problem;
}

class AnySearch {
 public:
  AnySearch(const LayerProblem& problem, std::span<const LayerAnswer> starts, const SearchBudget& budget)
      : problem_(with_sound_rules(problem)),
        starts_(starts.begin(), starts.end()),
        limited_(budget.limited()),
        budget_(limited_ ? budget : budget.at_most(kAnyEvaluations)),
        incumbent_(problem.options.objective, {}) {
    starts_.emplace_back();  // climbs from nothing begin at the smallest factors
  }

  // Climbs with half of the evaluations, and the bound that the rest gives.
  LayerAnswer probe() {
    const u64 each = left().evaluations_left(0) / (2 * starts_.size());
    for (const LayerAnswer& start : starts_)
      if (start.found) climb(start, left().at_most(each));
    reduce();
    if (prepare(kLookPoints) != SearchEnd::Done) return answer();
    PartialSearch search = partial_search();
    prove(search, left());
    return answer();
  }

  LayerAnswer run() {
    for (const LayerAnswer& start : starts_) climb(start, left().part_of_time(kClimb).at_most(kFirstClimb));
    reduce();
    if (search()) return answer();
    // Roundings may hide a better mapping.
    reduced_.reset(), keeps_.reset();
    search();
    return answer();
  }

 private:
  SearchBudget left() const { return budget_.after(statistics_.evaluated); }
  SearchBudget share(double part) const { return left().part(part); }

  // What the last proof gets.
  SearchBudget last_share() const { return share(is_far(kFar) ? kProof : kProofAlone); }

  void climb(const LayerAnswer& start, const SearchBudget& budget) {
    const LayerAnswer found = climb_tiles(problem_, start, budget);
    statistics_ += found.statistics;
    if (found.found) incumbent_.offer(found.mapping, found.cost, 0);
  }

  void reduce() {
    reduced_.emplace(problem_, Factors::Any);
    statistics_.rules += reduced_->counts();
  }

  const LayerProblem& searched() const { return reduced_ ? reduced_->problem() : problem_; }
  DimensionMask batches() const { return reduced_ ? reduced_->batches() : DimensionMask{0}; }
  PartialSearch partial_search() { return PartialSearch(searched(), *keeps_, incumbent_, statistics_, batches() != 0); }

  // Both proofs, and climbs. Returns whether that is all: false if what the smaller problem leaves out must be looked
  // at.
  bool search() {
    if (const SearchEnd end = prepare(TileRanges::kMostPoints); end != SearchEnd::Done) {
      proven_.end = end;
      return true;
    }
    PartialSearch together = partial_search();
    const bool proves = problem_.options.strategy == Strategy::Exact;
    if (!proves) prove(together, left().at_most(kRootEvaluations));
    else if (!prove(together, share(kFirstLook)) && is_cut_short()) prove_either_way(together);
    // Strategies that prove nothing are fast where there is no budget, and climb with what is left of one.
    const bool climbs = proves || limited_;
    if (climbs && !proven_.complete && is_cut_short() && is_far(kFar)) climb(LayerAnswer(incumbent_.answer()), left());
    return proven_.complete || !is_over();
  }

  // What keeps the proofs from beginning: too many keep choices, or the time; Done: nothing.
  SearchEnd prepare(std::size_t most_points) {
    if (!left().over())
      keeps_ = std::make_unique<KeepSpaces>(searched(), incumbent_, statistics_.rules, most_points, batches(), left());
    if (!keeps_ || !keeps_->whole()) return left().stopped() ? SearchEnd::Stopped : SearchEnd::Time;
    return keeps_->choices() > 0 ? SearchEnd::Done : SearchEnd::Keeps;
  }

  // Whether the answer is the optimum of what has been searched.
  bool is_over() const { return proven_.end == SearchEnd::Done; }
  bool is_cut_short() const { return proven_.end == SearchEnd::Evaluations || proven_.end == SearchEnd::Time; }

  // Divides the mappings by their unrollings, too; climbs on if the answer is still far from its bound; goes on with
  // both searches in turns, then with what has come further.
  void prove_either_way(PartialSearch& together) {
    std::unique_ptr<PartialSearch> divided = divide();
    if (divided && prove(*divided, share(kTurn), together.bytes())) return;
    const Value before = best();
    climb_on();
    if (!divided && best() < before) divided = divide();  // a better answer leaves fewer unrollings
    const bool goes_on = divided && divided_goes_on(together, *divided);
    for (int turn = 0; turn < kTies && divided && divided->lower_bound() == together.lower_bound(); ++turn) {
      const auto [next, other] =
          turn % 2 == 0 ? std::pair(divided.get(), &together) : std::pair(&together, divided.get());
      if (is_over() || prove(*next, share(kTie), other->bytes())) return;
    }
    if (is_over()) return;
    if (goes_on && (prove(*divided, last_share(), together.bytes()) || proven_.end != SearchEnd::Memory)) return;
    divided.reset();
    prove(together, last_share());
  }

  // Both in turns, until one has much less left than the other. Returns whether it is the divided one that is to go on:
  // else by what their bounds are likely to become.
  bool divided_goes_on(PartialSearch& together, PartialSearch& divided) {
    double far = kFarAhead;  // the divided one has had a turn
    for (int turn = 0; turn < 2 * kTurns; ++turn) {
      if (is_ahead(together, divided, std::exchange(far, kAhead)))
        return divided.lower_bound() >= together.lower_bound();
      PartialSearch& next = turn % 2 == 0 ? together : divided;
      PartialSearch& other = turn % 2 == 0 ? divided : together;
      if (prove(next, share(kTurn), other.bytes())) return true;
    }
    return divided.forecast() >= together.forecast();
  }

  // None if there are too many unrollings, or the budget is over.
  std::unique_ptr<PartialSearch> divide() {
    auto divided = std::make_unique<PartialSearch>(searched(), *keeps_, incumbent_, statistics_, batches() != 0);
    if (!divided->divide(left())) divided.reset();
    return divided;
  }

  // Whether one of two proofs has left `times` less than the other one.
  bool is_ahead(const PartialSearch& a, const PartialSearch& b, double times) const {
    if (!incumbent_.found()) return false;
    const auto [less, more] = std::minmax({value() - a.lower_bound(), value() - b.lower_bound()});
    return times * less < more;
  }

  const Value& best() const { return incumbent_.answer().value; }
  double value() const { return objective_number(problem_.options.objective, incumbent_.answer().cost); }
  // Whether the answer is more than `times` its bound.
  bool is_far(double times) const { return incumbent_.found() && value() > times * proven_.lower_bound.value_or(0); }

  void climb_on() {
    bool first = true;
    for (Value before = Value::worst(); is_far(kFar) && best() < before;) {
      before = best();
      const double part = is_far(kVeryFar) ? 2 * kClimb : kClimb;
      if (std::exchange(first, false))
        for (const LayerAnswer& start : starts_) climb(start, share(kOldStart * part));
      climb(LayerAnswer(incumbent_.answer()), share(part));
    }
  }

  // Goes on with the search, while others hold `held` bytes. Returns whether it is over.
  bool prove(PartialSearch& search, const SearchBudget& budget, u64 held = 0) {
    proven_.end = search.run(budget, held);
    double least = search.lower_bound();
    // What the other search has found meanwhile may be below all that is left of this one.
    if (incumbent_.found() && !search.reduction_unsound() && least >= value()) proven_.end = SearchEnd::Done;
    proven_.complete = is_over() && !search.reduction_unsound();
    if (incumbent_.found()) least = std::min(least, value());
    proven_.lower_bound = std::max(proven_.lower_bound.value_or(0), search.proven() && !incumbent_.found() ? 0 : least);
    return is_over();
  }

  LayerAnswer answer() const { return proven_.answer(incumbent_, statistics_); }

  const LayerProblem problem_;
  std::vector<LayerAnswer> starts_;
  const bool limited_;  // there is a budget
  const SearchBudget budget_;
  Incumbent incumbent_;
  SearchStatistics statistics_;
  Certificate proven_;
  std::optional<ReducedProblem> reduced_;  // with fewer mappings, if some stand for all
  std::unique_ptr<KeepSpaces> keeps_;
};

}  // namespace

LayerAnswer any_search(const LayerProblem& problem, std::span<const LayerAnswer> starts, const SearchBudget& budget) {
  return AnySearch(problem, starts, budget).run();
}

LayerAnswer any_look(const LayerProblem& problem, std::span<const LayerAnswer> starts, const SearchBudget& budget) {
  return AnySearch(problem, starts, budget).probe();
}

// Starts for climbs where sizes have few divisors: larger sizes that have many, and their mappings cut to size.

namespace {

// How much larger a dimension may become, in percent, in the first variants: each for all dimensions. The others mix
// them.
constexpr std::array<u64, 4> kMorePercent{1, 4, 9, 20};
constexpr u64 kMixed = 8;

u64 divisors(u64 n) {
  u64 count = 0;
  for (u64 d = 1; d * d <= n; ++d)
    if (n % d == 0) count += d * d == n ? 1 : 2;
  return count;
}

u64 next_prime(u64 p) {
  do p += p == 2 ? 1 : 2;
  while (divisors(p) != 2);
  return p;
}

// The number in a range with the most divisors, the smallest of several, made of prime factors in ascending order: a
// number k without prime factors below p has at most 2^(log k / log p) divisors, so few need be looked at. A range of
// few numbers may have none with many divisors, and is gone through.
class MostDivisors {
 public:
  MostDivisors(u64 low, u64 high) : low_(low), high_(high) {
    if (high - low >= kFew) extend(1, 1, 2);
    else
      for (u64 n = low; n <= high; ++n) offer(n, divisors(n));
  }
  u64 number() const { return number_; }

 private:
  static constexpr u64 kFew = 64;

  void offer(u64 n, u64 count) {
    if (count > most_ || (count == most_ && n < number_)) number_ = n, most_ = count;
  }

  // All multiples of `made`, which has `count` divisors, by numbers without prime factors below p.
  void extend(u64 made, u64 count, u64 p) {
    if (made >= low_) offer(made, count);
    for (;; p = next_prime(p)) {
      int factors = 0;  // more of them, at most
      for (u64 k = high_ / made; k >= p; k /= p) ++factors;
      const u64 bound = count << factors;
      if (factors == 0 || bound < most_ || (bound == most_ && ceil_div(low_, made) * made >= number_)) return;
      if (factors == 1) return finish(made, count, p);
      u64 exponent = 1;
      for (u64 n = made; n <= high_ / p; extend(n, count * exponent, next_prime(p))) n *= p, ++exponent;
    }
  }

  // Extends where only a prime fits.
  void finish(u64 made, u64 count, u64 p) {
    for (u64 k = std::max(p, ceil_div(low_, made)); k <= high_ / made; ++k)
      if (divisors(k) == 2) return offer(k * made, count * 2);
  }

  u64 low_, high_, number_ = 0, most_ = 0;
};

// The sizes that the first variants give a dimension.
std::array<u64, kMorePercent.size()> padded_sizes(u64 size) {
  std::array<u64, kMorePercent.size()> out{};
  for (std::size_t k = 0; k < out.size(); ++k)
    out[k] = MostDivisors(size, std::min(size + size * kMorePercent[k] / 100, kMaxDimensionSize)).number();
  return out;
}

}  // namespace

std::vector<Workload> padded_workloads(const Workload& workload) {
  std::vector<std::array<u64, kMorePercent.size()>> sizes;
  for (const Dimension& d : workload.dimensions) sizes.push_back(padded_sizes(d.size));
  std::vector<Workload> out;
  for (u64 variant = 0; variant < kMorePercent.size() + kMixed; ++variant) {
    Workload padded = workload;
    for (std::size_t d = 0; d < padded.dimensions.size(); ++d) {
      const u64 digits = variant < kMorePercent.size() ? variant : (variant * 0x9e37'79b9 >> (2 * d + 8)) % 4;
      padded.dimensions[d].size = sizes[d][digits];
    }
    const auto same = [&](const Workload& other) {
      return std::ranges::equal(other.dimensions, padded.dimensions, {}, &Dimension::size, &Dimension::size);
    };
    if (!same(workload) && std::ranges::none_of(out, same) && check(padded).empty()) out.push_back(std::move(padded));
  }
  return out;
}

Workload smooth_workload(const Workload& workload) {
  const auto is_smooth = [](u64 n) {
    for (const u64 prime : {2, 3, 5, 7})
      while (n % prime == 0) n /= prime;
    return n == 1;
  };
  Workload out = workload;
  for (Dimension& d : out.dimensions)
    while (!is_smooth(d.size)) ++d.size;
  return out;
}

std::optional<Mapping> cut_to_size(const Mapping& mapping, const Compiled& c) {
  Mapping out = mapping.without_loops();
  Trail trail(c);
  for (const Loop& loop : mapping.loops()) {
    const u32 end = std::min(loop.end, trail.of(loop.dimension).tiles);
    if (end == 1) continue;
    trail.push(loop.kind, loop.level, loop.dimension, end);
    out.add(loop.kind, loop.level, loop.dimension, end, trail[trail.size() - 1].last);
  }
  for (int d = 0; d < c.dimension_count; ++d)
    if (trail.of(d).tiles != 1) return std::nullopt;
  return out;
}

}  // namespace heliolite
