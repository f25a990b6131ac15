#pragma once
// The least words of a tiny network, or units of their sizes, over all schedules that do no operation twice: a search
// over what is done, held and stored, by rising words. Without loss, sums begin with their first product, words leave
// only to make room, and what can be done is done at once.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/support/network_execution.h"

namespace heliolite::testing {

class NetworkGame {
 public:
  explicit NetworkGame(const NetworkExecution& run) : run_(run) {
    const std::vector<Operation>& operations = run.operations();
    bits_ = static_cast<int>(operations.size());
    for (const Kind kind : run.words()) {
      first_.push_back(bits_);
      bits_ += kind == Kind::Input ? 1 : kind == Kind::Output ? 3 : 2;
    }
    operations_of_.resize(first_.size());
    users_.resize(first_.size());
    for (std::size_t o = 0; o < operations.size() && fits(); ++o) {
      operations_of_[operations[o].output] |= bit(static_cast<int>(o));
      for (const auto& need : operations[o].needs) {
        for (const int w : need.words) users_[w].push_back({o, need.made});
        if (need.made < 0) continue;
        users_[need.made].push_back({o, -1});
        sources_[need.made] = need.words;
      }
    }
  }

  bool fits() const { return bits_ <= 63; }

  // -1 when nothing can be done with so little room.
  int least_words(int capacity) const {
    std::vector<std::vector<State>> waiting{{0}};  // by words moved
    std::unordered_set<State> seen;
    for (std::size_t words = 0; words < waiting.size(); ++words) {
      while (!waiting[words].empty()) {
        const State state = waiting[words].back();
        waiting[words].pop_back();
        if (!seen.insert(state).second) continue;
        if (state == kFinished) return static_cast<int>(words);
        for (const auto& [next, cost] : moves(state, capacity)) {
          if (waiting.size() <= words + cost) waiting.resize(words + cost + 1);
          waiting[words + cost].push_back(next == kFinished ? next : advanced(next));
        }
      }
    }
    return -1;
  }

 private:
  using Kind = NetworkExecution::Kind;
  // By operation: done. By word: held. By output: some of its sums are outside; all its sums are inside. By made word:
  // stored.
  using State = u64;
  using Moves = std::vector<std::pair<State, u64>>;

  static constexpr State kFinished = ~State{0};

  static State bit(int b) { return State{1} << b; }
  Kind kind(std::size_t w) const { return run_.words()[w]; }
  State held(std::size_t w) const { return bit(first_[w]); }
  State outside(std::size_t w) const { return bit(first_[w] + 1); }
  State whole(std::size_t w) const { return bit(first_[w] + 2); }

  u64 partial_size(std::size_t w) const { return run_.partial_size(static_cast<int>(w)); }
  u64 size(State s, std::size_t w) const {
    const bool partial = kind(w) == Kind::Output && !(complete(s, w) && ((s & held(w)) == 0 || (s & whole(w)) != 0));
    return partial ? partial_size(w) : run_.size(static_cast<int>(w));
  }
  u64 units_held(State s) const {
    u64 units = 0;
    for (std::size_t w = 0; w < first_.size(); ++w)
      if ((s & held(w)) != 0) units += size(s, w);
    return units;
  }

  bool complete(State s, std::size_t w) const { return (operations_of_[w] & ~s) == 0; }
  bool inside(State s, std::size_t w) const {
    return (s & held(w)) != 0 && (kind(w) != Kind::Output || (complete(s, w) && (s & whole(w)) != 0));
  }

  bool ready(State s, const Operation& op) const {
    return std::ranges::all_of(op.needs, [&](const Operation::Need& need) {
      return (need.made >= 0 && (s & held(at(need.made))) != 0) ||
             std::ranges::all_of(need.words, [&](int w) { return inside(s, at(w)); });
    });
  }

  // Whether no operation that is left needs the word, or has another word that was made from it.
  bool useless(State s, std::size_t w) const {
    return std::ranges::all_of(users_[w], [&](const auto& user) {
      const auto [operation, made] = user;
      return (s >> operation & 1) != 0 || (made >= 0 && (s & (held(at(made)) | outside(at(made)))) != 0);
    });
  }

