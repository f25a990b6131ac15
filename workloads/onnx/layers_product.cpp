#include <fmt/format.h>

#include <utility>

#include "workloads/onnx/layers.h"
#include "workloads/onnx/repeats.h"

namespace heliolite::onnx {
namespace {

struct Matrices {
  Shape out;
  Product product;
};

std::pair<std::size_t, std::size_t> operand_inputs(const Call& call) {
  const bool quantized = call.op() == "QLinearMatMul" || call.op() == "QGemm";
  return {0, quantized ? 3 : 1};
}

// Stacks of matrices, aligned at the right. A dimension that only one of them has belongs to that one's rows or
// columns: the other is read once for all of it.
Matrices matrices(Call& call) {
  const auto [first, second] = operand_inputs(call);
  Shape a = call.shape(first), b = call.shape(second);
  Matrices all;
  all.product.first = call.input(first);
  all.product.second = call.input(second);
  if (call.ok() && (a.empty() || b.empty())) call.fail("an operand is a scalar");
  if (call.ok() && (call.integer("transBatchA", 0) != 0 || call.integer("transBatchB", 0) != 0))
    call.fail("transposed batches are not read");
  if (!call.ok()) return all;
  const bool vector_a = a.size() == 1, vector_b = b.size() == 1;
  if (vector_a) a.insert(a.begin(), 1);
  if (vector_b) b.push_back(1);
  if (!vector_a && call.integer("transA", 0) != 0) std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (!vector_b && call.integer("transB", 0) != 0) std::swap(b[b.size() - 1], b[b.size() - 2]);
  Product& p = all.product;
  p.of_first = a[a.size() - 2];
  p.of_second = b.back();
  p.k = a.back();
  if (b[b.size() - 2] != p.k) call.fail(fmt::format("inputs of {} and {} do not fit", to_text(a), to_text(b)));
  const Shape batch_a(a.begin(), a.end() - 2), batch_b(b.begin(), b.end() - 2);
  all.out = broadcast(call, batch_a, batch_b);
  const auto times = [&](i64& into, i64 size) {
    if (__builtin_mul_overflow(into, size, &into)) call.fail("too many elements");
  };
  for (std::size_t i = 1; i <= all.out.size() && call.ok(); ++i) {
    const i64 x = i <= batch_a.size() ? batch_a[batch_a.size() - i] : 1;
    const i64 y = i <= batch_b.size() ? batch_b[batch_b.size() - i] : 1;
    const bool in_both = i <= batch_a.size() && i <= batch_b.size();
    if (x == y && in_both && p.first != nullptr && p.second != nullptr) {
      const SharedIndex index = shared_index(*p.first, batch_a.size() - i, *p.second, batch_b.size() - i);
      times(p.stacked, index.both);
      times(p.of_first, index.first);
      times(p.of_second, index.second);
      p.first_once = p.first_once || index.second > 1;
      p.second_once = p.second_once || index.first > 1;
    } else {
      times(x == 1 ? p.of_second : p.of_first, x == 1 ? y : x);
    }
  }
  if (!vector_a) all.out.push_back(a[a.size() - 2]);
  if (!vector_b) all.out.push_back(b.back());
  return all;
}

}  // namespace

Shapes matmul_shape(Call& call) {
  Matrices all = matrices(call);
  return {std::move(all.out)};
}

Drafts matmul_layers(Call& call) {
  const Matrices all = matrices(call);
  if (!call.ok()) return {};
  return product_draft(call, all.product);
}

Shapes gemm_shape(Call& call) {
  const auto [first, second] = operand_inputs(call);
  call.shape(first, 2);
  call.shape(second, 2);
  return matmul_shape(call);
}

Drafts gemm_layers(Call& call) { return matmul_layers(call); }

Shapes packed_matmul_shape(Call& call) {
  Shape out = call.shape(0);
  const i64 n = call.integer("N", 0), k = call.integer("K", 0);
  if (call.ok() && (out.empty() || out.back() != k || n < 1))
    call.fail(fmt::format("K = {}, N = {} and an input of {}", k, n, to_text(out)));
  if (!call.ok()) return {};
  out.back() = n;
  return {out};
}

Drafts packed_matmul_layers(Call& call) {
  const Shape in = call.shape(0);
  packed_matmul_shape(call);
  if (call.ok() && call.input(1) == nullptr) call.fail("input 1 is missing");
  if (!call.ok()) return {};
  Drafts drafts = product_draft(call, {.stacked = 1,
                                       .of_first = elements(Shape(in.begin(), in.end() - 1)),
                                       .of_second = call.integer("N", 0),
                                       .k = in.back(),
                                       .first = call.input(0),
                                       .second = call.input(1)});
  for (LayerDraft& draft : drafts)
    for (Operand& operand : draft.operands)
      if (operand.value == call.input(1)) operand.bits = static_cast<u64>(std::max<i64>(1, call.integer("bits", 4)));
  return drafts;
}

}  // namespace heliolite::onnx
