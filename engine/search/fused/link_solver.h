#pragma once
// The best mapping of a link in one context of a fusion tree (docs/fusion_trees.md): on the sizes of one pass, with
// some tensors at home, in the room that homes leave at the fusing level, for the least energy + lambda x cycles of all
// passes. Contexts come back again and again: in other trees, other groups, at other places of the network.
//
// What is known of a link is known of its shape, in a store of its own. Several threads may ask at a time, but for
// fast(); they do not search the same pass.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "arch/architecture.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/link_graph.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/core/options.h"
#include "engine/search/core/parallel.h"
#include "engine/search/core/rules.h"

namespace heliolite {

class LayerSearch;

// The energy + lambda x cycles of what cannot be had.
inline constexpr double kNoSum = std::numeric_limits<double>::infinity();
// Sums of doubles are not exact: what is this close below another counts as equal to it.
inline constexpr double kEqualSum = 1 - 1e-12;

// A mapping of a link in a context.
struct LinkMapping {
  Mapping mapping;
  Cost cost;     // of all passes
  u64 room = 0;  // words of the fusing level that its own tiles take
};

// Energy + lambda x cycles in units of 2^-32 pJ.
double sum_value(const Cost& cost, double lambda);

// What no E + lambda T of mappings, or of trees, is below, by bounds of them at other lambdas: `bound` of what is known
// there. It is linear in lambda: between two of these at least what lies on the line between their bounds. Above one it
// grows by the cycles, below one it falls by those that are not energy: none of them has less than `floor`.
template <typename T, typename Bound>
double from_other_lambdas(const std::map<double, T>& known, const Bound& bound, const Cost& floor, double lambda) {
  const auto own = known.lower_bound(lambda), after = known.upper_bound(lambda);
  double out = own == after ? 0 : bound(own->second);
  double below = 0, above = 0;
  if (own != known.begin()) {
    below = bound(std::prev(own)->second);
    out = std::max(out, below + (lambda - std::prev(own)->first) * static_cast<double>(floor.cycles));
  }
  if (after != known.end()) {
    const double part = lambda / after->first;
    above = bound(after->second);
    out = std::max(out, part * above + (1 - part) * static_cast<double>(floor.energy.units));
  }
  if (own == known.begin() || after == known.end()) return out;
  const double share = (lambda - std::prev(own)->first) / (after->first - std::prev(own)->first);
  return std::max(out, below * (1 - share) + above * share);
}

// What is known of a context at one lambda in some room.
struct LinkAnswer {
  std::optional<LinkMapping> found;
  double lower_bound = 0;  // no mapping is below; infinity: there is none at all
  bool proven = false;     // nothing is below what was found, or below the limit
};

struct HashOfPass {
  std::size_t operator()(const LinkPass& pass) const;
};

// The pass in all room of the level.
inline LinkPass without_taken(LinkPass pass) {
  pass.taken = 0;
  return pass;
}

class LinkSolver {
 public:
  LinkSolver(const LinkSolver&) = delete;
  LinkSolver& operator=(const LinkSolver&) = delete;
  // `graph` and `architecture` must outlive it; the links have no unit_complaints(). `pass.level` is always the level
  // in the chain of the link's unit. Searches are by the strategy, with perfect factors and even tiles.
  LinkSolver(const LinkGraph& graph, const Architecture& architecture, const SearchOptions& options);

  // The least value below `limit` (units; infinity: any). `pass.taken`: words of the level that are not there for the
  // link's own tiles.
  LinkAnswer solve(int link, const LinkPass& pass, double lambda, double limit, const SearchBudget& budget);

  // The first mapping of the pass that is as good as this one, as a search for nothing dearer meets them: it does not
  // depend on what was searched before. This one if time ends it.
  LinkMapping first_as_good(int link, const LinkPass& pass, double lambda, const LinkMapping& known,
                            const SearchBudget& budget);

  // A mapping of each that is found quickly, if any fits; nothing is proven. Different questions are answered by
  // several threads at a time. What was found for nearly the same lambda is an answer as well.
  struct Question {
    int link;
    LinkPass pass;
  };
  std::vector<std::optional<LinkMapping>> fast(std::span<const Question> questions, double lambda,
                                               const SearchBudget& budget);

  // The best mapping of the link alone, if `known` is not: a mapping of it, whose cost it is.
  LinkAnswer solve_alone(int link, const LinkPass& pass, double lambda, const LinkMapping& known,
                         const SearchBudget& budget);

  // What no mapping of these passes is below, with any loops of a tree around its nests and all room of the level,
  // whatever the machine says of loops; infinity: there is none. Above `limit` as good as at it.
  double least(int link, const LinkPass& pass, double lambda, double limit, const SearchBudget& budget);
  // What the passes must move, without a search; at least the energy and the cycles of all of them.
  const Cost& least_moved(int link, const LinkPass& pass);
  // A bound of the link in the pass by that, by what is known of other lambdas, and by searches so far.
  double first_bound(int link, const LinkPass& pass, double lambda);
  // A bound by a search of the whole link with the same homes, whose words are there already: one for all passes.
  double whole_bound(int link, const LinkPass& pass, double lambda, const SearchBudget& budget);

  // Energy and cycles that the link has at least, in whatever group.
  Cost least_cost(int link) const;
  // What the machine leaves to the nest of a link in a pass whose homes are at the level of its chain.
  struct NestFreedom {
    bool loops = false;       // any loops at the outermost level, and none that it must have
    TensorMask may_keep = 0;  // tensors that it may keep at the level
    TensorMask as_home = 0;   // of these, those whose words pass from there to the outermost level as a home's do
  };
  const NestFreedom& freedom(int link, int level);
  // What it costs to read the array at the level as a term of a sum, once.
  const Cost& term_cost(int array, int level);

