#pragma once
// Options of a search on a command's line, made from the table of options.
#include <initializer_list>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "engine/search/core/option_table.h"

namespace heliolite::cli {

class SearchArguments {
 public:
  // The options of these names; each complains by itself about a value that is not allowed. `before` goes in front of
  // their help; without it the defaults are shown, too.
  void add_to(CLI::App& command, std::initializer_list<std::string_view> names, const std::string& before = "");

  // What was given, checked; a list has one entry a word.
  std::vector<GivenOption> given() const;
  bool given(std::string_view name) const;
  // Into options that others may have set before.
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
