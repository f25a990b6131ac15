#include "tests/support/exhaustive_oracle.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/model/cost_model.h"
#include "engine/search/core/objective.h"

namespace heliolite::testing {
namespace {

constexpr u64 kNoMaximum = ~u64{0};

// What one dimension may do in one place.
struct Allowed {
  u64 min = 1;
  u64 max = kNoMaximum;
};

struct LevelRules {
  std::vector<Allowed> temporal, spatial;  // by dimension; spatial: of X times Y
  std::vector<bool> to_x, to_y;
  std::vector<int> temporal_order, spatial_order;  // innermost first
  TensorMask kept = 0, open = 0;
};

// The factors of one dimension: of each level X, Y, temporal.
using Split = std::vector<std::array<u64, 3>>;

std::string singular(std::string word) {
  if (!word.empty() && word.back() == 's') word.pop_back();
  return word;
}

class Oracle {
 public:
  Oracle(const Workload& w, const Architecture& a, const OracleOptions& options)
      : workload_(w), architecture_(a), model_(w, a), options_(options), classes_(classify(w)) {
    constrained_ = !options.free && (classes_ || !a.constraints_for_channels_only);
    for (const StorageLevel& level : a.levels) rules_.push_back(rules_of(level));
    rules_.back().kept = static_cast<TensorMask>((1u << w.tensors.size()) - 1);
    rules_.back().open = 0;
  }

  std::optional<OracleAnswer> run() {
    for (int d = 0; d < dimensions(); ++d) {
      splits_.emplace_back();
      Split split(rules_.size(), {1, 1, 1});
      list_splits(d, 0, 0, workload_.dimensions[static_cast<std::size_t>(d)].size, split);
    }
    chosen_.resize(splits_.size());
    for (const bool pricing : {false, true}) {
      pricing_ = pricing;
      if (!choose_splits(0)) return std::nullopt;
    }
    return answer_;
  }

 private:
  int dimensions() const { return static_cast<int>(workload_.dimensions.size()); }
  int levels() const { return static_cast<int>(rules_.size()); }

  // --- The rules of the machine, from its names.

  std::vector<int> named(const std::string& word) const {
    std::vector<int> out;
    for (int d = 0; d < dimensions(); ++d) {
      const std::string& own = workload_.dimensions[static_cast<std::size_t>(d)].name;
      const bool by_class =
          !workload_.find_dimension(word) && classes_ && name((*classes_)[static_cast<std::size_t>(d)]) == word;
      if (own == word || by_class) out.push_back(d);
    }
    return out;
  }

  std::vector<bool> axis(const std::optional<std::vector<std::string>>& words) const {
    if (!words || !constrained_) return std::vector<bool>(workload_.dimensions.size(), true);
    std::vector<bool> out(workload_.dimensions.size(), false);
    for (const std::string& word : *words)
      for (int d : named(word)) out[static_cast<std::size_t>(d)] = true;
    return out;
  }

  std::vector<Allowed> factors(const std::vector<FactorConstraint>& constraints) const {
    std::vector<Allowed> out(workload_.dimensions.size());
    if (!constrained_) return out;
    for (const FactorConstraint& c : constraints)
      for (int d : named(c.dimension)) {
        const auto at = static_cast<std::size_t>(d);
        const u64 value = c.relation == Relation::Equal && c.value == 0 ? workload_.dimensions[at].size : c.value;
        if (c.relation != Relation::AtMost) out[at].min = std::max(out[at].min, value);
        if (c.relation != Relation::AtLeast) out[at].max = std::min(out[at].max, value);
      }
    return out;
  }

  std::vector<int> order(const std::vector<std::string>& words) const {
    std::vector<int> out;
    if (!constrained_) return out;
    for (const std::string& word : words)
      for (int d : named(word)) out.push_back(d);
    return out;
  }

  // The first `split` dimensions in order go to X; with unit_loops_first those of one iteration come before them.
  void split_axes(const SpatialConstraints& constraint, LevelRules& r) const {
    std::vector<int> loops = r.spatial_order;
    for (std::size_t d = 0; architecture_.unit_loops_first && d < r.to_x.size(); ++d) {
      const auto is_one = [&](const FactorConstraint& f) {
        return f.value == 1 && named(f.dimension).front() == int(d);
      };
      const bool unit = workload_.dimensions[d].size == 1 || std::ranges::any_of(constraint.factors, is_one);
      if (unit && std::ranges::find(loops, int(d)) == loops.end()) loops.insert(loops.begin(), int(d));
    }
    for (std::size_t d = 0; d < r.to_x.size(); ++d) {
      const bool to_x =
          std::ranges::find(loops, int(d)) - loops.begin() < static_cast<std::ptrdiff_t>(*constraint.split);
      if (to_x) r.to_y[d] = false;
      else r.to_x[d] = false;
    }
  }

