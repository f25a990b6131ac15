#pragma once
// Every option of a search, once: its name, range, default and meaning. The command line, the files of sweeps and
// suites, the question repeated in JSON and the check of the documentation all come from this table.
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/search/core/options.h"

namespace heliolite {

// What an option is set to; nothing: no limit.
using OptionValue = std::variant<std::monostate, bool, u64, double, std::string, std::vector<std::string>>;

struct SearchOption {
  std::string_view name;           // "budget": the key in files; with "--" before it on the command line
  std::string_view letter;         // "o" for -o; may be empty
  std::string_view type;           // of the value as help shows it, "SECONDS"; empty: a switch
  std::string help;                // one phrase
  std::string allowed;             // what a value must be, to follow "must be"
  std::string usual;               // the default as a user would write it; empty: none
  std::vector<std::string> names;  // if it must be one of them
  // False if the value is not allowed; then nothing changes. A switch takes "true" or "false"; a list is set word by
  // word.
  std::function<bool(SearchOptions&, std::string_view)> set;
  std::function<OptionValue(const SearchOptions&)> get;
};

// In the order in which help shows them.
std::span<const SearchOption> search_option_table();
// One that is in the table.
const SearchOption& search_option(std::string_view name);

// "seconds above 0" and the like for a value that was refused, with the nearest name if names are what is allowed.
std::string must_be(const SearchOption& option, std::string_view value);

// The value as a user would write it; empty: none.
std::string to_text(const OptionValue& value);

// An option with the value that somebody gave it.
struct GivenOption {
  const SearchOption* option;
  std::string value;
};

}  // namespace heliolite
