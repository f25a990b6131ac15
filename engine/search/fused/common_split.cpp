#include "engine/search/fused/common_split.h"

#include <algorithm>
#include <functional>

#include "engine/network/group_plan.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

// Arrays of the links whose place is decided together; of the others every place is allowed.
constexpr std::size_t kMostPlaced = 5;

// Whether one of two nodes may be beneath the other, by the loops above them.
bool is_chain(const std::vector<u64>& a, const std::vector<u64>& b) { return is_multiple(a, b) || is_multiple(b, a); }

}  // namespace

LinkBound::CommonSplit::CommonSplit(LinkBound& bound, int array, std::vector<int> links)
    : b_(bound), array_(array), links_(std::move(links)) {
  for (std::size_t k = 0; k < links_.size(); ++k) {
    shared_.push_back(b_.tensors_of(links_[k], array));
    ranks_.push_back(b_.rank_dimensions(array, links_[k]));
    const unsigned all = b_.open(b_.root_, links_[k]) | b_.intermediates(links_[k]);
    for (const int v : bits(static_cast<TensorMask>(all)))
      if (const int a = b_.group_.graph->array_of[links_[k]][v]; a != array) other(a).touches.push_back({k, v});
  }
  const auto words = [&](const Other& o) { return b_.group_.graph->words(o.array); };
  std::ranges::stable_sort(others_, std::greater(), words);
}

LinkBound::CommonSplit::Other& LinkBound::CommonSplit::other(int array) {
  const auto known = std::ranges::find(others_, array, &Other::array);
  return known != others_.end() ? *known : others_.emplace_back(Other{array});
}

bool LinkBound::CommonSplit::list() {
  placements_.clear();
  if (shared_.front() != 0) apart();
  if (!splits()) return false;
  for (std::size_t p = 0; p < placements_.size(); ++p) sums_.insert({sum_of(placements_[p]), p});
  return is_listed_ = true;
}

void LinkBound::CommonSplit::apart() {
  std::vector<Split> whole;
  for (const int l : links_) whole.push_back({{}, 1, b_.root_.of(l).size, {}, 0});
  std::vector<std::vector<Stay>> stays;
  for (const Other& o : others_) stays.push_back(unplaced(o));
  std::vector<const Split*> split;
  for (const Split& s : whole) split.push_back(&s);
  place(split, false, stays, 0);
}

std::vector<LinkBound::CommonSplit::Stay> LinkBound::CommonSplit::unplaced(const Other& o) const {
  if (is_intermediate(o)) return {anywhere(o)};
  return {{}, anywhere(o)};
}

LinkBound::CommonSplit::Stay LinkBound::CommonSplit::anywhere(const Other& o) const {
  Stay out{.home = true, .further_in = true};
  for (const Touch& t : o.touches)
    out.moved.push_back(is_intermediate(o) ? 0 : b_.words_once(links_[t.link], t.tensor));
  return out;
}

bool LinkBound::CommonSplit::splits() {
  splits_.clear();
  by_factor_.clear();
  for (const int l : links_) splits_.push_back(b_.splits(b_.root_, l, array_));
  for (std::size_t k = 0; k < links_.size(); ++k)
    for (const Split& s : splits_[k]) {
      std::vector<const Split*>& own = by_factor_[s.factor];
      own.resize(links_.size(), nullptr);
      own[k] = &s;
    }
  foreign_ = b_.foreign_dimensions(array_, links_);
  for (const auto& [factor, split] : by_factor_) {
    if (b_.solver_.over(b_.budget_)) return false;
    if (std::ranges::count(split, nullptr) != 0) continue;
    const u64 words = home_words(*split.front());
    if (!b_.holds(words)) continue;
    std::vector<std::vector<Stay>> stays;
    const std::vector<const RankFactors*> above = prefixes(factor, split);
    for (std::size_t o = 0; o < others_.size(); ++o)
      stays.push_back(o < kMostPlaced ? stays_of(others_[o], split, above) : unplaced(others_[o]));
    place(split, true, stays, words);
  }
  return true;
}

u64 LinkBound::CommonSplit::home_words(const Split& first) const {
  if (shared_.front() == 0) return first.home_words;
  const int tensor = *bits(shared_.front()).begin();
  return words_of(array_, links_.front(), tensor, first);
}

u64 LinkBound::CommonSplit::words_of(int array, int link, int tensor, const Split& s) const {
  return room_words(array, b_.tile(b_.root_, link, tensor, s.size), b_.group_.level, *b_.group_.graph,
                    *b_.group_.architecture);
}

std::vector<const LinkBound::CommonSplit::RankFactors*> LinkBound::CommonSplit::prefixes(
    const RankFactors& factor, const std::vector<const Split*>& split) const {
  std::vector<RankFactors> out{{}};
  for (std::size_t r = 0; r < factor.size(); ++r) {
    std::vector<u64> ends{1, factor[r]};
    for (std::size_t k = 0; k < links_.size(); ++k) {
      u64 so_far = 1;
      for (const int d : ranks_[k][r]) ends.push_back(so_far *= b_.root_.of(links_[k]).size[d] / split[k]->size[d]);
    }
    std::ranges::sort(ends);
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    std::vector<RankFactors> next;
    for (const RankFactors& before : out)
      for (const u64 end : ends) {
        next.push_back(before);
        next.back().push_back(end);
      }
    out = std::move(next);
  }
  std::vector<const RankFactors*> known;
  for (const RankFactors& f : out)
    if (const auto at = by_factor_.find(f); at != by_factor_.end() && std::ranges::count(at->second, nullptr) == 0)
      known.push_back(&at->first);
  return known;
}

