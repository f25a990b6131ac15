#include "engine/model/true_counts/network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/model/true_counts/fetches.h"
#include "engine/model/true_counts/tally.h"

namespace heliolite {

MulticastGroups::MulticastGroups(const CompiledLevel& machine, const CompiledTensor& t, const TrueNest& nest, int level,
                                 std::span<const u8> dimensions)
    : t_(t), nest_(nest), level_(level), dimensions_(dimensions) {
  u64 weight = 1;
  for (const int l : bits(nest.fanout[level])) {
    weight_[l] = weight;
    weight *= nest.place[l].end;
  }
  columns_ = std::max(machine.fanout_x, nest.product_x[level]);
  rows_ = std::max(machine.fanout_y, nest.product_y[level]);
}

const std::vector<MulticastTraffic>& MulticastGroups::of_all(std::span<const StepFetch> together) {
  groups_.clear();
  units_.clear();
  words_.clear();
  for (const StepFetch& f : together) add_units(f);
  std::sort(units_.begin(), units_.end());
  for (std::size_t begin = 0, end = 0; begin < units_.size(); begin = end) {
    receivers_.clear();
    for (; end < units_.size() && units_[end].box == units_[begin].box; ++end)
      receivers_.push_back(units_[end].receiver);
    const u64 words = words_[units_[begin].receiver.offset];
    MulticastTraffic& sum = with_multicast(groups_, receivers_.size());
    sum.words += words;
    if (nest_.fanout[level_] != 0) sum.half_hop_words += static_cast<u128>(words) * group_half_hops();
  }
  return groups_;
}

const std::vector<MulticastTraffic>& MulticastGroups::of_one(const StepFetch& f) {
  thread_local std::vector<KnownGroups> cache(1024);
  KnownGroups::Key key;
  const bool short_enough = describe(f, key);
  std::size_t hash = 0;
  for (const u64 part : key) hash = (hash ^ part) * 0x9e37'79b9'7f4a'7c15;
  StepFetch one = f;
  one.words = 1;
  if (!short_enough) return of_all(std::span(&one, 1));
  KnownGroups& known = cache[(hash >> 32) % cache.size()];
  if (known.key == key) return known.groups;
  known.groups = of_all(std::span(&one, 1));
  known.key = key;
  return known.groups;
}

// False: there are too many loops.
bool MulticastGroups::describe(const StepFetch& f, KnownGroups::Key& key) const {
  key.fill(0);
  key[0] = columns_;
  key[1] = rows_;
  std::size_t n = 2;
  for (const int l : bits(nest_.fanout[level_])) {
    if (n == 2 + KnownGroups::kLoops) return false;
    const TruePlace& p = nest_.place[l];
    key[n++] = u64{p.end} << 8 | u64{p.dimension} << 1 | u64{contains(t_.indexing, p.dimension)};
  }
  n = 2 + KnownGroups::kLoops;
  for (std::size_t k = 0; k < dimensions_.size(); ++k) {
    const LoopMask loops = nest_.of[dimensions_[k]] & nest_.fanout[level_];
    if (loops == 0) continue;
    u64 units = 1;
    for (const int l : bits(loops)) units *= nest_.place[l].end;
    const u64 first = static_cast<u64>(f.tile[k].low) / nest_.tile[level_][dimensions_[k]] % units;
    key[n++] = first << 32 | f.tile[k].run;
  }
  return true;
}

u64 MulticastGroups::group_half_hops() {
  for (FanoutReceiver& r : receivers_) r.offset = 0;
  std::sort(receivers_.begin(), receivers_.end());
  return half_hops(receivers_, rows_);
}

void MulticastGroups::add_units(const StepFetch& f) {
  const std::size_t first = units_.size();
  UnitFetch unit{};
  std::copy_n(f.box.begin(), 4 * t_.rank_count, unit.box.begin());
  unit.receiver.offset = words_.size();  // which of the fetches it is
  words_.push_back(f.words);
  id_.assign(1, 0);
  units_.push_back(unit);
  for (std::size_t k = 0; k < dimensions_.size(); ++k) {
    const std::size_t here = id_.size();
    for (u32 u = f.tile[k].run; u-- > 0;) {
      const i64 low = f.tile[k].low + i64{u} * nest_.tile[level_][dimensions_[k]];
      u64 place = 0;
      for (const int l : bits(nest_.of[dimensions_[k]] & nest_.fanout[level_])) {
        const TruePlace& p = nest_.place[l];
        place += static_cast<u64>(low) / p.inside % p.end * weight_[l];
      }
      for (std::size_t x = 0; x < here; ++x) {
        UnitFetch next = units_[first + x];
        for (int j = t_.first_of[dimensions_[k]]; j < t_.first_of[dimensions_[k] + 1]; ++j)
          next.box[4 * t_.by_dimension[j].rank] += i64{t_.by_dimension[j].coefficient} * low;
        if (u != 0) units_.push_back(next), id_.push_back(id_[x] + place);
        else units_[first + x] = next, id_[x] += place;
      }
    }
  }
  for (std::size_t x = 0; x < id_.size(); ++x) {
    UnitFetch& u = units_[first + x];
    u.receiver.column = static_cast<u32>(id_[x] % columns_);
    u.receiver.row = static_cast<u32>(id_[x] / columns_);
  }
}

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
        groups_(c.level[level], t, nest, level, steps_.dimensions()) {
    meets_ = units_meet(t, nest, level, level);
  }

  void run(std::vector<MulticastTraffic>& out) {
    // Units ask at every step, also through interconnects without a fan-out.
    if (inside_interconnects(c_, level_) == 0 && nest_.first[level_] == 0) {
      step({StepKind::Every, 0});
    } else {
      step({StepKind::First, 0});
      LoopMask moving = 0;
      for (const int d : bits(t_.indexing)) moving |= nest_.of[d];
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
      if (nest_.of[d] != 0) mask = static_cast<DimensionMask>(mask | dimension_bit(d));
    return mask;
  }

  // The tiles of a step. Those of a dimension that does not index the tensor differ in when and where they are only,
  // and where one is not spread over the fan-out, not even in that.
  std::span<const std::vector<TileStep>* const> tiles(StepKind kind) {
    const auto lists = steps_.at_step(kind);
    for (std::size_t k = 0; k < lists.size(); ++k) {
      list_[k] = lists[k];
      if (contains(t_.indexing, steps_.dimensions()[k])) continue;
      const bool spread = (nest_.of[steps_.dimensions()[k]] & nest_.fanout[level_]) != 0;
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
  return {price_of_sending(machine.units[v], ingress_words, hop_words, router_words)};
}

}  // namespace heliolite
