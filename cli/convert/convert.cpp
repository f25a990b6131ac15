// heliolite convert: machines, workloads and mappings as files of Timeloop, of AccelForge, or of ours with everything
// resolved.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "cli/convert/recognise.h"
#include "cli/convert/written_files.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/base/file_claims.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/formats/onnx/import.h"
#include "engine/space/constraint_notes.h"
#include "workloads/word_bits.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

bool is_file_name(const std::string& what) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(what, ignored);
}

// What each argument is for.
struct Sorted {
  const ReadOptions& reading;
  std::vector<std::string> machine{}, workload{}, mapping{};
  Diagnostics errors{};

  void add(const std::string& what) {
    const std::vector<std::string> machines = architecture_preset_names();
    if (is_file_name(what)) return add_file(what);
    if (std::ranges::find(machines, what) != machines.end()) machine.push_back(what);
    else workload.push_back(what);  // whose reader names all that could have been meant
  }

 private:
  void add_file(const std::string& path) {
    const Recognised file = recognise(path, reading);
    errors.insert(errors.end(), file.errors.begin(), file.errors.end());
    if (!file.errors.empty()) return;
    if (file.belongs_to_machine()) machine.push_back(path);
    if (file.is_workload()) workload.push_back(path);
    if (file.is_mapping()) mapping.push_back(path);
    if (file.belongs_to_machine() || file.is_workload() || file.is_mapping()) return;
    const bool variables = file.has(Part::Search) || file.has(Part::Classes);
    if (variables) machine.push_back(path);
    else
      errors.push_back({path, 0, "",
                        file.parts.empty() ? std::string("is no machine, workload or mapping")
                                           : fmt::format("is a {}; convert takes machines, workloads and mappings",
                                                         what_it_is(file.parts.front()))});
  }
};

// At most one machine, whose tables and constraints may be files of their own, one workload or network, and mappings of
// its layers. `layer`: only this one.
Result<Convertible> load_convertible(const std::vector<std::string>& given, const std::string& layer,
                                     const ReadOptions& reading) {
  Sorted sorted{reading};
  for (const std::string& what : given) sorted.add(what);
  Diagnostics errors = std::move(sorted.errors);
  const auto collect = [&](const auto& result) {
    if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
  };
  Convertible out;
  if (!sorted.machine.empty()) {
    Result<Architecture> machine = load_architecture(fmt::format("{}", fmt::join(sorted.machine, ",")), reading);
    collect(machine);
    if (machine) out.machine = *std::move(machine);
  }
  if (sorted.workload.size() > 1)
    errors.push_back(
        {"", 0, "", fmt::format("several workloads, {}: convert one after the other", join(sorted.workload))});
  else if (!sorted.workload.empty()) {
    Result<Network> network = load_network(sorted.workload.front(), reading);
    collect(network);
    if (network) out.network = *std::move(network);
  }
  if (!errors.empty()) return errors;
  if (out.machine && out.network) fit_names(*out.network, *out.machine);
  if (!layer.empty()) {
    if (!out.network) return Diagnostic{"", 0, "--layer", "no workload is given"};
    const Result<Workload> one = pick_layer(*out.network, layer);
    if (!one) return one.errors();
    std::erase_if(out.network->layers, [&](const Layer& l) { return l.workload.name != layer; });
    out.network->edges.clear();
  }
  if (sorted.mapping.empty()) return out;
  if (!out.machine || !out.network)
    return Diagnostic{sorted.mapping.front(), 0, "", "a mapping needs its machine and its workload: give them as well"};
  if (sorted.mapping.size() > 1)
    return Diagnostic{"", 0, "",
                      fmt::format("several mappings, {}: convert one after the other", join(sorted.mapping))};
  const Result<MappingFile> file = MappingFile::load(sorted.mapping.front(), reading);
  if (!file) return file.errors();
  for (const Layer& l : out.network->layers) {
    const Result<UnitMapping> read = file->read_on_unit(l.workload, *out.machine);
    collect(read);
    if (!read) continue;
    out.mappings.emplace_back(read->mapping);
    out.units.push_back(read->unit);
  }
  if (!errors.empty()) return errors;
  return out;
}

constexpr const char* kTarget = "-o";

