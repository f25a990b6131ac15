#include "cli/convert/checked_file.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "arch/reference_tables.h"
#include "cli/bench/bench_config.h"
#include "cli/bound/experiment.h"
#include "cli/ui/inputs.h"
#include "engine/base/integers.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/load_network.h"
#include "engine/inputs/input_file.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/space/constraint_notes.h"
#include "engine/sweep/sweep_yaml.h"

namespace heliolite::cli {
namespace {

// Tried for one file; beyond them it waits for what -a and -w name.
constexpr std::size_t kMostMachines = 20, kMostWorkloads = 20, kMostLayers = 400;

std::string folder_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

// "C=16 M=4": those above 1.
std::string sizes_key(const DimensionSizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes)
    if (size > 1) text += fmt::format("{}={} ", name, size);
  return text;
}

std::string sizes_key(const Workload& workload) {
  DimensionSizes sizes;
  for (const Dimension& d : workload.dimensions) sizes[d.name] = d.size;
  return sizes_key(sizes);
}

// Keeps the complaints of the partner that comes nearest.
void keep_fewest(CheckPartners::Answer& best, const Diagnostics& errors, const std::string& with) {
  if (!best.with.empty() && best.errors.size() <= errors.size()) return;
  best = {with, errors};
}

}  // namespace

template <class T>
void CheckPartners::add(Known<T>& known, const std::string& path, bool given) {
  const auto partner = std::make_shared<Partner<T>>(Partner<T>{path});
  known.all.push_back(partner);
  if (given) known.given.push_back(partner);
  else known.in_folder[folder_of(path)].push_back(partner);
  given_ = given_ || given;
}

void CheckPartners::add_machine(const std::string& path, bool given) { add(machines_, path, given); }

void CheckPartners::add_workload(const std::string& path, bool given) { add(workloads_, path, given); }

template <class T>
CheckPartners::Partners<T> CheckPartners::nearest(const Known<T>& known, const std::string& path, std::size_t most) {
  Partners<T> found;
  const auto take = [&](const Partners<T>& partners) {
    for (const auto& partner : partners) {
      if (found.size() >= most) return;
      if (std::ranges::find(found, partner) == found.end()) found.push_back(partner);
    }
  };
  take(known.given);
  for (std::string folder = folder_of(path), last = path; folder != last; folder = folder_of(folder)) {
    if (const auto it = known.in_folder.find(folder); it != known.in_folder.end()) take(it->second);
    last = folder;
    if (found.size() >= most) break;
  }
  take(known.all);
  return found;
}

const Result<Architecture>& CheckPartners::read(Partner<Architecture>& machine) const {
  if (!machine.read) machine.read.emplace(load_architecture(machine.path, reading_));
  return *machine.read;
}

const Result<Network>& CheckPartners::read(Partner<Network>& workload) {
  if (!workload.read) workload.read.emplace(load_network(workload.path, reading_));
  return *workload.read;
}

CheckPartners::Partners<Network> CheckPartners::of_sizes(const std::string& sizes) {
  for (; indexed_ < workloads_.all.size(); ++indexed_) {
    const auto& workload = workloads_.all[indexed_];
    const Result<Network>& network = read(*workload);
    if (!network) continue;
    for (const Layer& layer : network->layers) {
      Partners<Network>& same = by_sizes_[sizes_key(layer.workload)];
      if (same.empty() || same.back() != workload) same.push_back(workload);
    }
  }
  const auto it = by_sizes_.find(sizes);
  return it == by_sizes_.end() ? Partners<Network>{} : it->second;
}

template <class Attempt>
CheckPartners::Answer CheckPartners::try_pairs(const std::string& path, const Partners<Network>& workloads,
                                               Attempt&& attempt) {
  Answer best;
  for (const auto& machine : nearest(machines_, path, kMostMachines))
    for (const auto& workload : workloads) {
      const std::string with = fmt::format("{} and {}", machine->path, workload->path);
      const Result<Architecture>& architecture = read(*machine);
      const Result<Network>& network = read(*workload);
      if (!architecture || !network) {
        keep_fewest(best, architecture ? network.errors() : architecture.errors(), with);
        continue;
      }
      Inputs inputs{*architecture, *network};
      fit_names(inputs.network, inputs.architecture);  // as for eval
      if (attempt(inputs, workload->path, with, best)) return best;
    }
  return best;
}

CheckPartners::Answer CheckPartners::try_mapping(const std::string& path) {
  const Result<MappingFile> file = MappingFile::load(path, reading_);
  if (!file) return {path, file.errors()};
  Partners<Network> workloads;
  if (const std::optional<DimensionSizes> sizes = file->sizes()) workloads = of_sizes(sizes_key(*sizes));
  for (const auto& near : nearest(workloads_, path, kMostWorkloads))
    if (std::ranges::find(workloads, near) == workloads.end()) workloads.push_back(near);
  if (workloads.size() > kMostWorkloads) workloads.resize(kMostWorkloads);
  std::size_t tried = 0;
  return try_pairs(path, workloads,
                   [&](const Inputs& inputs, const std::string&, const std::string& with, Answer& best) {
                     for (const Layer& layer : inputs.network.layers) {
                       if (++tried > kMostLayers) return true;
                       const Result<UnitMapping> mapping = file->read_on_unit(layer.workload, inputs.architecture);
                       if (mapping) return best = {with, {}}, true;
                       keep_fewest(best, mapping.errors(), with);
                     }
                     return false;
                   });
}

