#include "engine/search/bayes/decoder.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/integers.h"
#include "engine/space/footprint.h"

namespace heliolite {
namespace {

// With more combinations of orders than this, Auto encodes them by scores.
constexpr double kFewOrders = 2000;

}  // namespace

// What is chosen so far, from the inside out.
struct MappingDecoder::State {
  PlaceFactors factors;
  std::array<u32, kMaxDimensions> left{};  // iterations that the places outside share
  Extents tile = unit_extents();
  KeepMasks keep{};
};

// The choices of one dimension at one step, ascending. It takes number k as soon as the scale of the tile's shape
// reaches k's factor times `unit`.
struct MappingDecoder::Growth {
  // A factor along the axis of the step, and what it makes of the whole place at least.
  struct Choice {
    u32 factor, whole;
  };

  int dimension = 0;
  std::vector<Choice> choice{};
  double unit = std::numeric_limits<double>::infinity();

  std::size_t at_scale(double scale) const {
    std::size_t k = 0;
    while (k + 1 < choice.size() && choice[k + 1].factor * unit <= scale) ++k;
    return k;
  }
};

MappingDecoder::MappingDecoder(const Mapspace& space, const CostModel& model, const OrdersByLevel& orders,
                               OrderEncoding encoding)
    : space_(space), model_(model), orders_(orders), splits_(space, false), writer_(space) {
  std::array<u64, kMaxDimensions> product;
  product.fill(1);
  for (int p = 0; p < splits_.place_count(); ++p) {
    const LevelSpace& level = space.levels[place_level(p)];
    for (std::size_t d = 0; d < space.dimension_count; ++d)
      product[d] *= is_spatial_place(p) ? level.spatial.factor[d].min : level.temporal.factor[d].min;
    least_.push_back(product);
  }
  list_keeps();
  list_steps();
  list_orders(encoding);
}

bool MappingDecoder::possible() const {
  for (int d = 0; d < space_.dimension_count; ++d)
    if (splits_.ways(d, 0, static_cast<u32>(space_.size[d])) == 0) return false;
  return true;
}

int MappingDecoder::add(Feature feature) {
  features_.push_back(std::move(feature));
  return static_cast<int>(features_.size()) - 1;
}

std::string MappingDecoder::dimension_feature(int level, const char* what, int d) const {
  return fmt::format("{} {} {}", space_.level_names[level], what, space_.dimension_names[d]);
}

void MappingDecoder::list_keeps() {
  for (int i = 0; i < space_.level_count(); ++i) {
    keep_feature_[i].fill(-1);
    for (const int v : bits(space_.levels[i].open))
      keep_feature_[i][v] = add({.kind = FeatureKind::Keep,
                                 .level = static_cast<u8>(i),
                                 .tensor = static_cast<u8>(v),
                                 .choices = 2,
                                 .name = fmt::format("{} keep {}", space_.level_names[i], space_.tensor_names[v])});
  }
}

void MappingDecoder::list_steps() {
  const auto step = [&](int p, FeatureKind kind, const char* what, const auto& may) {
    Step out{.place = static_cast<u8>(p), .along_y = kind == FeatureKind::UnrollY};
    out.feature.fill(-1);
    for (const int d : bits(space_.non_unit))
      if (may(d))
        out.feature[d] = add({.kind = kind,
                              .level = static_cast<u8>(place_level(p)),
                              .dimension = static_cast<u8>(d),
                              .name = dimension_feature(place_level(p), what, d)});
    steps_.push_back(out);
  };
  for (int p = 0; p + 1 < splits_.place_count(); ++p) {  // the outermost place takes the rest
    const LevelSpace& level = space_.levels[place_level(p)];
    if (!is_spatial_place(p)) {
      const auto& limit = level.temporal.factor;
      step(p, FeatureKind::Tile, "tile", [&](int d) { return !limit[d].fixed(); });
      continue;
    }
    const SpatialSpace& s = level.spatial;
    if (!s.exists()) continue;
    const auto may = [&](u64 fanout, DimensionMask allowed) {
      return [&s, fanout, allowed](int d) { return fanout > 1 && contains(allowed, d) && s.factor[d].max > 1; };
    };
    step(p, FeatureKind::UnrollX, "x", may(s.fanout_x, s.allowed_x));
    step(p, FeatureKind::UnrollY, "y", may(s.fanout_y, s.allowed_y));
  }
}

// The loops of the innermost level cost the same in every order.
void MappingDecoder::list_orders(OrderEncoding encoding) {
  order_feature_.fill(-1);
  for (auto& features : score_feature_) features.fill(-1);
  double combinations = 1;
  for (std::size_t i = 1; i < orders_.size(); ++i) combinations *= static_cast<double>(orders_[i].size());
  if (encoding == OrderEncoding::Auto)
    encoding = combinations <= kFewOrders ? OrderEncoding::Categorical : OrderEncoding::Scores;
  for (int i = 1; i < space_.level_count(); ++i) {
    const TemporalSpace& level = space_.levels[i].temporal;
    DimensionMask movable = level.allowed & space_.non_unit;
    for (const u8 d : level.order.dimensions()) movable &= static_cast<DimensionMask>(~(1u << d));
    if (std::popcount(movable) < 2) continue;
    if (encoding == OrderEncoding::Categorical) {
      const auto choices = static_cast<u32>(orders_[i].size());
      if (choices > 1)
        order_feature_[i] = add({.kind = FeatureKind::Order,
                                 .level = static_cast<u8>(i),
                                 .choices = choices,
                                 .name = space_.level_names[i] + " order"});
      continue;
    }
    for (const int d : bits(movable))
      score_feature_[i][d] = add({.kind = FeatureKind::Score,
                                  .level = static_cast<u8>(i),
                                  .dimension = static_cast<u8>(d),
                                  .name = dimension_feature(i, "order", d)});
  }
}

// A tensor that the smallest tile of its level has no room for is not kept.
KeepMasks MappingDecoder::keeps(std::span<const double> point) const {
  const Compiled& c = model_.compiled();
  KeepMasks out{};
  for (int i = 0; i < space_.level_count(); ++i) {
    const LevelSpace& level = space_.levels[i];
    Extents least = unit_extents();
    for (std::size_t d = 0; d < space_.dimension_count; ++d)
      least[d] = static_cast<u32>(std::min(least_[place_of(i, false)][d], space_.size[d]));
    u64 used = 0;
    const CompiledLevel& machine = c.level[i];
    for (const int v : bits(level.keep)) used += machine.taken(v, box_words(c.tensor[v], least));
    out[i] = level.keep;
    for (const int v : bits(level.open)) {
      const u64 parts = machine.taken(v, box_words(c.tensor[v], least));
      if (point[keep_feature_[i][v]] <= 0.5 || used + parts > machine.room) continue;
      used += parts;
      out[i] |= static_cast<TensorMask>(1u << v);
    }
  }
  return out;
}

MappingDecoder::Growth MappingDecoder::choices(const Step& step, int d, const State& state,
                                               std::span<const double> point) const {
  Growth out{.dimension = d};
  const bool spatial = is_spatial_place(step.place);
  const u32 x = state.factors[step.place][d].x;  // chosen before, if the step is along Y
  splits_.for_each_run(d, step.place, state.left[d], [&](const FactorRun& run) {
    const u32 whole = run.first * run.y;
    if (step.along_y) {
      if (run.first == x) out.choice.push_back({run.y, whole});
    } else if (out.choice.empty() || out.choice.back().factor != run.first) {
      out.choice.push_back({run.first, whole});  // Y follows in ascending order: this is the least
    }
    return true;
  });
  // A tile's shape is that of the whole tile, an unrolling's that of the array.
  if (const int feature = step.feature[d]; feature >= 0) out.unit = (spatial ? 1.0 : state.tile[d]) / point[feature];
  return out;
}

// Whether the level of the step and all levels outside it hold the tile, with no more loops than they must have.
bool MappingDecoder::has_room(const Step& step, const Extents& tile, const KeepMasks& keep) const {
  const Compiled& c = model_.compiled();
  for (int i = place_level(step.place); i < c.level_count; ++i) {
    const CompiledLevel& level = c.level[i];
    if (level.holds_all()) continue;
    Extents grown = unit_extents();
    for (std::size_t d = 0; d < space_.dimension_count; ++d) {
      const u64 between = least_[place_of(i, false)][d] / least_[step.place][d];
      grown[d] = static_cast<u32>(std::min(tile[d] * between, space_.size[d]));
    }
    u64 used = 0;
    for (const int v : bits(keep[i])) used += level.taken(v, box_words(c.tensor[v], grown));
    if (used > level.room) return false;
  }
  return true;
}

// Every dimension grows in proportion to its feature until one more growth has no room.
void MappingDecoder::grow(const Step& step, State& state, std::span<const double> point) const {
  const bool spatial = is_spatial_place(step.place);
  const SpatialSpace& fanout = space_.levels[place_level(step.place)].spatial;
  const u64 width = !spatial ? ~u64{0} : step.along_y ? fanout.fanout_y : fanout.fanout_x;
  std::vector<Growth> growths;
  std::vector<double> scales;  // at which something grows
  for (const int d : bits(space_.non_unit)) {
    growths.push_back(choices(step, d, state, point));
    const Growth& g = growths.back();
    for (std::size_t k = 1; k < g.choice.size() && std::isfinite(g.unit); ++k)
      scales.push_back(g.choice[k].factor * g.unit);
  }
  std::ranges::sort(scales);
  scales.erase(std::unique(scales.begin(), scales.end()), scales.end());

  const auto fits = [&](double scale) {
    Extents tile = state.tile;
    u64 together = 1;
    for (const Growth& g : growths) {
      const Growth::Choice& choice = g.choice[g.at_scale(scale)];
      tile[g.dimension] *= choice.whole;
      together *= choice.factor;
      if (together > width) return false;
    }
    return has_room(step, tile, state.keep);
  };
  const auto end = std::partition_point(scales.begin(), scales.end(), fits);
  const double scale = end == scales.begin() ? 0 : *(end - 1);

  for (const Growth& g : growths) {
    const auto d = at(g.dimension);
    PlaceFactor& factor = state.factors[step.place][d];
    (step.along_y ? factor.y : factor.x) = g.choice[g.at_scale(scale)].factor;
  }
}

void MappingDecoder::order(std::span<const double> point, const State& state, LevelOrders& orders) const {
  for (int i = 0; i < space_.level_count(); ++i) {
    const auto level = at(i);
    const std::size_t fixed = writer_.present(state.factors, i, orders);
    const auto first = orders.loop[level].begin();
    const std::span<u8> movable(first + fixed, first + orders.count[level]);
    std::array<double, kMaxDimensions> rank{};  // ascending from the inside
    if (const int feature = order_feature_[level]; feature >= 0) {
      const LoopOrder& chosen = orders_[level][features_[feature].category(point[feature])];
      for (std::size_t k = 0; k < chosen.count; ++k) rank[chosen.loop[k]] = static_cast<double>(k);
    } else {
      for (const u8 d : movable)
        if (const int score = score_feature_[level][d]; score >= 0) rank[d] = -point[score];
    }
    std::ranges::stable_sort(movable, {}, [&](u8 d) { return rank[d]; });
  }
}

// Steps: 1. kept tensors, 2. factors from the inside out, 3. the outermost place takes the rest, 4. loop orders.
Mapping MappingDecoder::decode(std::span<const double> point) const {
  State state;
  state.keep = keeps(point);
  for (auto& place : state.factors) place.fill({});
  for (const int d : bits(space_.non_unit)) state.left[d] = static_cast<u32>(space_.size[d]);
  for (std::size_t k = 0; k < steps_.size(); ++k) {
    grow(steps_[k], state, point);
    const u8 place = steps_[k].place;
    if (k + 1 < steps_.size() && steps_[k + 1].place == place) continue;
    for (const int d : bits(space_.non_unit)) {
      const PlaceFactor& factor = state.factors[place][d];
      state.tile[d] *= factor.x * factor.y;
      state.left[d] /= factor.x * factor.y;
    }
  }
  for (const int d : bits(space_.non_unit)) state.factors[splits_.place_count() - 1][d].x = state.left[d];
  LevelOrders orders;
  order(point, state, orders);
  Mapping out;
  for (int i = 0; i < space_.level_count(); ++i) out.keep[i] = state.keep[i];
  writer_.write(out, state.factors, orders);
  return out;
}

}  // namespace heliolite
