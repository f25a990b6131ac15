#pragma once
// The machine on which energy is the words moved: a buffer, and a memory with an energy of 1 pJ a word.
#include "arch/architecture.h"

namespace heliolite::testing {

// The buffer, "Buf", has room for this many words and keeps what a mapping likes.
inline Architecture buffer_of(u64 words) {
  Architecture a;
  a.name = "two";
  a.levels.resize(2);
  a.levels[0].name = "Buf";
  a.levels[0].entries = words;
  a.levels[1].name = "DRAM";
  a.levels[1].energy = {1, 1, 1};
  a.compute.op_pj = 0;
  return a;
}

}  // namespace heliolite::testing