std::vector<LinkBound::CommonSplit::Stay> LinkBound::CommonSplit::stays_of(
    const Other& o, const std::vector<const Split*>& split, const std::vector<const RankFactors*>& above) const {
  const Stay once = anywhere(o);
  // Beneath loops that the array lacks, or where windows slide, no tile and no number of fetches is known.
  const bool unknown = std::ranges::any_of(o.touches, [&](const Touch& t) {
    const Workload& link = b_.group_.graph->link(links_[t.link]);
    return b_.slides(links_[t.link], t.tensor, split[t.link]->size) ||
           std::ranges::any_of(foreign_[t.link], [&](int d) { return has_dimension(link, t.tensor, d); });
  });
  if (unknown) return unplaced(o);
  std::vector<Stay> out;
  Stay inner = beneath(o, split, false);
  inner.further_in = true;
  if (!is_intermediate(o)) out.emplace_back();
  if (!is_intermediate(o) || divides_only(o, split)) out.push_back(inner);
  if (!is_intermediate(o) && inner.moved == once.moved) return out;
  for (const RankFactors* f : above) {
    const std::vector<const Split*>& there = by_factor_.at(*f);
    Stay one = beneath(o, there, true);
    one.above = f;
    const bool is_further_out =
        is_intermediate(o) ? there != split && divides_only(o, there) : one.moved != inner.moved;
    if (b_.holds(one.room) && is_further_out) out.push_back(std::move(one));
  }
  return out;
}

bool LinkBound::CommonSplit::divides_only(const Other& o, const std::vector<const Split*>& split) const {
  return std::ranges::all_of(o.touches, [&](const Touch& t) {
    const LinkSizes &whole = b_.root_.of(links_[t.link]).size, &left = split[t.link]->size;
    for (int d = 0; d < static_cast<int>(whole.size()); ++d)
      if (left[d] != whole[d] && !has_dimension(b_.group_.graph->link(links_[t.link]), t.tensor, d)) return false;
    return true;
  });
}

LinkBound::CommonSplit::Stay LinkBound::CommonSplit::beneath(const Other& o, const std::vector<const Split*>& split,
                                                             bool takes_room) const {
  Stay out{.home = true};
  for (const Touch& t : o.touches) {
    const int link = links_[t.link];
    const u64 once = is_intermediate(o) ? 0 : b_.words_once(link, t.tensor),
              tile = b_.tile(b_.root_, link, t.tensor, split[t.link]->size);
    out.moved.push_back(once == 0 ? 0 : std::max(once, split[t.link]->passes * tile));
    if (takes_room) out.room = std::max(out.room, words_of(o.array, link, t.tensor, *split[t.link]));
  }
  return out;
}

void LinkBound::CommonSplit::place(const std::vector<const Split*>& split, bool home,
                                   const std::vector<std::vector<Stay>>& stays, u64 words) {
  std::vector<const Stay*> chosen;
  const std::function<void(u64)> next = [&](u64 taken) {
    if (chosen.size() == stays.size()) return add(split, home, chosen, taken);
    for (const Stay& stay : stays[chosen.size()]) {
      const bool chain = std::ranges::all_of(chosen, [&](const Stay* c) {
        return c->above == nullptr || stay.above == nullptr || is_chain(*c->above, *stay.above);
      });
      if (!chain || !b_.holds(taken + stay.room)) continue;
      chosen.push_back(&stay);
      next(taken + stay.room);
      chosen.pop_back();
    }
  };
  next(words);
}

void LinkBound::CommonSplit::add(const std::vector<const Split*>& split, bool home,
                                 const std::vector<const Stay*>& chosen, u64 taken) {
  Placement& placement = placements_.emplace_back();
  for (std::size_t k = 0; k < links_.size(); ++k) {
    const int link = links_[k];
    unsigned held = home ? shared_[k] : 0;
    Way way{.link = k, .taken = taken};
    for_touches(k, chosen, [&](const Stay& stay, const Touch& t, u64) {
      held |= 1U << t.tensor;
      if (stay.further_in) way.further_in |= 1U << t.tensor;
    });
    held &= ~unsigned{b_.intermediates(link)};
    LinkPass pass = b_.with_homes(b_.root_.of(link), link, static_cast<TensorMask>(held));
    if (home) b_.divide_pass(pass, link, split[k]->size);
    for_touches(k, chosen, [&](const Stay&, const Touch& t, u64 moved) {
      if (moved != 0) b_.move(pass, link, t.tensor, moved);
    });
    placement.ways.push_back(way_of(way, pass));
  }
}

std::size_t LinkBound::CommonSplit::way_of(Way way, const LinkPass& pass) {
  LinkPass key = pass;
  key.taken = way.taken;
  const auto [known, is_new] = way_number_.try_emplace({way.link, way.further_in, key}, ways_.size());
  if (is_new) {
    way.cases = {case_of(way.link, pass)};
    ways_.push_back(std::move(way));
  }
  return known->second;
}

std::size_t LinkBound::CommonSplit::case_of(std::size_t k, const LinkPass& pass) {
  const auto [known, is_new] = case_number_.try_emplace({k, pass}, cases_.size());
  if (is_new) cases_.push_back({pass, b_.solver_.first_bound(links_[k], pass, b_.lambda_)});
  return known->second;
}

}  // namespace heliolite
