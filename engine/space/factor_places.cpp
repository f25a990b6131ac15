#include "engine/space/factor_places.h"

#include <fmt/format.h>
#include <string_view>

#include "arch/check.h"
#include "engine/base/integers.h"
#include "engine/space/divisors.h"
#include "engine/space/machine_words.h"

namespace heliolite {
namespace {

// What is left of each dimension.
using Left = std::array<u64, kMaxDimensions>;

class FactorLimiter {
 public:
  FactorLimiter(std::vector<FactorPlace>& places, const Mapspace& space, const MeaningOf& meant_by,
                const Complain& complain)
      : places_(places), space_(space), meant_by_(meant_by), complain_(complain) {}

  std::vector<CutFactor> run() {
    maximize();
    Left left = space_.size;
    for (const FactorPlace& place : places_) {
      for (int d = 0; d < space_.dimension_count; ++d) (*place.limits)[d] = {1, place.most[d]};
      for (const FactorConstraint& c : place.constraints)
        if (!is_of_product(c))
          for (const int d : bits(meant_by_(c.dimension, place.where))) limit(c, d, left[d], place);
      for (int d = 0; d < space_.dimension_count; ++d)
        if (place.largest[d] > 0) limit({"", Relation::Equal, place.largest[d]}, d, left[d], place);
      for (int d = 0; d < space_.dimension_count; ++d)
        left[d] = ceil_div(left[d], std::max<u64>(1, (*place.limits)[d].min));
    }
    return std::move(cut_);
  }

 private:
  // Whether the constraint is one of the product of several factors, or of the largest ones.
  static bool is_of_product(const FactorConstraint& c) {
    return c.value == kLargestFactor || parts_of_word(c.dimension).size() > 1;
  }

  void limit(const FactorConstraint& c, int d, u64 left, const FactorPlace& place) {
    FactorLimit& limit = (*place.limits)[d];
    const std::string_view sign = c.relation == Relation::Equal ? "=" : c.relation == Relation::AtMost ? "<=" : ">=";
    const std::string& word = c.dimension.empty() ? space_.dimension_names[d] : c.dimension;
    const std::string text = fmt::format("{} {} {}", word, sign, c.value);
    const bool whole = c.relation == Relation::Equal && c.value == 0;
    if (c.value == 0 && !whole) {
      complain_(place.where, fmt::format("{} is not a factor, must be at least 1", text));
      return;
    }
    if (c.relation == Relation::AtMost) {
      limit.max = std::min(limit.max, c.value);
    } else {
      const u64 value = whole ? left : std::min(c.value, left);
      if (value > place.most[d]) {
        complain_(place.where, fmt::format("{}, but {}", text, place.room));
        return;
      }
      if (value < c.value) cut_.push_back({place.where, text, value});
      limit.min = std::max(limit.min, value);
      if (c.relation == Relation::Equal) limit.max = std::min(limit.max, value);
    }
    if (limit.min > limit.max)
      complain_(place.where, fmt::format("{} contradicts another constraint on {}", text, space_.dimension_names[d]));
  }

  void maximize() {
    Left left = space_.size;  // by what constraints fix anywhere
    for (const FactorPlace& place : places_)
      for (const FactorConstraint& c : place.constraints)
        if (c.relation == Relation::Equal && !is_of_product(c))
          for (const int d : bits(meant_by_(c.dimension, place.where)))
            left[d] = c.value == 0 ? 1 : ceil_div(left[d], c.value);
    for (const bool fanouts : {true, false})
      for (FactorPlace& place : places_)
        if ((place.instances > 0) == fanouts)
          for (const FactorConstraint& c : place.constraints)
            if (is_of_product(c)) maximize(c, place, left);
  }

  void maximize(const FactorConstraint& largest, FactorPlace& place, Left& left) {
    if (largest.value != kLargestFactor) {
      const auto goes_with = [&](const FactorConstraint& c) {
        return c.value == kLargestFactor && c.dimension == largest.dimension;
      };
      if (largest.relation != Relation::AtMost || std::ranges::none_of(place.constraints, goes_with))
        complain_(place.where, fmt::format("{0} has a limit of its own: of a product only {0}=max, and beside it "
                                           "{0}<=N, can be said",
                                           largest.dimension));
      return;
    }
    u64 room = place.instances;
    DimensionMask said = 0;
    for (const FactorConstraint& c : place.constraints) {
      if (is_of_product(c) && c.relation == Relation::AtMost && c.dimension == largest.dimension) room = c.value;
      if (is_of_product(c)) continue;
      for (const int d : bits(meant_by_(c.dimension, place.where)))
        said = static_cast<DimensionMask>(said | dimension_bit(d));
    }
    if (room == 0) {
      complain_(place.where,
                fmt::format("{0}=max has no limit: of loops over time say {0}<=N beside it", largest.dimension));
      return;
    }
    for (const FactorConstraint& c : place.constraints) {
      if (is_of_product(c) || c.relation == Relation::AtMost) continue;
      for (const int d : bits(meant_by_(c.dimension, place.where)))
        room /= c.value == 0 ? space_.size[d] : std::min(c.value, space_.size[d]);
    }
    for (const u64 factor : place.largest) room /= std::max<u64>(1, factor);
    std::vector<int> dimensions;
    std::vector<u64> sizes;
    for (const std::string& word : parts_of_word(largest.dimension))
      for (const int d : bits(meant_by_(word, place.where))) {
        if (contains(said, d)) {
          complain_(place.where, fmt::format("{} cannot be maximized: another constraint says its factor", word));
          continue;
        }
        dimensions.push_back(d);
        sizes.push_back(place.most[d] > 1 ? left[d] : 1);
      }
    const std::vector<u64> factors = largest_factors(sizes, room);
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
      const std::size_t d = at(dimensions[k]);
      place.largest[d] = factors[k];
      left[d] = ceil_div(left[d], factors[k]);
    }
  }

