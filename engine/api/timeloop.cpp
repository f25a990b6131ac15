// Files of Timeloop as users of the library have them written (heliolite/timeloop.h).
#include <fmt/format.h>
#include <heliolite/timeloop.h>

#include <utility>
#include <vector>

#include "engine/api/inside.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/machine.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/formats/timeloop/problem.h"
#include "workloads/word_bits.h"

namespace heliolite::api {
namespace {

Result<TimeloopVersion> version_called(const std::string& text) {
  std::vector<std::string> names;
  for (const TimeloopVersion version : {TimeloopVersion::V03, TimeloopVersion::V04}) {
    if (text == name(version)) return version;
    names.emplace_back(name(version));
  }
  return Diagnostic{"", 0, "version", fmt::format("version = {}, must be {}", text, join(names, "or"))};
}

// The files of the machine with the constraints of the workload, and the notes of both steps.
Result<TimeloopMachineFiles> files_of(const heliolite::Architecture& machine, const heliolite::Workload& workload,
                                      TimeloopVersion version) {
  const Result<TimeloopForm> form = timeloop_form(machine, workload, version);
  if (!form) return form.errors();
  Result<TimeloopMachineFiles> files = write_timeloop_architecture(form->machine, version);
  if (files) files->notes.insert(files->notes.begin(), form->notes.begin(), form->notes.end());
  return files;
}

}  // namespace

Result<TimeloopMachine> timeloop_machine(const Architecture& architecture, const Workload& workload,
                                         const std::string& version) {
  const Result<TimeloopVersion> how = version_called(version);
  if (!how) return how.errors();
  Result<TimeloopMachineFiles> files = files_of(Inside::of(architecture), Inside::of(workload), *how);
  if (!files) return files.errors();
  return TimeloopMachine{.architecture = std::move(files->architecture),
                         .constraints = std::move(files->constraints),
                         .ert = std::move(files->ert),
                         .art = std::move(files->art),
                         .components = std::move(files->components),
                         .notes = std::move(files->notes)};
}

Result<TimeloopProblem> timeloop_problem(const Workload& workload, const std::string& version) {
  const Result<TimeloopVersion> how = version_called(version);
  if (!how) return how.errors();
  const heliolite::Workload& of = Inside::of(workload);
  if (Diagnostics errors = refuse_word_bits(of, "a problem of Timeloop"); !errors.empty()) return errors;
  heliolite::TimeloopProblem written = write_timeloop_problem(of, name(*how));
  return TimeloopProblem{std::move(written.text), std::move(written.notes)};
}

Result<std::string> timeloop_mapping(const Mapping& mapping, const std::string& version) {
  const Result<TimeloopVersion> how = version_called(version);
  if (!how) return how.errors();
  const heliolite::Workload& workload = Inside::of(mapping.workload());
  const heliolite::Architecture& machine = Inside::of(mapping.architecture());
  const Result<TimeloopMachineFiles> files = files_of(machine, workload, *how);
  if (!files) return files.errors();
  return write_timeloop_mapping(peers_said(Inside::of(mapping), workload, machine), workload, files->machine, *how);
}

Result<std::string> timeloop_mapping(const Mapping& mapping) {
  const heliolite::Architecture& machine = Inside::of(mapping.architecture());
  return write_timeloop_mapping(Inside::of(mapping), Inside::of(mapping.workload()), machine, version_of(machine));
}

}  // namespace heliolite::api
