#pragma once
// AccelForge's recorded results (docs/formats_accelforge.md): a file of them, and what ours comes to on each case.
#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/named.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/verify/json_record.h"

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

// Searches what AccelForge has recorded: of each case the least energy x latency of the network, its layers fused or
// not, against the recorded energy and latency (docs/formats_accelforge.md).

struct ForgeOptions : RecordSelection {
  int threads = 0;                          // of each search; 0 = every core
  std::optional<double> budget_seconds;     // for one layer, and for one search of fused layers
  const std::atomic<bool>* stop = nullptr;  // when it is set, cases that are not searched yet are skipped
  std::function<void(u64 done, u64 of)> progress;
};

// Ours beside the recorded one. Equal: energies to 1e-5, latencies to a cycle for each layer. Below, Above: the product
// of energy and latency is; below a recorded optimum is a mapping that the other mapspace does not have.
enum class ForgeVerdict : u8 { Equal, Below, Above, Refused, Skipped };
constexpr ValueNames<5> value_names(ForgeVerdict) { return {"equal", "below", "above", "refused", "skipped"}; }

// What one component of the machine takes in a case, J.
struct ForgePart {
  std::string component;  // a memory or the compute unit, without leakage; or "leakage", that of all
  double energy = 0, our_energy = 0;
};

struct ForgeComparison {
  std::string id, machine;
  bool fused = false;
  ForgeVerdict verdict = ForgeVerdict::Skipped;
  double energy = 0, latency = 0;          // recorded, J and s
  double our_energy = 0, our_latency = 0;  // of the best schedule found
  bool optimal = false;                    // that nothing of our mapspace is below is proven
  u64 groups = 0;                          // of fused layers
  // Recorded actions, by Einsum, memory, tensor and direction, and those of them that the best mappings of unfused
  // layers have as often; mappings of equal cost may differ.
  u64 actions = 0, equal_actions = 0;
  // In which components the two differ, outermost first: of what was recorded, and of our mappings of unfused layers.
  // Empty where our answer fuses layers.
  std::vector<ForgePart> parts;
  std::vector<std::string> notes;  // what makes the two mapspaces differ here
  Diagnostics why;                 // of Refused
  double seconds = 0;
};

// Errors: those of the file; that nothing is selected. A case whose files cannot be read is Refused.
Result<std::vector<ForgeComparison>> verify_forge(const std::string& path, const ForgeOptions& options);

}  // namespace heliolite
