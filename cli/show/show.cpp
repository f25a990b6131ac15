// heliolite show: the presets; a machine or a workload.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/show/show_parts.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/read_arguments.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

struct ShowArguments {
  std::string name, architecture, workload, layer, svg;
  bool instance = false, resolved = false, yaml = false, layers = false;
  ReadOptions reading;
};

// What the command shows: a machine or a workload of this name.
struct Subject {
  bool is_machine = false;
  std::string name;
};

Diagnostic unknown_name(const std::string& name) {
  std::vector<std::string> all = architecture_preset_names();
  const std::vector<std::string> workloads = workload_preset_names();
  all.insert(all.end(), workloads.begin(), workloads.end());
  return {"", 0, "",
          fmt::format("'{}' is neither a machine nor a workload{}; `heliolite show` lists the presets, or give a file",
                      shortened(name), did_you_mean(name, all))};
}

// What a name without -a or -w stands for.
Result<Subject> subject_called(const std::string& name) {
  std::error_code ignored;
  const bool there = std::filesystem::exists(name, ignored);
  if (there && !std::filesystem::is_regular_file(name, ignored))
    return Diagnostic{"", 0, "",
                      fmt::format("'{}' is no plain file, say what it has: -a for a machine, -w for a workload", name)};
  // A file with options of its network behind it: machines have none.
  if (!there && std::filesystem::is_regular_file(name.substr(0, name.rfind('@')), ignored)) return Subject{false, name};
  const bool machine = names_architecture(name);
  const bool preset = architecture_preset(name).has_value();
  const bool workload = names_workload(name) || (there && (preset || !machine));
  if (machine && workload)
    return Diagnostic{"", 0, "",
                      fmt::format("'{0}' is a machine and a workload; say which: -a {0} or -w {0}", shortened(name))};
  if (machine || workload) return Subject{machine, name};
  // What looks like a path gets the file system's complaint.
  if (name.find_first_of("/\\.") != std::string::npos) return Subject{true, name};
  return unknown_name(name);
}

Result<std::optional<Subject>> subject(const ShowArguments& arguments) {
  std::vector<Subject> given;
  if (!arguments.architecture.empty()) given.push_back({true, arguments.architecture});
  if (!arguments.workload.empty()) given.push_back({false, arguments.workload});
  if (given.size() + (arguments.name.empty() ? 0 : 1) > 1)
    return Diagnostic{"", 0, "", "one machine or one workload at a time"};
  if (!given.empty()) return std::optional(given.front());
  if (arguments.name.empty()) return std::optional<Subject>();
  const Result<Subject> called = subject_called(arguments.name);
  if (!called) return called.errors();
  return std::optional(*called);
}

// What tells editors where the schema is holds where the preset lies, not where its text is put.
std::string without_modeline(std::string_view text) {
  return std::string(text.starts_with("# yaml-language-server:") ? text.substr(text.find('\n') + 1) : text);
}

int show_yaml(const std::optional<std::string_view>& text, const std::string& name, const Output& output) {
  if (!text)
    return fail({{"", 0, "--yaml",
                  fmt::format("is of presets; {} is none, `heliolite convert` writes files", shortened(name))}});
  output.table(without_modeline(*text));
  return kSuccess;
}

int show_machine(const ShowArguments& arguments, const std::string& name, const Output& output) {
  if (arguments.layers)
    return fail({{"", 0, "--layers", fmt::format("is of workloads; {} is a machine", shortened(name))}});
  const Diagnostics refused = refuse_model_options(arguments.reading, fmt::format("{} is a machine", shortened(name)));
  if (!refused.empty()) return fail(refused);
  const std::optional<std::string_view> preset = architecture_preset(name);
  if (arguments.yaml && !preset) return show_yaml(preset, name, output);
  const Result<ArchitectureSource> machine = load_architecture_source(name, arguments.reading);
  if (!machine) return fail(machine.errors());
  output.report_notes(machine->architecture.notes);
  const bool yaml = arguments.yaml || (preset && !arguments.resolved);
  // A picture or JSON asked for by itself leaves the file out.
  if (yaml && arguments.svg.empty() && output.json_target.empty()) return show_yaml(preset, name, output);
  if (!yaml) output.table(arguments.resolved ? machine_text(*machine) : machine_summary(machine->architecture));
  Json answer = answer_head("show");
  answer["question"] = {{"machine", name}};
  add_machine(answer, *machine);
  const bool drawn = arguments.svg.empty() || output.write("--svg", machine_svg(machine->architecture));
  return output.json(answer) && drawn ? kSuccess : kBadInput;
}

