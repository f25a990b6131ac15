#include "engine/search/fused/fused_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "engine/base/integers.h"
#include "engine/network/group_plan.h"
#include "engine/search/map.h"
#include "engine/search/network/least_product.h"

namespace heliolite {
namespace {

constexpr double kUnfusedFirst = 0.5;  // of the time, for the optimum without groups
constexpr double kOneLambda = 0.5;     // of the time that is left, for the least sum at one lambda

// Consecutive links as one step of a path through the network, at one lambda.
struct Segment {
  double lower = 0;  // of all repetitions
  double value = kNoSum;
  bool settled = false;  // nothing more is to be found
  std::optional<LinkGroup> group{};
  std::vector<Mapping> mappings{};
  Cost cost{};  // of one repetition
};

// A way to run a network.
struct KnownSchedule {
  FusedSchedule schedule;
  Cost cost;
  bool fused = false;
};

// The least energy + lambda x cycles of the network.
class SumSearch {
 public:
  SumSearch(const LinkGraph& graph, const Architecture& architecture, const FusionRules& rules, LinkSolver& solver,
            double lambda, const SearchBudget& budget)
      : graph_(graph),
        architecture_(architecture),
        rules_(rules),
        solver_(solver),
        lambda_(lambda),
        budget_(budget),
        n_(static_cast<int>(graph.links.size())),
        segment_(at(n_), std::vector<Segment>(at(n_))) {}

  // `known`: a schedule, and the least value of all that are known: the result's bound is no more. `from_nothing`: no
  // schedule with groups has been looked for before.
  double run(const FusedSchedule& start, double known, bool from_nothing) {
    for (int l = 0; l < n_; ++l) single(l);
    // The longest groups first, which save most: without loops, then with.
    for (const bool loops : {false, true})
      for (int length = n_; length > 1 && from_nothing; --length)
        for (int i = 0; i + length <= n_; ++i) fast(i, i + length - 1, loops);
    std::vector<LinkGroup> promising = start.groups;
    if (const auto quick = best(); from_nothing && quick) promising = quick->schedule.groups;
    for (const LinkGroup& group : promising) refit(group);
    for (int i = 0; i < n_; ++i)
      for (int j = i + 1; j < n_; ++j) bound(i, j);
    // The cheapest way by what is known, until all of its steps are settled.
    while (true) {
      const std::vector<double> before = from_start(), after = to_end();
      const double best = std::min(known, value_of_best());
      if (after[0] >= best * kEqualSum || budget_.over()) return std::min(after[0], best);
      const auto open = open_on_path(after);
      if (!open) return std::min(after[0], best);
      const auto [i, j] = *open;
      search(i, j, best - before[i] - after[j + 1]);
    }
  }

  // The best schedule that was found; null: none.
  std::optional<KnownSchedule> best() const {
    std::vector<int> cut;
    if (shortest_values(&cut)[0] == kNoSum) return std::nullopt;
    KnownSchedule out;
    u128 cycles = 0;
    for (int i = 0; i < n_;) {
      const Segment& s = segment_[i][cut[i]];
      const u64 runs = graph_.links[i].count;
      out.schedule.groups.push_back(*s.group);
      out.schedule.mappings.insert(out.schedule.mappings.end(), s.mappings.begin(), s.mappings.end());
      out.cost.energy += s.cost.energy * runs;
      cycles += static_cast<u128>(s.cost.cycles) * runs;
      out.fused |= cut[i] != i;
      i = cut[i] + 1;
    }
    out.cost.cycles = static_cast<u64>(std::min<u128>(cycles, ~u64{0}));
    return out;
  }

  std::optional<KnownSchedule> unfused() const {
    KnownSchedule out;
    for (int l = 0; l < n_; ++l) {
      const Segment& s = segment_[l][l];
      if (s.value == kNoSum) return std::nullopt;
      out.schedule.groups.push_back(*s.group);
      out.schedule.mappings.push_back(s.mappings.front());
      out.cost.energy += s.cost.energy * graph_.links[l].count;
      out.cost.cycles += s.cost.cycles * graph_.links[l].count;
    }
    return out;
  }

  u64 trees() const { return trees_; }

 private:
  double runs(int l) const { return static_cast<double>(graph_.links[l].count); }

