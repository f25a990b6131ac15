// Matrix products and recurrent cells as Einsums, and what all operators build them with (layers.h).
#include "engine/formats/onnx/layers.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/onnx/words.h"
#include "workloads/einsum_text.h"
#include "workloads/families.h"

namespace heliolite::onnx {
namespace {

bool sizes_fit(Call& call, const Parameters& sizes) {
  for (const auto& [name, size] : sizes) {
    if (size >= 1 && size <= kMaxSize) continue;
    call.fail(fmt::format("{} = {}, must be from 1 to {}", name, size, kMaxSize));
  }
  return call.ok();
}

Drafts draft(Call& call, Result<Workload> workload, std::vector<Operand> operands) {
  if (!workload) {
    const Diagnostic& first = workload.errors().front();
    call.fail(first.field.empty() ? first.message : first.field + ": " + first.message);
    return {};
  }
  Drafts drafts(1);
  drafts[0].workload = *std::move(workload);
  drafts[0].operands = std::move(operands);
  return drafts;
}

}  // namespace

Drafts family_draft(Call& call, std::string_view family, const Parameters& parameters, std::vector<Operand> operands) {
  if (!sizes_fit(call, parameters)) return {};
  Arguments arguments;
  for (const auto& [name, value] : parameters) {
    const u64 size = static_cast<u64>(value);
    if (size > largest_value(name))
      call.fail(fmt::format("{} = {}, must be at most {}", name, size, largest_value(name)));
    arguments.emplace(name, size);
  }
  if (!call.ok()) return {};
  return draft(call, build_workload(*find_family(family), std::move(arguments)), std::move(operands));
}

Drafts einsum_draft(Call& call, const std::string& formula, const Parameters& sizes, std::vector<Operand> operands) {
  if (!sizes_fit(call, sizes)) return {};
  std::vector<std::string> texts;
  for (const auto& [name, size] : sizes) texts.push_back(fmt::format("{}={}", name, size));
  return draft(call, parse_einsum(fmt::format("{}; {}", formula, fmt::join(texts, ","))), std::move(operands));
}

Drafts stacked_draft(Call& call, const StackedSizes& s, std::vector<Operand> operands) {
  if (s.stacked == 1) return family_draft(call, "gemm", {{"m", s.m}, {"n", s.n}, {"k", s.k}}, std::move(operands));
  return family_draft(call, "bmm", {{"h", s.stacked}, {"m", s.m}, {"n", s.n}, {"k", s.k}}, std::move(operands));
}

Drafts product_draft(Call& call, const Product& p) {
  const bool first_is_a = p.first->constant && !p.second->constant;
  const i64 m = first_is_a ? p.of_first : p.of_second, n = first_is_a ? p.of_second : p.of_first;
  std::vector<Operand> operands{{.tensor = "A", .value = p.first, .read_once = p.first_once},
                                {.tensor = "A", .value = p.second, .read_once = p.second_once}};
  const auto named = [&](Layout layout) {
    for (Part& part : layout) {
      if (part.dimension == kFirst) part.dimension = first_is_a ? "M" : "N";
      if (part.dimension == kSecond) part.dimension = first_is_a ? "N" : "M";
    }
    return layout;
  };
  operands[0].read = named(p.first_read);
  operands[1].read = named(p.second_read);
  if (!first_is_a) std::swap(operands[0], operands[1]);
  operands[1].tensor = "B";
  Drafts drafts = stacked_draft(call, {p.stacked, m, n, p.k}, std::move(operands));
  for (LayerDraft& draft : drafts) draft.written = named(p.written);
  return drafts;
}

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
  Layout stack, stack_of_first, stack_of_second;  // innermost first
  bool known = true;
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
      known = known && index.both == x;
      for (Layout* of : {&stack, &stack_of_first, &stack_of_second}) of->push_back({"H", x});
    } else {
      times(x == 1 ? p.of_second : p.of_first, x == 1 ? y : x);
      known = known && (x == 1 || y == 1);
      stack.push_back({x == 1 ? kSecond : kFirst, x == 1 ? y : x});
      (x == 1 ? stack_of_second : stack_of_first).push_back(stack.back());
    }
  }
  if (known && call.ok()) {
    const auto order = [](const Layout& innermost_first, Layout matrix, bool transposed) {
      if (transposed) std::swap(matrix[0], matrix[1]);
      matrix.insert(matrix.begin(), innermost_first.rbegin(), innermost_first.rend());
      return layout_of(std::move(matrix));
    };
    const Part rows{kFirst, a[a.size() - 2]}, columns{kSecond, b.back()}, k{"K", p.k};
    p.first_read = order(stack_of_first, {rows, k}, !vector_a && call.integer("transA", 0) != 0);
    p.second_read = order(stack_of_second, {k, columns}, !vector_b && call.integer("transB", 0) != 0);
    p.written = order(stack, {rows, columns}, false);
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

WordLength packed_bits(const PackedWords& words) {
  const WordLength bits = static_cast<u64>(std::max<i64>(1, words.bits));
  if (words.block < 1 || words.block > static_cast<i64>(kMaxScaleBlock) || words.scales == nullptr) return bits;
  const auto block = static_cast<u64>(words.block);
  WordLength with_scale = bits + WordLength::of_parts(element_bits(words.scales->element), block);
  if (words.zero_points) with_scale = with_scale + WordLength::of_parts(bits.parts(), block);
  return refusal(with_scale) ? bits : with_scale;
}

Drafts packed_matmul_layers(Call& call) {
  const Shape in = call.shape(0);
  packed_matmul_shape(call);
  if (call.ok() && call.input(1) == nullptr) call.fail("input 1 is missing");
  if (!call.ok()) return {};
  const i64 rows = elements(Shape(in.begin(), in.end() - 1));
  Drafts drafts = product_draft(call, {.stacked = 1,
                                       .of_first = rows,
                                       .of_second = call.integer("N", 0),
                                       .k = in.back(),
                                       .first = call.input(0),
                                       .second = call.input(1),
                                       .first_read = layout_of({{kFirst, rows}, {"K", in.back()}}),
                                       .written = layout_of({{kFirst, rows}, {kSecond, call.integer("N", 0)}})});
  for (LayerDraft& draft : drafts)
    for (Operand& operand : draft.operands)
      if (operand.value == call.input(1))
        operand.bits = packed_bits({call.integer("bits", 4), call.integer("block_size", 0), call.input(2),
                                    call.op() == "MatMulNBits" && call.input(3) != nullptr});
  return drafts;
}

namespace {

struct Recurrent {
  i64 steps = 0, batch = 0, in = 0;          // sizes of the sequence
  i64 directions = 0, rows = 0, hidden = 0;  // rows: of the gates' matrices
  bool batch_first = false;
};

Recurrent recurrent(Call& call) {
  const Shape &x = call.shape(0, 3), &w = call.shape(1, 3), &r = call.shape(2, 3);
  Recurrent out;
  if (!call.ok()) return out;
  out.batch_first = call.integer("layout", 0) != 0;
  out.steps = x[out.batch_first ? 1 : 0];
  out.batch = x[out.batch_first ? 0 : 1];
  out.in = x[2];
  out.directions = w[0];
  out.rows = w[1];
  out.hidden = r[2];
  const i64 gates = call.op() == "LSTM" ? 4 : call.op() == "GRU" ? 3 : 1;
  if (w[2] != out.in || r[0] != w[0] || r[1] != w[1] || out.rows != gates * out.hidden)
    call.fail(fmt::format("an input of {}, weights of {} and {}", to_text(x), to_text(w), to_text(r)));
  const std::string_view direction = call.text("direction", "forward");
  if (out.directions != (direction == "bidirectional" ? 2 : 1))
    call.fail(fmt::format("weights for {} directions", out.directions));
  return out;
}

}  // namespace

Shapes recurrent_shapes(Call& call) {
  const Recurrent r = recurrent(call);
  if (!call.ok()) return {};
  if (r.batch_first)
    return {{r.batch, r.steps, r.directions, r.hidden},
            {r.batch, r.directions, r.hidden},
            {r.batch, r.directions, r.hidden}};
  return {
      {r.steps, r.directions, r.batch, r.hidden}, {r.directions, r.batch, r.hidden}, {r.directions, r.batch, r.hidden}};
}

Drafts recurrent_layers(Call& call) {
  const Recurrent r = recurrent(call);
  if (call.ok() && r.steps < 1) call.fail("a sequence of no steps");
  if (!call.ok()) return {};
  Drafts all = family_draft(call, "gemm", {{"m", r.rows}, {"n", elements({r.steps, r.batch})}, {"k", r.in}},
                            {{"A", call.input(1)}, {"B", call.input(0)}});
  Drafts state = family_draft(call, "gemm", {{"m", r.rows}, {"n", r.batch}, {"k", r.hidden}}, {{"A", call.input(2)}});
  if (!call.ok()) return {};
  all[0].count = static_cast<u64>(r.directions);
  all[0].suffix = ".input";
  state[0].count = static_cast<u64>(r.directions) * static_cast<u64>(r.steps);
  state[0].suffix = ".recurrent";
  all.push_back(std::move(state[0]));
  for (LayerDraft& draft : all) draft.lost_by = "recurrent";
  return all;
}

}  // namespace heliolite::onnx
