#include "engine/search/cosa/power_sum.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

#include "engine/base/integers.h"

namespace heliolite {

// Of 2^less from low to high.
LinearForm PowerSum::chord(const Power& power) {
  const double slope = (std::exp2(power.high) - std::exp2(power.low)) / (power.high - power.low);
  return LinearForm(std::exp2(power.low) - slope * power.low).add(power.less, slope);
}

void PowerSum::add_to(Mip& mip, double limit, std::span<const std::vector<double>> seen) const {
  // Half a step from two tangents one apart a power is 6 % above them, from two half apart 1.5 %.
  constexpr std::array<double, 9> kPoints{0, -0.5, -1, -1.5, -2, -3, -4, -6, -9};
  constexpr double kLowest = -14, kHighest = 1;  // tangents elsewhere say little and are hard on the solver
  LinearForm sum;
  for (std::size_t k = 0; k < powers_.size(); ++k) {
    const Power& power = powers_[k];
    const int column = mip.add_column(fmt::format("{}_{}", name_, k), 0, kUnlimited, false);
    sum.add(column, 1);
    if (power.is_difference && power.low >= power.high) continue;
    int row = 0;
    const auto add_tangent = [&](double point) {
      const double slope = std::numbers::ln2 * std::exp2(point);
      LinearForm above = LinearForm().add(column, 1).add(power.exponent, -slope);
      if (power.is_difference) above.add(chord(power));
      mip.add_at_least(fmt::format("{}_{}_{}", name_, k, row++), above, std::exp2(point) - slope * point);
    };
    for (const double point : kPoints) add_tangent(point);
    for (const std::vector<double>& values : seen)
      if (const double point = power.exponent.value_at(values); point >= kLowest && point <= kHighest)
        add_tangent(point);
  }
  mip.add_at_most(name_, sum, limit);
}

}  // namespace heliolite
