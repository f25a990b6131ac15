#include "engine/program/affine_form.h"

#include <cstdlib>

namespace heliolite {

std::string AffineForm::to_string() const {
  std::string text = "(";
  for (const auto& [name, factor] : coefficient) text += std::to_string(factor) + "*" + name + " + ";
  return text + std::to_string(constant) + ")";
}

AffineForm affine_name(const std::string& name) { return {{{name, 1}}, 0}; }

std::optional<AffineForm> scaled(const AffineForm& form, i64 factor) {
  return factor == 0 ? AffineForm{} : [&]() -> std::optional<AffineForm> {
    AffineForm out;
    const i64 most = kMaxAffineCoefficient / std::abs(factor);
    if (std::abs(form.constant) > most) return std::nullopt;
    out.constant = form.constant * factor;
    for (const auto& [name, value] : form.coefficient) {
      if (std::abs(value) > most) return std::nullopt;
      out.coefficient[name] = value * factor;
    }
    return out;
  }();
}

std::optional<AffineForm> sum(const AffineForm& a, const AffineForm& b) {
  AffineForm out = a;
  out.constant += b.constant;
  if (std::abs(out.constant) > kMaxAffineCoefficient) return std::nullopt;
  for (const auto& [name, value] : b.coefficient) {
    i64& mine = out.coefficient[name];
    mine += value;
    if (std::abs(mine) > kMaxAffineCoefficient) return std::nullopt;
    if (mine == 0) out.coefficient.erase(name);
  }
  return out;
}

}  // namespace heliolite
