#include "engine/search/fused/link_bound.h"

#include <algorithm>
#include <functional>

#include "engine/base/integers.h"
#include "engine/network/group_plan.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

using At = ArrayPlace::At;

}  // namespace

bool is_multiple(const std::vector<u64>& fine, const std::vector<u64>& coarse) {
  return std::ranges::equal(fine, coarse, [](u64 a, u64 b) { return a % b == 0; });
}

LinkBound::LinkBound(const FusedInterval& group, LinkSolver& solver, double lambda, const SearchBudget& budget,
                     LinkBounds& known, const Gate& gate)
    : group_(group),
      solver_(solver),
      lambda_(lambda),
      budget_(budget),
      gate_(gate),
      room_(group.architecture->levels[group.level].capacity_words().value_or(CompiledLevel::kUnbounded)),
      root_(whole(group)),
      known_(known),
      searched_at_root_(at(group.last - group.first + 1), -1),
      further_in_(at(group.last - group.first + 1)) {
  for (int l = group.first; l <= group.last; ++l) known_at_root_.push_back(&known_at(root_, l, room_));
}

RootBound& LinkBound::known_at(const Subtree& s, int link, u64 room) {
  const std::vector<u64> key = key_of(s, link, room);
  const std::lock_guard lock(known_.mutex);
  return known_.link[key];
}

const FusedInterval::Array& LinkBound::array_of(int link, int tensor) const {
  return group_.array[group_.graph->array_of[link][tensor]];
}

TensorMask LinkBound::intermediates(int link) const {
  unsigned out = 0;
  for (std::size_t v = 0; v < group_.graph->array_of[link].size(); ++v)
    if (array_of(link, static_cast<int>(v)).intermediate) out |= 1U << v;
  return static_cast<TensorMask>(out);
}

// Tensors that may still get a home, or may not.
TensorMask LinkBound::open(const Subtree& s, int link) const {
  unsigned out = 0;
  for (std::size_t v = 0; v < group_.graph->array_of[link].size(); ++v) {
    const At place = s.array[group_.graph->array_of[link][v]].at;
    if (!array_of(link, static_cast<int>(v)).intermediate && (place == At::Open || place == At::Due)) out |= 1U << v;
  }
  return static_cast<TensorMask>(out & ~unsigned{s.of(link).at_home});
}

// All that the bound at a root depends on.
std::vector<u64> LinkBound::key_of(const Subtree& s, int link, u64 room) const {
  std::vector<u64> out{static_cast<u64>(link), static_cast<u64>(group_.level), room, s.of(link).at_home, open(s, link)};
  for (const int a : group_.graph->array_of[link]) {
    const FusedInterval::Array& array = group_.array[a];
    out.push_back((array.intermediate ? 2 : 0) + (array.touched_outside ? 1 : 0));
    for (const ArrayTouch* t : array.inside) out.push_back(static_cast<u64>(t->link) + 3);
  }
  return out;
}

// Words of a held tensor that come in, or leave, at least: the array once, where it counts for the link.
u64 LinkBound::words_once(int link, int tensor) const {
  const FusedInterval::Array& own = array_of(link, tensor);
  const bool counts = own.inside.front()->link == link && !own.inside.front()->is_term;
  return counts ? group_.graph->link(link).tensor_words(tensor) : 0;
}

double LinkBound::least(const Subtree& s, int link, u64 room) {
  if (s.depth == 0) return at_root(known_at(s, link, room), s, link, room);
  return std::max(of_whole_group(link), further_in(s, link).lower);
}

double LinkBound::of_whole_group(int link) {
  double& searched = searched_at_root_[link - group_.first];
  if (searched >= 0) return searched;
  RootBound& known = *known_at_root_[link - group_.first];
  const double out = at_root(known, root_, link, room_);
  const std::lock_guard lock(known.mutex);
  if (known.effort == BoundEffort::Passes) searched = out;
  return out;
}

// By what the passes beneath a loop must move: places with other arrays, or other links, often leave the same of it.
const LinkBound::FurtherIn& LinkBound::further_in(const Subtree& s, int link) {
  const auto [known, is_new] = further_in_[link - group_.first].try_emplace({s.of(link), open(s, link)});
  FurtherIn& out = known->second;
  if (!is_new) return out;
  const std::vector<Case> cases = cases_anywhere(s, link);
  out.lower = kNoSum;
  if (!cases.empty()) out.floor = solver_.least_moved(link, cases.front().pass);
  for (const Case& c : cases) {
    const Cost& moved = solver_.least_moved(link, c.pass);
    out.lower = std::min(out.lower, c.lower);
    out.floor = {std::min(out.floor.energy, moved.energy), std::min(out.floor.cycles, moved.cycles)};
  }
  return out;
}

