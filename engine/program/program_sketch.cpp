#include "engine/program/program_sketch.h"

#include <cstdlib>

namespace heliolite {
namespace {

// A form that is one term, whose names are hidden in it.
AffineForm term_of(const AffineForm& form, const std::string& text) {
  AffineForm out{{{text, 1}}, 0, form.inside};
  for (const auto& [name, factor] : form.coefficient)
    if (name.front() != '(' && !name.starts_with("floor(")) out.inside.insert(name);
  return out;
}

}  // namespace

std::string AffineForm::to_string() const {
  std::string text = "(";
  for (const auto& [name, factor] : coefficient) text += std::to_string(factor) + "*" + name + " + ";
  return text + std::to_string(constant) + ")";
}

AffineForm affine_name(const std::string& name) { return {{{name, 1}}, 0, {}}; }

std::optional<AffineForm> scaled(const AffineForm& form, i64 factor) {
  return factor == 0 ? AffineForm{} : [&]() -> std::optional<AffineForm> {
    AffineForm out;
    const i64 most = kMaxAffineCoefficient / std::abs(factor);
    if (std::abs(form.constant) > most) return std::nullopt;
    out.constant = form.constant * factor;
    out.inside = form.inside;
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
  out.inside.insert(b.inside.begin(), b.inside.end());
  if (std::abs(out.constant) > kMaxAffineCoefficient) return std::nullopt;
  for (const auto& [name, value] : b.coefficient) {
    i64& mine = out.coefficient[name];
    mine += value;
    if (std::abs(mine) > kMaxAffineCoefficient) return std::nullopt;
    if (mine == 0) out.coefficient.erase(name);
  }
  return out;
}

AffineForm quotient(const AffineForm& form, i64 divisor) {
  if (divisor == 1) return form;
  if (form.is_constant()) return {{}, form.constant / divisor, {}};
  return term_of(form, "floor(" + form.to_string() + "/" + std::to_string(divisor) + ")");
}

AffineForm remainder(const AffineForm& form, i64 divisor) {
  if (divisor == 1) return {};
  if (form.is_constant()) return {{}, form.constant % divisor, {}};
  return term_of(form, "(" + form.to_string() + " mod " + std::to_string(divisor) + ")");
}

}  // namespace heliolite
