#include "workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr u64 kTooMany = std::numeric_limits<u64>::max();

// a*b, or the largest u64 when that does not fit.
u64 saturating_product(u64 a, u64 b) {
  const u128 product = u128{a} * b;
  return product > kTooMany ? kTooMany : static_cast<u64>(product);
}

u64 extent(const Workload& workload, const Rank& rank) {
  u64 extent = 1;
  for (const Term& t : rank.terms) {
    const u64 size = workload.dimensions[static_cast<std::size_t>(t.dimension)].size;
    const u64 step = size == 0 ? 0 : saturating_product(t.coefficient, size - 1);
    extent = step > kTooMany - extent ? kTooMany : extent + step;
  }
  return extent;
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && letter(name[0]) && std::ranges::all_of(name, [&](char c) { return letter(c) || digit(c); });
}

bool is_weight_name(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames{"weights", "weight", "w", "filter", "filters", "kernel"};
  return std::ranges::find(kNames, lower(name)) != kNames.end();
}

// What is wrong with a Workload, one complaint after the other. Fields: "dimensions.K", "tensors.A".
class Checker {
 public:
  explicit Checker(const Workload& workload) : w_(workload) {}

  Diagnostics run() {
    count("dimensions", w_.dimensions.size(), 1, kMaxDimensions);
    count("tensors", w_.tensors.size(), 2, kMaxTensors);
    for (const Dimension& d : w_.dimensions) dimension(d);
    for (const Tensor& t : w_.tensors) tensor(t);
    unique();
    outputs();
    if (errors_.empty()) used_and_counted();
    if (errors_.empty()) countable();
    return std::move(errors_);
  }

 private:
  void complain(std::string field, std::string message) {
    errors_.push_back({"", 0, std::move(field), std::move(message)});
  }

  void count(const char* what, std::size_t n, int low, int high) {
    if (n >= static_cast<std::size_t>(low) && n <= static_cast<std::size_t>(high)) return;
    complain(what, fmt::format("{} {}, must be {} to {}", n, what, low, high));
  }

  void name_of(const std::string& field, std::string_view kind, const std::string& name) {
    if (is_identifier(name)) return;
    complain(field,
             fmt::format("the {}'s name is '{}', must be a letter followed by letters, digits and _", kind, name));
  }

  void dimension(const Dimension& d) {
    const std::string field = "dimensions." + d.name;
    name_of(field, "dimension", d.name);
    if (d.size >= 1 && d.size <= kMaxDimensionSize) return;
    complain(field,
             fmt::format("the size of {} is {}, must be an integer from 1 to {}", d.name, d.size, kMaxDimensionSize));
  }

  void tensor(const Tensor& t) {
    const std::string field = "tensors." + t.name;
    name_of(field, "tensor", t.name);
    if (t.ranks.empty() || t.ranks.size() > static_cast<std::size_t>(kMaxRanks)) {
      complain(field, fmt::format("{} has {} ranks, must be 1 to {}", t.name, t.ranks.size(), kMaxRanks));
    }
    for (const Rank& r : t.ranks) rank(t, r, field);
  }

  void rank(const Tensor& t, const Rank& r, const std::string& field) {
    if (r.terms.empty() || r.terms.size() > static_cast<std::size_t>(kMaxTerms)) {
      complain(field,
               fmt::format("a rank of {} is a sum of {} terms, must be 1 to {}", t.name, r.terms.size(), kMaxTerms));
    }
    std::vector<int> seen;
    for (const Term& term : r.terms) {
      if (term.dimension < 0 || static_cast<std::size_t>(term.dimension) >= w_.dimensions.size()) {
        complain(field, fmt::format("a rank of {} names dimension number {}, there are {}", t.name, term.dimension,
                                    w_.dimensions.size()));
        continue;
      }
      const std::string& d = w_.dimensions[static_cast<std::size_t>(term.dimension)].name;
      if (term.coefficient < 1 || term.coefficient > kMaxCoefficient) {
        complain(field, fmt::format("the coefficient of {} in {} is {}, must be an integer from 1 to {}", d, t.name,
                                    term.coefficient, kMaxCoefficient));
      }
      if (std::ranges::find(seen, term.dimension) != seen.end()) {
        complain(field, fmt::format("dimension {} occurs twice in one rank of {}", d, t.name));
      }
      seen.push_back(term.dimension);
    }
  }

