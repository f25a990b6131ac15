#include "engine/proof/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/space/divisors.h"

namespace heliolite::proof {
namespace {

constexpr std::size_t kMostDivisors = 127;  // of a size; the checker reads no more

bool is_alone(const InstanceTensor& t, int d) {
  return std::ranges::any_of(t.ranks, [&](const std::vector<InstanceTerm>& rank) {
    return rank.size() == 1 && rank[0].dimension == d && rank[0].coefficient == 1;
  });
}

bool indexes(const InstanceTensor& t, int d) {
  return std::ranges::any_of(
      t.ranks, [&](const auto& rank) { return std::ranges::count(rank, d, &InstanceTerm::dimension) != 0; });
}

bool slides(const InstanceTensor& t) {
  return std::ranges::any_of(t.ranks, [](const auto& rank) { return rank.size() > 1; });
}

std::ptrdiff_t place_in(const std::vector<int>& list, int d) {
  const auto found = std::ranges::find(list, d);
  return found == list.end() ? -1 : found - list.begin();
}

// Both have no loop, any for which there is room, or their whole sizes; then the first has that of both together.
bool join(FactorLimit& a, FactorLimit& b, u64 size_a, u64 size_b, u64 room) {
  const bool is_whole = a.min == size_a && b.min == size_b && a.max >= size_a && b.max >= size_b;
  const bool is_none = a.max == 1 && b.max == 1;
  const bool is_any = a.max >= std::min(size_a, room) && b.max >= std::min(size_b, room);
  if (!is_whole && (a.min > 1 || b.min > 1 || !(is_none || is_any))) return false;
  a = {is_whole ? size_a * size_b : 1, is_none ? 1 : size_a * size_b};
  b = {1, 1};
  return true;
}

bool join(InstanceLevel& level, int d, int e, const std::vector<u64>& sizes) {
  const bool on_x = place_in(level.x, d) >= 0, on_y = place_in(level.y, d) >= 0;
  if (level.one_axis && on_x && on_y) return false;
  const bool has_hops = std::ranges::any_of(level.of, [](const InstancePrices& p) { return p.hop != 0; });
  for (std::vector<int>* list : {&level.order, &level.x, &level.y}) {
    const std::ptrdiff_t first = place_in(*list, d), second = place_in(*list, e);
    const bool is_ordered = list == &level.order || has_hops;
    if ((first < 0) != (second < 0) || (is_ordered && first >= 0 && second != first + 1)) return false;
    std::erase(*list, e);
  }
  const u64 room = (on_x ? level.fanout_x : 1) * (on_y ? level.fanout_y : 1);
  return join(level.loops[d], level.loops[e], sizes[d], sizes[e], std::numeric_limits<u64>::max()) &&
         (!level.has_fanout() || join(level.unroll[d], level.unroll[e], sizes[d], sizes[e], room));
}

// Whether the outermost level may have any loop over d, outside all others.
bool is_batch(const Instance& instance, int d) {
  const InstanceLevel& top = instance.levels.back();
  const FactorLimit& limit = top.loops[d];
  return instance.sizes[d] > 1 && limit.min <= 1 && limit.max >= instance.sizes[d] &&
         std::ranges::count(top.order, d) == 0 &&
         std::ranges::all_of(instance.tensors, [&](const InstanceTensor& t) { return is_alone(t, d); });
}

void remove_inner_loops(Instance& instance, int d) {
  for (int i = 0; i + 1 < instance.level_count(); ++i) {
    FactorLimit& limit = instance.levels[i].loops[d];
    if (limit.min <= 1) limit.max = 1;
  }
}

}  // namespace

std::optional<Instance> with_merged(const Instance& instance, int first, int second) {
  const auto [d, e] = std::pair(first, second);
  for (const InstanceTensor& t : instance.tensors) {
    const bool is_apart = !indexes(t, d) && !indexes(t, e) && !slides(t);
    if (!is_apart && !(is_alone(t, d) && is_alone(t, e))) return std::nullopt;
  }
  const u64 size = instance.sizes[d] * instance.sizes[e];
  if (divisors(size).size() > kMostDivisors) return std::nullopt;
  Instance out = instance;
  for (InstanceLevel& level : out.levels)
    if (!join(level, d, e, instance.sizes)) return std::nullopt;
  out.sizes[d] = size;
  out.sizes[e] = 1;
  return out;
}

Reduction reduce(const Instance& instance) {
  Reduction out{{}, {}, instance, instance};
  for (int d = 0; d < instance.dimension_count(); ++d)
    for (int e = d + 1; e < instance.dimension_count(); ++e) {
      if (out.instance.sizes[d] == 1 || out.instance.sizes[e] == 1) continue;
      std::optional<Instance> merged = with_merged(out.instance, d, e);
      if (!merged) continue;
      out.merged.emplace_back(d, e);
      out.instance = std::move(*merged);
    }
  for (int d = 0; d < instance.dimension_count(); ++d) {
    if (!is_batch(out.instance, d)) continue;
    out.batch.push_back(d);
    remove_inner_loops(out.instance, d);
  }
  return out;
}

std::string Reduction::text() const {
  std::string out;
  for (const auto& [d, e] : merged)
    out += fmt::format("reduce merge {} {}\n", whole.dimensions[d], whole.dimensions[e]);
  for (const int d : batch) out += fmt::format("reduce batch {}\n", whole.dimensions[d]);
  return out;
}

}  // namespace heliolite::proof
