// What all links of a group cost at least (docs/rules/fused.md, rule home-bound): those of an array together
// (common_split.h), each of the others by itself.
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

// The arrays of the group that more than one link touches and that may be held.
std::vector<LinkBound::Together>& LinkBound::together() {
  if (together_) return *together_;
  together_.emplace();
  for (std::size_t a = 0; a < group_.array.size() && gate_.on(Rule::HomeBound); ++a) {
    const FusedInterval::Array& array = group_.array[a];
    if (root_.array[a].at != ArrayPlace::At::Open || array.inside.empty() || array.first == array.last) continue;
    std::vector<int> links = links_of(static_cast<int>(a));
    if (links.empty()) continue;
    CommonBound* known = &known_.common[key_of_links(static_cast<int>(a), links)];
    together_->push_back({static_cast<int>(a), std::move(links), known});
  }
  return *together_;
}

// How far the bound of an array's links is above the sum of their own.
double LinkBound::gain_of(const Together& t) {
  double out = t.known->lower;
  for (const int l : t.links) out -= quick(l);
  return out;
}

// A link is in the sum of one array at most: those first that raise the sum of the links' own bounds most.
double LinkBound::of_group() {
  double sum = 0;
  for (int l = group_.first; l <= group_.last; ++l) sum += quick(l);
  struct Gain {
    double gain;
    const std::vector<int>* links;
  };
  std::vector<Gain> gains;
  for (const Together& t : together())
    if (const double gain = gain_of(t); gain > 0) gains.push_back({gain, &t.links});
  std::ranges::stable_sort(gains, std::greater(), &Gain::gain);
  std::vector<bool> taken(at(group_.last - group_.first + 1), false);
  for (const Gain& one : gains) {
    if (std::ranges::any_of(*one.links, [&](int l) { return taken[l - group_.first]; })) continue;
    for (const int l : *one.links) taken[l - group_.first] = true;
    sum += one.gain;
  }
  return sum;
}

// An array's links together need not be known to cost more than what is enough leaves to them beside the others.
bool LinkBound::search_together(std::span<const double> alone, double enough, u64 looks) {
  bool complete = true;
  for (Together& t : together()) {
    const double least = of_group();
    if (least >= enough) return true;
    double limit = 0, own = 0, all = 0;
    for (int l = group_.first; l <= group_.last; ++l) all += quick(l);
    for (const int l : t.links) {
      limit += alone[l - group_.first];
      own += quick(l);
    }
    complete &= search(t, std::min(limit, enough - (all - own)), looks);
  }
  return complete || of_group() >= enough;
}

}  // namespace heliolite
