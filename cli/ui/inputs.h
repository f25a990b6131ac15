#pragma once
// What -a, -w, --layer and -m name, and the options that say how it is read: --sparse, --define, --rename, --word-bits,
// and those of ONNX models. Every command that takes a machine or a workload has them.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "cli/ui/output.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/inputs/read_options.h"
#include "engine/model/mapping.h"
#include "engine/network/schedule_yaml.h"
#include "engine/search/core/options.h"
#include "engine/space/mapspace.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// C programs on the command line: what -w names one, --param and --budget.

// Whether -w names a C program.
bool is_program(std::string_view workload);

// --budget of commands that take C programs: seconds after which they end with what they have.
void add_budget_option(CLI::App& command, std::optional<double>& seconds);

// "N=1000" and its like as names and values; errors name --param.
Result<std::vector<std::pair<std::string, i64>>> read_parameters(const std::vector<std::string>& texts);

// Adds them; what is given stands in `options` once the command line is read.
void add_read_options(CLI::App& command, ReadOptions& options);

// Names of those that are of ONNX models alone: "--dim", ..
const std::vector<std::string>& model_option_names();

// The error where there is no workload that they could be of: "'batch=1' is said of an ONNX model, and {what}"; empty
// if none is given.
Diagnostics refuse_model_options(const ReadOptions& options, std::string_view what);

// The options as words of a command line.
std::vector<std::string> words_of(const ReadOptions& options);

// Adds -w, --workload.
CLI::Option* add_workload_option(CLI::App& command, std::string& workload, const std::string& help);

// The network called `what`; prints what its reader has to say.
Result<Network> load_workload(const std::string& what, const ReadOptions& reading, const Output& output,
                              Wanted wanted = Wanted::Shapes);

// The layer called `layer`, or the only one when `layer` is empty. Errors list the layers, with a suggestion.
Result<Workload> pick_layer(const Network& network, const std::string& layer);

// A machine and a network that are to meet: dimensions renamed as the user says, or to fit
// (engine/space/constraint_notes.h). The errors of both are returned at once. `lifted`: what of the constraints does
// not hold, and needs no notes.
struct Inputs {
  Architecture architecture;
  Network network;

  std::vector<std::string> notes() const;  // of both
};
Result<Inputs> load_inputs(const std::string& architecture, const std::string& workload, const ReadOptions& reading,
                           MapspaceOptions lifted = {}, Wanted wanted = Wanted::Shapes);

// The machine called `name`; prints what its reader has to say. None, with its errors added to `errors`, if it cannot
// be loaded, and none if `name` is empty.
std::optional<Architecture> load_if_named(const std::string& name, const ReadOptions& reading, const Output& output,
                                          Diagnostics& errors);

// Architecture, one workload and its mapping; the errors of all three are returned at once.
struct MappedLayer {
  Architecture architecture;
  Workload workload;
  Mapping mapping;
  std::vector<std::string> notes;
};
struct MappedLayerNames {
  std::string architecture, workload, layer, mapping;  // -a, -w, --layer, -m
};
// Loads what the names stand for; the file of the mapping may have been opened before.
Result<MappedLayer> load_mapped_layer(const MappedLayerNames& names, const ReadOptions& reading);
Result<MappedLayer> load_mapped_layer(const MappedLayerNames& names, const Result<MappingFile>& file,
                                      const ReadOptions& reading);

// Whether -m names the schedule of a whole network (engine/network/schedule_yaml.h) in place of a layer's mapping.
bool names_schedule(const Result<MappingFile>& file);

// Architecture, network and its schedule.
struct ScheduledNetwork {
  Architecture architecture;
  Network network;
  LinkGraph graph;
  ScheduleFile file;
  std::vector<std::string> notes;

  // What one pass of layer l computes.
  Workload one_pass(int l) const;
  // The levels that lead to the unit which runs layer l.
  const Architecture& chain(int l) const;
};
Result<ScheduledNetwork> load_scheduled_network(const MappedLayerNames& names, const MappingFile& file,
                                                const ReadOptions& reading);
// A scheduled network of inputs that are loaded; `workload` stands for the network's file in messages.
Result<ScheduledNetwork> scheduled_network(Inputs inputs, const MappingFile& file, const std::string& workload);

}  // namespace heliolite::cli
