#include "workloads/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "workloads/word_bits.h"

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

std::string size_text(const Tensor& tensor) {
  return tensor.word_bits ? " x " + text_of(*tensor.word_bits) + " bits" : "";
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
  for (const Rank& r : tensors[v].ranks)
    for (const Term& t : r.terms) mask |= 1U << static_cast<unsigned>(t.dimension);
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

// What every Workload must be: check() of workload.h.

namespace {

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && letter(name[0]) && std::ranges::all_of(name, [&](char c) { return letter(c) || digit(c); });
}

// What is wrong with a Workload, one complaint after the other. Fields: "dimensions.K", "tensors.A".
class Checker {
 public:
  explicit Checker(const Workload& workload)
      : w_(workload),
        sized_(std::ranges::any_of(workload.tensors, [](const Tensor& t) { return t.word_bits.has_value(); })) {}

  Diagnostics run() {
    count("dimensions", w_.dimensions.size(), 1, kMaxDimensions);
    count("tensors", w_.tensors.size(), 2, kMaxTensors);
    for (const Dimension& d : w_.dimensions) dimension(d);
    for (const Tensor& t : w_.tensors) tensor(t);
    unique();
    accesses();
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
    if (n >= at(low) && n <= at(high)) return;
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
    name_of(field, "tensor", t.access_of ? w_.tensors[*t.access_of].name : t.name);
    if (t.ranks.size() > at(kMaxRanks))
      complain(field, fmt::format("{} has {} ranks, must be at most {}", t.name, t.ranks.size(), kMaxRanks));
    for (const Rank& r : t.ranks) rank(t, r, field);
    if (!t.word_bits) return;
    if (const std::optional<std::string> why = refusal(*t.word_bits))
      complain(field, fmt::format("the words of {} have {} bits, {}", t.name, *t.word_bits, *why));
    else parts_of_bit_ = std::lcm(parts_of_bit_, t.word_bits->of_bit());
  }

  void rank(const Tensor& t, const Rank& r, const std::string& field) {
    if (r.terms.empty() || r.terms.size() > at(kMaxTerms))
      complain(field,
               fmt::format("a rank of {} is a sum of {} terms, must be 1 to {}", t.name, r.terms.size(), kMaxTerms));
    std::vector<int> seen;
    for (const Term& term : r.terms) {
      if (term.dimension < 0 || at(term.dimension) >= w_.dimensions.size()) {
        complain(field, fmt::format("a rank of {} names dimension number {}, there are {}", t.name, term.dimension,
                                    w_.dimensions.size()));
        continue;
      }
      const std::string& d = w_.dimensions[term.dimension].name;
      if (term.coefficient < 1 || term.coefficient > kMaxCoefficient)
        complain(field, fmt::format("the coefficient of {} in {} is {}, must be an integer from 1 to {}", d, t.name,
                                    term.coefficient, kMaxCoefficient));
      if (std::ranges::find(seen, term.dimension) != seen.end())
        complain(field, fmt::format("dimension {} occurs twice in one rank of {}", d, t.name));
      seen.push_back(term.dimension);
    }
  }

  void unique() {
    for (std::size_t i = 0; i < w_.dimensions.size(); ++i) {
      const std::string& name = w_.dimensions[i].name;
      if (*w_.find_dimension(name) != static_cast<int>(i))
        complain("dimensions." + name, fmt::format("two dimensions have the name '{}'", name));
    }
    for (std::size_t i = 0; i < w_.tensors.size(); ++i) {
      const std::string& name = w_.tensors[i].name;
      if (*w_.find_tensor(name) != static_cast<int>(i))
        complain("tensors." + name, fmt::format("two tensors have the name '{}'; an output cannot be read", name));
    }
  }

  void accesses() {
    for (std::size_t v = 0; v < w_.tensors.size(); ++v) {
      const Tensor& t = w_.tensors[v];
      if (!t.access_of) continue;
      const Tensor& first = w_.tensors[*t.access_of];
      if (t.word_bits != first.word_bits)
        complain("tensors." + t.name,
                 fmt::format("{} is another access of {} and must have words of the same size", t.name, first.name));
      if (t.ranks.size() == first.ranks.size()) continue;
      complain("tensors." + t.name, fmt::format("{} has {} ranks as another access of {}, which has {}", t.name,
                                                t.ranks.size(), first.name, first.ranks.size()));
    }
  }

  void outputs() {
    std::vector<std::string> outputs;
    for (const Tensor& t : w_.tensors)
      if (t.is_output()) outputs.push_back(t.name);
    if (outputs.size() == 1) return;
    complain("tensors", outputs.empty()
                            ? "no tensor is the output, exactly one must be"
                            : fmt::format("{} outputs ({}), must be exactly one", outputs.size(), join(outputs)));
  }

  void used_and_counted() {
    DimensionMask used = 0;
    for (std::size_t v = 0; v < w_.tensors.size(); ++v) {
      used = static_cast<DimensionMask>(used | w_.indexing(static_cast<int>(v)));
      const u64 most = sized_ ? kMostSizedWords / parts_of_bit_ : kMaxMacs;
      if (w_.tensor_words(static_cast<int>(v)) > most)
        complain("tensors." + w_.tensors[v].name,
                 fmt::format("{} has more than {} words, the most a tensor may have{}", w_.tensors[v].name, most,
                             sized_ ? " where word_bits are stated" : ""));
    }
    for (std::size_t d = 0; d < w_.dimensions.size(); ++d) {
      if (contains(used, d)) continue;
      const std::string& name = w_.dimensions[d].name;
      complain("dimensions." + name, fmt::format("dimension {} indexes no tensor", name));
    }
    if (w_.operations < 1 || w_.operations > kMaxOperationsOfPoint)
      complain("operations",
               fmt::format("operations = {}, must be an integer from 1 to {}", w_.operations, kMaxOperationsOfPoint));
    else if (w_.macs() <= kMaxMacs && saturating_product(w_.macs(), w_.operations) > kMaxMacs)
      complain("operations", fmt::format("operations = {} for each of {} points are more than {}, the most accepted",
                                         w_.operations, w_.macs(), kMaxMacs));
    if (w_.macs() > kMaxMacs)
      complain(
          "dimensions",
          fmt::format("the product of all sizes is more than {} multiply-accumulates, the most accepted", kMaxMacs));
  }

  // The words that cross between levels are at most the MACs times the holes that strides make in a tile's box: they
  // must stay countable in 64 bits.
  void countable() {
    if (parts_of_bit_ > kMaxPartsOfBit)
      complain("word_bits", fmt::format("the sizes of words ({}) have no part of a bit in common that is at least 1/{}",
                                        word_bits_text(w_), kMaxPartsOfBit));
    const double most = sized_ ? 4e18 / static_cast<double>(kMaxWordLength * parts_of_bit_) : 4e18;
    for (const Tensor& t : w_.tensors) {
      double words = static_cast<double>(w_.macs());
      for (const Rank& rank : t.ranks) {
        double holes = 0;
        for (const Term& term : rank.terms)
          if (w_.dimensions[term.dimension].size > 1) holes += static_cast<double>(term.coefficient);
        words *= std::max(1.0, holes);
      }
      if (words > most)
        complain("tensors." + t.name, fmt::format("the strides of {} are too large for {} multiply-accumulates: their "
                                                  "product is {:.2g}, at most {:.2g} can be counted",
                                                  t.name, w_.macs(), words, most));
    }
  }

  // Words and parts of words of all tensors together stay within 64 bits.
  static constexpr u64 kMostSizedWords = u64{1} << 50;

  const Workload& w_;
  const bool sized_;      // some tensor states how many bits its words have
  u64 parts_of_bit_ = 1;  // in which all sizes of words are whole numbers
  Diagnostics errors_;
};

}  // namespace

Diagnostics check(const Workload& workload) { return Checker(workload).run(); }

}  // namespace heliolite
