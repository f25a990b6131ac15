#include "engine/search/exact/frontier.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr u32 kNone = ~u32{0};
// States of one tile that a new one is compared with, the latest first. Only tiles where rounding to blocks decides
// everything have more.
constexpr u32 kMostCompared = 512;

// Memory that most elements have left.
template <class T>
void give_back(std::vector<T>& elements) {
  if (elements.capacity() > 2 * elements.size()) elements.shrink_to_fit();
}

}  // namespace

Frontier::Frontier(const FlowCosts& model, int level)
    : m_(&model),
      dominance_(model, level),
      machines_merge_(level >= model.last_swept()),
      sets_(model.servers.count(level)),
      tile_bits_(std::max<int>(32, std::bit_width(model.lattice.full().index))) {}

void Frontier::get(std::size_t k, PartialMapping& out) const { dominance_.unpack(packed(k), out); }

u64 Frontier::place_of(const FrontierNode& node) const {
  const u64 machine = machines_merge_ ? 0 : node.machine;
  return node.tile.index | (machine * sets_ + node.servers) << tile_bits_;
}

template <class Visit>
bool Frontier::visit_tile(u32 first, Visit visit) const {
  u32 visited = 0;
  for (u32 k = first; k != kNone && visited < kMostCompared; k = nodes_[k].next) {
    if (nodes_[k].dropped) continue;
    ++visited;
    if (!visit(k)) return false;
  }
  return true;
}

Frontier::Added Frontier::add_packed(const PackedMapping& state, bool dominance) {
  const auto [head, fresh] = first_of_tile_.try_emplace(place_of(*state.node), kNone);
  u32 dropped = 0;
  const auto is_new = [&](u32 k) {
    if (dominance_.dominates(packed(k), state)) return false;
    if (dominance_.dominates(state, packed(k))) nodes_[k].dropped = true, ++dropped;
    return true;
  };
  if (dominance && !visit_tile(head->second, is_new)) return {false, dropped};
  FrontierNode node = *state.node;
  node.next = head->second;
  node.dropped = false;
  node.sliding_begin = static_cast<u32>(sliding_.size());
  head->second = static_cast<u32>(nodes_.size());
  sliding_.insert(sliding_.end(), state.sliding, state.sliding + node.sliding_count);
  values_.insert(values_.end(), state.values, state.values + dominance_.width());
  nodes_.push_back(node);
  return {true, dropped};
}

bool Frontier::dominated(const PartialMapping& s) const {
  if (!m_->exact) return false;
  FrontierNode node;
  static_cast<PlacedState&>(node) = s;
  const auto head = first_of_tile_.find(place_of(node));
  if (head == first_of_tile_.end()) return false;
  PackedValues values;
  dominance_.pack(s, values.data());
  const PackedMapping state{values.data(), s.sliding.data(), &node};
  return !visit_tile(head->second, [&](u32 k) { return !dominance_.dominates(packed(k), state); });
}

std::optional<std::size_t> Frontier::dominator(const PartialMapping& s) const {
  if (!m_->exact) return std::nullopt;
  FrontierNode node;
  static_cast<PlacedState&>(node) = s;
  PackedValues values;
  dominance_.pack(s, values.data());
  const PackedMapping state{values.data(), s.sliding.data(), &node};
  for (std::size_t k = 0; k < size(); ++k)
    if (place_of(nodes_[k]) == place_of(node) && dominance_.dominates(packed(k), state)) return k;
  return std::nullopt;
}

Frontier::Added Frontier::add(const PartialMapping& s, FrontierNode node, bool dominance) {
  PackedValues values;
  dominance_.pack(s, values.data());
  static_cast<PlacedState&>(node) = s;
  return add_packed({values.data(), s.sliding.data(), &node}, dominance && m_->exact);
}

Frontier::Added Frontier::add(const Frontier& from, std::size_t k, bool dominance) {
  return add_packed(from.packed(k), dominance && m_->exact);
}

void Frontier::compact() {
  const std::size_t width = dominance_.width();
  std::size_t kept = 0, flows = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    if (nodes_[k].dropped) continue;
    if (kept != k) {
      nodes_[kept] = nodes_[k];
      // Flows are in the order of their nodes.
      std::copy_n(sliding_.begin() + nodes_[k].sliding_begin, nodes_[k].sliding_count,
                  sliding_.begin() + static_cast<std::ptrdiff_t>(flows));
      nodes_[kept].sliding_begin = static_cast<u32>(flows);
      std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(k * width), width,
                  values_.begin() + static_cast<std::ptrdiff_t>(kept * width));
    }
    flows += nodes_[kept++].sliding_count;
  }
  nodes_.resize(kept);
  values_.resize(kept * width);
  sliding_.resize(flows);
  give_back(nodes_), give_back(values_), give_back(sliding_);
  first_of_tile_ = {};
}

