#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "workloads/onnx/shapes.h"

namespace heliolite::onnx {

Shapes reshape_shape(Call& call) {
  const Shape& in = call.shape(0);
  const std::optional<std::vector<i64>> wanted = call.integers_moved("shape", 1, 5);
  if (call.ok() && !wanted) call.fail("no shape is given");
  if (!call.ok()) return {};
  const bool zero_copies = call.integer("allowzero", 0) == 0;
  Shape out = *wanted;
  std::size_t open = out.size();  // position of the size to be computed
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i] == 0 && zero_copies && i < in.size()) out[i] = in[i];
    if (out[i] == -1 && open == out.size()) {
      open = i;
      out[i] = 1;
    }
    if (out[i] < 0 || out[i] > kMaxSize) {
      call.fail(fmt::format("a shape with a size of {}", out[i]));
      return {};
    }
  }
  const i64 have = elements(in), fixed = elements(out);
  if (open < out.size()) out[open] = fixed == 0 ? 0 : have / fixed;
  if (elements(out) != have) {
    call.fail(fmt::format("{} has {} elements, {} has not", to_text(in), have, to_text(out)));
    return {};
  }
  return {out};
}

std::vector<std::size_t> transpose_order(Call& call, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  const std::optional<std::vector<i64>> given = call.integers("perm");
  std::vector<bool> seen(rank, false);
  if (given && given->size() != rank) call.fail(fmt::format("perm has {} entries for {}", given->size(), rank));
  for (std::size_t i = 0; i < rank && call.ok(); ++i) {
    order[i] = given ? call.axis((*given)[i], rank) : rank - 1 - i;
    if (seen[order[i]]) call.fail("perm names a dimension twice");
    seen[order[i]] = true;
  }
  return order;
}

Shapes transpose_shape(Call& call) {
  const Shape& in = call.shape(0);
  const std::vector<std::size_t> order = transpose_order(call, in.size());
  if (!call.ok()) return {};
  Shape out;
  for (const std::size_t from : order) out.push_back(in[from]);
  return {out};
}

Shapes flatten_shape(Call& call) {
  const Shape& in = call.shape(0);
  const i64 given = call.integer("axis", 1);
  const i64 rank = static_cast<i64>(in.size());
  if (given < -rank || given > rank) call.fail(fmt::format("axis {} of {}", given, to_text(in)));
  if (!call.ok()) return {};
  const auto middle = in.begin() + (given < 0 ? given + rank : given);
  return {{elements(Shape(in.begin(), middle)), elements(Shape(middle, in.end()))}};
}

Shapes squeeze_shape(Call& call) {
  const Shape& in = call.shape(0);
  const std::optional<std::vector<i64>> given = call.integers_moved("axes", 1, 13);
  std::vector<bool> drop(in.size());
  if (given) {
    drop = call.axes(*given, in.size());
  } else {
    for (std::size_t i = 0; i < in.size(); ++i) drop[i] = in[i] == 1;
  }
  Shape out;
  for (std::size_t i = 0; i < in.size() && call.ok(); ++i) {
    if (!drop[i]) out.push_back(in[i]);
    if (drop[i] && in[i] != 1) call.fail(fmt::format("dimension {} of {} is not 1", i, to_text(in)));
  }
  return {out};
}

Shapes unsqueeze_shape(Call& call) {
  const Shape& in = call.shape(0);
  const std::optional<std::vector<i64>> given = call.integers_moved("axes", 1, 13);
  if (call.ok() && !given) call.fail("no axes are given");
  if (!call.ok()) return {};
  const std::size_t rank = in.size() + given->size();
  if (rank > 64) call.fail("too many axes");
  const std::vector<bool> added = call.axes(*given, rank);
  if (call.ok() && std::ranges::count(added, true) != static_cast<std::ptrdiff_t>(given->size()))
    call.fail("axes has an entry twice");
  if (!call.ok()) return {};
  Shape out;
  for (std::size_t i = 0, from = 0; i < rank; ++i) out.push_back(added[i] ? 1 : in[from++]);
  return {out};
}

Shapes depth_to_space_shape(Call& call) {
  const Shape& in = call.shape(0, 4);
  const i64 block = call.integer("blocksize", 0);
  if (!call.ok()) return {};
  if (block < 1 || block > 4096 || in[1] % (block * block) != 0) {
    call.fail(fmt::format("blocksize = {} of {} channels", block, in[1]));
    return {};
  }
  return {{in[0], in[1] / (block * block), in[2] * block, in[3] * block}};
}

Shapes space_to_depth_shape(Call& call) {
  const Shape& in = call.shape(0, 4);
  const i64 block = call.integer("blocksize", 0);
  if (!call.ok()) return {};
  if (block < 1 || block > 4096 || in[2] % block != 0 || in[3] % block != 0) {
    call.fail(fmt::format("blocksize = {} of {}", block, to_text(in)));
    return {};
  }
  return {{in[0], in[1] * block * block, in[2] / block, in[3] / block}};
}

}  // namespace heliolite::onnx
