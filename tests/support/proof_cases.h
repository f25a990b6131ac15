#pragma once
// What tests of proofs share: instances from texts, and literal mappings as the checker's steps take them.
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "check_proof/proof.h"
#include "tests/support/proof_walk.h"

namespace heliolite::testing {

inline check_proof::Instance instance_of_text(const std::string& text) {
  check_proof::Lines lines(text);
  return check_proof::read_instance(lines);
}

// The lines of a proof's text, each of which ends with a line feed.
inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string_view line : check_proof::split(text, '\n')) out.emplace_back(line);
  out.pop_back();
  return out;
}
inline std::string joined(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& l : lines) out += l + "\n";
  return out;
}

// A value as claims state it: of a delay and of corners the cycles, then the energy.
inline std::string decimal(check_proof::Objective objective, const check_proof::Big& v) {
  if (objective < check_proof::kDelay) return check_proof::text_of(v);
  return std::to_string(v[1]) + " " + check_proof::text_of({0, 0, v[2], v[3]});
}
inline std::string claim_line(const check_proof::Claim& claim) {
  std::string out = claim.kind == check_proof::Claim::kOptimal ? "claim optimal " : "claim bound ";
  out += check_proof::kObjectives[claim.objective];
  for (const check_proof::Big& v : claim.values()) out += " " + decimal(claim.objective, v);
  return out;
}
// Makes the claim, of one value, one of what this costs.
inline void set_value(check_proof::Claim& claim, const check_proof::Cost& cost) {
  if (claim.objective == check_proof::kDelay) claim.corners = {cost};
  else claim.value = check_proof::value_of(claim.objective, cost);
}

// What the checker says of a text, as its program does.
enum class Verdict : check_proof::u8 { Accepted, Rejected, Refused };
struct Checked {
  Verdict verdict = Verdict::Accepted;
  check_proof::u64 line = 0;
  std::string what;
};
inline Checked check(const std::string& text) {
  try {
    check_proof::Lines lines(text);
    return {Verdict::Accepted, 0, check_proof::proved(lines)};
  } catch (const check_proof::Wrong& w) {
    return {w.refused ? Verdict::Refused : Verdict::Rejected, w.line, w.what};
  }
}

// The states of a mapping from the root on; empty where a step is refused.
inline std::vector<check_proof::State> states_of(const check_proof::Steps& m, const WalkedMapping& mapping) {
  check_proof::Servers servers = m.sets[0][0];
  const auto next = [&](int v, int first) {
    int i = first;
    while (!check_proof::contains(mapping[i].keep, v)) ++i;
    return static_cast<std::int8_t>(i);
  };
  for (int v = 0; v < m.tensors(); ++v) servers[v] = next(v, 0);
  std::vector<check_proof::State> out = {m.root(check_proof::place_of(servers, m.sets[0]))};
  for (int i = 0; i < m.levels(); ++i) {
    check_proof::Step step;
    check_proof::Tile both{}, x{};
    const auto grow = [&](check_proof::Tile& t, const WalkedLoop& l) {
      t[l.dimension] = m.times(l.dimension, t[l.dimension], m.place(l.dimension, l.factor));
    };
    for (const WalkedLoop& l : mapping[i].x) grow(both, l), grow(x, l);
    for (const WalkedLoop& l : mapping[i].y) grow(both, l);
    const auto is_same = [&](const check_proof::Unrolling& u) {
      return u.both == both && (!m.in.levels[i].has_hops || u.x == x);
    };
    const auto found = std::ranges::find_if(m.unrollings[i], is_same);
    if (found == m.unrollings[i].end()) return {};
    step.unrolling = static_cast<int>(found - m.unrollings[i].begin());
    for (const WalkedLoop& l : mapping[i].temporal) step.loops.push_back({l.dimension, l.factor});
    if (!m.is_top(i)) {
      for (int v = 0; v < m.tensors(); ++v)
        if (servers[v] == i) servers[v] = next(v, i + 1);
      step.set = check_proof::place_of(servers, m.sets[i + 1]);
    }
    out.push_back(out.back());
    if (!m.extend(out.back(), step).empty()) return {};
  }
  return out;
}

}  // namespace heliolite::testing