  Moves moves(State s, int capacity) const {
    Moves next;
    const State all = (State{1} << run_.operations().size()) - 1;
    if ((s & all) == all) {
      u64 words = 0;
      for (std::size_t w = 0; w < first_.size(); ++w)
        if (kind(w) == Kind::Output && !run_.consumed()[w] && (s & held(w)) != 0) words += size(s, w);
      return {{kFinished, words}};
    }
    const u64 room = static_cast<u64>(capacity) - units_held(s);
    bool full = false;  // for some word
    for (std::size_t w = 0; w < first_.size(); ++w) {
      if ((s & held(w)) != 0) continue;
      if (size(s, w) <= room) enter(s, w, next);
      else full = true;
    }
    for (std::size_t w = 0; w < first_.size(); ++w) {
      if ((s & held(w)) == 0) continue;
      if (full) leave(s, w, room, next);
      if (kind(w) == Kind::Output && complete(s, w) && (s & whole(w)) == 0)
        next.emplace_back((s | whole(w)) & ~outside(w), partial_size(w));
    }
    return next;
  }

  void enter(State s, std::size_t w, Moves& next) const {
    const bool stored = kind(w) != Kind::Input && (s & outside(w)) != 0;
    if (kind(w) == Kind::Output && !complete(s, w)) {
      for (const Operation& op : run_.operations())
        if (at(op.output) == w && ready(s, op) && (s >> (&op - run_.operations().data()) & 1) == 0)
          return next.emplace_back(s | held(w) | (stored ? 0 : whole(w)), 0), void();
    } else if ((kind(w) == Kind::Input || stored) && !useless(s, w)) {
      next.emplace_back(s | held(w) | (kind(w) == Kind::Output ? whole(w) : 0), run_.size(static_cast<int>(w)));
    }
  }

  // To make room. Complete outputs that are loaded are still outside; sums that are stored are added there.
  void leave(State s, std::size_t w, u64 room, Moves& next) const {
    const State gone = s & ~held(w);
    if (kind(w) == Kind::Input) next.emplace_back(gone, 0);
    if (kind(w) == Kind::Made)
      next.emplace_back(gone | outside(w), (s & outside(w)) != 0 || useless(s, w) ? 0 : size(s, w));
    if (kind(w) == Kind::Output) next.emplace_back(left(s, w), leaves_free(s, w) ? 0 : size(s, w));
    // A word that is made from it takes its place.
    for (const auto& [operation, made] : users_[w]) {
      if (made < 0 || (s >> operation & 1) != 0 || (s & held(at(made))) != 0) continue;
      const std::vector<int>& sources = sources_.at(made);
      if (!std::ranges::all_of(sources, [&](int v) { return inside(s, at(v)); })) continue;
      const State with = s | held(at(made));
      if (run_.size(made) > room + size(s, w)) continue;
      next.emplace_back(kind(w) == Kind::Output ? left(with, w) : with & ~held(w),
                        kind(w) == Kind::Output && !leaves_free(with, w) ? size(s, w) : 0);
    }
  }

  bool leaves_free(State s, std::size_t w) const {
    const bool clean = (s & outside(w)) != 0 && (s & whole(w)) != 0;  // loaded, and not changed since
    return clean || (complete(s, w) && run_.consumed()[w] && useless(s, w));
  }
  State left(State s, std::size_t w) const { return (s | outside(w)) & ~(held(w) | whole(w)); }

  State advanced(State s) const {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t o = 0; o < run_.operations().size(); ++o) {
        const Operation& op = run_.operations()[o];
        if ((s >> o & 1) != 0 || (s & held(at(op.output))) == 0 || !ready(s, op)) continue;
        s |= bit(static_cast<int>(o));
        more = true;
      }
    }
    // Nobody needs these any more.
    for (std::size_t w = 0; w < first_.size(); ++w)
      if ((kind(w) != Kind::Output || (run_.consumed()[w] && complete(s, w))) && useless(s, w))
        s &= ~(held(w) | (kind(w) == Kind::Output ? whole(w) : 0));
    return s;
  }

  const NetworkExecution& run_;
  std::vector<int> first_;  // by word: its first bit
  int bits_ = 0;
  std::vector<State> operations_of_;                             // by output
  std::vector<std::vector<std::pair<std::size_t, int>>> users_;  // by word: operation, what it may use instead
  std::unordered_map<int, std::vector<int>> sources_;            // by made word
};

}  // namespace heliolite::testing
