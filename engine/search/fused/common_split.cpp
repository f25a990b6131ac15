// Rule home-bound (docs/rules/fused.md) of all links of an array at once: the loops above its home are the same for all
// of them, so one split is good for one of them and dear for another; it is held for all of them or for none; and what
// else is held there, or further out, takes room while each of them runs.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "engine/network/group_plan.h"
#include "engine/search/core/parallel.h"
#include "engine/search/fused/link_bound.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

// A raised limit is at least this much above what is known, so that searches below rising limits are few.
constexpr double kLeastRise = 1.05;
// Arrays of the links whose place is decided together; of the others every place is allowed.
constexpr std::size_t kMostPlaced = 5;
// Placements that are looked at together, of so many that are next.
constexpr std::size_t kMostAtOnce = 4, kMostNext = 32;

using RankFactors = std::vector<u64>;  // [rank of the array]

// Whether one of two nodes may be beneath the other, by the loops above them.
bool is_chain(const RankFactors& a, const RankFactors& b) { return is_multiple(a, b) || is_multiple(b, a); }

}  // namespace

// The least that the links of an array cost together beneath the loops above its home.
class LinkBound::CommonSplit {
 public:
  CommonSplit(LinkBound& bound, int array, std::vector<int> links)
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

  ~CommonSplit() { b_.solver_.hold(counted_, 0); }
  CommonSplit(const CommonSplit&) = delete;
  CommonSplit& operator=(const CommonSplit&) = delete;

  // Whether there is memory to keep it until it goes on.
  bool hold() {
    const u64 own = bytes();
    const bool is_held = b_.solver_.hold(counted_, own);
    counted_ = is_held ? own : 0;
    return is_held;
  }

  // Raises `lower` up to the least, or to what is not below the limit, by so many looks at most. False: time or looks
  // have ended it, and it may be called again.
  bool run(double limit, double& lower, u64 looks) { return (is_listed_ || list()) && refine(limit, lower, looks); }

 private:
  // An array that links of the shared one touch, too, and may be held with it.
  struct Touch {
    std::size_t link;  // of links_
    int tensor;
  };
  struct Other {
    int array;
    std::vector<Touch> touches{};
  };
  // Where it may stay: beneath some of the loops above the home, or further in, or in the nests.
  struct Stay {
    bool home = false;
    u64 room = 0;             // of its tile, while all links run
    bool further_in = false;  // with a tile of which the part beneath all loops is known
    const RankFactors* above = nullptr;
    std::vector<u64> moved{};  // [touch]; 0: it does not count there
  };

  // What that makes of a link: passes one of which it runs in.
  struct Way {
    std::size_t link;         // of links_
    u64 taken = 0;            // words of the level, while all links run
    unsigned further_in = 0;  // tensors that are held there
    bool in_room = false;     // whether the tiles of these are known to fit
    double lower = 0;         // what it costs at least, whatever the cases
    std::vector<std::size_t> cases{};
  };
  // A choice for all of them.
  struct Placement {
    std::vector<std::size_t> ways;  // [links_]
  };
  // What its links were known to cost at least when it was last asked: that only rises.
  struct Sum {
    double least;
    std::size_t placement;
    auto operator<=>(const Sum&) const = default;
  };

  // About what it takes.
  u64 bytes() const {
    constexpr u64 kOfPlacement = 96, kOfWay = 700;
    return placements_.size() * (kOfPlacement + links_.size() * sizeof(std::size_t)) +
           (ways_.size() + cases_.size()) * kOfWay;
  }

  Other& other(int array) {
    const auto known = std::ranges::find(others_, array, &Other::array);
    return known != others_.end() ? *known : others_.emplace_back(Other{array});
  }

  // Every placement. False: there was no time for them.
  bool list() {
    placements_.clear();
    if (shared_.front() != 0) apart();
    if (!splits()) return false;
    for (std::size_t p = 0; p < placements_.size(); ++p) sums_.insert({sum_of(placements_[p]), p});
    return is_listed_ = true;
  }

  // The array is in the nests of all links.
  void apart() {
    std::vector<Split> whole;
    for (const int l : links_) whole.push_back({{}, 1, b_.root_.of(l).size, {}, 0});
    std::vector<std::vector<Stay>> stays;
    for (const Other& o : others_) stays.push_back(unplaced(o));
    std::vector<const Split*> split;
    for (const Split& s : whole) split.push_back(&s);
    place(split, false, stays, 0);
  }

