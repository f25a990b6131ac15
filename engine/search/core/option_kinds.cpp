#include "engine/search/core/option_kinds.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/parse_number.h"

namespace heliolite {
namespace {

// Also 1e6: every whole number up to kMaxCount is a double.
std::optional<u64> parse_count(std::string_view text, u64 low, u64 high) {
  const std::optional<double> value = parse_number<double>(text);
  if (!value || *value != std::floor(*value) || *value < static_cast<double>(low) || *value > static_cast<double>(high))
    return std::nullopt;
  return static_cast<u64>(*value);
}

}  // namespace

SearchOption count_option(std::string_view name, std::string help, u64 low,
                          const std::function<void(SearchOptions&, u64)>& assign,
                          std::function<OptionValue(const SearchOptions&)> get, u64 high, std::string_view letter) {
  return {name,
          letter,
          "N",
          std::move(help),
          fmt::format("an integer from {} to {}", low, high),
          to_text(get(SearchOptions())),
          {},
          [=](SearchOptions& o, std::string_view text) {
            const std::optional<u64> value = parse_count(text, low, high);
            if (value) assign(o, *value);
            return value.has_value();
          },
          std::move(get),
          false,
          {},
          NumberRange{static_cast<double>(low), static_cast<double>(high)}};
}

SearchOption switch_option(std::string_view name, std::string help, bool SearchOptions::*member) {
  return {name,
          "",
          "",
          std::move(help),
          "true or false",
          "",
          {},
          [member](SearchOptions& o, std::string_view text) {
            if (text != "true" && text != "false") return false;
            o.*member = text == "true";
            return true;
          },
          [member](const SearchOptions& o) { return OptionValue(o.*member); }};
}

}  // namespace heliolite
