#include "engine/bounds/published/conv_algorithms.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heliolite {
namespace {

// A matrix over (first, second) that stays in tiles, while one over (first, third) and one over (second, third) stream.
struct Stationary {
  double first, second, third;
  double stay_word, first_word, second_word;
  int out = 0;  // which of the three is the result: 0 the one that stays, 1 the one over `first`, 2 over `second`
};

// The words of a matrix that is visited so often in full: a result is loaded before each visit but the first.
double visited(double words, double visits, bool is_out) { return words * (is_out ? 2 * visits - 1 : visits); }

double stationary_words(const Stationary& s, double capacity) {
  double least = std::numeric_limits<double>::infinity();
  for (double a = 1; a <= std::min(s.first, capacity); ++a) {
    const double room = (capacity - a * s.first_word) / (a * s.stay_word + s.second_word);
    const double b = std::min(std::floor(room), s.second);
    if (b < 1) break;
    const double words = s.stay_word * s.first * s.second +
                         visited(s.first_word * s.first * s.third, std::ceil(s.second / b), s.out == 1) +
                         visited(s.second_word * s.second * s.third, std::ceil(s.first / a), s.out == 2);
    least = std::min(least, words);
  }
  return least;
}

// The convolution after its strides are taken apart.
struct SplitConvolution {
  double channels = 1;       // in
  std::vector<double> taps;  // [window]
};

SplitConvolution split(const Convolution& conv) {
  SplitConvolution out{conv.in_channels * conv.stride(), {}};
  for (const ConvWindow& w : conv.windows) out.taps.push_back(w.quotients());
  return out;
}

double winograd_words(const Convolution& conv, double capacity, double block) {
  const SplitConvolution split_conv = split(conv);
  double blocks = conv.batch, points = 1;  // a point of a block's transform is one matrix product
  for (std::size_t i = 0; i < conv.windows.size(); ++i) {
    blocks *= std::ceil(conv.windows[i].outputs / block);
    points *= block + split_conv.taps[i] - 1;
  }
  const double image = points * blocks * split_conv.channels, filter = points * split_conv.channels * conv.out_channels,
               out = points * blocks * conv.out_channels;
  const MatrixProduct product{blocks,          conv.out_channels, split_conv.channels,
                              conv.image_word, conv.filter_word,  conv.out_word};
  return conv.image_word * (conv.image() + image) + conv.filter_word * (conv.filter() + filter) +
         points * product_words(product, capacity) + conv.out_word * (out + conv.out());
}

}  // namespace

double product_words(const MatrixProduct& p, double capacity) {
  return std::min({stationary_words({p.m, p.n, p.k, p.out_word, p.left_word, p.right_word, 0}, capacity),
                   stationary_words({p.m, p.k, p.n, p.left_word, p.out_word, p.right_word, 1}, capacity),
                   stationary_words({p.n, p.k, p.m, p.right_word, p.out_word, p.left_word, 1}, capacity)});
}

double naive_words(const Convolution& conv) {
  return conv.macs() * (conv.image_word + conv.filter_word) + conv.out_word * conv.out();
}

double im2col_words(const Convolution& conv, double capacity) {
  const double positions = conv.batch * conv.outputs(), row = conv.in_channels * conv.taps();
  const MatrixProduct product{positions, conv.out_channels, row, conv.image_word, conv.filter_word, conv.out_word};
  return conv.image_word * (conv.image() + positions * row) + product_words(product, capacity);
}

double winograd_words(const Convolution& conv, double capacity) {
  double least = std::numeric_limits<double>::infinity();
  for (const double block : {2.0, 3.0, 4.0, 5.0, 6.0}) least = std::min(least, winograd_words(conv, capacity, block));
  return least;
}

double fft_words(const Convolution& conv, double capacity) {
  const SplitConvolution split_conv = split(conv);
  double points = 1;  // of a plane; its spectrum has half as many complex numbers
  for (std::size_t i = 0; i < conv.windows.size(); ++i) points *= conv.windows[i].outputs + split_conv.taps[i] - 1;
  const double passes = std::max(1.0, std::ceil(std::log(points) / std::log(capacity)));
  // A pass loads and stores every plane; the first load of the image and filter and the last store of the output are
  // of the tensors themselves.
  const double again = 2 * passes - 1;
  const MatrixProduct product{conv.batch,          conv.out_channels,    split_conv.channels,
                              2 * conv.image_word, 2 * conv.filter_word, 2 * conv.out_word};
  return conv.image_word * (conv.image() + again * conv.batch * split_conv.channels * points) +
         conv.filter_word * (conv.filter() + again * split_conv.channels * conv.out_channels * points) +
         std::ceil(points / 2) * product_words(product, capacity) +
         conv.out_word * (again * conv.batch * conv.out_channels * points + conv.out());
}

}  // namespace heliolite
