#pragma once
// The bytes of files: whole, as text, mapped into memory, or added at the end.
#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace heliolite {

// The bytes of a file, or of what comes through a pipe.

// All bytes of a file or pipe (/dev/stdin, a shell's <(command), named ones). Errors: it is going to be written
// (FileClaims), a directory, unreadable, larger than `most` bytes, a named pipe that nobody opens to write, a pipe that
// nothing came from for a minute, a signal while waiting.
Result<std::string> read_file_bytes(const std::string& path, std::size_t most);

// Reading a file that is supposed to be text.

inline constexpr std::size_t kMaxTextFileBytes = std::size_t{64} << 20;

// The file's bytes. Errors: missing (names the nearest file beside it), larger than 64 MiB, not text, and those of
// read_file_bytes().
Result<std::string> read_text_file(const std::string& path);

// Why `text` is not UTF-8 text (NUL and other control characters, invalid sequences), with the line; `name` stands for
// the file. Empty when it is text.
Diagnostics check_text(std::string_view text, const std::string& name);

// What the file `from` means when it names `what`, a file or a preset: the path of the file of that name beside `from`
// if there is one, or if `what` can only be a file (`is_path`); else `what` as it is. "file@options" is a file too.
std::string named_file(const std::string& from, const std::string& what, bool is_path);

// A file's bytes where they are: mapped into memory, so that parts nobody looks at are never read.

// The bytes of a regular file, read as they are looked at; those of a pipe, read at once. Nobody may make the file
// shorter meanwhile.
class FileMap {
 public:
  // Errors are those of read_file_bytes(), but a regular file may have any size; `most_of_pipe` holds for pipes.
  static Result<FileMap> open(const std::string& path, std::size_t most_of_pipe);

  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&& other) noexcept;
  FileMap(const FileMap&) = delete;
  FileMap& operator=(const FileMap&) = delete;
  ~FileMap();

  std::string_view bytes() const;

 private:
  FileMap() = default;

  void* mapped_ = nullptr;
  std::size_t size_ = 0;  // of what is mapped
  std::string piped_;
};

// The first bytes of a regular file, at most `most`; nothing if it is no regular file, or nobody may read it.
std::string first_bytes(const std::string& path, std::size_t most);
// The first bytes of a file that is going to be written: what an earlier run has left there. It becomes no input.
std::string bytes_left_in(const std::string& path, std::size_t most);

// Adds the text to the end of a file of the program's own, or makes it. Returns what went wrong; "": nothing did.
std::string append_text(const std::string& path, std::string_view text);

}  // namespace heliolite
