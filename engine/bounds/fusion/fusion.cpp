#include "engine/bounds/fusion/fusion.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/bounds/curve/orojenesis_choices.h"

namespace heliolite {
namespace {

// Weights that do not stay are used once in a block: a tile of more than one word gains nothing. Units.
u64 weight_tile(const FusedLink& f) { return std::min(f.weight_size, f.group_weights); }

// One way to run a block of rows, weights aside: the links run one after the other, or those of a pair in turns.
struct BlockPlan {
  FusedTiles tiles;
  u64 accesses = 0;                   // of first operand and last output, all blocks
  std::array<u64, kMaxFused> held{};  // [link]: units while it runs
  u64 most = 0;                       // the largest of them

  // Room while the link runs with a tile of its weights, and while all other links run without one.
  u64 with_tile(std::size_t e, const FusedLink& f) const { return std::max(most, held[e] + weight_tile(f)); }
  // Whether no choice of weights makes the other plan better.
  bool beats(const BlockPlan& other, const std::vector<FusedLink>& links) const {
    if (accesses > other.accesses || most > other.most) return false;
    for (std::size_t e = 0; e < links.size(); ++e)
      if (with_tile(e, links[e]) > other.with_tile(e, links[e])) return false;
    return true;
  }
};

class FusionSearch {
 public:
  FusionSearch(const FusedRows& segment, const FusionOptions& options)
      : options_(options), segment_(segment), links_(segment.links), curve_(segment.grain) {
    for (std::size_t e = 1; e < links_.size(); ++e) lines_kept_ += links_[e].overlap * links_[e].input_row;
  }

  FusedCurve run() {
    for (const RowBlocks& blocks : row_blocks(segment_, options_.perfect)) {
      blocks_ = blocks;
      plans_.clear();
      for (const bool whole_input : {false, true}) {
        by_rows(whole_input);
        if (links_.size() == 2) spilled(whole_input);
      }
      input_again();
      for (const BlockPlan& plan : plans_) keep_weights(plan);
    }
    if (links_.size() == 2) {
      blocks_ = {1, segment_.rows};
      for (const bool whole_output : {false, true}) weights_outer(whole_output);
    }
    return std::move(curve_);
  }

 private:
  u64 blocks() const { return blocks_.in(segment_.rows); }

  // Rows of the link's operand that a block needs besides what is left of the block before.
  u64 new_lines(std::size_t e) const { return blocks_.rows * links_[e].scale * links_[e].stride; }
  // Units of a block's rows of operand and output, and of a column of them.
  u64 input_rows(std::size_t e) const { return new_lines(e) * links_[e].input_row; }
  u64 output_rows(std::size_t e) const { return blocks_.rows * links_[e].scale * links_[e].output_row; }
  u64 output_column(std::size_t e) const { return output_rows(e) / columns_passed(e); }
  // Columns that the link can make one after the other, and that the next one, if there is one, can use so.
  u64 columns_passed(std::size_t e) const {
    const bool last = e + 1 == links_.size();
    return last ? links_[e].output_columns : std::gcd(links_[e].output_columns, links_[e + 1].input_columns);
  }
  // A column of the link before, as this link reads it.
  u64 column_read(std::size_t e) const { return input_rows(e) / columns_passed(e - 1); }

  // The first operand's rows: whole ones stay until the next block needs other lines; of columns the shared lines are
  // read again.
  u64 first_rows(bool whole) const {
    const u64 pictures = std::max<u64>(1, blocks_.rows / segment_.picture);
    const u64 units = (new_lines(0) + pictures * links_[0].overlap) * links_[0].input_row;
    return whole ? units : units / links_[0].input_columns;
  }
  u64 first_accesses(bool whole) const {
    const FusedLink& f = links_[0];
    if (whole || f.overlap == 0) return f.input_rows * f.input_row;
    const u64 edges = std::max(blocks(), segment_.rows / segment_.picture);
    return (segment_.rows * f.scale * f.stride + edges * f.overlap) * f.input_row;
  }
  u64 last_accesses() const { return segment_.rows * links_.back().output_row; }

  // A pair's intermediate is never whole: a normalisation needs it so, a softmax unless it is incremental.
  bool may_pair(std::size_t e) const {
    const Operator op = links_[e + 1].before;
    return (e == 0 || options_.inner_pairs) && op != Operator::Norm &&
           (op != Operator::Softmax || options_.incremental_softmax);
  }

