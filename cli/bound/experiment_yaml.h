#pragma once
// Reads a file of published numbers and of what to measure against them (docs/orojenesis.md).
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/bound/chip_yaml.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/bounds/traffic_rule.h"
#include "workloads/network.h"

namespace heliolite::cli {

struct Measure;  // experiment_measures.h

// A number to measure and the published one.
struct ExperimentRow {
  std::string what, workload, note;  // as the file states them
  const Measure* measure = nullptr;
  Diagnostic place;              // of the row in the file
  Network network;               // of `workload`
  u64 at = 0;                    // words of buffer
  std::optional<double> paper;   // the published number
  std::optional<double> within;  // relative tolerance
  std::string unchecked;         // why there is no tolerance
  // What else measures understand.
  bool imperfect = false;            // also tiles that do not divide the sizes
  bool published_templates = false;  // kPublishedTemplates (fusion.h) instead of all
  TrafficRule rule;                  // `loads`, `outputs_read`
  std::vector<double> word_sizes;    // [tensor]; 1 beyond its end
  std::vector<u64> memories;         // words of each, innermost first
  u64 processors = 1;
  u64 accumulator = 8192;  // words, beside the scratchpad of `at` words
  double generation = 1;   // words moved that cost as much as making one element
  double ours = 0;         // the number measured

  double capacity() const { return static_cast<double>(at); }
  bool holds() const { return !paper || !within || std::abs(ours / *paper - 1) <= *within; }
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
