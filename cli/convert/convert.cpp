// heliolite convert: machines, workloads and mappings as files of Timeloop, of AccelForge, or of ours with everything
// resolved.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "arch/peer_channel.h"
#include "cli/convert/written_files.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/read_arguments.h"
#include "cli/ui/search_arguments.h"
#include "cli/ui/table.h"
#include "engine/formats/onnx/import.h"

namespace heliolite::cli {
namespace {

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
  answer["notes"] = Json::array();
  for (const Diagnostic& note : files.notes) answer["notes"].push_back(note.to_string());
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

void add_convert_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App* command =
      app.add_subcommand("convert", "A machine, a workload, mappings as files of Timeloop, AccelForge, or of ours");
  command
      ->add_option("given", arguments->given,
                   "Files in any order, told apart by content; presets and texts as -a and -w take them")
      ->required()
      ->type_name("A|W|FILE");
  command
      ->add_option("-o,--output", arguments->folder,
                   "Folder for the files; of an ONNX model the file for its network, stdout if left out")
      ->type_name("DIR");
  command->add_option("--to", arguments->to, "Whose format: timeloop, accelforge or heliolite")
      ->transform(one_of({"timeloop", "accelforge", "heliolite"}))
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--timeloop-version", arguments->version, "0.3 (Timeloop itself) or 0.4 (its front end)")
      ->transform(one_of({"0.3", "0.4"}))
      ->type_name("V")
      ->capture_default_str();
  command->add_option("-l,--layer", arguments->layer, "Only this layer")->type_name("LAYER");
  add_read_options(*command, arguments->reading);
  add_output_options(*command, output);
  command->footer(
      "Every file is read again before it is written: same machine, same mapspace, same cost; what the format cannot\n"
      "say is refused or noted.\n\nExamples:\n"
      "  heliolite convert eyeriss resnet18 best.json -o out --to timeloop\n"
      "  heliolite convert arch.yaml ert.yaml problem.yaml -o ours --to heliolite\n"
      "  heliolite convert bert.onnx --dim batch=1,seq=128 --merge blocks -o bert.yaml");
  command->callback([command, &action, arguments] {
    for (const char* option :
         {"--layer", "--timeloop-version", "--rename", "--define", "--sparse", kPeerChannel.option})
      if (command->count(option) > 0) arguments->not_of_models.emplace_back(option);
    if (command->count("--to") > 0 && arguments->to != "heliolite") arguments->not_of_models.emplace_back("--to");
    action = [arguments](const Output& o) { return run(*arguments, o); };
  });
}

}  // namespace heliolite::cli