  std::vector<FactorPlace>& places_;
  const Mapspace& space_;
  const MeaningOf& meant_by_;
  const Complain& complain_;
  std::vector<CutFactor> cut_;
};

// Goes through all choices of divisors; dimensions are few and their divisors, too.
class LargestFactors {
 public:
  LargestFactors(const std::vector<u64>& sizes, u64 room) : sizes_(sizes), chosen_(sizes.size(), 1), best_(chosen_) {
    choose(0, room, 1);
  }

  std::vector<u64> best() { return std::move(best_); }

 private:
  void offer(double used) {
    if (used > most_used_) most_used_ = used, best_ = chosen_;
  }

  void choose(std::size_t k, u64 room, u64 used) {
    if (static_cast<double>(used) * static_cast<double>(std::max<u64>(room, 1)) <= most_used_) return;
    if (k == sizes_.size()) {
      offer(static_cast<double>(used));
      cut_unequally(room, used);
      return;
    }
    const std::vector<u64> all = divisors(sizes_[k]);
    for (auto factor = all.rbegin(); factor != all.rend(); ++factor) {
      if (*factor > std::max<u64>(room, 1)) continue;
      chosen_[k] = *factor;
      choose(k + 1, room / *factor, used * *factor);
    }
    chosen_[k] = 1;
  }

  // What is left of one dimension in as few pieces as there is room for, and on average as large as they are.
  void cut_unequally(u64 room, u64 used) {
    for (std::size_t k = 0; k < sizes_.size() && room > 1; ++k) {
      const u64 left = sizes_[k] / chosen_[k];
      if (left <= room) continue;
      const u64 pieces = ceil_div(left, room), piece = ceil_div(left, pieces);
      chosen_[k] *= piece;
      offer(static_cast<double>(used) * static_cast<double>(left) / static_cast<double>(pieces));
      chosen_[k] /= piece;
    }
  }

  const std::vector<u64>& sizes_;
  std::vector<u64> chosen_, best_;
  double most_used_ = 0;
};

}  // namespace

std::vector<CutFactor> limit_factors(std::vector<FactorPlace>& places, const Mapspace& space, const MeaningOf& meant_by,
                                     const Complain& complain) {
  return FactorLimiter(places, space, meant_by, complain).run();
}

std::vector<u64> largest_factors(const std::vector<u64>& sizes, u64 room) { return LargestFactors(sizes, room).best(); }

namespace {

// All places dimension d can have a factor: temporal and spatial, of every level.
std::vector<FactorLimit*> places(Mapspace& space, int d) {
  std::vector<FactorLimit*> out;
  for (LevelSpace& level : space.levels) {
    out.push_back(&level.spatial.factor[d]);
    out.push_back(&level.temporal.factor[d]);
  }
  return out;
}

// Where the machine constrains dimension d, for a message: "; GLB temporal 1..4, ...".
std::string limits_text(const Mapspace& space, int d) {
  std::string text;
  for (std::size_t l = 0; l < space.levels.size(); ++l) {
    const FactorLimit& t = space.levels[l].temporal.factor[d];
    const FactorLimit& s = space.levels[l].spatial.factor[d];
    text += fmt::format("; {} temporal {} to {}", space.level_names[l], t.min, t.max);
    if (space.levels[l].spatial.exists()) text += fmt::format(", spatial {} to {}", s.min, s.max);
  }
  return text;
}

// "K of workload 'conv' has size 64", for messages.
std::string dimension_text(const Mapspace& space, int d) {
  return fmt::format("{} of workload '{}' has size {}", space.dimension_names[d], space.workload_name, space.size[d]);
}

// With m = product of the other minima, a factor f needs (f - 1) * m < size, or its last iteration is empty;
// and the product of all factors reaches the size. Both hold for imperfect factors too.
void tighten(Mapspace& space, int d, Diagnostics& errors) {
  const u64 size = space.size[d];
  const std::vector<FactorLimit*> limits = places(space, d);
  for (FactorLimit* one : limits) {
    u64 least = 1;
    for (const FactorLimit* other : limits)
      if (other != one) least = product_up_to(least, other->min, size);
    one->max = std::min(one->max, ceil_div(size, least));
  }
  for (FactorLimit* one : limits) {
    u64 most = 1;
    for (const FactorLimit* other : limits)
      if (other != one) most = product_up_to(most, other->max, size);
    one->min = std::max(one->min, ceil_div(size, most));
    if (one->min <= one->max) continue;
    return errors.push_back({"", 0, "",
                             fmt::format("the constraints leave no way to split dimension '{}': {}{}",
                                         space.dimension_names[d], dimension_text(space, d), limits_text(space, d))});
  }
}

void restrict_masks(const Mapspace& space, LevelSpace& level) {
  for (int d = 0; d < space.dimension_count; ++d) {
    if (level.temporal.factor[d].max > 1)
      level.temporal.allowed = static_cast<DimensionMask>(level.temporal.allowed | dimension_bit(d));
    if (level.spatial.factor[d].max > 1) continue;
    level.spatial.allowed_x = static_cast<DimensionMask>(level.spatial.allowed_x & ~dimension_bit(d));
    level.spatial.allowed_y = static_cast<DimensionMask>(level.spatial.allowed_y & ~dimension_bit(d));
  }
}

}  // namespace

Diagnostics tighten(Mapspace& space) {
  Diagnostics errors;
  for (int d = 0; d < space.dimension_count; ++d) tighten(space, d, errors);
  if (errors.empty())
    for (LevelSpace& level : space.levels) restrict_masks(space, level);
  return errors;
}

}  // namespace heliolite
