#include "engine/bounds/curve/orojenesis_choices.h"

#include <algorithm>
#include <bit>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

class OrderWalk {
 public:
  OrderWalk(std::span<const TensorShape> shapes, TensorMask kept, DimensionMask loops, Overlaps overlaps)
      : shapes_(shapes), kept_(kept), loops_(loops), overlaps_(overlaps) {
    // The executed words of these do not depend on the order.
    for (std::size_t v = 0; v < shapes_.size(); ++v)
      if (executed() && shapes_[v].counts_once()) kept_ &= static_cast<TensorMask>(~(1u << v));
  }

  std::optional<std::vector<BufferOrder>> run() {
    State start;
    start.left = loops_;
    start.resting = kept_;
    walk(start);
    if (orders_.size() > kMaxBufferOrders) return std::nullopt;
    return std::move(orders_);
  }

 private:
  struct State {
    BufferOrder order;
    DimensionMask left = 0;
    TensorMask resting = 0;                              // no loop so far indexes the tensor
    TensorMask running = 0;                              // its overlap may still return
    std::array<DimensionMask, kMaxTensors> run_ranks{};  // dimensions of the rank that runs
  };

  void walk(const State& state) {
    if (orders_.size() > kMaxBufferOrders) return;
    if (state.left == 0 || (state.resting | state.running) == 0) return finish(state);
    if (const DimensionMask next = free_loop(state); next != 0) return walk(with(state, std::countr_zero(next)));
    for (const int d : bits(state.left)) walk(with(state, d));
  }

  // A loop that every tensor still kept reuses wholly comes next: further out it would only cost more.
  DimensionMask free_loop(const State& state) const {
    if (state.running != 0) return 0;
    DimensionMask indexed = 0;
    for (std::size_t v = 0; v < shapes_.size(); ++v)
      if (contains(state.resting, v)) indexed |= shapes_[v].indexing();
    const DimensionMask free = state.left & static_cast<DimensionMask>(~indexed);
    return free & static_cast<DimensionMask>(-free);
  }

  State with(State state, int dimension) const {
    state.order.loop[state.order.count++] = static_cast<u8>(dimension);
    state.left &= static_cast<DimensionMask>(~dimension_bit(dimension));
    for (std::size_t v = 0; v < shapes_.size(); ++v) {
      const auto tensor = static_cast<TensorMask>(1u << v);
      const bool indexes = (shapes_[v].indexing() & dimension_bit(dimension)) != 0;
      BufferReuse& reuse = state.order.reuse[v];
      if ((state.resting & tensor) != 0) {
        if (!indexes) {
          reuse.inside |= dimension_bit(dimension);
          continue;
        }
        state.resting &= static_cast<TensorMask>(~tensor);
        if (!(executed() ? shapes_[v].separable() : shapes_[v].plain())) start_run(state, v, dimension);
      } else if ((state.running & tensor) != 0) {
        reuse.run[reuse.run_count++] = static_cast<u8>(dimension);
        const bool same_rank = (state.run_ranks[v] & dimension_bit(dimension)) != 0;
        const bool plain_turn = indexes && !same_rank && !slides(v, dimension);
        reuse.may_return = reuse.may_return || (executed() ? !plain_turn : same_rank);
        if (indexes && !same_rank) state.running &= static_cast<TensorMask>(~tensor);
      }
      if (((executed() ? loops_ : state.run_ranks[v]) & state.left) == 0)
        state.running &= static_cast<TensorMask>(~tensor);
    }
    return state;
  }

  bool executed() const { return overlaps_ == Overlaps::Executed; }
  bool slides(std::size_t v, int dimension) const {
    return std::ranges::any_of(shapes_[v].sliding(), [&](DimensionMask rank) { return contains(rank, dimension); });
  }

  void start_run(State& state, std::size_t v, int dimension) const {
    BufferReuse& reuse = state.order.reuse[v];
    reuse.run[reuse.run_count++] = static_cast<u8>(dimension);
    if (overlaps_ == Overlaps::Neighbours) return;
    for (const DimensionMask rank : shapes_[v].sliding())
      if ((rank & dimension_bit(dimension)) != 0) state.run_ranks[v] |= rank;
    if (shapes_[v].entangled()) state.run_ranks[v] = shapes_[v].indexing();
    if (state.run_ranks[v] != 0 && ((executed() ? loops_ : state.run_ranks[v]) & state.left) != 0)
      state.running |= static_cast<TensorMask>(1u << v);
  }

  void finish(const State& state) {
    BufferOrder order = state.order;
    for (const int d : bits(state.left)) order.loop[order.count++] = static_cast<u8>(d);
    const auto covers = [&](const BufferOrder& a, const BufferOrder& b) {
      for (std::size_t v = 0; v < shapes_.size(); ++v)
        if (contains(kept_, v) && !a.reuse[v].covers(b.reuse[v])) return false;
      return true;
    };
    if (std::ranges::any_of(orders_, [&](const BufferOrder& o) { return covers(o, order); })) return;
    std::erase_if(orders_, [&](const BufferOrder& o) { return covers(order, o); });
    orders_.push_back(order);
  }

  std::span<const TensorShape> shapes_;
  TensorMask kept_;
  DimensionMask loops_;
  Overlaps overlaps_;
  std::vector<BufferOrder> orders_;
};

}  // namespace

// Where nothing else is shared the words are those of the loops not inside, less what is shared along run[0].
bool BufferReuse::covers(const BufferReuse& other) const {
  if (inside == other.inside && run_count == other.run_count &&
      std::equal(run.begin(), run.begin() + run_count, other.run.begin())) {
    return true;
  }
  if (other.may_return || (other.inside & ~inside) != 0) return false;
  return other.run_count == 0 || (run_count > 0 && run[0] == other.run[0]);
}

std::optional<std::vector<BufferOrder>> buffer_orders(std::span<const TensorShape> shapes, TensorMask kept,
                                                      DimensionMask loops, Overlaps overlaps) {
  return OrderWalk(shapes, kept, loops, overlaps).run();
}

std::vector<u64> tile_sizes(u64 size, TileSizes which) {
  if (which == TileSizes::Divisors) return divisors(size);
  std::vector<u64> sizes;
  for (u64 tile = 1;; ++tile) {
    sizes.push_back(tile);
    if (tile == size) return sizes;
    const u64 tiles = (size - 1) / tile + 1;
    if (which == TileSizes::Least) tile = (size - 1) / (tiles - 1);  // the last size with as many tiles
  }
}

}  // namespace heliolite
