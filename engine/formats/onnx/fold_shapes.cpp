// Contents of constants that shapes and layouts are computed from: Shape, Gather, Slice, Concat and kin (shapes.h).
#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "engine/base/integers.h"
#include "engine/formats/onnx/shapes.h"

namespace heliolite::onnx {
namespace {

ContentsPtr integers(std::vector<i64> values) {
  return std::make_shared<const Contents>(Contents{.real = false, .integers = std::move(values)});
}

// Bytes of an element that contents are read of; 0: none are.
std::size_t width(i64 type) {
  switch (type) {
    case kInt64:
    case kDouble: return 8;
    case kInt32:
    case kFloat: return 4;
    case kUint8:
    case kInt8:
    case kBool: return 1;
    default: return 0;
  }
}

bool is_real(i64 type) { return type == kFloat || type == kDouble; }

void append_raw(const TensorData& tensor, std::size_t position, Contents& into) {
  const std::size_t bytes = width(tensor.type);
  u64 bits = 0;
  for (std::size_t i = bytes; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>(tensor.raw[position * bytes + i]);
  switch (tensor.type) {
    case kFloat: into.reals.push_back(std::bit_cast<float>(static_cast<u32>(bits))); break;
    case kDouble: into.reals.push_back(std::bit_cast<double>(bits)); break;
    case kInt32: into.integers.push_back(std::bit_cast<std::int32_t>(static_cast<u32>(bits))); break;
    case kInt8: into.integers.push_back(std::bit_cast<std::int8_t>(static_cast<u8>(bits))); break;
    default: into.integers.push_back(std::bit_cast<i64>(bits)); break;
  }
}

}  // namespace

const Contents* known_contents(const Call& call, std::size_t input) {
  const TensorFacts* value = call.input(input);
  return value == nullptr || !value->shape ? nullptr : value->contents.get();
}

ContentsPtr contents_of(const TensorData& tensor) {
  const i64 count = elements(tensor.dims);
  const bool bad = std::ranges::any_of(tensor.dims, [](i64 d) { return d < 0; });
  if (tensor.external || bad || count > static_cast<i64>(kReadElements) || width(tensor.type) == 0) return nullptr;
  Contents out{.real = is_real(tensor.type)};
  if (tensor.raw.size() == at(count) * width(tensor.type)) {
    for (std::size_t i = 0; i < at(count); ++i) append_raw(tensor, i, out);
  } else if (out.real ? tensor.reals.size() == at(count) : tensor.integers.size() == at(count)) {
    if (out.real) out.reals = tensor.reals;
    if (!out.real) out.integers = tensor.integers;
  } else {
    return nullptr;
  }
  return std::make_shared<const Contents>(std::move(out));
}

ContentsPtr fold_shape(Call& call, const Folded& folded) {
  const Shape& in = call.shape(0);
  const i64 rank = static_cast<i64>(in.size()), given = call.integer("start", 0);
  const i64 start = std::clamp<i64>(given < 0 ? std::max(given, -rank) + rank : given, 0, rank);
  const i64 count = folded.shape().front();
  return integers({in.begin() + start, in.begin() + std::min(start + count, rank)});
}

ContentsPtr fold_size(Call& call, const Folded& /*folded*/) { return integers({elements(call.shape(0))}); }

ContentsPtr fold_filled(Call& call, const Folded& folded) {
  const i64 count = elements(folded.shape());
  if (count > kMaxFolded) return nullptr;
  const Attribute* given = call.find("value");
  Contents one{.real = true, .reals = {0}};  // without a value: a real 0
  if (given != nullptr) {
    const ContentsPtr read = given->t ? contents_of(*given->t) : nullptr;
    if (read == nullptr || read->size() != 1) return nullptr;
    one = *read;
  }
  if (one.real) one.reals.assign(at(count), one.reals.front());
  if (!one.real) one.integers.assign(at(count), one.integers.front());
  return std::make_shared<const Contents>(std::move(one));
}

ContentsPtr fold_range(Call& call, const Folded& folded) {
  const Contents &from = *call.input(0)->contents, &by = *call.input(2)->contents;
  const i64 count = elements(folded.shape());
  if (from.real || by.real || count > kMaxFolded) return nullptr;
  std::vector<i64> values;
  i64 value = from.integers.front();
  for (i64 i = 0; i < count; ++i) {
    values.push_back(value);
    if (__builtin_add_overflow(value, by.integers.front(), &value) && i + 1 < count) return nullptr;
  }
  return integers(std::move(values));
}

Shapes non_zero_shape(Call& call) {
  const Shape& in = call.shape(0);
  const TensorFacts* value = call.input(0);
  if (!call.ok()) return {};
  if (!value->contents) {
    call.fail("the shape depends on data");
    return {};
  }
  const auto& c = *value->contents;
  const auto count = c.real ? std::ranges::count_if(c.reals, [](double v) { return v != 0; })
                            : std::ranges::count_if(c.integers, [](i64 v) { return v != 0; });
  return {{static_cast<i64>(std::max<std::size_t>(in.size(), 1)), count}};
}

ContentsPtr fold_non_zero(Call& call, const Folded& folded) {
  const Shape& in = call.shape(0);
  const Contents& c = *call.input(0)->contents;
  const std::size_t count = at(folded.shape()[1]);
  std::vector<i64> values(at(elements(folded.shape())));
  for (std::size_t i = 0, found = 0; i < c.size() && found < count; ++i) {
    if (c.real ? c.reals[i] == 0 : c.integers[i] == 0) continue;
    const Shape place = coordinates(i, in);
    for (std::size_t d = 0; d < place.size(); ++d) values[d * count + found] = place[d];
    ++found;
  }
  return integers(std::move(values));
}

Shapes constant_shape(Call& call) {
  if (const Attribute* a = call.find("value"); a != nullptr && a->t) {
    if (std::ranges::any_of(a->t->dims, [](i64 d) { return d < 0; })) call.fail("a constant of a negative size");
    return {a->t->dims};
  }
  if (const Attribute* a = call.find("value_ints")) return {{static_cast<i64>(a->ints.size())}};
  if (const Attribute* a = call.find("value_floats")) return {{static_cast<i64>(a->floats.size())}};
  if (call.has("value_int") || call.has("value_float") || call.has("value_string")) return {{}};
  call.fail("a constant of a kind that is not read");
  return {};
}

ContentsPtr fold_constant(Call& call, const Folded& /*folded*/) {
  if (const Attribute* a = call.find("value"); a != nullptr && a->t) return contents_of(*a->t);
  if (const Attribute* a = call.find("value_ints"); a != nullptr && a->ints.size() <= at(kMaxFolded))
    return integers(a->ints);
  if (const Attribute* a = call.find("value_int")) return integers({a->i});
  Contents out{.real = true};
  if (const Attribute* a = call.find("value_float")) out.reals = {a->f};
  if (const Attribute* a = call.find("value_floats")) out.reals = a->floats;
  return out.reals.empty() ? nullptr : std::make_shared<const Contents>(std::move(out));
}

namespace {

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
  const Contents* from = known_contents(call, 0);
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
  const bool first = folded.output == 0 && known_contents(call, 0) != nullptr;
  return first && at(elements(folded.shape())) == known_contents(call, 0)->size() ? call.input(0)->contents : nullptr;
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
  const Contents* indices = known_contents(call, 1);
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
  const Contents* from = known_contents(call, 0);
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
      const Contents* part = known_contents(call, i);
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
