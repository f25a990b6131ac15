#pragma once
// The commands of the command line: the file of each adds a subcommand with its options and says what to run.
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/search/core/options.h"

namespace heliolite::cli {

// What to run, set by the subcommand that was given; returns the exit code.
using Action = std::function<int(const Output&)>;

// Adds --json and --quiet, which every command has.
void add_output_options(CLI::App& command, Output& output);

// Adds an option that names a file to write, "-" being standard output. The file is claimed before the command runs;
// the command writes it with Output::write(), by the option's long name, or by its short one if it has one.
CLI::Option* add_target_option(CLI::App& command, Output& output, const std::string& names, std::string& target,
                               const std::string& help);

// Checks that the text of an option is an integer from `low` to `high`.
CLI::Validator whole_number(u64 low, u64 high);

void add_map_command(CLI::App& app, Output& output, Action& action);
void add_eval_command(CLI::App& app, Output& output, Action& action);
void add_explain_command(CLI::App& app, Output& output, Action& action);
void add_orders_command(CLI::App& app, Output& output, Action& action);
void add_space_command(CLI::App& app, Output& output, Action& action);
void add_bound_command(CLI::App& app, Output& output, Action& action);
void add_simulate_command(CLI::App& app, Output& output, Action& action);
void add_emit_command(CLI::App& app, Output& output, Action& action);
void add_bench_command(CLI::App& app, Output& output, Action& action);
void add_sweep_command(CLI::App& app, Output& output, Action& action);
void add_merge_command(CLI::App& app, Output& output, Action& action);
void add_verify_command(CLI::App& app, Output& output, Action& action);
void add_check_proof_command(CLI::App& app, Output& output, Action& action);
void add_show_command(CLI::App& app, Output& output, Action& action);
void add_report_command(CLI::App& app, Output& output, Action& action);
void add_convert_command(CLI::App& app, Output& output, Action& action);
void add_check_command(CLI::App& app, Output& output, Action& action);
void add_diff_command(CLI::App& app, Output& output, Action& action);
void add_schema_command(CLI::App& app, Output& output, Action& action);
void add_completion_command(CLI::App& app, Output& output, Action& action);
// Behind all commands that it makes tools.
void add_mcp_command(CLI::App& app, Output& output, Action& action);
// Behind all other commands, whose names it takes.
void add_man_command(CLI::App& app, Output& output, Action& action);

// The form of --help: the usage with the required options, then one line for each option with its default at the end.

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
};

}  // namespace heliolite::cli