int show_workload(const ShowArguments& arguments, const std::string& name, const Output& output) {
  if (!arguments.svg.empty())
    return fail({{"", 0, "--svg", fmt::format("is of machines; {} is a workload", shortened(name))}});
  if (arguments.resolved)
    return fail({{"", 0, "--resolved", fmt::format("is of machines; {} is a workload", shortened(name))}});
  if (arguments.yaml && arguments.layers) return fail("--yaml and --layers: one of them");
  if (arguments.yaml) return show_yaml(workload_preset(name), name, output);
  // Names of layers are those that other commands take for --layer, which look at each shape once.
  const Result<Network> network =
      load_workload(name, arguments.reading, output, arguments.layers ? Wanted::Shapes : Wanted::Edges);
  if (!network) return fail(network.errors());
  output.table(arguments.layers ? layer_names(*network) : network_text(*network));
  Json answer = answer_head("show");
  answer["question"] = {{"workload", name}};
  add_network(answer, *network);
  return output.json(answer) ? kSuccess : kBadInput;
}

int show_presets(const ShowArguments& arguments, const Output& output) {
  const auto alone = [](const char* option) { return Diagnostic{"", 0, option, "needs the name of what to show"}; };
  if (!arguments.svg.empty()) return fail({alone("--svg")});
  if (arguments.resolved) return fail({alone("--resolved")});
  if (arguments.yaml) return fail({alone("--yaml")});
  if (arguments.layers) return fail({alone("--layers")});
  const Diagnostics refused = refuse_model_options(arguments.reading, "needs its name");
  if (!refused.empty()) return fail(refused);
  output.table(preset_tables());
  Json answer = answer_head("show");
  answer["question"] = Json::object();
  add_preset_lists(answer);
  return output.json(answer) ? kSuccess : kBadInput;
}

int run(const ShowArguments& arguments, const Output& output) {
  if (arguments.instance)
    return show_instance(arguments.architecture, arguments.workload, arguments.layer, arguments.reading, output);
  if (!arguments.layer.empty()) return fail({{"", 0, "--layer", "is of --instance: must be left out"}});
  const Result<std::optional<Subject>> what = subject(arguments);
  if (!what) return fail(what.errors());
  if (!*what) return show_presets(arguments, output);
  const auto show = (*what)->is_machine ? show_machine : show_workload;
  return show(arguments, (*what)->name, output);
}

}  // namespace

void add_show_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<ShowArguments>();
  CLI::App* command = app.add_subcommand("show", "The presets; a machine or a workload");
  command->add_option("name", arguments->name, "A machine or a workload: preset, file or text; none: list the presets")
      ->type_name("A|W");
  command->add_option("-a,--architecture", arguments->architecture, "The same, a machine")->type_name("A");
  command->add_option("-w,--workload", arguments->workload, "The same, a workload")->type_name("W");
  command->add_option("-l,--layer", arguments->layer, "With --instance: the layer")->type_name("LAYER");
  command->add_flag("--instance", arguments->instance,
                    "With -a and -w: what mappings of a layer may be and cost, as proofs have it");
  command->add_flag("--resolved", arguments->resolved, "Every number of a machine, with where it comes from");
  command->add_flag("--yaml", arguments->yaml,
                    "The file of a preset, to start one's own with (a machine's: without --yaml too)");
  command->add_flag("--layers", arguments->layers, "Only the names of a workload's layers, one a line");
  add_target_option(*command, output, "--svg", arguments->svg, "Draw a machine's levels and fan-outs; - = stdout");
  add_read_options(*command, arguments->reading);
  add_output_options(*command, output);
  command->footer(
      "Examples:\n  heliolite show\n  heliolite show eyeriss > mine.yaml\n  heliolite show eyeriss --resolved\n"
      "  heliolite show simba --svg simba.svg\n  heliolite show resnet18\n  heliolite show resnet18 --layers");
  command->callback([&action, arguments] { action = [arguments](const Output& o) { return run(*arguments, o); }; });
}

}  // namespace heliolite::cli
