#pragma once
// Least sums of a network at several lambdas, which get the time in slices (docs/rules/fused.md, Answers): each goes on
// where the one before ended, and ends where its line lifts the network's bound as far as is of use.
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "engine/search/fused/least_sum.h"
#include "engine/search/network/layer_hull.h"

namespace heliolite {

// The schedules that are known of a network.
class KnownSchedules {
 public:
  explicit KnownSchedules(Objective objective) : objective_(objective) {}

  const std::vector<KnownSchedule>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  void add(KnownSchedule one) { all_.push_back(std::move(one)); }

  double value(const KnownSchedule& one) const { return objective_number(objective_, one.cost); }
  // The first with the least value; there must be one.
  const KnownSchedule& best() const;
  // The first with the least energy + lambda x cycles; there must be one.
  const KnownSchedule& best_at(double lambda) const;
  // Its energy + lambda x cycles (units); infinity: no schedule is known.
  double least_at(double lambda) const;

 private:
  Objective objective_;
  std::vector<KnownSchedule> all_;
};

class LambdaSlices {
 public:
  // The sum of a lambda, as far as it is known.
  struct Known {
    std::unique_ptr<LeastSum> sum;
    double lower = 0;         // none is below
    bool is_bounded = false;  // the bounds are those that links give: what is left is to search trees
    bool is_done = false;     // nothing is left
  };
  using OfLambda = std::map<double, Known>::value_type;
  using MakeSum = std::function<std::unique_ptr<LeastSum>(double lambda, const SearchBudget& budget)>;
  // Told of a sum after each of its slices: it adds what that has found to `known`.
  using Note = std::function<void(const LeastSum& sum)>;

  // All must outlive it but `make` and `note`. `budget`: of all slices.
  LambdaSlices(const KnownSchedules& known, const LinkSolver& solver, const SearchBudget& budget,
               std::optional<double> budget_seconds, MakeSum make, Note note)
      : known_(known),
        solver_(solver),
        budget_(budget),
        budget_seconds_(budget_seconds),
        make_(std::move(make)),
        note_(std::move(note)) {}

  // A slice for a lambda, for one close by that is not settled, or for that of a line which limits what the lambda's
  // own can do for the corner `lift`; returns whose. `gap`: how far the network's best answer is above its bound, as a
  // part of that.
  const OfLambda& run(double lambda, double gap, const std::optional<CornerLift>& lift = {});

  u64 lambdas() const { return sums_.size(); }
  u64 trees() const;  // subtrees that were looked at

 private:
  using Sums = std::map<double, Known>;

  Sums::iterator near(double lambda, double gap);
  double first_of(const CornerLift& lift, double lambda) const;
  double enough(double lambda, double lower, const CornerLift& lift) const;
  SearchBudget slice_of_time(double share) const;
  void forget_but(const LeastSum& next);

  const KnownSchedules& known_;
  const LinkSolver& solver_;
  const SearchBudget& budget_;
  std::optional<double> budget_seconds_;
  MakeSum make_;
  Note note_;
  Sums sums_;
};

}  // namespace heliolite
