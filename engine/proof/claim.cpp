#include "engine/proof/claim.h"

#include <algorithm>

namespace heliolite::proof {
namespace {

using Limbs = std::array<u64, 4>;

// Whether the product fits.
bool multiply(Limbs& a, u64 by) {
  u128 carry = 0;
  for (u64& limb : a) {
    carry += u128{limb} * by;
    limb = static_cast<u64>(carry);
    carry >>= 64;
  }
  return carry == 0;
}

// Divides, and returns the remainder.
u64 divide(Limbs& a, u64 by) {
  u128 rest = 0;
  for (std::size_t k = a.size(); k-- > 0;) {
    rest = rest << 64 | a[k];
    a[k] = static_cast<u64>(rest / by);
    rest %= by;
  }
  return static_cast<u64>(rest);
}

void divide_up(Limbs& a, u64 by) {
  if (divide(a, by) == 0) return;
  for (u64& limb : a)
    if (++limb != 0) return;
}

std::string decimal(Limbs a) {
  std::string out;
  do out += static_cast<char>('0' + divide(a, 10));
  while (std::ranges::any_of(a, [](u64 limb) { return limb != 0; }));
  std::ranges::reverse(out);
  return out;
}

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

std::optional<Claim> Claim::of(Objective objective, u128 energy, u64 cycles, u64 scale) {
  Claim out;
  out.kind_ = objective.kind();
  out.cycles_ = cycles;
  out.value_ = {static_cast<u64>(energy), static_cast<u64>(energy >> 64), 0, 0};
  bool fits = true;
  switch (objective.kind()) {
    case Objective::Edp: fits = multiply(out.value_, cycles); break;
    case Objective::Ed2p: fits = multiply(out.value_, cycles) && multiply(out.value_, cycles); break;
    case Objective::Energy:
    case Objective::Delay: break;
    default: return std::nullopt;
  }
  out.scaled_ = out.value_;
  if (!multiply(out.scaled_, scale) || !fits) return std::nullopt;
  return out;
}

std::optional<Claim> Claim::of_curve(std::vector<ExactCost> corners, u64 scale) {
  constexpr int kMostBits = 120;
  if (corners.empty() || corners.front().energy > (u128{1} << kMostBits) / scale) return std::nullopt;
  Claim out;
  out.scale_ = scale;
  out.corners_ = std::move(corners);
  return out;
}

// Between two corners the line through both, rounded up.
u128 Claim::on_curve(u64 cycles) const {
  const auto next = std::ranges::upper_bound(corners_, cycles, {}, &ExactCost::cycles);
  if (next == corners_.begin()) return kNever;
  const ExactCost& last = *(next - 1);
  if (next == corners_.end()) return last.energy * scale_;
  const u128 step = (last.energy - next->energy) * scale_;
  Wide saved = {static_cast<u64>(step), static_cast<u64>(step >> 64), 0, 0};
  multiply(saved, cycles - last.cycles);
  divide(saved, next->cycles - last.cycles);
  return last.energy * scale_ - (u128{saved[1]} << 64 | saved[0]);
}

u128 Claim::least_energy(u64 cycles) const {
  if (!corners_.empty()) return on_curve(cycles);
  Wide least = scaled_;
  if (kind_ == Objective::Delay) {
    if (cycles != cycles_) return cycles > cycles_ ? 0 : kNever;
  } else if (kind_ != Objective::Energy) {
    divide_up(least, cycles);
    if (kind_ == Objective::Ed2p) divide_up(least, cycles);
  }
  if (least[2] != 0 || least[3] != 0) return kNever;
  return u128{least[1]} << 64 | least[0];
}

std::string Claim::text() const {
  std::string curve;
  for (const ExactCost& c : corners_)
    curve += " " + std::to_string(c.cycles) + " " +
             decimal({static_cast<u64>(c.energy), static_cast<u64>(c.energy >> 64), 0, 0});
  if (!curve.empty()) return "curve" + curve;
  const std::string energy = decimal(value_);
  if (kind_ == Objective::Delay) return "delay " + std::to_string(cycles_) + " " + energy;
  return std::string(name(Objective(kind_))) + " " + energy;
}

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
