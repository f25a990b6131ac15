#pragma once
// The strategies of the mapper: which search answers. All that is known of one by its name stands in one table, from
// which the command line, files, refusals and the check of the documentation come; layer_search.cpp calls them.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
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

}  // namespace heliolite
