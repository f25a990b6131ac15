#pragma once
// The commands of the command line, and their options: the file of each command adds a subcommand with its options and
// says what to run.
#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/search/core/option_table.h"
#include "engine/search/core/options.h"

namespace heliolite::cli {

// What to run, set by the subcommand that was given; returns the exit code.
using Action = std::function<int(const Output&)>;

// The program's command line, to which each command adds itself.
struct CommandLine {
  CLI::App app{"Maps tensor workloads onto accelerators and proves how good the mappings are."};
  Output output;
  Action action;
};

// A command on its way onto the command line: its options, where their values go, and what is run with them.
class Command {
 public:
  Command(CommandLine& line, const char* name, const char* help)
      : line_(&line), app_(line.app.add_subcommand(name, help)) {}

  CLI::App* operator->() const { return app_; }
  CLI::App& operator*() const { return *app_; }

  // Adds an option, or an argument without dashes, with a value, which help calls by the placeholder.
  template <class T>
  CLI::Option* value(const std::string& names, T& value, const std::string& placeholder,
                     const std::string& help) const {
    return app_->add_option(names, value, help)->type_name(placeholder);
  }

  // Adds an option that names a file to write, "-" being standard output. The file is claimed before the command runs;
  // the command writes it with Output::write(), by the option's long name, or by its short one if it has one.
  CLI::Option* target(const std::string& names, std::string& target, const std::string& help) const;

  // Behind all options: adds those that every command has, --json, --quiet and others, and says what to run.
  void runs(Action action, const std::string& footer) const;
  template <class Arguments>
  void runs(const std::shared_ptr<Arguments>& arguments, int (*run)(const Arguments&, const Output&),
            const std::string& footer) const {
    runs([arguments, run](const Output& output) { return run(*arguments, output); }, footer);
  }

 private:
  CommandLine* line_;
  CLI::App* app_;
};

// Checks that the text of an option is an integer from `low` to `high`.
CLI::Validator whole_number(u64 low, u64 high);

void add_map_command(CommandLine& line);
void add_eval_command(CommandLine& line);
void add_explain_command(CommandLine& line);
void add_orders_command(CommandLine& line);
void add_space_command(CommandLine& line);
void add_bound_command(CommandLine& line);
void add_simulate_command(CommandLine& line);
void add_emit_command(CommandLine& line);
void add_bench_command(CommandLine& line);
void add_sweep_command(CommandLine& line);
void add_merge_command(CommandLine& line);
void add_verify_command(CommandLine& line);
void add_check_proof_command(CommandLine& line);
void add_show_command(CommandLine& line);
void add_report_command(CommandLine& line);
void add_convert_command(CommandLine& line);
void add_check_command(CommandLine& line);
void add_diff_command(CommandLine& line);
void add_schema_command(CommandLine& line);
void add_completion_command(CommandLine& line);
// Behind all commands that it makes tools.
void add_mcp_command(CommandLine& line);
// Behind all other commands, whose names it takes.
void add_man_command(CommandLine& line);

// The form of --help: the usage with the required options, then one line for each option with its default at the end.

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

// Options of a search on a command's line, made from the table of options.

// Options whose values are names, which complaints, completions and manual pages list.

// The value must be one of these names, in any case; it becomes the name as written here. For Option::transform().
CLI::Validator one_of(std::vector<std::string> names);

// The value may be one of these names, or something else, which the command checks. For Option::check().
CLI::Validator offered(const std::vector<std::string>& names);

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
