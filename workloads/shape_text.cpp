#include "workloads/shape_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/families.h"
#include "workloads/workload_writer.h"

namespace heliolite {
namespace {

bool same_but_name(Workload a, const Workload& b) {
  a.name = b.name;
  return write_workload(a) == write_workload(b);
}

u64 size_of(const Workload& w, std::string_view dimension, u64 fallback = 1) {
  const std::optional<int> d = w.find_dimension(dimension);
  return d ? w.dimensions[at(*d)].size : fallback;
}

// The factor of a dimension in the ranks of Inputs.
u64 factor_of(const Workload& w, std::string_view dimension) {
  const std::optional<int> inputs = w.find_tensor("Inputs"), d = w.find_dimension(dimension);
  if (!inputs || !d) return 1;
  for (const Rank& rank : w.tensors[at(*inputs)].ranks)
    for (const Term& term : rank.terms)
      if (term.dimension == *d) return term.coefficient;
  return 1;
}

// What `conv` or `depthwise` would have to be given.
Arguments convolution_arguments(const Workload& w, bool depthwise) {
  const u64 groups = size_of(w, "G");
  Arguments a{{"n", size_of(w, "N")},          {"c", size_of(w, "C") * groups}, {"p", size_of(w, "P")},
              {"q", size_of(w, "Q")},          {"r", size_of(w, "R")},          {"s", size_of(w, "S")},
              {"wstride", factor_of(w, "P")},  {"hstride", factor_of(w, "Q")},  {"wdilation", factor_of(w, "R")},
              {"hdilation", factor_of(w, "S")}};
  if (!depthwise) a.insert({{"k", size_of(w, "K") * groups}, {"groups", groups}});
  return a;
}

// Parameters that have their defaults are left out.
std::string convolution_text(std::string_view family, const Arguments& a) {
  const auto get = [&](std::string_view name) { return a.find(name)->second; };
  std::vector<std::string> texts;
  const auto add = [&](std::string_view name, u64 value) { texts.push_back(fmt::format("{}: {}", name, value)); };
  if (get("n") != 1) add("n", get("n"));
  if (a.contains("k")) add("k", get("k"));
  add("c", get("c"));
  add("p", get("p"));
  if (get("q") != get("p")) add("q", get("q"));
  if (get("r") != 1 || get("s") != 1) add("r", get("r"));
  if (get("s") != get("r")) add("s", get("s"));
  for (const std::string_view both : {"stride", "dilation"}) {
    const u64 w = get(fmt::format("w{}", both)), h = get(fmt::format("h{}", both));
    if (w == h && w != 1) add(both, w);
    if (w != h) add(fmt::format("w{}", both), w);
    if (w != h) add(fmt::format("h{}", both), h);
  }
  if (a.contains("groups") && get("groups") != 1) add("groups", get("groups"));
  return fmt::format("{}: {{{}}}", family, fmt::join(texts, ", "));
}

std::optional<std::string> convolution(const Workload& w) {
  for (const std::string_view name : {"conv", "depthwise"}) {
    const Arguments arguments = convolution_arguments(w, name == "depthwise");
    const Result<Workload> built = build_workload(*find_family(name), arguments);
    if (built && same_but_name(*built, w)) return convolution_text(name, arguments);
  }
  return std::nullopt;
}

// Families with a formula: their parameters are their dimensions.
std::optional<std::string> positional(const Workload& w) {
  for (const std::string& name : family_names()) {
    const Family& family = *find_family(name);
    if (family.formula.empty() || family.dimensions.size() != w.dimensions.size()) continue;
    Arguments arguments;
    std::vector<std::string> sizes;
    for (std::size_t i = 0; i < family.parameters.size(); ++i) {
      const u64 size = size_of(w, family.dimensions[i], 0);
      arguments.emplace(family.parameters[i], size);
      sizes.push_back(fmt::format("{}", size));
    }
    if (std::ranges::any_of(arguments, [](const auto& a) { return a.second == 0; })) continue;
    const Result<Workload> built = build_workload(family, arguments);
    if (built && same_but_name(*built, w)) return fmt::format("{}: {}", name, fmt::join(sizes, "x"));
  }
  return std::nullopt;
}

std::string einsum(const Workload& w) {
  std::vector<std::string> sizes, roles, reads;
  std::string output;
  for (const Tensor& tensor : w.tensors) {
    std::vector<std::string> ranks;
    for (const Rank& rank : tensor.ranks) {
      std::vector<std::string> terms;
      for (const Term& term : rank.terms) {
        const std::string& d = w.dimensions[at(term.dimension)].name;
        terms.push_back(term.coefficient == 1 ? d : fmt::format("{}*{}", term.coefficient, d));
      }
      ranks.push_back(fmt::format("{}", fmt::join(terms, "+")));
    }
    // A#2 is another access of A, which a formula writes as A.
    const std::string text = fmt::format("{}[{}]", tensor.name.substr(0, tensor.name.find('#')), fmt::join(ranks, ","));
    if (tensor.is_output()) output = text;
    if (!tensor.is_output()) reads.push_back(text);
    if (!tensor.is_output()) roles.push_back(fmt::format("{}: {}", yaml_scalar(tensor.name), name(tensor.role)));
  }
  for (const Dimension& d : w.dimensions) sizes.push_back(fmt::format("{}: {}", yaml_scalar(d.name), d.size));
  return fmt::format("einsum: \"{} += {}\", sizes: {{{}}}, roles: {{{}}}", output, fmt::join(reads, " * "),
                     fmt::join(sizes, ", "), fmt::join(roles, ", "));
}

}  // namespace

std::string shape_text(const Workload& workload) {
  Workload bare = workload;  // sizes of words stand beside the shape
  for (Tensor& t : bare.tensors) t.word_bits.reset();
  if (auto text = convolution(bare)) return *text;
  if (auto text = positional(bare)) return *text;
  return einsum(bare);
}

}  // namespace heliolite
