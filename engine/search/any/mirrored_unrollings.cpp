#include "engine/search/any/mirrored_unrollings.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace heliolite {
namespace {

using Numbers = std::vector<u32>;

DimensionMask image_of(DimensionMask dimensions, const Symmetry& symmetry) {
  DimensionMask out = 0;
  for (const int d : bits(dimensions)) out |= dimension_bit(symmetry.image(d));
  return out;
}

// [class]: the one that takes its place.
std::vector<std::size_t> image_of_classes(std::span<const DimensionMask> classes, const Symmetry& symmetry) {
  std::vector<std::size_t> out;
  for (const DimensionMask of_class : classes)
    out.push_back(at(std::ranges::find(classes, image_of(of_class, symmetry)) - classes.begin()));
  return out;
}

// What tells an unrolling from others, with each class and dimension's own, or that of what takes its place.
Numbers numbers(const ClassUnrolling& u, std::span<const std::size_t> image_of_class, auto&& image_of_dimension) {
  Numbers out;
  u32 free = 0;
  for (std::size_t k = 0; k < image_of_class.size(); ++k)
    if (contains(u.free, image_of_class[k])) free |= 1u << k;
  out.push_back(free);
  for (std::size_t i = 0; i < u.units.size(); i += image_of_class.size())
    for (const std::size_t k : image_of_class) out.push_back(u.units[i + k]);
  for (const auto& along : u.along)
    for (int d = 0; d < kMaxDimensions; ++d) out.push_back(along[at(image_of_dimension(d))]);
  return out;
}

}  // namespace

std::vector<Mirrored> mirrored(std::span<const ClassUnrolling> unrollings, std::span<const DimensionMask> classes,
                               const Symmetry& symmetry) {
  std::vector<Mirrored> out(unrollings.size(), Mirrored::Itself);
  std::vector<std::size_t> itself(classes.size());
  std::iota(itself.begin(), itself.end(), std::size_t{0});
  const std::vector<std::size_t> image = image_of_classes(classes, symmetry);
  const bool known = std::ranges::all_of(image, [&](std::size_t k) { return k < classes.size(); });
  const bool divided = std::ranges::any_of(unrollings, [](const ClassUnrolling& u) { return !u.along.empty(); });
  if (!known || (image == itself && !divided)) return out;
  std::map<Numbers, std::size_t> place;
  for (std::size_t k = 0; k < unrollings.size(); ++k)
    place.emplace(numbers(unrollings[k], itself, [](int d) { return d; }), k);
  for (const auto& [own, k] : place) {
    const Numbers of_image = numbers(unrollings[k], image, [&](int d) { return symmetry.image(d); });
    if (of_image == own || !place.contains(of_image)) continue;
    out[k] = own < of_image ? Mirrored::StandsFor : Mirrored::LeftOut;
  }
  return out;
}

}  // namespace heliolite
