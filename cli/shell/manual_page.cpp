// Manual pages in roff, with the macros of man(7).
#include <fmt/format.h>
#include <heliolite/version.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "cli/shell/command_table.h"

namespace heliolite::cli {
namespace {

// The text as roff shows it: a hyphen is the character that one types, a dot begins no request.
std::string roff(const std::string& text) {
  std::string out;
  bool first = true;  // of a line
  for (const char c : text) {
    if (first && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    first = c == '\n';
  }
  return out;
}

std::string heading(const std::string& page, const std::string& help) {
  std::string title = page;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(
      ".\\\" Written by `heliolite man`.\n.TH {} 1 \"\" \"heliolite {}\" \"Heliolite\"\n.SH NAME\n{} \\- {}\n",
      roff(title), version_info().version, roff(page), roff(help));
}

std::string shown_value(const OptionRow& option) {
  return option.value.empty() ? "" : "\\fI" + roff(option.value) + "\\fR";
}

// ".TP", the option, and what it is for.
std::string item(const OptionRow& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back("\\fB" + roff(name) + "\\fR");
  std::string head = fmt::format("{}", fmt::join(names, ", "));
  if (!option.value.empty()) head += (head.empty() ? "" : " ") + shown_value(option);
  std::string text = ".TP\n" + head + "\n" + roff(option.help);
  if (!option.usual.empty()) text += roff(" (default " + option.usual + ")");
  text += ".\n";
  const auto said = [&](const std::string& choice) { return option.help.find(choice) != std::string::npos; };
  if (!std::ranges::all_of(option.choices, said))
    text += fmt::format("One of: {}.\n", roff(fmt::format("{}", fmt::join(option.choices, ", "))));
  return text;
}

std::string synopsis(const CommandRow& command) {
  std::string text = ".SH SYNOPSIS\n\\fBheliolite " + roff(command.name) + "\\fR";
  for (const OptionRow& option : command.options) {
    if (!option.required && !option.names.empty()) continue;
    const std::string name = option.names.empty() ? "" : "\\fB" + roff(option.names.front()) + "\\fR ";
    text += option.required ? " " + name + shown_value(option) : " [" + shown_value(option) + "]";
  }
  return text + " [\\fIoptions\\fR]\n";
}

// Each line where it stands, broken where it is too long.
std::string roff_lines(const std::string& paragraph) {
  std::string text;
  std::istringstream lines(paragraph);
  for (std::string line; std::getline(lines, line);) text += (text.empty() ? "" : ".br\n") + roff(line) + "\n";
  return text;
}

// The paragraphs of a footer; those that begin with a title and a colon, "Examples:", are sections, line by line.
std::string sections(const std::string& footer) {
  std::string text;
  for (std::size_t at = 0; at < footer.size();) {
    const std::size_t end = std::min(footer.find("\n\n", at), footer.size());
    const std::string paragraph = footer.substr(at, end - at);
    const std::size_t line = std::min(paragraph.find('\n'), paragraph.size());
    if (paragraph.substr(0, line) == "Examples:")
      text += ".SH EXAMPLES\n.nf\n" + roff(paragraph.substr(std::min(line + 1, paragraph.size()))) + "\n.fi\n";
    else text += ".PP\n" + roff_lines(paragraph);
    at = end + 2;
  }
  return text;
}

std::string option_section(const CommandRow& command) {
  std::string text = ".SH OPTIONS\n";
  for (const OptionRow& option : command.options) text += item(option);
  return text;
}

}  // namespace

std::string program_page(const CommandTable& table) {
  std::string text = heading("heliolite", "design\\-space exploration for tensor accelerators");
  text += ".SH SYNOPSIS\n\\fBheliolite\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n.SH DESCRIPTION\n" +
          roff(table.program.help) + "\n";
  text += ".SH COMMANDS\n";
  for (const CommandRow& command : table.commands)
    text += fmt::format(".TP\n\\fB{}\\fR\n{}; see \\fBheliolite\\-{}\\fR(1).\n", roff(command.name), roff(command.help),
                        roff(command.name));
  return text + option_section(table.program) + ".SH NOTES\n" + sections(table.program.footer);
}

std::string command_page(const CommandRow& command) {
  std::string text = heading("heliolite-" + command.name, command.help) + synopsis(command);
  text += ".SH DESCRIPTION\n" + roff(command.help) + ".\n" + option_section(command);
  if (!command.footer.empty()) {
    if (!command.footer.starts_with("Examples:")) text += ".SH NOTES\n";
    text += sections(command.footer);
  }
  return text + ".SH SEE ALSO\n\\fBheliolite\\fR(1)\n";
}

}  // namespace heliolite::cli
