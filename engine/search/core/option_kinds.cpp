#include "engine/search/core/option_kinds.h"

#include <fmt/format.h>
#include <cmath>

namespace heliolite {
namespace {

// A count, also one written as 1e6: every whole number up to kMaxCount is a double.
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

SearchOption seconds_option(std::string_view name, std::string help, std::string standard,
                            const std::function<void(SearchOptions&, double)>& assign,
                            std::function<OptionValue(const SearchOptions&)> get) {
  return {name,
          "",
          "SECONDS",
          std::move(help),
          fmt::format("seconds above 0 and at most {:g}", kMaxBudgetSeconds),
          std::move(standard),
          {},
          [assign](SearchOptions& o, std::string_view text) {
            const std::optional<double> seconds = parse_number<double>(text);
            if (!seconds || *seconds <= 0 || *seconds > kMaxBudgetSeconds) return false;
            assign(o, *seconds);
            return true;
          },
          std::move(get),
          false,
          {},
          NumberRange{0, kMaxBudgetSeconds}};
}

SearchOption evaluator_option() {
  return {"evaluator",
          "",
          "COMMAND",
          "minimise the number that this command answers to a mapping on its standard input; run by /bin/sh",
          "a command",
          "",
          {},
          [](SearchOptions& o, std::string_view text) {
            if (trim(text).empty()) return false;
            o.evaluator.command = text;
            return true;
          },
          [](const SearchOptions& o) {
            return o.evaluator.command.empty() ? OptionValue() : OptionValue(o.evaluator.command);
          }};
}

SearchOption evaluator_protocol_option() {
  const auto protocol = [](auto& o) -> auto& { return o.evaluator.protocol; };
  return named_option("evaluator-protocol", "",
                      "a process of the evaluator for each mapping, or one that answers a line to each: ", protocol);
}

SearchOption evaluator_seconds_option() {
  return seconds_option(
      "evaluator-seconds", "that the evaluator's answer to a mapping may take", fmt::format("{:g}", kEvaluatorSeconds),
      [](SearchOptions& o, double seconds) { o.evaluator.seconds = seconds; },
      [](const SearchOptions& o) { return OptionValue(o.evaluator.seconds); });
}

}  // namespace heliolite