  void propose(BlockPlan plan) {
    plan.most = *std::ranges::max_element(plan.held);
    if (std::ranges::any_of(plans_, [&](const BlockPlan& p) { return p.beats(plan, links_); })) return;
    std::erase_if(plans_, [&](const BlockPlan& p) { return plan.beats(p, links_); });
    plans_.push_back(plan);
  }

  // Template Rows: every set of disjoint neighbouring pairs.
  void by_rows(bool whole_input) {
    BlockPlan plan;
    plan.tiles = {.how = FusionTemplate::Rows, .rows = blocks_.rows, .whole_input = whole_input};
    plan.accesses = first_accesses(whole_input) + last_accesses();
    pair_up(0, whole_input, plan);
  }

  void pair_up(std::size_t e, bool whole_input, const BlockPlan& plan) {
    if (e == links_.size()) return propose(plan);
    const bool last = e + 1 == links_.size();
    const u64 input = e == 0 ? first_rows(whole_input) : input_rows(e);
    BlockPlan single = plan;
    single.held[e] = input + (last ? output_column(e) : output_rows(e));
    pair_up(e + 1, whole_input, single);
    if (last || !may_pair(e) || (e == 0 && !whole_input)) return;
    BlockPlan paired = plan;
    paired.tiles.pairs |= u64{1} << e;
    paired.held[e] = input + output_column(e) + output_rows(e + 1);
    paired.held[e + 1] = input + column_read(e + 1) + output_rows(e + 1);
    pair_up(e + 2, whole_input, paired);
  }

  // N2: numbers of parts of a row of the first intermediate.
  template <class Body>
  void for_each_part(Body body) const {
    const u64 columns = columns_passed(0);
    const bool divided = options_.perfect || columns > kMaxDimensionSize;
    for (const u64 size : tile_sizes(columns, divided ? TileSizes::Divisors : TileSizes::Least))
      if (size < columns) body(ceil_div(columns, size), size);
  }

  void input_again() {
    if (!may_pair(0)) return;
    for_each_part([&](u64 parts, u64 columns) {
      BlockPlan plan;
      plan.tiles = {
          .how = FusionTemplate::InputAgain, .rows = blocks_.rows, .part = columns, .parts = parts, .pairs = 1};
      plan.accesses = parts * first_accesses(false) + last_accesses();
      plan.held[0] = first_rows(false) + columns * output_column(0) + output_rows(1);
      plan.held[1] = columns * column_read(1) + output_rows(1);
      pair_up(2, false, plan);
    });
  }

  // Partial outputs go out after every part and come back for the next.
  u64 spilled_accesses(u64 parts) const { return (2 * parts - 1) * last_accesses(); }

  void spilled(bool whole_input) {
    if (!may_pair(0) || links_[0].overlap + links_[1].overlap > 0) return;
    for_each_part([&](u64 parts, u64 columns) {
      BlockPlan plan;
      plan.tiles = {.how = FusionTemplate::OutputSpilled,
                    .rows = blocks_.rows,
                    .part = columns,
                    .parts = parts,
                    .pairs = 1,
                    .whole_input = whole_input};
      plan.accesses = (whole_input ? 1 : parts) * first_accesses(whole_input) + spilled_accesses(parts);
      const u64 input = first_rows(whole_input);
      plan.held[0] = input + columns * output_column(0);
      plan.held[1] = (whole_input ? input : 0) + columns * column_read(1) + output_column(1);
      propose(plan);
    });
  }

  // For every part of the intermediate its weights stay while all rows of a group come by, one at a time.
  void weights_outer(bool whole_output) {
    if (!may_pair(0) || links_[0].overlap + links_[1].overlap > 0) return;
    if (links_[0].group_rows != links_[1].group_rows) return;
    for_each_part([&](u64 parts, u64 columns) {
      const u64 share = ceil_div(columns * (links_[0].group_weights + links_[1].group_weights), columns_passed(0));
      const u64 sums = whole_output ? segment_.group * links_[1].output_row : 0;
      const u64 made = first_rows(false) + columns * output_column(0);
      const u64 used = columns * column_read(1) + (whole_output ? 0 : output_column(1));
      const u64 accesses = parts * first_accesses(false) + (whole_output ? last_accesses() : spilled_accesses(parts)) +
                           links_[0].weights + links_[1].weights;
      curve_.add(share + sums + std::max(made, used), accesses,
                 {.how = FusionTemplate::WeightsOuter,
                  .part = columns,
                  .parts = parts,
                  .pairs = 1,
                  .whole_output = whole_output});
    });
  }

