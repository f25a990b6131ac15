#pragma once
// Every option of a search, once: its name, range, default and meaning. The command line, the files of sweeps and
// suites, the question repeated in JSON and the check of the documentation all come from this table.
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/result.h"
#include "engine/search/core/options.h"

namespace heliolite {

// The value of an option; std::monostate: it is not set, which means no limit.
using OptionValue = std::variant<std::monostate, bool, u64, double, std::string, std::vector<std::string>>;

struct NumberRange {
  double least = 0, most = 0;
};

// A row of the table.
struct SearchOption {
  std::string_view name;           // "budget": the key in files, and after "--" the option of the command line
  std::string_view letter;         // "o" for -o; may be empty
  std::string_view type;           // what help shows for the value, "SECONDS"; empty: a switch
  std::string help;                // one phrase
  std::string allowed;             // what a value must be: the end of a sentence that begins with "must be"
  std::string usual;               // the default as a user would write it; empty: none
  std::vector<std::string> names;  // the values allowed, if they are names; empty: it is a number or a switch
  // Sets the option from text. Returns false and changes nothing if the text is not allowed. A switch takes "true" or
  // "false"; for a list each call adds one name.
  std::function<bool(SearchOptions&, std::string_view)> set;
  std::function<OptionValue(const SearchOptions&)> get;
  bool list = false;                      // takes several values
  std::vector<Strategy> strategies = {};  // that have it; empty: all. Others refuse it
  std::optional<NumberRange> range = {};  // numbers that are allowed
};

// All options in the order in which help shows them.
std::span<const SearchOption> search_option_table();
// The option of this name, which must be in the table.
const SearchOption& search_option(std::string_view name);

// An option that there was, and what says today what it said.
struct FormerOption {
  std::string_view name, instead;
};
inline constexpr auto kFormerOptions = std::to_array<FormerOption>(
    {{"imperfect", "write factors any, which has all tile sizes and counts every word that moves"}});
// What is written in place of an option of this name; empty: there was none.
std::string_view written_instead(std::string_view former);

// What the options set that their strategy does not have: each by the option's name.
Diagnostics misplaced_options(const SearchOptions& options);

// What `value`, which the option refused, should have been: "seconds above 0". Where names are allowed, with the
// nearest of them.
std::string must_be(const SearchOption& option, std::string_view value);

// The value as a user would write it; empty if it is not set.
std::string to_text(const OptionValue& value);

// An option with the text that a user gave as its value.
struct GivenOption {
  const SearchOption* option;
  std::string value;
};

// Options by their names, with their values as texts, as programs give them.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

// The options in the table. Errors, all at once, each with the option as its field: names that nothing has, or nothing
// has any more, and values that are not allowed.
Result<std::vector<GivenOption>> given_options(const NamedValues& given);
// The defaults with these options set. Errors: those of misplaced_options().
Result<SearchOptions> options_with(std::span<const GivenOption> given);

}  // namespace heliolite
