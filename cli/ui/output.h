#pragma once
// Where a command's answer goes: tables to stdout, JSON to a file or stdout, complaints to stderr.
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
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

  // Remembers that `option` names a file to write. `target` will hold the name when the command line has been read (""
  // = none). Commands may share a target.
  void add_target(std::string option, const std::string& target);
  // Claims all targets, before any work. Complains and returns false if one may not or cannot be written.
  bool claim_targets() const;
  // Claims the file `target` of `option`, whose name was not known when the command line was read.
  bool claim(const std::string& option, const std::string& target) const;

  // Prints a table to stdout, unless a target is stdout.
  void table(const std::string& text) const;
  // Prints progress, a note or a warning to stderr.
  void note(const std::string& text) const;
  // Prints what of an input was read otherwise than it is written, and remembers it for the answer's JSON.
  void report_notes(const std::vector<std::string>& notes) const;
  // Writes the answer as JSON, if asked for, with the "notes" that were reported unless it has its own. Returns false,
  // after a complaint, if it cannot be written.
  bool json(const nlohmann::ordered_json& answer) const;

  // Writes the text into the file of `option`; does nothing if the option was not given. Returns false, after the
  // complaint "option: file cannot be written: reason", if it cannot be written. Throws for an option that was neither
  // added nor claimed, which is a mistake of the command.
  bool write(const std::string& option, const std::string& text) const;
  // Writes a text that `parts` makes piece by piece. If that returns errors, nothing is written except into pipes.
  bool write(const std::string& option, const std::function<Diagnostics(std::ostream&)>& parts) const;
  // Writes the text that is the command's answer: into the file `target` of -o, or onto stdout if there is none, unless
  // the JSON goes there. Returns as write() does.
  bool document(const std::string& target, const std::string& text) const;

 private:
  std::vector<std::pair<std::string, const std::string*>> targets_;
  mutable bool lost_ = false;
  mutable std::optional<std::vector<std::string>> reported_notes_;  // none: report_notes() was not called
};

// Prints the complaints to stderr, "heliolite: " before each; returns kBadInput.
int fail(const Diagnostics& errors);
int fail(const std::string& message);

}  // namespace heliolite::cli
