#pragma once
// How the tokens of a mixture of experts are taken to fall on its experts, where nothing says so: evenly.
#include <algorithm>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// Experts that have equally many tokens.
struct ExpertGroup {
  u64 experts = 0, tokens = 0;  // active ones; tokens of each
};

// Each of `tokens` takes `per_token` of `experts`, both at least 1. As many are active as can be, min(experts, tokens *
// per_token), and no two of them differ by more than one token: one group, or a second one with a token more.
inline std::vector<ExpertGroup> spread_tokens(u64 experts, u64 tokens, u64 per_token) {
  const u64 assigned = tokens * per_token, active = std::min(experts, assigned);
  const u64 more = assigned % active;
  std::vector<ExpertGroup> groups{{active - more, assigned / active}};
  if (more > 0) groups.push_back({more, assigned / active + 1});
  return groups;
}

}  // namespace heliolite
