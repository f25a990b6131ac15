#pragma once
// What an affine program touches when it runs, for caches in front of it. No type of isl: also for a build without it.
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/program/affine_support.h"

namespace heliolite {

// One read or write of an element; elements of an array are numbered in the order of its subscripts, the last one next
// to each other, over the box of all that is touched.
struct ProgramTouch {
  u64 element = 0;
  u8 array = 0;
  bool write = false;
  bool last = false;  // of its instance
};

// A program that is run twice, so that nobody has to remember its touches: the first time to know what it touches.
class ProgramTouches {
 public:
  struct Array {
    std::string name;
    std::vector<u64> extents;  // extents of the array's box; empty for a scalar
    bool written = false;
  };

  // Reads the program and runs it in the order of its text. Complains as bound_program() does, above
  // kMostExecutedInstances instances, and when `stop` (may be null) asks for the end.
  static Result<ProgramTouches> load(const std::string& file,
                                     const std::vector<std::pair<std::string, i64>>& parameters,
                                     const ProgramStop* stop = nullptr);

  // Runs it again: calls visit for what each instance reads, in the order of the text, then for what it writes.
  Result<u64> run(const std::function<void(const ProgramTouch&)>& visit, const ProgramStop* stop = nullptr) const;

  const std::vector<Array>& arrays() const { return arrays_; }
  const std::vector<std::string>& notes() const { return notes_; }  // what of the text was left out
  u64 instances() const { return instances_; }
  u64 touches() const { return touches_; }
  u64 operands() const { return operands_; }  // the most touches of one instance

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
  std::vector<Array> arrays_;
  std::vector<std::string> notes_;
  u64 instances_ = 0, touches_ = 0, operands_ = 0;
};

// The instances at most; more are refused.
inline constexpr u64 kMostExecutedInstances = 20'000'000;

}  // namespace heliolite
