#pragma once
// Bayesian optimisation: a Gaussian process learns from the mappings priced so far which to price next. For costs that
// take seconds or hours to find out; the cost model takes less than a microsecond, and there strategy exact is faster.
// After Dinh (UCB/EECS-2023-293, section 6.2); what that leaves open is decided in docs/bayes.md.
#include <span>
#include <string>
#include <vector>

#include "engine/base/field_reader.h"
#include "engine/base/result.h"
#include "engine/search/bayes/decoder.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/core/options.h"

namespace heliolite {

// Mappings priced where no budget is given.
inline constexpr u64 kBayesEvaluations = 100;
// The process is conditioned on this many mappings at most: the best half and the latest.
inline constexpr std::size_t kMostObservations = 400;

// Prices `first`, mappings that other reasons speak for, then those of options.bayes.start points that fill the unit
// cube evenly; it learns from the latter, for `first` need not be mappings of points. A point's mapping seen before is
// not priced again. `orders`: those that can matter, of each level. The answer depends on options.seed and not on the
// number of threads.
LayerAnswer bayes_search(const LayerProblem& problem, const OrdersByLevel& orders, std::span<const Mapping> first,
                         const SearchBudget& budget);

// Why options.bayes.from says nothing about the layer: tasks of another objective, or with other features. Empty if all
// do.
Diagnostics unusable_tasks(const LayerProblem& problem, const OrdersByLevel& orders);

// What searches of strategy bayes learned, as a YAML file (docs/bayes.md).

// The fields of files of mappings that searches have priced (docs/bayes.md), map by map.

inline constexpr double kMostCoordinate = 64;     // log2
inline constexpr double kMostLearnedValue = 1e4;  // log of a ratio
inline constexpr i64 kMostChoices = 1'000'000;

const FieldTable& learned_file_fields();  // the document
const FieldTable& learned_task_fields();

std::string learned_text(const std::vector<LearnedTask>& tasks);

// Loads such a file into options.bayes.from; nothing if the path is empty. Errors: those of reading a YAML file, and
// what is missing, out of range or of another length than it must be.
Diagnostics load_learned(const std::string& path, SearchOptions& options);

}  // namespace heliolite
