#pragma once
// Einsums as text: "o[i,j] += a[i,k,l]*b[k,j]*c[l,j]; i=256,j=32,k=256,l=256". A rank is a sum of dimensions with
// optional factors ("2*p+r"). Complaints carry the column: file = the text (shortened), field = "column 12".
#include <span>
#include <string_view>

#include "engine/base/shortened.h"
#include "workloads/workload.h"

namespace heliolite {

// The formula as a workload that is not checked yet: the output is known, other roles are not, and a dimension whose
// size is not given has size 0. Dimensions are numbered as in `order` if given, else in the order of their appearance,
// output first.
Result<Workload> parse_formula(std::string_view text, std::span<const std::string_view> order = {});

// A complete workload: every dimension has a size, roles inferred, checked.
Result<Workload> parse_einsum(std::string_view text);

// One rank, "2*P+R", over these dimensions.
Result<Rank> parse_rank(std::string_view text, std::span<const Dimension> dimensions);

}  // namespace heliolite
