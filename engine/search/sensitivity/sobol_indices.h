#pragma once
// Which inputs of a function decide its value: Sobol's indices, estimated by Saltelli's samples (Saltelli et al.,
// Computer Physics Communications 181, 2010: first order by its equation (b) of table 2, total by Jansen's (f); pairs
// by the products of Saltelli, the same journal 145, 2002).
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// An estimate with its 95 % interval (bootstrap, 200 resamples).
struct Estimate {
  double value = 0, low = 0, high = 0;
};

// The part of the function's variance that a group of inputs explains alone, and with all others together.
struct SobolIndex {
  Estimate first, total;
};

// Of two groups: the part that only both together explain, beyond what each does alone.
struct SobolPair {
  std::size_t a = 0, b = 0;  // groups
  Estimate second;
};

struct SobolQuestion {
  std::size_t inputs = 0;                        // of the function, each uniform in (0, 1)
  std::vector<std::vector<std::size_t>> groups;  // the inputs of each group
  std::size_t paired = 0;                        // the first so many groups, which share no input: all pairs of these
  std::size_t samples = 8192;                    // a power of two fills the cube most evenly
  u64 seed = 1;
  int threads = 0;  // 0 = every core; the answer does not depend on it
};

struct SobolAnswer {
  std::vector<SobolIndex> index;  // [group]
  std::vector<SobolPair> pairs;   // of the groups paired
  double mean = 0, variance = 0;  // of the function
  u64 evaluations = 0;            // samples x (groups + paired + 2)
};

// Calls `f` from several threads. A function without variance has indices of 0.
SobolAnswer sobol_indices(const std::function<double(std::span<const double>)>& f, const SobolQuestion& question);

}  // namespace heliolite
