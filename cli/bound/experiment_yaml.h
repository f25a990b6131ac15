#pragma once
// Reads a file of published numbers and of what to measure against them (docs/orojenesis.md).
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/bound/experiment_fields.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/bounds/traffic_rule.h"
#include "workloads/network.h"

namespace heliolite::cli {

struct Measure;  // experiment_measures.h

// How a measured number compares with the published one.
enum class RowVerdict : u8 {
  None,     // nothing is published
  Same,     // within the tolerance
  Better,   // less than published, where less is better
  Differs,  // by a reason that the file states, and still the number that it states
  Outside,  // none of these
};
// "same", "better", "differs" or "outside"; empty for None.
std::string_view name(RowVerdict verdict);

// A number to measure and the published one.
struct ExperimentRow {
  std::string what, workload, note;  // as the file states them
  const Measure* measure = nullptr;
  Diagnostic place;                                     // of the row in the file
  Network network;                                      // of `workload`, unless it is a C program
  std::string program;                                  // its file
  std::vector<std::pair<std::string, i64>> parameters;  // `param`: of the program
  u64 at = 0;                                           // words of buffer
  std::optional<double> paper;                          // the published number, or the lower end of a published range
  std::optional<double> to;                             // the upper end of the range
  std::optional<double> within;                         // relative tolerance
  bool less_is_better = false;
  std::string because;             // why ours differs
  std::optional<double> expected;  // ours, with the same tolerance, where it differs
  // What else measures understand.
  bool imperfect = false;            // also tiles that do not divide the sizes
  bool published_templates = false;  // kPublishedTemplates (fusion.h) instead of all
  TrafficRule rule;                  // `loads`, `outputs_read`
  std::vector<double> word_sizes;    // [tensor]; 1 beyond its end
  std::vector<u64> memories;         // words of each, innermost first
  u64 processors = 1;
  u64 accumulator = 8192;  // words, in addition to the scratchpad of `at` words
  double generation = 1;   // words moved that cost as much as making one element
  double ours = 0;         // the number measured

  double capacity() const { return static_cast<double>(at); }
  RowVerdict verdict() const;
  bool holds() const { return verdict() != RowVerdict::Outside; }
  // A complaint about the row.
  Diagnostic error(std::string message) const {
    Diagnostic complaint = place;
    complaint.message = std::move(message);
    return complaint;
  }
};

struct Experiment {
  std::string name;
  double word_size = 1;              // bytes in a word
  std::optional<ChipQuestion> chip;  // for measures that need one
  std::vector<ExperimentRow> rows;
};

// Reads the file and loads its workloads, presets or files relative to it. All errors of the file and of its workloads
// are returned, with their lines.
Result<Experiment> read_experiment(const std::string& path);

}  // namespace heliolite::cli
