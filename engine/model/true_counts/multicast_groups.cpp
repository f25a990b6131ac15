#include "engine/model/true_counts/multicast_groups.h"

#include <algorithm>

namespace heliolite {

MulticastGroups::MulticastGroups(const CompiledLevel& machine, const CompiledTensor& t, const TrueNest& nest, int level,
                                 std::span<const u8> dimensions)
    : t_(t), nest_(nest), level_(level), dimensions_(dimensions) {
  u64 weight = 1;
  for (const int l : bits(nest.fanout[at(level)])) {
    weight_[at(l)] = weight;
    weight *= nest.place[at(l)].end;
  }
  columns_ = std::max(machine.fanout_x, nest.product_x[at(level)]);
  rows_ = std::max(machine.fanout_y, nest.product_y[at(level)]);
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
    if (nest_.fanout[at(level_)] != 0) sum.half_hop_words += static_cast<u128>(words) * group_half_hops();
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
  for (const int l : bits(nest_.fanout[at(level_)])) {
    if (n == 2 + KnownGroups::kLoops) return false;
    const TruePlace& p = nest_.place[at(l)];
    key[n++] = u64{p.end} << 8 | u64{p.dimension} << 1 | u64{contains(t_.indexing, p.dimension)};
  }
  n = 2 + KnownGroups::kLoops;
  for (std::size_t k = 0; k < dimensions_.size(); ++k) {
    const LoopMask loops = nest_.of[dimensions_[k]] & nest_.fanout[at(level_)];
    if (loops == 0) continue;
    u64 units = 1;
    for (const int l : bits(loops)) units *= nest_.place[at(l)].end;
    const u64 first = static_cast<u64>(f.tile[k].low) / nest_.tile[at(level_)][dimensions_[k]] % units;
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
      const i64 low = f.tile[k].low + i64{u} * nest_.tile[at(level_)][dimensions_[k]];
      u64 place = 0;
      for (const int l : bits(nest_.of[dimensions_[k]] & nest_.fanout[at(level_)])) {
        const TruePlace& p = nest_.place[at(l)];
        place += static_cast<u64>(low) / p.inside % p.end * weight_[at(l)];
      }
      for (std::size_t x = 0; x < here; ++x) {
        UnitFetch next = units_[first + x];
        for (int j = t_.first_of[dimensions_[k]]; j < t_.first_of[dimensions_[k] + 1]; ++j)
          next.box[4 * t_.by_dimension[at(j)].rank] += i64{t_.by_dimension[at(j)].coefficient} * low;
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

}  // namespace heliolite
