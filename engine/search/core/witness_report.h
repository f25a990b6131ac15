#pragma once
// What became of a known mapping, the witness, in a search that proves its answer: which rules removed it, where, and
// by which numbers.
#include <optional>
#include <string>
#include <vector>

#include "engine/model/cost_model.h"
#include "engine/search/core/rules.h"

namespace heliolite {

// Something that removed the witness, or the mapping that stood for it by then. Values are in units of
// objective_number().
struct WitnessEvent {
  int level = 0;             // the level whose loops were being placed; -1: before any, its choice of kept tensors
  std::optional<Rule> rule;  // none: a limit of the search, `what` says which
  std::string what;          // the question that the rule asked, or the limit
  // Of a rule that compares bounds: nothing that begins like this mapping is below `bound`, and a mapping that costs
  // `limit` was known.
  std::optional<double> bound, limit;
  // Of a rule that keeps another mapping in its place: the value of that one, which is followed from here on.
  std::optional<double> stand_in;
};

// The whole way of the witness.
struct WitnessReport {
  Cost cost;
  double value = 0;                  // of its cost, in units of objective_number()
  std::vector<WitnessEvent> events;  // in the order of the search's last pass
  bool kept = false;                 // it, or what stands for it, came to the end and is as good as the answer
  std::vector<std::string> errors;   // what must not be: errors of the program
};

}  // namespace heliolite
