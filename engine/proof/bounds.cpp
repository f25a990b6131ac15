#include "engine/proof/bounds.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/core/parallel.h"

namespace heliolite::proof {
namespace {

u128 scaled_down(u64 words, u64 numerator, u64 denominator) {
  u64 product = 0;
  if (!__builtin_mul_overflow(words, numerator, &product)) return product / denominator;
  return u128{words} * numerator / denominator;
}

// The costs of the flows of one ordering bound: what does not depend on the order is worked out once.
class Orders {
 public:
  Orders(const Question& q, const PricedChannel& channel, const Digits& tile, int level)
      : q_(q), channel_(channel), tile_(tile), level_(level) {}

  void add(const WaitingFlow& f) {
    std::size_t v = 0;
    while (v < tensors_ && tensor_[v] != f.tensor) ++v;
    if (v == tensors_) {
      linear_[v] = 0;
      tensor_[tensors_++] = f.tensor;
    }
    Term& t = term_[count_];
    t = {v, f.filled, f.served, f.price, 0, 1, 0, 0};
    if (f.server != kNobody) {
      const WordPrices& at_level = channel_.price[f.level][f.tensor];
      t.fill = at_level.fill;
      t.access = channel_.price[f.server][f.tensor].access;
      t.refund = u128{at_level.first_fill} * f.first;
      if (t.access != 0) t.gain = q_.gain_between(level_, f.server, f.tensor);
    }
    if (t.gain == 1 && t.refund == 0 && !q_.shapes[f.tensor].slides) {
      linear_[v] += u128{t.filled} * t.fill + u128{t.served} * t.access;
      return;
    }
    meet(f, t, met_[count_]);
    ++count_;
  }

  u128 least() {
    list_loops();
    const std::size_t all = (std::size_t{1} << tensors_) - 1;
    std::fill_n(is_known_.begin(), all + 1, false);
    return least_of(all);
  }

 private:
  // A flow whose cost is not its words times a price.
  struct Term {
    std::size_t v;  // place of its tensor
    u64 filled, served, fill, access, gain, least;
    u128 refund;  // of fills
  };
  // [rank that slides]: positions that are met, and all of them.
  struct Met {
    std::array<u64, kMaxRanks> met, all;
  };
  // A dimension, or all without halos that end the same tensors.
  struct Loop {
    std::size_t ends, slides;  // tensors, by place
    int d;
    u64 iterations;
  };

  // What the tile of the flow meets over all iterations.
  void meet(const WaitingFlow& f, Term& t, Met& positions) const {
    const ProofTensor& shape = q_.shapes[f.tensor];
    if (t.gain == 1 && !shape.slides) return;
    const Digits own = f.digits != nullptr ? *f.digits : q_.tiles.digits(f.tile);
    t.least = f.apart;
    for (int r = 0; r < shape.rank_count; ++r) {
      const u64 covered = q_.coverage(f.tensor, r, own, tile_);
      t.least *= covered;
      if (!shape.rank[r].slides()) continue;
      u64 boxes = shape.extent(q_.tiles, own, r);
      for (const int d : bits(shape.of_rank[r])) boxes *= q_.tiles.left(tile_, d);
      positions.met[r] = positions.all[r] = 1;
      if (covered < boxes) positions.met[r] = covered, positions.all[r] = boxes;
    }
  }

  void list_loops() {
    for (int d = 0; d < q_.tiles.dimension_count(); ++d) {
      Loop loop{0, 0, d, q_.tiles.left(tile_, d)};
      if (loop.iterations == 1) continue;
      for (std::size_t v = 0; v < tensors_; ++v) {
        const ProofTensor& shape = q_.shapes[tensor_[v]];
        if (contains(shape.indexing, d)) loop.ends |= std::size_t{1} << v;
        if (contains(shape.sliding, d)) loop.slides |= std::size_t{1} << v;
      }
      if (loop.ends == 0) continue;
      const auto equals = [&](const Loop& l) { return l.ends == loop.ends && l.slides == 0 && loop.slides == 0; };
      const auto end = loop_.begin() + static_cast<std::ptrdiff_t>(loops_);
      const auto same = std::find_if(loop_.begin(), end, equals);
      if (same != end) same->iterations *= loop.iterations;
      else loop_[loops_++] = loop;
    }
  }

