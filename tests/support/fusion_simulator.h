#pragma once
// Runs a fused chain of matrix products word by word: every template as plain loops over a scratchpad that counts what
// is loaded, stored and held at most, and checks that each operand is there when it is used and that the product is
// right. Shares nothing with engine/bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "engine/base/types.h"

namespace heliolite::testing {

// groups x (rows of `rows` words-per-row width[0]) times width[0] x width[1] weights, times width[1] x width[2], ..
struct SimulatedChain {
  u64 groups = 1;
  u64 rows = 1;  // of one group
  std::vector<u64> width;

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
  u64 buffer = 0, accesses = 0;
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
    return {peak_, accesses_};
  }

 private:
  using Place = std::array<u64, 4>;  // tensor, group or 0, row, column
  // Tensors: 2e = the operand of link e (so 2 * links = the output), 2e + 1 = its weights.
  static u64 value(u64 a, u64 b, u64 c) { return 1 + (a * 7 + b * 5 + c * 3) % 11; }
  static Place row_word(u64 e, u64 m, u64 c) { return {2 * e, 0, m, c}; }
  static Place weight(u64 e, u64 g, u64 k, u64 n) { return {2 * e + 1, g, k, n}; }

  void hold(const Place& p, u64 x) {
    ASSERT_TRUE(pad_.emplace(p, x).second) << "held twice";
    peak_ = std::max<u64>(peak_, pad_.size());
  }
  void drop(const Place& p) { ASSERT_EQ(pad_.erase(p), 1u); }
  u64& at(const Place& p) {
    const auto it = pad_.find(p);
    if (it == pad_.end()) ADD_FAILURE() << "not held";
    return it == pad_.end() ? nothing_ : it->second;
  }
  void load_input(u64 m, u64 k) {
    ++accesses_;
    hold(row_word(0, m, k), value(m, k, 0));
  }
  void load_weight(u64 e, u64 g, u64 k, u64 n) {
    ++accesses_;
    hold(weight(e, g, k, n), value(e + g, k, n));
  }
  void store_output(u64 m, u64 n) {
    ++accesses_;
    stored_[{m, n}] = at(row_word(chain_.links(), m, n));
    drop(row_word(chain_.links(), m, n));
  }
  void hold_row(u64 e, u64 m) {
    for (u64 c = 0; c < chain_.width[e]; ++c) hold(row_word(e, m, c), 0);
  }
  void drop_row(u64 e, u64 m) {
    for (u64 c = 0; c < chain_.width[e]; ++c) drop(row_word(e, m, c));
  }

  bool stays(u64 e, u64 k, u64 n) const {
    return plan_.how == SimulatedPlan::How::WeightsOuter || k * chain_.width[e + 1] + n < plan_.stay[e];
  }

  // One weight on all rows of the block: its tile comes and goes unless it stays.
  void apply(u64 e, u64 first, u64 last, u64 k, u64 n) {
    for (u64 g = first / chain_.rows; g * chain_.rows < last; ++g) {
      if (!stays(e, k, n)) load_weight(e, g, k, n);
      for (u64 m = std::max(first, g * chain_.rows); m < std::min(last, (g + 1) * chain_.rows); ++m)
        at(row_word(e + 1, m, n)) += at(row_word(e, m, k)) * at(weight(e, g, k, n));
      if (!stays(e, k, n)) drop(weight(e, g, k, n));
    }
  }

  // Weights that stay: those of the block's group come with the group's first block and go with its last.
  void keep_weights(u64 row, bool enter) {
    const u64 g = row / chain_.rows;
    for (u64 e = 0; e < chain_.links(); ++e)
      for (u64 k = 0; k < chain_.width[e]; ++k)
        for (u64 n = 0; n < chain_.width[e + 1]; ++n)
          if (stays(e, k, n)) enter ? load_weight(e, g, k, n) : drop(weight(e, g, k, n));
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
    if (!ends)
      for (u64 m = first; m < last; ++m) hold_row(e + 1, m);
    if (by_columns) {
      for (u64 k = 0; k < chain_.width[e]; ++k) {
        for (u64 m = first; m < last; ++m) load_input(m, k);
        for (u64 n = 0; n < chain_.width[e + 1]; ++n) apply(e, first, last, k, n);
        for (u64 m = first; m < last; ++m) drop(row_word(e, m, k));
      }
      return e + 1;
    }
    for (u64 n = 0; n < chain_.width[e + 1]; ++n) {
      if (ends)
        for (u64 m = first; m < last; ++m) hold(row_word(e + 1, m, n), 0);
      for (u64 k = 0; k < chain_.width[e]; ++k) apply(e, first, last, k, n);
      if (ends)
        for (u64 m = first; m < last; ++m) store_output(m, n);
    }
    for (u64 m = first; m < last; ++m) drop_row(e, m);
    return e + 1;
  }

  u64 pair(u64 e, u64 first, u64 last) {
    for (u64 m = first; m < last; ++m) hold_row(e + 2, m);
    for (u64 n = 0; n < chain_.width[e + 1]; ++n) {
      for (u64 m = first; m < last; ++m) hold(row_word(e + 1, m, n), 0);
      for (u64 k = 0; k < chain_.width[e]; ++k) apply(e, first, last, k, n);
      for (u64 j = 0; j < chain_.width[e + 2]; ++j) apply(e + 1, first, last, n, j);
      for (u64 m = first; m < last; ++m) drop(row_word(e + 1, m, n));
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
      for (u64 m = first; m < last; ++m) hold_row(2, m);
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
        for (u64 n = from; n < to; ++n) drop(row_word(1, m, n));
    }
    if (plan_.whole_input)
      for (u64 m = first; m < last; ++m) drop_row(0, m);
    if (!spilled && chain_.links() == 2) store_rows(first, last);
  }

  // Columns [from, to) of the first intermediate.
  void first_part(u64 first, u64 last, u64 from, u64 to) {
    for (u64 m = first; m < last; ++m)
      for (u64 n = from; n < to; ++n) hold(row_word(1, m, n), 0);
    for (u64 k = 0; k < chain_.width[0]; ++k) {
      if (!plan_.whole_input)
        for (u64 m = first; m < last; ++m) load_input(m, k);
      for (u64 n = from; n < to; ++n) apply(0, first, last, k, n);
      if (!plan_.whole_input)
        for (u64 m = first; m < last; ++m) drop(row_word(0, m, k));
    }
  }

  void resume_output(u64 m, u64 j, bool started) {
    accesses_ += started ? 1 : 0;
    hold(row_word(chain_.links(), m, j), started ? stored_.at({m, j}) : 0);
  }

  void weights_outer(u64 g) {
    const u64 first = g * chain_.rows, last = first + chain_.rows;
    if (plan_.whole_output)
      for (u64 m = first; m < last; ++m) hold_row(2, m);
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
        for (u64 n = from; n < to; ++n) drop(row_word(1, m, n));
      }
      slice([&](u64 e, u64 k, u64 n) { drop(weight(e, g, k, n)); });
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
  std::map<Place, u64> pad_;
  std::map<std::pair<u64, u64>, u64> stored_;
  u64 nothing_ = 0, peak_ = 0, accesses_ = 0;
};

}  // namespace heliolite::testing
