#include "engine/search/fused/tree_search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

#include "engine/base/integers.h"
#include "engine/network/fused_cost.h"
#include "engine/network/group_plan.h"
#include "engine/search/core/parallel.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

constexpr u64 kAnyRoom = CompiledLevel::kUnbounded;
constexpr u64 kEntryBytes = 160, kTreeBytes = 512;  // of a remembered state and of a tree, about

u64 less(u64 room, u64 taken) { return room == kAnyRoom ? room : room - std::min(room, taken); }
bool holds(u64 room, u64 words) { return room == kAnyRoom || words <= room; }

// Takes what is better of two answers about different trees, and the lower of their bounds.
void take_better(TreeAnswer& best, const TreeAnswer& other) {
  if (other.found && (!best.found || other.found->value < best.found->value)) best.found = other.found;
  best.lower_bound = std::min(best.lower_bound, other.lower_bound);
}

double tightened(const TreeAnswer& best, double limit) {
  return best.found ? std::min(limit, best.found->value) : limit;
}

}  // namespace

TreeSearch::TreeSearch(const FusedInterval& group, LinkSolver& solver, double lambda, const SearchBudget& budget,
                       LinkBounds& bounds, const TreeSearchOptions& options)
    : group_(group),
      solver_(solver),
      lambda_(lambda),
      budget_(budget),
      options_(options),
      capacity_(group.architecture->levels[group.level].capacity_words().value_or(kAnyRoom)),
      gate_(solver.rule_set(), counts_),
      bound_(group, solver, lambda, budget, bounds, gate_) {
  for (int a = 0; a < static_cast<int>(group.array.size()); ++a)
    for (const ArrayTouch* t : group.array[a].inside)
      if (t->is_term)
        terms_.push_back({t->link, a, solver.term_cost(a, group.level), solver.term_cost(a, group.top())});
  if (terms_.empty()) return;
  const Subtree root = whole(group);
  for (int l = group.first; l <= group.last; ++l) least_terms_ += least_terms(root, l);
}

TreeAnswer TreeSearch::run(double limit, std::span<const TreeSearch* const> others) {
  others_.assign(others.begin(), others.end());
  most_bytes_ = solver_.memory_bytes() / kPartsOfMemory / (partner_ == nullptr ? 1 : 2);
  TreeAnswer out = node(whole(group_), capacity_, limit);
  solver_.count(std::exchange(counts_, {}));
  return out;
}

TreeAnswer TreeSearch::run_with(TreeSearch& backward, double limit, std::span<const TreeSearch* const> others) {
  constexpr double kJustAbove = 1 + 4e-12;
  TreeSearch* const both[] = {this, &backward};
  TreeAnswer answer[2];
  for (int k : {0, 1}) {
    both[k]->partner_ = both[1 - k];
    both[k]->ends_ = false;
  }
  parallel_for(2, solver_.threads(), [&](std::size_t k) {
    answer[k] = both[k]->run(limit, others);
    both[1 - k]->ends_ = true;
  });
  ends_ = false;
  const double least = std::max(answer[0].lower_bound, answer[1].lower_bound);
  // Where several trees are equally good the first one is the answer, whoever was faster.
  if (const FusedTreePtr& other = answer[1].found;
      other && (!answer[0].found || other->value < answer[0].found->value * kEqualSum)) {
    answer[0] = run(other->value * kJustAbove, others);
    if (!answer[0].found) answer[0].found = other;
  }
  answer[0].lower_bound = std::max(least, answer[0].lower_bound);
  for (TreeSearch* one : both) one->partner_ = nullptr;
  return answer[0];
}

// What no tree of the subtree is below by what was proven of it at other lambdas, and by the partner.
double TreeSearch::least_elsewhere(Memo TreeSearch::*memo, const std::vector<u64>& key, const Subtree& s, u64 room) {
  if (!bounds_links()) return 0;
  double out = 0;
  if (partner_ != nullptr) out = partner_->least_known(partner_->*memo, key, room);
  std::map<double, double> proven;  // [lambda]
  for (const TreeSearch* other : others_) {
    const double least = other->least_known(other->*memo, key, room);
    if (least > 0) proven[other->lambda_] = std::max(proven[other->lambda_], least);
  }
  return std::max(out, least_by(proven, s));
}

