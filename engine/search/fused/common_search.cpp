// What the placements of an array cost at least (docs/rules/fused.md, rule home-bound): searches of the links of those
// that are least by what is known, until that has been done of the least of all.
#include <algorithm>

#include "engine/search/core/parallel.h"
#include "engine/search/fused/common_split.h"

namespace heliolite {
namespace {

// A raised limit is at least this much above what is known, so that searches below rising limits are few.
constexpr double kLeastRise = 1.05;
// Placements that are looked at together, of so many that are next.
constexpr std::size_t kMostAtOnce = 4, kMostNext = 32;

}  // namespace

bool LinkBound::CommonSplit::refine(double limit, double& lower, u64 looks) {
  if (placements_.empty()) lower = kNoSum;
  while (!sums_.empty()) {
    const std::vector<std::size_t> least = least_placements(limit);
    lower = std::max(lower, sums_.begin()->least);
    if (lower >= limit) return true;
    if (looks == 0 || b_.solver_.over(b_.budget_)) return false;
    const std::size_t closer = look_closer(least);
    looks -= std::min<u64>(looks, std::max<std::size_t>(closer, 1));
    if (closer != 0) continue;
    const std::vector<std::size_t>& ways = placements_[least.front()].ways;
    const auto open = std::ranges::find_if(ways, [&](std::size_t w) { return !ways_[w].in_room; });
    if (open != ways.end()) put_in_room(ways_[*open]);
    else if (std::ranges::none_of(ways, [&](std::size_t w) { return take_room(ways_[w]); })) return true;
  }
  return true;
}

std::vector<std::size_t> LinkBound::CommonSplit::least_placements(double limit) {
  std::vector<std::size_t> out;
  for (auto next = sums_.begin(); next != sums_.end() && out.size() < kMostNext;) {
    const auto [known, number] = *next;
    if (!out.empty() && known >= limit) break;
    if (const double sum = sum_of(placements_[number]); sum > known) {
      const auto after = sums_.erase(next);
      const auto moved = sums_.insert({sum, number}).first;
      next = after == sums_.end() || *moved < *after ? moved : after;
      continue;
    }
    out.push_back(number);
    ++next;
  }
  return out;
}

std::size_t LinkBound::CommonSplit::look_closer(const std::vector<std::size_t>& least) {
  std::vector<Look> looks;
  std::size_t out = 0;
  for (const std::size_t p : least) {
    if (out == kMostAtOnce) break;
    const std::vector<Look> own = looks_of(placements_[p]);
    if (own.empty() && out == 0) return 0;
    const bool is_apart = std::ranges::none_of(own, [&](const Look& look) {
      return std::ranges::any_of(looks, [&](const Look& other) { return share_state(look, other); });
    });
    if (own.empty() || !is_apart) continue;
    looks.insert(looks.end(), own.begin(), own.end());
    ++out;
  }
  parallel_for(looks.size(), b_.solver_.threads(), [&](std::size_t k) { search(looks[k]); });
  for (const Look& look : looks) {
    Case& own = cases_[look.number];
    if (look.known == BoundEffort::Moved) own.effort = BoundEffort::Whole;
    else if (look.raised < look.limit || look.limit == kNoSum) own.effort = BoundEffort::Passes;
    own.lower = std::max(own.lower, look.raised);
  }
  return out;
}

std::vector<LinkBound::CommonSplit::Look> LinkBound::CommonSplit::looks_of(const Placement& p) const {
  const auto known_of = [&](std::size_t w) {
    return ways_[w].cases.empty() ? BoundEffort::Passes : cases_[least_case(ways_[w])].effort;
  };
  const BoundEffort effort = known_of(*std::ranges::min_element(p.ways, {}, known_of));
  std::vector<Look> out;
  for (const std::size_t w : p.ways) {
    if (known_of(w) != effort || effort == BoundEffort::Passes) continue;
    Look look{w, least_case(ways_[w]), effort};
    if (std::ranges::any_of(out, [&](const Look& other) { return shape_of(other) == shape_of(look); })) continue;
    if (effort == BoundEffort::Whole) look.limit = limit_of(look, sum_of(p));
    out.push_back(look);
  }
  return out;
}

bool LinkBound::CommonSplit::share_state(const Look& a, const Look& b) const {
  if (shape_of(a) != shape_of(b)) return false;
  if (a.known == BoundEffort::Moved || b.known == BoundEffort::Moved) return true;
  return without_taken(cases_[a.number].pass) == without_taken(cases_[b.number].pass);
}

double LinkBound::CommonSplit::limit_of(const Look& look, double least) const {
  const double lower = cases_[look.number].lower;
  if (lower <= 0) return kNoSum;
  double others = kNoSum;  // placements without it
  for (const Sum& s : sums_) {
    if (s.least >= others) break;
    const Placement& p = placements_[s.placement];
    if (std::ranges::count(p.ways, look.way) == 0) others = std::min(others, sum_of(p));
  }
  return std::max(lower * kLeastRise, lower + others - least);
}

void LinkBound::CommonSplit::search(Look& look) const {
  const LinkPass& pass = cases_[look.number].pass;
  const int link = links_[ways_[look.way].link];
  if (look.known == BoundEffort::Moved) look.raised = b_.solver_.whole_bound(link, pass, b_.lambda_, b_.budget_);
  else look.raised = b_.solver_.least(link, pass, b_.lambda_, look.limit, b_.budget_);
}

void LinkBound::CommonSplit::put_in_room(Way& way) {
  way.in_room = true;
  const auto capacity = b_.room_;
  if (capacity == CompiledLevel::kUnbounded) return;
  way.lower = lower_of(way);
  way.all_room = cases_[way.cases.front()].pass;
  way.cases.clear();
  const auto tensors = static_cast<TensorMask>(way.further_in);
  for (LinkPass& pass :
       b_.passes_in_room(links_[way.link], way.all_room, way.all_room.size, tensors, capacity - way.taken)) {
    pass.taken = way.taken;
    add_case(way, pass);
  }
}

bool LinkBound::CommonSplit::take_room(Way& way) {
  if (way.cases.empty() || way.further_in == 0) return false;
  const std::size_t least = least_case(way);
  const std::vector<LinkPass> parts = b_.by_room(links_[way.link], cases_[least].pass, way.all_room,
                                                 static_cast<TensorMask>(way.further_in), way.taken);
  if (parts.empty()) return false;
  way.lower = lower_of(way);
  std::erase(way.cases, least);
  for (const LinkPass& pass : parts) add_case(way, pass);
  return true;
}

void LinkBound::CommonSplit::add_case(Way& way, const LinkPass& pass) {
  const std::size_t c = case_of(way.link, pass);
  cases_[c].effort = std::max(cases_[c].effort, BoundEffort::Whole);
  if (std::ranges::count(way.cases, c) == 0) way.cases.push_back(c);
}

bool LinkBound::search(Together& t, double limit, u64 looks) {
  if (limit <= t.known->limit) return true;
  if (!t.split) t.split = std::make_shared<CommonSplit>(*this, t.array, t.links);
  if (!t.split->run(limit, t.known->lower, looks) || solver_.over(budget_)) {
    if (!t.split->hold()) t.split.reset();
    return false;
  }
  t.known->limit = limit;
  t.split.reset();
  return true;
}

}  // namespace heliolite