  // The cost of the v-th tensor's flows after this many iterations, closed by a loop over a dimension that slides along
  // one of its ranks, or by any other (-1).
  u128 closed(std::size_t v, int slides_over, u64 iterations) const {
    u128 out = linear_[v] * iterations;
    for (std::size_t k = 0; k < count_; ++k) {
      const Term& t = term_[k];
      if (t.v != v) continue;
      u64 filled = t.filled * iterations, served = t.served * iterations;
      if (slides_over >= 0) {
        const std::size_t rank = q_.shapes[tensor_[v]].rank_of[slides_over];
        const u64 met = met_[k].met[rank], all = met_[k].all[rank];
        if (met != all) {
          filled = static_cast<u64>(scaled_down(filled, met, all));
          served = static_cast<u64>(scaled_down(served, met, all));
        }
      }
      if (t.fill != 0) {
        const u128 cost = u128{filled} * t.fill;
        out += cost > t.refund ? cost - t.refund : 0;
      }
      if (t.access != 0) {
        if (t.gain > 1) served = std::max((served + t.gain - 1) / t.gain, t.least);
        out += u128{served} * t.access;
      }
    }
    return out;
  }

  // The least cost of these tensors' flows. Few of all sets are what loops leave of another.
  u128 least_of(std::size_t set) {
    if (set == 0) return 0;
    if (is_known_[set]) return best_[set];
    u64 iterations = 1;
    bool ends = false;
    for (std::size_t k = 0; k < loops_; ++k) {
      if ((loop_[k].ends & set) == 0) continue;
      iterations *= loop_[k].iterations;
      ends = true;
    }
    std::array<u128, kMaxTensors> plain;  // closed by loops that do not slide
    for (const int v : bits(static_cast<TensorMask>(set))) plain[v] = closed(at(v), -1, iterations);
    u128 least = ends ? kImpossible : 0;
    if (!ends)
      for (const int v : bits(static_cast<TensorMask>(set))) least += plain[v];
    for (std::size_t k = 0; k < loops_; ++k) {
      const Loop& loop = loop_[k];
      if ((loop.ends & set) == 0) continue;
      u128 cost = least_of(set & ~loop.ends);
      for (const int v : bits(static_cast<TensorMask>(loop.ends & set)))
        cost += contains(static_cast<TensorMask>(loop.slides), v) ? closed(at(v), loop.d, iterations) : plain[v];
      least = std::min(least, cost);
    }
    is_known_[set] = true;
    return best_[set] = least;
  }

