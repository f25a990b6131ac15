#include "engine/model/true_counts/network.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "engine/model/multicast.h"
#include "engine/model/true_counts/sliding.h"
#include "engine/model/true_counts/step_products.h"
#include "engine/model/true_counts/steps_outwards.h"

namespace heliolite {
namespace {

// One unit at a step: what it fetches, and where it stands.
struct UnitFetch {
  std::array<i64, 4 * kMaxRanks> box;  // [4 r ..]: low corner, extent, and the part that is held, along rank r
  FanoutReceiver receiver;
  auto operator<=>(const UnitFetch&) const = default;
};

// Fetches that happen at the same time under one sender.
struct Together {
  std::array<u32, kMaxDimensions> context;
  u64 count;
  std::array<i64, 4 * kMaxRanks> box;  // as UnitFetch, from the low corner 0
  u64 words;
  std::array<TileStep, kMaxDimensions> tile;
};

class MulticastCount {
 public:
  MulticastCount(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level)
      : c_(c), t_(t), nest_(nest), level_(level), steps_(c, nest, level, unit_, looping()), products_(t, nest) {
    u64 weight = 1;
    for (const int l : bits(nest.fanout[at(level)])) {
      weight_[at(l)] = weight;
      weight *= nest.place[at(l)].end;
    }
    const CompiledLevel& machine = c.level[at(level)];
    columns_ = std::max(machine.fanout_x, nest.product_x[at(level)]);
    rows_ = std::max(machine.fanout_y, nest.product_y[at(level)]);
  }

