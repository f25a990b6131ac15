#include "engine/bounds/fusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/base/integers.h"
#include "engine/bounds/fusion_keep.h"
#include "engine/bounds/fusion_rows.h"
#include "engine/bounds/orojenesis_tiles.h"

namespace heliolite {
namespace {

// Words. Weights that do not stay are used once in a block: a larger tile of them gains nothing.
constexpr u64 kWeightTile = 1;

// What the links hold at the same time, and whose weights are used then.
struct Stage {
  u64 words = 0;
  u64 links = 0;  // bit mask
};

// One way to run a block of rows, weights aside.
struct BlockPlan {
  FusedTiles tiles;
  std::vector<Stage> stages;
  u64 accesses = 0;  // of first operand and last output, all blocks
};

class FusionSearch {
 public:
  FusionSearch(const FusedRows& segment, const FusionOptions& options)
      : options_(options), segment_(segment), links_(segment.links) {
    for (std::size_t e = 1; e < links_.size(); ++e) lines_kept_ += links_[e].overlap * links_[e].input_row;
  }

  FusedCurve run() {
    for (const u64 rows : block_sizes()) {
      rows_ = rows;
      for (const bool whole_input : {false, true}) {
        row_blocks(whole_input);
        if (links_.size() == 2) spilled(whole_input);
      }
      input_again();
    }
    if (links_.size() == 2) {
      rows_ = 1;
      for (const bool whole_output : {false, true}) weights_outer(whole_output);
    }
    return std::move(curve_);
  }

 private:
  // Of the last output: divisors of all rows that are made of groups or make groups; or any number within a group.
  std::vector<u64> block_sizes() const {
    std::vector<u64> sizes;
    for (const u64 rows : tile_sizes(segment_.rows, TileSizes::Divisors)) {
      const auto fits = [&](const FusedLink& f) { return f.group_rows % rows == 0 || rows % f.group_rows == 0; };
      if (std::ranges::all_of(links_, fits)) sizes.push_back(rows);
    }
    if (sizes_of(segment_.group) == TileSizes::Divisors) return sizes;
    for (const u64 rows : tile_sizes(segment_.group, TileSizes::Least)) sizes.push_back(rows);
    return sizes;
  }

  u64 blocks() const {
    return rows_ <= segment_.group ? segment_.rows / segment_.group * ceil_div(segment_.group, rows_)
                                   : segment_.rows / rows_;
  }
  // Blocks of one group of the link's weights.
  u64 rounds(const FusedLink& f) const { return std::max<u64>(1, blocks() / (segment_.rows / f.group_rows)); }

  // Rows of the link's operand that a block needs besides what is left of the block before.
  u64 new_lines(std::size_t e) const { return rows_ * links_[e].scale * links_[e].stride; }
  u64 output_words(std::size_t e) const { return rows_ * links_[e].scale * links_[e].output_row; }
  u64 output_column(std::size_t e) const { return output_words(e) / links_[e].output_columns; }

  // The first operand's rows: whole ones stay until the next block needs other lines; of columns the shared lines are
  // read again.
  u64 first_words(bool whole) const {
    const u64 words = (new_lines(0) + links_[0].overlap) * links_[0].input_row;
    return whole ? words : words / links_[0].input_columns;
  }
  u64 first_accesses(bool whole) const {
    const u64 once = links_[0].input_rows * links_[0].input_row;
    if (whole || links_[0].overlap == 0) return once;
    return blocks() * (new_lines(0) + links_[0].overlap) * links_[0].input_row;
  }
  u64 last_accesses() const { return segment_.rows * links_.back().output_row; }

  bool may_pair(std::size_t e) const {
    return (e == 0 || options_.inner_pairs) && (!links_[e + 1].whole_row || options_.incremental_softmax);
  }

  // Template Rows: every set of disjoint neighbouring pairs.
  void row_blocks(bool whole_input) {
    BlockPlan plan;
    plan.tiles = {.how = FusionTemplate::Rows, .rows = rows_, .whole_input = whole_input};
    plan.accesses = first_accesses(whole_input) + last_accesses();
    pair_up(0, whole_input, plan);
  }

  void pair_up(std::size_t e, bool whole_input, const BlockPlan& plan) {
    if (e == links_.size()) return keep_weights(plan);
    const bool last = e + 1 == links_.size();
    const u64 input = e == 0 ? first_words(whole_input) : new_lines(e) * links_[e].input_row;
    BlockPlan single = plan;
    single.stages.push_back({input + (last ? output_column(e) : output_words(e)), u64{1} << e});
    pair_up(e + 1, whole_input, single);
    if (last || !may_pair(e) || (e == 0 && !whole_input)) return;
    BlockPlan paired = plan;
    paired.tiles.pairs |= u64{1} << e;
    paired.stages.push_back({input + output_column(e) + output_words(e + 1), u64{3} << e});
    pair_up(e + 2, whole_input, paired);
  }

  // N2: numbers of parts of a row of the first intermediate.
  template <class Body>
  void for_each_part(Body body) const {
    const u64 columns = links_[0].output_columns;
    for (const u64 size : tile_sizes(columns, sizes_of(columns)))
      if (size < columns) body(ceil_div(columns, size), size);
  }
  TileSizes sizes_of(u64 size) const {
    return options_.imperfect && size <= kMaxDimensionSize ? TileSizes::Least : TileSizes::Divisors;
  }

