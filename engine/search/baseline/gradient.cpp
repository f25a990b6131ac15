// Gradient descent on a relaxed model, in DOSA's manner (Hong et al., MICRO 2023; ucb-bar/dosa), on one machine. Steps:
//  1. Seven starts: the splits of all dimensions drawn at random, whether they fit or not (DOSA: CoSA's answers).
//     Each start is rounded and priced once, so that a budget below 500 has an answer too.
//  2. 1,490 steps of Adam (Kingma, Ba, ICLR 2015) on the logarithms of the factors (relaxed_model.h).
//  3. After every 500 steps, and at the end, rounding: from the inside out, the fan-out of a level before its loops,
//     each factor to the nearest divisor of what is left that fits; the outermost place takes the rest. At each level
//     the best loop order of those that hold one tensor longest is kept; the descent goes on from the rounded factors.
// Chosen here: the rate of Adam (DOSA's is for other variables), the starts. Every level keeps what it may.
// A step counts as an evaluation, as in DOSA's curves; so does every mapping that is priced.
#include "engine/model/compiled.h"
#include "engine/search/baseline/strategies.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/baseline/genome.h"
#include "engine/search/baseline/relaxed_model.h"
#include "engine/search/core/pricing.h"
#include "engine/space/footprint.h"

namespace heliolite {
namespace {

// Adam, one step at a time.
class Adam {
 public:
  explicit Adam(std::size_t variables) : mean_(variables), square_(variables) {}

  void step(std::vector<double>& x, const std::vector<double>& gradient) {
    constexpr double kRate = 0.02, kMean = 0.9, kSquare = 0.999, kTiny = 1e-8;
    ++steps_;
    for (std::size_t k = 0; k < x.size(); ++k) {
      mean_[k] = kMean * mean_[k] + (1 - kMean) * gradient[k];
      square_[k] = kSquare * square_[k] + (1 - kSquare) * gradient[k] * gradient[k];
      const double mean = mean_[k] / (1 - std::pow(kMean, steps_)),
                   square = square_[k] / (1 - std::pow(kSquare, steps_));
      x[k] -= kRate * mean / (std::sqrt(square) + kTiny);
    }
  }

 private:
  std::vector<double> mean_, square_;
  int steps_ = 0;
};

class Descent {
 public:
  Descent(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem),
        space_(problem),
        splits_(problem.space, false),
        writer_(problem.space),
        pricing_(problem, budget),
        keep_(problem.keep_range().may),
        model_(problem, keep_) {
    mapping_.keep = keep_;
  }

  LayerAnswer run() {
    if (space_.possible())
      for (int k = 0; k < kDescents && !pricing_.over(); ++k) descend(k);
    return pricing_.answer();
  }

 private:
  void descend(int start) {
    SplitMix random(problem_.options.seed, static_cast<u64>(start));
    Genome genome = space_.smallest_tiles();
    for (const u8 d : space_.dimensions()) space_.draw_split(random, d, genome);
    RelaxedModel::Stationary stationary{};
    for (auto& v : stationary) v = static_cast<u8>(random.below(problem_.space.tensor_count));
    price_start(genome.factor, stationary);
    std::vector<double> logs = logs_of(genome.factor), gradient(logs.size());
    Adam adam(logs.size());
    for (int step = 1; step <= kDescentSteps && !pricing_.over(); ++step) {
      pricing_.count_one();
      model_.loss(logs, stationary, gradient);
      adam.step(logs, gradient);
      if (step % kRoundingEvery != 0 && step != kDescentSteps) continue;
      if (const auto rounded = round(logs)) {
        choose_orders(*rounded, stationary);
        logs = logs_of(*rounded);
      }
    }
  }

  // A short budget ends before the first rounding; this one mapping leaves it an answer. The descent does not see it.
  void price_start(const PlaceFactors& drawn, const RelaxedModel::Stationary& stationary) {
    const auto rounded = round(logs_of(drawn));
    if (!rounded) return;
    LevelOrders orders;
    for (int i = 0; i < problem_.space.level_count(); ++i) order_for(stationary[i], *rounded, i, orders);
    writer_.write(mapping_, *rounded, orders);
    pricing_.price(mapping_);
  }

  std::vector<double> logs_of(const PlaceFactors& factors) const {
    std::vector<double> out;
    for (const RelaxedModel::Variable& x : model_.variables()) {
      const PlaceFactor& f = factors[x.place][x.dimension];
      out.push_back(std::log(static_cast<double>(f.x) * f.y));
    }
    return out;
  }

