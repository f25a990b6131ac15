#include "cli/ui/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "cli/ui/command.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/onnx/inputs.h"
#include "engine/model/running_units.h"
#include "engine/network/fused_cost.h"
#include "engine/search/core/option_kinds.h"
#include "engine/space/constraint_notes.h"
#include "workloads/word_bits.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

Result<std::pair<std::string, i64>> read_parameter(const std::string& text) {
  const std::size_t equals = text.find('=');
  const Diagnostic wrong{"", 0, "--param", fmt::format("'{}': must be NAME=NUMBER, e.g. N=1000", text)};
  if (equals == std::string::npos || equals == 0) return wrong;
  const std::string digits = text.substr(equals + 1);
  if (digits.empty() || digits.size() > 12 || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    return wrong;
  return std::pair{text.substr(0, equals), static_cast<i64>(std::stoll(digits))};
}

}  // namespace

bool is_program(std::string_view workload) { return workload.ends_with(".c"); }

void add_budget_option(CLI::App& command, std::optional<double>& seconds) {
  command.add_option("--budget", seconds, "C programs: end after so many seconds with what is known")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-3, kMaxBudgetSeconds).description(""));
}

Result<std::vector<std::pair<std::string, i64>>> read_parameters(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, i64>> parameters;
  Diagnostics errors;
  for (const std::string& text : texts) {
    const auto parameter = read_parameter(text);
    if (parameter) parameters.push_back(*parameter);
    else errors.insert(errors.end(), parameter.errors().begin(), parameter.errors().end());
  }
  if (!errors.empty()) return errors;
  return parameters;
}

namespace {

void add_defines(const std::vector<std::string>& texts, ReadOptions& options) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const bool is_name = !name.empty() && is_letter(name.front()) &&
                         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
    if (equals == std::string::npos || !is_name)
      throw CLI::ValidationError("--define", fmt::format("'{}' must be NAME=VALUE", shortened(text)));
    options.defines[std::string(name)] = text.substr(equals + 1);
  }
}

void add_renames(const std::vector<std::string>& texts, ReadOptions& options) {
  Result<std::vector<Rename>> renames = parse_renames(fmt::format("{}", fmt::join(texts, ",")));
  if (!renames) throw CLI::ValidationError("--rename", renames.errors().front().message);
  options.renames = *std::move(renames);
}

void add_word_bits(const std::string& text, ReadOptions& options) {
  Result<WordBits> sizes = parse_word_bits(text);
  if (!sizes) throw CLI::ValidationError("--word-bits", sizes.errors().front().message);
  options.word_bits = *std::move(sizes);
}

// Options of models by their names and by how they stand behind '@'.
constexpr std::string_view kValue = "value:", kMerge = "merge=", kElementwise = "elementwise=";
constexpr std::string_view kSkipUnknown = "skip-unknown";

void add_model_options(CLI::App& command, ReadOptions& options) {
  const auto add = [&](const char* name, const char* type, std::string_view prefix, const char* help) {
    command
        .add_option_function<std::vector<std::string>>(
            name,
            [&options, prefix](const std::vector<std::string>& texts) {
              for (const std::string& text : texts) options.models.push_back(std::string(prefix) + text);
            },
            help)
        ->type_name(type)
        ->delimiter(',')
        ->allow_extra_args(false);
  };
  add("--dim", "NAME=N", "",
      "Of an ONNX model: sizes of dimensions by name or by input and axis (batch=1,seq=128,x:0=4)");
  add("--value", "INPUT=V", kValue, "Of an ONNX model: what a small integer input holds (sr=16000)");
  command
      .add_option_function<std::string>(
          "--merge", [&options](const std::string& name) { options.models.push_back(std::string(kMerge) + name); },
          "Of an ONNX model: equal layers become one with a count: none, blocks (runs of equal blocks) or shapes")
      ->type_name("NAME")
      ->transform(one_of({onnx::kMergeNames.begin(), onnx::kMergeNames.end()}));
  add("--elementwise", "DOMAIN::OP", kElementwise,
      "Of an ONNX model: an operator that is not known and makes each word of one word of its first input, whose shape "
      "it passes on; may be given several times");
  command.add_flag_function(
      "--skip-unknown", [&options](std::int64_t) { options.models.emplace_back(kSkipUnknown); },
      "Of an ONNX model: leave out what multiplies matrices in a way that is not read");
}

// The option and its value as words of a command line.
std::vector<std::string> words_of_model(const std::string& option) {
  if (option == kSkipUnknown) return {"--skip-unknown"};
  for (const auto& [prefix, name] :
       {std::pair{kValue, "--value"}, {kMerge, "--merge"}, {kElementwise, "--elementwise"}})
    if (option.starts_with(prefix)) return {name, option.substr(prefix.size())};
  return {"--dim", option};
}