  bool is_intermediate(const Other& o) const { return b_.group_.array[o.array].intermediate; }

  // In the nests, or wherever it may be held.
  std::vector<Stay> unplaced(const Other& o) const {
    if (is_intermediate(o)) return {anywhere(o)};
    return {{}, anywhere(o)};
  }

  // At some node, where it comes in once, with a tile that is not beneath all loops.
  Stay anywhere(const Other& o) const {
    Stay out{.home = true, .further_in = true};
    for (const Touch& t : o.touches)
      out.moved.push_back(is_intermediate(o) ? 0 : b_.words_once(links_[t.link], t.tensor));
    return out;
  }

  // False: there was no time for them.
  bool splits() {
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

  // Room of the array's tile.
  u64 home_words(const Split& first) const {
    if (shared_.front() == 0) return first.home_words;
    const int tensor = *bits(shared_.front()).begin();
    return words_of(array_, links_.front(), tensor, first);
  }

  u64 words_of(int array, int link, int tensor, const Split& s) const {
    return room_words(array, b_.tile(b_.root_, link, tensor, s.size), b_.group_.level, *b_.group_.graph,
                      *b_.group_.architecture);
  }

  // Loops that may be above a node at the home or further out. Where a part of a rank's loops is above, none is lost
  // if that ends where one dimension of some link is divided up: an array that has the dimension comes in as often
  // beneath all loops over it, with a smaller tile; another no more often above them.
  std::vector<const RankFactors*> prefixes(const RankFactors& factor, const std::vector<const Split*>& split) const {
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

  std::vector<Stay> stays_of(const Other& o, const std::vector<const Split*>& split,
                             const std::vector<const RankFactors*>& above) const {
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

  // Whether the loops are over ranks of the array alone, as those above the home of an intermediate are.
  bool divides_only(const Other& o, const std::vector<const Split*>& split) const {
    return std::ranges::all_of(o.touches, [&](const Touch& t) {
      const LinkSizes &whole = b_.root_.of(links_[t.link]).size, &left = split[t.link]->size;
      for (int d = 0; d < static_cast<int>(whole.size()); ++d)
        if (left[d] != whole[d] && !has_dimension(b_.group_.graph->link(links_[t.link]), t.tensor, d)) return false;
      return true;
    });
  }

  // Held beneath these loops: it comes in in each of their iterations.
  Stay beneath(const Other& o, const std::vector<const Split*>& split, bool takes_room) const {
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

  // Every choice of where the other arrays stay that fits: the nodes at the home or further out are on one path.
  void place(const std::vector<const Split*>& split, bool home, const std::vector<std::vector<Stay>>& stays,
             u64 words) {
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

  void add(const std::vector<const Split*>& split, bool home, const std::vector<const Stay*>& chosen, u64 taken) {
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

  template <typename F>
  void for_touches(std::size_t k, const std::vector<const Stay*>& chosen, const F& f) const {
    for (std::size_t o = 0; o < others_.size(); ++o)
      for (std::size_t n = 0; n < others_[o].touches.size() && chosen[o]->home; ++n)
        if (others_[o].touches[n].link == k) f(*chosen[o], others_[o].touches[n], chosen[o]->moved[n]);
  }

  std::size_t way_of(Way way, const LinkPass& pass) {
    LinkPass key = pass;
    key.taken = way.taken;
    const auto [known, is_new] = way_number_.try_emplace({way.link, way.further_in, key}, ways_.size());
    if (is_new) {
      way.cases = {case_of(way.link, pass)};
      ways_.push_back(std::move(way));
    }
    return known->second;
  }

  std::size_t case_of(std::size_t k, const LinkPass& pass) {
    const auto [known, is_new] = case_number_.try_emplace({k, pass}, cases_.size());
    if (is_new) cases_.push_back({pass, b_.solver_.first_bound(links_[k], pass, b_.lambda_)});
    return known->second;
  }

  std::size_t least_case(const Way& way) const {
    return *std::ranges::min_element(way.cases, {}, [&](std::size_t c) { return cases_[c].lower; });
  }
  double lower_of(const Way& way) const {
    double out = kNoSum;
    for (const std::size_t c : way.cases) out = std::min(out, cases_[c].lower);
    return std::max(out, way.lower);
  }
  double sum_of(const Placement& p) const {
    double out = 0;
    for (const std::size_t w : p.ways) out += lower_of(ways_[w]);
    return out;
  }

  // The placements with the least sums are looked at more closely, until that has been done of the least.
  bool refine(double limit, double& lower, u64 looks) {
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
      if (open == ways.end()) return true;
      put_in_room(ways_[*open]);
    }
    return true;
  }

  // The first ones below the limit, at least one, by what is known of their links now.
  std::vector<std::size_t> least_placements(double limit) {
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

  // A search of a case that is due.
  struct Look {
    std::size_t way, number;  // of ways_ and of cases_
    BoundEffort known;
    double limit = kNoSum;
    double raised = 0;
  };

  // Looks at links of which least is known in the first placement, and in others that have no link in common with
  // those: several at a time. Of how many placements; 0: enough is known of all links of the first.
  std::size_t look_closer(const std::vector<std::size_t>& least) {
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

  // The links of which least is known, of one shape the first. None: enough is known of all.
  std::vector<Look> looks_of(const Placement& p) const {
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

  std::size_t shape_of(const Look& look) const { return b_.solver_.shape(links_[ways_[look.way].link]); }

  // Whether both would be searched as one: the whole links, or passes that differ in their room alone.
  bool share_state(const Look& a, const Look& b) const {
    if (shape_of(a) != shape_of(b)) return false;
    if (a.known == BoundEffort::Moved || b.known == BoundEffort::Moved) return true;
    LinkPass one = cases_[a.number].pass, other = cases_[b.number].pass;
    one.taken = other.taken = 0;
    return one == other;
  }

  // What a case need not be known to be above: then it is in no placement that is the least. Limits rise by steps that
  // are not too small.
  double limit_of(const Look& look, double least) const {
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

  void search(Look& look) const {
    const LinkPass& pass = cases_[look.number].pass;
    const int link = links_[ways_[look.way].link];
    if (look.known == BoundEffort::Moved) look.raised = b_.solver_.whole_bound(link, pass, b_.lambda_, b_.budget_);
    else look.raised = b_.solver_.least(link, pass, b_.lambda_, look.limit, b_.budget_);
  }

  // Tiles of what is held further in must fit beside the others: as they are in the passes, or beneath more loops. Of
  // these the least are enough, because passes of finer ones cost as much at least.
  void put_in_room(Way& way) {
    way.in_room = true;
    const auto capacity = b_.room_;
    if (capacity == CompiledLevel::kUnbounded) return;
    const int link = links_[way.link];
    way.lower = lower_of(way);
    const LinkPass all_room = cases_[way.cases.front()].pass;
    way.cases.clear();
    const auto tensors = static_cast<TensorMask>(way.further_in);
    for (LinkPass& pass : b_.passes_in_room(link, all_room, tensors, capacity - way.taken)) {
      pass.taken = way.taken;
      const std::size_t c = case_of(way.link, pass);
      cases_[c].effort = std::max(cases_[c].effort, BoundEffort::Whole);
      way.cases.push_back(c);
    }
    if (way.cases.empty()) way.lower = kNoSum;
  }

  LinkBound& b_;
  int array_;
  std::vector<int> links_;
  std::vector<std::vector<std::vector<int>>> ranks_;  // [links_][rank of the array]: dimensions of the link
  std::vector<TensorMask> shared_;                    // [links_]: tensors that are the array, if it comes from outside
  std::vector<std::vector<int>> foreign_;             // [links_]: dimensions that loops above the home may divide, too
  std::vector<Other> others_;
  std::vector<std::vector<Split>> splits_;                      // [links_]
  std::map<RankFactors, std::vector<const Split*>> by_factor_;  // [links_]
  std::vector<Placement> placements_;
  std::set<Sum> sums_;  // of all placements
  bool is_listed_ = false;
  u64 counted_ = 0;  // bytes, by the solver
  std::vector<Case> cases_;
  std::vector<Way> ways_;
  std::map<std::pair<std::size_t, LinkPass>, std::size_t> case_number_;
  std::map<std::tuple<std::size_t, unsigned, LinkPass>, std::size_t> way_number_;
};

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