  void input_again() {
    if (!may_pair(0)) return;
    for_each_part([&](u64 parts, u64 columns) {
      BlockPlan plan;
      plan.tiles = {.how = FusionTemplate::InputAgain, .rows = rows_, .parts = parts, .pairs = 1};
      plan.accesses = parts * first_accesses(false) + last_accesses();
      plan.stages.push_back({first_words(false) + columns * output_column(0) + output_words(1), 3});
      pair_up(2, false, plan);
    });
  }

  // Partial outputs go out after every part and come back for the next.
  u64 spilled_accesses(u64 parts) const { return (2 * parts - 1) * last_accesses(); }

  void spilled(bool whole_input) {
    if (!may_pair(0) || links_[0].overlap + links_[1].overlap > 0) return;
    for_each_part([&](u64 parts, u64 columns) {
      BlockPlan plan;
      plan.tiles = {
          .how = FusionTemplate::OutputSpilled, .rows = rows_, .parts = parts, .pairs = 1, .whole_input = whole_input};
      plan.accesses = (whole_input ? 1 : parts) * first_accesses(whole_input) + spilled_accesses(parts);
      const u64 part = columns * output_column(0), input = first_words(whole_input);
      plan.stages.push_back({input + part, 1});
      plan.stages.push_back({(whole_input ? input : 0) + part + output_column(1), 2});
      keep_weights(plan);
    });
  }

  // For every part of the intermediate its weights stay while all rows of a group come by, one at a time.
  void weights_outer(bool whole_output) {
    if (!may_pair(0) || links_[0].overlap + links_[1].overlap > 0) return;
    if (links_[0].group_rows != links_[1].group_rows) return;
    for_each_part([&](u64 parts, u64 columns) {
      const u64 share =
          ceil_div(columns * (links_[0].group_weights + links_[1].group_weights), links_[0].output_columns);
      const u64 part = columns * output_column(0), input = first_words(false);
      const u64 sums = whole_output ? segment_.group * links_[1].output_row : 0;
      const u64 column = whole_output ? 0 : output_column(1);
      const u64 accesses = parts * first_accesses(false) + (whole_output ? last_accesses() : spilled_accesses(parts)) +
                           links_[0].weights + links_[1].weights;
      curve_.add(
          share + sums + part + std::max(input, column), accesses,
          {.how = FusionTemplate::WeightsOuter, .rows = 1, .parts = parts, .pairs = 1, .whole_output = whole_output});
    });
  }

  // Adds the plan with every choice of weights that stay. A link whose weights do not stay needs a tile of them while
  // it runs: for the largest stages it is worth looking at sets that spare it.
  void keep_weights(const BlockPlan& plan) {
    u64 most = 0, largest = 0;
    for (const Stage& stage : plan.stages) {
      if (stage.words > most) largest = 0;
      most = std::max(most, stage.words);
      if (stage.words == most) largest |= stage.links;
    }
    const bool pipelined = options_.execution == Execution::Pipelined;
    std::vector<KeepItem> items;
    u64 accesses = plan.accesses;
    for (const FusedLink& f : links_) {
      const u64 saved = f.weights * (rounds(f) - 1);
      accesses += f.weights + saved;
      const u64 tile = pipelined ? std::min(kWeightTile, f.group_weights) : 0;  // counted for every link
      items.push_back({f.group_weights - tile, options_.keep_weights ? saved : 0});
    }
    const u64 fixed = lines_kept_ + most;
    const auto add = [&](u64 forced, u64 tiles) {
      if (!curve_.admits(fixed + tiles, plan.accesses)) return;
      for (const KeptSet& set : kept_sets(items, forced)) {
        FusedTiles how = plan.tiles;
        how.kept = set.mask;
        curve_.add(fixed + tiles + set.room, accesses - set.saved, how);
      }
    };
    add(0, pipelined ? kWeightTile * links_.size() : kWeightTile);
    if (options_.keep_weights && !pipelined) add(largest, 0);
  }

  const FusionOptions& options_;
  const FusedRows& segment_;
  const std::vector<FusedLink>& links_;
  u64 lines_kept_ = 0;  // words that stay from one block to the next, of all intermediates
  u64 rows_ = 1;        // of the last output, in a block
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
    const bool first_of_pair = (tiles.pairs >> e & 1) != 0, second_of_pair = e > 0 && (tiles.pairs >> (e - 1) & 1) != 0;
    const bool by_parts = tiles.how != FusionTemplate::Rows;
    const char* name = "Full";
    if (first_of_pair) {
      name = e == 0 && by_parts && !tiles.whole_input ? "TiledKN" : "TiledN";
    } else if (second_of_pair) {
      name =
          e == 1 && by_parts && tiles.how != FusionTemplate::InputAgain && !tiles.whole_output ? "TiledKN" : "TiledK";
    } else if (e == 0) {
      name = tiles.whole_input ? "Full" : "TiledK";
    } else if (e + 1 == links) {
      name = "TiledN";
    }
    names += (e > 0 ? " " : "") + std::string(name);
  }
  return names;
}

}  // namespace heliolite
