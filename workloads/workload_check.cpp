// What every Workload must be: check() of workload.h.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/word_bits.h"
#include "workloads/workload.h"

namespace heliolite {
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
    if (t.ranks.size() > at(kMaxRanks)) {
      complain(field, fmt::format("{} has {} ranks, must be at most {}", t.name, t.ranks.size(), kMaxRanks));
    }
    for (const Rank& r : t.ranks) rank(t, r, field);
    if (!t.word_bits) return;
    if (const std::optional<std::string> why = refusal(*t.word_bits))
      complain(field, fmt::format("the words of {} have {} bits, {}", t.name, *t.word_bits, *why));
    else parts_of_bit_ = std::lcm(parts_of_bit_, t.word_bits->of_bit());
  }

  void rank(const Tensor& t, const Rank& r, const std::string& field) {
    if (r.terms.empty() || r.terms.size() > at(kMaxTerms)) {
      complain(field,
               fmt::format("a rank of {} is a sum of {} terms, must be 1 to {}", t.name, r.terms.size(), kMaxTerms));
    }
    std::vector<int> seen;
    for (const Term& term : r.terms) {
      if (term.dimension < 0 || at(term.dimension) >= w_.dimensions.size()) {
        complain(field, fmt::format("a rank of {} names dimension number {}, there are {}", t.name, term.dimension,
                                    w_.dimensions.size()));
        continue;
      }
      const std::string& d = w_.dimensions[term.dimension].name;
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
        complain("tensors." + name, fmt::format("two tensors have the name '{}'; an output cannot be read", name));
      }
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
      const u64 most = sized_ ? kMostSizedWords / parts_of_bit_ : kMaxMacs;
      if (w_.tensor_words(static_cast<int>(v)) > most) {
        complain("tensors." + w_.tensors[v].name,
                 fmt::format("{} has more than {} words, the most a tensor may have{}", w_.tensors[v].name, most,
                             sized_ ? " where word_bits are stated" : ""));
      }
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
    if (w_.macs() > kMaxMacs) {
      complain(
          "dimensions",
          fmt::format("the product of all sizes is more than {} multiply-accumulates, the most accepted", kMaxMacs));
    }
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
