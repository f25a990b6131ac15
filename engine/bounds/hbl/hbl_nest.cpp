#include "engine/bounds/hbl/hbl_nest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

std::vector<std::size_t> loops_of(const std::vector<i64>& row) {
  std::vector<std::size_t> loops;
  for (std::size_t l = 0; l < row.size(); ++l)
    if (row[l] != 0) loops.push_back(l);
  return loops;
}

// The loops that d becomes; one of size 1 is left out.
struct Pieces {
  std::optional<std::size_t> quotient, remainder;
};

class Lift {
 public:
  explicit Lift(const AccessNest& nest) : factor_(lifting_factors(nest)) {
    for (std::size_t l = 0; l < factor_.size(); ++l) {
      const auto& [name, size] = nest.loops[l];
      const auto f = static_cast<double>(factor_[l]);
      pieces_.emplace_back();
      if (std::ceil(size / f) > 1) {
        pieces_.back().quotient = out_.loops.size();
        out_.loops.push_back({f > 1 ? name + "'" : name, std::ceil(size / f)});
      }
      if (f > 1) {
        pieces_.back().remainder = out_.loops.size();
        out_.loops.push_back({name + "''", std::min(f, size)});
      }
    }
    out_.iterations = nest.iterations;
    for (const Access& access : nest.accesses) {
      out_.accesses.push_back({access.array, access.is_output, access.word_size, {}, access.same_array});
      for (const std::vector<i64>& row : access.rows) add(row);
    }
  }

  AccessNest result() && { return std::move(out_); }

 private:
  void add(const std::vector<i64>& row) {
    const std::vector<std::size_t> loops = loops_of(row);
    const bool taken_apart = std::any_of(loops.begin(), loops.end(), [&](std::size_t l) { return factor_[l] > 1; });
    std::vector<i64> quotients(out_.loops.size());
    for (const std::size_t l : loops)
      if (const auto q = pieces_[l].quotient) quotients[*q] = taken_apart ? 1 : row[l];
    push(std::move(quotients));
    for (const std::size_t l : loops) {
      if (!pieces_[l].remainder) continue;
      std::vector<i64> remainder(out_.loops.size());
      remainder[*pieces_[l].remainder] = 1;
      push(std::move(remainder));
    }
  }
  void push(std::vector<i64> row) {
    if (!loops_of(row).empty()) out_.accesses.back().rows.push_back(std::move(row));
  }

  std::vector<i64> factor_;
  std::vector<Pieces> pieces_;
  AccessNest out_;
};

}  // namespace

std::vector<i64> lifting_factors(const AccessNest& nest) {
  struct Use {
    std::size_t partner;
    i64 factor;
    bool operator==(const Use&) const = default;
  };
  std::vector<std::optional<Use>> use(nest.loops.size());
  std::vector<bool> whole(nest.loops.size(), false);
  for (const Access& access : nest.accesses) {
    for (const std::vector<i64>& row : access.rows) {
      const std::vector<std::size_t> loops = loops_of(row);
      if (loops.size() < 2) continue;
      for (std::size_t i = 0; i < loops.size(); ++i) {
        const std::size_t l = loops[i], partner = loops[loops.size() - 1 - i];
        const Use here{partner, row[partner] / std::gcd(row[l], row[partner])};
        if (loops.size() > 2 || (use[l] && *use[l] != here)) whole[l] = true;
        use[l] = here;
      }
    }
  }
  std::vector<i64> factor(nest.loops.size(), 1);
  for (std::size_t l = 0; l < factor.size(); ++l)
    if (use[l] && !whole[l] && !whole[use[l]->partner]) factor[l] = use[l]->factor;
  return factor;
}

AccessNest access_nest(const Workload& workload, std::span<const double> word_sizes) {
  AccessNest nest;
  std::vector<std::optional<std::size_t>> loop(workload.dimensions.size());
  for (std::size_t d = 0; d < loop.size(); ++d) {
    if (workload.dimensions[d].size == 1) continue;
    loop[d] = nest.loops.size();
    nest.loops.push_back({workload.dimensions[d].name, static_cast<double>(workload.dimensions[d].size)});
  }
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    const Tensor& tensor = workload.tensors[v];
    Access access{tensor.name, tensor.is_output(), v < word_sizes.size() ? word_sizes[v] : 1, {}};
    if (workload.is_read_twice(static_cast<int>(v))) access.same_array = tensor.access_of.value_or(static_cast<int>(v));
    for (const Rank& rank : tensor.ranks) {
      std::vector<i64> row(nest.loops.size());
      for (const Term& term : rank.terms)
        if (const auto l = loop[term.dimension]) row[*l] += static_cast<i64>(term.coefficient);
      if (!loops_of(row).empty()) access.rows.push_back(std::move(row));
    }
    nest.accesses.push_back(std::move(access));
  }
  nest.iterations = static_cast<double>(workload.macs());
  return nest;
}

AccessNest lifted(const AccessNest& nest) { return Lift(nest).result(); }

LoopBits moving(const Access& access) {
  LoopBits bits = 0;
  for (const std::vector<i64>& row : access.rows)
    for (const std::size_t l : loops_of(row)) bits |= LoopBits{1} << l;
  return bits;
}

bool is_projective(const AccessNest& nest) {
  return std::all_of(nest.accesses.begin(), nest.accesses.end(), [](const Access& access) {
    return std::all_of(access.rows.begin(), access.rows.end(),
                       [](const std::vector<i64>& row) { return loops_of(row).size() == 1; });
  });
}

}  // namespace heliolite
