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

#include "engine/base/field_reader.h"
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

// The options in YAML files of sweeps and mapper suites; the keys are the names in the table.

// The options as fields of a file, but for those in `leave`.
std::vector<FileField> search_option_fields(std::span<const std::string_view> leave = {});
FileField search_option_field(std::string_view name);

// Reads the keys of the map that are options of a search into `options`, but for the keys in `leave`. A value that is
// not allowed becomes a complaint in `errors`.
void read_search_options(FieldReader& reader, SearchOptions& options, Diagnostics& errors,
                         std::span<const std::string_view> leave = {});

// Complains about keys of options that there were, with what to write in their place.
void refuse_former_options(FieldReader& reader);

// Sets the option `name` to the value of `node`; a value that is not allowed becomes a complaint in `errors`.
void read_search_option(const YamlNode& node, std::string_view name, SearchOptions& options, Diagnostics& errors);

}  // namespace heliolite
