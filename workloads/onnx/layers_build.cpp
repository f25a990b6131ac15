#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/einsum_text.h"
#include "workloads/families.h"
#include "workloads/onnx/layers.h"

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
  std::vector<Operand> operands{{.tensor = "A", .value = p.first, .once = p.first_once},
                                {.tensor = "A", .value = p.second, .once = p.second_once}};
  if (!first_is_a) std::swap(operands[0], operands[1]);
  operands[1].tensor = "B";
  return stacked_draft(call, {p.stacked, m, n, p.k}, std::move(operands));
}

}  // namespace heliolite::onnx
