#pragma once
// Runs a fused chain of matrix products word by word: every template as plain loops over a scratchpad that counts what
// is loaded, stored and held at most, and checks that each operand is there when it is used, in words of the size in
// which it is used, and that the product is right. Shares nothing with engine/bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/types.h"
#include "tests/support/scratchpad.h"

namespace heliolite::testing {

// groups x (rows of `rows` words-per-row width[0]) times width[0] x width[1] weights, times width[1] x width[2], ..
struct SimulatedChain {
  u64 groups = 1;
  u64 rows = 1;  // of one group
  std::vector<u64> width;
  // [link]: sizes of the words of its operand, weights and output; 1 beyond their ends. What a link makes is converted
  // in its place when the next one begins to read it.
  std::vector<u64> read{}, weight{}, made{};

  static u64 size(const std::vector<u64>& sizes, u64 e) { return e < sizes.size() ? sizes[e] : 1; }
  u64 links() const { return width.size() - 1; }
  u64 all_rows() const { return groups * rows; }
};

struct SimulatedPlan {
  enum class How { Rows, InputAgain, OutputSpilled, WeightsOuter } how = How::Rows;
  u64 rows = 1;           // of a block; the last of a group, or of all groups if it is made of them, may be smaller
  u64 part = 1;           // columns of a part; the last one may be smaller
  std::vector<u64> stay;  // by link: the first words of a group's weights stay
  u64 pairs = 0;          // links that pass their output to the next by columns
  bool whole_input = false, whole_output = false;
};

struct SimulatedCost {
  u64 buffer = 0, accesses = 0;  // in the unit of the sizes
};

class FusionSimulator {
 public:
  FusionSimulator(const SimulatedChain& chain, const SimulatedPlan& plan) : chain_(chain), plan_(plan) {}

  SimulatedCost run() {
    if (plan_.how == SimulatedPlan::How::WeightsOuter) {
      for (u64 g = 0; g < chain_.groups; ++g) weights_outer(g);
    } else {
      const u64 span = plan_.rows <= chain_.rows ? chain_.rows : chain_.all_rows();
      for (u64 start = 0; start < chain_.all_rows(); start += span)
        for (u64 row = start; row < start + span; row += plan_.rows)
          block(row, std::min(row + plan_.rows, start + span));
    }
    check_result();
    return {pad_.peak(), accesses_};
  }

 private:
  using Place = Scratchpad::Place;  // tensor, group or 0, row, column
  // Tensors: 2e = the operand of link e (so 2 * links = the output), 2e + 1 = its weights.
  static u64 value(u64 a, u64 b, u64 c) { return 1 + (a * 7 + b * 5 + c * 3) % 11; }
  static Place row_word(u64 e, u64 m, u64 c) { return {2 * e, 0, m, c}; }
  static Place weight(u64 e, u64 g, u64 k, u64 n) { return {2 * e + 1, g, k, n}; }

  u64 read_size(u64 e) const { return SimulatedChain::size(chain_.read, e); }
  u64 weight_size(u64 e) const { return SimulatedChain::size(chain_.weight, e); }
  u64 made_size(u64 e) const { return SimulatedChain::size(chain_.made, e); }
  u64 result_size() const { return made_size(chain_.links() - 1); }

  // The rows' columns [from, to) of what link e reads, which were made so far.
  void convert(u64 e, u64 first, u64 last, u64 from, u64 to) {
    for (u64 m = first; m < last; ++m)
      for (u64 c = from; c < to; ++c) pad_.resize(row_word(e, m, c), read_size(e));
  }
  void load_input(u64 m, u64 k) {
    accesses_ += read_size(0);
    pad_.hold(row_word(0, m, k), value(m, k, 0), read_size(0));
  }
  void load_weight(u64 e, u64 g, u64 k, u64 n) {
    accesses_ += weight_size(e);
    pad_.hold(weight(e, g, k, n), value(e + g, k, n), weight_size(e));
  }
  // A column of what link e makes, before its first product.
  void begin(u64 e, u64 m, u64 c) { pad_.hold(row_word(e + 1, m, c), 0, made_size(e)); }
  void store_output(u64 m, u64 n) {
    accesses_ += result_size();
    stored_[{m, n}] = pad_.at(row_word(chain_.links(), m, n), result_size());
    pad_.drop(row_word(chain_.links(), m, n));
  }
  void begin_row(u64 e, u64 m) {
    for (u64 c = 0; c < chain_.width[e + 1]; ++c) begin(e, m, c);
  }
  void drop_row(u64 e, u64 m) {
    for (u64 c = 0; c < chain_.width[e]; ++c) pad_.drop(row_word(e, m, c));
  }

  bool stays(u64 e, u64 k, u64 n) const {
    return plan_.how == SimulatedPlan::How::WeightsOuter || k * chain_.width[e + 1] + n < plan_.stay[e];
  }