CheckPartners::Answer CheckPartners::try_schedule(const std::string& path) {
  const Result<MappingFile> file = MappingFile::load(path, reading_);
  if (!file) return {path, file.errors()};
  const auto attempt = [&](const Inputs& inputs, const std::string& workload, const std::string& with, Answer& best) {
    const Result<ScheduledNetwork> scheduled = scheduled_network(inputs, *file, workload);
    if (scheduled) return best = {with, {}}, true;
    keep_fewest(best, scheduled.errors(), with);
    return false;
  };
  return try_pairs(path, nearest(workloads_, path, kMostWorkloads), attempt);
}

CheckPartners::Answer CheckPartners::try_constraints(const std::string& path) {
  Answer best;
  for (const auto& machine : nearest(machines_, path, kMostMachines)) {
    const Result<Architecture> both = load_architecture(machine->path + "," + path, reading_);
    if (both) return {machine->path, {}};
    keep_fewest(best, both.errors(), machine->path);
  }
  return best;
}

namespace {

namespace fs = std::filesystem;

template <class T>
void collect(const Result<T>& result, Diagnostics& errors) {
  if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
}

Diagnostics read_tables_of(const std::string& path, const ReadOptions& reading) {
  const Result<YamlNode> document = load_input(path, reading);
  if (!document) return document.errors();
  Diagnostics errors;
  if (const auto table = document->find("ERT")) collect(read_ert(*table), errors);
  if (const auto table = document->find("ART")) collect(read_art(*table), errors);
  return errors;
}

// Why no command takes such a part; empty if one does, or if nothing is lost without it.
std::string_view reason_against(Part part, bool ignore_sparse) {
  switch (part) {
    case Part::Summary: return "a summary for reading, whose averages are not the table: give the ERT or ART file";
    case Part::Sparse: return ignore_sparse ? "" : kSparseAdvice;
    case Part::Libconfig: return "libconfig is not read: write it as YAML, with the same names";
    default: return "";
  }
}

bool needs_partners(const Recognised& file) {
  return (file.has(Part::Constraints) || file.is_mapping() || file.is_schedule()) && !file.is_machine();
}

// What reads the part by itself complains about; none if it needs others, or only its own command reads it.
Diagnostics read_alone(Part part, const std::string& path, const ReadOptions& reading) {
  Diagnostics errors;
  if (const std::string_view why = reason_against(part, reading.ignore_sparse); !why.empty())
    return {{path, 0, "", std::string(why)}};
  switch (part) {
    case Part::Machine:
    case Part::TimeloopMachine:
    case Part::AccelForgeMachine: collect(load_architecture(path, reading), errors); break;
    case Part::Workload:
    case Part::Problem:
    case Part::Model:
    case Part::LanguageModel:
    case Part::AccelForgeWorkload: collect(load_network(path, reading), errors); break;
    case Part::Sweep: collect(load_sweep(path, {.reading = reading}), errors); break;
    case Part::Bench: collect(load_bench_config(path, {}, reading), errors); break;
    case Part::Experiment: collect(read_experiment(path), errors); break;
    case Part::Chip: collect(load_chip(path), errors); break;
    case Part::Learned: {
      SearchOptions unused;
      errors = load_learned(path, unused);
      break;
    }
    case Part::Tables: errors = read_tables_of(path, reading); break;
    default: break;
  }
  return errors;
}

bool read_only_by_its_command(Part part) {
  return part == Part::Records || part == Part::Program || part == Part::Database || part == Part::Tiling;
}

}  // namespace

std::string_view name(CheckState state) {
  constexpr std::array<std::string_view, kCheckStates> kNames{"read", "recognised", "waits", "refused", "not ours"};
  return kNames[at(state)];
}

CheckedFile check_file(const std::string& path, const ReadOptions& reading) {
  const Recognised found = recognise(path, reading);
  CheckedFile file{path, found.parts, CheckState::NotOurs, found.errors, ""};
  if (!found.errors.empty()) file.state = CheckState::Refused;
  if (found.parts.empty()) return file;
  for (const Part part : found.parts) {
    // Settings together with a machine or a problem are of no consequence; alone they are refused or of no consequence.
    const Diagnostics errors = read_alone(part, path, reading);
    file.why.insert(file.why.end(), errors.begin(), errors.end());
  }
  if (!file.why.empty()) {
    file.state = CheckState::Refused;
  } else if (needs_partners(found)) {
    file.state = CheckState::Waits;
    file.why = {{path, 0, "",
                 found.is_mapping() || found.is_schedule() ? "needs a machine and a workload: give them with -a and -w"
                                                           : "needs its machine: give it with -a"}};
  } else {
    file.state = std::ranges::all_of(found.parts, read_only_by_its_command) ? CheckState::Recognised : CheckState::Read;
  }
  return file;
}

void check_with(CheckPartners& partners, CheckedFile& file) {
  const Recognised found{file.parts, {}};
  const bool mapping = found.is_mapping() || found.is_schedule();
  const CheckPartners::Answer answer = found.is_mapping()    ? partners.try_mapping(file.path)
                                       : found.is_schedule() ? partners.try_schedule(file.path)
                                                             : partners.try_constraints(file.path);
  if (answer.with.empty()) return;
  file.with = answer.with;
  file.why = answer.errors;
  file.state = answer.errors.empty() ? CheckState::Read : CheckState::Refused;
  if (answer.errors.empty() || partners.any_given()) return;
  file.state = CheckState::Waits;
  file.why = {{file.path, 0, "",
               fmt::format("suits none of the machines{} near it among the files: give its own with -a{}",
                           mapping ? " and workloads" : "", mapping ? " and -w" : "")}};
}

std::vector<std::string> files_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(path, options, error), end; !error && at != end; at.increment(error)) {
    const bool hidden = at->path().filename().string().starts_with('.');
    if (hidden && at->is_directory(error)) at.disable_recursion_pending();
    if (!hidden && at->is_regular_file(error)) files.push_back(at->path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace heliolite::cli
