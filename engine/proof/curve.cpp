#include "engine/proof/curve.h"

#include <algorithm>

namespace heliolite::proof {
namespace {

using boost::multiprecision::cpp_int;
using boost::multiprecision::cpp_rational;

constexpr unsigned kMostCycleBits = 62;

// The greatest integer that is not above a number that is not negative.
cpp_int floor_of(const cpp_rational& x) { return numerator(x) / denominator(x); }

// The energy at `cycles` that no line is above.
u128 energy_under(const std::vector<ExactLine>& lines, const cpp_int& cycles) {
  cpp_rational highest = 0;
  for (const ExactLine& line : lines) highest = std::max<cpp_rational>(highest, line.value - line.lambda * cycles);
  return static_cast<u128>(floor_of(highest));
}

}  // namespace

std::vector<ExactCost> lower_hull(std::vector<ExactCost> points) {
  std::ranges::sort(points, {}, [](const ExactCost& p) { return std::pair(p.cycles, p.energy); });
  // Whether the way from a to b saves no more in a cycle than that from b to c.
  const auto is_no_corner = [](const ExactCost& a, const ExactCost& b, const ExactCost& c) {
    using Wide = boost::multiprecision::uint256_t;
    return Wide(a.energy - b.energy) * (c.cycles - b.cycles) <= Wide(b.energy - c.energy) * (b.cycles - a.cycles);
  };
  std::vector<ExactCost> out;
  for (const ExactCost& p : points) {
    if (!out.empty() && p.energy >= out.back().energy) continue;
    while (out.size() > 1 && is_no_corner(out[out.size() - 2], out.back(), p)) out.pop_back();
    out.push_back(p);
  }
  return out;
}

std::vector<ExactCost> points_under(const std::vector<ExactLine>& lines, u64 least_cycles) {
  std::vector<ExactCost> out{{energy_under(lines, least_cycles), least_cycles}};
  for (std::size_t a = 0; a < lines.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (lines[a].lambda == lines[b].lambda) continue;
      const cpp_rational crossing = (lines[a].value - lines[b].value) / (lines[a].lambda - lines[b].lambda);
      if (crossing <= least_cycles || crossing >= cpp_int(1) << kMostCycleBits) continue;
      const cpp_int before = floor_of(crossing), behind = before + 1;
      for (const cpp_int& cycles : {before, behind})
        out.push_back({energy_under(lines, cycles), static_cast<u64>(cycles)});
    }
  return out;
}

}  // namespace heliolite::proof