  bool all_stay(u64 e) const { return stays(e, chain_.width[e] - 1, chain_.width[e + 1] - 1); }

  // One weight on all rows of the block: its tile comes and goes unless it stays. The room for the tile is there while
  // the link runs.
  void apply(u64 e, u64 first, u64 last, u64 k, u64 n) {
    if (stays(e, k, n) && !all_stay(e)) pad_.reserve(weight_size(e));
    for (u64 g = first / chain_.rows; g * chain_.rows < last; ++g) {
      if (!stays(e, k, n)) load_weight(e, g, k, n);
      for (u64 m = std::max(first, g * chain_.rows); m < std::min(last, (g + 1) * chain_.rows); ++m)
        pad_.at(row_word(e + 1, m, n), made_size(e)) +=
            pad_.at(row_word(e, m, k), read_size(e)) * pad_.at(weight(e, g, k, n), weight_size(e));
      if (!stays(e, k, n)) pad_.drop(weight(e, g, k, n));
    }
  }

  // Weights that stay: those of the block's group come with the group's first block and go with its last.
  void keep_weights(u64 row, bool enter) {
    const u64 g = row / chain_.rows;
    for (u64 e = 0; e < chain_.links(); ++e)
      for (u64 k = 0; k < chain_.width[e]; ++k)
        for (u64 n = 0; n < chain_.width[e + 1]; ++n)
          if (stays(e, k, n)) enter ? load_weight(e, g, k, n) : pad_.drop(weight(e, g, k, n));
  }

  void block(u64 first, u64 last) {
    if (first % chain_.rows == 0) keep_weights(first, true);
    u64 e = 0;
    if (plan_.how == SimulatedPlan::How::InputAgain) {
      parts(first, last);
      e = 2;
    } else if (plan_.how == SimulatedPlan::How::OutputSpilled) {
      parts(first, last);
      e = 2;
    } else if (plan_.whole_input) {
      for (u64 m = first; m < last; ++m)
        for (u64 k = 0; k < chain_.width[0]; ++k) load_input(m, k);
    }
    while (e < chain_.links()) e = (plan_.pairs >> e & 1) != 0 ? pair(e, first, last) : single(e, first, last);
    if (last % chain_.rows == 0) keep_weights(first, false);
  }

  u64 single(u64 e, u64 first, u64 last) {
    const bool by_columns = e == 0 && !plan_.whole_input, ends = e + 1 == chain_.links();
    if (e > 0) convert(e, first, last, 0, chain_.width[e]);
    if (!ends)
      for (u64 m = first; m < last; ++m) begin_row(e, m);
    if (by_columns) {
      for (u64 k = 0; k < chain_.width[e]; ++k) {
        for (u64 m = first; m < last; ++m) load_input(m, k);
        for (u64 n = 0; n < chain_.width[e + 1]; ++n) apply(e, first, last, k, n);
        for (u64 m = first; m < last; ++m) pad_.drop(row_word(e, m, k));
      }
      return e + 1;
    }
    for (u64 n = 0; n < chain_.width[e + 1]; ++n) {
      if (ends)
        for (u64 m = first; m < last; ++m) begin(e, m, n);
      for (u64 k = 0; k < chain_.width[e]; ++k) apply(e, first, last, k, n);
      if (ends)
        for (u64 m = first; m < last; ++m) store_output(m, n);
    }
    for (u64 m = first; m < last; ++m) drop_row(e, m);
    return e + 1;
  }

  u64 pair(u64 e, u64 first, u64 last) {
    if (e > 0) convert(e, first, last, 0, chain_.width[e]);
    for (u64 m = first; m < last; ++m) begin_row(e + 1, m);
    for (u64 n = 0; n < chain_.width[e + 1]; ++n) {
      for (u64 m = first; m < last; ++m) begin(e, m, n);
      for (u64 k = 0; k < chain_.width[e]; ++k) apply(e, first, last, k, n);
      convert(e + 1, first, last, n, n + 1);
      for (u64 j = 0; j < chain_.width[e + 2]; ++j) apply(e + 1, first, last, n, j);
      for (u64 m = first; m < last; ++m) pad_.drop(row_word(e + 1, m, n));
    }
    for (u64 m = first; m < last; ++m) drop_row(e, m);
    if (e + 2 == chain_.links()) store_rows(first, last);
    return e + 2;
  }

  void store_rows(u64 first, u64 last) {
    for (u64 m = first; m < last; ++m)
      for (u64 j = 0; j < chain_.width.back(); ++j) store_output(m, j);
  }

