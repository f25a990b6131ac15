#pragma once
// One node as its operator sees it: inputs with what is known of them, and attributes with their defaults. The first
// thing that is wrong is kept; operators go on with harmless values and need not ask after every step.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/onnx/proto.h"
#include "engine/formats/onnx/value.h"

namespace heliolite::onnx {

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
