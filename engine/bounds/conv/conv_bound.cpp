#include "engine/bounds/conv/conv_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

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
    for (const Rank& rank : workload.tensors[v].ranks) {
      if (rank.terms.size() > (v == image ? 2 : 1)) return false;
      for (const Term& term : rank.terms) {
        if (contains(seen, term.dimension)) return false;
        seen |= dimension_bit(term.dimension);
      }
    }
  }
  return true;
}

double word_size(std::span<const double> sizes, int tensor) { return at(tensor) < sizes.size() ? sizes[tensor] : 1; }

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
    if (workload.tensors[v].role == Role::Weight) filter = v;
    if (workload.tensors[v].role == Role::Input) image = v;
  }
  if (!has_windows_only_in(workload, image)) return std::nullopt;
  Convolution conv{
      1, 1, 1, {}, word_size(word_sizes, image), word_size(word_sizes, filter), word_size(word_sizes, out)};
  DimensionMask windowed = 0;
  const auto size = [&](int d) { return static_cast<double>(workload.dimensions[d].size); };
  for (const Rank& rank : workload.tensors[image].ranks) {
    if (rank.terms.size() == 1) continue;
    const bool pixel_first = contains(workload.indexing(out), rank.terms[0].dimension);
    const Term &pixel = rank.terms[pixel_first ? 0 : 1], &tap = rank.terms[pixel_first ? 1 : 0];
    windowed |= dimension_bit(pixel.dimension) | dimension_bit(tap.dimension);
    const bool window =
        (*classes)[pixel.dimension] == DimensionClass::Pixel && (*classes)[tap.dimension] == DimensionClass::Kernel;
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

std::array<double, 5> convolution_order(const Convolution& conv, double capacity) {
  const double positions = conv.batch * conv.outputs();
  return {conv.out(), conv.stride() * conv.in_channels * positions, conv.filter(), conv.macs() / capacity,
          positions * conv.in_channels * conv.out_channels * std::sqrt(conv.taps() * conv.stride() / capacity)};
}

std::array<double, 3> pooling_order(const Convolution& conv, double capacity) {
  const std::array<double, 5> order = convolution_order(conv, capacity);
  return {order[0], order[1], order[3]};
}

namespace {

// Calls visit(split) for every way to write `left` as a product with split[i] <= most[i].
template <class Visit>
void for_each_split(u64 left, const std::vector<double>& most, std::vector<double>& split, Visit&& visit) {
  if (split.size() == most.size()) {
    if (left == 1) visit(split);
    return;
  }
  for (const u64 part : divisors(left)) {
    if (static_cast<double>(part) > most[split.size()]) break;
    split.push_back(static_cast<double>(part));
    for_each_split(left / part, most, split, visit);
    split.pop_back();
  }
}

}  // namespace

ParallelOrder parallel_convolution_order(const Convolution& conv, double capacity, u64 processors) {
  std::vector<double> most{conv.batch, conv.out_channels};
  for (const ConvWindow& w : conv.windows) most.push_back(w.outputs);
  const std::array<double, 5> order = convolution_order(conv, capacity);
  ParallelOrder best{std::numeric_limits<double>::infinity(), {}};
  std::vector<double> split;
  for_each_split(processors, most, split, [&](const std::vector<double>& parts) {
    // Each block of channels reads the image again, each block of positions the filter.
    double positions = parts[0];
    for (std::size_t i = 2; i < parts.size(); ++i) positions *= parts[i];
    const double words = std::max({order[0], parts[1] * order[1], positions * order[2], order[3], order[4]});
    if (words < best.words) best = {words, parts};
  });
  return best;
}

double ConvolutionBound::words() const { return std::max({arrays, large, small}); }

double large_filter_constant(double image_word, double filter_word, double out_word) {
  const double sum = image_word + filter_word + out_word, most = std::max({image_word, filter_word, out_word});
  return 2 * most <= sum ? sum * sum / 4 : most * (sum - most);
}

double small_filter_words(const Convolution& conv, double capacity, double lifted_taps) {
  return 2 * std::sqrt(conv.image_word * conv.filter_word * conv.out_word) * conv.macs() /
             std::sqrt(lifted_taps * capacity) -
         2 * capacity;
}

ConvolutionBound convolution_bound(const Convolution& conv, double capacity) {
  return {conv.image_word * conv.image() + conv.filter_word * conv.filter() + conv.out_word * conv.out(),
          large_filter_constant(conv.image_word, conv.filter_word, conv.out_word) * conv.macs() / capacity - capacity,
          small_filter_words(conv, capacity, conv.quotients())};
}

}  // namespace heliolite
