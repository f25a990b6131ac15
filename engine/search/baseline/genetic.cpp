// A genetic mapper with GAMMA's operators (Kao, Krishna, ICCAD 2020; maestro-project/gamma). A genome is a mapping: the
// tile, the parallel dimensions and the loop order of each level. Steps:
//  1. A population of 100, all with the smallest tiles and everything else at the outermost level.
//  2. A generation: the best 40 % are parents, the best 5 % stay as they are; each other one is a child.
//  3. A child is a copy of a parent, drawn, to which each of these happens with probability 1/2:
//     tile       one dimension's factors are drawn anew, at all levels and fan-outs
//     parallel   two dimensions' factors are drawn anew, until some fan-out has others of them
//     order      two loops of a level change places
//     keep       what a level keeps changes, where the machine leaves it open
//     crossover  the factors of each dimension, with probability 1/2, are those of another parent
//  4. Those that do not fit are worst. 100 generations, or until a budget ends it.
// Different: GAMMA also grows and ages levels of parallelism, which a fixed machine has as they are.
#include "engine/search/baseline/strategies.h"

#include <utility>
#include <vector>

#include "engine/search/baseline/genome.h"
#include "engine/search/core/parallel.h"
#include "engine/search/core/pricing.h"

namespace heliolite {
namespace {

struct Individual {
  Genome genome;
  Mapping mapping{};
  bool written = false;  // the fan-outs have room for it
  Evaluation evaluation{};
  Value value = Value::worst();  // unless it fits
};

class Evolution {
 public:
  Evolution(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem), space_(problem), pricing_(problem, budget), random_(problem.options.seed, 0) {}

  LayerAnswer run() {
    if (!space_.possible()) return pricing_.answer();
    std::vector<Individual> people(kPopulation, Individual{space_.smallest_tiles()});
    price(people, 0);
    for (int generation = 1; generation < kGenerations && !pricing_.over(); ++generation) {
      std::ranges::stable_sort(people, {}, &Individual::value);
      std::vector<Individual> next(people.begin(), people.begin() + kElites);
      while (next.size() < kPopulation) next.push_back(child(people));
      people = std::move(next);
      price(people, kElites);
    }
    return pricing_.answer();
  }

 private:
  // Prices the people from `first` on; what a budget leaves out stays the worst.
  void price(std::vector<Individual>& people, std::size_t first) {
    parallel_for(people.size() - first, problem_.options.threads, [&](std::size_t k) {
      Individual& one = people[first + k];
      one.written = space_.write(one.genome, one.mapping);
      if (one.written) one.evaluation = problem_.evaluate(one.mapping);
    });
    std::size_t asked = first;  // people that an evaluator was asked about
    for (std::size_t k = first; k < people.size(); ++k) {
      if (k == asked && pricing_.at_once() > 0) asked = ask_ahead(people, k);
      Individual& one = people[k];
      one.value = Value::worst();
      if (!one.written) continue;
      if (pricing_.over()) return;
      one.value = pricing_.take(one.mapping, one.evaluation).value;
    }
  }

  // Asks the evaluator about those from `k` on. Returns the one after the last of them.
  std::size_t ask_ahead(const std::vector<Individual>& people, std::size_t k) {
    std::vector<Mapping> mappings;
    for (; k < people.size() && mappings.size() < pricing_.at_once(); ++k)
      if (people[k].written && people[k].evaluation.verdict == Verdict::Fits) mappings.push_back(people[k].mapping);
    pricing_.ask_ahead(mappings);
    return k;
  }

  const Genome& parent(const std::vector<Individual>& people) { return people[random_.below(kParents)].genome; }
  bool coin() { return (random_.next() & 1) != 0; }

  Individual child(const std::vector<Individual>& people) {
    Individual out{parent(people)};
    if (coin()) crossover(parent(people), out.genome);
    if (coin()) change_parallel(out.genome);
    if (coin()) space_.swap_loops(random_, out.genome);
    if (coin() && !space_.dimensions().empty())
      space_.draw_split(random_, space_.dimensions()[random_.below(space_.dimensions().size())], out.genome);
    if (coin()) space_.toggle_keep(random_, out.genome);
    return out;
  }

  void crossover(const Genome& other, Genome& genome) {
    for (const u8 d : space_.dimensions()) {
      if (coin()) continue;
      for (std::size_t p = 0; p < genome.factor.size(); ++p) genome.factor[p][d] = other.factor[p][d];
    }
  }

  // Two dimensions' splits are drawn anew until they have other factors along some fan-out.
  void change_parallel(Genome& genome) {
    constexpr int kTries = 8;
    const std::vector<u8>& dimensions = space_.dimensions();
    if (dimensions.empty()) return;
    const u8 a = dimensions[random_.below(dimensions.size())], b = dimensions[random_.below(dimensions.size())];
    const auto same = [&](const Genome& x, const Genome& y, u8 d) {
      for (std::size_t p = 0; p < x.factor.size(); p += 2)
        if (x.factor[p][d].x != y.factor[p][d].x || x.factor[p][d].y != y.factor[p][d].y) return false;
      return true;
    };
    Genome next = genome;
    for (int k = 0; k < kTries && same(next, genome, a) && same(next, genome, b); ++k) {
      space_.draw_split(random_, a, next);
      space_.draw_split(random_, b, next);
    }
    genome = next;
  }

  const LayerProblem& problem_;
  GenomeSpace space_;
  Pricing pricing_;
  SplitMix random_;
};

}  // namespace

LayerAnswer genetic_search(const LayerProblem& problem, const SearchBudget& budget) {
  return Evolution(problem, budget).run();
}

}  // namespace heliolite
