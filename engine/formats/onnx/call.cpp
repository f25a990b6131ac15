#include "engine/formats/onnx/call.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::onnx {

i64 elements(const Shape& shape) {
  constexpr i64 kMany = i64{1} << 62;
  i64 count = 1;
  for (const i64 size : shape)
    if (size == 0) return 0;
  for (const i64 size : shape) {
    if (count > kMany / size) return kMany;
    count *= size;
  }
  return count;
}

std::string to_text(const Shape& shape) { return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x")); }

Call::Call(const Node& node, std::string name, i64 opset, std::vector<const TensorFacts*> inputs,
           const Bindings* bindings)
    : node_(node), name_(std::move(name)), opset_(opset), inputs_(std::move(inputs)), bindings_(bindings) {}

void Call::fail(std::string why) {
  if (problem_.empty()) problem_ = std::move(why);
}

bool Call::all_constant() const {
  return std::ranges::all_of(inputs_, [](const TensorFacts* v) { return v == nullptr || v->constant; });
}

const Shape& Call::shape(std::size_t i) {
  static const Shape scalar;
  const TensorFacts* value = input(i);
  if (value != nullptr && value->shape) return *value->shape;
  fail(value == nullptr ? fmt::format("input {} is missing", i) : value->why_unknown);
  return scalar;
}

const Shape& Call::shape(std::size_t i, std::size_t rank) {
  static const Shape scalar;
  const Shape& found = shape(i);
  if (ok() && found.size() != rank)
    fail(fmt::format("input {} is {}, must have {} dimensions", i, to_text(found), rank));
  return ok() ? found : scalar;
}

std::optional<std::vector<i64>> Call::integers_of(std::size_t i) {
  const TensorFacts* value = input(i);
  if (value == nullptr) return std::nullopt;
  if (value->contents && !value->contents->real) return value->contents->integers;
  if (value->contents) fail(fmt::format("input {} has no integers", i));
  else if (!value->shape && !value->why_unknown.empty()) fail(value->why_unknown);
  else fail(fmt::format("the shape depends on data: '{}' is not known", shortened(value->name)));
  return std::nullopt;
}

const Attribute* Call::find(std::string_view attribute) const {
  for (const Attribute& a : node_.attributes) {
    if (a.name != attribute) continue;
    if (a.reference.empty()) return &a;
    if (bindings_ == nullptr) return nullptr;
    const auto bound = bindings_->find(a.reference);
    return bound == bindings_->end() ? nullptr : bound->second;
  }
  return nullptr;
}

// Files older than IR version 2 do not say the type.
const Attribute* Call::typed(std::string_view attribute, AttributeType type, const char* wanted) {
  const Attribute* a = find(attribute);
  if (a == nullptr || a->type == 0 || a->type == static_cast<i64>(type)) return a;
  fail(fmt::format("attribute {} is of type {}, must be {}", attribute, a->type, wanted));
  return nullptr;
}

i64 Call::integer(std::string_view attribute, i64 fallback) {
  const Attribute* a = typed(attribute, AttributeType::Int, "an integer");
  return a == nullptr ? fallback : a->i;
}

double Call::real(std::string_view attribute, double fallback) {
  const Attribute* a = typed(attribute, AttributeType::Float, "a number");
  return a == nullptr ? fallback : static_cast<double>(a->f);
}

std::string_view Call::text(std::string_view attribute, std::string_view fallback) {
  const Attribute* a = typed(attribute, AttributeType::String, "a text");
  return a == nullptr ? fallback : a->s;
}

std::optional<std::vector<i64>> Call::integers(std::string_view attribute) {
  const Attribute* a = typed(attribute, AttributeType::Ints, "integers");
  if (a == nullptr) return std::nullopt;
  return a->ints;
}

std::vector<i64> Call::integers(std::string_view attribute, std::size_t count, i64 low, i64 fallback) {
  const std::optional<std::vector<i64>> given = integers(attribute);
  if (!given) return std::vector<i64>(count, fallback);
  const bool right =
      given->size() == count && std::ranges::all_of(*given, [&](i64 v) { return v >= low && v <= kMaxSize; });
  if (right) return *given;
  const std::size_t shown = std::min<std::size_t>(given->size(), 12);
  fail(fmt::format("{} = [{}{}], must be {} integers from {} to {}", attribute,
                   fmt::join(given->begin(), given->begin() + shown, ", "), shown < given->size() ? ", .." : "", count,
                   low, kMaxSize));
  return std::vector<i64>(count, fallback);
}

std::optional<std::vector<i64>> Call::integers_moved(std::string_view attribute, std::size_t input, i64 since) {
  return opset_ >= since ? integers_of(input) : integers(attribute);
}

std::size_t Call::axis(i64 axis, std::size_t rank) {
  const i64 size = static_cast<i64>(rank);
  if (axis >= -size && axis < size) return at(axis < 0 ? axis + size : axis);
  fail(fmt::format("axis {} of a tensor of {} dimensions", axis, rank));
  return 0;
}

std::vector<bool> Call::axes(const std::vector<i64>& axes, std::size_t rank) {
  std::vector<bool> mask(rank, false);
  for (const i64 a : axes) {
    const std::size_t position = axis(a, rank);
    if (!ok()) break;
    mask[position] = true;
  }
  return mask;
}

}  // namespace heliolite::onnx
