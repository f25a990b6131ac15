#pragma once
// Reads a proof and says whether it is one.
#include "check_proof/claim.h"

namespace check_proof {

enum class Verdict : u8 { Accepted, Rejected, Refused };

struct Answer {
  Verdict verdict = Verdict::Refused;
  u64 line = 0;      // the first wrong one; 0: none of them
  std::string what;  // the claim, or what was expected
};

// `text`: instance and proof. The answer is the same for any number of threads.
Answer check(std::string_view text, int threads);

// The cost of a mapping: an instance, then lines `mapping` and `m`; others of a proof may stand between.
Answer price(std::string_view text);

// Whether the proof is of this instance, byte for byte.
bool is_of_instance(std::string_view text, std::string_view instance);

}  // namespace check_proof
