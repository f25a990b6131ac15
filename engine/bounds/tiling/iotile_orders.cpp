#include "engine/bounds/tiling/iotile_orders.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// Any order gives a valid tiling: this only keeps odd workloads from taking long.
constexpr std::size_t kMostOrders = 40;

class OrderBuilder {
 public:
  OrderBuilder(const TilingProblem& problem) : problem_(problem) {}

  std::vector<TileOrder> build(DimensionMask loops) {
    extend(loops, static_cast<TensorMask>((1U << problem_.tensors.size()) - 1));
    return std::move(found_);
  }

 private:
  // What placing a loop next does for the tensors that are still in place.
  struct Effect {
    TensorMask kept = 0;    // not moved
    TensorMask slides = 0;  // moved, with overlap
    TensorMask held = 0;    // moved, but over a window that can be held whole

    TensorMask all() const { return kept | slides | held; }
  };

  Effect effect(int d, TensorMask alive) const {
    Effect e;
    for (std::size_t v = 0; v < problem_.tensors.size(); ++v) {
      const TiledTensor& tensor = problem_.tensors[v];
      const auto bit = static_cast<TensorMask>(1U << v);
      if ((alive & bit) == 0) continue;
      if (!contains(tensor.indexing, d)) e.kept |= bit;
      if (!contains(tensor.sliding, d) || tensor.entangled) continue;
      e.slides |= bit;
      if (problem_.size[d] <= kMostTaps) e.held |= bit;
    }
    return e;
  }

  // Placing b first costs a nothing: what a would do it still does afterwards.
  static bool loses_nothing(const Effect& a, const Effect& b) { return (a.all() & ~b.kept) == 0; }

  void extend(DimensionMask loops, TensorMask alive) {
    std::vector<std::pair<int, Effect>> useful;
    for (int d = 0; d < problem_.dimensions; ++d) {
      if (!contains(loops, d)) continue;
      const Effect e = effect(d, alive);
      if (e.all() != 0) useful.emplace_back(d, e);
    }
    if (useful.empty()) return keep();
    for (const auto& [d, e] : useful) {
      const auto better = [&, d = d, e = e](const auto& other) {
        return other.first != d && loses_nothing(e, other.second) &&
               (other.first < d || !loses_nothing(other.second, e));
      };
      if (std::any_of(useful.begin(), useful.end(), better) || found_.size() >= kMostOrders) continue;
      const auto rest = static_cast<DimensionMask>(loops & ~dimension_bit(d));
      place(d, rest, {e.kept, e.slides, 0});
      if (e.held != 0) place(d, rest, e);
    }
  }

  void place(int d, DimensionMask rest, const Effect& e) {
    const TileOrder saved = order_;
    order_.inner.push_back(static_cast<u8>(d));
    for (std::size_t v = 0; v < problem_.tensors.size(); ++v) {
      if (contains(e.kept, v)) order_.reuse[v].kept |= dimension_bit(d);
      if (contains(e.held, v)) {
        order_.reuse[v].held |= dimension_bit(d);
      } else if (contains(e.slides, v)) {
        order_.reuse[v].slides = d;
      }
    }
    extend(rest, e.kept | e.held);
    order_ = saved;
  }

  // Without holding more.
  bool keeps_as_much(const TileOrder& a, const TileOrder& b) const {
    for (std::size_t v = 0; v < problem_.tensors.size(); ++v) {
      const TileReuse &x = a.reuse[v], &y = b.reuse[v];
      if ((y.kept & ~x.kept) != 0 || (y.slides >= 0 && y.slides != x.slides) || x.held != y.held) return false;
    }
    return true;
  }

  void keep() {
    for (const TileOrder& known : found_)
      if (keeps_as_much(known, order_)) return;
    std::erase_if(found_, [&](const TileOrder& known) { return keeps_as_much(order_, known); });
    found_.push_back(order_);
  }

  const TilingProblem& problem_;
  TileOrder order_;
  std::vector<TileOrder> found_;
};

}  // namespace

std::vector<TileOrder> tile_orders(const TilingProblem& problem, DimensionMask loops) {
  return OrderBuilder(problem).build(loops);
}

}  // namespace heliolite