  // A link alone.
  void single(int l) {
    Segment& s = segment_[l][l];
    LinkGroup alone;
    alone.first = alone.last = l;
    const GroupPlan p = plan(alone, graph_, architecture_, rules_);
    const LinkAnswer answer = solver_.solve(l, p.passes.front(), lambda_, kNoSum, budget_);
    const Cost terms = terms_cost(p, graph_, architecture_);
    s.lower = (answer.lower_bound + sum_value(terms, lambda_)) * runs(l);
    s.settled = true;
    if (!answer.found) return;
    s.group = alone;
    s.mappings = {answer.found->mapping};
    s.cost = {answer.found->cost.energy + terms.energy, answer.found->cost.cycles + terms.cycles};
    s.value = sum_value(s.cost, lambda_) * runs(l);
    s.lower = std::min(s.lower, s.value);
  }

  // Some trees of these links, quickly priced.
  void fast(int i, int j, bool loops) {
    Segment& s = segment_[i][j];
    for (int level = 0; level + 1 < static_cast<int>(architecture_.levels.size()); ++level) {
      if (!why_not_fusing_level(architecture_, level).empty() || budget_.over()) continue;
      const auto interval = make_interval(graph_, architecture_, level, i, j, rules_);
      if (!interval) continue;
      const TreeAnswer answer =
          TreeSearch(*interval, solver_, lambda_, budget_, {.exact = false, .loops = loops}).run(kNoSum);
      if (answer.found) take(s, i, j, level, *answer.found);
    }
  }
  // The tree of a group with the best mappings for this lambda.
  void refit(const LinkGroup& group) {
    if (group.is_single()) return;
    const GroupPlan p = plan(group, graph_, architecture_, rules_);
    FusedTree tree;
    tree.node = group.root;
    const auto add = [&](const Cost& cost) {
      tree.cost.energy += cost.energy;
      tree.cost.cycles += cost.cycles;
    };
    for (int l = group.first; l <= group.last; ++l) {
      const LinkAnswer answer = solver_.solve(l, p.passes[l - group.first], lambda_, kNoSum, budget_);
      if (!answer.found) return;
      tree.mappings.push_back(answer.found->mapping);
      add(answer.found->cost);
    }
    add(terms_cost(p, graph_, architecture_));
    tree.value = sum_value(tree.cost, lambda_);
    take(segment_[group.first][group.last], group.first, group.last, group.level, tree);
  }
  void take(Segment& s, int i, int j, int level, const FusedTree& tree) {
    if (tree.value * runs(i) >= s.value) return;
    s.value = tree.value * runs(i);
    s.group = LinkGroup{i, j, level, tree.node};
    s.mappings = tree.mappings;
    s.cost = tree.cost;
  }

  // What a group of these links costs at least.
  void bound(int i, int j) {
    Segment& s = segment_[i][j];
    s.lower = s.value;
    s.settled = true;
    for (int level = 0; level + 1 < static_cast<int>(architecture_.levels.size()); ++level) {
      if (!why_not_fusing_level(architecture_, level).empty()) continue;
      const auto interval = make_interval(graph_, architecture_, level, i, j, rules_);
      if (!interval) continue;
      Level& own = levels_[{i, j}].emplace_back();
      own.interval = std::make_unique<FusedInterval>(*interval);
      own.trees = std::make_unique<TreeSearch>(*own.interval, solver_, lambda_, budget_);
      if (solver_.gate().on(Rule::LinkBound)) own.lower = own.trees->least() * runs(i);
      s.lower = std::min(s.lower, own.lower);
      s.settled = false;
    }
  }

  void search(int i, int j, double limit) {
    Segment& s = segment_[i][j];
    double lower = kNoSum;
    for (Level& level : levels_[{i, j}]) {
      const double below = std::min(limit, s.value);
      if (level.lower < below * kEqualSum) {
        const u64 before = level.trees->states();
        const TreeAnswer answer = level.trees->run(below / runs(i));
        trees_ += level.trees->states() - before;
        level.lower = std::max(level.lower, answer.lower_bound * runs(i));
        if (answer.found) take(s, i, j, level.interval->level, *answer.found);
      }
      lower = std::min(lower, level.lower);
    }
    s.lower = std::max(s.lower, std::min(lower, s.value));
    s.settled = s.lower >= s.value * kEqualSum;
    if (budget_.over()) s.settled = true;
  }

  std::vector<double> from_start() const {
    std::vector<double> out(at(n_ + 1), kNoSum);
    out[0] = 0;
    for (int i = 0; i < n_; ++i)
      for (int j = i; j < n_; ++j) out[j + 1] = std::min(out[j + 1], out[i] + segment_[i][j].lower);
    return out;
  }
  std::vector<double> to_end() const {
    std::vector<double> out(at(n_ + 1), kNoSum);
    out[n_] = 0;
    for (int i = n_; i-- > 0;)
      for (int j = i; j < n_; ++j) out[i] = std::min(out[i], segment_[i][j].lower + out[j + 1]);
    return out;
  }
  // [i]: the least value of what was found from link i on; `cut`: where its first step ends.
  std::vector<double> shortest_values(std::vector<int>* cut = nullptr) const {
    std::vector<double> out(at(n_ + 1), kNoSum);
    if (cut != nullptr) cut->assign(at(n_), 0);
    out[n_] = 0;
    for (int i = n_; i-- > 0;)
      for (int j = i; j < n_; ++j) {
        const double value = segment_[i][j].value + out[j + 1];
        if (value >= out[i]) continue;
        out[i] = value;
        if (cut != nullptr) (*cut)[i] = j;
      }
    return out;
  }
  double value_of_best() const { return shortest_values()[0]; }

