#pragma once
// heliolite map --proof: a file for every layer that is called optimal, which a small program of its own can check.
#include <optional>
#include <string>
#include <vector>

#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/proof/prove.h"
#include "engine/search/core/answer.h"
#include "workloads/network.h"

namespace heliolite::cli {

struct ProofArguments {
  std::string target;  // --proof: a file for one layer, a folder for several; "": none
  double limit_mebibytes = 1024;
};

// A layer's proof, or why it has none.
struct LayerProof {
  std::string file;
  proof::ProofReport report;
};

// [layer]; empty where none was asked for. Layers of equal shape share one.
using LayerProofs = std::vector<std::optional<LayerProof>>;

// Makes the folder, where there are several layers, and claims the files. False, after complaints, if one may not be
// written.
bool claim_proofs(const Network& network, const ProofArguments& arguments, const Output& output);

// Writes the proofs. A mapping that the search has missed by rounding becomes the answer; `is_right` becomes false
// where it is an error of the program.
LayerProofs write_proofs(const Network& network, const Architecture& architecture, const SearchOptions& options,
                         const ProofArguments& arguments, NetworkResult& result, const Output& output, bool& is_right);

Json proof_json(const LayerProof& proof);
std::string proofs_text(const LayerProofs& proofs, const NetworkResult& result);

}  // namespace heliolite::cli