std::string text_of(const WordBits& sizes) {
  if (sizes.source != WordBitsSource::Given) return sizes.source == WordBitsSource::Types ? "types" : "none";
  std::vector<std::string> parts;
  for (const TensorBits& size : sizes.given) parts.push_back(fmt::format("{}={}", size.tensors, size.bits));
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace

void add_read_options(CLI::App& command, ReadOptions& options) {
  command
      .add_option_function<std::string>(
          "--sparse", [&options](const std::string&) { options.ignore_sparse = true; },
          "What to do with sparse machines and tensors: ignore, read them as dense ones")
      ->type_name("HOW")
      ->transform(one_of({"ignore"}));
  command
      .add_option_function<std::vector<std::string>>(
          "--define", [&options](const std::vector<std::string>& texts) { add_defines(texts, options); },
          "Value of a name in templates ({{NAME}}); may be given several times")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option_function<std::vector<std::string>>(
          "--rename", [&options](const std::vector<std::string>& texts) { add_renames(texts, options); },
          "Other names for dimensions of the workload, those of the machine's constraints")
      ->type_name("OLD=NEW")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          kPeerChannel.option, [&options](const std::string& word) { options.peer_channel = word == "on"; },
          "Whether receivers take words from neighbours: on or off (default: as the machine says; Timeloop's "
          "files: on)")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}));
  command
      .add_option_function<std::string>(
          "--word-bits", [&options](const std::string& text) { add_word_bits(text, options); },
          "Bits of the words of the workload's tensors: 8, 4.25, mxfp4 or 4+8/32, or weights=mxfp4,inputs=8, or types "
          "(of "
          "an ONNX model), or none (default: as the workload says; else words are those of each level)")
      ->type_name("BITS");
  add_model_options(command, options);
}

const std::vector<std::string>& model_option_names() {
  static const std::vector<std::string> names{"--dim", "--value", "--merge", "--elementwise", "--skip-unknown"};
  return names;
}

Diagnostics refuse_model_options(const ReadOptions& options, std::string_view what) {
  if (options.models.empty()) return {};
  return {{"", 0, words_of_model(options.models.front()).front(),
           fmt::format("'{}' is said of an ONNX model, and {}", shortened(options.models.front()), what)}};
}

std::vector<std::string> words_of(const ReadOptions& options) {
  std::vector<std::string> words;
  if (options.ignore_sparse) words.insert(words.end(), {"--sparse", "ignore"});
  for (const auto& [name, value] : options.defines)
    words.insert(words.end(), {"--define", fmt::format("{}={}", name, value)});
  for (const Rename& rename : options.renames)
    words.insert(words.end(), {"--rename", fmt::format("{}={}", rename.from, rename.to)});
  if (options.peer_channel) words.insert(words.end(), {kPeerChannel.option, *options.peer_channel ? "on" : "off"});
  if (options.word_bits.source != WordBitsSource::File)
    words.insert(words.end(), {"--word-bits", text_of(options.word_bits)});
  for (const std::string& option : options.models) {
    const std::vector<std::string> model = words_of_model(option);
    words.insert(words.end(), model.begin(), model.end());
  }
  return words;
}

namespace {

bool is_one_of(const std::string& name, const std::vector<std::string>& presets) {
  return std::ranges::find(presets, name) != presets.end();
}

// What is said of a name that the other option knows.
Result<Architecture> load_machine(const std::string& name, const ReadOptions& reading) {
  Result<Architecture> machine = load_architecture(name, reading);
  if (machine || !is_one_of(name, workload_preset_names())) return machine;
  return Diagnostic{"", 0, "--architecture", fmt::format("'{}' is a workload, which goes to -w", name)};
}

Result<Network> load_layers(const std::string& what, const ReadOptions& reading, Wanted wanted) {
  if (is_program(what))
    return Diagnostic{"", 0, "--workload",
                      fmt::format("{} is a C program, which bound and simulate take (heliolite bound -w {} --param "
                                  "N=1000); other commands take layers and networks, and a loop nest that multiplies "
                                  "and adds as an Einsum: -w \"C[i,j] += A[i,k]*B[k,j]; i=64,j=64,k=64\"",
                                  what, what)};
  Result<Network> network = load_network(what, reading, wanted);
  if (network || !is_one_of(what, architecture_preset_names())) return network;
  return Diagnostic{"", 0, "--workload", fmt::format("'{}' is a machine, which goes to -a", what)};
}

}  // namespace

CLI::Option* add_workload_option(CLI::App& command, std::string& workload, const std::string& help) {
  return command.add_option("-w,--workload", workload, help)->type_name("W");
}

Result<Network> load_workload(const std::string& what, const ReadOptions& reading, const Output& output,
                              Wanted wanted) {
  Result<Network> network = load_layers(what, reading, wanted);
  if (network) output.report_notes(network->notes);
  return network;
}

