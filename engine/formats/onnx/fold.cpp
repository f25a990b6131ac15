// Contents of constants that shapes are computed from: arithmetic, comparisons, casts and reductions of elements.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/integers.h"
#include "engine/formats/onnx/shapes.h"

namespace heliolite::onnx {
namespace {

using Integer = std::optional<i64>;  // none: does not fit

ContentsPtr shared(Contents contents) { return std::make_shared<const Contents>(std::move(contents)); }

Integer compute(std::string_view op, i64 a, i64 b) {
  i64 out = 0;
  const bool minus = b == -1;  // the one divisor that can overflow
  if (op == "Add" || op == "Sum") return __builtin_add_overflow(a, b, &out) ? Integer() : out;
  if (op == "Sub") return __builtin_sub_overflow(a, b, &out) ? Integer() : out;
  if (op == "Mul") return __builtin_mul_overflow(a, b, &out) ? Integer() : out;
  if (op == "Div") {
    if (b == 0) return {};
    if (minus) return __builtin_sub_overflow(i64{0}, a, &out) ? Integer() : out;
    return a / b;
  }
  if (op == "Mod") {
    if (b == 0) return {};
    const i64 rest = minus ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
  }
  if (op == "Min") return std::min(a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "Equal") return a == b;
  if (op == "Less") return a < b;
  if (op == "Greater") return a > b;
  if (op == "LessOrEqual") return a <= b;
  if (op == "GreaterOrEqual") return a >= b;
  if (op == "And") return (a != 0) && (b != 0);
  if (op == "Or") return (a != 0) || (b != 0);
  if (op == "Xor") return (a != 0) != (b != 0);
  return {};
}

// Comparisons of reals are integers; NaN stands for "not known here".
double compute(std::string_view op, double a, double b) {
  if (op == "Add" || op == "Sum") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Min") return std::min(a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "Pow") return std::pow(a, b);
  return std::numeric_limits<double>::quiet_NaN();
}

double compute(std::string_view op, double a) {
  if (op == "Floor") return std::floor(a);
  if (op == "Ceil") return std::ceil(a);
  if (op == "Round") return std::nearbyint(a);
  if (op == "Neg") return -a;
  if (op == "Abs") return std::abs(a);
  if (op == "Sqrt") return std::sqrt(a);
  return std::numeric_limits<double>::quiet_NaN();
}

Integer compute(std::string_view op, i64 a) {
  i64 out = 0;
  if (op == "Not") return a == 0;
  if (op == "Floor" || op == "Ceil" || op == "Round") return a;
  if (op == "Neg") return __builtin_sub_overflow(i64{0}, a, &out) ? Integer() : out;
  if (op == "Abs") return a >= 0 ? Integer(a) : compute("Neg", a);
  return {};
}

// Both operands element by element; null if a result is unknown.
ContentsPtr joined(std::string_view op, const Contents& a, const std::vector<std::size_t>& from_a, const Contents& b,
                   const std::vector<std::size_t>& from_b) {
  if (a.real != b.real) return nullptr;
  Contents out{.real = a.real};
  for (std::size_t i = 0; i < from_a.size(); ++i) {
    if (from_a[i] >= a.size() || from_b[i] >= b.size()) return nullptr;
    if (a.real) {
      out.reals.push_back(compute(op, a.reals[from_a[i]], b.reals[from_b[i]]));
      if (!std::isfinite(out.reals.back())) return nullptr;
    } else {
      const Integer value = compute(op, a.integers[from_a[i]], b.integers[from_b[i]]);
      if (!value) return nullptr;
      out.integers.push_back(*value);
    }
  }
  return shared(std::move(out));
}

}  // namespace

ContentsPtr fold_unary(Call& call, const Folded& folded) {
  const Contents* in = known_contents(call, 0);
  if (in == nullptr || folded.output > 0) return nullptr;
  Contents out{.real = in->real};
  for (const double v : in->reals) {
    out.reals.push_back(compute(call.op(), v));
    if (!std::isfinite(out.reals.back())) return nullptr;
  }
  for (const i64 v : in->integers) {
    const Integer value = compute(call.op(), v);
    if (!value) return nullptr;
    out.integers.push_back(*value);
  }
  return shared(std::move(out));
}

ContentsPtr fold_binary(Call& call, const Folded& folded) {
  if (elements(folded.shape()) > kMaxFolded || known_contents(call, 0) == nullptr) return nullptr;
  ContentsPtr all = call.input(0)->contents;
  Shape shape = call.shape(0);
  for (std::size_t i = 1; i < call.inputs(); ++i) {
    const Contents* next = known_contents(call, i);
    if (next == nullptr || all == nullptr) return nullptr;
    const Shape out = broadcast(call, shape, call.shape(i));
    if (elements(out) > kMaxFolded) return nullptr;
    all = joined(call.op(), *all, stretched(shape, out), *next, stretched(call.shape(i), out));
    shape = out;
  }
  return all;
}

ContentsPtr fold_where(Call& call, const Folded& folded) {
  const Contents *condition = known_contents(call, 0), *yes = known_contents(call, 1), *no = known_contents(call, 2);
  const bool known = condition != nullptr && yes != nullptr && no != nullptr;
  if (!known || condition->real || yes->real || no->real || elements(folded.shape()) > kMaxFolded) return nullptr;
  const Shape& out = folded.shape();
  const auto c = stretched(call.shape(0), out), y = stretched(call.shape(1), out), n = stretched(call.shape(2), out);
  Contents all;
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (c[i] >= condition->size() || y[i] >= yes->size() || n[i] >= no->size()) return nullptr;
    all.integers.push_back(condition->integers[c[i]] != 0 ? yes->integers[y[i]] : no->integers[n[i]]);
  }
  return shared(std::move(all));
}

