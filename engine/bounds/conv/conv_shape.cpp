#include "engine/bounds/conv/conv_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

template <class Member>
double product(const Convolution& conv, Member&& member) {
  double value = 1;
  for (const ConvWindow& w : conv.windows) value *= member(w);
  return value;
}

// Only the image has ranks over two dimensions; no tensor has a dimension twice.
bool has_windows_only_in(const Workload& workload, int image) {
  for (int v = 0; v < 3; ++v) {
    DimensionMask seen = 0;
    for (const Rank& rank : workload.tensors[at(v)].ranks) {
      if (rank.terms.size() > (v == image ? 2 : 1)) return false;
      for (const Term& term : rank.terms) {
        if (contains(seen, term.dimension)) return false;
        seen |= dimension_bit(term.dimension);
      }
    }
  }
  return true;
}

double word_size(std::span<const double> sizes, int tensor) {
  return at(tensor) < sizes.size() ? sizes[at(tensor)] : 1;
}

}  // namespace

double ConvWindow::quotients() const { return std::ceil(taps / stride); }

double Convolution::outputs() const {
  return product(*this, [](const ConvWindow& w) { return w.outputs; });
}
double Convolution::taps() const {
  return product(*this, [](const ConvWindow& w) { return w.taps; });
}
double Convolution::stride() const {
  return product(*this, [](const ConvWindow& w) { return w.stride; });
}
double Convolution::quotients() const {
  return product(*this, [](const ConvWindow& w) { return w.quotients(); });
}
double Convolution::macs() const { return batch * in_channels * out_channels * outputs() * taps(); }
double Convolution::image() const {
  return batch * in_channels * product(*this, [](const ConvWindow& w) { return w.pixels(); });
}
double Convolution::filter() const { return in_channels * out_channels * taps(); }
double Convolution::out() const { return batch * out_channels * outputs(); }

std::optional<Convolution> as_convolution(const Workload& workload, std::span<const double> word_sizes) {
  const auto classes = classify(workload);
  if (workload.tensors.size() != 3 || !classes || workload.is_read_twice(0) || workload.is_read_twice(1))
    return std::nullopt;
  const int out = workload.output();
  int filter = 0, image = 0;
  for (int v = 0; v < 3; ++v) {
    if (workload.tensors[at(v)].role == Role::Weight) filter = v;
    if (workload.tensors[at(v)].role == Role::Input) image = v;
  }
  if (!has_windows_only_in(workload, image)) return std::nullopt;
  Convolution conv{
      1, 1, 1, {}, word_size(word_sizes, image), word_size(word_sizes, filter), word_size(word_sizes, out)};
  DimensionMask windowed = 0;
  const auto size = [&](int d) { return static_cast<double>(workload.dimensions[at(d)].size); };
  for (const Rank& rank : workload.tensors[at(image)].ranks) {
    if (rank.terms.size() == 1) continue;
    const bool pixel_first = contains(workload.indexing(out), rank.terms[0].dimension);
    const Term &pixel = rank.terms[pixel_first ? 0 : 1], &tap = rank.terms[pixel_first ? 1 : 0];
    windowed |= dimension_bit(pixel.dimension) | dimension_bit(tap.dimension);
    const bool window = (*classes)[at(pixel.dimension)] == DimensionClass::Pixel &&
                        (*classes)[at(tap.dimension)] == DimensionClass::Kernel;
    if (!window || (size(tap.dimension) > 1 && tap.coefficient > 1)) return std::nullopt;
    const double stride = std::min(static_cast<double>(pixel.coefficient), size(tap.dimension));
    conv.windows.push_back({size(pixel.dimension), size(tap.dimension), size(pixel.dimension) > 1 ? stride : 1});
  }
  for (int d = 0; d < static_cast<int>(workload.dimensions.size()); ++d) {
    if (contains(windowed, d) || size(d) == 1) continue;
    const bool in_out = contains(workload.indexing(out), d), in_image = contains(workload.indexing(image), d),
               in_filter = contains(workload.indexing(filter), d);
    if (in_out + in_image + in_filter != 2) return std::nullopt;
    (!in_filter ? conv.batch : !in_out ? conv.in_channels : conv.out_channels) *= size(d);
  }
  return conv;
}

AccessNest lifted_nest(const Convolution& conv) {
  AccessNest nest;
  nest.iterations = conv.macs();
  nest.loops = {{"B", conv.batch}, {"C", conv.in_channels}, {"K", conv.out_channels}};
  for (std::size_t i = 0; i < conv.windows.size(); ++i) {
    const ConvWindow& w = conv.windows[i];
    nest.loops.push_back({fmt::format("W{}", i), w.outputs});
    nest.loops.push_back({fmt::format("R{}'", i), w.taps / w.stride});
    nest.loops.push_back({fmt::format("R{}''", i), w.stride});
  }
  const auto row = [&](std::initializer_list<std::size_t> loops) {
    std::vector<i64> r(nest.loops.size());
    for (const std::size_t l : loops) r[l] = 1;
    return r;
  };
  Access image{"Image", false, conv.image_word, {row({0}), row({1})}};
  Access filter{"Filter", false, conv.filter_word, {row({1}), row({2})}};
  Access out{"Out", true, conv.out_word, {row({0}), row({2})}};
  for (std::size_t l = 3; l < nest.loops.size(); l += 3) {
    image.rows.insert(image.rows.end(), {row({l, l + 1}), row({l + 2})});
    filter.rows.insert(filter.rows.end(), {row({l + 1}), row({l + 2})});
    out.rows.push_back(row({l}));
  }
  nest.accesses = {std::move(image), std::move(filter), std::move(out)};
  return nest;
}

}  // namespace heliolite
