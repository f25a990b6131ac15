#include "cli/convert/checked_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "arch/load.h"
#include "arch/timeloop_ert.h"
#include "cli/bench/bench_config.h"
#include "cli/bound/chip_yaml.h"
#include "cli/bound/experiment_yaml.h"
#include "engine/base/integers.h"
#include "engine/inputs/input_file.h"
#include "engine/inputs/sparse.h"
#include "engine/search/bayes/learned_file.h"
#include "engine/sweep/sweep_yaml.h"
#include "workloads/load.h"

namespace heliolite::cli {
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
  return (file.has(Part::Constraints) && !file.is_machine()) || (file.is_mapping() && !file.is_machine());
}

// What a file of AccelForge holds, and what to do with it.
Diagnostic accelforge_complaint(const std::string& path, const ReadOptions& reading) {
  const Result<YamlNode> document = refuse_accelforge(load_input(path, reading));
  return document ? Diagnostic{path, 0, "", accelforge_advice("machine")} : document.errors().front();
}

// What reads the part by itself complains about; none if it needs others, or only its own command reads it.
Diagnostics read_alone(Part part, const std::string& path, const ReadOptions& reading) {
  Diagnostics errors;
  if (const std::string_view why = reason_against(part, reading.ignore_sparse); !why.empty())
    return {{path, 0, "", std::string(why)}};
  switch (part) {
    case Part::Machine:
    case Part::TimeloopMachine: collect(load_architecture(path, reading), errors); break;
    case Part::Workload:
    case Part::Problem:
    case Part::Model: collect(load_network(path, reading), errors); break;
    case Part::Sweep: collect(load_sweep(path, {.reading = reading}), errors); break;
    case Part::Bench: collect(load_bench_config(path, {}, reading), errors); break;
    case Part::Experiment: collect(read_experiment(path), errors); break;
    case Part::Chip: collect(load_chip(path), errors); break;
    case Part::Learned: {
      SearchOptions unused;
      errors = load_learned(path, unused);
      break;
    }
    case Part::AccelForge: return {accelforge_complaint(path, reading)};
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
    // Settings beside a machine or a problem are of no consequence; alone they are refused or of no consequence.
    const Diagnostics errors = read_alone(part, path, reading);
    file.why.insert(file.why.end(), errors.begin(), errors.end());
  }
  if (!file.why.empty()) {
    file.state = CheckState::Refused;
  } else if (needs_partners(found)) {
    file.state = CheckState::Waits;
    file.why = {{path, 0, "",
                 found.is_mapping() ? "needs a machine and a workload: give them with -a and -w"
                                    : "needs its machine: give it with -a"}};
  } else {
    file.state = std::ranges::all_of(found.parts, read_only_by_its_command) ? CheckState::Recognised : CheckState::Read;
  }
  return file;
}

void check_with(CheckPartners& partners, CheckedFile& file) {
  const bool mapping =
      std::ranges::any_of(file.parts, [](Part part) { return part == Part::Mapping || part == Part::TimeloopMapping; });
  const CheckPartners::Answer answer = mapping ? partners.try_mapping(file.path) : partners.try_constraints(file.path);
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
