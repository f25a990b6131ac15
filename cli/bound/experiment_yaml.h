#pragma once
// A file of published numbers and what to measure against them: docs/orojenesis.md.
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/bounds/curve/provision.h"
#include "workloads/network.h"

namespace heliolite::cli {

// A number to measure and the published one.
struct ExperimentRow {
  std::string what, workload, measure, note;
  Network network;  // of `workload`
  u64 at = 0;       // words of buffer
  std::optional<double> paper;
  std::optional<double> within;  // relative tolerance
  std::string unchecked;         // why there is none
  bool imperfect = false;
  bool published_templates = false;
  double ours = 0;

  bool holds() const { return !paper || !within || std::abs(ours / *paper - 1) <= *within; }
};

struct Experiment {
  std::string name;
  double word_size = 1;  // bytes: what units of `at` are divided by
  std::optional<Chip> chip;
  std::optional<double> roof;  // operations that the chip's memory roof counts, else MACs
  std::vector<ExperimentRow> rows;
};

// Workloads that are files stand beside it. Errors: all of the file and of its workloads, with their lines.
Result<Experiment> read_experiment(const std::string& path);

// Of a row's measure: whether it is taken at a capacity, is of one layer, needs the chip.
bool takes_capacity(const std::string& measure);
bool of_one_layer(const std::string& measure);
bool is_of_chip(const std::string& measure);

}  // namespace heliolite::cli