  void unique() {
    for (std::size_t i = 0; i < w_.dimensions.size(); ++i) {
      const std::string& name = w_.dimensions[i].name;
      if (*w_.find_dimension(name) != static_cast<int>(i)) {
        complain("dimensions." + name, fmt::format("two dimensions have the name '{}'", name));
      }
    }
    for (std::size_t i = 0; i < w_.tensors.size(); ++i) {
      const std::string& name = w_.tensors[i].name;
      if (*w_.find_tensor(name) != static_cast<int>(i)) {
        complain("tensors." + name, fmt::format("two tensors have the name '{}'; give each use its own", name));
      }
    }
  }

  void outputs() {
    std::vector<std::string> outputs;
    for (const Tensor& t : w_.tensors) {
      if (t.is_output()) outputs.push_back(t.name);
    }
    if (outputs.size() == 1) return;
    complain("tensors", outputs.empty()
                            ? "no tensor is the output, exactly one must be"
                            : fmt::format("{} outputs ({}), must be exactly one", outputs.size(), join(outputs)));
  }

  void used_and_counted() {
    DimensionMask used = 0;
    for (std::size_t v = 0; v < w_.tensors.size(); ++v) {
      used = static_cast<DimensionMask>(used | w_.indexing(static_cast<int>(v)));
      if (w_.tensor_words(static_cast<int>(v)) > kMaxMacs) {
        complain("tensors." + w_.tensors[v].name,
                 fmt::format("{} has more than {} words, the most a tensor may have", w_.tensors[v].name, kMaxMacs));
      }
    }
    for (std::size_t d = 0; d < w_.dimensions.size(); ++d) {
      if ((used >> d & 1) != 0) continue;
      const std::string& name = w_.dimensions[d].name;
      complain("dimensions." + name, fmt::format("dimension {} indexes no tensor", name));
    }
    if (w_.macs() > kMaxMacs) {
      complain(
          "dimensions",
          fmt::format("the product of all sizes is more than {} multiply-accumulates, the most accepted", kMaxMacs));
    }
  }

  // The words that cross between levels are at most the MACs times the holes that strides make in a tile's box: they
  // must stay countable in 64 bits.
  void countable() {
    constexpr double kMostWords = 4e18;
    for (const Tensor& t : w_.tensors) {
      double words = static_cast<double>(w_.macs());
      for (const Rank& rank : t.ranks) {
        double holes = 0;
        for (const Term& term : rank.terms)
          if (w_.dimensions[static_cast<std::size_t>(term.dimension)].size > 1)
            holes += static_cast<double>(term.coefficient);
        words *= std::max(1.0, holes);
      }
      if (words > kMostWords)
        complain("tensors." + t.name, fmt::format("the strides of {} are too large for {} multiply-accumulates: their "
                                                  "product is {:.2g}, at most {:.2g} can be counted",
                                                  t.name, w_.macs(), words, kMostWords));
    }
  }

  const Workload& w_;
  Diagnostics errors_;
};

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

std::optional<int> Workload::find_dimension(std::string_view name) const {
  const auto it = std::ranges::find(dimensions, name, &Dimension::name);
  if (it == dimensions.end()) return std::nullopt;
  return static_cast<int>(it - dimensions.begin());
}

std::optional<int> Workload::find_tensor(std::string_view name) const {
  const auto it = std::ranges::find(tensors, name, &Tensor::name);
  if (it == tensors.end()) return std::nullopt;
  return static_cast<int>(it - tensors.begin());
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
  for (const Rank& r : tensors[static_cast<std::size_t>(v)].ranks) words = saturating_product(words, extent(*this, r));
  return words;
}

DimensionMask Workload::indexing(int v) const {
  unsigned mask = 0;
  for (const Rank& r : tensors[static_cast<std::size_t>(v)].ranks) {
    for (const Term& t : r.terms) mask |= 1U << static_cast<unsigned>(t.dimension);
  }
  return static_cast<DimensionMask>(mask);
}

Diagnostics check(const Workload& workload) { return Checker(workload).run(); }

void infer_roles(Workload& workload) {
  const auto is = [](Role role) { return [role](const Tensor& t) { return t.role == role; }; };
  if (std::ranges::any_of(workload.tensors, is(Role::Weight))) return;
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
    const bool w = (in_weight >> d & 1) != 0, i = (in_input >> d & 1) != 0, o = (in_output >> d & 1) != 0;
    if (w && i && o) {
      classes.push_back(DimensionClass::Group);
    } else if (w && i) {
      const bool alone = alone_in_its_ranks(workload.tensors[static_cast<std::size_t>(*input)], d);
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
