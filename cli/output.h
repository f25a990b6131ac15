#pragma once
// Where a command's answer goes: tables to stdout, JSON to a file or stdout, complaints to stderr.
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/result.h"

namespace heliolite::cli {

enum ExitCode : int {
  kSuccess = 0,
  kNegative = 1,  // nothing legal found, or a check failed
  kBadInput = 2,
  kBug = 70,  // EX_SOFTWARE of sysexits.h
};

class Output {
 public:
  std::string json_target;  // --json: a file, "-" = stdout, "" = none
  bool quiet = false;       // no progress, no notes

  bool json_to_stdout() const { return json_target == "-"; }
  bool lost() const { return lost_; }  // stdout could not be written, and that was complained about

  // Whether --json can be written, found out before any long work. Complains and returns false if not.
  bool check_json_target() const;

  // Tables: to stdout, unless JSON goes there.
  void table(const std::string& text) const;
  // Progress, notes and warnings: to stderr.
  void note(const std::string& text) const;
  // The answer as JSON, if asked for. False after complaining when it cannot be written.
  bool json(const nlohmann::ordered_json& answer) const;

 private:
  mutable bool lost_ = false;
};

// Whether a file can be written, without writing it. Complains and returns false if not.
bool can_write(const std::string& option, const std::string& path);

// False after complaining, "option: file cannot be written: reason".
bool write_file(const std::string& option, const std::string& path, const std::string& text);
// The same, but "-" is stdout.
bool write_target(const std::string& option, const std::string& target, const std::string& text);

// Prints the complaints to stderr, "heliolite: " before each; returns kBadInput.
int fail(const Diagnostics& errors);
int fail(const std::string& message);

}  // namespace heliolite::cli
