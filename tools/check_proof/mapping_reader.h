#pragma once
// Reads servers, and what a level adds to a mapping, from the words of a line.
#include "check_proof/state.h"

namespace check_proof {

class MappingReader {
 public:
  explicit MappingReader(const Machine& machine);

  // LEVEL,LEVEL..: a server of each tensor. Wrong where they cannot be those before level i.
  int servers(const Lines& lines, std::string_view text, int i) const;
  // UNROLLING LOOPS NEXT-SERVERS of the state's next level, from word k on; the state becomes its extension.
  void extend(const Lines& lines, std::size_t k, State& s) const;
  // `mapping` and `m` lines; the current line is the first, and the last afterwards.
  State mapping(Lines& lines) const;
  // What level i adds, and servers before it, as lines say them.
  std::string text_of(int i, const Step& step) const;
  std::string servers_text(int i, int set) const;

 private:
  std::vector<Loop> factors(const Lines& lines, std::string_view text) const;
  int unrolling(const Lines& lines, std::string_view text, int i) const;
  std::string factors_text(const Digits& digits) const;

  const Machine& m_;
  const Steps steps_;
  std::vector<std::map<std::pair<Digits, Digits>, int>> unrolling_;  // [level]: by factors, and those along X
};

}  // namespace check_proof
