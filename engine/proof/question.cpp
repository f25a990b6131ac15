#include "engine/proof/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/integers.h"

namespace heliolite::proof {
namespace {

constexpr u64 kMostCoverages = 4'000'000;
constexpr u64 kMostWords = u64{1} << 62;

// The least product over ranks that receivers of these factors can have.
u64 least_groups(const ProofTensor& t, const ProofTiles& tiles, const Digits& unrolled) {
  u64 out = 1;
  for (std::size_t r = 0; r < t.rank_count; ++r) {
    u64 most = 1;
    for (const int d : bits(t.of_rank[r])) most = std::max(most, tiles.extent(unrolled, d));
    out *= most;
  }
  return out;
}

bool goes_on(const Instance& instance, int level) {
  return level + 1 < instance.level_count() && instance.levels[at(level) + 1].shares;
}

// The next servers that a tensor may have from `level` on, the innermost first. Of levels that share a room only one
// holds it.
std::vector<u8> servers_from(const Instance& instance, int level, int tensor) {
  std::vector<u8> out;
  while (level < instance.level_count() && instance.levels[level].shares) ++level;
  for (int i = level; i < instance.level_count(); ++i) {
    const InstanceLevel& l = instance.levels[i];
    if (contains(l.keep | l.open, tensor)) out.push_back(static_cast<u8>(i));
    if (contains(l.keep, tensor) && !goes_on(instance, i)) break;
  }
  return out;
}

// Whether no level that shares its room holds two tensors.
bool hold_one_each(const Instance& instance, const Servers& server) {
  for (int v = 0; v < instance.tensor_count(); ++v) {
    const int i = server[v];
    if (!instance.levels[i].shares && !goes_on(instance, i)) continue;
    if (std::count(server.begin(), server.begin() + v, server[v]) > 0) return false;
  }
  return true;
}

int index_of(std::vector<ServerSet>& sets, const Servers& server, int stage, const Instance& instance) {
  for (std::size_t k = 0; k < sets.size(); ++k)
    if (sets[k].server == server) return static_cast<int>(k);
  ServerSet set{server, 0, 0, {}};
  int last = stage;
  while (goes_on(instance, last)) ++last;
  for (int v = 0; v < instance.tensor_count(); ++v) {
    if (server[v] == stage) set.kept |= static_cast<TensorMask>(1U << v);
    if (server[v] <= last) set.in_room |= static_cast<TensorMask>(1U << v);
  }
  sets.push_back(set);
  return static_cast<int>(sets.size()) - 1;
}

// Every combination of `choices`, the last tensor's changing fastest.
std::vector<Servers> combinations(const std::vector<std::vector<u8>>& choices) {
  std::vector<Servers> out{Servers{}};
  for (std::size_t v = 0; v < choices.size() && v < kMaxTensors; ++v) {
    std::vector<Servers> longer;
    for (Servers s : out)
      for (const u8 server : choices[v]) {
        s[v] = server;
        longer.push_back(s);
      }
    out = std::move(longer);
  }
  return out;
}

}  // namespace

Result<Question> Question::create(Instance of) {
  const auto large = [](std::string what) { return Diagnostic{"", 0, "proof", "no proof: " + std::move(what)}; };
  ProofTiles space(of);
  if (space.tile_count() > kMaxTableTiles)
    return large(fmt::format("{} tiles, {} at most", space.tile_count(), kMaxTableTiles));
  Question out(std::move(of), std::move(space));
  out.shapes = shapes_of(out.instance);
  out.output = out.instance.output();
  for (const int d : bits(out.shapes[out.output].indexing)) out.output_words *= out.instance.sizes[d];
  out.count_pairs();
  if (const auto problem = out.too_large()) return large(*problem);
  u64 instances = 1;
  for (int i = out.levels(); i-- > 0;) {
    out.instances[i] = instances;
    instances *= out.instance.levels[i].fanout_x * out.instance.levels[i].fanout_y;
  }
  for (int i = 0; i < out.levels(); ++i) {
    out.unrollings.push_back(unrollings_of(out.instance, out.tiles, i));
    for (int v = 0; v < out.tensors(); ++v) {
      const InstancePrices& p = out.instance.levels[i].of[v];
      if (p.ingress != 0) out.ingress_[i] |= static_cast<TensorMask>(1U << v);
      out.hops_[i] |= p.hop != 0;
    }
  }
  out.list_servers();
  out.set_prices();
  out.set_gains();
  out.set_between();
  if (const auto problem = out.set_coverages()) return large(*problem);
  return out;
}

void Question::count_pairs() {
  for (int i = 0; i < levels(); ++i)
    for (int v = 0; v < tensors(); ++v) {
      const InstanceLevel& l = instance.levels[i];
      const bool held = contains(l.keep | l.open, v);
      pair[i][v] = held ? static_cast<u8>(pairs.size()) : kNobody;
      if (held) pairs.emplace_back(static_cast<u8>(i), static_cast<u8>(v));
    }
}

std::optional<std::string> Question::too_large() const {
  if (pairs.size() > kMaxPairs) return fmt::format("more than {} pairs of a level and a tensor", kMaxPairs);
  // A step asks for one word; boxes have more than their points where ranks have coefficients.
  u128 words = instance.macs;
  for (const ProofTensor& t : shapes)
    for (std::size_t r = 0; r < t.rank_count; ++r)
      for (std::size_t k = 0; k < t.rank[r].terms; ++k) words *= std::max<u64>(1, t.rank[r].coefficient[k]);
  u128 most_parts = 1;
  for (const InstanceLevel& l : instance.levels)
    for (const InstancePrices& p : l.of) most_parts = std::max<u128>(most_parts, p.parts);
  // Each word is read and written twice at most, and crosses a network hop by hop; what the checker refuses, too.
  u64 hops = 1;
  for (const InstanceLevel& l : instance.levels)
    if (l.has_fanout() && std::ranges::any_of(l.of, [](const InstancePrices& p) { return p.hop != 0; }))
      hops = std::max(hops, l.fanout_x + l.fanout_y);
  if (words > kMostWords || words * instance.point_cycles > kMostWords || words * most_parts > kMostWords ||
      words * most_parts * 4 > kMostWords / hops)
    return std::string("more than 2^62 words or cycles");
  u128 blocks = 1;
  for (const InstanceLevel& l : instance.levels) blocks = std::lcm(static_cast<u64>(blocks), l.block);
  for (const InstanceLevel& l : instance.levels)
    for (const InstancePrices& p : l.of)
      for (const u64 price : {p.read + p.update + p.address, p.fill + p.address, p.ingress, p.hop})
        if (blocks * price * p.parts >> 62 != 0) return std::string("prices of more than 62 bits in shares of blocks");
  return std::nullopt;
}

void Question::list_servers() {
  sets.resize(at(levels()));
  std::vector<std::vector<u8>> choices;
  for (int v = 0; v < tensors(); ++v) choices.push_back(servers_from(instance, 0, v));
  for (const Servers& s : combinations(choices))
    if (hold_one_each(instance, s)) index_of(sets[0], s, 0, instance);
  for (int i = 0; i + 1 < levels(); ++i)
    for (std::size_t k = 0; k < sets[i].size(); ++k) {
      for (int v = 0; v < tensors(); ++v)
        choices[v] =
            contains(sets[i][k].kept, v) ? servers_from(instance, i + 1, v) : std::vector<u8>{sets[i][k].server[v]};
      for (const Servers& s : combinations(choices))
        if (hold_one_each(instance, s)) sets[i][k].next.push_back(index_of(sets[at(i) + 1], s, i + 1, instance));
    }
}

void Question::set_prices() {
  for (const InstanceLevel& l : instance.levels) scale = std::lcm(scale, l.block);
  PricedChannel energy;
  for (int i = 0; i < levels(); ++i) {
    const InstanceLevel& l = instance.levels[i];
    const u64 clusters = l.clusters, all = instances[i];
    for (int v = 0; v < tensors(); ++v) {
      const InstancePrices& p = l.of[v];
      const u64 share = l.block == 1 ? scale : scale / l.block * p.parts, address = p.address * scale;
      WordPrices& price = full[i][v];
      if (v != output) price = {p.read * share + address, p.fill * share + address, 0, 0};
      else
        price = {(p.update + p.read) * share + address, p.fill * share + address, p.read * share,
                 is_top(i) ? 0 : p.fill * share + address};
      const auto down = [&](u64 x) { return static_cast<u64>(u128{x} * clusters / all); };
      const auto up = [&](u64 x) { return static_cast<u64>((u128{x} * clusters + all - 1) / all); };
      energy.price[i][v] = {down(price.access), down(price.fill), up(price.first_access), up(price.first_fill)};
    }
  }
  channels.push_back(energy);
  for (int i = 0; i < levels(); ++i)
    for (const InstanceRate& rate : instance.levels[i].rates) {
      if (goes_on(i)) continue;
      PricedChannel channel{i, rate.kind, rate.numerator, rate.denominator, {}};
      const u64 reads = rate.kind != 'w', writes = rate.kind != 'r';
      // And of the levels inside that share it.
      for (int j = i; j == i || instance.levels[at(j) + 1].shares; --j)
        for (int v = 0; v < tensors(); ++v) {
          const u64 parts = instance.levels[j].of[v].parts;
          WordPrices& price = channel.price[j][v];
          if (v != output) price = {parts * reads, parts * writes, 0, 0};
          else price = {parts * (reads + writes), parts * writes, parts * reads, is_top(j) ? 0 : parts * writes};
        }
      channels.push_back(channel);
    }
}

void Question::set_gains() {
  for (int i = 0; i < levels(); ++i) {
    std::array<u64, kMaxTensors> most;
    most.fill(1);
    u64 first = 1;
    for (const ProofUnrolling& u : unrollings[i]) {
      for (int v = 0; v < tensors(); ++v)
        most[v] = std::max(most[v], ceil_div(u.receivers, least_groups(shapes[v], tiles, u.digit)));
      u64 summed = 1;
      for (int d = 0; d < tiles.dimension_count(); ++d)
        if (!contains(shapes[output].indexing, d)) summed *= tiles.extent(u.digit, d);
      first = std::max(first, summed);
    }
    gain.push_back(most);
    first_gain.push_back(first);
  }
}

void Question::set_between() {
  for (int level = -1; level < levels(); ++level) {
    Between between{{}, 0};
    between.gain.fill(1);
    std::vector<Between>& row = between_.emplace_back();
    for (int i = 0; i < levels(); ++i) {
      for (int v = 0; v < tensors() && i > level; ++v) {
        between.gain[v] = saturating_product(between.gain[v], gain[i][v]);
        if (instance.levels[i].has_fanout() || contains(ingress_[i], v))
          between.ways |= static_cast<TensorMask>(1U << v);
      }
      row.push_back(between);
    }
  }
  most_summed_.assign(at(levels()) + 1, 1);
  for (int i = levels(); i-- > 0;) most_summed_[i] = saturating_product(most_summed_[at(i) + 1], first_gain[i]);
}

std::optional<std::string> Question::set_coverages() {
  for (int v = 0; v < tensors(); ++v)
    for (std::size_t r = 0; r < shapes[v].rank_count; ++r) {
      const ProofTensor::Rank& rank = shapes[v].rank[r];
      if (!rank.slides()) continue;
      u64 entries = 1;
      for (std::size_t k = 0; k < rank.terms; ++k) {
        const u64 n = tiles.of(rank.dimension[k]).divisor.size();
        entries = saturating_product(entries, n * n);
      }
      if (entries > kMostCoverages) return fmt::format("{} pairs of tiles along a rank that slides", entries);
      std::vector<u64>& table = coverage_[v][r];
      table.assign(entries, 0);
      for (u64 e = 0; e < entries; ++e) {
        u64 rest = e;
        std::array<StridedTerm, kMostStridedTerms> terms;
        std::size_t count = 0;
        bool inside = true;
        for (std::size_t k = 0; k < rank.terms; ++k) {
          const DivisorDigits& of = tiles.of(rank.dimension[k]);
          const u64 n = of.divisor.size(), tile = of.divisor[rest % n], outside = of.divisor[rest / n % n];
          rest /= n * n;
          inside &= outside % tile == 0;
          terms[count++] = {rank.coefficient[k], tile};
          terms[count++] = {rank.coefficient[k] * outside, of.divisor.back() / outside};
        }
        if (inside) table[e] = distinct_sums(std::span(terms).first(count));
      }
    }
  return std::nullopt;
}

u128 Question::parts(int level, TensorMask tensors, const Digits& tile) const {
  u128 out = 0;
  for (const int v : bits(tensors)) out += u128{shapes[v].words(tiles, tile)} * instance.levels[level].of[v].parts;
  return out;
}

bool Question::fits(int level, int set, const Digits& tile, u128 held) const {
  const InstanceLevel& l = instance.levels[level];
  const ServerSet& s = sets[level][set];
  if (s.kept == 0 && s.in_room != 0) return false;
  return !l.room || held + parts(level, s.in_room, tile) <= *l.room;
}

bool Question::fits(int level, int set, const TensorWords& words, u128 held) const {
  const InstanceLevel& l = instance.levels[level];
  const ServerSet& s = sets[level][set];
  if (s.kept == 0 && s.in_room != 0) return false;
  if (!l.room) return true;
  u128 parts = held;
  for (const int v : bits(s.in_room)) parts += u128{words[v]} * l.of[v].parts;
  return parts <= *l.room;
}

u64 Question::coverage(int tensor, int r, const Digits& tile, const Digits& outside) const {
  const ProofTensor::Rank& rank = shapes[tensor].rank[r];
  if (!rank.slides()) return tiles.extent(tile, rank.dimension[0]) * tiles.left(outside, rank.dimension[0]);
  u64 index = 0, radix = 1;
  for (std::size_t k = 0; k < rank.terms; ++k) {
    const u64 n = tiles.of(rank.dimension[k]).divisor.size();
    index += radix * (tile[rank.dimension[k]] + n * outside[rank.dimension[k]]);
    radix *= n * n;
  }
  return coverage_[tensor][r][index];
}

u64 Question::most_first(int level, const Digits& tile) const {
  const auto all = static_cast<DimensionMask>((1U << tiles.dimension_count()) - 1);
  const auto summed = static_cast<DimensionMask>(all & ~shapes[output].indexing);
  return output_words * std::min(most_summed_[level], tiles.left(tile, summed));
}

}  // namespace heliolite::proof
