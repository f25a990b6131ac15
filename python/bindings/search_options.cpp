#include "python/bindings/search_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.h"
#include "python/bindings/errors.h"

namespace heliolite::python {

std::vector<GivenOption> given_options(const GivenTexts& given) {
  std::vector<GivenOption> out;
  Diagnostics errors;
  for (const auto& [key, value] : given) {
    const auto option = std::ranges::find(search_option_table(), key, &SearchOption::name);
    if (option == search_option_table().end()) {
      std::vector<std::string> names;
      for (const SearchOption& known : search_option_table()) names.emplace_back(known.name);
      errors.push_back(
          {"", 0, key,
           fmt::format("unknown option '{}', must be {}{}", key, join(names, "or"), did_you_mean(key, names))});
      continue;
    }
    SearchOptions scratch;
    if (option->set(scratch, value)) out.push_back({&*option, value});
    else errors.push_back({"", 0, key, fmt::format("{} = {}, must be {}", key, value, must_be(*option, value))});
  }
  expect_none(std::move(errors));
  return out;
}

SearchOptions options_with(const std::vector<GivenOption>& given) {
  SearchOptions options;
  for (const GivenOption& one : given) one.option->set(options, one.value);
  expect_none(misplaced_options(options));
  return options;
}

}  // namespace heliolite::python