  const Question& q_;
  const PricedChannel& channel_;
  const Digits& tile_;
  const int level_;
  static constexpr std::size_t kSets = std::size_t{1} << kMaxTensors;
  static constexpr std::size_t kMostTerms = 2 * kMaxTensors + 16;
  // Only what is counted below has been written.
  std::array<Term, kMostTerms> term_;
  std::array<Met, kMostTerms> met_;
  std::array<Loop, kMaxDimensions> loop_;
  std::array<u8, kMaxTensors> tensor_;
  std::array<u128, kMaxTensors> linear_;  // [place]: of flows that cost words times a price, for each iteration
  std::array<u128, kSets> best_;
  std::array<bool, kSets> is_known_;
  std::size_t count_ = 0, loops_ = 0, tensors_ = 0;
};

bool costs(const PricedChannel& channel, const WaitingFlow& f) {
  if (f.server == kNobody) return channel.level < 0;
  return channel.price[f.level][f.tensor].fill != 0 || channel.price[f.server][f.tensor].access != 0;
}

}  // namespace

Bounds::Bounds(const Question& question, std::vector<int> tabled)
    : q_(question), tabled_(std::move(tabled)), table_of_(question.channels.size(), -1) {
  std::size_t sets = 0;
  for (const auto& stage : q_.sets) {
    first_of_.push_back(sets);
    sets += stage.size();
  }
  for (std::size_t k = 0; k < tabled_.size(); ++k) table_of_[tabled_[k]] = static_cast<int>(k);
  with_.resize(sets);
  below_.assign(tabled_.size(), std::vector<Table>(sets));
  for (int i = 0; i <= q_.levels(); ++i) most_units_.emplace_back(i < q_.levels() ? q_.tiles.tile_count() : 0);
}

u64 Bounds::bytes() const {
  u64 tables = 0;
  for (const auto& stage : q_.sets) tables += stage.size();
  return q_.tiles.tile_count() * (sizeof(u128) * tables * (1 + tabled_.size()) + sizeof(u64) * at(q_.levels()));
}

void Bounds::fill(int threads, const std::function<bool()>& over) {
  for (std::size_t table = 0; table < tabled_.size(); ++table)
    for (int i = q_.levels(); i-- > 0;)
      for (std::size_t set = 0; set < q_.sets[i].size(); ++set) {
        if (over()) return;
        fill_stage(table, i, static_cast<int>(set), threads, over);
      }
}

u128 Bounds::ordering(const PricedChannel& channel, std::span<const WaitingFlow> flows, const Digits& tile,
                      int level) const {
  if (std::ranges::none_of(flows, [&](const WaitingFlow& f) { return costs(channel, f); })) return 0;
  Orders orders(q_, channel, tile, level);
  for (const WaitingFlow& f : flows)
    if (costs(channel, f)) orders.add(f);
  return orders.least();
}

// What flows that begin at the stage cost, less what may be refunded of their first accesses, and what is outside.
u128 Bounds::begun(const PricedChannel& channel, int stage, int set, std::size_t next, const Digits& tile,
                   const TensorWords& words) const {
  const ServerSet& from = q_.sets[stage][set];
  const ServerSet& to = q_.sets[at(stage) + 1][from.next[next]];
  std::array<WaitingFlow, kMaxTensors> flows;
  std::size_t count = 0;
  u128 refund = 0;
  for (const int v : bits(from.kept)) {
    const u8 server = to.server[v];
    flows[count++] = {words[v], words[v], 1, 0, 0, 0, static_cast<u8>(v), static_cast<u8>(stage), server, &tile};
    if (v != q_.output) continue;
    flows[count - 1].first = q_.most_first(stage + 1, tile);
    refund = u128{channel.price[server][v].first_access} * q_.most_first(server + 1, tile);
  }
  const u128 cost = ordering(channel, std::span(flows).first(count), tile, stage);
  // Wraps around below zero; sums with what is outside do not.
  return cost - refund;
}

// Fills the table for tiles that differ in the first dimension alone: all that fit, the smallest first. Whether any
// does.
bool Bounds::fill_row(const PricedChannel& channel, std::size_t table, int stage, int set, Tile first,
                      Table& with) const {
  const ServerSet& from = q_.sets[stage][set];
  Digits tile = q_.tiles.digits(first);
  // Only one rank of a tensor grows along a row.
  TensorWords words{}, others{};
  for (const int v : bits(from.in_room)) {
    const ProofTensor& shape = q_.shapes[v];
    others[v] = 1;
    for (int r = 0; r < shape.rank_count; ++r)
      if (!contains(shape.of_rank[r], 0)) others[v] *= shape.extent(q_.tiles, tile, r);
  }
  for (u64 k = 0; k < row(); ++k) {
    tile[0] = static_cast<u16>(k);
    for (const int v : bits(from.in_room)) {
      const ProofTensor& shape = q_.shapes[v];
      words[v] = others[v] * (contains(shape.indexing, 0) ? shape.extent(q_.tiles, tile, shape.rank_of[0]) : 1);
    }
    if (!q_.fits(stage, set, words, 0)) return k > 0;
    u128& least = with[first + k];
    for (std::size_t next = 0; next < from.next.size(); ++next) {
      const u128 outside = below_[table][place_(stage + 1, from.next[next])][first + k];
      if (outside == kImpossible) continue;
      const u128 sum = outside + (from.kept == 0 ? 0 : begun(channel, stage, set, next, tile, words));
      const bool negative = sum >> 127 != 0;
      least = std::min(least, negative ? u128{0} : sum);
    }
  }
  return true;
}

// Makes each entry the least of all tiles that are as often as long along d, which is one dimension after another.
// `fits`: [row]: whether its smallest tile does; otherwise the row and all larger ones are impossible. Of the rows from
// `begin` to `end`, which have all lengths of the dimension.
void Bounds::spread(int d, const std::vector<u8>& fits, u64 begin, u64 end, Table& least) const {
  const std::vector<std::vector<DivisorDigits::Step>>& steps = q_.tiles.of(d).steps;
  const auto take = [](u128& own, const u128& larger) { own = std::min(own, larger); };
  const u64 stride = d == 0 ? 1 : q_.tiles.stride(d) / row();  // in rows
  for (u64 r = begin; r < end && d == 0; ++r)
    for (std::size_t digit = steps.size(); digit-- > 0 && fits[r] != 0;)
      for (const DivisorDigits::Step& step : steps[digit])
        take(least[r * row() + digit], least[r * row() + step.digit]);
  for (u64 r = end; r-- > begin && d > 0;) {
    if (fits[r] == 0) continue;
    const u64 digit = r / stride % steps.size();
    for (const DivisorDigits::Step& step : steps[digit]) {
      const u64 larger = r + (step.digit - digit) * stride;
      if (fits[larger] == 0) continue;
      for (u64 k = 0; k < row(); ++k) take(least[r * row() + k], least[larger * row() + k]);
    }
  }
}

void Bounds::fill_stage(std::size_t table, int stage, int set, int threads, const std::function<bool()>& over) {
  const PricedChannel& channel = q_.channels[tabled_[table]];
  const u64 rows = q_.tiles.tile_count() / row();
  std::vector<u8> fits(rows, 1);
  Table& below = below_[table][place_(stage, set)];
  below.assign(rows * row(), kImpossible);
  if (q_.is_top(stage)) {
    below[q_.tiles.last()] = 0;
  } else {
    constexpr u64 kBlock = 64;
    parallel_for((rows + kBlock - 1) / kBlock, threads, [&](std::size_t block) {
      if (over()) return;
      for (u64 r = block * kBlock; r < std::min(rows, (block + 1) * kBlock); ++r)
        fits[r] = fill_row(channel, table, stage, set, static_cast<Tile>(r * row()), below) ? 1 : 0;
    });
  }
  if (table == 0) with_[place_(stage, set)] = below;
  const InstanceLevel& l = q_.instance.levels[stage];
  const auto grow = [&](int d, u64 begin, u64 end) {
    if (l.loops[d].max > 1 || (l.has_fanout() && l.unroll[d].max > 1)) spread(d, fits, begin, end, below);
  };
  // Dimensions of short strides block by block, while the block is in the cache.
  constexpr u64 kBlockBytes = 512 * 1024;
  int in_blocks = std::min(1, q_.tiles.dimension_count());
  u64 block = 1;
  for (; in_blocks < q_.tiles.dimension_count(); ++in_blocks) {
    const u64 larger = block * q_.tiles.of(in_blocks).divisor.size();
    if (larger * row() * sizeof(u128) > kBlockBytes) break;
    block = larger;
  }
  for (u64 r = 0; r < rows && !over(); r += block)
    for (int d = 0; d < in_blocks; ++d) grow(d, r, r + block);
  for (int d = in_blocks; d < q_.tiles.dimension_count() && !over(); ++d) grow(d, 0, rows);
}

u64 Bounds::most_units(int level, Tile tile) const {
  while (level < q_.levels() && !q_.instance.levels[level].has_fanout()) ++level;
  if (level >= q_.levels()) return 1;
  std::atomic<u64>& known = most_units_[level][tile];
  if (const u64 units = known.load(std::memory_order_relaxed); units != 0) return units;
  const Digits digits = q_.tiles.digits(tile);
  const u64 outside = q_.instances[level];
  u64 best = 1;
  for (const ProofUnrolling& u : q_.unrollings[level]) {
    if (u.receivers * outside <= best) break;
    Tile spread = tile;
    bool divides = true;
    for (int d = 0; d < q_.tiles.dimension_count() && divides; ++d) {
      const u16 digit = q_.tiles.of(d).times[digits[d]][u.digit[d]];
      divides = digit != DivisorDigits::kNone;
      if (divides) spread += q_.tiles.stride(d) * static_cast<Tile>(digit - digits[d]);
    }
    if (divides) best = std::max(best, u.receivers * most_units(level + 1, spread));
  }
  known.store(best, std::memory_order_relaxed);
  return best;
}

}  // namespace heliolite::proof
