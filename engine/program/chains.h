#pragma once
// Statements that go on with their own last value: C[i][j] += ..
#include <optional>
#include <utility>
#include <vector>

#include "engine/program/affine_program.h"

namespace heliolite {

// Where one read has its values from.
struct ReadFlow {
  int array = 0;
  std::vector<std::pair<int, isl::map>> from;  // (statement, { its instance -> reading instance })
  isl::map input;                              // { element of the program's input -> reading instance }
  isl::map element;                            // { instance -> element }
};

struct StatementChain {
  isl::map key;            // { S[i] -> [outer loops.., f(i)] } (dataflow.h, Reduction)
  std::vector<int> loops;  // that the key does not depend on
  isl::map companions;     // { first instance of a chain -> every instance of the chain }
};

// The chains of statement `index`, whose read of the element it writes has the flow `flow`; nothing where instances
// with the same key are not one chain.
std::optional<StatementChain> find_chain(const ProgramStatement& s, int index, const isl::set& domain,
                                         const ReadFlow& flow);

}  // namespace heliolite
