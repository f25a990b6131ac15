#include "engine/search/fused/lambda_slices.h"

#include <algorithm>

namespace heliolite {
namespace {

// Parts of the time that is left:
constexpr double kOneLambda = 0.5;    // for answers and bounds of the least sum at one lambda,
constexpr double kTrees = 0.25;       // for trees there,
constexpr double kLeastSlice = 0.02;  // but at least this, of all time
// A lambda is not worth a sum of its own if one that is this near lacks bounds, or trees.
constexpr double kNearBounds = 1.5, kNearTrees = 1.15;
constexpr double kLeastLift = 0.25;      // of a sum's gap: so much one slice closes, if it can
constexpr double kWorthMore = 1.0 / 32;  // of the network's gap: a sum's gap that is worth more time

}  // namespace

const KnownSchedule& KnownSchedules::best() const {
  return *std::ranges::min_element(all_, {}, [&](const KnownSchedule& one) { return value(one); });
}

const KnownSchedule& KnownSchedules::best_at(double lambda) const {
  return *std::ranges::min_element(all_, {}, [&](const KnownSchedule& one) { return sum_value(one.cost, lambda); });
}

double KnownSchedules::least_at(double lambda) const {
  return all_.empty() ? kNoSum : sum_value(best_at(lambda).cost, lambda);
}

const LambdaSlices::OfLambda& LambdaSlices::run(double lambda, double gap, const std::optional<CornerLift>& lift) {
  // Step 1. Whose slice it is, and how long.
  if (lift) lambda = first_of(*lift, lambda);
  auto own = near(lambda, gap);
  const bool is_new = own == sums_.end();
  const SearchBudget budget = slice_of_time(is_new || !own->second.is_bounded ? kOneLambda : kTrees);
  if (is_new) {
    own = sums_.try_emplace(lambda).first;
    own->second.sum = make_(lambda, budget);
    for (auto& [other, known] : sums_)
      if (other != lambda) {
        known.sum->know(*own->second.sum);
        own->second.sum->know(*known.sum);
      }
  }
  auto& [sum, lower, is_bounded, is_done] = own->second;
  forget_but(*sum);
  // Step 2. The slice.
  const double goal = lift ? enough(own->first, lower, *lift) : kNoSum;
  const bool trees = is_bounded || !budget_seconds_;
  const double found =
      is_new ? sum->run(known_.all(), trees, goal) : sum->next_slice(known_.all(), budget, trees, goal);
  lower = std::max(lower, found);
  // Step 3. What is left.
  const bool is_cut = solver_.over(budget) || lower >= goal * kEqualSum;
  is_bounded |= !is_cut;
  note_(*sum);
  is_done = (!is_cut && trees && !sum->has_cut()) || lower >= known_.least_at(own->first) * kEqualSum;
  return *own;
}

u64 LambdaSlices::trees() const {
  u64 out = 0;
  for (const auto& [lambda, known] : sums_) out += known.sum->trees();
  return out;
}

// The lambda itself, or the nearest that is not settled and with which it would share most of its line; none whose
// bound is so near to the best answer that all of its trees would not lift the network's by much.
LambdaSlices::Sums::iterator LambdaSlices::near(double lambda, double gap) {
  if (const auto same = sums_.find(lambda); same != sums_.end()) return same;
  const auto away = [&](double other) { return std::max(other / lambda, lambda / other); };
  auto out = sums_.end();
  for (auto one = sums_.begin(); one != sums_.end(); ++one) {
    const auto& [other, known] = *one;
    const double most = known.is_done ? 0 : known.is_bounded ? kNearTrees : kNearBounds;
    const bool is_worth_more = known_.least_at(other) / known.lower - 1 >= gap * kWorthMore;
    if (away(other) <= most && is_worth_more && (out == sums_.end() || away(other) < away(out->first))) out = one;
  }
  return out;
}

// The lambda that is asked for, or that of a line at whose top the corner nearly is.
double LambdaSlices::first_of(const CornerLift& lift, double lambda) const {
  for (const double edge : lift.edges_first)
    if (const auto own = sums_.find(edge); own != sums_.end() && !own->second.is_done) return edge;
  return lambda;
}

// What a sum must be at least to lift the corner; more if that is a small part only of what it lacks.
double LambdaSlices::enough(double lambda, double lower, const CornerLift& lift) const {
  const double least = lift.sum_pj(lambda / Energy::kUnitsPerPicojoule) * Energy::kUnitsPerPicojoule;
  return std::max(least, lower + kLeastLift * (known_.least_at(lambda) - lower));
}

SearchBudget LambdaSlices::slice_of_time(double share) const {
  const auto left = budget_.seconds_left();
  if (!left) return budget_;
  return budget_.part_of_time(std::clamp(kLeastSlice * *budget_seconds_ / std::max(*left, 1e-9), share, 1.0));
}

// All but one sum remember trees in one part of the memory.
void LambdaSlices::forget_but(const LeastSum& next) {
  u64 bytes = 0;
  for (const auto& [lambda, known] : sums_) bytes += known.sum.get() == &next ? 0 : known.sum->bytes();
  if (bytes <= solver_.memory_bytes() / kPartsOfMemory) return;
  for (auto& [lambda, known] : sums_)
    if (known.sum.get() != &next) known.sum->forget();
}

}  // namespace heliolite
