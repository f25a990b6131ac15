#pragma once
// Turns points of a unit cube into mappings, so that searches over real numbers (Bayesian optimisation, sensitivity)
// see no illegal ones. After Dinh (UCB/EECS-2023-293, section 6.2): features are the aspect ratio of each level's tile,
// and each level's tile is the largest of that shape that fits; how this works for several levels, dedicated buffers,
// fan-outs and divisors is told in docs/bayes.md.
#include <array>
#include <span>
#include <vector>

#include "engine/model/cost_model.h"
#include "engine/model/keep.h"
#include "engine/search/bayes/feature.h"
#include "engine/search/core/bayes_options.h"
#include "engine/space/mapspace.h"
#include "engine/space/nest_writer.h"
#include "engine/space/order_trie.h"
#include "engine/space/splits.h"

namespace heliolite {

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
  std::array<int, kMaxLevels> order_feature_{};         // of Order; -1: scores, or nothing to choose
  std::array<std::array<int, kMaxDimensions>, kMaxLevels> score_feature_{};  // [level][d]; -1: none
  std::array<std::array<int, kMaxTensors>, kMaxLevels> keep_feature_{};      // [level][tensor]; -1: no choice
};

}  // namespace heliolite