const Cost& LinkBound::floor(const Subtree& s, int link) {
  if (s.depth != 0) return further_in(s, link).floor;
  RootBound& known = *known_at_root_[link - group_.first];
  const std::lock_guard lock(known.mutex);
  if (!known.floor) known.floor = further_in(s, link).floor;
  return *known.floor;
}

double LinkBound::quick(int link) {
  RootBound& known = *known_at_root_[link - group_.first];
  if (!known.effort) {
    known.lower = std::max(known.lower, bound(root_, link, room_, BoundEffort::Moved));
    known.effort = BoundEffort::Moved;
  }
  return known.lower;
}

bool LinkBound::is_searched(int link, BoundEffort effort) const {
  const RootBound& known = *known_at_root_[link - group_.first];
  return known.effort && *known.effort >= effort;
}

double LinkBound::search(int link, BoundEffort effort) { return bound(root_, link, room_, effort); }

void LinkBound::keep(int link, BoundEffort effort, double lower, bool complete) {
  RootBound& known = *known_at_root_[link - group_.first];
  known.lower = std::max(known.lower, lower);
  if (complete) known.effort = effort;
}

double LinkBound::at_root(RootBound& known, const Subtree& s, int link, u64 room) {
  const std::lock_guard lock(known.mutex);
  if (known.effort == BoundEffort::Passes) return known.lower;
  known.lower = std::max(known.lower, bound(s, link, room, BoundEffort::Passes));
  if (!solver_.over(budget_)) known.effort = BoundEffort::Passes;
  gate_.pruned(Rule::HomeBound, gate_.on(Rule::HomeBound) ? 1 : 0);
  return known.lower;
}

double LinkBound::bound(const Subtree& s, int link, u64 room, BoundEffort effort) {
  double out = 0;
  bool bounded = false;
  for (std::size_t a = 0; a < group_.array.size() && gate_.on(Rule::HomeBound); ++a) {
    const FusedInterval::Array& own = group_.array[a];
    const bool touched = std::ranges::any_of(own.inside, [&](const ArrayTouch* t) { return t->link == link; });
    if (!own.intermediate || !touched || s.array[a].at != At::Open || own.first == own.last) continue;
    out = std::max(out, with_home(s, link, static_cast<int>(a), room, effort));
    bounded = true;
  }
  return bounded ? out : anywhere(s, link, effort);
}

// In the passes that the place leaves, with all room of the level: its tensors may stay wherever they are not yet. At
// the root the tiles of what stays fit together, at least beneath all loops above the link.
double LinkBound::anywhere(const Subtree& s, int link, BoundEffort effort) {
  std::vector<Case> cases = cases_anywhere(s, link);
  return least_case(link, cases, effort);
}

std::vector<LinkBound::Case> LinkBound::cases_anywhere(const Subtree& s, int link) {
  const TensorMask may = open(s, link);
  std::vector<Case> cases;
  for (unsigned some = may;; some = (some - 1) & may) {
    const LinkPass all = with_homes(s.of(link), link, static_cast<TensorMask>(some));
    const bool fits = s.depth == 0 && gate_.on(Rule::HomeBound);
    const u64 room = fits ? room_ : CompiledLevel::kUnbounded;
    for (const LinkPass& pass : passes_in_room(link, all, all.size, static_cast<TensorMask>(some), room))
      cases.push_back({pass, solver_.first_bound(link, pass, lambda_)});
    if (some == 0) break;
  }
  return cases;
}

// The least of the cases, of which only those are looked at more closely that may be it.
double LinkBound::least_case(int link, std::vector<Case>& cases, BoundEffort effort) {
  if (cases.empty()) return kNoSum;
  while (true) {
    Case& least = *std::ranges::min_element(cases, {}, &Case::lower);
    if (least.effort >= effort) return least.lower;
    if (least.effort == BoundEffort::Moved) {
      least.effort = BoundEffort::Whole;
      least.lower = std::max(least.lower, solver_.whole_bound(link, least.pass, lambda_, budget_));
      continue;
    }
    least.effort = BoundEffort::Passes;
    double next = kNoSum;  // it need not be known how far above it is
    for (const Case& c : cases)
      if (&c != &least && c.effort == BoundEffort::Passes) next = std::min(next, c.lower);
    least.lower = std::max(least.lower, solver_.least(link, least.pass, lambda_, next, budget_));
  }
}

// The intermediate's tile must fit into the room: loops above its home divide it, and with it the link.
double LinkBound::with_home(const Subtree& s, int link, int array, u64 room, BoundEffort effort) {
  const std::vector<Split> all = splits(s, link, array);
  const TensorMask may = open(s, link);
  std::vector<Case> cases;
  for (unsigned held = may;; held = (held - 1) & may) {
    for (const Split* split : coarsest(s, link, all, static_cast<TensorMask>(held), room))
      add_cases(s, link, *split, static_cast<TensorMask>(held), cases);
    if (held == 0) break;
  }
  return least_case(link, cases, effort);
}

