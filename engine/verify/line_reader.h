#pragma once
// Reads a text file of records line by line; refuses lines that are longer than any record instead of filling the
// memory.
#include <cstddef>
#include <fstream>
#include <functional>
#include <string>

#include "engine/base/result.h"

namespace heliolite {

// A file with this many bad lines is not read further.
inline constexpr std::size_t kMaxBadLines = 20;

// Reads the lines of one file.
class LineReader {
 public:
  // Longer lines are refused; real records have some 3 kB.
  static constexpr std::size_t kMaxLineBytes = 16u << 20;

  explicit LineReader(const std::string& path) : stream_(path, std::ios::binary) {}

  bool is_open() const { return stream_.is_open(); }
  // The next line without its end; false when there is none.
  bool next(std::string& line);
  // Whether next() ended at a line that is too long.
  bool too_long() const { return too_long_; }

 private:
  std::ifstream stream_;
  bool too_long_ = false;
};

// Calls `line` with every line that is not blank and its number, from 1, until it returns false. Errors: no such file,
// a folder, a line that is too long.
Diagnostics for_each_line(const std::string& path, const std::function<bool(const std::string&, int)>& line);

}  // namespace heliolite
