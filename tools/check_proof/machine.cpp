#include "check_proof/machine.h"

#include <algorithm>

namespace check_proof {
namespace {

constexpr std::size_t kMostSets = 4096;

WordPrice energy_of(const Instance& instance, int i, int v) {
  const Level& l = instance.levels[i];
  const Prices& p = l.of[v];
  const u64 scale = instance.scale;
  const i128 word = l.block == 1 ? scale : static_cast<i128>(p.parts) * (scale / l.block);
  const i128 read = p.read * word, fill = p.fill * word, update = p.update * word;
  const i128 address = static_cast<i128>(p.address) * scale;
  if (!instance.tensors[v].is_output) return {read + address, fill + address, 0, 0};
  const bool is_top = i == instance.level_count() - 1;
  return {update + read + address, fill + address, read, is_top ? 0 : fill + address};
}

WordPrice parts_of(const Instance& instance, int i, int v, char kind) {
  const i128 parts = instance.levels[i].of[v].parts;
  const bool is_output = instance.tensors[v].is_output;
  const i128 reads = kind == 'w' ? 0 : parts, writes = kind == 'r' ? 0 : parts;
  if (!is_output) return {reads, writes, 0, 0};
  const bool is_top = i == instance.level_count() - 1;
  return {reads + writes, writes, reads, is_top ? 0 : writes};
}

WordPrice shared_by(const WordPrice& p, u64 clusters, u64 instances) {
  const auto down = [&](i128 x) { return fraction(x, clusters, instances); };
  const auto up = [&](i128 x) { return x - fraction(x, instances - clusters, instances); };
  return {down(p.access), down(p.fill), up(p.first_access), up(p.first_fill)};
}

}  // namespace

Machine::Machine(const Instance& instance) : instance_(instance), tiles_(instance) {
  u64 outside = 1;
  for (int i = levels() - 1; i >= 0; --i) {
    outside *= level(i).fanout_x * level(i).fanout_y;
    outside_[i] = outside;
  }
  for (int i = 0; i < levels(); ++i) {
    unrollings_.push_back(unrollings_of(instance, tiles_, i));
    if (level(i).has_fanout || level(i).has_ingress) ways_ |= bit(i);
    if (level(i).clusters < level(i).instances) shared_ |= bit(i);
    gain_[i].fill(1), summing_[i] = 1;
    for (const Unrolling& u : unrollings_.back()) {
      u64 summed = 1;
      for (int d = 0; d < dimensions(); ++d)
        if (!contains(tensor(output()).indexing, d)) summed *= u.factor[d];
      summing_[i] = std::max(summing_[i], summed);
      for (int v = 0; v < tensors(); ++v) {
        u64& gain = gain_[i][v];
        gain = std::max(gain, static_cast<u64>(ceil_div(u.receivers, least_groups(tensor(v), u))));
      }
    }
  }
  add_prices();
  add_sets();
  const std::size_t count = std::size_t(levels()) * tiles_.count();
  units_ = std::make_unique<std::atomic<u64>[]>(count);
}

void Machine::add_prices() {
  const int n = levels();
  channels_.push_back({});
  for (int i = 0; i < n; ++i)
    for (const Rate& r : level(i).rates) channels_.push_back({i, r});
  price_.resize(channels_.size() * places() * kTensors);
  full_.resize(places() * kTensors);
  for (int i = 0; i < n; ++i)
    for (int v = 0; v < tensors(); ++v) {
      const auto at = [&](std::size_t c, int place) -> WordPrice& {
        return price_[(c * places() + static_cast<std::size_t>(place)) * kTensors + v];
      };
      const Prices& p = level(i).of[v];
      const auto full = [&](int place) -> WordPrice& { return full_[std::size_t(place) * kTensors + v]; };
      full(i) = energy_of(instance_, i, v);
      full(n + i).fill = static_cast<i128>(p.ingress) * instance_.scale;
      full(2 * n + i).fill = level(i).has_hops ? static_cast<i128>(p.hop / 2) * instance_.scale : 0;
      at(0, i) = shared_by(full(i), level(i).clusters, level(i).instances);
      at(0, n + i) = full(n + i), at(0, 2 * n + i) = full(2 * n + i);
      for (std::size_t c = 1; c < channels_.size(); ++c)
        if (channels_[c].level == i) at(c, i) = parts_of(instance_, i, v, channels_[c].rate.kind);
    }
}

void Machine::add_sets() {
  // Levels from `first` on that may hold a tensor next: up to the first that must.
  const auto holders = [&](int v, int first) {
    std::vector<i8> out;
    for (int i = first; i < levels(); ++i) {
      const bool must = contains(level(i).keep, v);
      if (must || contains(level(i).open, v)) out.push_back(static_cast<i8>(i));
      if (must) break;
    }
    return out;
  };
  const auto expand = [&](const Servers& from, int i) {
    std::vector<Servers> out = {from};
    for (int v = 0; v < tensors(); ++v) {
      if (i >= 0 && from[v] != i) continue;
      std::vector<Servers> longer;
      for (const Servers& s : out)
        for (const i8 holder : holders(v, i + 1)) {
          longer.push_back(s);
          longer.back()[v] = holder;
        }
      out = std::move(longer);
      if (out.size() > kMostSets) throw Wrong{0, "too many choices of what levels hold", true};
    }
    return out;
  };
  sets_.push_back(expand(Servers{}, -1));
  for (int i = 0; i + 1 < levels(); ++i) {
    std::map<Servers, u16> known;
    std::vector<Servers> after;
    next_.emplace_back();
    for (const Servers& s : sets_.back()) {
      next_.back().emplace_back();
      for (const Servers& t : expand(s, i)) {
        const auto [found, is_new] = known.try_emplace(t, static_cast<u16>(after.size()));
        if (is_new) after.push_back(t);
        next_.back().back().push_back(found->second);
      }
      if (after.size() > kMostSets) throw Wrong{0, "too many choices of what levels hold", true};
    }
    sets_.push_back(std::move(after));
  }
}

int Machine::set_of(int i, const Servers& servers) const {
  const auto found = std::ranges::find(sets(i), servers);
  return found == sets(i).end() ? -1 : static_cast<int>(found - sets(i).begin());
}

Mask Machine::kept(int i, int set) const {
  Mask out = 0;
  for (int v = 0; v < tensors(); ++v)
    if (sets(i)[set][v] == i) out |= bit(v);
  return out;
}

u64 Machine::gain(int i, int server, int v) const {
  u64 out = 1;
  for (int j = i + 1; j <= server; ++j) out *= gain_[j][v];
  return out;
}

u64 Machine::most_units(int i, u32 tile) const {
  if (i >= levels()) return 1;
  if (!level(i).has_fanout) return most_units(i + 1, tile);
  std::atomic<u64>& known = units_[std::size_t(i) * tiles_.count() + tile];
  if (const u64 units = known.load(std::memory_order_relaxed); units != 0) return units;
  const Digits at = tiles_.digits(tile);
  const Extents extent = tiles_.extents(at), left = tiles_.left(extent);
  const u64 beyond = i + 1 < levels() ? outside_[i + 1] : 1;
  u64 best = 1;
  for (const Unrolling& u : unrollings(i)) {
    if (u.receivers * beyond <= best) break;
    u32 to = 0;
    bool divides = true;
    for (int d = 0; d < dimensions() && divides; ++d) {
      divides = left[d] % u.factor[d] == 0;
      if (divides) to += tiles_.stride(d) * static_cast<u32>(tiles_.of(d).digit(extent[d] * u.factor[d]));
    }
    if (divides) best = std::max(best, u.receivers * most_units(i + 1, to));
  }
  known.store(best, std::memory_order_relaxed);
  return best;
}

u64 Machine::most_first(int i, const Extents& left) const {
  u128 most = 1;
  u64 loops = 1;
  for (int j = i; j < levels(); ++j) most *= summing_[j];
  for (int d = 0; d < dimensions(); ++d)
    if (!contains(tensor(output()).indexing, d)) loops *= left[d];
  return instance_.output_words * static_cast<u64>(std::min<u128>(most, loops));
}

}  // namespace check_proof