Result<Workload> pick_layer(const Network& network, const std::string& layer) {
  std::vector<std::string> names;
  for (const Layer& l : network.layers) {
    if (l.workload.name == layer || (layer.empty() && network.layers.size() == 1)) return l.workload;
    names.push_back(l.workload.name);
  }
  if (layer.empty())
    return Diagnostic{"", 0, "--layer",
                      fmt::format("{} has {} layers, name one of {}", network.name, names.size(), join(names, "or"))};
  return Diagnostic{
      "", 0, "--layer",
      fmt::format("{} has no layer '{}'{}; layers: {}", network.name, layer, did_you_mean(layer, names), join(names))};
}

std::optional<Architecture> load_if_named(const std::string& name, const ReadOptions& reading, const Output& output,
                                          Diagnostics& errors) {
  if (name.empty()) return std::nullopt;
  Result<Architecture> architecture = load_machine(name, reading);
  if (architecture) {
    output.report_notes(architecture->notes);
    return *std::move(architecture);
  }
  errors.insert(errors.end(), architecture.errors().begin(), architecture.errors().end());
  return std::nullopt;
}

Result<Inputs> load_inputs(const std::string& architecture, const std::string& workload, const ReadOptions& reading,
                           MapspaceOptions lifted, Wanted wanted) {
  Result<Architecture> machine = load_machine(architecture, reading);
  Result<Network> network = load_layers(workload, reading, wanted);
  Diagnostics errors;
  const auto collect = [&](const auto& result) {
    if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
  };
  collect(machine);
  collect(network);
  if (!errors.empty()) return errors;
  fit_names(*network, *machine);
  for (std::string& note : constraint_notes(*network, *machine, lifted)) network->notes.push_back(std::move(note));
  return Inputs{std::move(*machine), std::move(*network)};
}

std::vector<std::string> Inputs::notes() const {
  std::vector<std::string> notes = architecture.notes;
  notes.insert(notes.end(), network.notes.begin(), network.notes.end());
  return notes;
}

Result<MappedLayer> load_mapped_layer(const MappedLayerNames& names, const ReadOptions& reading) {
  return load_mapped_layer(names, MappingFile::load(names.mapping, reading), reading);
}

Result<MappedLayer> load_mapped_layer(const MappedLayerNames& names, const Result<MappingFile>& file,
                                      const ReadOptions& reading) {
  Result<Inputs> inputs = load_inputs(names.architecture, names.workload, reading);
  if (!inputs) return inputs.errors();
  Result<Workload> workload = pick_layer(inputs->network, names.layer);
  if (!workload) return workload.errors();
  if (!file) return file.errors();
  const Result<UnitMapping> read = file->read_on_unit(*workload, inputs->architecture);
  if (!read) return read.errors();
  return MappedLayer{inputs->architecture.chain(read->unit), std::move(*workload), read->mapping, inputs->notes()};
}

bool names_schedule(const Result<MappingFile>& file) {
  return file && file->document() != nullptr && (is_schedule(*file->document()) || file->is_tree_of_several());
}

Workload ScheduledNetwork::one_pass(int l) const { return pass_workload(graph.link(l), file.passes[l]); }
const Architecture& ScheduledNetwork::chain(int l) const { return running_chain(graph.link(l), architecture); }

Result<ScheduledNetwork> load_scheduled_network(const MappedLayerNames& names, const MappingFile& file,
                                                const ReadOptions& reading) {
  if (!names.layer.empty())
    return Diagnostic{
        "", 0, "--layer",
        fmt::format("'{}': {} is a schedule of all layers, must be left out", names.layer, names.mapping)};
  Result<Inputs> inputs = load_inputs(names.architecture, names.workload, reading, {}, Wanted::Edges);
  if (!inputs) return inputs.errors();
  return scheduled_network(*std::move(inputs), file, names.workload);
}

Result<ScheduledNetwork> scheduled_network(Inputs inputs, const MappingFile& file, const std::string& workload) {
  Result<LinkGraph> graph = graph_of_network(inputs.network);
  if (!graph) {
    Diagnostics errors = graph.errors();
    for (Diagnostic& e : errors) e.file = workload;
    return errors;
  }
  const Result<YamlNode> document = file.document_for(inputs.network, inputs.architecture);
  if (!document) return document.errors();
  take_units(*document, inputs.architecture, *graph);
  Result<ScheduleFile> schedule = read_schedule_file(*document, *graph, inputs.architecture);
  if (!schedule) return schedule.errors();
  std::vector<std::string> notes = inputs.notes();
  return ScheduledNetwork{std::move(inputs.architecture), std::move(inputs.network), *std::move(graph),
                          *std::move(schedule), std::move(notes)};
}

}  // namespace heliolite::cli
