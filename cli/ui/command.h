#pragma once
// How a command joins the command line: its file adds a subcommand with options and says what to run.
#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "cli/ui/output.h"
#include "engine/base/types.h"
#include "engine/search/core/limits.h"

namespace heliolite::cli {

// Set by the subcommand that was given; returns the exit code.
using Action = std::function<int(const Output&)>;

// --json and --quiet, the same for every command.
void add_output_options(CLI::App& command, Output& output);

// An option that names a file to write, "-" being standard output: claimed before the command runs, then written with
// Output::write("--name", ..) or, if it has a short name, "-n".
CLI::Option* add_target_option(CLI::App& command, Output& output, const std::string& names, std::string& target,
                               const std::string& help);

// Checks the text of a number in the words of the other complaints.
CLI::Validator whole_number(u64 low, u64 high);

void add_map_command(CLI::App& app, Output& output, Action& action);
void add_eval_command(CLI::App& app, Output& output, Action& action);
void add_explain_command(CLI::App& app, Output& output, Action& action);
void add_orders_command(CLI::App& app, Output& output, Action& action);
void add_space_command(CLI::App& app, Output& output, Action& action);
void add_bound_command(CLI::App& app, Output& output, Action& action);
void add_bench_command(CLI::App& app, Output& output, Action& action);
void add_sweep_command(CLI::App& app, Output& output, Action& action);
void add_merge_command(CLI::App& app, Output& output, Action& action);
void add_verify_command(CLI::App& app, Output& output, Action& action);
void add_report_command(CLI::App& app, Output& output, Action& action);

}  // namespace heliolite::cli
