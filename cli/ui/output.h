#pragma once
// Where a command's answer goes: tables to stdout, JSON to a file or stdout, complaints to stderr.
#include <array>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace heliolite::cli {

class RemovedOnSignal;

// A stream buffer that writes to a file descriptor. After an error it drops what follows.
class DescriptorBuffer : public std::streambuf {
 public:
  explicit DescriptorBuffer(int descriptor);
  int error() const { return error_; }  // errno of the first write that failed, 0 = none

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  const int descriptor_;
  int error_ = 0;
  std::array<char, std::size_t{1} << 16> bytes_{};
};

// Writes a file beside its place, makes it last on the disk and lets it take the place: who looks finds the old file or
// the new one, also when the program is killed. It has the mode, and where possible the owner, of the file it replaces.
// Symbolic links to the place stay; other hard links keep the old file. Pipes, terminals, /dev/null and the program's
// own descriptors ("-" is standard output) are written as the text comes.
class FileWriter {
 public:
  explicit FileWriter(const std::string& target);
  ~FileWriter();  // without finish() what was written beside the place is removed
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  std::ostream& stream() { return *stream_; }
  // Ends writing; returns why the target could not be written, empty if it was. That the reader of a pipe has closed it
  // is no error.
  std::string finish();

 private:
  void open_direct(const std::string& target);
  void open_temporary(const std::string& target);
  std::string take_place();

  int descriptor_ = -1;
  int error_ = 0;
  std::string place_, temporary_;  // both empty when written directly
  std::unique_ptr<RemovedOnSignal> removed_;
  std::unique_ptr<DescriptorBuffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

// Opens /dev/null for each standard stream that the program was started without, so that no file opened later gets its
// descriptor.
void hold_standard_streams();

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
