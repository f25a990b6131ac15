#pragma once
// Integer linear expressions of names: 2*i - j + N + 1.
#include <map>
#include <optional>
#include <string>

#include "engine/base/types.h"

namespace heliolite {

// Coefficients and constants beyond it are refused: whatever is computed with them fits.
inline constexpr i64 kMaxAffineCoefficient = 1'000'000'000;

struct AffineForm {
  std::map<std::string, i64> coefficient;  // of each name, never 0
  i64 constant = 0;

  bool is_constant() const { return coefficient.empty(); }
  std::string to_string() const;  // in the notation of isl: "(2*i - 1*j + 1)"
};

AffineForm affine_name(const std::string& name);

// Nothing when a coefficient or a constant becomes too large.
std::optional<AffineForm> scaled(const AffineForm& form, i64 factor);
std::optional<AffineForm> sum(const AffineForm& a, const AffineForm& b);

}  // namespace heliolite