  // Adds the plan with every choice of weights that stay. A link whose weights do not all stay needs a tile of them
  // while it runs: where that takes the most room it is worth looking at choices that spare it.
  void keep_weights(const BlockPlan& plan) {
    const bool pipelined = options_.execution == Execution::Pipelined;
    std::vector<KeepItem> items;
    u64 accesses = plan.accesses, tiles = 0;
    for (const FusedLink& f : links_) {
      const u64 saved = f.weights * (blocks_.rounds(f) - 1);
      accesses += f.weights + saved;
      const u64 tile = pipelined ? weight_tile(f) : 0;  // counted for every link
      tiles += tile;
      items.push_back({f.group_weights - tile, options_.weights == Staying::None ? 0 : saved});
    }
    const auto add = [&](u64 forced, u64 room) {
      room += lines_kept_;
      if (options_.weights == Staying::Parts) return add_parts(plan, items, forced, room, accesses);
      for (const KeptSet& set : kept_sets(items, forced)) {
        FusedTiles how = plan.tiles;
        how.kept = set.mask;
        curve_.add(room + set.room, accesses - set.saved, how);
      }
    };
    if (pipelined) return add(0, plan.most + tiles);
    std::vector<u64> rooms{plan.most};
    for (std::size_t e = 0; e < links_.size(); ++e) rooms.push_back(plan.with_tile(e, links_[e]));
    std::ranges::sort(rooms, std::greater());
    rooms.erase(std::unique(rooms.begin(), rooms.end()), rooms.end());
    if (options_.weights == Staying::None) rooms.resize(1);
    for (const u64 room : rooms) {
      u64 forced = 0;
      for (std::size_t e = 0; e < links_.size(); ++e)
        if (plan.with_tile(e, links_[e]) > room) forced |= u64{1} << e;
      add(forced, room);
    }
  }

  // All weights of the links `forced` stay, of the others as many words as there is room for, first those of the link
  // that crosses most often. Where each link has a tile of its own, its last word stays with the others.
  void add_parts(const BlockPlan& plan, const std::vector<KeepItem>& items, u64 forced, u64 room, u64 accesses) {
    FusedTiles how = plan.tiles;
    how.kept = forced;
    std::vector<Gain> gains;
    for (std::size_t e = 0; e < items.size(); ++e) {
      const FusedLink& f = links_[e];
      if (contains(forced, e)) {
        room += items[e].room;
        accesses -= items[e].saved;
      } else if (items[e].saved > 0) {
        const u64 words = items[e].room / f.weight_size, saved = items[e].saved / (f.group_weights / f.weight_size);
        gains.push_back({static_cast<u8>(e), words, saved, items[e].saved - words * saved, f.weight_size});
      }
    }
    // Each unit of a word saves as much.
    std::ranges::stable_sort(gains, [](const Gain& a, const Gain& b) { return a.saved / a.size > b.saved / b.size; });
    curve_.add(room, accesses, how, gains);
  }

