// heliolite show: the presets; a workload's network as tables and as JSON; a machine; the instance that a proof is of.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/show/show_parts.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "cli/ui/units.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/proof/instance.h"
#include "engine/search/core/options.h"
#include "workloads/edge_ranks.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

// Shows the instance of a layer on each compute unit that can run it (docs/proofs.md), and returns the exit code.
int show_instance(const std::string& architecture, const std::string& workload, const std::string& layer,
                  const proof::InstanceOptions& options, const ReadOptions& reading, const Output& output) {
  if (architecture.empty() || workload.empty())
    return fail({{"", 0, "--instance", "is of a machine and a layer: needs -a and -w"}});
  const Result<Inputs> inputs = load_inputs(architecture, workload, reading);
  if (!inputs) return fail(inputs.errors());
  output.report_notes(inputs->notes());
  const Result<Workload> picked = pick_layer(inputs->network, layer);
  if (!picked) return fail(picked.errors());
  const auto instances = proof::instances_of(*picked, inputs->architecture, options);
  if (!instances) return fail(instances.errors());
  std::string text;
  for (const proof::UnitInstance& i : *instances) text += proof::text_of(i.instance);
  if (!output.document("", text)) return kBadInput;
  Json answer = answer_head("show");
  answer["question"] = {{"machine", architecture}, {"workload", workload}, {"layer", picked->name}};
  answer["instance"] = text;
  return output.json(answer) ? kSuccess : kBadInput;
}

// A network as tables and as JSON: its layers, what they compute, and the edges between them.

std::string source_name(const Network& network, const Edge& edge) {
  return edge.from_input ? network.inputs[edge.from].name : network.layers[edge.from].workload.name;
}

const std::string& operand_name(const Network& network, const Edge& edge) {
  return network.layers[edge.to].workload.tensors[edge.tensor].name;
}

std::string layers_table(const Network& network) {
  Table table({"<layer", "count", "<size", "MACs", "<words"});
  for (const Layer& layer : network.layers) {
    const Workload& w = layer.workload;
    std::vector<std::string> words;
    for (std::size_t v = 0; v < w.tensors.size(); ++v)
      words.push_back(fmt::format("{} {}{}", w.tensors[v].name, grouped(w.tensor_words(static_cast<int>(v))),
                                  size_text(w.tensors[v])));
    table.row(
        {w.name, grouped(layer.count), sizes_text(w), grouped(w.macs()), fmt::format("{}", fmt::join(words, ", "))});
  }
  table.rule();
  table.row({"total", grouped(network.runs()), "", grouped(network.macs()), ""});
  return table.to_string();
}

std::string through_text(const Through& through) {
  if (through.op == Operator::None) return "";
  if (through.op == Operator::Pool) return fmt::format("pool {} stride {}", through.window, through.stride);
  if (through.op == Operator::Resize) return fmt::format("resize {}", through.factor);
  return std::string(name(through.op));
}

std::string combine_text(const Edge& edge) {
  return edge.combine == Combine::Alone ? "" : std::string(name(edge.combine));
}

std::string edges_table(const Network& network) {
  Table table({"<from", "<to", "<tensor", "<through", "<combined by", "<repetitions", "<ranks"});
  for (const Edge& edge : network.edges) {
    const EdgeRanks ranks = edge_ranks(network, edge);
    table.row({source_name(network, edge) + (edge.from_input ? " (input)" : ""), network.layers[edge.to].workload.name,
               operand_name(network, edge), through_text(edge.through), combine_text(edge), repeats_text(network, edge),
               ranks.fused() ? ranks_text(network, ranks) : "not fused: " + ranks.why_not});
  }
  return table.to_string() + "  ranks: which of the maker (of an input, its first reader) are which of the reader\n";
}

Json names_json(const Workload& workload, const std::vector<int>& dimensions) {
  return mapped(dimensions, [&](const int d) { return workload.dimensions[d].name; });
}

// "ranks" and "not_fused" of docs/json.md.
void add_ranks(Json& json, const Network& network, const EdgeRanks& ranks) {
  json["ranks"] = Json::array();
  for (const RankMatch& match : ranks.matches) {
    Json pair{{"maker", names_json(network.layers[ranks.maker.layer].workload, match.maker)},
              {"reader", names_json(network.layers[ranks.reader.layer].workload, match.reader)},
              {"divides", match.divides},
              {"whole", match.whole}};
    pair["window"] = match.slides ? Json(match.window) : Json();
    pair["stride"] = match.slides ? Json(match.stride) : Json();
    json["ranks"].push_back(pair);
  }
  json["not_fused"] = ranks.fused() ? Json() : Json(ranks.why_not);
}

}  // namespace

std::string layer_names(const Network& network) {
  std::string names;
  for (const Layer& layer : network.layers) names += layer.workload.name + "\n";
  return names;
}

std::string network_text(const Network& network) {
  std::string text = fmt::format("{}: {} {}, {} MACs\n\n", network.name, network.layers.size(),
                                 network.layers.size() == 1 ? "layer" : "layers", grouped(network.macs()));
  if (!network.one_run.empty()) text += fmt::format("  A run is no inference: {}.\n\n", network.one_run);
  if (network.tokens)
    text += fmt::format("  {} token{} in a run, for each input of the batch.\n\n", grouped(*network.tokens),
                        *network.tokens == 1 ? "" : "s");
  text += layers_table(network);
  if (network.edges.empty())
    return text + (network.layers.size() > 1 ? "\n  No edges: what feeds what is not stated.\n" : "");
  return text + "\n" + edges_table(network);
}

