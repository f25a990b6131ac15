#pragma once
// The lines of memory that arrays take: array after array, each beginning on a line of its own.
#include <span>
#include <vector>

#include "engine/base/integers.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

class LineMap {
 public:
  LineMap(std::span<const MemoryArray> arrays, u32 line_words) : line_words_(line_words) {
    for (const MemoryArray& array : arrays) {
      first_word_.push_back(array.first);
      first_line_.push_back(lines_);
      lines_ += ceil_div(array.words, u64{line_words});
    }
  }

  // The line of a word (as MemoryArray::first numbers them) of this array.
  u32 line(int array, u64 word) const {
    const u64 element = word - first_word_[at(array)];
    return static_cast<u32>(first_line_[at(array)] + (line_words_ == 1 ? element : element / line_words_));
  }
  u64 lines() const { return lines_; }
  std::size_t arrays() const { return first_line_.size(); }
  u32 line_words() const { return line_words_; }

 private:
  u32 line_words_;
  u64 lines_ = 0;
  std::vector<u64> first_word_, first_line_;  // [array]
};

}  // namespace heliolite
