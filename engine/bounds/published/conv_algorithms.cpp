// Words that other algorithms for a convolution move between a memory of M words and what is outside, loads and stores:
// yardsticks for tilings of the convolution itself. Dinh, Optimization-Based Mappers and Lower Bounds for Tensor
// Problems, 4.3.1, compares them without printing formulas; those here are ours and stated in
// docs/rules/bounds_conv.md. Windows with strides are split into stride-1 convolutions of ceil(taps / stride) taps, one
// for each remainder.
#include "engine/bounds/published/published.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heliolite {

double largest_conv_tile(const Convolution& conv, double capacity) {
  const double positions = conv.batch * conv.outputs(), lifted_taps = conv.taps() / conv.stride();
  return std::min({capacity * conv.in_channels * conv.taps(), capacity * conv.out_channels * lifted_taps,
                   capacity * positions, capacity * capacity, capacity * std::sqrt(capacity * lifted_taps),
                   conv.macs()});
}

double ConvTile::volume() const {
  double product = batch * in_channels * out_channels;
  for (const double x : outputs) product *= x;
  for (const double x : taps) product *= x;
  return product;
}

namespace {

// Grows the parts in turn, each up to its limit, until their product is `product`.
void spread(double product, const std::vector<double*>& parts, const std::vector<double>& limits) {
  for (const double* part : parts) product /= *part;
  for (std::size_t i = 0; i < parts.size() && product > 1; ++i) {
    const double growth = std::min(product, limits[i] / *parts[i]);
    *parts[i] *= growth;
    product /= growth;
  }
}

class StrideOne {
 public:
  StrideOne(const Convolution& conv, double capacity) : conv_(conv), m_(capacity) {
    tile_ = {"", conv.batch, conv.in_channels, conv.out_channels, {}, {}};
    for (const ConvWindow& w : conv.windows) {
      tile_.outputs.push_back(w.outputs);
      tile_.taps.push_back(w.taps);
    }
  }

  ConvTile tile() {
    const bool image = c_ * x_ >= m_, filter = k_ * c_ * rs_ >= m_, out = k_ * x_ >= m_;
    if (image && filter && out) return all_large();
    if (!image && !filter && !out) return named("1.1");
    if (image && out) return positions("1.6", m_ / std::max(k_, c_));
    if (image && filter) return two_large("1.7", "1.8", tile_.in_channels, k_);
    if (filter && out) return two_large("1.9", "1.10", tile_.out_channels, c_);
    if (image) return tile_.in_channels = m_ / x_, named("1.2");
    if (out) return tile_.out_channels = m_ / x_, named("1.3");
    if (k_ * c_ <= m_) return taps("1.4", m_ / (k_ * c_));
    tile_.in_channels = tile_.out_channels = 1;
    spread(m_ / rs_, {&tile_.out_channels, &tile_.in_channels}, {k_, c_});
    return named("1.5");
  }

 private:
  ConvTile named(std::string_view branch) {
    tile_.branch = branch;
    return tile_;
  }

  // b w h = product, every window at least as wide as its taps.
  ConvTile positions(std::string_view branch, double product) {
    tile_.batch = 1;
    std::vector<double*> parts{&tile_.batch};
    std::vector<double> limits{conv_.batch};
    for (std::size_t i = 0; i < conv_.windows.size(); ++i) {
      tile_.outputs[i] = conv_.windows[i].taps;
      parts.push_back(&tile_.outputs[i]);
      limits.push_back(conv_.windows[i].outputs);
    }
    spread(product, parts, limits);
    return named(branch);
  }

  // r s = product.
  ConvTile taps(std::string_view branch, double product) {
    std::vector<double*> parts;
    std::vector<double> limits;
    for (std::size_t i = 0; i < conv_.windows.size(); ++i) {
      tile_.taps[i] = 1;
      parts.push_back(&tile_.taps[i]);
      limits.push_back(conv_.windows[i].taps);
    }
    spread(product, parts, limits);
    return named(branch);
  }

  // The filter and the array that shares `channels` with it are large; `other` channels are the small array's.
  ConvTile two_large(std::string_view many, std::string_view few, double& channels, double other) {
    if (other >= x_) {
      channels = m_ / other;
      return taps(many, 1);
    }
    channels = m_ / x_;
    return taps(few, std::min(rs_, x_ / other));
  }

  ConvTile all_large() {
    if (rs_ >= m_) {
      tile_.batch = tile_.in_channels = tile_.out_channels = 1;
      taps("2.1", m_);
      tile_.outputs = tile_.taps;
      return tile_;
    }
    if (m_ * rs_ >= x_ * x_) {
      tile_.in_channels = m_ / x_;
      tile_.out_channels = x_ / rs_;
      return named("2.2.1");
    }
    const double side = std::sqrt(m_ / rs_), least = std::min(c_, k_);
    tile_.in_channels = tile_.out_channels = std::min(side, least);
    return least >= side ? positions("2.2.2.1", std::sqrt(m_ * rs_)) : positions("2.2.2.2", m_ / least);
  }

  const Convolution& conv_;
  double m_;
  double c_ = conv_.in_channels, k_ = conv_.out_channels, x_ = conv_.batch * conv_.outputs(), rs_ = conv_.taps();
  ConvTile tile_;
};

}  // namespace

ConvTile stride_one_tile(const Convolution& conv, double capacity) { return StrideOne(conv, capacity).tile(); }

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
