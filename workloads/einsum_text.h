#pragma once
// Einsums as text: "o[i,j] += a[i,k,l]*b[k,j]*c[l,j]; i=256,j=32,k=256,l=256". A rank is a sum of dimensions with
// optional factors ("2*p+r"). Complaints carry the column: file = the text (shortened), field = "column 12".
//
// Offsets ("p+r-1") and signs ("p-r") are read and left out of the workload, for they change no number of words. An
// offset shifts a tensor. A loop over r from its end is one over r' = R-1-r from its start, in which p-r is p+r' and an
// offset; so signs do not matter where each dimension has a direction that makes every rank a sum of terms of one sign.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/workload.h"

namespace heliolite {

// What ranks have that is neither a dimension nor its factor.
class LeftOut {
 public:
  void offset() { offsets_ = true; }
  // A rank in which a term is subtracted or not, dimension by dimension.
  struct Sign {
    int dimension = 0;
    bool negative = false;
  };
  void rank(std::vector<Sign> terms) { ranks_.push_back(std::move(terms)); }

  // Why the signs do matter; empty if they do not.
  std::string problem(std::span<const Dimension> dimensions) const;
  // What a user should know, a line each.
  std::vector<std::string> notes(std::span<const Dimension> dimensions) const;

 private:
  // [dimension]: whether its loop runs from the end; none: there is no such choice.
  std::optional<std::vector<bool>> reversed(std::size_t dimensions) const;

  std::vector<std::vector<Sign>> ranks_;
  bool offsets_ = false;
};

// The formula as a workload that is not checked yet: the output is known, other roles are not, and a dimension whose
// size is not given has size 0. Dimensions are numbered as in `order` if given, else in the order of their appearance,
// output first. What is left out is added to `notes`.
Result<Workload> parse_formula(std::string_view text, std::span<const std::string_view> order = {},
                               std::vector<std::string>* notes = nullptr);

// A complete workload: every dimension has a size, roles inferred, checked.
Result<Workload> parse_einsum(std::string_view text, std::vector<std::string>* notes = nullptr);

// One rank, "2*P+R", over these dimensions; without terms if it is a constant. What is left out is added to `left_out`.
Result<Rank> parse_rank(std::string_view text, std::span<const Dimension> dimensions, LeftOut& left_out);

}  // namespace heliolite
