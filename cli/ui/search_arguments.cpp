#include "cli/ui/search_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <variant>

#include "cli/ui/option_names.h"

namespace heliolite::cli {
namespace {

CLI::Validator allowed_by(const SearchOption& option) {
  return CLI::Validator(
      [&option](std::string& text) {
        SearchOptions scratch;
        return option.set(scratch, text) ? std::string() : fmt::format("'{}' must be {}", text, must_be(option, text));
      },
      option.names.empty() ? std::string() : in_braces(option.names));
}

// The letter may be another option's on this command.
std::string flags(const SearchOption& option, const CLI::App& command) {
  const std::string letter = fmt::format("-{}", option.letter), name = fmt::format("--{}", option.name);
  const bool free = !option.letter.empty() && command.get_option_no_throw(letter) == nullptr;
  return free ? letter + "," + name : name;
}

// To follow a colon.
std::string within_a_sentence(std::string help) {
  help.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(help.front())));
  return help;
}

}  // namespace

void SearchArguments::add_to(CLI::App& command, std::initializer_list<std::string_view> names,
                             const std::string& before) {
  for (const std::string_view name : names) {
    const SearchOption& option = search_option(name);
    Argument& argument = arguments_.emplace_back(Argument{&option, {}});
    const std::string help = before.empty() ? option.help : before + within_a_sentence(option.help);
    if (option.type.empty()) {
      command.add_flag(flags(option, command), argument.on, help);
      continue;
    }
    CLI::Option* const added = command.add_option(flags(option, command), argument.values, help);
    added->type_name(std::string(option.type))->check(allowed_by(option));
    if (option.list) {
      added->delimiter(',');
      continue;
    }
    added->expected(1);
    if (before.empty() && !option.usual.empty()) added->default_str(option.usual);
  }
}

std::vector<GivenOption> SearchArguments::given() const {
  std::vector<GivenOption> out;
  for (const Argument& argument : arguments_) {
    if (argument.on) out.push_back({argument.option, "true"});
    for (const std::string& value : argument.values) out.push_back({argument.option, value});
  }
  return out;
}

bool SearchArguments::given(std::string_view name) const {
  const auto all = given();
  return std::ranges::any_of(all, [&](const GivenOption& one) { return one.option->name == name; });
}

void SearchArguments::apply(SearchOptions& options) const {
  for (const GivenOption& one : given()) one.option->set(options, one.value);
}

Json options_json(const SearchOptions& options, std::initializer_list<std::string_view> leave) {
  Json out = Json::object();
  for (const SearchOption& option : search_option_table()) {
    if (std::ranges::find(leave, option.name) != leave.end()) continue;
    const auto json = [](const auto& value) -> Json {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) return Json();
      else return Json(value);
    };
    out[std::string(option.name)] = std::visit(json, option.get(options));
  }
  return out;
}

}  // namespace heliolite::cli
