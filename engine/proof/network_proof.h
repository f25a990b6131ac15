#pragma once
// The proof of a network's own optimum, or of its curve of trade-offs: a few lines, and the proofs of its layers'
// curves behind them (docs/rules/proof.md, Networks).
#include <optional>
#include <string>
#include <vector>

#include "engine/proof/prove.h"

namespace heliolite::proof {

// All layers of one shape: how often the network runs them, and the proof of their curve: all with the mapping that is
// chosen, or all with one for each corner.
struct ProvenShape {
  u64 runs = 1;
  ProofReport report;
  std::string text;  // plain
};

struct NetworkProof {
  std::string head;       // the lines in front of the shapes' proofs
  std::string claim;      // "edp 3192"
  Cost cost;              // of a curve: of the fewest cycles
  bool is_closed = true;  // false: the shapes' curves leave room below the value of the mappings that they choose
};

// `objective`: of which the least is claimed; none: the whole curve. None: values of more than 256 bits, or energies of
// more than 112.
std::optional<NetworkProof> network_proof(const std::vector<ProvenShape>& shapes, std::optional<Objective> objective);

}  // namespace heliolite::proof
