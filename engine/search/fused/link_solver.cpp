#include "engine/search/fused/link_solver.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/split_mix.h"
#include "engine/model/perfect.h"
#include "engine/model/running_units.h"
#include "engine/network/common_ranks.h"
#include "engine/network/fused_cost.h"
#include "engine/network/group_plan.h"
#include "engine/search/core/parallel.h"
#include "engine/search/map.h"
#include "engine/search/schedule.h"

namespace heliolite {
namespace {

constexpr u64 kMostForFast = 500;     // mappings that a quick search of a pass is worth
constexpr double kNearLambda = 1.05;  // a mapping that is found for a lambda is one for what is this near
constexpr u64 kPartOfHeld = 16;       // of the memory, for searches that go on later

Architecture without_peer_channel(Architecture machine) {
  machine.peer_channel = false;
  for (Architecture& unit : machine.units) unit.peer_channel = false;
  return machine;
}

}  // namespace

std::size_t HashOfPass::operator()(const LinkPass& pass) const {
  HashOfNumbers hash;
  for (const u64 size : pass.size) hash.add(size);
  for (const u64 words : pass.fetched) hash.add(words);
  for (const u64 n : {pass.passes, pass.parts, pass.taken, pass.stored, pass.returned}) hash.add(n);
  hash.add(static_cast<u64>(pass.level) << 8 | pass.at_home);
  return hash.value();
}

double sum_value(const Cost& cost, double lambda) {
  return static_cast<double>(cost.energy.units) + lambda * static_cast<double>(cost.cycles);
}

LinkSolver::LinkSolver(const LinkGraph& graph, const Architecture& architecture, const SearchOptions& options)
    : graph_(graph),
      architecture_(architecture),
      alone_(without_peer_channel(architecture)),
      options_(options),
      shape_(first_of_shape(graph.links)),
      threads_(options.budget_evaluations ? 1 : options.threads) {
  for (std::size_t l = 0; l < graph.links.size(); ++l) store_.emplace_back(options_.rules);
  options_.progress = {};
  options_.threads = threads_;
  options_.strategy = Strategy::Exact;
  options_.network = false;
}

const Architecture& LinkSolver::chain(int link) const { return running_chain(graph_.link(link), architecture_); }

// What a search of at most `most` mappings gets of `budget`: what the searches before it have left.
SearchBudget LinkSolver::within_limit(const SearchBudget& budget, u64 most) const {
  if (!options_.budget_evaluations) return budget.at_most(most);
  const u64 limit = *options_.budget_evaluations;
  return budget.with_evaluations(is_limited_ ? std::min(most, limit - std::min(counted_.load(), limit)) : most);
}

u64 LinkSolver::room_of(int link, const LinkPass& pass) const {
  if (pass.level < 0) return CompiledLevel::kUnbounded;
  const auto capacity = chain(link).levels[pass.level].capacity_words();
  if (!capacity) return CompiledLevel::kUnbounded;
  return *capacity - std::min(*capacity, pass.taken);
}

// Words of the level that the tiles of what has a home take at least.
u64 LinkSolver::words_of_homes(int link, const LinkPass& pass) const {
  return sum_of<u64>(bits(pass.at_home), [&](int v) {
    const u64 words = tile_words(graph_.link(link), v, pass.size);
    return room_words(graph_.array_of[link][v], words, pass.level, graph_, architecture_);
  });
}

Result<LayerSearch> LinkSolver::prepare(int link, const LinkPass& pass, double lambda, Strategy strategy) const {
  SearchOptions options = options_;
  options.strategy = strategy;
  options.objective = Objective::weighted_sum(lambda);
  if (pass.is_plain()) return LayerSearch::create(graph_.link(link), chain(link), options);
  return LayerSearch::create(pass_workload(graph_.link(link), pass), chain(link), pass, options);
}

void LinkSolver::count(const RuleCounts& counts) {
  const std::lock_guard lock(mutex_);
  counts_ += counts;
}

RuleCounts LinkSolver::rules() const {
  RuleCounts out = counts_;
  for (const Store& s : store_) out += s.counts;
  return out;
}
u64 LinkSolver::searches() const {
  u64 out = 0;
  for (const Store& s : store_) out += s.searches;
  return out;
}
u64 LinkSolver::evaluated() const {
  u64 out = 0;
  for (const Store& s : store_) out += s.evaluated;
  return out;
}

LinkMapping LinkSolver::with_room(const LayerSearch& search, const LinkPass& pass, const Mapping& mapping,
                                  const Cost& cost) const {
  LinkMapping out{mapping, cost};
  if (pass.level < 0) return out;
  const Compiled& c = search.problem().model.compiled();
  // Searches let tensors with a home pass by; their level keeps them, and what the machine makes keep what passes.
  for (int i = pass.level; i + 1 < c.level_count; ++i) {
    const TensorMask kept = i == pass.level ? pass.at_home : static_cast<TensorMask>(pass.at_home & c.passing[i]);
    out.mapping.keep[i] = static_cast<TensorMask>((out.mapping.keep[i] & ~pass.at_home) | kept);
  }
  u64 parts = 0;
  const CollapsedTraffic rows = pass_traffic(c, Nest(c, mapping), mapping.keep, mapping.outside, 0, Recorded::Priced);
  for (int v = 0; v < c.tensor_count; ++v)
    if (!contains(pass.at_home, v) && rows[v][pass.level].kept)
      parts += c.level[pass.level].taken(v, rows[v][pass.level].tile_words);
  out.room = ceil_div(parts, u64{c.level[pass.level].parts.of_word});
  return out;
}

// What a search in more room proved holds in less; what it found, wherever it fits.
std::optional<LinkAnswer> LinkSolver::recall(const Memo& memo, const Gate& gate, u64 room, double lambda,
                                             double limit) {
  LinkAnswer best;
  const bool reuses = gate.on(Rule::RoomReuse);
  for (const Known& known : memo.exact) {
    if (!reuses && known.room != room) continue;
    const bool fits = known.answer.found && known.answer.found->room <= room;
    if (fits && (!best.found || sum_value(known.answer.found->cost, lambda) < sum_value(best.found->cost, lambda)))
      best.found = known.answer.found;
    if (known.room >= room) best.lower_bound = std::max(best.lower_bound, known.answer.lower_bound);
  }
  const double value = best.found ? sum_value(best.found->cost, lambda) : kNoSum;
  if (best.lower_bound < std::min(limit, value) && !(best.lower_bound == kNoSum)) return std::nullopt;
  best.proven = true;
  best.lower_bound = std::min(best.lower_bound, value);
  if (reuses) gate.pruned(Rule::RoomReuse, 1);
  return best;
}

LinkAnswer LinkSolver::solve(int link, const LinkPass& pass, double lambda, double limit, const SearchBudget& budget) {
  Store& own = store(link);
  Lock lock(own.mutex);
  KnownPass& known = own.pass[without_taken(pass)];
  const Memo& memo = known.searched[lambda];
  const u64 room = room_of(link, pass);
  const auto recalled = [&] { return recall(memo, own.gate, room, lambda, limit); };
  if (const auto answer = recalled()) return *answer;
  // Trees ask for the pass in many rooms. What is proven in the largest of them holds in all.
  LinkPass in_most = pass;
  in_most.taken = own.gate.on(Rule::RoomReuse) ? std::min(pass.taken, words_of_homes(link, pass)) : pass.taken;
  if (in_most.taken < pass.taken) {
    lock.unlock();
    solve(link, in_most, lambda, limit, budget);
    lock.lock();
    if (const auto answer = recalled()) return *answer;
  }
  while (known.is_searched_now) {
    own.searched.wait(lock);
    if (const auto answer = recalled()) return *answer;
  }
  known.is_searched_now = true;
  try {
    LinkAnswer answer = search(link, pass, lambda, limit, budget, lock);
    known.is_searched_now = false;
    own.searched.notify_all();
    return answer;
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    known.is_searched_now = false;
    own.searched.notify_all();
    throw;
  }
}

// What solve() does not know yet. `lock`: of the link's store; it is given back for the search only.
LinkAnswer LinkSolver::search(int link, const LinkPass& pass, double lambda, double limit, const SearchBudget& budget,
                              Lock& lock) {
  Store& own = store(link);
  KnownPass& known = own.pass[without_taken(pass)];
  const auto keep = [&](const LinkAnswer& answer, u64 in_room) {
    known.searched[lambda].exact.push_back({in_room, answer});
    return answer;
  };
  // Step 1. What is known at other lambdas may be enough; else only what is below it is looked for.
  const u64 room = room_of(link, pass);
  LinkAnswer out;
  double first = 0;
  if (own.gate.on(Rule::PassBound)) {
    out.found = found_elsewhere(known, room, lambda);
    first = proven_elsewhere(link, pass, known, lambda, lock);
  }
  if (out.found) limit = std::min(limit, sum_value(out.found->cost, lambda));
  const auto is_enough = [&] { return first >= limit * kEqualSum; };
  if (own.gate.prunes(Rule::PassBound, is_enough)) {
    out.lower_bound = std::min(first, limit);
    out.proven = true;
    return keep(out, room);
  }
  // Step 2. What the pass must move.
  lock.unlock();
  const auto search = prepare(link, pass, lambda, Strategy::Exact);
  if (search) first = std::max(first, search->first_bound() * Energy::kUnitsPerPicojoule);
  lock.lock();
  if (!search) return keep({{}, kNoSum, true}, CompiledLevel::kUnbounded);
  if (own.gate.prunes(Rule::PassBound, [&] { return first >= limit; })) {
    out.lower_bound = std::min(first, limit);
    out.proven = true;
    return keep(out, room);
  }
  // Step 3. The search.
  ++own.searches;
  lock.unlock();
  const ObjectiveKey key = limit < kNoSum ? ObjectiveKey{limit, 0} : ObjectiveKey{};
  const SearchBudget own_budget = within_limit(budget, ~u64{0});
  const LayerAnswer answer =
      limit < kNoSum ? run_exact_alone(*search, own_budget, key) : run_exact_limited(*search, own_budget, key);
  counted_ += answer.statistics.evaluated;
  if (answer.found) out.found = with_room(*search, pass, answer.mapping, answer.cost);
  const double value = out.found ? sum_value(out.found->cost, lambda) : kNoSum;
  out.proven = answer.complete;
  if (answer.complete) out.lower_bound = std::min(value, limit);
  else out.lower_bound = std::max(first, answer.lower_bound.value_or(0) * Energy::kUnitsPerPicojoule);
  lock.lock();
  own.evaluated += answer.statistics.evaluated;
  return keep(out, room);
}

LinkMapping LinkSolver::first_as_good(int link, const LinkPass& pass, double lambda, const LinkMapping& known,
                                      const SearchBudget& budget) {
  constexpr double kJustAbove = 1 + 1e-11;
  const auto search = prepare(link, pass, lambda, Strategy::Exact);
  if (!search) return known;
  const double value = sum_value(known.cost, lambda);
  const LayerAnswer answer =
      run_exact_alone(*search, within_limit(budget, ~u64{0}), ObjectiveKey{value * kJustAbove, 0});
  counted_ += answer.statistics.evaluated;
  {
    const Lock lock(store(link).mutex);
    ++store(link).searches;
    store(link).evaluated += answer.statistics.evaluated;
  }
  if (!answer.complete || !answer.found) return known;
  return with_room(*search, pass, answer.mapping, answer.cost);
}

// The best of the mappings that exact searches for other lambdas have found and that fit.
std::optional<LinkMapping> LinkSolver::found_elsewhere(const KnownPass& known, u64 room, double lambda) {
  std::optional<LinkMapping> best;
  for (const auto& [other, memo] : known.searched)
    for (const Known& k : memo.exact)
      if (const auto& found = k.answer.found;
          found && found->room <= room && (!best || sum_value(found->cost, lambda) < sum_value(best->cost, lambda)))
        best = found;
  return best;
}

// What was proven at other lambdas, in this room or more.
double LinkSolver::proven_elsewhere(int link, const LinkPass& pass, const KnownPass& known, double lambda, Lock& lock) {
  const bool reuses = store(link).gate.on(Rule::RoomReuse);
  const u64 room = room_of(link, pass);
  const auto proven = [&](const Memo& memo) {
    double out = 0;
    for (const Known& k : memo.exact)
      if (reuses ? k.room >= room : k.room == room) out = std::max(out, k.answer.lower_bound);
    return out;
  };
  const Cost& floor = moved(link, pass, lock).cost;
  return from_other_lambdas(known.searched, proven, floor, lambda);
}

// What is proven at other lambdas may be enough; else only what is below the known mapping is looked for.
LinkAnswer LinkSolver::solve_alone(int link, const LinkPass& pass, double lambda, const LinkMapping& known,
                                   const SearchBudget& budget) {
  Store& own = store(link);
  Lock lock(own.mutex);
  LeastByLambda& all = own.alone;
  const double value = sum_value(known.cost, lambda),
               others = from_other_lambdas(all, std::mem_fn(&Least::best), moved(link, pass, lock).cost, lambda);
  lock.unlock();
  LinkAnswer out;
  if (others >= value * kEqualSum) {
    out.lower_bound = value;
    out.proven = true;
  } else {
    out = solve(link, pass, lambda, value, budget);
    out.lower_bound = std::max(out.lower_bound, std::min(others, value));
  }
  if (!out.found) out.found = known;
  lock.lock();
  Least& least = all[lambda];
  least.first = std::max(least.first, out.lower_bound);
  return out;
}

// What fits of what a search in more room found is as good as what a search here would find. Mappings of an exact
// search are better still. Nothing: no search for about this lambda answers.
std::optional<std::optional<LinkMapping>> LinkSolver::recall_fast(const Store& store, const LinkPass& pass, u64 room,
                                                                  double lambda) {
  std::optional<LinkMapping> best;
  bool known = false;
  const auto offer = [&](const std::optional<LinkMapping>& one) {
    const bool fits = one && one->room <= room;
    if (fits && (!best || sum_value(one->cost, lambda) < sum_value(best->cost, lambda))) best = one;
    return fits;
  };
  const auto own = store.pass.find(without_taken(pass));
  if (own == store.pass.end()) return std::nullopt;
  const std::map<double, Memo>& searched = own->second.searched;
  for (auto m = searched.lower_bound(lambda / kNearLambda); m != searched.end() && m->first <= lambda * kNearLambda;
       ++m) {
    for (auto f = m->second.fast.lower_bound(room); f != m->second.fast.end(); ++f) {
      const bool answers = offer(f->second) || !f->second;
      known |= answers;
      if (answers) break;
    }
    for (const Known& k : m->second.exact) known |= offer(k.answer.found) && k.room == room;
  }
  if (!known) return std::nullopt;
  return best;
}

std::vector<std::optional<LinkMapping>> LinkSolver::fast(std::span<const Question> questions, double lambda,
                                                         const SearchBudget& budget) {
  // Step 1. What is known, and what is asked more than once.
  struct Due {
    std::size_t question;
    u64 room;
    std::optional<LinkMapping> found{};
    std::optional<u64> evaluated{};
  };
  std::vector<std::optional<LinkMapping>> out(questions.size());
  std::map<std::pair<std::size_t, LinkPass>, std::size_t> number;
  std::vector<Due> due;
  std::vector<std::optional<std::size_t>> answered_by(questions.size());
  for (std::size_t q = 0; q < questions.size(); ++q) {
    const auto& [link, pass] = questions[q];
    const u64 room = room_of(link, pass);
    if (auto known = recall_fast(store(link), pass, room, lambda)) {
      out[q] = *known;
      continue;
    }
    const auto [n, is_new] = number.try_emplace({shape_[link], pass}, due.size());
    if (is_new) due.push_back({q, room});
    answered_by[q] = n->second;
  }
  // Step 2. The others.
  parallel_for(due.size(), threads_, [&](std::size_t k) {
    const auto& [link, pass] = questions[due[k].question];
    const auto search = prepare(link, pass, lambda, Strategy::Sunstone);
    if (!search) return;
    const LayerAnswer answer = run_sunstone(*search, within_limit(budget, kMostForFast));
    due[k].evaluated = answer.statistics.evaluated;
    counted_ += answer.statistics.evaluated;
    if (answer.found) due[k].found = with_room(*search, pass, answer.mapping, answer.cost);
  });
  // Step 3. What is found is remembered.
  for (const Due& d : due) {
    const auto& [link, pass] = questions[d.question];
    Store& own = store(link);
    own.searches += d.evaluated.has_value();
    own.evaluated += d.evaluated.value_or(0);
    own.pass[without_taken(pass)].searched[lambda].fast[d.room] = d.found;
  }
  for (std::size_t q = 0; q < questions.size(); ++q)
    if (answered_by[q]) out[q] = due[*answered_by[q]].found;
  return out;
}

bool LinkSolver::hold(u64 before, u64 bytes) {
  const u64 others = held_.fetch_sub(before) - before;
  if (others + bytes > options_.memory_bytes / kPartOfHeld) return false;
  held_ += bytes;
  return true;
}

}  // namespace heliolite
