#pragma once
// What tests of proofs share: instances from texts, and literal mappings as the checker's steps take them.
#include <stdexcept>
#include <string>

#include "check_proof/machine.h"
#include "check_proof/state.h"
#include "tests/support/proof_walk.h"

namespace heliolite::testing {

inline check_proof::Instance instance_of_text(const std::string& text) {
  check_proof::Lines lines(text);
  return check_proof::read_instance(lines);
}

// The states of a mapping from the root on; empty where a step is refused.
inline std::vector<check_proof::State> states_of(const check_proof::Machine& m, const WalkedMapping& mapping) {
  const check_proof::Steps steps(m);
  check_proof::Servers servers{};
  const auto next = [&](int v, int first) {
    int i = first;
    while (!check_proof::contains(mapping[i].keep, v)) ++i;
    return static_cast<check_proof::i8>(i);
  };
  for (int v = 0; v < m.tensors(); ++v) servers[v] = next(v, 0);
  std::vector<check_proof::State> out = {steps.root(m.set_of(0, servers))};
  for (int i = 0; i < m.levels(); ++i) {
    check_proof::Step step;
    check_proof::Extents both, x;
    both.fill(1), x.fill(1);
    for (const WalkedLoop& l : mapping[i].x) both[l.dimension] *= l.factor, x[l.dimension] *= l.factor;
    for (const WalkedLoop& l : mapping[i].y) both[l.dimension] *= l.factor;
    step.unrolling = -1;
    for (std::size_t k = 0; k < m.unrollings(i).size(); ++k) {
      const check_proof::Unrolling& u = m.unrollings(i)[k];
      if (u.factor == both && (!m.level(i).has_hops || m.tiles().extents(u.x) == x))
        step.unrolling = static_cast<int>(k);
    }
    if (step.unrolling < 0) return {};
    for (const WalkedLoop& l : mapping[i].temporal)
      step.loops.push_back({static_cast<check_proof::u8>(l.dimension), l.factor});
    if (i + 1 < m.levels()) {
      for (int v = 0; v < m.tensors(); ++v)
        if (servers[v] == i) servers[v] = next(v, i + 1);
      step.set = m.set_of(i + 1, servers);
    }
    out.push_back(out.back());
    if (!steps.extend(out.back(), step).empty()) return {};
  }
  return out;
}

}  // namespace heliolite::testing
