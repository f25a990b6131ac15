#pragma once
// What a proof claims, and the exact cost of a complete mapping (docs/cost_model.md, rules 18 to 28 and 44).
#include "check_proof/state.h"

namespace check_proof {

struct Cost {
  i128 energy = 0;  // in units of the instance
  u64 cycles = 0;
};

enum class Objective : u8 { Energy, Delay, Edp, Ed2p };
enum class ClaimKind : u8 { Optimal, Bound, None };

// No legal mapping is below the value. Closed stays closed where energy or cycles grow: all that a proof needs.
struct Claim {
  ClaimKind kind = ClaimKind::None;
  Objective objective = Objective::Edp;
  U256 value;
  U256 second;  // of delay: the energy

  bool closed(const Cost& cost) const;
  bool is_reached_by(const Cost& cost) const;  // exactly
};

// `claim optimal edp VALUE` and its like.
Claim read_claim(const Lines& lines);

U256 value_of(Objective objective, const Cost& cost);
std::string value_text(Objective objective, const Cost& cost, int unit_bits);
std::string claim_text(const Claim& claim, int unit_bits);

// Of a state that is finished.
Cost exact_cost(const Machine& machine, const State& s);

}  // namespace check_proof
