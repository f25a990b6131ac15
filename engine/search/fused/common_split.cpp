// Rule home-bound (docs/rules/fused.md) of all links of an array at once: the loops above its home are the same for all
// of them, so one split is good for one of them and dear for another; and it is held for all of them or for none.
#include <algorithm>
#include <functional>
#include <map>

#include "engine/search/fused/link_bound.h"

namespace heliolite {
namespace {

// A raised limit is at least this much above what is known, so that searches below rising limits are few.
constexpr double kLeastRise = 1.02;

}  // namespace

// Links that make or read the array by their nests; none: the readers see other ranks of it, or one reads it twice, or
// it is held and slides.
std::vector<int> LinkBound::links_of(int array) const {
  const FusedInterval::Array& own = group_.array[array];
  const ArrayTouch* first = nullptr;
  std::vector<int> out;
  if (own.intermediate) out.push_back(*group_.graph->array(array).maker);
  for (const ArrayTouch* t : own.inside) {
    if ((own.intermediate && t->link == out.front()) || t->is_term) continue;
    const bool plain = std::ranges::all_of(t->ranks, [](const CommonRank& r) { return r.divides && !r.slides; });
    if (!own.intermediate && !plain) return {};
    if (std::ranges::count(out, t->link) != 0) return {};
    if (first == nullptr) first = t;
    else if (!std::ranges::equal(first->ranks, t->ranks, {}, &CommonRank::array, &CommonRank::array)) return {};
    out.push_back(t->link);
  }
  return out.size() < 2 ? std::vector<int>{} : out;
}

// The link's tensors that the array is; none of an intermediate, which has a home anyway.
TensorMask LinkBound::tensors_of(int link, int array) const {
  unsigned out = 0;
  for (const ArrayTouch* t : group_.array[array].inside)
    if (t->link == link && !group_.array[array].intermediate) out |= 1U << t->tensor;
  return static_cast<TensorMask>(out);
}

std::vector<u64> LinkBound::key_of_links(int array, const std::vector<int>& links) const {
  std::vector<u64> out{static_cast<u64>(array)};
  for (const int l : links) {
    const std::vector<u64> own = key_at_root(l);
    out.insert(out.end(), own.begin(), own.end());
  }
  return out;
}

double LinkBound::with_common_split(int array) {
  const std::vector<int> links = links_of(array);
  if (links.empty()) return 0;
  const auto [known, is_new] = known_.common.try_emplace(key_of_links(array, links), 0);
  if (!is_new) return known->second;
  // What each link costs under each division, by the sizes that it leaves of one of them; under no sizes: what they
  // cost if the array is not held.
  using Divided = std::vector<std::vector<Case>>;  // [of `links`]
  std::map<LinkSizes, Divided> all;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const TensorMask shared = tensors_of(links[k], array);
    const auto may = static_cast<TensorMask>(open(root_, links[k]) & ~unsigned{shared});
    for (unsigned some = may; shared != 0; some = (some - 1) & may) {
      const LinkPass pass = with_homes(root_.of(links[k]), links[k], static_cast<TensorMask>(some));
      Divided& apart = all[{}];
      apart.resize(links.size());
      apart[k].push_back({pass, solver_.first_bound(links[k], pass, lambda_)});
      if (some == 0) break;
    }
    for (const Split& split : splits(root_, links[k], array)) {
      if (budget_.over()) return 0;
      std::vector<Case> cases;
      for (unsigned some = may;; some = (some - 1) & may) {
        const auto held = static_cast<TensorMask>(some | shared);
        if (fits(root_, links[k], split, held, room_)) add_cases(root_, links[k], split, held, cases);
        if (some == 0) break;
      }
      if (cases.empty()) continue;
      Divided& divided = all[split.made];
      divided.resize(links.size());
      divided[k].insert(divided[k].end(), cases.begin(), cases.end());
    }
  }
  std::erase_if(all, [](const auto& d) { return std::ranges::any_of(d.second, &std::vector<Case>::empty); });
  if (all.empty()) return known->second = kNoSum;
  const auto least = [](std::vector<Case>& cases) { return std::ranges::min_element(cases, {}, &Case::lower); };
  std::map<LinkSizes, double> sum;
  const auto add_up = [&](const LinkSizes& made) {
    double& total = sum[made] = 0;
    for (std::vector<Case>& cases : all[made]) total += least(cases)->lower;
    return total;
  };
  for (const auto& d : all) add_up(d.first);
  // The division with the least sum is looked at more closely, until that has been done.
  while (true) {
    const auto best = std::ranges::min_element(sum, {}, [](const auto& d) { return d.second; });
    double next = kNoSum;
    for (const auto& d : sum)
      if (d.first != best->first) next = std::min(next, d.second);
    known->second = best->second;
    if (known->second == kNoSum) return kNoSum;
    // Of its links the one of which least is known.
    Case* due = nullptr;
    int link = 0;
    for (std::size_t k = 0; k < links.size(); ++k) {
      Case& own = *least(all[best->first][k]);
      if (own.effort == BoundEffort::Passes || (due != nullptr && due->effort <= own.effort)) continue;
      due = &own;
      link = links[k];
    }
    if (due == nullptr || budget_.over()) return known->second;
    if (due->effort == BoundEffort::Moved) {
      due->effort = BoundEffort::Whole;
      due->lower = std::max(due->lower, solver_.whole_bound(link, due->pass, lambda_, budget_));
    } else {
      double limit = kNoSum;
      if (due->lower > 0) limit = std::max(due->lower * kLeastRise, next - (best->second - due->lower));
      const double lower = solver_.least(link, due->pass, lambda_, limit, budget_);
      if (lower < limit || limit == kNoSum) due->effort = BoundEffort::Passes;
      due->lower = std::max(due->lower, lower);
    }
    add_up(LinkSizes(best->first));
  }
}

// A link is in the sum of one array at most: those first that raise the sum of the links' own bounds most.
double LinkBound::of_group() {
  std::vector<double> own;
  double sum = 0;
  for (int l = group_.first; l <= group_.last; ++l) sum += own.emplace_back(quick(l));
  struct Gain {
    double gain;
    std::vector<int> links;
  };
  std::vector<Gain> gains;
  for (std::size_t a = 0; a < group_.array.size() && solver_.gate().on(Rule::HomeBound); ++a) {
    const FusedInterval::Array& array = group_.array[a];
    if (root_.array[a].at != ArrayPlace::At::Open || array.inside.empty() || array.first == array.last) continue;
    Gain one{with_common_split(static_cast<int>(a)), links_of(static_cast<int>(a))};
    for (const int l : one.links) one.gain -= own[l - group_.first];
    if (one.gain > 0) gains.push_back(std::move(one));
  }
  std::ranges::stable_sort(gains, std::greater(), &Gain::gain);
  std::vector<bool> taken(own.size(), false);
  for (const Gain& one : gains) {
    if (std::ranges::any_of(one.links, [&](int l) { return taken[l - group_.first]; })) continue;
    for (const int l : one.links) taken[l - group_.first] = true;
    sum += one.gain;
    solver_.gate().pruned(Rule::HomeBound, 1);
  }
  return sum;
}

}  // namespace heliolite
