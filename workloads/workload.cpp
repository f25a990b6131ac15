#include "workloads/workload.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr char kAccessMark = '#';  // A#2: another access of A

constexpr u64 kTooMany = std::numeric_limits<u64>::max();

u64 extent(const Workload& workload, const Rank& rank) {
  u64 extent = 1;
  for (const Term& t : rank.terms) {
    const u64 size = workload.dimensions[t.dimension].size;
    const u64 step = size == 0 ? 0 : saturating_product(t.coefficient, size - 1);
    extent = step > kTooMany - extent ? kTooMany : extent + step;
  }
  return extent;
}

bool is_weight_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{"weights", "weight", "w", "filter", "filters", "kernel"};
  return std::ranges::find(kNames, lower(name)) != kNames.end();
}

bool alone_in_its_ranks(const Tensor& tensor, int dimension) {
  return std::ranges::all_of(tensor.ranks, [&](const Rank& rank) {
    const bool here = std::ranges::any_of(rank.terms, [&](const Term& t) { return t.dimension == dimension; });
    return !here || rank.terms.size() == 1;
  });
}

}  // namespace

std::string_view name(Role role) {
  switch (role) {
    case Role::Input: return "input";
    case Role::Weight: return "weight";
    case Role::Output: return "output";
  }
  return "";
}

std::string size_text(const Tensor& tensor) {
  return tensor.word_bits ? " x " + text_of(*tensor.word_bits) + " bits" : "";
}

std::string_view name(DimensionClass c) {
  switch (c) {
    case DimensionClass::InputChannel: return "input_channel";
    case DimensionClass::OutputChannel: return "output_channel";
    case DimensionClass::Kernel: return "kernel";
    case DimensionClass::Pixel: return "pixel";
    case DimensionClass::Group: return "group";
  }
  return "";
}

std::optional<int> Workload::find_dimension(std::string_view name) const { return place_of_row(dimensions, name); }

std::optional<int> Workload::find_tensor(std::string_view name) const { return place_of_row(tensors, name); }

bool Workload::is_read_twice(int v) const {
  const auto of = [v](const Tensor& t) { return t.access_of == v; };
  return tensors[v].access_of || std::ranges::any_of(tensors, of);
}

int Workload::output() const {
  return static_cast<int>(std::ranges::find_if(tensors, &Tensor::is_output) - tensors.begin());
}

u64 Workload::macs() const {
  u64 macs = 1;
  for (const Dimension& d : dimensions) macs = saturating_product(macs, d.size);
  return macs;
}

u64 Workload::tensor_words(int v) const {
  u64 words = 1;
  for (const Rank& r : tensors[v].ranks) words = saturating_product(words, extent(*this, r));
  return words;
}

DimensionMask Workload::indexing(int v) const {
  unsigned mask = 0;
  for (const Rank& r : tensors[v].ranks) {
    for (const Term& t : r.terms) mask |= 1U << static_cast<unsigned>(t.dimension);
  }
  return static_cast<DimensionMask>(mask);
}

void link_accesses(Workload& workload) {
  const auto first_called = [&](std::string_view name, std::size_t before) -> std::optional<int> {
    const std::optional<int> v = workload.find_tensor(name);
    return v && at(*v) < before && !workload.tensors[*v].is_output() ? v : std::nullopt;
  };
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    Tensor& tensor = workload.tensors[v];
    if (tensor.is_output()) continue;
    const std::size_t mark = tensor.name.rfind(kAccessMark);
    tensor.access_of = first_called(tensor.name.substr(0, mark), v);
    if (!tensor.access_of || mark != std::string::npos) continue;
    const std::string name = tensor.name + kAccessMark;
    for (std::size_t n = 2; workload.find_tensor(tensor.name) != static_cast<int>(v); ++n)
      tensor.name = name + std::to_string(n);
  }
}

void infer_roles(Workload& workload) {
  const auto is = [](Role role) { return [role](const Tensor& t) { return t.role == role; }; };
  if (workload.operation != Operation::Product || std::ranges::any_of(workload.tensors, is(Role::Weight))) return;
  auto weight = std::ranges::find_if(workload.tensors,
                                     [](const Tensor& t) { return t.role == Role::Input && is_weight_name(t.name); });
  if (weight == workload.tensors.end()) weight = std::ranges::find_if(workload.tensors, is(Role::Input));
  if (weight != workload.tensors.end()) weight->role = Role::Weight;
}

std::optional<std::vector<DimensionClass>> classify(const Workload& workload) {
  const auto only = [&](Role role) -> std::optional<int> {
    const auto has = [role](const Tensor& t) { return t.role == role; };
    if (std::ranges::count_if(workload.tensors, has) != 1) return std::nullopt;
    return static_cast<int>(std::ranges::find_if(workload.tensors, has) - workload.tensors.begin());
  };
  const std::optional<int> weight = only(Role::Weight), input = only(Role::Input), output = only(Role::Output);
  if (!weight || !input || !output) return std::nullopt;

  const DimensionMask in_weight = workload.indexing(*weight), in_input = workload.indexing(*input),
                      in_output = workload.indexing(*output);
  std::vector<DimensionClass> classes;
  for (int d = 0; d < static_cast<int>(workload.dimensions.size()); ++d) {
    const bool w = contains(in_weight, d), i = contains(in_input, d), o = contains(in_output, d);
    if (w && i && o) {
      classes.push_back(DimensionClass::Group);
    } else if (w && i) {
      const bool alone = alone_in_its_ranks(workload.tensors[*input], d);
      classes.push_back(alone ? DimensionClass::InputChannel : DimensionClass::Kernel);
    } else if (w && o) {
      classes.push_back(DimensionClass::OutputChannel);
    } else if (i && o) {
      classes.push_back(DimensionClass::Pixel);
    } else {
      return std::nullopt;
    }
  }
  const auto has = [&](DimensionClass c) { return std::ranges::find(classes, c) != classes.end(); };
  if (!has(DimensionClass::InputChannel) || !has(DimensionClass::OutputChannel)) return std::nullopt;
  return classes;
}

}  // namespace heliolite
