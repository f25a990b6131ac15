#include "cli/ui/option_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.h"

namespace heliolite::cli {

// CLI11 shows it behind the placeholder, "NAME:{a,b}", the only place where it keeps what a validator says of itself.
std::string in_braces(const std::vector<std::string>& names) { return fmt::format("{{{}}}", fmt::join(names, ",")); }

CLI::Validator one_of(std::vector<std::string> names) {
  std::string said = in_braces(names);
  return CLI::Validator(
      [names = std::move(names)](std::string& text) {
        const auto found = std::ranges::find(names, lower(text), [](const std::string& name) { return lower(name); });
        if (found == names.end())
          return fmt::format("unknown name '{}'{}; known: {}", text, did_you_mean(text, names), join(names));
        text = *found;
        return std::string();
      },
      std::move(said));
}

CLI::Validator offered(const std::vector<std::string>& names) {
  return CLI::Validator([](std::string&) { return std::string(); }, in_braces(names));
}

std::vector<std::string> names_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find(":{"), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return split(type.substr(open + 2, close - open - 2), ',');
}

std::string placeholder(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

}  // namespace heliolite::cli
