#pragma once
// What is known of a tensor while a graph is read: its shape, whether it is a constant, the contents of short
// constants, and which layers made it.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/types.h"

namespace heliolite::onnx {

using Shape = std::vector<i64>;  // all sizes known, each from 0 to 2^31 - 1

inline constexpr i64 kMaxSize = 0x7fff'ffff;
inline constexpr i64 kMaxFolded = 65536;  // elements; a larger constant has a shape only

// The contents of a constant: integers (also booleans) or reals.
struct Contents {
  bool real = false;
  std::vector<i64> integers{};
  std::vector<double> reals{};

  std::size_t size() const { return real ? reals.size() : integers.size(); }
};

using ContentsPtr = std::shared_ptr<const Contents>;

// A dimension is a product of factors, outermost first; along a repeated one all words are the same.
struct Factor {
  i64 size = 1;
  bool repeated = false;
};

using Factors = std::vector<Factor>;       // factors of one dimension, without those of size 1
using FactorLists = std::vector<Factors>;  // [dimension]
using FactorListsPtr = std::shared_ptr<const FactorLists>;

// A part of the index along a dimension of a layer: index / inner % size. A bordered one has positions of a border too.
struct Part {
  std::string dimension;
  i64 size = 1, inner = 1;
  bool bordered = false;

  bool operator==(const Part&) const = default;
};

using Layout = std::vector<Part>;  // the words of a tensor in their order, outermost first; without parts of size 1
using LayoutPtr = std::shared_ptr<const Layout>;

// What lies between a layer's output and a tensor, the strongest of all that do.
enum class Way : u8 { None, Elementwise, Norm, Softmax };

// A layer that a tensor was made of.
struct Source {
  int layer = 0;
  Way way = Way::None;
  bool whole = true;         // position by position, none missing, none repeated
  bool reduced = false;      // a part that was summed or maximised on the way
  bool padded = false;       // with a border of a constant
  bool multiplied = false;   // joined to others by a product
  bool repeated = false;     // whole, and some of it several times
  const char* lost_by = "";  // not whole: what it met first, as "pool"
  LayoutPtr layout{};        // the order in which the layer's words stand in the tensor; null: unknown
};

using Sources = std::vector<Source>;  // by layer, ascending

// A tensor.
struct TensorFacts {
  std::string name;
  i64 type = 0;           // as DataType, of constants; 0: unknown
  i64 element = 0;        // as DataType, of any tensor; 0: unknown
  u64 stored_bits = 0;    // of an element in memory; 0: unknown
  bool constant = false;  // its contents do not change between executions
  std::optional<Shape> shape{};
  std::string why_unknown{};  // the first node for which no shape was found
  ContentsPtr contents{};
  std::shared_ptr<const Sources> sources{};
  FactorListsPtr repeats{};  // null: none of its words is known to stand in it several times
};

// The number of elements; more than 2^62 becomes 2^62.
i64 elements(const Shape& shape);

// "2x3x4", "scalar".
std::string to_text(const Shape& shape);

}  // namespace heliolite::onnx
