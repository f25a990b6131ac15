#pragma once
// A short look at other factors than the sizes' divisors, where those leave the fan-outs mostly idle: what it finds
// goes beside an answer with perfect factors, and says what `--imperfect` is worth.
#include <optional>

#include "engine/search/core/layer_problem.h"

namespace heliolite {

// Perfect factors are said to be of little use below this utilization, if others can at least double it.
inline constexpr double kUsefulShare = 0.5;

// `perfect`: the answer with perfect factors. Returns nothing where these use the compute units well, or if nothing
// better is found. Deterministic: it ends after a number of evaluations that is a small part of those of `perfect`.
std::optional<ImperfectLook> look_at_imperfect(const LayerProblem& problem, const LayerAnswer& perfect);

}  // namespace heliolite
