#pragma once
// A file of AccelForge's recorded results (docs/formats_accelforge.md): an object of cases
// "MACHINE|WORKLOAD|NAME=VALUE,..|fused" with the energy and the latency of its best mapping of each, and the files
// that they name.
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

struct ForgeCase {
  std::string id;                             // the key
  std::string machine, workload, parameters;  // names of files without their ending; "M=64,KN=64"
  bool fused = false;
  double energy = 0, latency = 0;  // J, s

  // By Einsum, component and action; of actions also by tensor, and the last two the other way round there.
  std::map<std::tuple<std::string, std::string, std::string>, double> energies;
  std::map<std::pair<std::string, std::string>, double> latencies;  // [Einsum, component]
  std::map<std::tuple<std::string, std::string, std::string, std::string>, double> actions;

  // Sums over Einsums.
  double energy_of(const std::string& component, const std::string& action) const;
  double actions_of(const std::string& component, const std::string& action) const;
};

// Whether the file is an object of such cases.
bool holds_forge_cases(const std::string& path);

// Errors: no such file, no JSON, keys of another form, cases without numbers.
Result<std::vector<ForgeCase>> read_forge_cases(const std::string& path);

// The file of a machine or a workload: NAME.yaml in a folder `machines`, `arches` or `workloads`, or below it, beside
// the file of cases or in `examples` there. Errors: there is none.
Result<std::string> forge_file(const std::string& cases, bool machine, const std::string& name);

}  // namespace heliolite