  // Step 3. None: nothing near it obeys the machine.
  std::optional<PlaceFactors> round(const std::vector<double>& logs) const {
    std::array<std::array<double, kMaxDimensions>, kMaxPlaces> wish{};
    for (std::size_t k = 0; k < logs.size(); ++k)
      wish[model_.variables()[k].place][model_.variables()[k].dimension] = logs[k];
    PlaceFactors out;
    for (auto& place : out) place.fill({});
    std::array<u32, kMaxDimensions> left{};
    for (const u8 d : space_.dimensions()) left[d] = static_cast<u32>(problem_.space.size[d]);
    Extents tile = unit_extents();
    for (int p = 0; p < splits_.place_count(); ++p) {
      const SpatialSpace& fanout = problem_.space.levels[place_level(p)].spatial;
      u64 x = is_spatial_place(p) ? fanout.fanout_x : ~u64{0}, y = is_spatial_place(p) ? fanout.fanout_y : 1;
      for (const u8 d : space_.dimensions()) {
        const auto run = nearest(d, p, left[d], wish[p][d], x, y, tile);
        if (!run) return std::nullopt;
        out[p][d] = {run->first, run->y};
        left[d] = run->left;
        tile[d] *= run->first * run->y;
        x /= run->first;
        y /= run->y;
      }
    }
    return out;
  }

  // The choice of a factor that is nearest to exp(wish), of those that fit.
  std::optional<FactorRun> nearest(u8 d, int place, u32 left, double wish, u64 x, u64 y, Extents tile) const {
    std::optional<FactorRun> best;
    double distance = 0;
    const u32 inside = tile[d];
    splits_.for_each_run(d, place, left, [&](const FactorRun& run) {
      if (run.first > x || run.y > y) return true;
      tile[d] = inside * run.first * run.y;
      if (!fits(tile, place_level(place))) return true;
      const double off = std::abs(std::log(static_cast<double>(run.first) * run.y) - wish);
      if (best && off >= distance) return true;
      best = run;
      distance = off;
      return true;
    });
    return best;
  }

  // Whether every level from this one outward can hold the tile: theirs are no smaller.
  bool fits(const Extents& tile, int innermost) const {
    const Compiled& c = problem_.model.compiled();
    for (int i = innermost; i < problem_.space.level_count(); ++i) {
      u64 used = 0;
      for (const int v : bits(keep_[i])) used += c.level[i].taken(v, box_words(c.tensor[v], tile));
      if (used > c.level[i].room) return false;
    }
    return true;
  }

  // Level by level the best of the orders that hold one tensor longest.
  void choose_orders(const PlaceFactors& factors, RelaxedModel::Stationary& stationary) {
    LevelOrders orders;
    const int levels = problem_.space.level_count();
    for (int i = 0; i < levels; ++i) order_for(stationary[i], factors, i, orders);
    for (int i = std::min(1, levels - 1); i < levels; ++i) {  // at the innermost level no order changes anything
      Value best = Value::worst();
      u8 chosen = stationary[i];
      for (u8 v = 0; v < problem_.space.tensor_count && !pricing_.over(); ++v) {
        order_for(v, factors, i, orders);
        writer_.write(mapping_, factors, orders);
        const Priced priced = pricing_.price(mapping_);
        if (!priced.fits) return;
        if (priced.value < best) {
          best = priced.value;
          chosen = v;
        }
      }
      stationary[i] = chosen;
      order_for(chosen, factors, i, orders);
    }
  }

  // Innermost the loops that leave the tensor where it is.
  void order_for(u8 tensor, const PlaceFactors& factors, int level, LevelOrders& orders) const {
    const DimensionMask moves = problem_.model.compiled().tensor[tensor].indexing;
    const std::size_t ordered = writer_.present(factors, level, orders);
    u8* const loops = orders.loop[level].data();
    std::stable_partition(loops + ordered, loops + orders.count[level], [&](u8 d) { return !contains(moves, d); });
  }

  const LayerProblem& problem_;
  GenomeSpace space_;
  Splits splits_;
  NestWriter writer_;
  Pricing pricing_;
  KeepMasks keep_;
  RelaxedModel model_;
  Mapping mapping_;
};

}  // namespace

LayerAnswer gradient_search(const LayerProblem& problem, const SearchBudget& budget) {
  return Descent(problem, budget).run();
}

}  // namespace heliolite
