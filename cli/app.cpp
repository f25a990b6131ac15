// The program: signals and streams are set up, then the command line runs, all commands and what they share, as CLI11
// parses them.
#include <fmt/format.h>
#include <heliolite/version.h>
#include <malloc.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/lines.h"
#include "cli/ui/long_work.h"
#include "cli/ui/output.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/search/core/objective.h"
#include "engine/search/core/option_table.h"
#include "workloads/compact_text.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  return mapped(app.get_subcommands({}), [&](const CLI::App* command) { return command->get_name(); });
}

// The options of the subcommand given, or of the program: "--json", "-a".
std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

// ", did you mean '-a eyeriss'?" for what stands without its option.
std::string option_for(const std::string& extra, const CLI::App& command) {
  const std::vector<std::string> options = option_names(command), machines = architecture_preset_names();
  const auto takes = [&](const char* option) { return std::ranges::find(options, option) != options.end(); };
  const std::string preset = extra.substr(0, extra.find_first_of("/@"));
  const bool machine = std::ranges::find(machines, extra) != machines.end();
  const std::vector<std::string> workloads = workload_preset_names();
  const bool workload = std::ranges::find(workloads, preset) != workloads.end() || is_compact_text(extra);
  if (machine && takes("-a")) return fmt::format(", did you mean '-a {}'?", extra);
  if (workload && takes("-w")) return fmt::format(", did you mean '-w {}'?", extra);
  if (takes("-a") && takes("-w")) return "; a machine goes to -a, a workload to -w";
  return takes("-w") ? "; a workload goes to -w" : "";
}

// What to write in place of an unknown option: the nearest known one, or what says today what a former one said.
std::string instead_of(const std::string& option, const CLI::App& command) {
  const std::vector<std::string> known = option_names(command);
  const std::string_view now =
      written_instead(std::string_view(option).substr(std::min<std::size_t>(2, option.size())));
  const bool searches = std::ranges::find(known, "--factors") != known.end();
  return now.empty() || !searches ? did_you_mean(option, known) : fmt::format(": {}", now);
}

// What CLI11 could not place: an unknown command or option, said with the nearest known one.
Diagnostics misplaced(const CLI::App& app) {
  const auto given = app.get_subcommands();
  const CLI::App& command = given.empty() ? app : *given.front();
  Diagnostics errors;
  bool after_option = false;  // then it is probably the option's value
  for (const std::string& extra : app.remaining(true)) {
    if (given.empty() && !extra.starts_with("-")) {
      const std::vector<std::string> known = command_names(app);
      errors.push_back(
          {"", 0, "",
           fmt::format("unknown command '{}'{}; commands: {}", extra, did_you_mean(extra, known), join(known))});
      break;  // the rest belonged to it
    }
    const bool option = extra.size() > 1 && extra.starts_with("-");
    if (!option && std::exchange(after_option, false)) continue;
    after_option = option;
    errors.push_back({"", 0, "",
                      fmt::format("{} '{}'{}", option ? "unknown option" : "unexpected argument", extra,
                                  option ? instead_of(extra, command) : option_for(extra, command))});
  }
  return errors;
}

int see_help(const CLI::App& app) {
  const auto given = app.get_subcommands();
  return fail(fmt::format("see heliolite {}--help", given.empty() ? "" : given.front()->get_name() + " "));
}

int fail_parse(const CLI::App& app, const CLI::ParseError& error) {
  const auto given = app.get_subcommands();
  const CLI::App& command = given.empty() ? app : *given.front();
  std::string message = error.what();
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() > 1 && option->get_items_expected_max() == 1)
      message = fmt::format("{} is given {} times, once is possible", option->get_name(), option->count());
    if (option->get_positional() && option->get_required() && option->count() == 0) {
      message = fmt::format("missing '{}': {}", option->get_name(), option->get_description());
      break;
    }
  }
  // What is missing may be there without its option.
  Diagnostics errors = misplaced(app);
  errors.push_back({"", 0, "", message});
  fail(errors);
  return see_help(app);
}

std::string presets_text() {
  return fmt::format("Machines:  {}\nWorkloads: {}\n", fmt::join(architecture_preset_names(), " "),
                     fmt::join(workload_preset_names(), " "));
}

void set_up(CLI::App& app) {
  app.name("heliolite");
  app.formatter(std::make_shared<HelpFormatter>());
  app.require_subcommand(0, 1);
  app.allow_extras(false);
  app.footer(
      "-a and -w take a preset's name, a file of ours or a Timeloop file; -w also text such as gemm:512x512x512\n"
      "or \"o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128\". Tables go to stdout, progress and warnings to stderr.\n"
      "Exit codes: 0 done, 1 nothing legal found or a check failed, 2 bad input.\n\n" +
      presets_text() +
      "\n"
      "Examples:\n"
      "  heliolite map -a eyeriss -w resnet18                    best mapping of every layer\n"
      "  heliolite map -a eyeriss -w resnet18 --json best.json   the same, mappings included\n"
      "  heliolite explain -a eyeriss -w resnet18 -m best.json --layer conv1\n"
      "  heliolite show                                          the presets; show eyeriss, show resnet18\n"
      "  heliolite orders -w gemm:512x512x512                    loop orders that can matter\n"
      "  heliolite space -a eyeriss -w gemm:512x512x512          size of the mapspace\n"
      "  heliolite bench configs/bench/quick.yaml                mappers side by side\n"
      "  heliolite help COMMAND                                  what it does and takes; also COMMAND --help");
}