// Who made the file from what, for those who find it later.
std::string header(const std::string& model, const std::string& options, const onnx::Imported& imported) {
  std::string text = fmt::format("# {}{}: made from an ONNX model by heliolite convert\n", shortened(model),
                                 options.empty() ? "" : "@" + shortened(options));
  for (const std::string& note : imported.notes()) text += fmt::format("# {}\n", note);
  for (const onnx::NodeReport* node : imported.report.refused())
    text += fmt::format("# left out: {} {}: {}\n", shortened(node->op), shortened(node->node), node->why);
  return text;
}

Json answer_json(const std::string& model, const std::string& options, const onnx::Imported& imported) {
  Json answer = answer_head("convert");
  answer["question"] = {{"given", {model}}, {"to", "heliolite"}, {"options", options}};
  answer["layers"] = imported.network.layers.size();
  answer["macs"] = imported.network.macs();
  answer["nodes"] = Json::array();
  for (const onnx::NodeReport& node : imported.report.nodes)
    answer["nodes"].push_back(
        {{"node", shortened(node.node)}, {"op", shortened(node.op)}, {"fate", name(node.fate)}, {"why", node.why}});
  answer["lost_edges"] = Json::array();
  for (const onnx::LostEdge& edge : imported.report.lost)
    answer["lost_edges"].push_back(
        {{"from", edge.from}, {"to", edge.to}, {"tensor", edge.tensor}, {"because", edge.why}});
  answer["notes"] = imported.notes();
  return answer;
}

// Writes the network to `target`, to stdout if it is empty; what became of the model's nodes goes to --json. Exit
// codes: 1 if nothing in the model multiplies matrices, 2 if it cannot be read.
int convert_onnx(const std::string& model, const ReadOptions& reading, const std::string& target,
                 const Output& output) {
  onnx::Options read;
  const WordBits& sizes = reading.word_bits;
  const std::string text = fmt::format("{}", fmt::join(reading.models, ","));
  if (const Diagnostics errors = onnx::add_options(text, model, read); !errors.empty()) return fail(errors);
  read.types = sizes.source == WordBitsSource::Types;
  Result<onnx::Imported> imported = onnx::import_file(model, read, onnx::Merge::None);
  if (!imported) return fail(imported.errors());
  if (const Diagnostics errors = set_word_bits(imported->network, sizes); !errors.empty()) return fail(errors);
  for (const std::string& note : imported->notes()) output.note(fmt::format("heliolite: {}: {}", model, note));
  for (const onnx::NodeReport* node : imported->report.refused())
    output.note(fmt::format("heliolite: {}: left out: {} '{}': {}", model, shortened(node->op), shortened(node->node),
                            node->why));
  const Json answer = answer_json(model, text, *imported);
  if (imported->network.layers.empty()) {
    output.note("heliolite: nothing in this model multiplies matrices");
    return output.json(answer) ? kNegative : kBadInput;
  }
  const std::string network = header(model, text, *imported) + write_network(imported->network, imported->sources);
  // As it is, not as a table; with --json - the answer stands there instead.
  const bool shown = !target.empty() || !FileClaims::of_program().takes_stdout();
  if (shown && !(output.claim(kTarget, target.empty() ? "-" : target) && output.write(kTarget, network)))
    return kBadInput;
  return output.json(answer) ? kSuccess : kBadInput;
}

// heliolite convert: machines, workloads and mappings as files of Timeloop, of AccelForge, or of ours with everything
// resolved.

struct ConvertArguments {
  std::vector<std::string> given;
  std::string folder, to = "timeloop", version = "0.4", layer;
  std::vector<std::string> not_of_models;  // options that were given and say nothing of an ONNX model
  ReadOptions reading;
};

// Makes the folder and claims every file before any is written: none may be one that was read.
bool make_room(const WrittenFiles& files, const std::string& folder, const Output& output) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    fail(fmt::format("--output: {} cannot be made: {}", folder, error.message()));
    return false;
  }
  for (const WrittenFile& file : files.files)
    if (!output.claim(file.name, (std::filesystem::path(folder) / file.name).string())) return false;
  return true;
}

