#pragma once
// What rows of an experiment can measure: one list of names, of what each needs, and of how it is taken.
#include <string>
#include <string_view>
#include <vector>

#include "cli/bound/experiment_yaml.h"

namespace heliolite::cli {

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
