#pragma once
// The lines of memory that the arrays of a nest take: array after array, each beginning on a line of its own.
#include <vector>

#include "engine/base/integers.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

class LineMap {
 public:
  LineMap(const LoopNest& nest, u32 line_words) : line_words_(line_words) {
    for (const MemoryArray& array : nest.arrays) {
      first_word_.push_back(array.first);
      first_line_.push_back(lines_);
      lines_ += ceil_div(array.words, u64{line_words});
    }
  }

  // The line of a word (number of the nest) of this array.
  u32 line(int array, u64 word) const {
    const u64 element = word - first_word_[at(array)];
    return static_cast<u32>(first_line_[at(array)] + (line_words_ == 1 ? element : element / line_words_));
  }
  u64 lines() const { return lines_; }
  u32 line_words() const { return line_words_; }

 private:
  u32 line_words_;
  u64 lines_ = 0;
  std::vector<u64> first_word_, first_line_;  // [array]
};

}  // namespace heliolite
