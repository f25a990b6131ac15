#include "engine/bounds/conv/conv_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/space/divisors.h"

namespace heliolite {

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