  void run(std::vector<MulticastTraffic>& out) {
    meets_ = units_meet(t_, nest_, level_, level_);
    if (level_ == 0) {
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

  // The tiles of a step. Those of a dimension that does not index the tensor differ in when and where they are only.
  std::span<const std::vector<TileStep>* const> tiles(StepKind kind) {
    const auto lists = steps_.at_step(kind);
    for (std::size_t k = 0; k < lists.size(); ++k) {
      list_[k] = lists[k];
      if (contains(t_.indexing, steps_.dimensions()[k])) continue;
      merged_[k].clear();
      for (const TileStep& s : *lists[k])
        if (merged_[k].empty() || merged_[k].back().context != s.context) merged_[k].push_back(s);
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
      Together& f = fetches_.emplace_back();
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
      add(known_groups(f), f.count * f.words);
      fetches_.clear();
    });
    if (meets_) count_together();
  }

  // Units of several fetches may want the same words.
  void count_together() {
    const std::size_t n = steps_.dimensions().size();
    const auto context = [n](const Together& f) { return std::span(f.context).first(n); };
    const auto before = [&](const Together& a, const Together& b) {
      return std::ranges::lexicographical_compare(context(a), context(b));
    };
    std::sort(fetches_.begin(), fetches_.end(), before);
    for (std::size_t begin = 0, end = 0; begin < fetches_.size(); begin = end) {
      while (end < fetches_.size() && !before(fetches_[begin], fetches_[end])) ++end;
      groups_.clear();
      group(std::span(fetches_).subspan(begin, end - begin), groups_);
      add(groups_, fetches_[begin].count);
    }
  }

  // The groups of the units of one fetch, each of one word; for the same units they are the same.
  const std::vector<MulticastTraffic>& known_groups(const Together& f) {
    std::array<std::pair<i64, u32>, kMaxDimensions> units{};
    const auto dimensions = steps_.dimensions();
    for (std::size_t k = 0; k < dimensions.size(); ++k)
      if ((nest_.of[dimensions[k]] & nest_.fanout[at(level_)]) != 0) units[k] = {f.tile[k].low, f.tile[k].run};
    for (const auto& [known, groups] : known_)
      if (known == units) return groups;
    auto& [key, groups] = known_.emplace_back();
    key = units;
    Together one = f;
    one.words = 1;
    group(std::span(&one, 1), groups);
    return groups;
  }

  void add(const std::vector<MulticastTraffic>& groups, u64 times) {
    for (const MulticastTraffic& g : groups) {
      MulticastTraffic& sum = of(sum_, g.multicast);
      sum.words += g.words * times;
      sum.half_hop_words += g.half_hop_words * times;
    }
  }
  static MulticastTraffic& of(std::vector<MulticastTraffic>& list, u64 multicast) {
    for (MulticastTraffic& m : list)
      if (m.multicast == multicast) return m;
    return list.emplace_back(MulticastTraffic{multicast, 0, 0});
  }

  // Groups the units of fetches that happen together, in one context.
  void group(std::span<const Together> together, std::vector<MulticastTraffic>& out) {
    units_.clear();
    words_.clear();
    for (const Together& f : together) add_units(f);
    std::sort(units_.begin(), units_.end());
    for (std::size_t begin = 0, end = 0; begin < units_.size(); begin = end) {
      receivers_.clear();
      for (; end < units_.size() && units_[end].box == units_[begin].box; ++end)
        receivers_.push_back(units_[end].receiver);
      const u64 words = words_[units_[begin].receiver.offset];
      MulticastTraffic& sum = of(out, receivers_.size());
      sum.words += words;
      if (nest_.fanout[at(level_)] != 0) sum.half_hop_words += static_cast<u128>(words) * group_half_hops();
    }
  }

  u64 group_half_hops() {
    for (FanoutReceiver& r : receivers_) r.offset = 0;
    std::sort(receivers_.begin(), receivers_.end());
    return half_hops(receivers_, rows_);
  }

  void add_units(const Together& f) {
    const std::size_t first = units_.size();
    UnitFetch unit{};
    std::copy_n(f.box.begin(), 4 * t_.rank_count, unit.box.begin());
    unit.receiver.offset = words_.size();  // which of the fetches it is
    words_.push_back(f.words);
    std::vector<u64> id{0};
    units_.push_back(unit);
    const auto dimensions = steps_.dimensions();
    for (std::size_t k = 0; k < dimensions.size(); ++k) {
      const std::size_t here = id.size();
      for (u32 u = f.tile[k].run; u-- > 0;) {
        const i64 low = f.tile[k].low + i64{u} * nest_.tile[at(level_)][dimensions[k]];
        u64 place = 0;
        for (const int l : bits(nest_.of[dimensions[k]] & nest_.fanout[at(level_)])) {
          const TruePlace& p = nest_.place[at(l)];
          place += static_cast<u64>(low) / p.inside % p.end * weight_[at(l)];
        }
        for (std::size_t x = 0; x < here; ++x) {
          UnitFetch next = units_[first + x];
          for (int j = t_.first_of[dimensions[k]]; j < t_.first_of[dimensions[k] + 1]; ++j)
            next.box[4 * t_.by_dimension[at(j)].rank] += i64{t_.by_dimension[at(j)].coefficient} * low;
          if (u != 0) units_.push_back(next), id.push_back(id[x] + place);
          else units_[first + x] = next, id[x] += place;
        }
      }
    }
    for (std::size_t x = 0; x < id.size(); ++x) {
      UnitFetch& u = units_[first + x];
      u.receiver.column = static_cast<u32>(id[x] % columns_);
      u.receiver.row = static_cast<u32>(id[x] / columns_);
    }
  }

  const Compiled& c_;
  const CompiledTensor& t_;
  const TrueNest& nest_;
  int level_;
  UnitDigits unit_;
  StepsOutwards steps_;
  StepProducts products_;
  std::array<u64, kMaxLoops> weight_;  // of the spatial loops, in the numbers of the units
  u64 columns_, rows_;
  std::vector<Together> fetches_;
  std::vector<UnitFetch> units_;
  std::vector<u64> words_;
  std::vector<FanoutReceiver> receivers_;
  std::array<std::vector<TileStep>, kMaxDimensions> merged_;
  std::array<const std::vector<TileStep>*, kMaxDimensions> list_;
  std::deque<std::pair<std::array<std::pair<i64, u32>, kMaxDimensions>, std::vector<MulticastTraffic>>> known_;
  std::vector<MulticastTraffic> groups_, sum_;
  bool meets_ = false;
};

}  // namespace

void multicast_traffic(const Compiled& c, const CompiledTensor& t, const TrueNest& nest, int level,
                       std::vector<MulticastTraffic>& out) {
  MulticastCount(c, t, nest, level).run(out);
}

TrueNetworkSum network_sum(const CompiledLevel& machine, bool is_output, u64 accesses, u64 part,
                           const std::vector<MulticastTraffic>& traffic) {
  TrueNetworkSum out;
  const bool both_ways = is_output && machine.is_dram;
  out.ingress_words = both_ways ? 2 * accesses - part : accesses;
  double raw = 0;  // words before levels that pass the tensor by take their share
  for (const MulticastTraffic& m : traffic) {
    raw += static_cast<double>(m.words);
    out.hop_words += 0.5 * static_cast<double>(m.half_hop_words);
  }
  const auto all = static_cast<double>(both_ways ? out.ingress_words : accesses);
  if (traffic.empty() || all == 0) return out;
  if (both_ways) {
    out.router_words = (1 + std::floor(out.hop_words / all)) * all;
    return out;
  }
  for (const MulticastTraffic& m : traffic) {
    const auto words = static_cast<double>(m.words);
    const double hops = 0.5 * static_cast<double>(m.half_hop_words) * raw / (words * all);
    out.router_words += (1 + std::floor(hops)) * words * all / raw;
  }
  return out;
}

Energy TrueNetworkSum::energy(const CompiledLevel& machine) const {
  const double wire = hop_words * static_cast<double>(machine.hop_units);
  const double routers = router_words * static_cast<double>(machine.router_units);
  return {static_cast<u128>(wire) + static_cast<u128>(routers) +
          static_cast<u128>(ingress_words) * machine.ingress_units};
}

}  // namespace heliolite
