#pragma once
// Reading an answer of --json for a page, which may be any JSON at all.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::answer_json {

using Json = nlohmann::ordered_json;

// A number or a text that an answer does not have is absent on the page, whatever stands in its place.

inline const Json& part(const Json& of, const char* key) {
  static const Json none;
  const auto found = of.is_object() ? of.find(key) : of.end();
  return found == of.end() ? none : *found;
}

inline std::optional<double> number(const Json& of, const char* key) {
  const Json& value = part(of, key);
  return value.is_number() ? std::optional<double>(value.get<double>()) : std::nullopt;
}

inline double number_or_0(const Json& of, const char* key) { return number(of, key).value_or(0); }

inline std::string text(const Json& of, const char* key) {
  const Json& value = part(of, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// Numbers as cells.

inline std::string whole(std::optional<double> n) {
  if (!n) return "";
  return *n >= 0 && *n < kExactInDoubles ? grouped(static_cast<u64>(std::llround(*n))) : fmt::format("{:.4g}", *n);
}

inline std::string energy(std::optional<double> pj) { return pj ? with_prefix(*pj * 1e-12, "J") : ""; }
inline std::string share(std::optional<double> of_one) { return of_one ? percent(*of_one) : ""; }
inline std::string digits(std::optional<double> n) { return n ? fmt::format("{:.4g}", *n) : ""; }

}  // namespace heliolite::answer_json