// What was proven of the subtree in this room or more.
double TreeSearch::least_known(const Memo& memo, const std::vector<u64>& key, u64 room) const {
  const bool reuses = solver_.rule_set()[Rule::RoomReuse];
  const std::lock_guard lock(mutex_);
  const auto known = memo.find(key);
  if (known == memo.end()) return 0;
  double out = 0;
  for (const Known& k : known->second)
    if (reuses ? k.room >= room : k.room == room) out = std::max(out, k.answer.lower_bound);
  return out;
}

double TreeSearch::least_by(const std::map<double, double>& proven, const Subtree& s) {
  if (proven.empty()) return 0;
  Cost floor{};
  for (int l = s.first; l <= s.last; ++l) {
    floor += bound_.floor(s, l);
  }
  return from_other_lambdas(proven, std::identity{}, floor, lambda_);
}

std::optional<TreeAnswer> TreeSearch::recall(const Memo& memo, const std::vector<u64>& key, u64 room,
                                             double limit) const {
  TreeAnswer best;
  const bool reuses = gate_.on(Rule::RoomReuse);
  const auto all = memo.find(key);
  if (all == memo.end()) return std::nullopt;
  for (const Known& k : all->second) {
    if (!reuses && k.room != room) continue;
    const FusedTreePtr& found = k.answer.found;
    if (found && holds(room, found->room) && (!best.found || found->value < best.found->value)) best.found = found;
    if (k.room >= room) best.lower_bound = std::max(best.lower_bound, k.answer.lower_bound);
  }
  if (!best.is_proven(limit) && best.lower_bound < limit * kEqualSum) return std::nullopt;
  if (reuses) gate_.pruned(Rule::RoomReuse, 1);
  return best;
}

const std::vector<RankClass>& TreeSearch::classes(int first, int last) {
  const auto [found, is_new] = classes_.try_emplace({first, last});
  if (is_new) found->second = rank_classes(*group_.graph, first, last);
  return found->second;
}

double TreeSearch::least_of(const Subtree& s, u64 room) {
  double sum = 0;
  if (!options_.exact) return sum;
  for (int l = s.first; l <= s.last; ++l) sum += least_of(s, l, room);
  return sum;
}

double TreeSearch::least_of(const Subtree& s, int link, u64 room) {
  return bound_.least(s, link, room) + least_terms(s, link);
}

double TreeSearch::quick_least() {
  double sum = least_terms_;
  for (int l = group_.first; l <= group_.last; ++l) sum += bound_.quick(l);
  return sum;
}

bool TreeSearch::bounds_links() const { return options_.exact && gate_.on(Rule::LinkBound); }

bool TreeSearch::too_dear(double bound, double limit) const {
  return bounds_links() && gate_.prunes(Rule::LinkBound, [&] { return bound >= limit * kEqualSum; });
}

// Terms of a sum whose last one the link makes, where they stay.
Cost TreeSearch::terms_of(const Subtree& s, int link) const {
  Cost out{};
  for (const Term& t : terms_) {
    if (t.link != link) continue;
    out += s.array[t.array].at == ArrayPlace::At::Home ? t.at_home : t.outermost;
  }
  return out;
}

// What they cost at least, wherever those will stay whose place is not decided: intermediates get a home.
double TreeSearch::least_terms(const Subtree& s, int link) const {
  double sum = 0;
  for (const Term& t : terms_) {
    if (t.link != link) continue;
    const ArrayPlace::At place = s.array[t.array].at;
    const double at_home = sum_value(t.at_home, lambda_), outermost = sum_value(t.outermost, lambda_);
    if (place == ArrayPlace::At::Home || group_.array[t.array].intermediate) sum += at_home;
    else sum += place == ArrayPlace::At::Own ? outermost : std::min(at_home, outermost);
  }
  return sum;
}

