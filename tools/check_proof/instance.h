#pragma once
// The instance: what is legal and what it costs, as integers. This and docs/cost_model.md are all that a proof trusts.
#include <bit>
#include <functional>
#include <numeric>

#include "check_proof/text.h"
namespace check_proof {
inline constexpr int kDimensions = 12, kTensors = 8, kLevels = 10, kRanks = 8;
using Mask = u32;  // of dimensions, tensors or levels
constexpr bool contains(Mask mask, int k) { return (mask >> k & 1) != 0; }
constexpr Mask bit(int k) { return Mask{1} << k; }
struct Tensor {
  std::string name;
  std::vector<std::vector<int>> ranks;        // dimensions that are added up
  std::vector<Mask> along;                    // [rank]: the same
  Mask indexing = 0, plain = 0, sliding = 0;  // dimensions in its ranks; alone, with coefficient 1; with others
  std::array<int, kDimensions> rank_of{};
  std::array<u64, kDimensions> coefficient{};
};

// What a level asks for one tensor: the parts of the level's words that a word takes, prices in units of the instance.
enum Price : u8 { kRead, kFill, kUpdate, kAddress, kIngress, kHop, kParts };
inline constexpr std::array<std::string_view, 7> kPrices = {"read",    "fill", "update", "address",
                                                            "ingress", "hop",  "parts"};
using Prices = std::array<u64, kPrices.size()>;

// What an instance of a level moves at most: `parts` in `cycles`.
struct Rate {
  char kind = 'r';  // r: reads, w: fills and updates, s: both together
  u64 parts = 1, cycles = 1;
};
struct Limit {
  u64 least = 1, most = 1;
  bool allows(u64 factor) const { return least <= factor && factor <= most; }
};
struct Level {
  std::string name;
  u64 room = ~u64{0}, block = 1, leak = 0;
  u64 clusters = ~u64{0}, instances = 1;  // of all fan-outs outside; a cluster has one access at a time
  std::array<Prices, kTensors> of{};
  std::vector<Rate> rates;
  Mask keep = 0, open = 0;
  std::array<Limit, kDimensions> loops{}, unroll{};
  std::vector<int> order, x, y;  // dimensions of temporal loops, and of those that may be unrolled; innermost first
  u64 fanout_x = 1, fanout_y = 1;
  bool one_axis = false, has_fanout = false, has_ingress = false, has_hops = false;
  bool shares = false;  // its room and rates with the level inside, of which it holds other tensors
};
struct Instance {
  int unit_bits = 0;
  u64 mac = 0, macs = 1, point = 1;  // point: cycles of a compute unit for a MAC, or what it does in place of one
  std::vector<std::string> dimensions;
  std::vector<u64> size;
  std::vector<Tensor> tensors;
  std::vector<Level> levels;  // innermost first
  int output = -1;
  u64 output_words = 1;
  u64 scale = 1;  // bounds count energy in 1/scale of a unit: the least common multiple of the blocks
};

// The place of what has this name; -1: nothing has.
template <class NameOf = std::identity>
int place_of(const auto& name, const auto& all, NameOf name_of = {}) {
  const auto found = std::ranges::find(all, name, name_of);
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}
inline int dimension_of(const Instance& in, std::string_view name) { return place_of(name, in.dimensions); }
inline int tensor_of(const Instance& in, std::string_view name) { return place_of(name, in.tensors, &Tensor::name); }
inline int level_of(const Instance& in, std::string_view name) { return place_of(name, in.levels, &Level::name); }

class InstanceReader {
 public:
  explicit InstanceReader(Lines& lines) : l_(lines) {}
  // The lines up to that of the proof, or the end of the text. Wrong where one is unknown or out of place; refused
  // where numbers could leave 64 bits (words) or 120 (energy), or the instance is of a kind that there are no proofs
  // of.
  Instance run() {
    l_.must("heliolite-instance 1", 2);
    l_.mark();
    l_.must("unit", 2);
    if (l_.integer(l_.word(1)) > 64) l_.refuse("no proof with units below 2^-64 pJ");
    out_.unit_bits = static_cast<int>(l_.integer(l_.word(1)));
    l_.must("mac", 2);
    out_.mac = l_.integer(l_.word(1));
    if (l_.take("cycles", 2)) out_.point = l_.positive(l_.word(1));
    while (l_.take("dim", 3)) {
      out_.dimensions.push_back(new_name(l_.word(1), dimension_of, out_.size.size(), kDimensions));
      out_.size.push_back(l_.integer(l_.word(2)));
      if (out_.size.back() < 2) l_.wrong("a size above 1 expected");
    }
    while (l_.take("tensor")) tensor();
    if (out_.output < 0) l_.wrong("an output expected");
    while (l_.take("level")) level();
    if (out_.levels.empty() || out_.levels.back().shares ||
        out_.levels.back().keep != bit(static_cast<int>(out_.tensors.size())) - 1)
      l_.wrong("an outermost level that keeps every tensor expected");
    if (!l_.at_end() && !Lines(l_).take("heliolite-proof")) l_.must("heliolite-proof", 0);
    complete();
    return std::move(out_);
  }

