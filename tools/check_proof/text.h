#pragma once
// The lines of a file, one space between words, and what is said of a line that is wrong.
#include <string>
#include <string_view>
#include <vector>

#include "check_proof/integers.h"

namespace check_proof {

// Thrown where a line is wrong, and caught where files are checked. Refused: the checker cannot say anything of it.
struct Wrong {
  u64 line = 0;  // from 1; 0: of the whole file
  std::string what;
  bool refused = false;
};

// Walks over the lines of a text that outlives it.
class Lines {
 public:
  explicit Lines(std::string_view text);

  // The next line becomes the current one. Wrong where the text has ended, or where the line has no single spaces.
  void next();
  // Whether the next line begins with this word.
  bool next_is(std::string_view word) const;
  bool at_end() const { return offset_ == text_.size(); }

  u64 number() const { return number_; }
  const std::vector<std::string_view>& words() const { return words_; }
  std::size_t count() const { return words_.size(); }
  std::string_view word(std::size_t k) const;  // wrong where the line has fewer
  u64 integer(std::size_t k) const { return integer(word(k)); }
  u64 integer(std::string_view text) const;
  void expect(std::size_t count) const;  // wrong where the line has another number of words
  [[noreturn]] void wrong(const std::string& what) const { throw Wrong{number_, what, false}; }
  [[noreturn]] void refuse(const std::string& what) const { throw Wrong{number_, what, true}; }
  std::string_view before() const { return text_.substr(0, begin_); }  // all in front of the current line

 private:
  std::string_view text_;
  std::size_t begin_ = 0, offset_ = 0;
  u64 number_ = 0;
  std::vector<std::string_view> words_;
};

// The parts of a word between separators; an empty word has one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// A whole file; -: the standard input. Refused where it cannot be read, or is larger than a proof may be.
std::string read_file(const std::string& path);

}  // namespace check_proof
