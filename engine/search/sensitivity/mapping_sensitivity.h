#pragma once
// Which decisions of a mapping decide its cost: Sobol's indices of the features of strategy bayes (decoder.h), as Dinh
// has them for a matrix product on GEMMINI (UCB/EECS-2023-293, section 6.2). Values are logarithms of the objective: of
// the objective itself a few terrible mappings make nearly all the variance.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/search/core/options.h"
#include "engine/search/sensitivity/sobol_indices.h"
#include "workloads/workload.h"

namespace heliolite {

enum class SensitivityGroup : u8 { Feature, Level, Dimension, Orders };

struct FeatureSensitivity {
  SensitivityGroup group = SensitivityGroup::Feature;
  std::string name;  // of the feature, the level or the dimension
  SobolIndex index;
};

struct PairSensitivity {
  std::string a, b;  // features
  Estimate second;
};

struct MappingSensitivity {
  // Features, the highest total index first; then levels, then dimensions, in that order too; then all loop orders.
  std::vector<FeatureSensitivity> rows;
  std::vector<PairSensitivity> pairs;  // of all features, the highest first; only if asked for
  double mean = 0, variance = 0;       // of the logarithm of the objective
  u64 evaluations = 0;                 // mappings decoded and priced, or asked of the surrogate
  u64 unfit = 0;  // of them without room; they count as a hundred times the mapping of the largest tiles
};

// Uses objective, encoding, free, open, seed and threads of the options. With options.from the function is not the cost
// model but a Gaussian process of the mappings there, as in the publication; errors then are those of unusable_tasks().
Result<MappingSensitivity> mapping_sensitivity(const Workload& workload, const Architecture& architecture,
                                               const SearchOptions& options, std::size_t samples, bool pairs = false);

}  // namespace heliolite
