// heliolite completion, heliolite man: what shells and manuals know of the program, from its own options.
#include <fmt/format.h>
#include <heliolite/version.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>
#include <utility>

#include "cli/shell/command_table.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"

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

// heliolite(1)
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

// heliolite-COMMAND(1)
std::string command_page(const CommandRow& command) {
  std::string text = heading("heliolite-" + command.name, command.help) + synopsis(command);
  text += ".SH DESCRIPTION\n" + roff(command.help) + ".\n" + option_section(command);
  if (!command.footer.empty()) {
    if (!command.footer.starts_with("Examples:")) text += ".SH NOTES\n";
    text += sections(command.footer);
  }
  return text + ".SH SEE ALSO\n\\fBheliolite\\fR(1)\n";
}

struct ShellArguments {
  std::string name;    // the shell, or the command of which the page is
  std::string target;  // -o
};

struct Shell {
  const char* name;
  std::string (*completion)(const CommandTable&);
};
constexpr Shell kShells[] = {{"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

std::vector<std::string> shell_names() { return names_of(kShells); }

Json row_json(const CommandRow& row) {
  Json json = {{"name", row.name}, {"help", row.help}, {"options", Json::array()}};
  for (const OptionRow& option : row.options)
    json["options"].push_back({{"names", option.names},
                               {"value", option.value},
                               {"choices", option.choices},
                               {"list", option.list},
                               {"required", option.required},
                               {"default", option.usual},
                               {"help", option.help}});
  return json;
}

int write_text(const ShellArguments& arguments, const std::string& text, const Json& answer, const Output& output) {
  return output.document(arguments.target, text) && output.json(answer) ? kSuccess : kBadInput;
}

int run_completion(const CLI::App& app, const ShellArguments& arguments, const Output& output) {
  const auto shell = std::ranges::find(kShells, arguments.name, &Shell::name);
  Json answer = answer_head("completion");
  answer["question"] = {{"shell", arguments.name}};
  const std::string text = shell->completion(command_table(app));
  answer["text"] = text;
  return write_text(arguments, text, answer, output);
}

int run_man(const CLI::App& app, const ShellArguments& arguments, const Output& output) {
  const CommandTable table = command_table(app);
  Json answer = answer_head("man");
  answer["question"] = {{"command", arguments.name}};
  answer["program"] = row_json(table.program);
  answer["commands"] = mapped(table.commands, row_json);
  const auto command = std::ranges::find(table.commands, arguments.name, &CommandRow::name);
  const std::string text = command == table.commands.end() ? program_page(table) : command_page(*command);
  return write_text(arguments, text, answer, output);
}

}  // namespace

void add_completion_command(CommandLine& line) {
  auto arguments = std::make_shared<ShellArguments>();
  const Command command(line, "completion", "What a shell needs to complete commands, options and presets");
  command.value("shell", arguments->name, "SHELL", "For which shell")->required()->transform(one_of(shell_names()));
  command.target("-o", arguments->target, "Write it into a file; on stdout unless given");
  command.runs([&line, arguments](const Output& o) { return run_completion(line.app, *arguments, o); },
               "cmake --install puts it where the shell finds it. By hand:\n"
               "  source <(heliolite completion bash)\n"
               "  heliolite completion zsh -o ~/.zfunc/_heliolite\n"
               "  heliolite completion fish | source");
}

void add_man_command(CommandLine& line) {
  auto arguments = std::make_shared<ShellArguments>();
  const Command command(line, "man", "The manual page of a command, or of the program");
  std::vector<std::string> commands;
  for (const CLI::App* other : line.app.get_subcommands({})) commands.push_back(other->get_name());
  command.value("command", arguments->name, "COMMAND", "Of which command; none: the program's page")
      ->transform(one_of(std::move(commands)));
  command.target("-o", arguments->target, "Write it into a file; on stdout unless given");
  command.runs([&line, arguments](const Output& o) { return run_man(line.app, *arguments, o); },
               "In roff, for man(1); cmake --install puts the pages where it finds them. --json: the options of all "
               "commands.\n\n"
               "Examples:\n  heliolite man map | man -l -\n  heliolite man --json options.json -o heliolite.1");
}

}  // namespace heliolite::cli