 private:
  std::string new_name(std::string_view name, const auto& find, std::size_t have, std::size_t most) const {
    if (find(out_, name) >= 0) l_.wrong("a new name expected");
    if (have == most) l_.refuse("no proof with more than " + std::to_string(most) + " of these");
    return std::string(name);
  }
  void tensor() {
    Tensor t;
    t.name = new_name(l_.word(1), tensor_of, out_.tensors.size(), kTensors);
    const bool is_output = l_.word(2) == "output";
    if (is_output ? out_.output >= 0 : l_.word(2) != "input") l_.wrong("inputs and one output expected");
    for (std::size_t k = 3; k < l_.count(); ++k) rank(t, l_.word(k));
    if (is_output) out_.output = static_cast<int>(out_.tensors.size());
    if (is_output && t.plain != t.indexing) l_.refuse("no proof for outputs with strides or halos yet");
    out_.tensors.push_back(std::move(t));
  }
  void rank(Tensor& t, std::string_view text) {
    Mask mask = 0;
    t.ranks.emplace_back();
    if (t.ranks.size() > kRanks) l_.refuse("no proof of tensors of more than 8 ranks");
    for (const std::string_view part : split(text, '+')) {
      const std::vector<std::string_view> factors = split(part, '*');
      const int d = dimension_of(out_, factors.back());
      if (factors.size() > 2 || d < 0) l_.wrong("sums of COEFFICIENT*DIMENSION expected");
      if (contains(t.indexing, d)) l_.refuse("no proof for a dimension in two ranks of a tensor yet");
      mask |= bit(d), t.indexing |= mask;
      t.rank_of[d] = static_cast<int>(t.ranks.size()) - 1;
      t.coefficient[d] = factors.size() == 2 ? l_.positive(factors[0]) : 1;
      if (t.coefficient[d] > u64{1} << 20) l_.refuse("no proof of strides above 2^20");
      t.ranks.back().push_back(d);
    }
    t.along.push_back(mask);
    if (t.ranks.back().size() > 1) t.sliding |= mask;
    else if (t.coefficient[t.ranks.back()[0]] == 1) t.plain |= mask;
  }
  void level() {
    Level l;
    l.name = new_name(l_.word(1), level_of, out_.levels.size(), kLevels);
    Prices all{};
    all[kParts] = 1;
    each_key([&](std::string_view key, std::string_view text) { level_key(l, all, key, text); });
    l.of.fill(all);
    for (Mask valued = 0; l_.take("value");) {
      const int v = tensor_of(out_, l_.word(1));
      if (v < 0 || contains(valued, v)) l_.wrong("another tensor expected");
      valued |= bit(v);
      each_key([&](std::string_view key, std::string_view text) { price(l.of[v], key, text); });
    }
    l_.must("keep", 0);
    l.keep = tensors();
    if (l_.take("open")) l.open = tensors() & ~l.keep;
    if (l_.take("loops")) limits(l.loops);
    if (l_.take("order")) l.order = named(dimension_of);
    l.has_fanout = l_.take("fanout");
    if (l.has_fanout) {
      l.one_axis = l_.count() == 4 && l_.word(3) == "one";
      if (!l.one_axis && (l_.count() != 4 || l_.word(3) != "any")) l_.expect("fanout", 3);
      l.fanout_x = l_.positive(l_.word(1)), l.fanout_y = l_.positive(l_.word(2));
      if (product({l.fanout_x, l.fanout_y}, 40) == 1) l_.wrong("a fan-out above 1 expected");
      if (l_.take("x")) l.x = named(dimension_of);
      if (l_.take("y")) l.y = named(dimension_of);
      if (l_.take("unroll")) limits(l.unroll);
    }
    if (l_.take("uneven", 1)) uneven(l);
    else out_.levels.push_back(std::move(l));
  }
  // A level whose tensors have tiles of their own is as many levels, which share its room and rates. Its fan-out and
  // what leaks are the innermost one's.
  void uneven(Level& l) {
    const std::string name = l.name;
    for (int k = 1; k <= std::max(1, std::popcount(l.keep | l.open)); ++k) {
      l.name = new_name(name + "." + std::to_string(k), level_of, out_.levels.size(), kLevels);
      l.shares = k > 1;
      out_.levels.push_back(l);
      l.leak = 0, l.fanout_x = l.fanout_y = 1, l.has_fanout = false, l.unroll = {};
      for (Prices& p : l.of) p[kIngress] = p[kHop] = 0;
    }
  }
  // Keys with a value each, behind the first two words.
  void each_key(const auto& visit) {
    if (l_.count() % 2 != 0) l_.wrong("a value behind every key expected");
    for (std::size_t k = 2; k < l_.count(); k += 2) {
      if (std::count(l_.words().begin() + 2, l_.words().end(), l_.word(k)) != 1) l_.wrong("a key once expected");
      visit(l_.word(k), l_.word(k + 1));
    }
  }
  void level_key(Level& l, Prices& all, std::string_view key, std::string_view text) const {
    if (key == "bw-r" || key == "bw-w" || key == "bw-s") {
      const std::vector<std::string_view> parts = split(text, '/');
      if (parts.size() != 2) l_.wrong("PARTS/CYCLES expected");
      l.rates.push_back({key[3], l_.positive(parts[0]), l_.positive(parts[1])});
    } else if (key == "room") l.room = text == "-" ? l.room : l_.integer(text);
    else if (key == "block") l.block = l_.positive(text);
    else if (key == "leak") l.leak = l_.integer(text);
    else if (key == "clusters") l.clusters = l_.positive(text);
    else price(all, key == "parts" ? "" : key, text);
  }
  void price(Prices& p, std::string_view key, std::string_view text) const {
    const int k = place_of(key, kPrices);
    if (k < 0) l_.wrong("'" + std::string(key) + "' is no key");
    p[k] = k == kParts ? l_.positive(text) : l_.integer(text);
    if (p[kHop] % 2 != 0) l_.wrong("an even price of a hop expected");
  }
  // What the words of the current line name, behind the first; -: nothing.
  std::vector<int> named(const auto& find) const {
    std::vector<int> out;
    for (std::size_t k = 1; k < l_.count() && (l_.count() != 2 || l_.word(1) != "-"); ++k) {
      out.push_back(find(out_, l_.word(k)));
      if (out.back() < 0 || std::ranges::count(out, out.back()) > 1) l_.wrong("known names, once each, expected");
    }
    return out;
  }
  Mask tensors() const {
    Mask out = 0;
    for (const int v : named(tensor_of)) out |= bit(v);
    return out;
  }
  void limits(std::array<Limit, kDimensions>& of) const {
    for (std::size_t k = 1; k < l_.count(); ++k) {
      const std::vector<std::string_view> parts = split(l_.word(k), ':'), ends = split(parts.back(), '-');
      const int d = dimension_of(out_, parts[0]);
      if (parts.size() != 2 || ends.size() != 2 || d < 0) l_.wrong("DIMENSION:LEAST-MOST expected");
      of[d] = {l_.integer(ends[0]), l_.integer(ends[1])};
    }
  }
  // What follows from the lines; and everything that is counted stays below the products that are taken here.
  void complete() {
    out_.macs = product(out_.size, 62);
    for (std::size_t d = 0; d < out_.size.size(); ++d)
      if (contains(out_.tensors[out_.output].indexing, static_cast<int>(d))) out_.output_words *= out_.size[d];
    u64 outside = 1, parts = 1, hops = 1, leak = 0, dearest = out_.mac, slowest = out_.point;
    for (std::size_t i = out_.levels.size(); i-- > 0;) {
      Level& l = out_.levels[i];
      l.instances = outside, l.clusters = std::min(l.clusters, outside);
      outside = product({outside, l.fanout_x * l.fanout_y}, 40);
      out_.scale = product({out_.scale, l.block / std::gcd(out_.scale, l.block)}, 32);
      leak += product({l.leak, l.instances}, 58);
      for (const Rate& r : l.rates) slowest = std::max(slowest, r.cycles / r.parts + 1), product({r.cycles}, 60);
      for (const Prices& p : l.of) {
        l.has_ingress |= p[kIngress] != 0, l.has_hops |= p[kHop] != 0 && l.has_fanout;
        parts = std::max(parts, p[kParts]);
        for (const Price k : {kRead, kFill, kUpdate, kAddress, kIngress, kHop})
          dearest = std::max(dearest, product({p[k], p[kParts]}, 60));
      }
    }
    for (const Level& l : out_.levels) hops = l.has_hops ? std::max(hops, l.fanout_x + l.fanout_y) : hops;
    if (out_.levels[0].has_hops) l_.refuse("no proof for hops to the compute units yet");
    // Each word is read and written twice at most; tiles have no more words than points, times the coefficients.
    std::vector<u64> moved = {out_.macs, 4, parts, hops};
    for (const Tensor& t : out_.tensors)
      for (const u64 c : t.coefficient) moved.push_back(std::max<u64>(c, 1));
    const u64 words = product(moved, 62), cycles = product({words, slowest}, 62);
    const u64 price = product({dearest, out_.scale, 4}, 61);
    if (std::bit_width(price) + std::bit_width(words) > 112 ||  // energies of all levels and tensors: below 2^120
        std::bit_width(leak) + std::bit_width(cycles) + std::bit_width(out_.scale) > 118)
      l_.refuse("no proof of numbers as large as these yet");
  }
  u64 product(const std::vector<u64>& factors, int bits) const {  // refused where it does not fit
    u64 out = 1;
    for (const u64 f : factors) {
      if (f != 0 && out > ((u64{1} << bits) - 1) / f) l_.refuse("no proof of numbers as large as these yet");
      out *= f;
    }
    return out;
  }
  Lines& l_;
  Instance out_;
};

inline Instance read_instance(Lines& lines) { return InstanceReader(lines).run(); }
}  // namespace check_proof
