#pragma once
// Kinds of options that the table of options is made of: counts, switches, names.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/text.h"
#include "engine/base/types.h"
#include "engine/search/core/option_table.h"

namespace heliolite {

// Largest values of the options of a search.

inline constexpr double kMaxBudgetSeconds = 1e7;
inline constexpr u64 kMaxThreads = 1024;

// The largest seed and number of evaluations; a double still holds it exactly.
inline constexpr u64 kMaxCount = u64{1} << 53;

// Illegal mappings in a row after which Timeloop's mappers give up, and random, of whose draws fewer are legal.
inline constexpr u64 kTimeloopTimeout = 1'000, kRandomTimeout = 250'000;

// The search of uneven tiles looks at no more orders of the levels' stores, over all keep choices.
inline constexpr std::size_t kMostStoreOrders = 1 << 12;

template <class T>
OptionValue or_none(const std::optional<T>& value) {
  return value ? OptionValue(*value) : OptionValue();
}

// An option whose values are counts from `low`; 1e6 is one, too.
SearchOption count_option(std::string_view name, std::string help, u64 low,
                          const std::function<void(SearchOptions&, u64)>& assign,
                          std::function<OptionValue(const SearchOptions&)> get, u64 high = kMaxCount,
                          std::string_view letter = "");

// An option whose values are seconds, above 0 and at most kMaxBudgetSeconds.
SearchOption seconds_option(std::string_view name, std::string help, std::string standard,
                            const std::function<void(SearchOptions&, double)>& assign,
                            std::function<OptionValue(const SearchOptions&)> get);

// Where an option stands: a member of SearchOptions, or a function from them to a member of a strategy's own options.

// An option without a value: on or off.
template <class Member>
SearchOption switch_option(std::string_view name, std::string help, Member member) {
  return {name,
          "",
          "",
          std::move(help),
          "true or false",
          "",
          {},
          [member](SearchOptions& o, std::string_view text) {
            if (text != "true" && text != "false") return false;
            std::invoke(member, o) = text == "true";
            return true;
          },
          [member](const SearchOptions& o) { return OptionValue(std::invoke(member, o)); }};
}

// An option whose values are names.
template <class Parsed, class Member>
SearchOption named_option(std::string_view name, std::string_view letter, const std::string& help,
                          std::vector<std::string> names, std::optional<Parsed> (*parse)(std::string_view),
                          Member member) {
  const SearchOptions defaults;
  std::string allowed = join(names, "or");
  return {name,
          letter,
          "NAME",
          help + allowed,
          allowed,
          std::string(heliolite::name(std::invoke(member, defaults))),
          std::move(names),
          [=](SearchOptions& o, std::string_view text) {
            const std::optional<Parsed> value = parse(lower(std::string(text)));
            if (value) std::invoke(member, o) = *value;
            return value.has_value();
          },
          [=](const SearchOptions& o) { return OptionValue(std::string(heliolite::name(std::invoke(member, o)))); }};
}

template <class Member>
SearchOption named_option(std::string_view name, std::string_view letter, const std::string& help, Member member) {
  using Enum = std::decay_t<std::invoke_result_t<Member, SearchOptions&>>;
  std::optional<Enum> (*parse)(std::string_view) = find_named<Enum>;
  return named_option(name, letter, help, names_of<Enum>(), parse, member);
}

// The rows of the table of options that an evaluator adds (docs/evaluator.md).

SearchOption evaluator_option();
SearchOption evaluator_protocol_option();
SearchOption evaluator_seconds_option();

}  // namespace heliolite
