#pragma once
// Random convolutions: one or two windows with strides and dilations, now and then in groups; sizes of 1 among them.
#include "tests/support/random_problem.h"

namespace heliolite::testing {

inline Workload random_convolution(Rng& rng, u64 most_size) {
  Workload w;
  w.name = "random";
  Tensor filter{"W", {}, Role::Weight}, image{"I", {}, Role::Input}, output{"O", {}, Role::Output};
  const auto dimension = [&](const char* name, u64 most, std::initializer_list<Tensor*> tensors) {
    w.dimensions.push_back({name, pick(rng, 1, most)});
    const int d = static_cast<int>(w.dimensions.size()) - 1;
    for (Tensor* tensor : tensors) tensor->ranks.push_back({{{d, 1}}});
    return d;
  };
  dimension("B", chance(rng, 50) ? 1 : most_size, {&image, &output});
  dimension("C", most_size, {&image, &filter});
  dimension("K", most_size, {&filter, &output});
  if (chance(rng, 20)) dimension("G", 4, {&filter, &image, &output});
  const u64 windows = pick(rng, 1, 2);
  for (u64 i = 0; i < windows; ++i) {
    const int pixel = dimension(i == 0 ? "P" : "Q", most_size, {&output});
    const int tap = dimension(i == 0 ? "R" : "S", 7, {&filter});
    const u64 stride = chance(rng, 50) ? 1 : pick(rng, 2, 5), dilation = chance(rng, 75) ? 1 : pick(rng, 2, 4);
    image.ranks.push_back({{{pixel, stride}, {tap, dilation}}});
  }
  w.tensors = {std::move(filter), std::move(image), std::move(output)};
  return w;
}

}  // namespace heliolite::testing
