#pragma once
// Things that users choose by name: the values of an enumeration by the list of their names, and the rows of a table,
// which have a `name`.
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/base/integers.h"

namespace heliolite {

// The value of that name; `names`: of the values from 0 on, in their order. None: there is no such one.
template <class Enum>
std::optional<Enum> find_named(const auto& names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  if (found == std::ranges::end(names)) return std::nullopt;
  return static_cast<Enum>(found - std::ranges::begin(names));
}

// The row of that name in a table that outlives the answer; null: there is no such one.
const auto* find_row(const auto& table, std::string_view name) {
  const auto found = std::ranges::find_if(table, [&](const auto& row) { return row.name == name; });
  return found == std::ranges::end(table) ? nullptr : &*found;
}

// The place of that row. None: there is no such one.
std::optional<int> place_of_row(const auto& table, std::string_view name) {
  const auto* const row = find_row(table, name);
  return row == nullptr ? std::nullopt : std::optional(static_cast<int>(row - std::ranges::data(table)));
}

// All names, in their order.
std::vector<std::string> names_of(const auto& names_or_rows) {
  std::vector<std::string> out;
  for (const auto& one : names_or_rows)
    if constexpr (requires { one.name; }) out.emplace_back(one.name);
    else out.emplace_back(one);
  return out;
}

// Enumerations with value_names(Enum) beside them: the names of their values from 0 on, as users write and read them.

template <std::size_t values>
using ValueNames = std::array<std::string_view, values>;

template <class Enum>
concept NamedEnum = std::is_enum_v<Enum> && requires(Enum value) {
  value_names(value);
};

constexpr std::string_view name(NamedEnum auto value) { return value_names(value)[at(value)]; }

template <NamedEnum Enum>
std::optional<Enum> find_named(std::string_view name) {
  return find_named<Enum>(value_names(Enum{}), name);
}

template <NamedEnum Enum>
std::vector<std::string> names_of() {
  return names_of(value_names(Enum{}));
}

}  // namespace heliolite
