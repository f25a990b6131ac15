#pragma once
// Integer linear expressions of names, and of quotients and remainders of such by numbers: 2*i - j % 2 + N / 4 + 1.
#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine/base/types.h"

namespace heliolite {

// Coefficients and constants beyond it are refused: whatever is computed with them fits.
inline constexpr i64 kMaxAffineCoefficient = 1'000'000'000;

struct AffineForm {
  std::map<std::string, i64> coefficient;  // of each name, quotient and remainder, in the notation of isl; never 0
  i64 constant = 0;
  std::set<std::string> inside{};  // names within quotients and remainders

  bool is_constant() const { return coefficient.empty(); }
  bool involves(const std::string& name) const { return coefficient.contains(name) || inside.contains(name); }
  std::string to_string() const;  // in the notation of isl: "(2*i - 1*j + 1)"
};

AffineForm affine_name(const std::string& name);

// Nothing when a coefficient or a constant becomes too large.
std::optional<AffineForm> scaled(const AffineForm& form, i64 factor);
std::optional<AffineForm> sum(const AffineForm& a, const AffineForm& b);

// form / divisor and form % divisor, divisor >= 1. C rounds to zero and isl down: they agree where the form is not
// negative; of constants it is C's.
AffineForm quotient(const AffineForm& form, i64 divisor);
AffineForm remainder(const AffineForm& form, i64 divisor);

}  // namespace heliolite
