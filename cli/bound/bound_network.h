#pragma once
// heliolite bound on a network: the words that it must move as a whole, and under which assumptions; which edges are
// not fused, and why.
#include <string>
#include <vector>

#include "cli/ui/json.h"
#include "cli/ui/output.h"
#include "workloads/network.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {

// The assumptions of network_bound().
inline constexpr const char* kNetworkHoldsUnder =
    "loads and stores, sums from zero; any schedule that computes no layer twice; operands without an edge are arrays "
    "of "
    "their own";

struct NetworkAnswer {
  std::string text;  // a table, for people
  Json json;         // docs/json.md: `network`; fewer than were asked for after Ctrl-C
};

// The bounds at these capacities, in `unit`, that of the network (word_unit()). Prints a note if operands without an
// edge that have equal sizes had to be taken for different arrays.
NetworkAnswer network_answer(const Network& network, const std::vector<double>& capacities, const WordUnit& unit,
                             const Output& output);

// The edges between layers that join no links of a chain, each with `from`, `to`, `tensor` and `because`.
Json edges_not_fused(const Network& network);

// Which layers cannot be fused, as a note; empty if there are none.
std::string note_not_fused(const Network& network);

}  // namespace heliolite::cli
