#pragma once
// What a command is asked of a sweep besides its file: options that stand in place of what the file says.
#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/read_arguments.h"
#include "cli/ui/search_arguments.h"
#include "engine/sweep/sweep_yaml.h"

namespace heliolite::cli {

class SweepQuestion {
 public:
  void add_to(CLI::App& command);

  SweepOverrides overrides() const;
  // The options that were given, for another command line: "--objective", "energy".
  std::vector<std::string> words() const;

 private:
  std::string goal_, rank_;
  std::optional<u64> sample_, explored_;
  std::optional<double> budget_;  // seconds of the whole sweep
  SearchArguments search_;
  ReadOptions reading_;  // of the machine and the workloads
};

}  // namespace heliolite::cli