ObjectiveKey Frontier::narrow(std::size_t width) {
  compact();
  ObjectiveKey left;
  if (size() <= width) return left;
  std::vector<std::vector<u32>> of_set(sets_);
  for (u32 k = 0; k < size(); ++k) of_set[nodes_[k].servers].push_back(k);
  for (std::vector<u32>& order : of_set) left = std::min(left, narrow(order, width));
  compact();
  return left;
}

// Marks as dropped all but the `width` nodes of `order` with the least keys, without taking them away.
ObjectiveKey Frontier::narrow(std::vector<u32>& order, std::size_t width) {
  ObjectiveKey left;
  if (order.size() <= width) return left;
  const auto less = [&](u32 a, u32 b) {
    const ObjectiveKey &x = nodes_[a].key, &y = nodes_[b].key;
    return x < y || (!(y < x) && a < b);
  };
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(width), order.end(), less);
  for (std::size_t k = width; k < order.size(); ++k) {
    left = std::min(left, nodes_[order[k]].key);
    nodes_[order[k]].dropped = true;
  }
  return left;
}

ObjectiveKey Frontier::shrink(std::size_t most_bytes) {
  compact();
  if (bytes() <= most_bytes) return {};
  const double share = static_cast<double>(most_bytes) / static_cast<double>(bytes());
  std::vector<u32> order(size());
  std::iota(order.begin(), order.end(), u32{0});
  const ObjectiveKey left =
      narrow(order, std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(size()) * share)));
  compact();
  return left;
}

void Frontier::forget_values() {
  values_ = {};
  sliding_ = {};
  nodes_.shrink_to_fit();
}

Mapping nest_of(const FlowCosts& model, const std::vector<Frontier>& layers, int level, const FrontierNode& last) {
  std::vector<const FrontierNode*> path(at(level) + 1);
  path.back() = &last;
  for (int i = level; i-- > 0;) path[i] = &layers[i + 1].node(path[i + 1]->parent);
  // Whether the dimensions of a node have changed places when `last` is reached.
  std::vector<bool> swapped(path.size(), false);
  for (int i = level; i-- > 0;) swapped[i] = swapped[i + 1] != path[i + 1]->swapped;
  const auto placed = [&](const Extents& extents, bool swap) {
    return swap ? model.symmetry->swapped(extents) : extents;
  };
  const Mapspace& space = model.problem->space;
  Mapping mapping;
  mapping.level_count = static_cast<u8>(model.levels());
  Extents tile;
  tile.fill(1);
  for (int i = 0; i <= level; ++i) {
    mapping.keep[i] = model.servers.kept(i, layers[i].node(path[i]->parent).servers);
    const bool swap = swapped[i];
    Extents factor = placed(path[i]->tile.extent, swap);
    for (int d = 0; d < kMaxDimensions; ++d) factor[d] /= tile[d];
    if (model.fanout[i].exists) {
      const SpatialChoice& spatial = model.fanout[i].choices[path[i]->choice];
      const bool swap_choice = swap != path[i]->swapped;
      const Extents x = placed(spatial.x, swap_choice), y = placed(spatial.y, swap_choice);
      const Extents unrolled = placed(spatial.factor.extent, swap_choice);
      for (LoopKind axis : {LoopKind::SpatialX, LoopKind::SpatialY})
        for (u8 d : canonical_order(space, space.levels[i].spatial.order))
          mapping.add(axis, i, d, (axis == LoopKind::SpatialX ? x : y)[d]);
      for (int d = 0; d < kMaxDimensions; ++d) {
        factor[d] /= unrolled[d];
        tile[d] *= unrolled[d];
      }
    }
    for (u64 order = swap ? model.symmetry->swapped(path[i]->order) : path[i]->order; order != 0; order >>= 4) {
      const int d = static_cast<int>(order & 15) - 1;
      mapping.add(LoopKind::Temporal, i, d, factor[d]);
      tile[d] *= factor[d];
    }
  }
  return mapping;
}

}  // namespace heliolite