void add_network(Json& answer, const Network& network) {
  answer["name"] = network.name;
  answer["macs"] = network.macs();
  answer["batch"] = network.batch;
  answer["tokens"] = network.tokens ? Json(*network.tokens) : Json();
  answer["one_run"] = network.one_run.empty() ? Json() : Json(network.one_run);
  answer["layers"] = Json::array();
  for (const Layer& layer : network.layers) {
    const Workload& w = layer.workload;
    Json json = question(w), tensors = Json::object();
    for (std::size_t v = 0; v < w.tensors.size(); ++v) {
      Json& tensor = tensors[w.tensors[v].name];
      tensor = {{"role", name(w.tensors[v].role)}, {"words", w.tensor_words(static_cast<int>(v))}};
      if (w.tensors[v].word_bits) tensor["word_bits"] = *w.tensors[v].word_bits;
    }
    json["count"] = layer.count;
    json["tensors"] = tensors;
    answer["layers"].push_back(json);
  }
  answer["inputs"] = Json::array();
  for (const Input& input : network.inputs)
    answer["inputs"].push_back(
        {{"name", input.name}, {"words", input.words}, {"same_in_repeats", input.same_in_repeats}});
  answer["edges"] = Json::array();
  for (const Edge& edge : network.edges) {
    answer["edges"].push_back({{"from", source_name(network, edge)},
                               {"from_input", edge.from_input},
                               {"to", network.layers[edge.to].workload.name},
                               {"tensor", operand_name(network, edge)},
                               {"through", name(edge.through.op)},
                               {"combine", name(edge.combine)},
                               {"repetitions", repeats_text(network, edge)}});
    add_ranks(answer["edges"].back(), network, edge_ranks(network, edge));
  }
}

namespace {

struct ShowArguments {
  std::string name, architecture, workload, layer, svg;
  bool instance = false, resolved = false, yaml = false, layers = false;
  proof::InstanceOptions mapspace;  // of the instance
  std::string tiles{heliolite::name(Tiles::Even)};
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
  for (const auto& [option, is_given] : {std::pair{"--svg", !arguments.svg.empty()},
                                         {"--resolved", arguments.resolved},
                                         {"--yaml", arguments.yaml},
                                         {"--layers", arguments.layers}})
    if (is_given) return fail({{"", 0, option, "needs the name of what to show"}});
  const Diagnostics refused = refuse_model_options(arguments.reading, "needs its name");
  if (!refused.empty()) return fail(refused);
  output.table(preset_tables());
  Json answer = answer_head("show");
  answer["question"] = Json::object();
  add_preset_lists(answer);
  return output.json(answer) ? kSuccess : kBadInput;
}

int run(const ShowArguments& arguments, const Output& output) {
  proof::InstanceOptions mapspace = arguments.mapspace;
  mapspace.tiles = *find_named<Tiles>(arguments.tiles);
  if (arguments.instance)
    return show_instance(arguments.architecture, arguments.workload, arguments.layer, mapspace, arguments.reading,
                         output);
  for (const auto& [option, is_given] : {std::pair{"--layer", !arguments.layer.empty()},
                                         {"--free", mapspace.free},
                                         {"--open", mapspace.open},
                                         {"--tiles", mapspace.tiles != Tiles::Even}})
    if (is_given) return fail({{"", 0, option, "is of --instance: must be left out"}});
  const Result<std::optional<Subject>> what = subject(arguments);
  if (!what) return fail(what.errors());
  if (!*what) return show_presets(arguments, output);
  const auto show = (*what)->is_machine ? show_machine : show_workload;
  return show(arguments, (*what)->name, output);
}

}  // namespace

void add_show_command(CommandLine& line) {
  auto arguments = std::make_shared<ShowArguments>();
  const Command command(line, "show", "The presets; a machine or a workload");
  command.value("name", arguments->name, "A|W",
                "A machine or a workload: preset, file or text; none: list the presets");
  command.value("-a,--architecture", arguments->architecture, "A", "The same, a machine");
  command.value("-w,--workload", arguments->workload, "W", "The same, a workload");
  command.value("-l,--layer", arguments->layer, "LAYER", "With --instance: the layer");
  command->add_flag("--instance", arguments->instance,
                    "With -a and -w: what mappings of a layer may be and cost, as proofs have it");
  command->add_flag("--free", arguments->mapspace.free, "With --instance: lift the machine's dataflow constraints");
  command->add_flag("--open", arguments->mapspace.open, "With --instance: lift the machine's keep rules");
  command.value("--tiles", arguments->tiles, "TILES", "With --instance: even, or uneven tiles, too")
      ->transform(one_of(names_of<Tiles>()));
  command->add_flag("--resolved", arguments->resolved, "Every number of a machine, with where it comes from");
  command->add_flag("--yaml", arguments->yaml,
                    "The file of a preset, to start one's own with (a machine's: without --yaml too)");
  command->add_flag("--layers", arguments->layers, "Only the names of a workload's layers, one a line");
  command.target("--svg", arguments->svg, "Draw a machine's levels and fan-outs; - = stdout");
  add_read_options(*command, arguments->reading);
  command.runs(
      arguments, run,
      "Examples:\n  heliolite show\n  heliolite show eyeriss > mine.yaml\n  heliolite show eyeriss --resolved\n"
      "  heliolite show simba --svg simba.svg\n  heliolite show resnet18\n  heliolite show resnet18 --layers");
}

}  // namespace heliolite::cli