  LevelRules rules_of(const StorageLevel& level) const {
    LevelRules r;
    r.temporal = factors(level.constraints.temporal.factors);
    const std::vector<bool> loops = axis(level.constraints.temporal.allowed);
    for (std::size_t d = 0; d < loops.size(); ++d)
      if (!loops[d] || !level.loops_allowed) r.temporal[d].max = 1;
    r.spatial = factors(level.constraints.spatial.factors);
    r.to_x = axis(level.constraints.spatial.allowed_x);
    r.to_y = axis(level.constraints.spatial.allowed_y);
    r.temporal_order = order(level.constraints.temporal.order);
    r.spatial_order = order(level.constraints.spatial.order);
    if (constrained_ && level.constraints.spatial.split) split_axes(level.constraints.spatial, r);
    for (std::size_t v = 0; v < workload_.tensors.size(); ++v) {
      // The most specific selector decides, keep before bypass.
      const Tensor& tensor = workload_.tensors[v];
      const auto specificity = [&](const std::vector<std::string>& selectors) {
        int most = 0;
        for (const std::string& s : selectors)
          most = std::max(most, s == tensor.name ? 3 : singular(s) == name(tensor.role) ? 2 : s == "all" ? 1 : 0);
        return most;
      };
      const int keep = specificity(level.keep.keep), bypass = specificity(level.keep.bypass);
      if (keep > 0 && keep >= bypass) r.kept = static_cast<TensorMask>(r.kept | 1u << v);
      if (keep == 0 && bypass == 0) r.open = static_cast<TensorMask>(r.open | 1u << v);
    }
    return r;
  }

  // --- Factors: all ways to write one dimension's size over all places, then all combinations that fit the fan-outs.

  void list_splits(int d, int level, int place, u64 left, Split& split) {
    if (level == levels()) {
      if (left == 1) splits_.back().push_back(split);
      return;
    }
    const auto i = static_cast<std::size_t>(level), at = static_cast<std::size_t>(d);
    const LevelRules& r = rules_[i];
    const StorageLevel& machine = architecture_.levels[i];
    if (place == 3) {
      const u64 spatial = split[i][0] * split[i][1], temporal = split[i][2];
      const bool both = split[i][0] > 1 && split[i][1] > 1;
      if (spatial < r.spatial[at].min || spatial > r.spatial[at].max) return;
      if (temporal < r.temporal[at].min || temporal > r.temporal[at].max) return;
      if (both && architecture_.one_axis_per_dimension) return;
      return list_splits(d, level + 1, 0, left, split);
    }
    const u64 room = place == 0   ? (r.to_x[at] ? machine.fanout_x : 1)
                     : place == 1 ? (r.to_y[at] ? machine.fanout_y : 1)
                                  : left;
    for (u64 f = 1; f <= std::min(room, left); ++f) {
      if (left % f != 0) continue;
      split[i][static_cast<std::size_t>(place)] = f;
      list_splits(d, level, place + 1, left / f, split);
    }
    split[i][static_cast<std::size_t>(place)] = 1;
  }

  // False: over the limit.
  bool choose_splits(int d) {
    if (d == dimensions()) return !uses_enough_units() || (pricing_ ? choose_keep() : count());
    for (const Split& split : splits_[static_cast<std::size_t>(d)]) {
      chosen_[static_cast<std::size_t>(d)] = &split;
      if (within_fanouts(d) && !choose_splits(d + 1)) return false;
    }
    return true;
  }

  bool uses_enough_units() const {
    double units = 1;
    for (int i = 0; i < levels(); ++i)
      for (int d = 0; d < dimensions(); ++d)
        units *= static_cast<double>(factor(i, 0, d)) * static_cast<double>(factor(i, 1, d));
    const double least = constrained_ ? architecture_.min_parallelism : 0;
    return units / static_cast<double>(architecture_.compute.instances) >= least;
  }

  bool within_fanouts(int last) const {
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      u64 x = 1, y = 1;
      for (int d = 0; d <= last; ++d) {
        x *= (*chosen_[static_cast<std::size_t>(d)])[i][0];
        y *= (*chosen_[static_cast<std::size_t>(d)])[i][1];
      }
      if (x > architecture_.levels[i].fanout_x || y > architecture_.levels[i].fanout_y) return false;
    }
    return true;
  }

  u64 factor(int level, int place, int d) const {
    return (*chosen_[static_cast<std::size_t>(d)])[static_cast<std::size_t>(level)][static_cast<std::size_t>(place)];
  }

