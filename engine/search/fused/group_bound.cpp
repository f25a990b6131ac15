// What all links of a group cost at least (docs/rules/fused.md, rule home-bound): those of an array together
// (common_split.cpp), each of the others by itself.
#include <algorithm>
#include <functional>

#include "engine/search/fused/link_bound.h"

namespace heliolite {

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

// Dimensions of the links [links] that loops above the home of an array from outside may divide, though it has not.
std::vector<std::vector<int>> LinkBound::foreign_dimensions(int array, const std::vector<int>& links) const {
  std::vector<std::vector<int>> out(links.size());
  const FusedInterval::Array& own = group_.array[array];
  if (own.intermediate) return out;
  for (int first = group_.first; first <= own.first; ++first)
    for (int last = own.last; last <= group_.last; ++last)
      for (const RankClass& ranks : rank_classes(*group_.graph, first, last))
        for (std::size_t k = 0; k < links.size(); ++k)
          for (const int d : ranks.of(links[k]))
            if (!has_dimension(group_.graph->link(links[k]), *bits(tensors_of(links[k], array)).begin(), d))
              out[k].push_back(d);
  return out;
}

// A link is in the sum of one array at most: those first that raise the sum of the links' own bounds most.
double LinkBound::of_group(std::span<const double> enough) {
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
    Gain one{with_common_split(static_cast<int>(a), enough), links_of(static_cast<int>(a))};
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
