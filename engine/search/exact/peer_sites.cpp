#include "engine/search/exact/peer_sites.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/temporal_traffic.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/exact/fanout.h"
#include "engine/space/footprint.h"

namespace heliolite {
namespace {

// The receivers of a fan-out, numbered as on the grid, by what they receive: offsets of all ranks in one number, in
// which differences are unique.
class Receivers {
 public:
  Receivers(const LayerProblem& problem, int level, const SpatialChoice& choice, int v, const Extents& tile) {
    const Compiled& c = problem.model.compiled();
    const CompiledTensor& t = c.tensor[v];
    u64 x = 1, y = 1;
    for (const LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY}) {
      const Extents& ends = axis == LoopKind::SpatialX ? choice.x : choice.y;
      for (const u8 d : canonical_order(problem.space, problem.space.levels[level].spatial.order)) {
        if (ends[d] == 1) continue;
        // A dimension on both axes: its loops on X are inside those on Y.
        const u32 inside = axis == LoopKind::SpatialY ? choice.x[d] : 1;
        RankMove move{};
        add_move(t, d, i64{tile[d]} * inside, move);
        loops_.push_back({ends[d], move});
        (axis == LoopKind::SpatialX ? x : y) *= ends[d];
      }
    }
    columns_ = std::max(c.level[level].fanout_x, x);
    rows_ = std::max(c.level[level].fanout_y, y);
    number();
  }

  // The moves between neighbours by which the sender saves something.
  std::vector<PeerMove> moves() const {
    std::vector<i64> differences;
    const auto add = [&](i64 difference) {
      if (difference != 0 && std::ranges::find(differences, difference) == differences.end())
        differences.push_back(difference), differences.push_back(-difference);
    };
    for (std::size_t id = 0; id < offset_.size(); ++id)
      for (const std::size_t other : {right_of(id), below(id)})
        if (other < offset_.size()) add(offset_[other] - offset_[id]);
    std::vector<PeerMove> out;
    for (const i64 difference : differences)
      if (const PeerMove move = along(difference); move.saved > 0) out.push_back(move);
    std::ranges::sort(out);
    return out;
  }

  // The share that the sender saves of words that stay where they are.
  PeerMove still() const { return along(0); }

  MulticastRange multicast() const {
    std::vector<u32> of(distinct_, 0);
    for (const u32 group : group_) ++of[group];
    return {static_cast<double>(*std::ranges::max_element(of)), static_cast<double>(distinct_),
            static_cast<double>(group_.size())};
  }

 private:
  struct SpatialLoop {
    u32 end;
    RankMove move;
  };
  static constexpr std::size_t kNobody = ~std::size_t{0};

  void number() {
    for (const SpatialLoop& loop : loops_)
      for (std::size_t r = 0; r < reach_.size(); ++r) reach_[r] += loop.move[r] * i64{loop.end - 1};
    offset_ = {0};
    for (const SpatialLoop& loop : loops_) {
      i64 step = 0, weight = 1;
      for (std::size_t r = 0; r < reach_.size(); ++r) step += loop.move[r] * weight, weight *= 2 * reach_[r] + 1;
      const std::size_t inside = offset_.size();
      for (u32 k = 1; k < loop.end; ++k)
        for (std::size_t id = 0; id < inside; ++id) offset_.push_back(offset_[id] + step * k);
    }
    std::vector<i64> all = offset_;
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    distinct_ = all.size();
    for (const i64 offset : offset_)
      group_.push_back(static_cast<u32>(std::ranges::lower_bound(all, offset) - all.begin()));
  }

  std::size_t right_of(std::size_t id) const { return (id + 1) % columns_ == 0 ? kNobody : id + 1; }
  std::size_t below(std::size_t id) const { return id / columns_ + 1 >= rows_ ? kNobody : id + columns_; }
  bool has(std::size_t id, i64 offset) const { return id < offset_.size() && offset_[id] == offset; }

  PeerMove along(i64 difference) const {
    std::size_t taking = 0, left = 0;
    std::vector<bool> served(distinct_);
    for (std::size_t id = 0; id < offset_.size(); ++id) {
      const i64 wanted = offset_[id] + difference;
      if (has(right_of(id), wanted) || has(below(id), wanted) || (id % columns_ > 0 && has(id - 1, wanted)) ||
          (id >= columns_ && has(id - columns_, wanted))) {
        ++taking;
      } else if (!served[group_[id]]) {
        served[group_[id]] = true;
        ++left;
      }
    }
    PeerMove out;
    out.saved = static_cast<double>(distinct_ - left) / static_cast<double>(distinct_);
    out.over = static_cast<double>(taking) / static_cast<double>(offset_.size());
    for (std::size_t r = 0; r < reach_.size(); ++r) {
      const i64 radix = 2 * reach_[r] + 1;
      const i64 digit = (((difference + reach_[r]) % radix) + radix) % radix - reach_[r];
      out.by[r] = digit;
      difference = (difference - digit) / radix;
    }
    return out;
  }