// The link and tensor by whose dimensions an array is divided: its maker's, or of what comes from outside those of the
// first link that reads it.
const ArrayTouch& LinkBound::divided_touch(int array) const {
  const FusedInterval::Array& own = group_.array[array];
  return own.intermediate ? group_.graph->array(array).touches.front() : *own.inside.front();
}

// The touch whose ranks the factors of the link's splits are of: its own, of a maker a reader's.
const ArrayTouch& LinkBound::split_touch(int link, int array) const {
  const bool intermediate = group_.array[array].intermediate;
  const ArrayTouch& made = divided_touch(array);
  for (const ArrayTouch* t : group_.array[array].inside)
    if ((t->link != made.link || !intermediate) && (link == made.link || t->link == link)) return *t;
  return made;
}

// [rank]: dimensions of the link that loops over it divide, the outermost first.
std::vector<std::vector<int>> LinkBound::rank_dimensions(int array, int link) const {
  std::vector<std::vector<int>> out;
  const bool makes = group_.array[array].intermediate && divided_touch(array).link == link;
  for (const CommonRank& r : split_touch(link, array).ranks) out.push_back(makes ? r.array : r.own);
  return out;
}

std::vector<LinkBound::Split> LinkBound::splits(const Subtree& s, int link, int array) const {
  const bool intermediate = group_.array[array].intermediate;
  const ArrayTouch& made = divided_touch(array);
  std::vector<bool> whole(s.of(made.link).size.size(), false);
  if (intermediate) whole = whole_dimensions(group_, array);
  std::vector<Split> parts{{{}, 1, s.of(link).size, s.of(made.link).size, 0}};
  for (const CommonRank& r : split_touch(link, array).ranks) {
    const std::vector<int>& dimensions =
        intermediate ? r.array : std::ranges::find(made.ranks, r.array, &CommonRank::array)->own;
    u64 lines = 1;
    for (const int d : dimensions) lines *= s.of(made.link).size[d];
    const bool may = r.divides && std::ranges::none_of(dimensions, [&](int d) { return whole[d]; });
    std::vector<Split> next;
    for (const Split& before : parts)
      for (const u64 factor : may ? divisors(lines) : std::vector<u64>{1}) {
        const auto of_made = divide(before.made, dimensions, factor);
        const auto of_link = link == made.link ? of_made : divide(before.size, r.own, factor);
        if (!of_made || !of_link) continue;
        Split part = before;
        part.factor.push_back(factor);
        part.passes *= factor;
        for (const DividedDimension& d : *of_made) part.made[d.dimension] /= d.factor;
        for (const DividedDimension& d : *of_link) part.size[d.dimension] /= d.factor;
        next.push_back(std::move(part));
      }
    parts = std::move(next);
  }
  if (!intermediate) return parts;
  for (Split& part : parts)
    part.home_words = room_words(array, tile_words(group_.graph->link(made.link), made.tensor, part.made), group_.level,
                                 *group_.graph, *group_.architecture);
  return parts;
}

// Whether the tiles of the intermediate and of what is held with it fit.
bool LinkBound::fits(const Subtree& s, int link, const Split& split, TensorMask held, u64 room) const {
  return room == CompiledLevel::kUnbounded || split.home_words + tiles(s, link, held, split.size) <= room;
}

// The divisions beneath which the tiles of the intermediate and of what is held with it fit, without any that is a
// division of another: these cost as much at least.
std::vector<const LinkBound::Split*> LinkBound::coarsest(const Subtree& s, int link, const std::vector<Split>& all,
                                                         TensorMask held, u64 room) const {
  std::vector<const Split*> fit, out;
  for (const Split& split : all)
    if (fits(s, link, split, held, room)) fit.push_back(&split);
  std::ranges::stable_sort(fit, {}, &Split::passes);
  for (const Split* split : fit)
    if (std::ranges::none_of(out, [&](const Split* o) { return is_multiple(split->factor, o->factor); }))
      out.push_back(split);
  return out;
}

// Tensors of `held` stay above the loops that do not divide them, or at the home; each of the others is held further
// in, where it comes once in each pass at least, or nowhere.
void LinkBound::add_cases(const Subtree& s, int link, const Split& split, TensorMask held, std::vector<Case>& cases) {
  const unsigned others = open(s, link) & ~unsigned{held};
  for (unsigned inner = others;; inner = (inner - 1) & others) {
    LinkPass pass = with_homes(s.of(link), link, static_cast<TensorMask>(held | inner));
    divide_pass(pass, link, split.size);
    for (const int v : bits(static_cast<TensorMask>(inner))) come_in_each_pass(pass, link, v);
    cases.push_back({pass, solver_.first_bound(link, pass, lambda_)});
    if (inner == 0) break;
  }
}

}  // namespace heliolite
