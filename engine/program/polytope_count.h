#pragma once
// Takes sets apart into polytopes with parameters, finds where their corners stay the same, and walks their points.
#include <optional>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "engine/program/isl.h"

namespace heliolite {

// Walks the integer points of one polytope with parameters.

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

// Takes sets apart into polytopes whose points are counted one by one.

// The set has as many points as the sum, over its pieces, of the products of the numbers of points of their factors:
// the pieces are disjoint, and the factors of one, such as the sides of a box, share no coordinate. Factors have no
// local variables: those of the set, each a floor of the others, have become coordinates, and coordinates that others
// determine are gone.
using PolytopeFactors = std::vector<isl::basic_set>;
std::vector<PolytopeFactors> polytope_pieces(const isl::set& set);

// Where the corners of a polytope with parameters stay the same.

struct ParameterCell {
  isl::set parameters;   // closed: neighbours share their borders
  bool has_whole_steps;  // each corner moves by integers when a parameter grows by one
};

// Outside of all cells the polytope is empty. It must have no local variables.
std::vector<ParameterCell> parameter_cells(const isl::basic_set& polytope);

}  // namespace heliolite
