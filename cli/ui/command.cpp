#include "cli/ui/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>
#include <variant>

#include "cli/ui/lines.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kFirstColumn = 34;  // of CLI11, with what it leaves free
constexpr std::size_t kLeastDescription = 36;

std::string wrapped(const std::string& text) {
  std::istringstream words(text);
  std::string out, word;
  const std::size_t width = std::max(line_width(), kFirstColumn + kLeastDescription) - kFirstColumn;
  std::size_t column = 0;
  while (words >> word) {
    if (column > 0 && column + 1 + word.size() > width) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out;
}

// CLI11 shows it behind the placeholder, "NAME:{a,b}", the only place where it keeps what a validator says of itself.
std::string in_braces(const std::vector<std::string>& names) { return fmt::format("{{{}}}", fmt::join(names, ",")); }

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

std::string HelpFormatter::make_usage(const CLI::App* app, std::string /*name*/) const {
  if (app->get_parent() == nullptr) return "\nUsage: heliolite COMMAND [options]\n";
  std::string usage = "\nUsage: heliolite " + app->get_name();
  for (const CLI::Option* option : app->get_options()) {
    if (!option->get_required()) continue;
    const bool positional = option->get_snames().empty();
    usage += (positional ? "" : " -" + option->get_snames().front()) + " " + placeholder(*option);
  }
  return usage + " [options]\n";
}

std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  if (option->get_type_size() == 0 || option->get_positional()) return "";
  return " " + placeholder(*option);
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  const std::string value = option->get_default_str();
  return wrapped(option->get_description() + (value.empty() ? "" : " (default " + value + ")"));
}

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

std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find(":{"), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  return split(type.substr(open + 2, close - open - 2), ',');
}

std::string placeholder(const CLI::Option& option) {
  const std::string name = option.get_type_name();
  return name.substr(0, name.find(':'));
}

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
