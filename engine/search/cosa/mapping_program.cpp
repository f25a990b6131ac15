#include "engine/search/cosa/mapping_program.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/space/footprint.h"

namespace heliolite {
namespace {

constexpr const char* kKinds[] = {"x", "y", "t"};

}  // namespace

int exponent_of(u64 n, u64 prime) {
  int out = 0;
  for (; n % prime == 0; n /= prime) ++out;
  return out;
}

FactorColumns::FactorColumns(const Mapspace& space, Mip& mip) : space_(space), mip_(mip) {
  for (int d = 0; d < space.dimension_count; ++d) {
    primes_.push_back(factorize(space.size[d]));
    log2_size_[d] = std::log2(static_cast<double>(space.size[d]));
  }
  add_columns();
  for (int d = 0; d < space.dimension_count; ++d)
    for (std::size_t k = 0; k < primes_[d].size(); ++k) {
      LinearForm sum;
      for (int i = 0; i < space.level_count(); ++i)
        for (const Where w : {kX, kY, kTemporal})
          if (const Cell& c = cell(i, d, w); !c.empty() && c[k] >= 0) sum.add(c[k], 1);
      const PrimePower& p = primes_[d][k];
      mip.add_equal(fmt::format("all_{}_{}", space.dimension_names[d], p.prime), sum, p.exponent);
    }
  for (int i = 0; i < space.level_count(); ++i) {
    const LevelSpace& level = space.levels[i];
    for (const int d : bits(space.non_unit)) {
      add_limits(i, d, {kTemporal}, level.temporal.factor[d], "t");
      if (!level.spatial.exists()) continue;
      add_limits(i, d, {kX, kY}, level.spatial.factor[d], "s");
      if (space.one_axis_per_dimension) add_one_axis(i, d);
    }
    add_fanouts(i);
  }
  add_least_units();
}

void FactorColumns::add_columns() {
  cells_.resize(at(space_.level_count() * kMaxDimensions * kWheres));
  for (int i = 0; i < space_.level_count(); ++i)
    for (const int d : bits(space_.non_unit)) {
      const LevelSpace& level = space_.levels[i];
      const auto own = [&](Where where) -> Cell& { return cells_[(i * kMaxDimensions + d) * kWheres + where]; };
      own(kTemporal) = columns_of(i, d, kTemporal, level.temporal.factor[d].max);
      const u64 most = level.spatial.factor[d].max;
      if (contains(level.spatial.allowed_x, d)) own(kX) = columns_of(i, d, kX, std::min(most, level.spatial.fanout_x));
      if (contains(level.spatial.allowed_y, d)) own(kY) = columns_of(i, d, kY, std::min(most, level.spatial.fanout_y));
    }
}

// One column for each prime of which some power is at most `most`.
FactorColumns::Cell FactorColumns::columns_of(int i, int d, Where where, u64 most) {
  Cell out;
  for (const PrimePower& p : primes_[d]) {
    int upper = 0;
    for (u64 power = p.prime; upper < p.exponent && power <= most; power *= p.prime) ++upper;
    out.push_back(-1);
    if (upper == 0) continue;
    out.back() = mip_.add_column(
        fmt::format("{}_{}_{}_{}", kKinds[where], space_.level_names[i], space_.dimension_names[d], p.prime), 0, upper,
        true);
    prime_of_.resize(at(out.back()) + 1, nullptr);
    prime_of_[out.back()] = &p;
  }
  return out;
}

LinearForm FactorColumns::log2_of(const Cell& cell, double most) const {
  LinearForm out;
  for (const int column : cell)
    if (column >= 0) out.add(column, std::min(most, std::log2(static_cast<double>(prime_of_[column]->prime))));
  return out;
}

LinearForm FactorColumns::doublings(int i, int d) const {
  LinearForm out;
  for (const Where w : {kX, kY, kTemporal}) out.add(log2_of(cell(i, d, w), 1));
  return out;
}

LinearForm FactorColumns::exponent_inside(int i, int d, std::size_t k) const {
  LinearForm out;
  for (int j = 0; j <= i; ++j)
    for (const Where w : {kX, kY, kTemporal})
      if (const Cell& c = cell(j, d, w); !c.empty() && c[k] >= 0) out.add(c[k], 1);
  return out;
}

// A fixed factor fixes each exponent; limits that the sizes do not give already become rows of logarithms.
void FactorColumns::add_limits(int i, int d, std::initializer_list<Where> where, const FactorLimit& limit,
                               const char* kind) {
  const std::string name = fmt::format("{}_{}_{}", kind, space_.level_names[i], space_.dimension_names[d]);
  LinearForm whole;
  for (const Where w : where) whole.add(log2_of(cell(i, d, w)));
  if (limit.fixed() && limit.max > 1) {
    u64 left = limit.max;
    for (std::size_t k = 0; k < primes_[d].size(); ++k) {
      const PrimePower& p = primes_[d][k];
      LinearForm sum;
      for (const Where w : where)
        if (const Cell& c = cell(i, d, w); !c.empty() && c[k] >= 0) sum.add(c[k], 1);
      const int wanted = exponent_of(limit.max, p.prime);
      for (int n = 0; n < wanted; ++n) left /= p.prime;
      mip_.add_equal(fmt::format("fix_{}_{}", name, p.prime), sum, wanted);
    }
    if (left > 1) mip_.add_equal("fix_" + name, LinearForm(), 1);  // no perfect factor: nothing obeys
    return;
  }
  constexpr double kRounding = 1e-9;
  if (limit.min > 1) mip_.add_at_least("least_" + name, whole, std::log2(static_cast<double>(limit.min)) - kRounding);
  if (limit.max > 1 && limit.max < space_.size[d])
    mip_.add_at_most("most_" + name, whole, std::log2(static_cast<double>(limit.max)) + kRounding);
}

void FactorColumns::add_fanouts(int i) {
  const SpatialSpace& room = space_.levels[i].spatial;
  constexpr double kRounding = 1e-9;
  for (const Where w : {kX, kY}) {
    LinearForm used;
    for (const int d : bits(space_.non_unit)) used.add(log2_of(cell(i, d, w)));
    if (used.is_constant()) continue;
    mip_.add_at_most(fmt::format("fanout_{}_{}", space_.level_names[i], kKinds[w]), used,
                     std::log2(static_cast<double>(w == kX ? room.fanout_x : room.fanout_y)) + kRounding);
  }
}

void FactorColumns::add_least_units() {
  if (space_.least_units <= 1) return;
  constexpr double kRounding = 1e-9;
  LinearForm used;
  for (int i = 0; i < space_.level_count(); ++i)
    for (const Where w : {kX, kY})
      for (const int d : bits(space_.non_unit)) used.add(log2_of(cell(i, d, w)));
  mip_.add_at_least("least_units", used, std::log2(static_cast<double>(space_.least_units)) - kRounding);
}

void FactorColumns::add_one_axis(int i, int d) {
  const LinearForm x = log2_of(cell(i, d, kX)), y = log2_of(cell(i, d, kY));
  if (x.is_constant() || y.is_constant()) return;
  const std::string name = fmt::format("{}_{}", space_.level_names[i], space_.dimension_names[d]);
  const int along_x = mip_.add_binary("along_x_" + name);
  mip_.add_at_most("x_or_y_" + name + "_x", LinearForm(x).add(along_x, -log2_size(d)), 0);
  mip_.add_at_most("x_or_y_" + name + "_y", LinearForm(y).add(along_x, log2_size(d)), log2_size(d));
}

std::vector<u8> FactorColumns::loops(int i) const {
  std::vector<u8> out = canonical_order(space_, space_.levels[i].temporal.order);
  std::erase_if(out, [&](u8 d) { return temporal(i, d).is_constant(); });
  return out;
}

std::size_t FactorColumns::ordered_loops(int i) const {
  const auto prefix = space_.levels[i].temporal.order.dimensions();
  std::size_t out = 0;
  for (const u8 d : loops(i)) out += std::ranges::find(prefix, d) != prefix.end() ? 1 : 0;
  return out;
}

PlaceFactors FactorColumns::factors(std::span<const double> values) const {
  PlaceFactors out{};
  const auto factor = [&](int i, int d, Where where) {
    u32 product = 1;
    for (const int column : cell(i, d, where))
      if (column >= 0)
        for (double n = values[column]; n > 0.5; --n) product *= static_cast<u32>(prime_of_[column]->prime);
    return product;
  };
  for (int i = 0; i < space_.level_count(); ++i)
    for (const int d : bits(space_.non_unit)) {
      out[place_of(i, true)][d] = {factor(i, d, kX), factor(i, d, kY)};
      out[place_of(i, false)][d].x = factor(i, d, kTemporal);
    }
  return out;
}

bool FactorColumns::set(const PlaceFactors& factors, std::span<double> values) const {
  const auto set_cell = [&](int i, int d, Where where, u64 factor) {
    const Cell& own = cell(i, d, where);
    for (std::size_t k = 0; k < own.size(); ++k) {
      const int wanted = exponent_of(factor, primes_[d][k].prime);
      for (int n = 0; n < wanted; ++n) factor /= primes_[d][k].prime;
      if (own[k] >= 0) values[own[k]] = wanted;
      else if (wanted > 0) return false;
    }
    return factor == 1;
  };
  for (int i = 0; i < space_.level_count(); ++i)
    for (const int d : bits(space_.non_unit)) {
      const PlaceFactor &spatial = factors[place_of(i, true)][d], &loop = factors[place_of(i, false)][d];
      if (!set_cell(i, d, kX, spatial.x) || !set_cell(i, d, kY, spatial.y) || !set_cell(i, d, kTemporal, loop.x))
        return false;
    }
  return true;
}

KeepMasks usual_keep(const Mapspace& space) {
  KeepMasks out{};
  for (std::size_t i = 0; i < space.levels.size(); ++i)
    out[i] = space.levels[i].keep != 0 ? space.levels[i].keep : space.levels[i].open;
  return out;
}

Mapping MappingProgram::mapping(std::span<const double> values) const {
  const PlaceFactors factors = factors_.factors(values);
  LevelOrders orders;
  for (int i = 0; i < space().level_count(); ++i) {
    const std::vector<u8> loops = order(i, values);
    std::ranges::copy(loops, orders.loop[i].begin());
    orders.count[i] = static_cast<u8>(loops.size());
  }
  Mapping out;
  NestWriter(space()).write(out, factors, orders);
  std::ranges::copy(keep_, out.keep.begin());
  return out;
}

Extents MappingProgram::tile(const PlaceFactors& factors, int i) const {
  Extents out = unit_extents();
  for (int j = 0; j <= i; ++j)
    for (const int d : bits(space().non_unit)) {
      const PlaceFactor& spatial = factors[place_of(j, true)][d];
      out[d] *= spatial.x * spatial.y * factors[place_of(j, false)][d].x;
    }
  return out;
}

}  // namespace heliolite