  std::vector<SpatialLoop> loops_;  // innermost first
  RankMove reach_{};                // of the receivers along each rank, from the first to the last
  u64 columns_ = 1, rows_ = 1;
  std::vector<i64> offset_;  // [receiver]
  std::vector<u32> group_;   // [receiver]: those with equal offsets
  std::size_t distinct_ = 0;
};

}  // namespace

// Words that a loop over a dimension with a rank of its own moves go further than any two units are apart.
std::vector<PeerMove> unit_moves(const LayerProblem& problem, const SpatialChoice& choice, int v) {
  const CompiledTensor& t = problem.model.compiled().tensor[v];
  const Receivers receivers(problem, 0, choice, v, unit_extents());
  std::vector<PeerMove> out;
  if (const PeerMove still = receivers.still(); still.saved > 0) out.push_back(still);
  if (t.sharing_any == 0) return out;
  const auto reached = [&](const PeerMove& move) {
    for (std::size_t r = 0; r < at(t.rank_count); ++r)
      if (t.sharing[r] == 0 && move.by[r] != 0) return false;
    return true;
  };
  for (const PeerMove& move : receivers.moves())
    if (reached(move)) out.push_back(move);
  std::ranges::sort(out);
  return out;
}

const PeerMove* PeerSite::find(const RankMove& by) const {
  for (const PeerMove& move : moves)
    if (move.by == by) return &move;
  return nullptr;
}

std::size_t PeerSites::Hash::operator()(const Key& key) const {
  u64 h = 0;
  for (const u32 word : key) h = (h ^ word) * 0x9e37'79b9'7f4a'7c15U, h ^= h >> 29;
  return h;
}

PeerPlace PeerSites::of(const LayerProblem& problem, int level, const SpatialChoice& choice, int v, const Extents& tile,
                        bool exact) {
  // A dimension that has ranks of its own alone keeps its receivers apart whatever its tile.
  Extents relevant = unit_extents();
  Key key{};
  key.back() = static_cast<u32>(level * kMaxTensors + v);
  for (std::size_t d = 0; d < kMaxDimensions; ++d) {
    if (contains(problem.model.compiled().tensor[v].sharing_any, d) && choice.factor.extent[d] > 1)
      relevant[d] = tile[d];
    key[3 * d] = relevant[d], key[3 * d + 1] = choice.x[d], key[3 * d + 2] = choice.y[d];
  }
  const std::lock_guard lock(mutex_);
  const auto [known, fresh] = known_.try_emplace(key);
  if (fresh) {
    const Receivers receivers(problem, level, choice, v, relevant);
    known->second = {unique(receivers.moves(), exact), receivers.multicast()};
  }
  return known->second;
}

const PeerSite* PeerSites::of_units(const LayerProblem& problem, const SpatialChoice& choice, int v) {
  Key key{};
  key.back() = static_cast<u32>(v);
  for (std::size_t d = 0; d < kMaxDimensions; ++d) key[3 * d + 1] = choice.x[d], key[3 * d + 2] = choice.y[d];
  const std::lock_guard lock(mutex_);
  const auto [known, fresh] = known_.try_emplace(key);
  if (fresh) known->second.site = unique(unit_moves(problem, choice, v), true);
  return known->second.site;
}

const PeerSite* PeerSites::unique(std::vector<PeerMove> moves, bool exact) {
  if (moves.empty()) return nullptr;
  if (!exact)
    for (PeerMove& move : moves) move.over = 1;
  std::unique_ptr<PeerSite>& out = sites_[{moves, exact}];
  if (!out) {
    out = std::make_unique<PeerSite>();
    out->least = moves.front().by;
    for (const PeerMove& move : moves) {
      out->most_saved = std::max(out->most_saved, move.saved);
      for (std::size_t r = 0; r < move.by.size(); ++r) out->least[r] = std::min(out->least[r], move.by[r]);
    }
    out->moves = std::move(moves);
    out->exact = exact;
  }
  return out.get();
}

}  // namespace heliolite
