// The fewest accesses of a fused segment by buffer size.
#include "engine/bounds/fusion/fusion.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/base/integers.h"

namespace heliolite {

std::vector<KeptSet> kept_sets(std::span<const KeepItem> items, u64 forced) {
  std::vector<KeptSet> sets{KeptSet{}};
  for (std::size_t e = 0; e < items.size(); ++e) {
    const KeepItem& item = items[e];
    const auto with = [&](KeptSet set) {
      set.mask |= u64{1} << e;
      set.room += item.room;
      set.saved += item.saved;
      return set;
    };
    if (contains(forced, e)) {
      for (KeptSet& set : sets) set = with(set);
      continue;
    }
    if (item.saved == 0) continue;
    const std::size_t count = sets.size();
    for (std::size_t k = 0; k < count; ++k) sets.push_back(with(sets[k]));
    std::ranges::stable_sort(sets, [](const KeptSet& a, const KeptSet& b) {
      return a.room != b.room ? a.room < b.room : a.saved > b.saved;
    });
    u64 best = 0;
    bool first = true;
    std::erase_if(sets, [&](const KeptSet& set) {
      const bool better = first || set.saved > best;
      if (better) best = set.saved;
      first = false;
      return !better;
    });
  }
  return sets;
}

namespace {

constexpr u64 kForever = std::numeric_limits<u64>::max();  // no capacity is as large

}  // namespace

WordwiseCurve::Piece WordwiseCurve::Piece::starting(u64 capacity) const {
  Piece later = *this;
  later.from = capacity;
  if (slope == 0) return later;
  later.used += capacity - from;
  later.accesses = at(capacity);
  later.how.partly_words += capacity - from;
  return later;
}

void WordwiseCurve::add(u64 buffer, u64 accesses, const FusedTiles& how, std::span<const Gain> gains) {
  Pieces plan;
  Piece piece{buffer, buffer, accesses, 0, how};
  for (const Gain& gain : gains) {
    if (gain.words > 0) {
      plan.push_back(piece);
      plan.back().slope = gain.saved;
      plan.back().how.partly = gain.link;
    }
    piece.from += gain.words;
    piece.used = piece.from;
    piece.accesses -= gain.words * gain.saved + gain.bonus;
    piece.how.kept |= u64{1} << gain.link;
  }
  plan.push_back(piece);
  if (improved_by(plan)) lower_to(plan);
}

// Merges the plan with the pieces from its beginning up to where the curve has fallen to the plan's last accesses.
void WordwiseCurve::lower_to(const Pieces& plan) {
  const auto begins = std::ranges::upper_bound(pieces_, plan.front().from, {}, &Piece::from);
  const auto first = begins == pieces_.begin() ? begins : begins - 1;
  auto last = std::find_if(first, pieces_.end(), [&](const Piece& p) { return p.accesses <= plan.back().accesses; });
  if (last != pieces_.end()) ++last;
  const Pieces merged = lower(Pieces(first, last), plan, last == pieces_.end() ? kForever : last->from);
  const auto fits = std::min(last - first, static_cast<std::ptrdiff_t>(merged.size()));
  const auto rest = std::copy(merged.begin(), merged.begin() + fits, first);
  if (fits < static_cast<std::ptrdiff_t>(merged.size())) pieces_.insert(rest, merged.begin() + fits, merged.end());
  else pieces_.erase(rest, last);
}

std::size_t WordwiseCurve::piece_at(const Pieces& pieces, u64 capacity) {
  return static_cast<std::size_t>(std::ranges::upper_bound(pieces, capacity, {}, &Piece::from) - pieces.begin()) - 1;
}

// Both curves are straight between their breaks: one is below the other somewhere there if it is at one of the ends.
bool WordwiseCurve::improved_by(const Pieces& plan) const {
  if (pieces_.empty() || plan.front().from < pieces_.front().from) return true;
  const u64 least = plan.back().accesses;
  std::size_t i = piece_at(pieces_, plan.front().from), j = 0;
  for (u64 from = plan.front().from;;) {
    const u64 here = pieces_[i].at(from);
    if (here <= least) return false;  // this curve falls, too
    if (plan[j].at(from) < here) return true;
    const u64 next_here = i + 1 < pieces_.size() ? pieces_[i + 1].from : kForever;
    const u64 next_plan = j + 1 < plan.size() ? plan[j + 1].from : kForever;
    const u64 to = std::min(next_here, next_plan);
    if (to == kForever) return false;
    if (plan[j].at(to - 1) < pieces_[i].at(to - 1)) return true;
    if (to == next_here) ++i;
    if (to == next_plan) ++j;
    from = to;
  }
}

WordwiseCurve::Pieces WordwiseCurve::lower(const Pieces& a, const Pieces& b, u64 end) {
  Pieces merged;
  merged.reserve(2 * (a.size() + b.size()));
  const Piece* last = nullptr;  // what the last piece of `merged` is a part of
  const auto put = [&](const Piece& piece, u64 from) {
    if (&piece != last) merged.push_back(piece.starting(from));
    last = &piece;
  };
  const auto next = [end](const Pieces& pieces, std::size_t i) {
    return i < pieces.size() ? std::min(pieces[i].from, end) : end;
  };
  std::size_t i = 0, j = 0;  // the pieces that begin next
  bool second = false;       // whether b is the lower one
  for (u64 from = std::min(next(a, 0), next(b, 0)); from != end;) {
    if (next(a, i) == from) ++i;
    if (next(b, j) == from) ++j;
    const u64 to = std::min(next(a, i), next(b, j));
    if (i == 0 || j == 0) {
      second = i == 0;
      put(second ? b[j - 1] : a[i - 1], from);
    } else {
      // A curve stays the lower one until the other one is below it.
      const u64 here = a[i - 1].at(from), there = b[j - 1].at(from);
      if (second ? here < there : there < here) second = !second;
      const Piece &least = second ? b[j - 1] : a[i - 1], &other = second ? a[i - 1] : b[j - 1];
      put(least, from);
      if (other.slope > least.slope) {
        const u64 words = (other.at(from) - least.at(from)) / (other.slope - least.slope) + 1;
        if (words < to - from) {
          second = !second;
          put(other, from + words);
        }
      }
    }
    from = to;
  }
  return merged;
}

std::optional<FusedPlan> WordwiseCurve::at(u64 capacity) const {
  if (pieces_.empty() || capacity < pieces_.front().from) return std::nullopt;
  Piece piece = pieces_[piece_at(pieces_, capacity)].starting(capacity);
  if (piece.how.partly_words == 0) piece.how.partly = kNoLink;
  return FusedPlan{piece.used, piece.accesses, piece.how};
}

std::vector<u64> WordwiseCurve::capacities(double step) const {
  std::vector<u64> all;
  const auto larger = [&](u64 c) { return c + std::max<u64>(1, static_cast<u64>(static_cast<double>(c) * step)); };
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const u64 end = pieces_[i].slope == 0 ? pieces_[i].from + 1 : pieces_[i + 1].from;
    for (u64 c = pieces_[i].from; c < end; c = larger(c)) all.push_back(c);
  }
  return all;
}

