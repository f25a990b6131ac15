#pragma once
// The features of a mapping: the numbers in (0, 1] that a decoder turns into one (decoder.h).
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// What a feature decides.
enum class FeatureKind : u8 {
  Tile,     // how far a dimension's tile grows at a level, beside the others
  UnrollX,  // the same for its share of the X axis of a fan-out
  UnrollY,  // and of the Y axis
  Score,    // where a dimension's loop stands at a level: the lowest score is outermost
  Order,    // which of the level's loop orders
  Keep,     // whether the level keeps a tensor that it may keep: above 0.5
};

struct Feature {
  FeatureKind kind = FeatureKind::Tile;
  u8 level = 0;
  std::optional<u8> dimension{};  // none for Order and Keep
  u8 tensor = 0;                  // of Keep
  u32 choices = 0;                // of Order and Keep: how many categories; 0: a number
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

}  // namespace heliolite