void TreeSearch::forget() {
  const std::lock_guard lock(mutex_);
  nodes_.clear();
  children_.clear();
  bytes_ = 0;
}

// Where the memory for it is full everything is forgotten.
void TreeSearch::remember(Memo& memo, std::vector<u64> key, u64 room, const TreeAnswer& answer) {
  if (bytes_ > most_bytes_) forget();
  const std::lock_guard lock(mutex_);
  bytes_ += kEntryBytes + key.size() * sizeof(u64);
  if (answer.found) bytes_ += kTreeBytes + answer.found->links.size() * (sizeof(LinkMapping) + kTreeBytes);
  memo[std::move(key)].push_back({room, answer});
}

// Visits the sets of these arrays that fit when they are held, besides what is: forward all of them without the last
// array first. `visit` says whether to go on.
bool TreeSearch::held_sets(const Held& held, std::span<const int> may, u64 room,
                           const std::function<bool(const Held&)>& visit) const {
  if (may.empty()) return visit(held);
  const std::span<const int> others = may.first(may.size() - 1);
  if (!options_.backward && !held_sets(held, others, room, visit)) return false;
  Held more = held;
  more.add(group_, may.back());
  if (holds(room, more.room) && !held_sets(more, others, room, visit)) return false;
  return !options_.backward || held_sets(held, others, room, visit);
}

// What a node must hold, then with whatever else of it fits.
void TreeSearch::few_held_sets(const Subtree& s, std::span<const int> may, u64 room,
                               const std::function<bool(const Held&)>& visit) const {
  Held due{s};
  for (const int a : may)
    if (s.array[a].at == ArrayPlace::At::Due) due.add(group_, a);
  Held all{s};
  u64 taken = 0;
  bool is_more = false;
  for (const int a : may) {
    const ArrayPlace& place = s.array[a];
    const bool must = place.at == ArrayPlace::At::Due;
    const u64 words = room_words(a, tile_under(group_, s, a), group_.level, *group_.graph, *group_.architecture);
    const bool adds = (must || (s.depth > 0 && place.tiles <= 1)) && holds(room, taken + words);
    if (adds) taken += words;
    if (adds || must) all.add(group_, a);
    is_more |= adds && !must;
  }
  if (holds(room, due.room)) visit(due);
  if (is_more && holds(room, all.room)) visit(all);
}

// Whether loops around a link alone do no more than those of its nest at the outermost level would (rule lone-loops):
// the node beneath them holds nothing, or each tensor that its level can keep and that has no home further out.
bool TreeSearch::is_lone(const Subtree& s, const Held& held) const {
  if (s.first != s.last || s.depth == 0 || !options_.exact) return false;
  const LinkSolver::NestFreedom& nest = solver_.freedom(s.first, s.of(s.first).level);
  if (!nest.loops) return false;
  const auto is_lone = [&] {
    if (held.arrays.empty()) return true;
    const bool plain = std::ranges::all_of(held.arrays, [&](int a) {
      const std::vector<const ArrayTouch*>& inside = group_.array[a].inside;
      return s.array[a].at == ArrayPlace::At::Open && inside.size() == 1 && contains(nest.as_home, inside[0]->tensor);
    });
    return plain && (nest.may_keep & ~held.state.of(s.first).at_home) == 0;
  };
  return gate_.prunes(Rule::LoneLoops, is_lone);
}

// Whether loops around the links of the state can do what a leaf cannot: beneath those around a link alone something
// must be left to hold.
bool TreeSearch::has_loops(const Subtree& s) const {
  if (!options_.exact) return options_.loops && s.depth == 0 && s.first != s.last;
  if (s.first != s.last || !solver_.freedom(s.first, s.of(s.first).level).loops) return true;
  return !gate_.prunes(Rule::LoneLoops, [&] { return holdable_at(group_, s).empty(); });
}

