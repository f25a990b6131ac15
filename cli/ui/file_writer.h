#pragma once
// Where the text of an output goes: into a file that takes its place when it is whole, into a pipe, to a terminal.
#include <array>
#include <memory>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string>

#include "cli/ui/interrupt.h"

namespace heliolite::cli {

// A buffer before a descriptor. After an error what follows is dropped.
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
  // Empty, or why the target could not be written. A reader that closed the pipe has seen enough, which is no error.
  std::string finish();

 private:
  void open_direct(const std::string& target);
  void open_beside(const std::string& target);
  std::string take_place();

  int descriptor_ = -1;
  int error_ = 0;
  std::string place_, beside_;  // both empty when written directly
  std::optional<RemovedOnSignal> removed_;
  std::unique_ptr<DescriptorBuffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

// Takes the places of standard streams that the program was started without: no file that is opened later becomes one.
void hold_standard_streams();

// Why a FileWriter would not get far, found out before any work; empty if nothing stands in its way.
std::string unwritable(const std::string& target);

}  // namespace heliolite::cli
