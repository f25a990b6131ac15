#pragma once
// heliolite map --proof: a file for every layer that is called optimal, which a small program of its own can check.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "engine/proof/prove.h"
#include "engine/search/core/answer.h"
#include "engine/search/network_search.h"
#include "workloads/network.h"

namespace heliolite::cli {

struct ProofArguments {
  std::string target;  // --proof: a file for one layer, a folder for several; "": none
  double limit_mebibytes = 1024;
};

// What a search was asked, and where proofs of its answers go.
struct ProofTask {
  const Architecture& architecture;
  const SearchOptions& options;
  ProofArguments arguments;
  const Output& output;
  bool is_right = true;  // false, after a complaint: a proof shows an error of the program
};

// A layer's proof, or why it has none.
struct LayerProof {
  std::string file;
  proof::ProofReport report;
};

// [layer]; empty where none was asked for. Layers of equal shape share one.
using LayerProofs = std::vector<std::optional<LayerProof>>;

// Makes the folder, where there are several layers, and claims the files. False, after complaints, if one may not be
// written, or is there already and of another question.
bool claim_proofs(const Network& network, const ProofTask& task);
// What a proof of this layer begins with, and on each further compute unit that can run it: up to the value of a claim
// such as "optimal edp". Empty: there is none.
std::vector<std::string> proof_heads(const Workload& workload, const ProofTask& task, std::string_view claim);
// Whether a text has them all, at the beginning of lines.
bool has_heads(std::string_view text, const std::vector<std::string>& heads);
// False, after a complaint, where the file is there and its text is not the same question's.
bool overwrites_no_other(const std::string& file, const std::function<bool(const std::string&)>& is_same);

// Writes the proofs. A mapping that the search has missed by rounding becomes the answer.
LayerProofs write_proofs(const Network& network, NetworkResult& result, ProofTask& task);

// What write() says of a file that it writes and that nobody has claimed; its folder is made. A file that is there
// already stays: it is the answer where it is the same question's, otherwise there is none.
Json written_once(const std::string& file, const Output& output, const std::function<bool(const std::string&)>& is_same,
                  const std::function<Json()>& write);
// A layer's proof, alike.
Json write_proof_once(const Workload& workload, MappingResult& result, const std::string& file, ProofTask& task);
std::string proof_option(const std::string& file);
// The limits of one layer's proof, as plain text.
proof::ProofOptions proof_limits(const ProofTask& task);
// Why a proof that is not complete ended.
std::string why_incomplete(const proof::ProofReport& report);
// Makes the folder of several layers' proofs. False, after a complaint, if that cannot be.
bool makes_folder(const Network& network, const std::string& target);
// By what share doubles may change a value: of networks' energies next to nothing, and where cycles are counted as
// Timeloop does (docs/cost_model.md, rule 28) this many of these.
double most_rounding(const Architecture& architecture, double cycles_off, u64 cycles);
// A text as part of a file's name.
std::string file_name_of(std::string text);

Json proof_json(const LayerProof& proof);
std::string proofs_text(const LayerProofs& proofs, const NetworkResult& result);

// heliolite map --network --proof and map --front --proof: one file that proves the network's optimum, or its curve,
// from the curves of its layers.

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
bool claim_network_proof(const Network& network, std::optional<Objective> objective, const ProofTask& task);

// Writes the proof of the trade-off of energy and cycles.
NetworkProofAnswer write_curve_proof(const Network& network, const NetworkCurve& curve, ProofTask& task);
// Writes the proof of the optimum that a search for the network's own objective found.
NetworkProofAnswer write_optimum_proof(const Network& network, const NetworkResult& result, ProofTask& task);

// Alike, into a file that nobody has claimed; one that is there already stays.
Json write_optimum_proof_once(const Network& network, const NetworkResult& result, const std::string& file,
                              ProofTask& task);

Json network_proof_json(const NetworkProofAnswer& proof);
std::string network_proof_text(const NetworkProofAnswer& proof);

}  // namespace heliolite::cli