// The node whose loop is part of the state: what it holds, and its children.
TreeAnswer TreeSearch::node(const Subtree& s, u64 room, double limit) {
  const std::vector<u64> key = key_of(group_, s);
  if (auto answer = recall(nodes_, key, room, limit)) return *answer;
  TreeAnswer best{nullptr, least_of(s, room)};
  if (too_dear(best.lower_bound, limit) || over()) return best;
  best.lower_bound = std::max(best.lower_bound, least_elsewhere(&TreeSearch::nodes_, key, s, room));
  if (too_dear(best.lower_bound, limit)) return best;
  ++states_;
  best.lower_bound = kNoSum;
  const std::vector<int> may = holdable_at(group_, s);
  const auto visit = [&](const Held& held) {
    const auto is_left = [&](int a) {
      const ArrayPlace& place = held.state.array[a];
      return place.at == ArrayPlace::At::Due && place.last;
    };
    if (std::ranges::any_of(may, is_left)) return true;
    TreeAnswer one = with_held(held.state, less(room, held.room), tightened(best, limit), is_lone(s, held));
    if (one.found) {
      auto tree = std::make_shared<FusedTree>(*one.found);
      tree->node.held = held.arrays;
      tree->room += held.room;
      one.found = std::move(tree);
    }
    take_better(best, one);
    if (!over()) return true;
    best.lower_bound = std::min(best.lower_bound, least_of(s, room));
    return false;
  };
  if (options_.exact) held_sets({s}, may, room, visit);
  else few_held_sets(s, may, room, visit);
  remember(nodes_, key, room, best);
  return best;
}

// Children of a node, from left to right: the shortest path over the places where they may be cut. `in_nest`:
// is_lone().
TreeAnswer TreeSearch::with_held(const Subtree& s, u64 room, double limit, bool in_nest) {
  const int n = s.last - s.first + 1;
  std::vector<double> rest(at(n + 1), 0);  // [k]: what the links from k on cost at least
  for (int k = n; k-- > 0;) rest[k] = rest[k + 1] + (bounds_links() ? least_of(s, s.first + k, room) : 0);
  if (too_dear(rest[0], limit)) return {nullptr, rest[0]};
  std::vector<FusedTreePtr> best(at(n + 1));
  std::vector<double> least(at(n + 1), kNoSum);
  auto nothing = std::make_shared<FusedTree>();
  best[0] = nothing;
  least[0] = 0;
  for (int i = 0; i < n; ++i) {
    if (least[i] + rest[i] >= limit * kEqualSum) {  // nothing below the limit goes on from here
      least[n] = std::min(least[n], least[i] + rest[i]);
      continue;
    }
    for (int j = i; j < n; ++j) {
      if (over()) return {nullptr, rest[0]};
      const std::optional<Child> c = child_of(group_, s, s.first + i, s.first + j);
      if (!c || !holds(room, c->live)) continue;
      const bool only = i == 0 && j == n - 1 && s.depth > 0;
      const double before = best[i] ? best[i]->value : least[i];
      const double own_limit = std::min(limit, best[n] ? best[n]->value : limit) - before - rest[j + 1];
      const TreeAnswer one = child(c->state, less(room, c->live), only, in_nest, own_limit);
      least[j + 1] = std::min(least[j + 1], least[i] + one.lower_bound);
      if (!one.found || !best[i]) continue;
      const double value = best[i]->value + one.found->value;
      if (best[j + 1] && best[j + 1]->value <= value) continue;
      auto tree = std::make_shared<FusedTree>(*best[i]);
      tree->node.children.push_back(one.found->node);
      tree->links.insert(tree->links.end(), one.found->links.begin(), one.found->links.end());
      tree->cost += one.found->cost;
      tree->value = value;
      tree->room = std::max(tree->room, one.found->room + c->live);
      best[j + 1] = std::move(tree);
    }
  }
  return {best[n] && best[n]->value < limit ? best[n] : nullptr, least[n]};
}

