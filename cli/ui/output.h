#pragma once
// Where a command's answer goes: tables to stdout, JSON to a file or stdout, complaints to stderr.
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace heliolite::cli {

enum ExitCode : int {
  kSuccess = 0,
  kNegative = 1,  // nothing legal found, or a check failed
  kBadInput = 2,
  kBug = 70,  // EX_SOFTWARE of <sysexits.h>
};

// Every output of a command goes through here. A file is claimed first (FileClaims: it is no input, no database, no
// other output) and then written beside its place (FileWriter); there is no way to write one that was not claimed.
class Output {
 public:
  std::string json_target;  // --json: a file, "-" = stdout, "" = none
  bool quiet = false;       // no progress, no notes

  bool json_to_stdout() const { return json_target == "-"; }
  bool lost() const { return lost_; }  // stdout could not be written, and that was complained about

  // Remembers that `option` names a file to write, which `target` will hold when the command line is read ("" = none).
  // Commands may share a target.
  void add_target(std::string option, const std::string& target);
  // Claims those, before any work. Complains and returns false if one may not or cannot be written.
  bool claim_targets() const;
  // The same for a file whose name is found later; `target` is what `option` writes then.
  bool claim(const std::string& option, const std::string& target) const;

  // Tables: to stdout, unless a target takes it.
  void table(const std::string& text) const;
  // Progress, notes and warnings: to stderr.
  void note(const std::string& text) const;
  // The answer as JSON, if asked for. False after complaining when it cannot be written.
  bool json(const nlohmann::ordered_json& answer) const;

  // Into what `option` claimed; nothing if it was not given. False after complaining, "option: file cannot be written:
  // reason". Throws for an option that nobody claimed or added: a command's mistake.
  bool write(const std::string& option, const std::string& text) const;
  // The same, part by part. With errors nothing is written, except into pipes.
  bool write(const std::string& option, const std::function<Diagnostics(std::ostream&)>& parts) const;

 private:
  std::vector<std::pair<std::string, const std::string*>> targets_;
  mutable bool lost_ = false;
};

// Prints the complaints to stderr, "heliolite: " before each; returns kBadInput.
int fail(const Diagnostics& errors);
int fail(const std::string& message);

}  // namespace heliolite::cli