  // Counts what is asked of rules by one thread, while there are no others.
  const Gate& gate() const { return gate_; }
  const RuleSet& rule_set() const { return options_.rules; }
  // What others have counted.
  void count(const RuleCounts& counts);
  // The first link of the same shape.
  std::size_t shape(int link) const { return shape_[link]; }
  // One under a limit of evaluations: what is done within it is the same for any number of threads.
  int threads() const { return threads_; }
  u64 memory_bytes() const { return options_.memory_bytes; }
  // Counts the bytes that a search holds to go on later in place of those it was counted with before, if all such
  // searches together have them in their part of the memory. Else it must let go of them: none are counted.
  bool hold(u64 before, u64 bytes);

  // The options' limit of evaluations, of all searches together, holds from now on.
  void limit_evaluations() { is_limited_ = options_.budget_evaluations.has_value(); }
  // Whether they are used up. The search that used them may have been cut short.
  bool used_up() const { return is_limited_ && counted_ >= *options_.budget_evaluations; }
  bool over(const SearchBudget& budget) const { return used_up() || budget.over(); }

  RuleCounts rules() const;
  u64 searches() const;
  u64 evaluated() const;

 private:
  // In room of at most `room` words: nothing is below `lower_bound`.
  struct Known {
    u64 room = 0;
    LinkAnswer answer;
  };
  struct Memo {
    std::vector<Known> exact;
    std::map<u64, std::optional<LinkMapping>> fast;  // [room]
  };

  // What no mapping of a context is below: without a search, and searched for what is below `limit`.
  struct Least {
    double first = 0, lower = 0;
    double limit = 0;
    double best() const { return std::max(first, lower); }
  };
  using LeastByLambda = std::map<double, Least>;

  // What passes must move.
  struct Moved {
    Cost cost{};
    double passage = 0;  // of what comes to homes and leaves them: every mapping has it
  };

  // What is known of a pass.
  struct KnownPass {
    std::map<double, Memo> searched;  // [lambda], of the pass without `taken`, in any room
    LeastByLambda least;
    std::optional<Moved> moved;
    bool is_searched_now = false;  // by solve()
  };

  using Lock = std::unique_lock<SpinMutex>;

  // What is known of the links of a shape.
  struct Store {
    explicit Store(const RuleSet& rules) : gate(rules, counts) {}
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    SpinMutex mutex;                       // of all that follows; nobody holds it for long
    std::condition_variable_any searched;  // a pass is no longer searched now
    std::unordered_map<LinkPass, KnownPass, HashOfPass> pass;
    LeastByLambda alone;  // the link by itself
    // [level, tensors at home]: the keep choices of its passes, which do not depend on sizes.
    std::map<std::pair<int, TensorMask>, KeepRange> keep;
    // [level, sizes]: compute units that a mapping of a pass can use.
    std::map<std::pair<int, LinkSizes>, u64> units;
    std::map<int, NestFreedom> freedom;  // [level]
    u64 searches = 0, evaluated = 0;
    RuleCounts counts;
    Gate gate;
  };

  SearchBudget within_limit(const SearchBudget& budget, u64 most) const;
  const Architecture& chain(int link) const;  // that leads to the unit which runs the link
  u64 room_of(int link, const LinkPass& pass) const;
  u64 words_of_homes(int link, const LinkPass& pass) const;
  Result<LayerSearch> prepare_least(int link, const LinkPass& pass, double lambda) const;
  // `lock`: of the link's store; it is given back while something is worked out.
  Least& known_least(int link, const LinkPass& pass, double lambda, Lock& lock);
  const Moved& moved(int link, const LinkPass& pass, Lock& lock);
  Moved compulsory(int link, const LinkPass& pass);
  u64 most_units(int link, const LinkPass& pass);
  static std::optional<LinkMapping> found_elsewhere(const KnownPass& known, u64 room, double lambda);
  double proven_elsewhere(int link, const LinkPass& pass, const KnownPass& known, double lambda, Lock& lock);

  LinkAnswer search(int link, const LinkPass& pass, double lambda, double limit, const SearchBudget& budget,
                    Lock& lock);
  Store& store(int link) { return store_[shape_[link]]; }
  // The search of a link's pass for the least sum; none: the machine leaves it no mapping.
  Result<LayerSearch> prepare(int link, const LinkPass& pass, double lambda, Strategy strategy) const;
  static std::optional<std::optional<LinkMapping>> recall_fast(const Store& store, const LinkPass& pass, u64 room,
                                                               double lambda);
  static std::optional<LinkAnswer> recall(const Memo& memo, const Gate& gate, u64 room, double lambda, double limit);
  LinkMapping with_room(const LayerSearch& search, const LinkPass& pass, const Mapping& mapping,
                        const Cost& cost) const;

  const LinkGraph& graph_;
  const Architecture& architecture_;
  Architecture alone_;  // without words from peers
  SearchOptions options_;
  std::mutex mutex_;  // of `counts_`, for count()
  RuleCounts counts_;
  Gate gate_{options_.rules, counts_};
  std::vector<std::size_t> shape_;  // [link]: the first link of its shape
  int threads_;
  bool is_limited_ = false;
  std::atomic<u64> counted_ = 0;  // evaluations of all searches
  std::atomic<u64> held_ = 0;     // bytes of searches that go on later
  std::deque<Store> store_;       // [shape_]
  std::map<std::pair<int, int>, Cost> term_cost_;
};

}  // namespace heliolite
