#pragma once
// Walks the integer points of one polytope with parameters.
#include <optional>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "engine/program/isl.h"

namespace heliolite {

// Thrown: why the points of a set cannot be counted.
struct CountRefused {
  std::string reason;
};

class PolytopeCount {
 public:
  // `polytope` has no local variables (divisions); CountRefused if it has, or coefficients beyond 2^31.
  explicit PolytopeCount(const isl::basic_set& polytope);

  std::size_t dimensions() const { return levels_.size(); }

  // The number of its points for these parameters, in the order of its space: without dimensions 1 or 0. Walks over all
  // coordinates but the last; nothing when that takes more than `limit` steps, when a number does not fit into 64 bits,
  // or when it is infinite.
  std::optional<u64> at(const std::vector<i64>& parameters, u64 limit) const;

 private:
  // constant + parameters + coordinates >= 0.
  struct Row {
    i64 constant = 0;
    std::vector<i64> parameters, coordinates;
  };
  struct Walk;
  void add_rows(isl_mat* matrix, int sign, std::vector<Row>& rows) const;
  std::vector<Row> rows_of(const isl::basic_set& polytope) const;

  std::size_t parameters_ = 0;
  std::vector<std::vector<Row>> levels_;  // [d]: conditions on coordinates 0..d that mention d
  std::vector<Row> conditions_;           // on parameters alone
};

}  // namespace heliolite
