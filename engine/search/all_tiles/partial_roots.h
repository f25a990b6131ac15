#pragma once
// Unrollings that change into each other where dimensions change places (rule symmetry).
#include <span>
#include <vector>

#include "engine/search/all_tiles/unrollings.h"
#include "engine/space/symmetry.h"

namespace heliolite {

// What an unrolling becomes when the dimensions change places.
enum class Mirrored : u8 {
  Itself,     // or one that is not in the list
  StandsFor,  // another one in the list, whose mappings are its own with the dimensions swapped
  LeftOut,    // another one, that stands for it
};

// Of each of these, all divided by the same dimensions; `classes` are tensor_classes().
std::vector<Mirrored> mirrored(std::span<const ClassUnrolling> unrollings, std::span<const DimensionMask> classes,
                               const Symmetry& symmetry);

}  // namespace heliolite
