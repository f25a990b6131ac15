#include "engine/proof/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/integers.h"
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

// The loops of one level, by the instance's dimensions.
struct LevelLoops {
  Digits x{}, y{};
  std::vector<std::pair<u8, u16>> temporal;
};

// [dimension]: the one that it is merged into.
std::vector<u8> merged_into(const Question& q, const Reduction& reduction) {
  std::vector<u8> out(at(q.tiles.dimension_count()));
  std::iota(out.begin(), out.end(), u8{0});
  for (const auto& [d, e] : reduction.merged) out[e] = static_cast<u8>(d);
  return out;
}

std::vector<LevelLoops> loops_by_level(const Question& q, const Mapping& mapping, const Reduction& reduction) {
  std::vector<LevelLoops> out(at(q.levels()));
  const std::vector<u8> into = merged_into(q, reduction);
  for (const Loop& loop : mapping.loops()) {
    const auto found = std::ranges::find(q.instance.dimension_of, static_cast<int>(loop.dimension));
    const u8 d = into[found - q.instance.dimension_of.begin()];
    const u16 digit = q.tiles.digit_of(d, loop.end);
    LevelLoops& level = out[loop.level];
    const auto times = [&](u16& factor) { factor = q.tiles.of(d).times[factor][digit]; };
    const auto begun = std::ranges::find(level.temporal, d, &std::pair<u8, u16>::first);
    if (loop.kind == LoopKind::SpatialX) times(level.x[d]);
    else if (loop.kind == LoopKind::SpatialY) times(level.y[d]);
    else if (begun != level.temporal.end()) times(begun->second);
    else level.temporal.emplace_back(d, digit);
  }
  return out;
}

// Moves the loops over dimension d, where the instance has no room for them, outside all others.
void move_outside(const Question& q, int d, std::vector<LevelLoops>& levels) {
  const DivisorDigits& of = q.tiles.of(d);
  u64 moved = 1;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (i + 1 < levels.size() && q.instance.levels[i].loops[d].max > 1) continue;
    std::erase_if(levels[i].temporal, [&](const std::pair<u8, u16>& loop) {
      if (loop.first != d) return false;
      moved *= of.divisor[loop.second];
      return true;
    });
  }
  if (moved > 1) levels.back().temporal.emplace_back(static_cast<u8>(d), q.tiles.digit_of(d, moved));
}

std::optional<u32> unrolling_of(const Question& q, int level, const LevelLoops& loops) {
  for (std::size_t k = 0; k < q.unrollings[level].size(); ++k) {
    const ProofUnrolling& u = q.unrollings[level][k];
    bool same = true;
    for (int d = 0; d < q.tiles.dimension_count(); ++d) {
      const u16 both = q.tiles.of(d).times[loops.x[d]][loops.y[d]];
      same = same && u.digit[d] == both && (!q.has_hops(level) || u.x[d] == loops.x[d]);
    }
    if (same) return static_cast<u32>(k);
  }
  return std::nullopt;
}

// The innermost level from `level` on that keeps the tensor.
u8 keeper(const Mapping& mapping, int level, int tensor) {
  while (level + 1 < mapping.level_count && !mapping.keeps(level, tensor)) ++level;
  return static_cast<u8>(level);
}

std::optional<int> set_of(const Question& q, int stage, const Servers& servers) {
  for (std::size_t k = 0; k < q.sets[stage].size(); ++k)
    if (std::equal(servers.begin(), servers.begin() + q.tensors(), q.sets[stage][k].server.begin()))
      return static_cast<int>(k);
  return std::nullopt;
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

std::optional<ProofMapping> steps_of(const Question& q, const Mapping& mapping, const Reduction& reduction) {
  std::vector<LevelLoops> levels = loops_by_level(q, mapping, reduction);
  for (const int d : reduction.batch) move_outside(q, d, levels);
  ProofMapping out;
  Servers servers{};
  for (int v = 0; v < q.tensors(); ++v) servers[v] = keeper(mapping, 0, v);
  const std::optional<int> root = set_of(q, 0, servers);
  if (!root) return std::nullopt;
  out.root = *root;
  for (int i = 0; i < q.levels(); ++i) {
    LevelStep step;
    const std::optional<u32> unrolling = unrolling_of(q, i, levels[i]);
    if (!unrolling) return std::nullopt;
    step.unrolling = *unrolling;
    step.loops = levels[i].temporal;
    if (!q.is_top(i)) {
      for (int v = 0; v < q.tensors(); ++v)
        if (servers[v] == i) servers[v] = keeper(mapping, i + 1, v);
      const std::optional<int> set = set_of(q, i + 1, servers);
      if (!set) return std::nullopt;
      step.set = *set;
    }
    out.levels.push_back(std::move(step));
  }
  return out;
}

Mapping mapping_of(const Question& q, const ProofMapping& steps, const Reduction& reduction) {
  Mapping out;
  out.level_count = static_cast<u8>(q.levels());
  const std::vector<u8> into = merged_into(q, reduction);
  std::vector<u64> left = reduction.whole.sizes;
  // Adds to what the dimensions that are merged into d have each in this place.
  const auto share_out = [&](int d, u16 digit, std::vector<u64>& factors) {
    u64 rest = q.tiles.of(d).divisor[digit];
    for (int e = d; e < q.tiles.dimension_count(); ++e) {
      if (into[e] != d) continue;
      factors[e] = std::gcd(rest, left[e]);
      left[e] /= factors[e];
      rest /= factors[e];
    }
  };
  const auto add_axis = [&](LoopKind kind, int i, const std::vector<int>& whole, const Digits& digits) {
    std::vector<u64> factors(left.size(), 1);
    for (int d = 0; d < q.tiles.dimension_count(); ++d) share_out(d, digits[d], factors);
    for (const int e : whole) out.add(kind, i, q.instance.dimension_of[e], factors[e]);
  };
  int set = steps.root;
  for (int i = 0; i < q.levels(); ++i) {
    const LevelStep& step = steps.levels[i];
    out.keep[i] = q.sets[i][set].kept;
    set = step.set;
    const ProofUnrolling& u = q.unrollings[i][step.unrolling];
    add_axis(LoopKind::SpatialX, i, reduction.whole.levels[i].x, u.x);
    add_axis(LoopKind::SpatialY, i, reduction.whole.levels[i].y, u.y);
    for (const auto& [d, digit] : step.loops) {
      std::vector<u64> factors(left.size(), 1);
      share_out(d, digit, factors);
      for (std::size_t e = 0; e < factors.size(); ++e)
        out.add(LoopKind::Temporal, i, q.instance.dimension_of[e], factors[e]);
    }
  }
  return out;
}

}  // namespace heliolite::proof
