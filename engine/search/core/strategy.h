#pragma once
// The strategies of the mapper: which search answers, and what only some of them are asked. All that is known of one by
// its name stands in one table, from which the command line, files, refusals and the check of the documentation come;
// layer_search.cpp calls them.
#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/types.h"

namespace heliolite {

enum class Strategy : u8 {
  Exact,
  Sunstone,
  Thesis,
  Random,
  Bayes,
  Exhaustive,
  Cosa,
  RandomPruned,
  Hybrid,
  Annealing,
  Genetic,
  DMazeRunner,
  Interstellar,
  Gradient,
};

// What a strategy does where tile sizes need not divide.
enum class OtherFactors : u8 {
  Climbs,   // a second step searches them from its answer (docs/rules/any_factors.md)
  Draws,    // its own walk is over all of them
  Refuses,  // it knows sizes that divide only
};

struct StrategyInfo {
  Strategy strategy;
  std::string_view name;    // on the command line, in files and answers
  std::string_view help;    // what it does, a phrase; docs/commands.md has it
  std::string_view source;  // who published it; empty: our own
  OtherFactors factors;
  bool machines = false;  // co_search() can use it (docs/rules/co_search.md)
  bool values = false;    // it only needs values, also those of an evaluator (docs/evaluator.md)
};

// In the order of the enumeration.
inline constexpr auto kStrategyTable = std::to_array<StrategyInfo>({
    {Strategy::Exact, "exact",
     "the default: branch and bound from the answer of `sunstone`; proves the optimum of the mapspace, or how far the "
     "best found can be from it",
     "", OtherFactors::Climbs, true},
    {Strategy::Sunstone, "sunstone",
     "level by level behind a beam and as `thesis` does, then hill-climbing (docs/rules/search.md): milliseconds, no "
     "proof",
     "", OtherFactors::Climbs, true},
    {Strategy::Thesis, "thesis",
     "the search of Sunstone's thesis as printed: level by level with its rules, no beam, no climbing "
     "(docs/rules/search.md)",
     "Ng, UBC 2022, algorithms 3 to 8", OtherFactors::Climbs, true},
    {Strategy::Random, "random",
     "random mappings, each drawn by itself, until `--victory N` legal ones in a row bring no improvement",
     "Timeloop's mapper `random` without superfluous orders (Parashar et al., ISPASS 2019)", OtherFactors::Draws, false,
     true},
    {Strategy::Bayes, "bayes",
     "a Gaussian process chooses which mapping to price next, for costs that take long to find out "
     "([bayes.md](bayes.md)); `--seed`, `--start`, `--batch`, `--encoding`, `--learn`, `--from`, "
     "`--transfer`",
     "", OtherFactors::Refuses, false, true},
    {Strategy::Exhaustive, "exhaustive", "one mapping after the other; done, the optimum",
     "Timeloop's mapper `linear-pruned` (Parashar et al., ISPASS 2019)", OtherFactors::Draws, false, true},
    {Strategy::Cosa, "cosa",
     "one mixed-integer program, solved by CBC, says the mapping ([cosa.md](cosa.md)); `--variant`, `--weights C,T,R`, "
     "`--halo`, `--warm-start`, `--pad`, `--dump FILE`",
     "CoSA (Huang et al., ISCA 2021; Dinh, UCB/EECS-2023-293)", OtherFactors::Climbs},
    {Strategy::RandomPruned, "random-pruned",
     "random factors, 16 random loop orders of each, every keep choice; ends by `--victory` and `--timeout`",
     "Timeloop's mapper `random-pruned` (Parashar et al., ISPASS 2019)", OtherFactors::Refuses, false, true},
    {Strategy::Hybrid, "hybrid",
     "random factors, all loop orders of each one after the other; ends by `--victory` and `--timeout`",
     "Timeloop's mapper `hybrid`, its default (Parashar et al., ISPASS 2019)", OtherFactors::Refuses, false, true},
    {Strategy::Annealing, "annealing", "simulated annealing by moves of prime factors, loops and keep choices",
     "Kirkpatrick et al., Science 1983; as a mapper SALSA (Jung et al., AICAS 2022)", OtherFactors::Refuses, false,
     true},
    {Strategy::Genetic, "genetic", "100 generations of 100 mappings, by GAMMA's operators",
     "GAMMA (Kao, Krishna, ICCAD 2020)", OtherFactors::Refuses, false, true},
    {Strategy::DMazeRunner, "dmazerunner",
     "all tilings that use 80 % of the units and of the innermost memory, 50 % of the others, by degrees less where "
     "there are few; may take hours",
     "dMazeRunner (Dave et al., ACM TECS 2019)", OtherFactors::Refuses, false, true},
    {Strategy::Interstellar, "interstellar",
     "all tilings that use 100 % of the units, or 80 % where there is none, with the best loop order of each level; "
     "may "
     "take hours",
     "Interstellar (Yang et al., ASPLOS 2020)", OtherFactors::Refuses, false, true},
    {Strategy::Gradient, "gradient", "gradient descent on a relaxed model with real factors, rounded now and then",
     "DOSA (Hong et al., MICRO 2023)", OtherFactors::Refuses},
});

constexpr const StrategyInfo& info(Strategy strategy) { return kStrategyTable[at(strategy)]; }
constexpr std::string_view name(Strategy strategy) { return info(strategy).name; }
constexpr bool searches_machines_together(Strategy strategy) { return info(strategy).machines; }
constexpr bool climbs_to_all_tiles(Strategy strategy) { return info(strategy).factors == OtherFactors::Climbs; }

// The strategy of this name; none if there is no such strategy.
std::optional<Strategy> parse_strategy(std::string_view name);
// The strategies that only need values.
std::vector<Strategy> strategies_of_values();
// The names of all strategies in the order of the enumeration.
std::vector<std::string> strategy_names();

// What only some strategies are asked, a struct for each kind of strategy.

// When random sampling ends (random, random-pruned, hybrid).
struct SamplingOptions {
  u64 victory = 500;           // legal mappings in a row without an improvement
  std::optional<u64> timeout;  // illegal mappings in a row; none: the strategy's own
};

// What tilings must use for a directed search (dmazerunner, interstellar) to look at them, as shares; none: what the
// search's own paper says.
struct LeastUseOptions {
  std::optional<double> units, inner, outer;  // compute units; innermost memory; each other memory with a capacity
};

// What only strategy bayes is asked (engine/search/bayes).

// How loop orders are encoded: a score for each loop, or one choice of the level's orders that can matter (rules
// order-prefix to order-dominance); Auto takes choices where the levels together have few.
enum class OrderEncoding : u8 { Auto, Scores, Categorical };
constexpr ValueNames<3> value_names(OrderEncoding) { return {"auto", "scores", "categorical"}; }

// How points of other machines and layers are learned from: by the logarithms of sizes and capacities as further
// coordinates, or as tasks of one process whose covariance is learned, without looking at what they are.
enum class Transfer : u8 { Features, Tasks };
constexpr ValueNames<2> value_names(Transfer) { return {"features", "tasks"}; }

// Mappings of one layer on one machine that were priced.
struct LearnedTask {
  std::string machine, workload, objective;
  std::map<std::string, double> coordinate;  // logarithms to base 2: "size K", "words GlobalBuffer", ..
  std::vector<std::string> feature;          // names (engine/search/bayes/decoder.h), in the order of the points
  std::vector<u32> choices;                  // [feature]: its categories, 0 if it is a number
  std::vector<std::vector<double>> point;    // each in the unit cube of the features
  std::vector<double> value;                 // [point]: log of the objective over what every mapping of the layer costs
};

// What searches found out, by task. Layers that are searched side by side add their tasks in any order.
class LearnedTasks {
 public:
  void add(LearnedTask task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  // Sorted by machine, workload and objective; not while searches run.
  std::vector<LearnedTask> take();

 private:
  std::mutex mutex_;
  std::vector<LearnedTask> tasks_;
};

// What strategy bayes is asked.
struct BayesOptions {
  u64 start = 10;  // mappings priced before it learns from them
  u64 batch = 1;   // mappings chosen at a time, priced side by side
  OrderEncoding encoding = OrderEncoding::Auto;
  Transfer transfer = Transfer::Features;                // with `from`
  std::shared_ptr<const std::vector<LearnedTask>> from;  // what earlier searches learned; null: nothing
  std::shared_ptr<LearnedTasks> learn;                   // takes what this search learns; null: nobody does
};

// What the strategy cosa minimises.

enum class CosaVariant : u8 {
  Published,  // the objective that was printed: loop order counts at one level only
  Ordered,    // also counts the order of the outermost level's loops
  Convex,     // the cost model's own energy and cycles; also a lower bound
};
constexpr ValueNames<3> value_names(CosaVariant) { return {"published", "ordered", "convex"}; }

// How a tile that slides along a rank is counted in the programs of variants published and ordered.
enum class CosaHalo : u8 {
  Exact,    // as it is
  Doubled,  // each prime of the window as 2 at most, which can be too small
};
constexpr ValueNames<2> value_names(CosaHalo) { return {"exact", "doubled"}; }

// Weights of the three parts of the published objective: logarithms of cycles, of words moved, of words held.
struct CosaWeights {
  double cycles = 10, traffic = 1, room = -0.1;
  bool operator==(const CosaWeights&) const = default;
};
// "10,1,-0.1"; none if these are no three numbers of at most 1e6 in size.
std::optional<CosaWeights> parse_cosa_weights(std::string_view text);
std::string to_text(const CosaWeights& weights);

// What strategy cosa is asked. The weights and the halo are those of variants published and ordered.
struct CosaOptions {
  CosaVariant variant = CosaVariant::Published;
  CosaWeights weights;
  CosaHalo halo = CosaHalo::Exact;
  bool warm_start = false;  // the solver begins with what sunstone finds
  bool pad = false;         // solve for the next sizes without primes above 7; with factors that need not divide
};

// What an evaluator is asked for, and what came of it (docs/evaluator.md). evaluator.h talks to it.

// How a command is talked to. Once: a process for each mapping, which has its standard input to itself. Stream: a
// process that answers one mapping after the other.
enum class EvaluatorProtocol : u8 { Once, Stream };
constexpr ValueNames<2> value_names(EvaluatorProtocol) { return {"once", "stream"}; }

inline constexpr double kEvaluatorSeconds = 60;  // time for one mapping, unless asked otherwise
// How many failures in a row end a search, as Timeloop's mappers do after mappings that do not fit.
inline constexpr u64 kMostFailures = 1'000;

struct EvaluatorOptions {
  std::string command;  // run by /bin/sh; empty: values are the cost model's
  EvaluatorProtocol protocol = EvaluatorProtocol::Once;
  double seconds = kEvaluatorSeconds;  // that an answer may take
};

// What came of it in one layer's search.
struct EvaluatorReport {
  double value = 0;           // that the command gave to the mapping found, if there is one
  u64 evaluations = 0;        // mappings that the command was asked about, each once
  u64 failures = 0;           // mappings that got no value
  u64 repeated = 0;           // mappings met again, whose answer was known
  std::string first_failure;  // what was wrong; empty without failures
};

}  // namespace heliolite
