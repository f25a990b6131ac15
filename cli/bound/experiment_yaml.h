#pragma once
// Reads a file of published numbers and of what to measure against them (docs/orojenesis.md).
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
  std::string what, workload, measure, note;  // as the file states them
  Network network;                            // of `workload`
  u64 at = 0;                                 // words of buffer
  std::optional<double> paper;                // the published number
  std::optional<double> within;               // relative tolerance
  std::string unchecked;                      // why there is no tolerance
  bool imperfect = false;                     // also tiles that do not divide the sizes
  bool published_templates = false;           // kPublishedTemplates (fusion.h) instead of all
  double ours = 0;                            // the number measured

  bool holds() const { return !paper || !within || std::abs(ours / *paper - 1) <= *within; }
};

struct Experiment {
  std::string name;
  double word_size = 1;        // bytes in a word
  std::optional<Chip> chip;    // for measures that need one
  std::optional<double> roof;  // operations that the chip's memory roof counts; none: MACs
  std::vector<ExperimentRow> rows;
};

// Reads the file and loads its workloads, presets or files relative to it. All errors of the file and of its workloads
// are returned, with their lines.
Result<Experiment> read_experiment(const std::string& path);

// Whether a measure is taken at a capacity, is of one layer, needs the chip.
bool takes_capacity(const std::string& measure);
bool of_one_layer(const std::string& measure);
bool is_of_chip(const std::string& measure);

}  // namespace heliolite::cli
