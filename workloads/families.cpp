#include "workloads/families.h"

#include <fmt/format.h>

#include <array>

#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "workloads/einsum_text.h"

namespace heliolite {
namespace {

using Names = std::vector<std::string_view>;

const Names kConvParameters{"n",      "k",       "c",       "p",        "q",         "r",         "s",
                            "stride", "wstride", "hstride", "dilation", "wdilation", "hdilation", "groups"};
const Names kDepthwiseParameters{"n",      "c",       "p",       "q",        "r",         "s",
                                 "stride", "wstride", "hstride", "dilation", "wdilation", "hdilation"};

Family convolution(std::string_view name, const Names& parameters, Names required) {
  return {.name = name,
          .parameters = parameters,
          .positional = 0,
          .required = std::move(required),
          .batch = "n",
          .formula = "",
          .dimensions = {}};
}

// `dimensions` are the parameters in capitals, all required.
Family einsum(std::string_view name, const Names& parameters, Names dimensions, std::string_view formula,
              std::string_view batch = "") {
  const int positional = static_cast<int>(parameters.size());
  return {.name = name,
          .parameters = parameters,
          .positional = positional,
          .required = parameters,
          .batch = batch,
          .formula = formula,
          .dimensions = std::move(dimensions)};
}

const std::vector<Family>& table() {
  static const std::vector<Family> families{
      // 2-D convolution; groups split both channels.
      convolution("conv", kConvParameters, {"k", "c", "p"}),
      // One filter per channel.
      convolution("depthwise", kDepthwiseParameters, {"c", "p"}),
      // Fully connected: a 1x1 convolution of one pixel.
      convolution("fc", {"n", "k", "c"}, {"k", "c"}),
      // Weight update of a convolution, given the sizes of the forward layer.
      convolution("conv_wu", kConvParameters, {"k", "c", "p"}),
      // Matrix product.
      einsum("gemm", {"m", "n", "k"}, {"M", "N", "K"}, "Z[M,N] += A[M,K] * B[K,N]", "n"),
      // h matrix products, as of attention heads.
      einsum("bmm", {"h", "m", "n", "k"}, {"H", "M", "N", "K"}, "Z[H,M,N] += A[H,M,K] * B[H,K,N]", "h"),
      // Matricised tensor times Khatri-Rao product of rank j.
      einsum("mttkrp", {"i", "j", "k", "l"}, {"I", "J", "K", "L"}, "Z[I,J] += A[I,K,L] * B[K,J] * C[L,J]"),
      // Tensor times matrix chain of ranks l and m.
      einsum("ttmc", {"i", "j", "k", "l", "m"}, {"I", "J", "K", "L", "M"}, "Z[I,L,M] += A[I,J,K] * B[J,L] * C[K,M]"),
      // Sampled dense-dense matrix product of rank k.
      einsum("sddmm", {"i", "j", "k"}, {"I", "J", "K"}, "Z[I,J] += S[I,J] * A[I,K] * B[K,J]"),
      // Chain of two matrix products.
      einsum("mmc", {"i", "j", "k", "l"}, {"I", "J", "K", "L"}, "Z[I,L] += A[I,J] * B[J,K] * C[K,L]"),
      // Tensor contraction layer.
      einsum("tcl", {"i", "j", "k", "l", "m", "n"}, {"I", "J", "K", "L", "M", "N"},
             "Z[L,M,N] += A[I,J,K] * B[I,L] * C[J,M] * D[K,N]"),
  };
  return families;
}

// Sizes of a convolution, all filled in. c and k are of one group.
struct ConvShape {
  u64 n, k, c, p, q, r, s, wstride, hstride, wdilation, hdilation, groups;
};

Result<ConvShape> conv_shape(Arguments& a) {
  const auto get = [&](const char* name, u64 fallback) {
    const auto it = a.find(name);
    return it == a.end() ? fallback : it->second;
  };
  for (const auto& [both, width, height] :
       {std::array{"stride", "wstride", "hstride"}, std::array{"dilation", "wdilation", "hdilation"}}) {
    if (a.contains(both) && (a.contains(width) || a.contains(height)))
      return Diagnostic{"", 0, both,
                        fmt::format("{} sets both directions; give either {} or {} and {}", both, both, width, height)};
  }
  const u64 stride = get("stride", 1), dilation = get("dilation", 1), groups = get("groups", 1);
  const u64 p = get("p", 1), r = get("r", 1);
  ConvShape shape{get("n", 1),
                  get("k", 1),
                  get("c", 1),
                  p,
                  get("q", p),
                  r,
                  get("s", r),
                  get("wstride", stride),
                  get("hstride", stride),
                  get("wdilation", dilation),
                  get("hdilation", dilation),
                  groups};
  if (shape.k % groups != 0 || shape.c % groups != 0)
    return Diagnostic{"", 0, "groups",
                      fmt::format("groups = {}, must divide the channels c = {} and k = {}", groups, shape.c, shape.k)};
  shape.k /= groups;
  shape.c /= groups;
  return shape;
}

std::string inputs_formula(std::string_view channels, const ConvShape& s) {
  return fmt::format("Inputs[N,{},{}*R+{}*P,{}*S+{}*Q]", channels, s.wdilation, s.wstride, s.hdilation, s.hstride);
}

using Sizes = std::vector<std::pair<std::string_view, u64>>;

Result<Workload> with_sizes(std::string_view formula, const Sizes& sizes) {
  Result<Workload> workload = parse_formula(formula, keys_of(sizes));
  if (!workload) return workload;
  for (std::size_t d = 0; d < sizes.size(); ++d) workload->dimensions[d].size = sizes[d].second;
  infer_roles(*workload);
  Diagnostics errors = check(*workload);
  if (!errors.empty()) return errors;
  return workload;
}

Result<Workload> depthwise(const ConvShape& s, u64 channels) {
  return with_sizes("Outputs[N,C,Q,P] += Weights[C,R,S] * " + inputs_formula("C", s),
                    {{"R", s.r}, {"S", s.s}, {"P", s.p}, {"Q", s.q}, {"C", channels}, {"N", s.n}});
}

Result<Workload> conv(const ConvShape& s) {
  if (s.groups > 1 && s.c == 1 && s.k == 1) return depthwise(s, s.groups);
  Sizes sizes{{"R", s.r}, {"S", s.s}, {"P", s.p}, {"Q", s.q}, {"C", s.c}, {"K", s.k}, {"N", s.n}};
  if (s.groups == 1) return with_sizes("Outputs[N,K,Q,P] += Weights[C,K,R,S] * " + inputs_formula("C", s), sizes);
  sizes.emplace_back("G", s.groups);
  return with_sizes("Outputs[N,G,K,Q,P] += Weights[G,C,K,R,S] * " + inputs_formula("G,C", s), sizes);
}

// The gradient of the weights is itself a convolution, of the inputs (batch and channels swapped) with the gradient
// of the outputs as its kernel: N'=C, C'=N, K'=K, R'=P, S'=Q, P'=R, Q'=S; stride and dilation swap too.
Result<Workload> weight_update(const ConvShape& s) {
  if (s.groups > 1)
    return Diagnostic{"", 0, "groups", fmt::format("groups = {}, must be 1 for a weight update", s.groups)};
  return conv({.n = s.c,
               .k = s.k,
               .c = s.n,
               .p = s.r,
               .q = s.s,
               .r = s.p,
               .s = s.q,
               .wstride = s.wdilation,
               .hstride = s.hdilation,
               .wdilation = s.wstride,
               .hdilation = s.hstride,
               .groups = 1});
}

}  // namespace

std::vector<std::string> family_names() { return names_of(table()); }
const Family* find_family(std::string_view name) { return find_row(table(), name); }

std::optional<std::string_view> find_parameter(const Family& family, std::string_view name) {
  const auto it = std::ranges::find(family.parameters, lower(name));
  if (it == family.parameters.end()) return std::nullopt;
  return *it;
}

u64 largest_value(std::string_view parameter) {
  const bool coefficient = parameter.ends_with("stride") || parameter.ends_with("dilation");
  return coefficient ? kMaxCoefficient : kMaxDimensionSize;
}

Result<Workload> build_workload(const Family& family, Arguments arguments) {
  std::vector<std::string> missing;
  for (const std::string_view name : family.required)
    if (!arguments.contains(name)) missing.emplace_back(name);
  if (!missing.empty()) {
    const std::vector<std::string> all(family.parameters.begin(), family.parameters.end());
    return Diagnostic{"", 0, "", fmt::format("{} needs {} (it takes {})", family.name, join(missing), join(all))};
  }
  Result<Workload> workload = [&]() -> Result<Workload> {
    if (!family.formula.empty()) {
      Sizes sizes;
      for (std::size_t i = 0; i < family.dimensions.size(); ++i)
        sizes.emplace_back(family.dimensions[i], arguments.find(family.parameters[i])->second);
      return with_sizes(family.formula, sizes);
    }
    const Result<ConvShape> shape = conv_shape(arguments);
    if (!shape) return shape.errors();
    if (family.name == "depthwise") return depthwise(*shape, shape->c);
    return family.name == "conv_wu" ? weight_update(*shape) : conv(*shape);
  }();
  if (workload) workload->name = family.name;
  return workload;
}

}  // namespace heliolite
