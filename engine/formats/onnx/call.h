#pragma once
// One node as its operator sees it, with what is known of the tensors that it reads and makes.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"
#include "engine/formats/onnx/proto.h"

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

// [name]: the attributes of the function call that a body belongs to.
using Bindings = std::map<std::string_view, const Attribute*>;

class Call {
 public:
  Call(const Node& node, std::string name, i64 opset, std::vector<const TensorFacts*> inputs, const Bindings* bindings);

  const std::string& name() const { return name_; }
  std::string_view op() const { return node_.op; }
  std::string_view domain() const { return node_.domain; }  // "" of ai.onnx
  i64 opset() const { return opset_; }
  std::size_t outputs() const { return node_.outputs.size(); }

  // What is wrong; empty if nothing. fail() keeps the first complaint.
  const std::string& problem() const { return problem_; }
  bool ok() const { return problem_.empty(); }
  void fail(std::string why);

  std::size_t inputs() const { return inputs_.size(); }
  const TensorFacts* input(std::size_t i) const { return i < inputs_.size() ? inputs_[i] : nullptr; }  // null: left out
  bool all_constant() const;
  // The shape of an input that must be there; a scalar's, with a complaint, if it is unknown.
  const Shape& shape(std::size_t i);
  // The shape of input i if it has exactly `rank` ranks, or an empty result and a complaint.
  const Shape& shape(std::size_t i, std::size_t rank);
  // Integers that an input holds if they are known; complains if the input is there and they are not.
  std::optional<std::vector<i64>> integers_of(std::size_t i);

  bool has(std::string_view attribute) const { return find(attribute) != nullptr; }
  i64 integer(std::string_view attribute, i64 fallback);
  double real(std::string_view attribute, double fallback);
  std::string_view text(std::string_view attribute, std::string_view fallback);
  std::optional<std::vector<i64>> integers(std::string_view attribute);
  // As many integers as `count`, each from `low` to 2^31 - 1; `fallback` each if the attribute is missing.
  std::vector<i64> integers(std::string_view attribute, std::size_t count, i64 low, i64 fallback);
  // Integers that opset `since` moved from an attribute to an input.
  std::optional<std::vector<i64>> integers_moved(std::string_view attribute, std::size_t input, i64 since);
  const Attribute* find(std::string_view attribute) const;  // null: missing

  // Position `axis` of `rank`, counted from the end if negative; 0 with a complaint if there is none.
  std::size_t axis(i64 axis, std::size_t rank);
  // The positions, each once, as a mask of `rank` entries.
  std::vector<bool> axes(const std::vector<i64>& axes, std::size_t rank);

 private:
  const Attribute* typed(std::string_view attribute, AttributeType type, const char* wanted);

  const Node& node_;
  std::string name_;
  i64 opset_;
  std::vector<const TensorFacts*> inputs_;
  const Bindings* bindings_;  // null outside functions
  std::string problem_;
};

}  // namespace heliolite::onnx
