#pragma once
// What an affine program touches when it runs, for caches in front of it. No type of isl: also for a build without it.
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

// One read or write of an element; elements of an array are numbered in the order of its subscripts, the last one next
// to each other, over the box of all that is touched.
struct ProgramTouch {
  u64 element = 0;
  u8 array = 0;
  bool write = false;
  bool last = false;  // of its instance
};

struct ProgramTouches {
  struct Array {
    std::string name;
    std::vector<u64> extents;  // of the box; empty for a scalar
    bool written = false;
  };
  std::string file;
  std::vector<Array> arrays;
  std::vector<ProgramTouch> touches;  // of one instance: what is read, in the order of the text, then what is written
  u64 instances = 0;
  u64 operands = 0;  // the most touches of one instance
};

// The instances at most; more are refused.
inline constexpr u64 kMostExecutedInstances = 20'000'000;

// Reads the program and runs it in the order of its text. Complains as bound_program() does, and above
// kMostExecutedInstances instances.
Result<ProgramTouches> program_touches(const std::string& file,
                                       const std::vector<std::pair<std::string, i64>>& parameters);

}  // namespace heliolite
