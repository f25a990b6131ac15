#include "engine/search/any/distinct_places.h"

#include <algorithm>
#include <span>

#include "engine/model/distinct_offsets.h"

namespace heliolite {
namespace {

constexpr u64 kMostWork = 200'000;  // of one question

// Sums at a moment, when of all units along a the first x work, and along b the first y: a unit stands before those
// further along an outer fan-out.
u64 sums_of_first(std::span<const PlaceRow> rows, u64 x, u64 y) {
  if (x == 0 || y == 0) return 0;
  if (x == 1 || y == 1) return std::max(x, y);
  const PlaceRow& row = rows.back();
  if (rows.size() == 1)
    return row.step_a == 0 || row.step_b == 0 ? x + y - 1 : distinct_sums(row.step_a, x, row.step_b, y);
  const std::span<const PlaceRow> inside = rows.first(rows.size() - 1);
  u64 all_a = 1, all_b = 1;
  for (const PlaceRow& r : inside) all_a *= r.units_a, all_b *= r.units_b;
  // Groups of units inside: full ones, and one of those that are left. Of groups a and b a + b - 1 pairs are one after
  // the other.
  const u64 full_a = x / all_a, left_a = x % all_a, full_b = y / all_b, left_b = y % all_b;
  const u64 of_both = sums_of_first(inside, left_a, left_b);
  if (full_a == 0) return full_b * sums_of_first(inside, left_a, all_b) + of_both;
  if (full_b == 0) return full_a * sums_of_first(inside, all_a, left_b) + of_both;
  const u64 of_full = sums_of_first(inside, all_a, all_b);
  const u64 by_steps = row.step_a == 0 || row.step_b == 0 ? 0 : distinct_sums(row.step_a, full_a, row.step_b, full_b);
  return std::max(by_steps * of_full,
                  (full_a + full_b - 1) * of_full + of_both +
                      std::max(sums_of_first(inside, left_a, all_b), sums_of_first(inside, all_a, left_b)));
}

// The least sum of cost(part) over parts of `size`, none more than `most`.
template <class CostOf>
u64 cheapest_parts(u64 size, u64 most, CostOf&& cost) {
  std::vector<u64> least(size + 1, ~u64{0});
  least[0] = 0;
  for (u64 n = 1; n <= size; ++n)
    for (u64 part = 1; part <= std::min(n, most); ++part) least[n] = std::min(least[n], least[n - part] + cost(part));
  return least[size];
}

// Units that work at a moment share out each dimension's elements: parts of them, none larger than there are units.
// Each part of a meets each of b.
u64 least_over_moments(u64 size_a, u64 size_b, std::span<const PlaceRow> rows) {
  u64 units_a = 1, units_b = 1;
  for (const PlaceRow& row : rows) units_a *= row.units_a, units_b *= row.units_b;
  units_a = std::min(units_a, size_a), units_b = std::min(units_b, size_b);
  if (units_a * size_a > kMostWork || units_b * size_b > kMostWork ||
      units_a * (units_b + units_b * size_b) > kMostWork)
    return 0;
  std::vector<u64> with(units_a + 1);
  for (u64 x = 1; x <= units_a; ++x) {
    std::vector<u64> sums(units_b + 1);
    for (u64 y = 1; y <= units_b; ++y) sums[y] = sums_of_first(rows, x, y);
    with[x] = cheapest_parts(size_b, units_b, [&](u64 y) { return sums[y]; });
  }
  return cheapest_parts(size_a, units_a, [&](u64 x) { return with[x]; });
}

}  // namespace

u64 DistinctPlaces::least(u64 size_a, u64 size_b, const std::vector<PlaceRow>& rows) {
  std::vector<u64> key{size_a, size_b};
  std::vector<PlaceRow> used;
  for (const PlaceRow& row : rows) {
    if (row.units_a * row.units_b == 1) continue;
    used.push_back(row);
    if (row.units_a == 1 || row.units_b == 1) used.back().step_a = used.back().step_b = 0;
    for (const u64 n : {used.back().units_a, used.back().units_b, used.back().step_a, used.back().step_b})
      key.push_back(n);
  }
  if (used.empty()) return size_a * size_b;
  return known_(std::move(key), [&] { return least_over_moments(size_a, size_b, used); });
}

}  // namespace heliolite
