#pragma once
// Experiments of `bound --experiment`: a file of published numbers and of what to measure against them
// (docs/orojenesis.md), its fields, and what its rows can measure.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/base/yaml_node.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/lower_bounds.h"
#include "workloads/network.h"

namespace heliolite::cli {

const FieldTable& experiment_fields();  // the document
const FieldTable& experiment_row_fields();
const FieldTable& chip_fields();  // a document of its own, or a part of an experiment

// The chip of a question about how to divide it between buffer and compute units: a file, a part of an experiment, or
// "area_mm2=..,mac_um2=..,.." on the command line.

struct ChipQuestion {
  Chip chip;
  std::optional<double> roof_operations;  // that the memory roof counts; none: MACs

  u64 roof(u64 macs) const { return roof_operations ? static_cast<u64>(*roof_operations) : macs; }
};

// A text with '=' is the keys with their values, anything else a file of them.
Result<ChipQuestion> load_chip(const std::string& text);

struct Measure;

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

// What rows of an experiment can measure: one list of names, of what each needs, and of how it is taken.

// Something to measure. `take` is of a row's single layer or program; none: of its network, or of the chip with that
// network.
struct Measure {
  std::string_view name;
  bool takes_capacity = false;
  std::vector<std::string_view> keys{};  // keys of the row that it understands besides those of every row
  Result<double> (*take)(const ExperimentRow& row) = nullptr;
  bool of_chip = false;
  bool of_program = false;  // it measures a C program
};

// All of them, and their names.
const std::vector<Measure>& measures();
std::vector<std::string> measure_names();
// The one of this name; null: there is none.
const Measure* find_measure(std::string_view name);

// Parts of the list: on curves of mappings, on bounds and tilings, on closed forms of papers, on C programs.
std::vector<Measure> curve_measures();
std::vector<Measure> bound_measures();
std::vector<Measure> published_measures();
std::vector<Measure> program_measures();

// The layer of a row whose measure has `take`.
inline const Workload& layer_of(const ExperimentRow& row) { return row.network.layers.front().workload; }

}  // namespace heliolite::cli