  // The first step of the path with the least bound that may still be found better.
  std::optional<std::pair<int, int>> open_on_path(const std::vector<double>& after) const {
    for (int i = 0; i < n_;) {
      int next = n_;
      for (int j = i; j < n_ && next == n_; ++j)
        if (segment_[i][j].lower + after[j + 1] <= after[i]) next = j;
      if (next == n_) return std::nullopt;
      if (!segment_[i][next].settled) return std::pair(i, next);
      i = next + 1;
    }
    return std::nullopt;
  }

  struct Level {
    std::unique_ptr<FusedInterval> interval;
    std::unique_ptr<TreeSearch> trees;
    double lower = 0;
  };

  const LinkGraph& graph_;
  const Architecture& architecture_;
  const FusionRules& rules_;
  LinkSolver& solver_;
  double lambda_;
  const SearchBudget& budget_;
  int n_;
  std::vector<std::vector<Segment>> segment_;  // [first][last]
  std::map<std::pair<int, int>, std::vector<Level>> levels_;
  u64 trees_ = 0;
};

// All lambdas.
class FusedSearch {
 public:
  FusedSearch(const LinkGraph& graph, const Architecture& architecture, const SearchOptions& options,
              const FusionRules& rules)
      : graph_(graph),
        architecture_(architecture),
        options_(options),
        rules_(rules),
        budget_(options),
        solver_(graph, architecture, options) {}

  Result<FusedOptimum> run() {
    const Stopwatch clock;
    const Objective objective = options_.objective;
    const ObjectiveInfo& kind = info(objective);
    if (kind.degree() == 1) {
      const double lambda = kind.energy_power == 1 ? Objective::kLeastLambda : Objective::kMostLambda;
      const double lower = at_lambda(lambda);
      if (known_.empty()) return nothing();
      take(best_at(lambda));
      out_.lower_bound = end_number(lower, lambda);
      out_.lambda = lambda / Energy::kUnitsPerPicojoule;
    } else {
      start();
      if (known_.empty()) return nothing();
      choose();
    }
    finish();
    out_.seconds = clock.seconds();
    return std::move(out_);
  }

 private:
  Diagnostic nothing() const { return {"", 0, "schedule", "no schedule of the network is legal"}; }

  // The network's optimum without groups.
  void start() {
    Network network;
    network.layers = graph_.links;
    SearchOptions options = options_;
    options.network = true;
    options.progress = {};
    // A budget of map_network() is a layer's.
    if (const auto left = budget_.seconds_left()) {
      const std::vector<std::size_t> shapes = first_of_shape(graph_.links);
      const std::set<std::size_t> different(shapes.begin(), shapes.end());
      options.budget_seconds = *left * kUnfusedFirst / static_cast<double>(different.size());
    }
    const Result<NetworkResult> result = map_network(network, architecture_, options);
    if (!result || !result->all_feasible()) return;
    KnownSchedule out;
    out.cost = result->total;
    for (int l = 0; l < static_cast<int>(graph_.links.size()); ++l) {
      out.schedule.mappings.push_back(result->layers[l].result.mapping);
      LinkGroup alone;
      alone.first = alone.last = l;
      out.schedule.groups.push_back(alone);
      const Cost terms = terms_cost(plan(alone, graph_, architecture_, rules_), graph_, architecture_);
      out.cost.energy += terms.energy * graph_.links[l].count;
      out.cost.cycles += terms.cycles * graph_.links[l].count;
    }
    known_.push_back(std::move(out));
  }

  // Asks for the least sum; returns what none is below.
  double at_lambda(double lambda) {
    double known = kNoSum;
    for (const KnownSchedule& k : known_) known = std::min(known, sum_value(k.cost, lambda));
    const SearchBudget budget = budget_.part_of_time(kOneLambda);
    SumSearch search(graph_, architecture_, rules_, solver_, lambda, budget);
    const double lower =
        search.run(known_.empty() ? FusedSchedule{} : known_[best_at(lambda)].schedule, known, out_.lambdas == 0);
    ++out_.lambdas;
    out_.trees += search.trees();
    if (auto best = search.best()) known_.push_back(*std::move(best));
    if (auto unfused = search.unfused()) known_.push_back(*std::move(unfused));
    return lower;
  }
  std::size_t best_at(double lambda) const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < known_.size(); ++k)
      if (sum_value(known_[k].cost, lambda) < sum_value(known_[best].cost, lambda)) best = k;
    return best;
  }

