#include <algorithm>
#include <span>

#include "engine/base/integers.h"
#include "workloads/onnx/fold.h"

namespace heliolite::onnx {
namespace {

const Contents* known(const Call& call, std::size_t i) {
  const TensorFacts* value = call.input(i);
  return value == nullptr || !value->shape ? nullptr : value->contents.get();
}

ContentsPtr picked(const Contents& from, std::span<const std::size_t> positions) {
  Contents out{.real = from.real};
  for (const std::size_t p : positions) {
    if (p >= from.size()) return nullptr;
    if (from.real) out.reals.push_back(from.reals[p]);
    if (!from.real) out.integers.push_back(from.integers[p]);
  }
  return std::make_shared<const Contents>(std::move(out));
}

std::size_t position(const Shape& coordinates, const Shape& shape) {
  std::size_t p = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) p = p * at(shape[d]) + at(coordinates[d]);
  return p;
}

// The elements of input 0 that stand where `place` says: from coordinates of the output to those of the input.
template <class Place>
ContentsPtr placed(const Call& call, const Shape& out, const Place& place) {
  const Contents* from = known(call, 0);
  if (from == nullptr || elements(out) > kMaxFolded) return nullptr;
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < at(elements(out)); ++i)
    positions.push_back(position(place(coordinates(i, out)), *call.input(0)->shape));
  return picked(*from, positions);
}

}  // namespace

Shape coordinates(std::size_t i, const Shape& shape) {
  Shape at_each(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    at_each[d] = static_cast<i64>(i % at(shape[d]));
    i /= at(shape[d]);
  }
  return at_each;
}

std::vector<std::size_t> stretched(const Shape& in, const Shape& out) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < at(elements(out)); ++i) {
    const Shape c = coordinates(i, out);
    std::size_t p = 0;
    for (std::size_t d = 0; d < in.size(); ++d) p = p * at(in[d]) + (in[d] == 1 ? 0 : at(c[c.size() - in.size() + d]));
    positions.push_back(p);
  }
  return positions;
}

ContentsPtr fold_same(Call& call, const Folded& folded) {
  const bool first = folded.output == 0 && known(call, 0) != nullptr;
  return first && at(elements(folded.shape())) == known(call, 0)->size() ? call.input(0)->contents : nullptr;
}

ContentsPtr fold_transpose(Call& call, const Folded& folded) {
  const std::vector<std::size_t> order = transpose_order(call, folded.shape().size());
  return placed(call, folded.shape(), [&](const Shape& c) {
    Shape from(c.size());
    for (std::size_t d = 0; d < c.size(); ++d) from[order[d]] = c[d];
    return from;
  });
}

ContentsPtr fold_slice(Call& call, const Folded& folded) {
  const std::vector<Span> spans = slice_spans(call, call.shape(0));
  return placed(call, folded.shape(), [&](Shape c) {
    for (std::size_t d = 0; d < c.size(); ++d) c[d] = spans[d].from + spans[d].step * c[d];
    return c;
  });
}

ContentsPtr fold_gather(Call& call, const Folded& folded) {
  const Contents* indices = known(call, 1);
  if (indices == nullptr || indices->real) return nullptr;
  const Shape &data = call.shape(0), &index_shape = call.shape(1);
  const std::size_t axis = call.axis(call.integer("axis", 0), data.size());
  for (const i64 i : indices->integers)
    if (i < -data[axis] || i >= data[axis]) return nullptr;
  return placed(call, folded.shape(), [&](const Shape& c) {
    Shape from, index;
    for (std::size_t d = 0; d < axis; ++d) from.push_back(c[d]);
    for (std::size_t d = 0; d < index_shape.size(); ++d) index.push_back(c[axis + d]);
    const i64 i = indices->integers[position(index, index_shape)];
    from.push_back(i < 0 ? i + data[axis] : i);
    for (std::size_t d = axis + index_shape.size(); d < c.size(); ++d) from.push_back(c[d]);
    return from;
  });
}

ContentsPtr fold_expand(Call& call, const Folded& folded) {
  const Contents* from = known(call, 0);
  if (from == nullptr || elements(folded.shape()) > kMaxFolded) return nullptr;
  return picked(*from, stretched(call.shape(0), folded.shape()));
}

ContentsPtr fold_tile(Call& call, const Folded& folded) {
  const Shape& in = call.shape(0);
  return placed(call, folded.shape(), [&](Shape c) {
    for (std::size_t d = 0; d < c.size(); ++d) c[d] %= in[d];
    return c;
  });
}

ContentsPtr fold_concat(Call& call, const Folded& folded) {
  const Shape& out = folded.shape();
  if (elements(out) > kMaxFolded) return nullptr;
  const std::size_t axis = call.axis(call.integer("axis", call.opset() < 4 ? 1 : 0), out.size());
  Contents all;
  // Before the axis, the inputs take turns with what they have behind it.
  i64 turns = 1;
  for (std::size_t d = 0; d < axis; ++d) turns *= out[d];
  for (i64 turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < call.inputs(); ++i) {
      const Contents* part = known(call, i);
      if (part == nullptr || (i > 0 && part->real != all.real)) return nullptr;
      all.real = part->real;
      const std::size_t step = part->size() / at(turns), begin = at(turn) * step;
      const auto move = [&](const auto& from, auto& to) {
        for (std::size_t k = begin; k < begin + step; ++k) to.push_back(from[k]);
      };
      if (part->real) move(part->reals, all.reals);
      if (!part->real) move(part->integers, all.integers);
    }
  }
  return at(elements(out)) == all.size() ? std::make_shared<const Contents>(std::move(all)) : nullptr;
}

ContentsPtr fold_split(Call& call, const Folded& folded) {
  const std::size_t axis = call.axis(call.integer("axis", 0), folded.shape().size());
  i64 before = 0;
  for (std::size_t i = 0; i < folded.output; ++i) before += folded.shapes[i][axis];
  return placed(call, folded.shape(), [&](Shape c) {
    c[axis] += before;
    return c;
  });
}

}  // namespace heliolite::onnx
