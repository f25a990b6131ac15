#pragma once
// Every legal mapping of a small instance, without any rule that leaves one out.
#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "check_proof/cost.h"
#include "tests/support/proof_walk.h"

namespace heliolite::testing {

class ProofEnumeration {
 public:
  // Called with each mapping whose factors multiply to the sizes; false ends the enumeration.
  using Visit = std::function<bool(const WalkedMapping&)>;

  ProofEnumeration(const check_proof::Instance& instance, Visit visit) : in_(instance), visit_(std::move(visit)) {}

  // Whether it came to its end.
  bool run() {
    left_ = in_.size;
    mapping_.assign(in_.levels.size(), {});
    return level(0);
  }

 private:
  bool level(int i) {
    if (i == static_cast<int>(in_.levels.size())) {
      if (std::ranges::any_of(left_, [](u64 n) { return n > 1; })) return true;
      return visit_(mapping_);
    }
    const check_proof::Level& l = in_.levels[i];
    for (check_proof::Mask keep = 0; keep < check_proof::bit(static_cast<int>(in_.tensors.size())); ++keep) {
      if ((keep & ~(l.keep | l.open)) != 0 || !may_keep(i, keep)) continue;
      mapping_[i].keep = keep;
      x_.assign(left_.size(), 1), y_ = x_;
      if (!unroll(i, 0, l.fanout_x, l.fanout_y)) return false;
    }
    return true;
  }

  // Of levels that share a room each has one tensor at most, and together they have what one level must have. Those
  // that hold nothing are outside the others, and have no loops but for the innermost.
  bool may_keep(int i, check_proof::Mask keep) const {
    const std::vector<int> all = sharing(in_, i);
    check_proof::Mask inside = 0;
    for (const int j : all)
      if (j < i) inside |= mapping_[j].keep;
    if (all.size() > 1 && (std::popcount(keep) > 1 || (keep & inside) != 0)) return false;
    if (in_.levels[i].shares && mapping_[i - 1].keep == 0 && keep != 0) return false;
    return i != all.back() || (in_.levels[i].keep & ~(keep | inside)) == 0;
  }

  static bool contains(const std::vector<int>& of, int d) { return std::ranges::count(of, d) != 0; }

  bool unroll(int i, int d, u64 room_x, u64 room_y) {
    const check_proof::Level& l = in_.levels[i];
    if (d == static_cast<int>(in_.size.size())) {
      mapping_[i].x.clear(), mapping_[i].y.clear();
      for (const int e : l.x)
        if (x_[e] > 1) mapping_[i].x.push_back({e, x_[e]});
      for (const int e : l.y)
        if (y_[e] > 1) mapping_[i].y.push_back({e, y_[e]});
      std::vector<WalkedLoop> none;
      return loops(i, 0, none);
    }
    for (u64 a = 1; a <= std::min(room_x, left_[d]); ++a)
      for (u64 b = 1; b <= std::min(room_y, left_[d]); ++b) {
        if (left_[d] % (a * b) != 0 || (a > 1 && !contains(l.x, d)) || (b > 1 && !contains(l.y, d))) continue;
        if ((l.one_axis && a > 1 && b > 1) || !(l.has_fanout ? l.unroll[d].allows(a * b) : a * b == 1)) continue;
        x_[d] = a, y_[d] = b, left_[d] /= a * b;
        const bool goes_on = unroll(i, d + 1, room_x / a, room_y / b);
        left_[d] *= a * b, x_[d] = y_[d] = 1;
        if (!goes_on) return false;
      }
    return true;
  }

  bool loops(int i, int d, std::vector<WalkedLoop>& chosen) {
    if (d == static_cast<int>(in_.size.size())) return orders(i, chosen);
    for (u64 n = 1; n <= left_[d]; ++n) {
      if (left_[d] % n != 0 || !in_.levels[i].loops[d].allows(n)) continue;
      if (n > 1 && in_.levels[i].shares && mapping_[i].keep == 0) continue;
      if (n > 1) chosen.push_back({d, n});
      left_[d] /= n;
      const bool goes_on = loops(i, d + 1, chosen);
      left_[d] *= n;
      if (n > 1) chosen.pop_back();
      if (!goes_on) return false;
    }
    return true;
  }

  bool orders(int i, std::vector<WalkedLoop> chosen) {
    const auto less = [](const WalkedLoop& a, const WalkedLoop& b) { return a.dimension < b.dimension; };
    const std::vector<u64> x = x_, y = y_;
    do {
      std::vector<int> prefix;
      for (const int d : in_.levels[i].order)
        if (std::ranges::any_of(chosen, [&](const WalkedLoop& l) { return l.dimension == d; })) prefix.push_back(d);
      bool is_allowed = true;
      for (std::size_t k = 0; k < prefix.size(); ++k) is_allowed &= chosen[k].dimension == prefix[k];
      if (!is_allowed) continue;
      mapping_[i].temporal = chosen;
      if (!level(i + 1)) return false;
      x_ = x, y_ = y;
    } while (std::ranges::next_permutation(chosen, less).found);
    return true;
  }

  const check_proof::Instance& in_;
  const Visit visit_;
  std::vector<u64> left_, x_, y_;
  WalkedMapping mapping_;
};

// The costs of all mappings of which no other has less of both, fewest cycles first; none: there are more than so many
// mappings.
inline std::optional<std::vector<check_proof::Cost>> costs_of(const check_proof::Instance& instance,
                                                              int most_mappings) {
  std::map<check_proof::u64, check_proof::i128> least;  // by cycles
  int count = 0;
  const bool all = ProofEnumeration(instance, [&](const WalkedMapping& mapping) {
                     if (const auto cost = ProofWalk(instance, mapping).cost()) {
                       const auto [at, is_new] = least.try_emplace(cost->cycles, cost->energy);
                       if (!is_new) at->second = std::min(at->second, cost->energy);
                     }
                     return ++count < most_mappings;
                   }).run();
  if (!all) return std::nullopt;
  std::vector<check_proof::Cost> out;
  for (const auto& [cycles, energy] : least)
    if (out.empty() || energy < out.back().energy) out.push_back({energy, cycles});
  return out;
}

}  // namespace heliolite::testing