  // Energy, or cycles, that none is below, from the bound of the sum at an end.
  double end_number(double lower, double lambda) const {
    if (lambda == Objective::kLeastLambda) return lower / Energy::kUnitsPerPicojoule;
    return lower / lambda;
  }

  // Energy and cycles that every schedule has at least.
  Cost least_cost() {
    Cost sum{};
    for (int l = 0; l < static_cast<int>(graph_.links.size()); ++l) {
      const Cost least = solver_.least_cost(l);
      sum.energy += least.energy * graph_.links[l].count;
      sum.cycles += least.cycles * graph_.links[l].count;
    }
    return sum;
  }

  // The network as one layer of find_least_product(), whose mappings are schedules.
  void choose() {
    std::vector<NetworkLayer> layers;
    NetworkLayer whole{LayerHull(least_cost(), 1), {}};
    const auto offer = [&](NetworkLayer& layer, std::size_t k) {
      const std::size_t number = layer.hull.add_mapping(known_[k].cost);
      if (number == layer.known.size()) layer.known.push_back({{}, known_[k].cost});
    };
    for (std::size_t k = 0; k < known_.size(); ++k) offer(whole, k);
    layers.push_back(std::move(whole));
    const auto search = [&](std::size_t, double lambda, const KnownMapping&) {
      SumAnswer out;
      const double lower = at_lambda(lambda);
      const std::size_t best = best_at(lambda);
      out.found = KnownMapping{{}, known_[best].cost};
      out.complete = lower >= sum_value(known_[best].cost, lambda) * kEqualSum;
      out.lower_bound_pj = lower / Energy::kUnitsPerPicojoule;
      return out;
    };
    ProductQuestion question{options_.objective, options_.rules, 1, [&] { return budget_.over(); }};
    if (options_.progress)
      question.tell = [&](double value, double bound) {
        options_.progress(
            {.layer = "schedule", .value = value, .lower_bound = bound, .evaluated = solver_.evaluated()});
      };
    const LeastProduct best = find_least_product(layers, search, question);
    const Cost& cost = layers.front().known[best.chosen.front()].cost;
    for (std::size_t k = 0; k < known_.size(); ++k)
      if (known_[k].cost == cost) take(k);
    out_.lower_bound = best.lower_bound;
    out_.lambda = best.lambda;
    out_.rules += best.rules;
    if (best.optimal) out_.status = Status::Optimal;
  }

  std::string why_not_proven() const {
    if (budget_.stopped()) return "somebody stopped the search of schedules";
    if (budget_.over()) return fmt::format("the {} s of the budget are over", *options_.budget_seconds);
    return "limits of time ended the search of schedules for some sums";
  }

  void take(std::size_t k) {
    out_.schedule = known_[k].schedule;
    out_.cost = known_[k].cost;
  }

  void finish() {
    const Objective objective = options_.objective;
    out_.value = objective_number(objective, out_.cost);
    if (out_.lower_bound >= out_.value * kEqualSum) out_.status = Status::Optimal;
    if (out_.status == Status::Optimal) out_.lower_bound = out_.value;
    else out_.why_not_proven = why_not_proven();
    out_.gap = out_.lower_bound > 0 ? out_.value / out_.lower_bound - 1 : 0;
    double least = kNoSum;
    for (const KnownSchedule& k : known_) {
      if (k.fused || objective_number(objective, k.cost) >= least) continue;
      least = objective_number(objective, k.cost);
      out_.unfused = k.schedule;
      out_.unfused_cost = k.cost;
    }
    out_.links = solver_.searches();
    out_.evaluated = solver_.evaluated();
    out_.rules += solver_.rules();
  }

  const LinkGraph& graph_;
  const Architecture& architecture_;
  const SearchOptions& options_;
  const FusionRules& rules_;
  SearchBudget budget_;
  LinkSolver solver_;
  std::vector<KnownSchedule> known_;
  FusedOptimum out_;
};

}  // namespace

Result<FusedOptimum> search_fused(const LinkGraph& graph, const Architecture& architecture,
                                  const SearchOptions& options, const FusionRules& rules) {
  return FusedSearch(graph, architecture, options, rules).run();
}

}  // namespace heliolite
