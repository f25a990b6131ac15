#pragma once
// The instances of an affine program in the order in which they run.
#include <functional>
#include <optional>
#include <span>

#include "engine/base/result.h"
#include "engine/program/affine_program.h"
#include "engine/program/count.h"

namespace heliolite {

// { S0[i, j] -> [0, i, 1, j, 0]; S1[i] -> .. } on the instances: the order of the text.
isl::union_map text_order(const AffineProgram& program);

// Statement and coordinates of an instance.
using InstanceVisitor = std::function<void(int statement, std::span<const i64> at)>;

// Calls `visit` for every instance, smaller times of `order` first; instances of the same time in any order, the same
// on every run. `order` gives each instance one time, all of the same length; by default the order of the text. The
// number of instances. Complains about parameters without a value, and above `limit` instances, some of which are
// visited then.
Result<u64> walk_instances(const AffineProgram& program, const ParameterValues& values, const InstanceVisitor& visit,
                           const std::optional<isl::union_map>& order = {}, u64 limit = 100'000'000);

}  // namespace heliolite
