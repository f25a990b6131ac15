#pragma once
// A prover for toys: every extension is looked at, and listed unless it is illegal, closed by its bound, pushed in or
// dominated. Its rules can be made wrong, so that it claims what is false: checkers must find that out.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "check_proof/proof.h"
#include "tests/support/proof_cases.h"

namespace heliolite::testing {

enum class ProverBug { None, HighBounds, NoRefunds, PushWithoutRoom, PushAlongSlides, BlindDominance, OneOrder };
inline constexpr std::array kProverBugs = {ProverBug::HighBounds,      ProverBug::NoRefunds,
                                           ProverBug::PushWithoutRoom, ProverBug::PushAlongSlides,
                                           ProverBug::BlindDominance,  ProverBug::OneOrder};

struct ToyProof {
  bool has_mapping = false;
  check_proof::Cost best;
  std::vector<check_proof::Cost> corners;  // of a curve
  std::string claim;                       // `claim optimal edp 7`
  std::string mapping, states;             // lines
  std::string text(const std::string& instance, const std::string& other_claim = "") const {
    const std::string head = "heliolite-proof 1\ninstance " + check_proof::sha256(instance) + "\n";
    const std::string& said = other_claim.empty() ? claim : other_claim;
    return instance + head + said + "\n" + (said.starts_with("claim optimal") ? mapping : "") + states;
  }
};

class ToyProver {
 public:
  ToyProver(const check_proof::Instance& instance, check_proof::Objective objective, ProverBug bug = ProverBug::None)
      : m_(steps_of(instance, bug)), reader_(m_, no_lines_), bounds_(m_), bug_(bug) {
    claim_.kind = check_proof::Claim::kOptimal;
    claim_.objective = objective;
    claim_.value.fill(~check_proof::u64{0});
  }

  // The least value of all mappings, if the rules are right, and the proof of it.
  ToyProof run() {
    ToyProof out;
    while (!pass(out)) {
    }
    if (!out.has_mapping) {
      out.claim = "claim none";
      return out;
    }
    out.claim = claim_line(claim_);
    out.corners = claim_.corners;
    return out;
  }

  // The proof of a claim that no mapping is below, without any that has its values.
  ToyProof run(const check_proof::Claim& claim) {
    claim_ = claim;
    ToyProof out;
    out.has_mapping = !pass(out);
    out.claim = claim_line(claim);
    return out;
  }

 private:
  // Those of the checker, whose bounds may have forgotten that first words cost less.
  static check_proof::Steps steps_of(const check_proof::Instance& instance, ProverBug bug) {
    check_proof::Steps out(instance);
    for (check_proof::Channel& c : out.channels)
      if (bug == ProverBug::NoRefunds) c.first.assign(c.first.size(), 0);
    return out;
  }

  struct Node {
    check_proof::State state;
    check_proof::u64 parent = 0, id = 0;
    std::string line;     // what its level adds
    std::string mapping;  // lines `mapping` and `m` up to it
  };

  // Whether nothing is below the value; otherwise the value becomes that of what has been found.
  bool pass(ToyProof& out) {
    std::vector<Node> states;
    check_proof::u64 count = 0;
    out.states.clear();
    for (std::size_t set = 0; set < m_.sets[0].size(); ++set) {
      const std::string servers = reader_.servers_text(0, static_cast<int>(set));
      Node root{m_.root(static_cast<int>(set)), 0, count + 1, "", "mapping " + servers + "\n"};
      if (is_closed(root.state, -1)) continue;
      out.states += "r " + std::to_string(++count) + " " + servers + "\n";
      states.push_back(std::move(root));
    }
    for (int i = 0; i < m_.levels(); ++i) {
      out.states += "stage " + std::to_string(i) + "\n";
      std::map<std::pair<check_proof::u32, int>, std::vector<Node>> kept;
      for (const Node& parent : states)
        if (!extend(parent, i, kept, out)) return false;
      std::vector<Node> next;
      for (auto& [key, nodes] : kept)
        for (Node& n : nodes) next.push_back(std::move(n));
      std::ranges::stable_sort(next, {}, &Node::parent);
      for (Node& n : next) {
        n.id = ++count;
        out.states += "s " + std::to_string(n.id) + " " + std::to_string(n.parent) + " " + n.line + "\n";
      }
      states = std::move(next);
    }
    out.states += "end " + std::to_string(count) + "\n";
    return true;
  }

  bool extend(const Node& parent, int i, auto& kept, ToyProof& out) {
    for (std::size_t u = 0; u < m_.unrollings[i].size(); ++u) {
      check_proof::Step step;
      step.unrolling = static_cast<int>(u);
      if (!choose(parent, i, step, 0, kept, out)) return false;
    }
    return true;
  }
  // Factors of the loops, then their orders, then the servers.
  bool choose(const Node& parent, int i, check_proof::Step& step, int d, auto& kept, ToyProof& out) {
    if (d < m_.dimensions()) {
      for (const check_proof::u64 n : m_.divisors[d]) {
        if (n > 1) step.loops.push_back({d, n});
        const bool goes_on = choose(parent, i, step, d + 1, kept, out);
        if (n > 1) step.loops.pop_back();
        if (!goes_on) return false;
      }
      return true;
    }
    const auto less = [](const check_proof::Loop& a, const check_proof::Loop& b) { return a.dimension < b.dimension; };
    const std::vector<int> last = {0};
    check_proof::Step ordered = step;
    do {
      for (const int set : m_.is_top(i) ? last : m_.next[i][parent.state.set]) {
        ordered.set = set;
        Node node{parent.state, parent.id, 0, reader_.text_of(i, ordered), parent.mapping};
        if (!m_.extend(node.state, ordered).empty()) continue;
        node.mapping += "m " + node.line + "\n";
        if (!add(std::move(node), parent, i, ordered, kept, out)) return false;
      }
    } while (bug_ != ProverBug::OneOrder && std::ranges::next_permutation(ordered.loops, less).found);
    return true;
  }

