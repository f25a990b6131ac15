#include "engine/bounds/published/conv_tile.h"

#include <algorithm>
#include <cmath>

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

}  // namespace heliolite