// A leaf, or a node with a loop. An only child's loop is over other dimensions than its parent's: else both are one.
// `in_nest`: it is no leaf, because one without the parent's loop is as good.
TreeAnswer TreeSearch::child(const Subtree& s, u64 room, bool only, bool in_nest, double limit) {
  std::vector<u64> key = key_of(group_, s);
  key.push_back((only ? 1 : 0) + (in_nest ? 2 : 0));
  if (auto answer = recall(children_, key, room, limit)) return *answer;
  TreeAnswer best{nullptr, least_of(s, room)};
  if (too_dear(best.lower_bound, limit) || over()) return best;
  best.lower_bound = std::max(best.lower_bound, least_elsewhere(&TreeSearch::children_, key, s, room));
  if (too_dear(best.lower_bound, limit)) return best;
  best.lower_bound = kNoSum;
  if (s.first == s.last && !in_nest) take_better(best, leaf(s, room, limit));
  if (has_loops(s)) loops(s, room, only, limit, best);
  remember(children_, std::move(key), room, best);
  return best;
}

void TreeSearch::loops(const Subtree& s, u64 room, bool only, double limit, TreeAnswer& best) {
  std::vector<std::pair<const RankClass*, u64>> all;  // and iterations
  for (const RankClass& ranks : classes(s.first, s.last)) {
    u64 most = ~u64{0};
    bool same = false;
    for (int l = s.first; l <= s.last; ++l) {
      u64 size = 1;
      for (const int d : ranks.of(l)) {
        size *= s.of(l).size[d];
        same |= s.divided[l - s.first][d] == 2;
      }
      most = std::min(most, size);
    }
    if (only && same) continue;
    for (const u64 iterations : divisors(most))
      if (iterations >= 2) all.emplace_back(&ranks, iterations);
  }
  if (options_.backward) std::ranges::reverse(all);
  for (const auto& [ranks, iterations] : all)
    for (const Looped& next : under_loop(group_, s, *ranks, iterations)) {
      if (!holds(room, next.room)) continue;
      TreeAnswer one = node(next.state, less(room, next.room), tightened(best, limit));
      if (one.found) {
        auto tree = std::make_shared<FusedTree>(*one.found);
        tree->node.loop = next.loop;
        tree->room += next.room;
        one.found = std::move(tree);
      }
      take_better(best, one);
      if (over()) {
        best.lower_bound = std::min(best.lower_bound, least_of(s, room));
        return;
      }
    }
}

// A mapping that is found quickly, if the pass need not cost too much.
std::optional<LinkMapping> TreeSearch::fast(int link, const LinkPass& pass, double limit) {
  if (solver_.first_bound(link, without_taken(pass), lambda_) >= limit) return std::nullopt;
  const LinkSolver::Question question[] = {{link, pass}};
  return solver_.fast(question, lambda_, budget_).front();
}

TreeAnswer TreeSearch::leaf(const Subtree& s, u64 room, double limit) {
  const int link = s.first;
  for (const int a : group_.graph->array_of[link])
    if (s.array[a].at == ArrayPlace::At::Due) return {nullptr, kNoSum};
  const Cost terms = terms_of(s, link);
  const double fixed = sum_value(terms, lambda_);
  LinkPass pass = s.of(link);
  if (room != kAnyRoom) pass.taken = capacity_ - room;
  LinkAnswer answer;
  if (options_.exact) answer = solver_.solve(link, pass, lambda_, limit - fixed, budget_.until(ends_));
  else answer.found = fast(link, pass, limit - fixed);
  TreeAnswer out{nullptr, answer.lower_bound + fixed};
  if (!answer.found) return out;
  auto tree = std::make_shared<FusedTree>();
  tree->node.link = link;
  tree->links = {*answer.found};
  tree->cost = {answer.found->cost.energy + terms.energy, answer.found->cost.cycles + terms.cycles};
  tree->value = sum_value(tree->cost, lambda_);
  tree->room = answer.found->room;
  if (answer.proven) out.lower_bound = std::min(out.lower_bound, tree->value);
  out.found = std::move(tree);
  return out;
}

}  // namespace heliolite