  bool add(Node node, const Node& parent, int i, const check_proof::Step& step, auto& kept, ToyProof& out) {
    if (pushes_in(parent.state, i, step)) return true;
    if (i + 1 == m_.levels()) {
      const check_proof::Cost cost = check_proof::exact_cost(m_, node.state);
      if (claim_.is_closed(cost)) return true;
      out.has_mapping = true;
      if (claim_.objective == check_proof::kCurve) {
        add_corner(cost, node.mapping, out);
        return false;
      }
      set_value(claim_, cost);
      out.best = cost, out.mapping = node.mapping;
      return false;
    }
    if (is_closed(node.state, i)) return true;
    std::vector<Node>& same = kept[{m_.number(node.state.tile), node.state.set}];
    const auto stands_for = [&](const Node& a, const Node& b) {
      if (bug_ != ProverBug::BlindDominance) return check_proof::Listed(m_, {a.state}).stand_for(b.state);
      return counted(a.state) <= counted(b.state);
    };
    if (std::ranges::any_of(same, [&](const Node& n) { return stands_for(n, node); })) return true;
    std::erase_if(same, [&](const Node& n) { return stands_for(node, n); });
    same.push_back(std::move(node));
    return true;
  }

  // The curve becomes the lower left hull of its corners and a cost below it.
  void add_corner(const check_proof::Cost& cost, const std::string& mapping, ToyProof& out) {
    found_[{cost.cycles, cost.energy}] = mapping;
    claim_.corners.clear(), claim_.steps.clear();
    std::vector<std::string> mappings;
    for (const auto& [at, lines] : found_) {
      const check_proof::Cost corner{at.second, at.first};
      const auto step = [&] {
        const check_proof::Cost& last = claim_.corners.back();
        return check_proof::Cost{last.energy - corner.energy, corner.cycles - last.cycles};
      };
      if (!claim_.corners.empty() && corner.energy >= claim_.corners.back().energy) continue;
      while (!claim_.steps.empty() && !check_proof::is_steeper(claim_.steps.back(), step()))
        claim_.corners.pop_back(), claim_.steps.pop_back(), mappings.pop_back();
      if (!claim_.corners.empty()) claim_.steps.push_back(step());
      claim_.corners.push_back(corner), mappings.push_back(lines);
    }
    out.mapping.clear();
    for (const std::string& lines : mappings) out.mapping += lines;
  }

  check_proof::i128 counted(const check_proof::State& s) const {
    check_proof::i128 out = 0;
    for (std::size_t k = 1; k < m_.slots.size(); ++k)
      out += static_cast<check_proof::i128>(m_.comparisons[0][k]) * s.count[k];
    return out;
  }

  bool is_closed(const check_proof::State& s, int from) const {
    check_proof::Claim claim = claim_;
    if (bug_ == ProverBug::HighBounds) {
      for (check_proof::Cost& c : claim.corners) c.cycles = c.cycles / 51 * 50;
      check_proof::divide(claim.value, 51);
      check_proof::multiply(claim.value, 50);
    }
    return check_proof::Extensions(m_, bounds_, claim, {}).is_closed(s, from);
  }

  bool pushes_in(const check_proof::State& s, int i, const check_proof::Step& step) const {
    if (i == 0 || step.loops.empty()) return false;
    const int d = step.loops[0].dimension;
    const check_proof::Level& inner = m_.in.levels[i - 1];
    if (m_.in.levels[i].loops[d].least > 1 || std::ranges::count(inner.order, d) != 0) return false;
    if (!check_proof::contains(s.free, d) || (inner.shares && s.kept == 0)) return false;
    for (int v = 0; v < m_.tensors(); ++v) {
      const bool flows = std::ranges::count(s.flows, v, &check_proof::Flow::tensor) != 0;
      if (!m_.in.levels[i].has_fanout && !flows) continue;
      const check_proof::Tensor& t = m_.in.tensors[v];
      const check_proof::Mask plain = t.plain | (bug_ == ProverBug::PushAlongSlides ? t.sliding : 0);
      if (check_proof::contains(t.indexing, d) && !check_proof::contains(plain, d)) return false;
    }
    for (const check_proof::u8 p : m_.primes[d]) {
      check_proof::Tile larger = s.tile;
      larger[d] = m_.times(d, larger[d], p);
      const check_proof::u64 prime = m_.divisors[d][p], factor = m_.extent(s.tile, d) / m_.extent(s.unrolled, d);
      if (larger[d] == check_proof::kNone || step.loops[0].factor % prime != 0) continue;
      if (!inner.loops[d].allows(factor * prime)) continue;
      const check_proof::u128 own = m_.parts(i - 1, s.kept, s.tile), more = m_.parts(i - 1, s.kept, larger) - own;
      if (bug_ == ProverBug::PushWithoutRoom || more <= (m_.goes_on(i - 1) ? 0 : inner.room - s.held)) return true;
    }
    return false;
  }

  check_proof::Steps m_;
  check_proof::Lines no_lines_{""};
  check_proof::Reader reader_;
  check_proof::Bounds bounds_;
  check_proof::Claim claim_;
  std::map<std::pair<check_proof::u64, check_proof::i128>, std::string> found_;  // by cost: lines of the mapping
  ProverBug bug_;
};

}  // namespace heliolite::testing