void FusedCurve::add(u64 buffer, u64 accesses, const FusedTiles& how, std::span<const Gain> gains) {
  FusedTiles now = how;
  // Gains of words of one size belong to one curve.
  for (bool more = true; more;) {
    const u64 size = gains.empty() ? grain_ : gains.front().size;
    const auto other = std::ranges::find_if(gains, [&](const Gain& gain) { return gain.size != size; });
    const auto same = gains.first(static_cast<std::size_t>(other - gains.begin()));
    curves_[{size, buffer % size}].add(buffer / size, accesses, now, same);
    for (const Gain& gain : same) {
      buffer += gain.words * size;
      accesses -= gain.words * gain.saved + gain.bonus;
      now.kept |= u64{1} << gain.link;
    }
    gains = gains.subspan(same.size());
    more = !gains.empty();
  }
}

std::optional<FusedCurve::Point> FusedCurve::at(u64 capacity) const {
  std::optional<Point> best;
  for (const auto& [words, curve] : curves_) {
    const auto [size, besides] = words;
    if (capacity < besides) continue;
    std::optional<Point> point = curve.at((capacity - besides) / size);
    if (!point) continue;
    point->buffer = besides + point->buffer * size;
    if (!best || std::pair(point->accesses, point->buffer) < std::pair(best->accesses, best->buffer)) best = point;
  }
  return best;
}

std::vector<u64> FusedCurve::capacities(double step) const {
  std::vector<u64> all;
  for (const auto& [words, curve] : curves_)
    for (const u64 capacity : curve.capacities(step)) all.push_back(words.second + capacity * words.first);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace heliolite
