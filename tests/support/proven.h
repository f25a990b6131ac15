#pragma once
// Proofs as the engine writes them, for tests: of mappings, and of what a search answers.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "engine/proof/prove.h"
#include "engine/search/map.h"

namespace heliolite::testing {

struct Proven {
  proof::ProofReport report;
  std::string text;
};

inline Proven prove(const Workload& workload, const Architecture& machine, const SearchOptions& search,
                    const UnitMapping& mapping, const proof::ProofOptions& options = {.packed = false}) {
  std::ostringstream file;
  Proven out;
  out.report = proof::prove(workload, machine, search, mapping, options, file);
  out.text = file.str();
  return out;
}

inline Proven prove_answer(const Workload& workload, const Architecture& machine, const SearchOptions& search,
                           const proof::ProofOptions& options = {.packed = false}) {
  const Result<MappingResult> answer = map_workload(workload, machine, search);
  EXPECT_TRUE(answer.ok());
  return prove(workload, machine, search, {answer->mapping, answer->unit}, options);
}

}  // namespace heliolite::testing
