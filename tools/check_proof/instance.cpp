#include "check_proof/instance.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace check_proof {
namespace {

int place_of(std::string_view name, const auto& all, auto&& name_of) {
  const auto found = std::ranges::find(all, name, name_of);
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

// Reads line after line; the keywords of a level have an order, which `rank` remembers.
class InstanceReader {
 public:
  explicit InstanceReader(Lines& lines) : lines_(lines) {}

  Instance run() {
    lines_.next();
    if (lines_.word(0) != "heliolite-instance" || lines_.word(1) != "1" || lines_.count() != 2)
      lines_.wrong("'heliolite-instance 1' expected");
    keyword("unit");
    lines_.expect(2);
    if (lines_.integer(1) > 64) lines_.refuse("no proof with units below 2^-64 pJ");
    out_.unit_bits = static_cast<int>(lines_.integer(1));
    keyword("mac");
    lines_.expect(2);
    out_.mac = lines_.integer(1);
    while (lines_.next_is("dim")) dimension();
    while (lines_.next_is("tensor")) tensor();
    if (std::ranges::count_if(out_.tensors, &Tensor::is_output) != 1) lines_.wrong("exactly one output expected");
    while (lines_.next_is("level")) level();
    if (out_.levels.empty()) lines_.wrong("a level expected behind this line");
    Level& top = out_.levels.back();
    if (top.keep != bit(out_.tensor_count()) - 1) lines_.wrong("an outermost level that keeps every tensor expected");
    if (!lines_.at_end() && !lines_.next_is("heliolite-proof")) {
      lines_.next();
      lines_.wrong("unknown word '" + std::string(lines_.word(0)) + "', or one out of place");
    }
    complete();
    refuse_large();
    return std::move(out_);
  }

 private:
  void keyword(std::string_view word) {
    lines_.next();
    if (lines_.word(0) != word) lines_.wrong("'" + std::string(word) + "' expected");
  }
  std::string new_name(int known, int limit, int have) {
    if (known >= 0) lines_.wrong("a new name expected");
    if (have == limit) lines_.refuse("no proof with more than " + std::to_string(limit) + " of these");
    return std::string(lines_.word(1));
  }
  u64 positive(u64 v) const {
    if (v == 0) lines_.wrong("a number above 0 expected");
    return v;
  }
  int known_dimension(std::string_view name) const {
    const int d = out_.dimension(name);
    if (d < 0) lines_.wrong("a dimension expected, not '" + std::string(name) + "'");
    return d;
  }

  void dimension() {
    lines_.next();
    lines_.expect(3);
    out_.dimensions.push_back(new_name(out_.dimension(lines_.word(1)), kDimensions, out_.dimension_count()));
    out_.size.push_back(lines_.integer(2));
    if (out_.size.back() < 2) lines_.wrong("a size above 1 expected");
    if (out_.size.back() > u64{1} << 32) lines_.refuse("no proof of sizes above 2^32");
  }

  void tensor() {
    lines_.next();
    Tensor t;
    t.name = new_name(out_.tensor(lines_.word(1)), kTensors, out_.tensor_count());
    t.is_output = lines_.word(2) == "output";
    if (!t.is_output && lines_.word(2) != "input") lines_.wrong("input or output expected");
    if (lines_.count() - 3 > kRanks) lines_.refuse("no proof of tensors of more than 8 ranks");
    for (std::size_t k = 3; k < lines_.count(); ++k) rank(t, lines_.word(k));
    if (t.is_output) out_.output = out_.tensor_count();
    if (t.is_output && t.plain != t.indexing) lines_.refuse("no proof for outputs with strides or halos yet");
    out_.tensors.push_back(std::move(t));
  }

  void rank(Tensor& t, std::string_view text) {
    std::vector<Term> terms;
    Mask mask = 0;
    for (const std::string_view part : split(text, '+')) {
      const std::vector<std::string_view> factors = split(part, '*');
      if (factors.size() > 2) lines_.wrong("a summand COEFFICIENT*DIMENSION expected");
      const Term term{factors.size() == 2 ? positive(lines_.integer(factors[0])) : 1, known_dimension(factors.back())};
      if (contains(t.indexing, term.dimension)) lines_.refuse("no proof for a dimension in two ranks of a tensor yet");
      if (term.coefficient > u64{1} << 20) lines_.refuse("no proof of strides above 2^20");
      t.indexing |= bit(term.dimension), mask |= bit(term.dimension);
      t.rank_of[term.dimension] = static_cast<i8>(t.ranks.size());
      t.coefficient[term.dimension] = term.coefficient;
      terms.push_back(term);
    }
    if (terms.size() > kTerms) lines_.refuse("no proof of sums of more than 4 dimensions");
    if (terms.size() > 1) t.sliding |= mask;
    else if (terms[0].coefficient == 1) t.plain |= mask;
    t.of_rank.push_back(mask);
    t.ranks.push_back(std::move(terms));
  }

  void level() {
    static constexpr std::array<std::string_view, 8> kKeywords = {"keep",   "open", "loops", "order",
                                                                  "fanout", "x",    "y",     "unroll"};
    lines_.next();
    Level l;
    l.name = new_name(out_.level(lines_.word(1)), kLevels, out_.level_count());
    if (lines_.count() % 2 != 0) lines_.wrong("a value behind every key expected");
    Prices all;
    std::vector<std::string_view> seen;
    for (std::size_t k = 2; k < lines_.count(); k += 2) level_key(l, all, lines_.word(k), lines_.word(k + 1), seen);
    l.of.fill(all);
    for (Mask valued = 0; lines_.next_is("value");) value(l, all, valued);
    if (!lines_.next_is("keep")) {
      lines_.next();
      lines_.wrong("'keep' expected");
    }
    for (std::size_t k = 0; k < kKeywords.size(); ++k) {
      if (k > 4 && !l.has_fanout) break;
      if (!lines_.next_is(kKeywords[k])) continue;
      lines_.next();
      constraint(l, k);
    }
    out_.levels.push_back(std::move(l));
  }

  void level_key(Level& l, Prices& all, std::string_view key, std::string_view text,
                 std::vector<std::string_view>& seen) {
    if (std::ranges::count(seen, key) != 0) lines_.wrong("a key once expected");
    seen.push_back(key);
    if (key == "room") {
      l.is_bounded = text != "-";
      if (l.is_bounded) l.room = lines_.integer(text);
    } else if (key == "bw-r" || key == "bw-w" || key == "bw-s") {
      const std::vector<std::string_view> parts = split(text, '/');
      if (parts.size() != 2) lines_.wrong("PARTS/CYCLES expected");
      l.rates.push_back({key[3], positive(lines_.integer(parts[0])), positive(lines_.integer(parts[1]))});
    } else if (key == "block") l.block = positive(lines_.integer(text));
    else if (key == "leak") l.leak = lines_.integer(text);
    else if (key == "clusters") l.clusters = positive(lines_.integer(text));
    else price(all, key, text, false);
  }

  void price(Prices& p, std::string_view key, std::string_view text, bool of_tensor) {
    const u64 v = lines_.integer(text);
    if (of_tensor && key == "parts") p.parts = positive(v);
    else if (key == "read") p.read = v;
    else if (key == "fill") p.fill = v;
    else if (key == "update") p.update = v;
    else if (key == "address") p.address = v;
    else if (key == "ingress") p.ingress = v;
    else if (key == "hop") p.hop = v;
    else lines_.wrong("unknown key '" + std::string(key) + "'");
    if (key == "hop" && v % 2 != 0) lines_.wrong("an even price of a hop expected");
  }

  // Of one tensor; where there are such lines, the level's own has no prices.
  void value(Level& l, const Prices& all, Mask& valued) {
    lines_.next();
    if ((all.read | all.fill | all.update | all.address | all.ingress | all.hop) != 0)
      lines_.wrong("no prices at the level where tensors have their own expected");
    const int v = out_.tensor(lines_.word(1));
    if (v < 0 || contains(valued, v)) lines_.wrong("another tensor expected");
    valued |= bit(v);
    if (lines_.count() % 2 != 0) lines_.wrong("a value behind every key expected");
    for (std::size_t k = 2; k < lines_.count(); k += 2) price(l.of[v], lines_.word(k), lines_.word(k + 1), true);
  }

  void constraint(Level& l, std::size_t keyword) {
    switch (keyword) {
      case 0: l.keep = tensors(); return;
      case 1: l.open = tensors() & ~l.keep; return;
      case 2: limits(l.loops); return;
      case 3: l.order = dimensions(); return;
      case 4:
        if (lines_.count() == 4 && lines_.word(3) == "one") l.one_axis = true;
        else if (!(lines_.count() == 4 && lines_.word(3) == "any")) lines_.expect(3);
        l.fanout_x = positive(lines_.integer(1)), l.fanout_y = positive(lines_.integer(2));
        if (l.fanout_x > u64{1} << 24 || l.fanout_y > u64{1} << 24) lines_.refuse("no proof of larger fan-outs");
        if (l.fanout_x * l.fanout_y == 1) lines_.wrong("a fan-out above 1 expected");
        l.has_fanout = true;
        return;
      case 5: l.x = dimensions(); return;
      case 6: l.y = dimensions(); return;
      default: limits(l.unroll);
    }
  }
  Mask tensors() {
    Mask out = 0;
    if (lines_.count() == 2 && lines_.word(1) == "-") return 0;
    for (std::size_t k = 1; k < lines_.count(); ++k) {
      const int v = out_.tensor(lines_.word(k));
      if (v < 0) lines_.wrong("a tensor expected, not '" + std::string(lines_.word(k)) + "'");
      out |= bit(v);
    }
    return out;
  }
  std::vector<int> dimensions() {
    std::vector<int> out;
    if (lines_.count() == 2 && lines_.word(1) == "-") return out;
    for (std::size_t k = 1; k < lines_.count(); ++k) {
      out.push_back(known_dimension(lines_.word(k)));
      if (std::ranges::count(out, out.back()) != 1) lines_.wrong("a dimension once expected");
    }
    return out;
  }
  void limits(std::array<Limit, kDimensions>& of) {
    for (std::size_t k = 1; k < lines_.count(); ++k) {
      const std::vector<std::string_view> parts = split(lines_.word(k), ':');
      const std::vector<std::string_view> ends = split(parts.back(), '-');
      if (parts.size() != 2 || ends.size() != 2) lines_.wrong("DIMENSION:LEAST-MOST expected");
      of[known_dimension(parts[0])] = {lines_.integer(ends[0]), lines_.integer(ends[1])};
    }
  }

  // What follows from the lines.
  void complete() {
    u64 outside = 1;
    for (std::size_t i = out_.levels.size(); i-- > 0;) {
      Level& l = out_.levels[i];
      l.instances = outside;
      if (outside > (u64{1} << 40) / (l.fanout_x * l.fanout_y)) lines_.refuse("no proof of more than 2^40 units");
      outside *= l.fanout_x * l.fanout_y;
      l.clusters = std::min(l.clusters == 0 ? l.instances : l.clusters, l.instances);
      for (const Prices& p : l.of) l.has_ingress |= p.ingress != 0, l.has_hops |= p.hop != 0;
      l.has_hops &= l.has_fanout;
      if (l.has_hops && i == 0) lines_.refuse("no proof for hops to the compute units yet");
      if (l.block > u64{1} << 20) lines_.refuse("no proof of blocks of more than 2^20 parts");
      const u64 shared = std::gcd(out_.scale, l.block);
      if (out_.scale > (u64{1} << 32) / (l.block / shared))
        lines_.refuse("no proof of blocks without a small multiple");
      out_.scale *= l.block / shared;
    }
  }

  // Products that are never checked again stay below the largest that are found here.
  void refuse_large() {
    u128 words = 1, energy = out_.mac, leak = 0, cycles = 0;
    u64 stretch = 1, parts = 1, hops = 1;
    const auto grow = [&](u128& v, u128 by, int bits) {
      if (v > (static_cast<u128>(1) << bits) / std::max<u128>(by, 1))
        lines_.refuse("no proof of numbers as large as these yet");
      v *= by;
    };
    for (const u64 s : out_.size) grow(words, s, 62);
    out_.macs = static_cast<u64>(words);
    for (const Tensor& t : out_.tensors) {
      u128 box = 1;
      for (const auto& rank : t.ranks) {
        u64 sum = 0;
        for (const Term& term : rank) sum += term.coefficient;
        grow(box, sum, 62);
      }
      stretch = std::max(stretch, static_cast<u64>(box));
    }
    for (const int d : dimensions_of(out_.tensors[out_.output].indexing)) out_.output_words *= out_.size[d];
    grow(words, stretch, 62);
    for (const Level& l : out_.levels) {
      for (const Prices& p : l.of) {
        parts = std::max(parts, p.parts);
        u128 hop = p.hop, of_word = static_cast<u128>(p.read) + p.fill + p.update + p.address + p.ingress;
        grow(hop, l.fanout_x + l.fanout_y, 100);
        energy += of_word + hop;
      }
      u128 of_level = l.leak;
      grow(of_level, l.instances, 100);
      leak += of_level;
      hops = std::max(hops, l.fanout_x + l.fanout_y);
    }
    // Each word is read and written twice at most.
    u128 moved = words;
    grow(moved, 4, 62), grow(moved, parts, 62);
    cycles = moved;
    for (const Level& l : out_.levels)
      for (const Rate& r : l.rates) {
        u128 of_rate = moved;
        grow(of_rate, r.cycles, 125);
        cycles = std::max(cycles, of_rate / r.parts + 1);
      }
    grow(cycles, 1, 62);
    energy += leak;
    grow(energy, parts, 100), grow(energy, out_.scale, 110), grow(energy, 8, 110);
    u128 rounded = energy;  // of all instances
    grow(rounded, 64 * out_.levels[0].instances, 120);
    grow(energy, std::max(moved, cycles), 120);
    grow(words, 4, 62), grow(words, hops, 62);
  }
  std::vector<int> dimensions_of(Mask mask) const {
    std::vector<int> out;
    for (int d = 0; d < out_.dimension_count(); ++d)
      if (contains(mask, d)) out.push_back(d);
    return out;
  }

  Lines& lines_;
  Instance out_;
};

}  // namespace

int Instance::dimension(std::string_view name) const { return place_of(name, dimensions, std::identity{}); }
int Instance::tensor(std::string_view name) const { return place_of(name, tensors, &Tensor::name); }
int Instance::level(std::string_view name) const { return place_of(name, levels, &Level::name); }

Instance read_instance(Lines& lines) { return InstanceReader(lines).run(); }

}  // namespace check_proof
