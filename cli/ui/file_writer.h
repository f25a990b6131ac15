#pragma once
// Writes the text of an output: into a file that takes its place when it is complete, into a pipe, to a terminal.
#include <array>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>

#include "cli/ui/interrupt.h"

namespace heliolite::cli {

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
  std::optional<RemovedOnSignal> removed_;
  std::unique_ptr<DescriptorBuffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

// Opens /dev/null for each standard stream that the program was started without, so that no file opened later gets its
// descriptor.
void hold_standard_streams();

// Why a FileWriter could not write `target`, as far as that can be known before any work; empty if it could.
std::string unwritable(const std::string& target);

}  // namespace heliolite::cli
