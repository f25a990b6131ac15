#pragma once
// The search over residual factors that every strategy runs after its perfect answer. Steps:
//  1. The starts: the perfect answer; the same with other unrollings that fill the fan-outs; the least factors.
//  2. Each is climbed from: loop ends, loop orders, what is kept.
//  3. The best is disturbed and climbed from again, until the evaluations are used up.
//  4. The proven bound of the whole imperfect mapspace (imperfect_bound.h).
// The perfect answer is among the candidates: the result is never worse.
#include "engine/search/layer_problem.h"

namespace heliolite {

// `perfect` may hold nothing. On the calling thread; deterministic. The statistics are of this search alone.
LayerAnswer imperfect_search(const LayerProblem& problem, const LayerAnswer& perfect);

}  // namespace heliolite
