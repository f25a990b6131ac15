#include "engine/model/true_counts/network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/model/true_counts/multicast_groups.h"
#include "engine/model/true_counts/sliding.h"
#include "engine/model/true_counts/step_products.h"
#include "engine/model/true_counts/steps_outwards.h"
#include "engine/model/true_counts/traffic.h"

namespace heliolite {
namespace {

class MulticastCount {
 public:
  MulticastCount(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level)
      : c_(c),
        t_(t),
        nest_(nest),
        level_(level),
        steps_(c, nest, level, unit_, looping()),
        products_(t, nest),
        groups_(c.level[at(level)], t, nest, level, steps_.dimensions()) {
    meets_ = units_meet(t, nest, level, level);
  }

  void run(std::vector<MulticastTraffic>& out) {
    // Units ask at every step, also through interconnects without a fan-out.
    if (inside_interconnects(c_, level_) == 0 && nest_.first[at(level_)] == 0) {
      step({StepKind::Every, 0});
    } else {
      step({StepKind::First, 0});
      LoopMask moving = 0;
      for (const int d : bits(t_.indexing)) moving |= nest_.of[at(d)];
      const LoopMask time = nest_.outside(level_) & nest_.temporal();
      if ((moving & time) != 0)
        for (const int l : bits(time & ~loops_before(std::countr_zero(moving & time)))) step({StepKind::Loop, l});
    }
    std::sort(sum_.begin(), sum_.end(), [](const auto& x, const auto& y) { return x.multicast < y.multicast; });
    out = std::move(sum_);
  }

 private:
  DimensionMask looping() const {
    DimensionMask mask = 0;
    for (int d = 0; d < c_.dimension_count; ++d)
      if (nest_.of[at(d)] != 0) mask = static_cast<DimensionMask>(mask | dimension_bit(d));
    return mask;
  }

  // The tiles of a step. Those of a dimension that does not index the tensor differ in when and where they are only,
  // and where one is not spread over the fan-out, not even in that.
  std::span<const std::vector<TileStep>* const> tiles(StepKind kind) {
    const auto lists = steps_.at_step(kind);
    for (std::size_t k = 0; k < lists.size(); ++k) {
      list_[k] = lists[k];
      if (contains(t_.indexing, steps_.dimensions()[k])) continue;
      const bool spread = (nest_.of[steps_.dimensions()[k]] & nest_.fanout[at(level_)]) != 0;
      merged_[k].clear();
      for (const TileStep& s : *lists[k])
        if (!spread && !merged_[k].empty()) merged_[k].back().count += s.count * s.run;
        else if (merged_[k].empty() || merged_[k].back().context != s.context) merged_[k].push_back(s);
        else merged_[k].back().run += s.run;
      list_[k] = &merged_[k];
    }
    return {list_.data(), lists.size()};
  }

  void step(StepKind kind) {
    fetches_.clear();
    products_.each(steps_.dimensions(), tiles(kind), [&](const BoxStep& box, auto tiles) {
      const BoxFetch fetch = products_.fetch(box, kind.what != StepKind::Loop);
      if (fetch.words == 0) return;
      StepFetch& f = fetches_.emplace_back();
      f.count = box.count;
      f.words = fetch.words;
      for (std::size_t r = 0; r < t_.rank_count; ++r) {
        f.box[4 * r] = 0;
        f.box[4 * r + 1] = box.extent[r];
        f.box[4 * r + 2] = fetch.keeps ? fetch.low[r] : 0;
        f.box[4 * r + 3] = fetch.keeps ? fetch.high[r] : 0;
      }
      for (std::size_t k = 0; k < tiles.size(); ++k) f.tile[k] = *tiles[k], f.context[k] = tiles[k]->context;
      if (meets_) return;
      add(groups_.of_one(f), f.count * f.words);
      fetches_.clear();
    });
    if (meets_) count_together();
  }

  // Units of several fetches may want the same words.
  void count_together() {
    const std::size_t n = steps_.dimensions().size();
    const auto context = [n](const StepFetch& f) { return std::span(f.context).first(n); };
    const auto before = [&](const StepFetch& a, const StepFetch& b) {
      return std::ranges::lexicographical_compare(context(a), context(b));
    };
    std::sort(fetches_.begin(), fetches_.end(), before);
    for (std::size_t begin = 0, end = 0; begin < fetches_.size(); begin = end) {
      while (end < fetches_.size() && !before(fetches_[begin], fetches_[end])) ++end;
      add(groups_.of_all(std::span(fetches_).subspan(begin, end - begin)), fetches_[begin].count);
    }
  }

  void add(const std::vector<MulticastTraffic>& groups, u64 times) {
    for (const MulticastTraffic& g : groups) {
      MulticastTraffic& sum = with_multicast(sum_, g.multicast);
      sum.words += g.words * times;
      sum.half_hop_words += g.half_hop_words * times;
    }
  }

  const Compiled& c_;
  const CompiledTensor& t_;
  const TrueNest& nest_;
  int level_;
  UnitDigits unit_;
  StepsOutwards steps_;
  StepProducts products_;
  MulticastGroups groups_;
  std::vector<StepFetch> fetches_;
  std::array<std::vector<TileStep>, kMaxDimensions> merged_;
  std::array<const std::vector<TileStep>*, kMaxDimensions> list_;
  std::vector<MulticastTraffic> sum_;
  bool meets_;
};

}  // namespace

void multicast_traffic(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level,
                       std::vector<MulticastTraffic>& out) {
  MulticastCount(c, t, nest, level).run(out);
}

std::optional<u64> passing_words(const Compiled& c, int tensor, const TrueNest& nest, int level) {
  const int inside = inside_interconnects(c, level);
  if (inside == level) return std::nullopt;
  const UnitDigits everywhere{};
  TrueStream stream(c, tensor, nest, everywhere);
  stream.start(inside);
  return stream.accesses(level);
}

// Hops are the average over what the tiles inside fetch, times the words that pass (rule 16).
TrueNetworkSum network_sum(const CompiledLevel& machine, bool is_output, u64 accesses, u64 part,
                           const std::vector<MulticastTraffic>& traffic, std::optional<u64> passing) {
  TrueNetworkSum out;
  const bool both_ways = is_output && !machine.reduces;
  out.ingress_words = both_ways ? 2 * accesses - part : accesses;
  double raw = 0;  // words before levels that pass the tensor by take their share
  for (const MulticastTraffic& m : traffic) {
    raw += static_cast<double>(m.words);
    out.hop_words += 0.5 * static_cast<double>(m.half_hop_words);
  }
  const double through = passing && raw > 0 ? static_cast<double>(*passing) / raw : 1;
  out.hop_words *= through;
  const auto all = static_cast<double>(both_ways ? out.ingress_words : accesses);
  if (traffic.empty() || all == 0) return out;
  if (both_ways) {
    out.router_words = (1 + std::floor(out.hop_words / all)) * all;
    return out;
  }
  for (const MulticastTraffic& m : traffic) {
    const auto words = static_cast<double>(m.words);
    const double hops = 0.5 * static_cast<double>(m.half_hop_words) * through * raw / (words * all);
    out.router_words += (1 + std::floor(hops)) * words * all / raw;
  }
  return out;
}

Energy TrueNetworkSum::energy(const CompiledLevel& machine, int v) const {
  const ValueUnits& units = machine.units[at(v)];
  const double wire = hop_words * static_cast<double>(units.hop);
  const double routers = router_words * static_cast<double>(units.router);
  return {static_cast<u128>(wire) + static_cast<u128>(routers) + static_cast<u128>(ingress_words) * units.ingress};
}

}  // namespace heliolite
