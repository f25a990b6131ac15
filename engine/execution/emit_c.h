#pragma once
// A nest as one self-contained C99 program that checks itself against the plain loops.
#include <string>

#include "engine/base/result.h"
#include "engine/execution/loop_nest.h"

namespace heliolite {

struct EmitOptions {
  std::string title;    // first line of the comment at the program's head: what the nest is
  bool pack = false;    // tiles are copied into buffers of their own, and the words copied are counted
  bool trace = false;   // prints "array element r|w" for every touch, and nothing else
  u32 pad_bytes = 0;    // every element takes that many bytes, aligned; 0: arrays are dense
  bool openmp = false;  // loops that a machine runs side by side get pragmas
};

// What of the options cannot be had for this nest; empty if all can.
Diagnostics check_emit(const LoopNest& nest, const EmitOptions& options);

// The program. It fills the inputs with small whole numbers, runs the nest and the plain loops, prints a checksum, the
// seconds of both and the words copied, and returns 1 if the outputs differ; with any argument it runs the nest alone
// and compares nothing. Compiles without warnings with -Wall -Wextra -std=c99; the same question gives the same bytes.
// Must have passed check_emit().
std::string emit_c(const LoopNest& nest, const EmitOptions& options);

}  // namespace heliolite
