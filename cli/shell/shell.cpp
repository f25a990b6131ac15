// heliolite completion, heliolite man: what shells and manuals know of the program, from its own options.
#include <algorithm>
#include <memory>
#include <utility>

#include "cli/shell/command_table.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/search_arguments.h"
#include "engine/base/named.h"

namespace heliolite::cli {
namespace {

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
  answer["commands"] = Json::array();
  for (const CommandRow& command : table.commands) answer["commands"].push_back(row_json(command));
  const auto command = std::ranges::find(table.commands, arguments.name, &CommandRow::name);
  const std::string text = command == table.commands.end() ? program_page(table) : command_page(*command);
  return write_text(arguments, text, answer, output);
}

}  // namespace

void add_completion_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<ShellArguments>();
  CLI::App* command = app.add_subcommand("completion", "What a shell needs to complete commands, options and presets");
  command->add_option("shell", arguments->name, "For which shell")
      ->required()
      ->type_name("SHELL")
      ->transform(one_of(shell_names()));
  add_target_option(*command, output, "-o", arguments->target, "Write it into a file; on stdout unless given");
  add_output_options(*command, output);
  command->footer(
      "cmake --install puts it where the shell finds it. By hand:\n"
      "  source <(heliolite completion bash)\n"
      "  heliolite completion zsh -o ~/.zfunc/_heliolite\n"
      "  heliolite completion fish | source");
  command->callback([&app, &action, arguments] {
    action = [&app, arguments](const Output& o) { return run_completion(app, *arguments, o); };
  });
}

void add_man_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<ShellArguments>();
  CLI::App* command = app.add_subcommand("man", "The manual page of a command, or of the program");
  std::vector<std::string> commands;
  for (const CLI::App* other : app.get_subcommands({})) commands.push_back(other->get_name());
  command->add_option("command", arguments->name, "Of which command; none: the program's page")
      ->type_name("COMMAND")
      ->transform(one_of(std::move(commands)));
  add_target_option(*command, output, "-o", arguments->target, "Write it into a file; on stdout unless given");
  add_output_options(*command, output);
  command->footer(
      "In roff, for man(1); cmake --install puts the pages where it finds them. --json: the options of all "
      "commands.\n\n"
      "Examples:\n  heliolite man map | man -l -\n  heliolite man --json options.json -o heliolite.1");
  command->callback([&app, &action, arguments] {
    action = [&app, arguments](const Output& o) { return run_man(app, *arguments, o); };
  });
}

}  // namespace heliolite::cli