  const FusionOptions& options_;
  const FusedRows& segment_;
  const std::vector<FusedLink>& links_;
  u64 lines_kept_ = 0;  // units that stay from one block to the next, of all intermediates
  RowBlocks blocks_;
  std::vector<BlockPlan> plans_;  // for these blocks, none better than another
  FusedCurve curve_;
};

}  // namespace

std::optional<FusedCurve> tiled_fusion(std::span<const ChainLink> links, const FusionOptions& options) {
  if (links.size() < 2 || links.size() > kMaxFused) return std::nullopt;
  const auto segment = common_rows(links);
  if (!segment) return std::nullopt;
  return FusionSearch(*segment, options).run();
}

std::string template_names(const FusedTiles& tiles, std::size_t links) {
  std::string names;
  for (std::size_t e = 0; e < links; ++e) {
    const bool first_of_pair = contains(tiles.pairs, e), second_of_pair = e > 0 && (tiles.pairs >> (e - 1) & 1) != 0;
    const bool by_parts = tiles.how != FusionTemplate::Rows;
    const char* name = "Full";
    if (first_of_pair) name = e == 0 && by_parts && !tiles.whole_input ? "TiledKN" : "TiledN";
    else if (second_of_pair)
      name =
          e == 1 && by_parts && tiles.how != FusionTemplate::InputAgain && !tiles.whole_output ? "TiledKN" : "TiledK";
    else if (e == 0) name = tiles.whole_input ? "Full" : "TiledK";
    else if (e + 1 == links) name = "TiledN";
    names += (e > 0 ? " " : "") + std::string(name);
  }
  return names;
}

// The blocks in which the rows of a segment go through it.

namespace {

// Rows of each link's output: those of a sliding link are given, its neighbours' follow; without one, the fewest.
std::optional<std::vector<u64>> rows_of(std::span<const ChainLink> links) {
  const auto slides = std::ranges::find_if(links, &ChainLink::slides);
  std::vector<u64> rows(links.size());
  if (slides == links.end()) {
    std::ranges::fill(rows, std::ranges::min_element(links, {}, &ChainLink::rows)->rows);
  } else {
    const auto at = static_cast<std::size_t>(slides - links.begin());
    rows[at] = slides->rows;
    for (std::size_t e = at; e > 0; --e) rows[e - 1] = rows[e] * links[e].stride;
    for (std::size_t e = at + 1; e < links.size(); ++e) {
      if (rows[e - 1] % links[e].stride != 0) return std::nullopt;
      rows[e] = rows[e - 1] / links[e].stride;
    }
  }
  for (std::size_t e = 0; e < links.size(); ++e) {
    const bool fits = links[e].slides ? links[e].rows == rows[e] : links[e].rows % rows[e] == 0;
    if (!fits || rows[e] % rows.back() != 0) return std::nullopt;
  }
  return rows;
}

}  // namespace

std::optional<FusedRows> common_rows(std::span<const ChainLink> links) {
  const auto rows = rows_of(links);
  if (!rows) return std::nullopt;
  FusedRows out;
  out.rows = out.group = out.picture = rows->back();
  out.grain = 0;
  u64 made = 0;  // words in a row of the link before
  for (std::size_t e = 0; e < links.size(); ++e) {
    const ChainLink& link = links[e];
    const u64 inside = link.slides ? 1 : link.rows / (*rows)[e];  // its rows in a common one
    const u64 groups = std::max<u64>(1, link.groups / inside);
    if (link.groups % inside != 0 && inside % link.groups != 0) return std::nullopt;
    if (out.rows % groups != 0 || out.rows % link.pictures != 0) return std::nullopt;
    FusedLink& f = out.links.emplace_back();
    f.scale = (*rows)[e] / out.rows;
    f.stride = link.stride;
    f.overlap = link.overlap;
    f.input_rows = link.slides ? link.input_rows : (*rows)[e];
    const u64 read = e == 0 ? link.input_words / f.input_rows : made;
    made = link.output_words / (*rows)[e];
    f.input_row = read * link.input_size;
    f.output_row = made * link.output_size;
    // Rows that share weights give one column each: the weights of a column are used once.
    const u64 apart = std::min(inside, link.groups);
    f.input_columns = std::min(read, link.input_columns * apart);
    f.output_columns = std::min(made, link.output_columns * apart);
    f.group_rows = out.rows / groups;
    f.weights = link.weight_words * link.weight_size;
    f.group_weights = f.weights / groups;
    f.weight_size = link.weight_size;
    f.before = link.before;
    out.grain = std::gcd(std::gcd(out.grain, link.input_size), std::gcd(link.weight_size, link.output_size));
    out.group = std::gcd(out.group, f.group_rows);
    out.picture = std::gcd(out.picture, out.rows / link.pictures);
  }
  return out;
}

u64 RowBlocks::in(u64 all_rows) const { return all_rows / span * ceil_div(span, rows); }

u64 RowBlocks::rounds(const FusedLink& f) const { return f.group_rows <= rows ? 1 : in(f.group_rows); }

std::vector<RowBlocks> row_blocks(const FusedRows& segment, bool perfect) {
  // Units are groups and pictures: a block is part of one or made of whole ones.
  std::vector<u64> units{std::gcd(segment.group, segment.picture), segment.picture, segment.rows};
  for (const FusedLink& f : segment.links) units.push_back(f.group_rows);
  std::ranges::sort(units);
  units.erase(std::unique(units.begin(), units.end()), units.end());
  const auto nests = [&](u64 size) {
    return std::ranges::all_of(units, [&](u64 unit) { return unit % size == 0 || size % unit == 0; });
  };
  std::vector<RowBlocks> all;
  u64 whole = 1;  // blocks of the next span are made of these
  bool between = false;
  for (const u64 unit : units) {
    if (!nests(unit)) {
      between = true;  // units that do not nest: up to the next one that does, blocks of its size alone
      continue;
    }
    const u64 pieces = unit / whole;
    const auto sizes = tile_sizes(pieces, perfect || pieces > kMaxBlockSpan ? TileSizes::Divisors : TileSizes::Least);
    for (const u64 size : sizes) {
      const bool known = size == 1 && whole > 1;  // the whole span before
      if (between ? size == pieces : !known) all.push_back({size * whole, unit});
    }
    whole = unit;
    between = false;
  }
  return all;
}

}  // namespace heliolite
