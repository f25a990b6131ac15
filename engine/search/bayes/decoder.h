#pragma once
// Turns points of a unit cube into mappings, so that searches over real numbers (Bayesian optimisation, sensitivity)
// see no illegal ones. After Dinh (UCB/EECS-2023-293, section 6.2): features are the aspect ratio of each level's tile,
// and each level's tile is the largest of that shape that fits; how this works for several levels, dedicated buffers,
// fan-outs and divisors is told in docs/bayes.md.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_model.h"
#include "engine/search/core/strategy.h"
#include "engine/space/mapspace.h"
#include "engine/space/order_trie.h"
#include "engine/space/splits.h"

namespace heliolite {

// The features of a mapping: the numbers in (0, 1] that a decoder turns into one (decoder.h).

// What a feature decides.
enum class FeatureKind : u8 {
  Tile,     // how far a dimension's tile grows at a level, relative to the others
  UnrollX,  // how large its share of the X axis of a fan-out is, relative to the others
  UnrollY,  // and its share of the Y axis
  Score,    // where a dimension's loop stands at a level: the lowest score is outermost
  Order,    // which of the level's loop orders
  Keep,     // whether the level keeps a tensor that it may keep: above 0.5
};

struct Feature {
  FeatureKind kind = FeatureKind::Tile;
  u8 level = 0;
  std::optional<u8> dimension{};  // none for Order and Keep
  u8 tensor = 0;                  // for Keep: whose
  u32 choices = 0;                // for Order and Keep: how many categories; 0: a number
  std::string name;               // "GlobalBuffer tile K", "GlobalBuffer x K", "GlobalBuffer order", ..

  bool categorical() const { return choices > 0; }
  // Which category the number stands for.
  u32 category(double number) const {
    const auto k = static_cast<u32>(number * choices);
    return k < choices ? k : choices - 1;
  }
};

// The coordinates of a point for a process: categories by their numbers, which are apart or not, the rest as it is.
inline std::vector<double> coordinates(std::span<const Feature> features, std::span<const double> point) {
  std::vector<double> out;
  for (std::size_t m = 0; m < point.size(); ++m)
    out.push_back(features[m].categorical() ? features[m].category(point[m]) : point[m]);
  return out;
}

// The orders that can matter, by level (LevelProblem::orders).
using OrdersByLevel = std::vector<std::vector<LoopOrder>>;

class MappingDecoder {
 public:
  // Perfect factors. The mapspace, the model (of the same pair) and the orders must outlive the decoder.
  MappingDecoder(const Mapspace& space, const CostModel& model, const OrdersByLevel& orders, OrderEncoding encoding);

  // Whether every dimension can be split at all.
  bool possible() const;
  const std::vector<Feature>& features() const { return features_; }

  // The mapping of a point, a number in (0, 1] for each feature. It fits every level, unless the constraints ask for
  // factors at least so large that no tile of this shape does.
  Mapping decode(std::span<const double> point) const;

 private:
  // A place along an axis where factors are chosen, innermost first. A fan-out is two steps if it has two axes.
  struct Step {
    u8 place = 0;
    bool along_y = false;
    std::array<int, kMaxDimensions> feature{};  // [dimension]; -1: no choice
  };
  struct State;
  struct Growth;

  void list_steps();
  void list_orders(OrderEncoding encoding);
  void list_keeps();
  int add(Feature feature);
  std::string dimension_feature(int level, const char* what, int d) const;

  KeepMasks keeps(std::span<const double> point) const;
  Growth choices(const Step& step, int d, const State& state, std::span<const double> point) const;
  bool has_room(const Step& step, const Extents& tile, const KeepMasks& keep) const;
  void grow(const Step& step, State& state, std::span<const double> point) const;
  void order(std::span<const double> point, const State& state, LevelOrders& orders) const;

  const Mapspace& space_;
  const CostModel& model_;
  const OrdersByLevel& orders_;
  Splits splits_;
  NestWriter writer_;
  std::vector<Feature> features_;
  std::vector<Step> steps_;
  std::vector<std::array<u64, kMaxDimensions>> least_;  // [place][d]: the least factors up to this place, multiplied
  std::array<int, kMaxLevels> order_feature_{};         // [level]: feature of Order; -1: scores, or nothing to choose
  std::array<std::array<int, kMaxDimensions>, kMaxLevels> score_feature_{};  // [level][d]; -1: none
  std::array<std::array<int, kMaxTensors>, kMaxLevels> keep_feature_{};      // [level][tensor]; -1: no choice
};

}  // namespace heliolite
