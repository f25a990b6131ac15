#pragma once
// heliolite map --network --proof and map --front --proof: one file that proves the network's optimum, or its curve,
// from the curves of its layers.
#include <optional>
#include <string>

#include "cli/map/map_proof.h"
#include "engine/search/network_search.h"

namespace heliolite::cli {

struct NetworkProofAnswer {
  std::string file, refused;  // refused: why there is none; empty: there is
  std::string claim;
  Cost cost;                // exact, of the optimum
  std::size_t shapes = 0;   // layers of different shapes, each with a proof in the file
  std::size_t corners = 0;  // of all their curves
  u64 states = 0, bytes = 0;
  double seconds = 0;     // of writing, without the search for curves
  bool is_closed = true;  // false: what the search has proven leaves room below the optimum; there is no proof yet
};

// Claims the file, and makes its folder where there are several layers. False, after complaints, if it may not be
// written, or is there already and of another question. `objective`: of the network's optimum; none: of its curve.
bool claim_network_proof(const Network& network, const Architecture& architecture, const SearchOptions& options,
                         std::optional<Objective> objective, const ProofArguments& arguments, const Output& output);

// Writes the proof of the trade-off of energy and cycles. `is_right` becomes false, after a complaint, where a proof
// shows an error of the program.
NetworkProofAnswer write_curve_proof(const Network& network, const Architecture& architecture,
                                     const SearchOptions& options, const ProofArguments& arguments,
                                     const NetworkCurve& curve, const Output& output, bool& is_right);
// Writes the proof of the optimum that a search for the network's own objective found.
NetworkProofAnswer write_optimum_proof(const Network& network, const Architecture& architecture,
                                       const SearchOptions& options, const ProofArguments& arguments,
                                       const NetworkResult& result, const Output& output, bool& is_right);

// Alike, into a file that nobody has claimed; one that is there already stays.
Json write_optimum_proof_once(const Network& network, const Architecture& architecture, const SearchOptions& options,
                              const ProofArguments& arguments, const NetworkResult& result, const std::string& file,
                              const Output& output, bool& is_right);

Json network_proof_json(const NetworkProofAnswer& proof);
std::string network_proof_text(const NetworkProofAnswer& proof);

}  // namespace heliolite::cli