  // Links 0 and 1 by parts of the first intermediate: InputAgain and OutputSpilled.
  void parts(u64 first, u64 last) {
    const bool spilled = plan_.how == SimulatedPlan::How::OutputSpilled;
    if (plan_.whole_input)
      for (u64 m = first; m < last; ++m)
        for (u64 k = 0; k < chain_.width[0]; ++k) load_input(m, k);
    if (!spilled)
      for (u64 m = first; m < last; ++m) begin_row(1, m);
    for (u64 from = 0; from < chain_.width[1]; from += plan_.part) {
      const u64 to = std::min(from + plan_.part, chain_.width[1]);
      first_part(first, last, from, to);
      if (spilled) {
        for (u64 j = 0; j < chain_.width[2]; ++j) {
          for (u64 m = first; m < last; ++m) resume_output(m, j, from > 0);
          for (u64 n = from; n < to; ++n) apply(1, first, last, n, j);
          for (u64 m = first; m < last; ++m) store_output(m, j);
        }
      } else {
        for (u64 n = from; n < to; ++n)
          for (u64 j = 0; j < chain_.width[2]; ++j) apply(1, first, last, n, j);
      }
      for (u64 m = first; m < last; ++m)
        for (u64 n = from; n < to; ++n) pad_.drop(row_word(1, m, n));
    }
    if (plan_.whole_input)
      for (u64 m = first; m < last; ++m) drop_row(0, m);
    if (!spilled && chain_.links() == 2) store_rows(first, last);
  }

  // Columns [from, to) of the first intermediate, as the second link reads them.
  void first_part(u64 first, u64 last, u64 from, u64 to) {
    for (u64 m = first; m < last; ++m)
      for (u64 n = from; n < to; ++n) begin(0, m, n);
    for (u64 k = 0; k < chain_.width[0]; ++k) {
      if (!plan_.whole_input)
        for (u64 m = first; m < last; ++m) load_input(m, k);
      for (u64 n = from; n < to; ++n) apply(0, first, last, k, n);
      if (!plan_.whole_input)
        for (u64 m = first; m < last; ++m) pad_.drop(row_word(0, m, k));
    }
    convert(1, first, last, from, to);
  }

  void resume_output(u64 m, u64 j, bool started) {
    accesses_ += started ? result_size() : 0;
    pad_.hold(row_word(chain_.links(), m, j), started ? stored_.at({m, j}) : 0, result_size());
  }

  void weights_outer(u64 g) {
    const u64 first = g * chain_.rows, last = first + chain_.rows;
    if (plan_.whole_output)
      for (u64 m = first; m < last; ++m) begin_row(1, m);
    for (u64 from = 0; from < chain_.width[1]; from += plan_.part) {
      const u64 to = std::min(from + plan_.part, chain_.width[1]);
      const auto slice = [&](auto body) {
        for (u64 n = from; n < to; ++n) {
          for (u64 k = 0; k < chain_.width[0]; ++k) body(u64{0}, k, n);
          for (u64 j = 0; j < chain_.width[2]; ++j) body(u64{1}, n, j);
        }
      };
      slice([&](u64 e, u64 k, u64 n) { load_weight(e, g, k, n); });
      for (u64 m = first; m < last; ++m) {
        first_part(m, m + 1, from, to);
        for (u64 j = 0; j < chain_.width[2]; ++j) {
          if (!plan_.whole_output) resume_output(m, j, from > 0);
          for (u64 n = from; n < to; ++n) apply(1, m, m + 1, n, j);
          if (!plan_.whole_output) store_output(m, j);
        }
        for (u64 n = from; n < to; ++n) pad_.drop(row_word(1, m, n));
      }
      slice([&](u64 e, u64 k, u64 n) { pad_.drop(weight(e, g, k, n)); });
    }
    if (plan_.whole_output) store_rows(first, last);
  }

  void check_result() {
    EXPECT_TRUE(pad_.empty());
    for (u64 m = 0; m < chain_.all_rows(); ++m) {
      std::vector<u64> row;
      for (u64 k = 0; k < chain_.width[0]; ++k) row.push_back(value(m, k, 0));
      for (u64 e = 0; e < chain_.links(); ++e) {
        std::vector<u64> next(chain_.width[e + 1], 0);
        for (u64 n = 0; n < next.size(); ++n)
          for (u64 k = 0; k < row.size(); ++k) next[n] += row[k] * value(e + m / chain_.rows, k, n);
        row = next;
      }
      for (u64 n = 0; n < row.size(); ++n) {
        const std::pair word{m, n};
        ASSERT_TRUE(stored_.contains(word));
        EXPECT_EQ(stored_[word], row[n]);
      }
    }
  }

  const SimulatedChain& chain_;
  const SimulatedPlan& plan_;
  Scratchpad pad_;
  std::map<std::pair<u64, u64>, u64> stored_;
  u64 accesses_ = 0;
};

}  // namespace heliolite::testing
