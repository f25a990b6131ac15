#pragma once
// Options of a search on a command's line, made from the table of options.
#include <CLI/CLI.hpp>
#include <initializer_list>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ui/json.h"
#include "engine/search/core/option_table.h"

namespace heliolite::cli {

// Options whose values are names, which complaints, completions and manual pages list.

// The value must be one of these names, in any case; it becomes the name as written here. For Option::transform().
CLI::Validator one_of(std::vector<std::string> names);

// The value may be one of these names, or something else, which the command checks. For Option::check().
CLI::Validator offered(const std::vector<std::string>& names);

// What an option's validator that allows these names says of itself, for choices_of().
std::string in_braces(const std::vector<std::string>& names);

// The names that a validator of the option allows; none for other options.
std::vector<std::string> choices_of(const CLI::Option& option);

// "FILE": what help shows for the value, without what it may be.
std::string placeholder(const CLI::Option& option);

// The options of a search that one command takes, and what was given for them.
class SearchArguments {
 public:
  // Adds the options of these names, which check their values. `before` is put in front of their help; without it the
  // defaults are shown, too.
  void add_to(CLI::App& command, std::initializer_list<std::string_view> names, const std::string& before = "");

  // The options that were given, checked; a list has one entry for each word.
  std::vector<GivenOption> given() const;
  // Whether the option of this name was given.
  bool given(std::string_view name) const;
  // Sets the options that were given and leaves the others as they are.
  void apply(SearchOptions& options) const;

 private:
  struct Argument {
    const SearchOption* option;
    std::vector<std::string> values;
    bool on = false;
  };
  std::list<Argument> arguments_;  // the parser points into it
};

// The values of all options but those in `leave`, by their names; null: no limit.
Json options_json(const SearchOptions& options, std::initializer_list<std::string_view> leave = {});

}  // namespace heliolite::cli