// Refuses the name of an objective as an output where the command has one, which -o was once.
CLI::Validator no_objective(const CLI::App& command) {
  return CLI::Validator(
      [&command](std::string& text) {
        if (!parse_asked_objective(text) || command.get_option_no_throw("--objective") == nullptr) return std::string();
        return fmt::format(
            "-o is the output, here the answer as JSON; the objective is --objective {0} (a file of that "
            "name is ./{0})",
            text);
      },
      "");
}

// heliolite help COMMAND: what COMMAND --help says. To be added behind the others, whose names it takes.
void add_help_command(CommandLine& line) {
  auto name = std::make_shared<std::string>();
  const Command command(line, "help", "What a command does and takes");
  std::vector<std::string> commands = command_names(line.app);
  commands.emplace_back("man");  // added after this one, for it takes the names of all
  command.value("command", *name, "COMMAND", "Which one; none: all of them in a line each")
      ->transform(one_of(std::move(commands)));
  const auto run = [&app = line.app, name](const Output& o) {
    const std::string text = name->empty() ? app.help() : app.get_subcommand(*name)->help();
    Json answer = answer_head("help");
    answer["question"] = {{"command", *name}};
    answer["text"] = text;
    return o.document("", text) && o.json(answer) ? kSuccess : kBadInput;
  };
  command.runs(run, "Examples:\n  heliolite help\n  heliolite help map");
}

CLI::Option* add_target(CLI::App& command, Output& output, const std::string& names, std::string& target,
                        const std::string& help) {
  output.add_target(names.substr(0, names.find(',')), target);
  return command.add_option(names, target, help)->type_name("FILE");
}

}  // namespace

CLI::Validator whole_number(u64 low, u64 high) {
  return CLI::Validator(
      [low, high](std::string& text) {
        const std::optional<u64> value = parse_number<u64>(text);
        const bool good = value && *value >= low && *value <= high;
        return good ? std::string() : fmt::format("'{}' must be a whole number from {} to {}", text, low, high);
      },
      "");
}

CLI::Option* Command::target(const std::string& names, std::string& target, const std::string& help) const {
  return add_target(*app_, line_->output, names, target, help);
}

void Command::runs(Action action, const std::string& footer) const {
  // -o is the output: the answer, where a command has no other one.
  const bool free = app_->get_option_no_throw("-o") == nullptr;
  target(free ? "--json,-o" : "--json", line_->output.json_target,
         "Write the answer as JSON; - writes it to stdout instead of tables")
      ->check(no_objective(*app_));
  app_->add_flag_callback("--wide", set_unlimited_lines,
                          "Every row and text on one line, however wide the terminal is (without one: 120 columns)");
  app_->add_option_function<std::string>(
          "--color", [](const std::string& when) { set_colours(*find_colours(when)); },
          "Colours of verdicts and complaints: auto, on terminals unless NO_COLOR is set; always or never")
      ->type_name("WHEN")
      ->transform(one_of(colours_names()))
      ->default_str("auto");
  app_->add_flag("-q,--quiet", line_->output.quiet, "No progress and no notes on stderr");
  app_->footer(footer);
  app_->callback([line = line_, action = std::move(action)] { line->action = action; });
}

// Parses the command line, runs the command, returns the exit code.
int run_command_line(int argc, char** argv) {
  CommandLine line;
  auto& [app, output, action] = line;
  set_up(app);
  bool version = false;
  app.add_flag("--version", version, "Program, commit, compiler and options");
  add_target(app, output, "--json", output.json_target, "With --version: as JSON, - = stdout");
  add_map_command(line);
  add_eval_command(line);
  add_explain_command(line);
  add_orders_command(line);
  add_space_command(line);
  add_bound_command(line);
  add_simulate_command(line);
  add_emit_command(line);
  add_bench_command(line);
  add_sweep_command(line);
  add_merge_command(line);
  add_verify_command(line);
  add_check_proof_command(line);
  add_show_command(line);
  add_report_command(line);
  add_convert_command(line);
  add_check_command(line);
  add_diff_command(line);
  add_schema_command(line);
  add_completion_command(line);
  add_mcp_command(line);
  add_help_command(line);
  add_man_command(line);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto given = app.get_subcommands();
    output.table(given.empty() ? app.help() : given.front()->help());
    return output.lost() ? kBadInput : kSuccess;
  } catch (const CLI::ExtrasError&) {
    fail(misplaced(app));
    return see_help(app);
  } catch (const CLI::ParseError& e) {
    return fail_parse(app, e);
  }
  if (!output.claim_targets()) return kBadInput;
  if (version) {
    output.table(to_string(version_info()) + "\n");
    return output.json(version_json()) && !output.lost() ? kSuccess : kBadInput;
  }
  if (!action) {
    fail("no command given; commands: " + join(command_names(app)));
    return fail("see heliolite --help");
  }
  const int code = action(output);
  return output.lost() ? kBadInput : code;
}

// Searches take and give back tables of some 100 KB thousands of times a second. What is given back stays with the
// program: else the system clears every page anew, which takes up to a third of the time of searches of fused networks.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

}  // namespace heliolite::cli

// The library does not throw for bad input; what arrives here is a bug, and says so.
int main(int argc, char** argv) {
  // A file at its size limit is a write that fails and is complained about, not the end of the program.
  std::signal(SIGXFSZ, SIG_IGN);
  heliolite::cli::hold_standard_streams();
  heliolite::cli::keep_freed_memory();
  try {
    const int code = heliolite::cli::run_command_line(argc, argv);
    if (!heliolite::cli::work_goes_on()) return code;
    std::fflush(nullptr);
    std::_Exit(code);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heliolite: internal error, please report it with the command line: %s\n", e.what());
  } catch (...) {
    std::fprintf(stderr, "heliolite: internal error, please report it with the command line\n");
  }
  return heliolite::cli::kBug;
}