  // Temporal loops of a level whose order is free, and those the machine puts innermost.
  std::vector<int> free_loops(int level) const {
    const std::vector<int>& fixed = rules_[static_cast<std::size_t>(level)].temporal_order;
    std::vector<int> out;
    for (int d = 0; d < dimensions(); ++d)
      if (factor(level, 2, d) > 1 && std::find(fixed.begin(), fixed.end(), d) == fixed.end()) out.push_back(d);
    return out;
  }

  bool count() {
    u64 here = 1;
    for (int i = 0; i < levels(); ++i) {
      const std::size_t loops = i == 0 && !options_.innermost_orders ? 0 : free_loops(i).size();
      for (u64 k = 2; k <= loops; ++k) here *= k;
      for (std::size_t v = 0; v < workload_.tensors.size(); ++v)
        if (rules_[static_cast<std::size_t>(i)].open >> v & 1) here *= 2;
    }
    answer_.mappings += here;
    return answer_.mappings <= options_.limit;
  }

  // --- Keep choices and orders.

  bool choose_keep() {
    std::vector<std::pair<std::size_t, std::size_t>> open;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      keep_[i] = rules_[i].kept;
      for (std::size_t v = 0; v < workload_.tensors.size(); ++v)
        if (rules_[i].open >> v & 1) open.emplace_back(i, v);
    }
    const std::array<TensorMask, kMaxLevels> least = keep_;
    for (u64 choice = 0; choice < u64{1} << open.size(); ++choice) {
      keep_ = least;
      for (std::size_t k = 0; k < open.size(); ++k)
        if (choice >> k & 1)
          keep_[open[k].first] = static_cast<TensorMask>(keep_[open[k].first] | 1u << open[k].second);
      Mapping mapping;
      mapping.keep = keep_;
      mapping.level_count = static_cast<u8>(rules_.size());
      fits_ = true;
      choose_orders(0, mapping);
    }
    return true;
  }

  void choose_orders(int level, const Mapping& inner) {
    if (!fits_) return;
    if (level == levels()) return price(inner);
    const LevelRules& r = rules_[static_cast<std::size_t>(level)];
    Mapping base = inner;
    const auto add = [&](Mapping& m, int place, int d) {
      constexpr std::array kKinds{LoopKind::SpatialX, LoopKind::SpatialY, LoopKind::Temporal};
      m.add(kKinds[static_cast<std::size_t>(place)], level, d, factor(level, place, d));
    };
    for (int place : {0, 1}) {
      for (int d : r.spatial_order) add(base, place, d);
      for (int d = 0; d < dimensions(); ++d)
        if (std::find(r.spatial_order.begin(), r.spatial_order.end(), d) == r.spatial_order.end()) add(base, place, d);
    }
    for (int d : r.temporal_order) add(base, 2, d);
    std::vector<int> loops = free_loops(level);
    do {
      Mapping m = base;
      for (int d : loops) add(m, 2, d);
      choose_orders(level + 1, m);
    } while ((level > 0 || options_.innermost_orders) && std::next_permutation(loops.begin(), loops.end()));
  }

  void price(const Mapping& mapping) {
    const Evaluation e = options_.price ? options_.price(mapping) : model_.evaluate(mapping);
    fits_ = e.verdict == Verdict::Fits;  // does not depend on orders
    if (!fits_) return;
    ++answer_.legal;
    for (std::size_t k = 0; k < answer_.best.size(); ++k) {
      OracleBest& best = answer_.best[k];
      const auto objective = static_cast<Objective::Kind>(k);
      const Value value = Value::of(objective, e.cost);
      const Value least = answer_.legal == 1 ? Value::worst() : Value::of(objective, best.cost);
      if (value > least) continue;
      if (value < least) best = {mapping, e.cost, 0};
      ++best.ties;
    }
  }

  const Workload& workload_;
  const Architecture& architecture_;
  CostModel model_;
  OracleOptions options_;
  std::optional<std::vector<DimensionClass>> classes_;
  bool constrained_ = true;
  std::vector<LevelRules> rules_;
  std::vector<std::vector<Split>> splits_;  // by dimension
  std::vector<const Split*> chosen_;
  std::array<TensorMask, kMaxLevels> keep_{};
  bool pricing_ = false;
  bool fits_ = true;
  OracleAnswer answer_;
};

}  // namespace

std::optional<OracleAnswer> enumerate_mapspace(const Workload& workload, const Architecture& architecture,
                                               const OracleOptions& options) {
  return Oracle(workload, architecture, options).run();
}

}  // namespace heliolite::testing
