#include "cli/ui/command.h"

#include <algorithm>
#include <sstream>

#include "cli/ui/lines.h"
#include "cli/ui/search_arguments.h"

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

}  // namespace heliolite::cli