ContentsPtr fold_cast(Call& call, const Folded& /*folded*/) {
  const Contents* in = known_contents(call, 0);
  const TensorFacts* like = call.op() == "CastLike" ? call.input(1) : nullptr;
  const i64 type = like != nullptr ? like->type : call.integer("to", 0);
  if (in == nullptr || type == 0) return nullptr;
  const bool real = type == kFloat || type == kDouble || type == 10 || type == 16;  // 10, 16: half precision
  Contents out{.real = real};
  for (const double v : in->reals) {
    if (!(std::abs(v) <= 9e18)) return nullptr;  // NaN too
    if (real) out.reals.push_back(v);
    if (!real) out.integers.push_back(type == kBool ? (v != 0 ? 1 : 0) : static_cast<i64>(v));
  }
  for (const i64 v : in->integers) {
    if (real) out.reals.push_back(static_cast<double>(v));
    if (!real) out.integers.push_back(type == kBool ? (v != 0 ? 1 : 0) : v);
  }
  return shared(std::move(out));
}

ContentsPtr fold_reduce(Call& call, const Folded& folded) {
  const Contents* in = known_contents(call, 0);
  const Shape& shape = call.shape(0);
  if (in == nullptr || in->real || in->size() != at(elements(shape)) || elements(folded.shape()) > kMaxFolded)
    return nullptr;
  const std::string_view op = call.op() == "ReduceProd"  ? "Mul"
                              : call.op() == "ReduceSum" ? "Add"
                              : call.op() == "ReduceMin" ? "Min"
                                                         : "Max";
  const std::vector<bool> reduced = reduced_axes(call, shape.size());
  std::vector<Integer> sums(at(elements(folded.shape())));
  for (std::size_t i = 0; i < in->size(); ++i) {
    const Shape c = coordinates(i, shape);
    std::size_t p = 0;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (!reduced[d]) p = p * at(shape[d]) + at(c[d]);
    if (p >= sums.size()) return nullptr;
    const Integer sum = sums[p] ? compute(op, *sums[p], in->integers[i]) : Integer(in->integers[i]);
    if (!sum) return nullptr;
    sums[p] = sum;
  }
  Contents out;
  for (const Integer& sum : sums) {
    // A product of nothing is 1 and a sum 0; there is no minimum of nothing.
    if (!sum && op != "Mul" && op != "Add") return nullptr;
    out.integers.push_back(sum.value_or(op == "Mul" ? 1 : 0));
  }
  return shared(std::move(out));
}

}  // namespace heliolite::onnx
