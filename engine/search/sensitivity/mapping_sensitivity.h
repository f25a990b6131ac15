#pragma once
// Which decisions of a mapping decide its cost: Sobol's indices of the features of strategy bayes (decoder.h), as Dinh
// has them for a matrix product on GEMMINI (UCB/EECS-2023-293, section 6.2). Values are logarithms of the objective: of
// the objective itself a few terrible mappings make nearly all the variance.
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/types.h"
#include "engine/search/core/options.h"
#include "workloads/workload.h"

namespace heliolite {

// Which inputs of a function decide its value: Sobol's indices, estimated by Saltelli's samples (Saltelli et al.,
// Computer Physics Communications 181, 2010: first order by its equation (b) of table 2, total by Jansen's (f); pairs
// by the products of Saltelli, the same journal 145, 2002).

// An estimate with its 95 % interval (bootstrap, 200 resamples).
struct Estimate {
  double value = 0, low = 0, high = 0;
};

// The part of the function's variance that a group of inputs explains alone, and with all others together.
struct SobolIndex {
  Estimate first, total;
};

// The part of the variance that only two groups together explain, beyond what each does alone.
struct SobolPair {
  std::size_t a = 0, b = 0;  // groups
  Estimate second;
};

struct SobolQuestion {
  std::size_t inputs = 0;                        // inputs of the function, each uniform in (0, 1)
  std::vector<std::vector<std::size_t>> groups;  // the inputs of each group
  std::size_t paired = 0;                        // the first `paired` groups, which share no input: all pairs of these
  std::size_t samples = 8192;                    // a power of two fills the cube most evenly
  u64 seed = 1;
  int threads = 0;  // 0 = every core; the answer does not depend on it
};

struct SobolAnswer {
  std::vector<SobolIndex> index;  // [group]
  std::vector<SobolPair> pairs;   // [pair of the groups paired]
  double mean = 0, variance = 0;  // mean and variance of the function
  u64 evaluations = 0;            // samples x (groups + paired + 2)
};

// Calls `f` from several threads. A function without variance has indices of 0.
SobolAnswer sobol_indices(const std::function<double(std::span<const double>)>& f, const SobolQuestion& question);

enum class SensitivityGroup : u8 { Feature, Level, Dimension, Orders };

struct FeatureSensitivity {
  SensitivityGroup group = SensitivityGroup::Feature;
  std::string name;  // name of the feature, the level or the dimension
  SobolIndex index;
};

struct PairSensitivity {
  std::string a, b;  // features
  Estimate second;
};

struct MappingSensitivity {
  // Features, the highest total index first; then levels, then dimensions, in that order too; then all loop orders.
  std::vector<FeatureSensitivity> rows;
  std::vector<PairSensitivity> pairs;  // pairs of all features, the highest first; only if asked for
  double mean = 0, variance = 0;       // mean and variance of the logarithm of the objective
  u64 evaluations = 0;                 // mappings decoded and priced, or asked of the surrogate
  u64 unfit = 0;  // mappings without room; they count as a hundred times the mapping of the largest tiles
};

// Uses objective, encoding, free, open, seed and threads of the options. With options.bayes.from the function is not
// the cost model but a Gaussian process of the mappings there, as in the publication; errors then are those of
// unusable_tasks().
Result<MappingSensitivity> mapping_sensitivity(const Workload& workload, const Architecture& architecture,
                                               const SearchOptions& options, std::size_t samples, bool pairs = false);

}  // namespace heliolite