Json answer_json(const ConvertArguments& arguments, const WrittenFiles& files) {
  Json answer = answer_head("convert");
  answer["question"] = {{"given", arguments.given},
                        {"to", arguments.to},
                        {"timeloop_version", arguments.to == "timeloop" ? Json(arguments.version) : Json()},
                        {"layer", arguments.layer}};
  answer["folder"] = arguments.folder;
  answer["files"] = Json::array();
  for (const WrittenFile& file : files.files) answer["files"].push_back({{"file", file.name}, {"what", file.what}});
  answer["notes"] = mapped(files.notes, &Diagnostic::to_string);
  return answer;
}

int run(const ConvertArguments& arguments, const Output& output) {
  if (arguments.given.size() == 1 && onnx::looks_like_onnx(arguments.given.front())) {
    if (!arguments.not_of_models.empty())
      return fail(fmt::format("{}: is not of ONNX models, which become networks of ours; convert the network's file",
                              fmt::join(arguments.not_of_models, ", ")));
    return convert_onnx(arguments.given.front(), arguments.reading, arguments.folder, output);
  }
  if (arguments.folder.empty()) return fail("-o, --output is required: a folder for the files");
  const Result<Convertible> from = load_convertible(arguments.given, arguments.layer, arguments.reading);
  if (!from) return fail(from.errors());
  const Diagnostics refused = refuse_model_options(arguments.reading, "no workload is given");
  if (!from->network && !refused.empty()) return fail(refused);
  if (from->machine) output.report_notes(from->machine->notes);
  if (from->network) output.report_notes(from->network->notes);
  const TimeloopVersion version = arguments.version == "0.3" ? TimeloopVersion::V03 : TimeloopVersion::V04;
  const Result<WrittenFiles> files = arguments.to == "timeloop"     ? to_timeloop(*from, version)
                                     : arguments.to == "accelforge" ? to_accelforge(*from)
                                                                    : to_heliolite(*from);
  if (!files) return fail(files.errors());
  if (!make_room(*files, arguments.folder, output)) return kBadInput;
  Table table({"<file", "<what"});
  for (const WrittenFile& file : files->files) {
    if (!output.write(file.name, file.text)) return kBadInput;
    table.row({(std::filesystem::path(arguments.folder) / file.name).string(), file.what});
  }
  for (const Diagnostic& note : files->notes) output.note("heliolite: note: " + note.to_string());
  output.table(table.to_string());
  return output.json(answer_json(arguments, *files)) ? kSuccess : kBadInput;
}

}  // namespace

void add_convert_command(CommandLine& line) {
  auto arguments = std::make_shared<ConvertArguments>();
  const Command command(line, "convert",
                        "A machine, a workload, mappings as files of Timeloop, AccelForge, or of ours");
  command
      .value("given", arguments->given, "A|W|FILE",
             "Files in any order, told apart by content; presets and texts as -a and -w take them")
      ->required();
  command.value("-o,--output", arguments->folder, "DIR",
                "Folder for the files; of an ONNX model the file for its network, stdout if left out");
  command.value("--to", arguments->to, "NAME", "Whose format: timeloop, accelforge or heliolite")
      ->transform(one_of({"timeloop", "accelforge", "heliolite"}))
      ->capture_default_str();
  command.value("--timeloop-version", arguments->version, "V", "0.3 (Timeloop itself) or 0.4 (its front end)")
      ->transform(one_of({"0.3", "0.4"}))
      ->capture_default_str();
  command.value("-l,--layer", arguments->layer, "LAYER", "Only this layer");
  add_read_options(*command, arguments->reading);
  const auto run_on = [arguments, command](const Output& o) {
    for (const char* option :
         {"--layer", "--timeloop-version", "--rename", "--define", "--sparse", kPeerChannel.option})
      if (command->count(option) > 0) arguments->not_of_models.emplace_back(option);
    if (command->count("--to") > 0 && arguments->to != "heliolite") arguments->not_of_models.emplace_back("--to");
    return run(*arguments, o);
  };
  command.runs(
      run_on,
      "Every file is read again before it is written: same machine, same mapspace, same cost; what the format cannot\n"
      "say is refused or noted.\n\nExamples:\n"
      "  heliolite convert eyeriss resnet18 best.json -o out --to timeloop\n"
      "  heliolite convert arch.yaml ert.yaml problem.yaml -o ours --to heliolite\n"
      "  heliolite convert bert.onnx --dim batch=1,seq=128 --merge blocks -o bert.yaml");
}

}  // namespace heliolite::cli
