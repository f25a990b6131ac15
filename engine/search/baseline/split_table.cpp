#include "engine/search/baseline/split_table.h"

#include <array>
#include <bit>
#include <map>
#include <utility>

#include "engine/base/integers.h"

namespace heliolite {

class SplitTableBuilder {
 public:
  SplitTableBuilder(const Splits& splits, int d) : splits_(splits), d_(d), levels_(splits.space().level_count()) {
    table_.levels_ = at(levels_);
  }

  std::optional<SplitTable> build() {
    unroll(0, static_cast<u32>(splits_.space().size[at(d_)]));
    if (too_large_ || table_.left_.empty()) return std::nullopt;
    guide();
    return std::move(table_);
  }

 private:
  static constexpr std::size_t kMostRows = 1 << 18;

  // The fan-outs of levels i and further out, with `left` iterations to give.
  void unroll(int i, u32 left) {
    if (too_large_) return;
    if (i == levels_) return add(left);
    splits_.for_each_choice(d_, place_of(i, true), left, [&](const FactorRun& run) {
      factor_[at(i)] = {run.first, run.y};
      unroll(i + 1, run.left);
      return true;
    });
  }

  void add(u32 left) {
    const u32 index = loops_of(left);
    const u64 count = table_.rows_[index].count;
    if (count == 0) return;
    table_.factors_.insert(table_.factors_.end(), factor_.begin(), factor_.begin() + levels_);
    table_.left_.push_back(index);
    total_ += count;
    table_.ends_.push_back(total_);
    too_large_ |= table_.left_.size() > kMostRows;
  }

  u32 loops_of(u32 left) {
    const auto [known, fresh] = known_.try_emplace(left, static_cast<u32>(table_.rows_.size()));
    if (fresh) {
      const u64 first = table_.loops_.size() / table_.levels_;
      loops(0, left);
      table_.rows_.push_back({first, table_.loops_.size() / table_.levels_ - first});
    }
    return known->second;
  }

  void loops(int i, u32 left) {
    if (too_large_) return;
    if (i == levels_) {
      if (left != 1) return;
      table_.loops_.insert(table_.loops_.end(), iterations_.begin(), iterations_.begin() + levels_);
      too_large_ |= table_.loops_.size() / table_.levels_ > kMostRows;
      return;
    }
    splits_.for_each_choice(d_, place_of(i, false), left, [&](const FactorRun& run) {
      iterations_[at(i)] = run.first;
      loops(i + 1, run.left);
      return true;
    });
  }

  // From counts to probabilities, and where to begin to look for a number.
  void guide() {
    for (u64& end : table_.ends_) end = static_cast<u64>((static_cast<u128>(end) << 63) / total_);
    const int bits = std::bit_width(table_.ends_.size() - 1);
    table_.guide_shift_ = 63 - bits;
    std::size_t k = 0;
    for (u64 j = 0; j < u64{1} << bits; ++j) {
      while (table_.ends_[k] <= j << table_.guide_shift_) ++k;
      table_.guide_.push_back(static_cast<u32>(k));
    }
  }

  const Splits& splits_;
  int d_, levels_;
  SplitTable table_;
  std::array<PlaceFactor, kMaxLevels> factor_{};
  std::array<u32, kMaxLevels> iterations_{};
  std::map<u32, u32> known_;  // [iterations left]: index of their rows
  u64 total_ = 0;
  bool too_large_ = false;
};

std::optional<SplitTable> SplitTable::of(const Splits& splits, int d) { return SplitTableBuilder(splits, d).build(); }

}  // namespace heliolite
