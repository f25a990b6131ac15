#pragma once
// Mappings by the units that their fan-outs make (docs/rules/any_factors.md).
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/space/mapspace.h"

namespace heliolite {

struct Compiled;
class Symmetry;

// Dimensions above size 1 that index the same tensors are one class: the words of all tensors ask only how many units
// stand side by side along the whole class.
std::vector<DimensionMask> tensor_classes(const Compiled& c);

// Units that the fan-outs make of one along each class of tensor_classes().
struct ClassUnrolling {
  std::vector<u32> units;  // [level * number of classes + class]; 1 of free classes
  u64 least_steps = 1;     // of any mapping with it: the product of `steps`
  u16 free = 0;  // classes that may have any number of units: they index all tensors, so no word is shared along them
  // Dimensions, all of a class or none, for which also the units along each by itself are given.
  DimensionMask split = 0;
  std::vector<std::array<u32, kMaxDimensions>> along{};  // [level][dimension]
  // [level * number of classes + class]: how many units that the fan-outs outside the level make ever work, at most: a
  // dimension of 3 occupies 3 of 2 times 2 units. Of free classes nothing is known.
  std::vector<u64> working;
  std::vector<u64> steps;    // [class]: at least
  u64 most_steps = ~u64{0};  // mappings with more are of no use
  // Another one, whose mappings are its own with dimensions swapped that may change places, is left out.
  bool stands_for_image = false;
};

// The unrollings that mappings may have, and maybe some that none has, by ascending steps; of those only whose steps
// `can_improve` on the incumbent, which no more steps can if fewer do not. Empty if none is, or if they are not listed:
// more than `most`, or fan-outs of too many units.
std::vector<ClassUnrolling> unrollings(const Compiled& c, const Mapspace& space, std::size_t most,
                                       const std::function<bool(u64 steps)>& can_improve);

// The ways in which an unrolling's units may stand along the dimensions of these classes, each by itself; those of free
// classes are then free no more. Nothing if there are more than `most`.
std::optional<std::vector<ClassUnrolling>> splits(const Compiled& c, const Mapspace& space,
                                                  const ClassUnrolling& unrolling, DimensionMask split,
                                                  std::size_t most);

// Sets `working` and `steps` of class k by its units along each dimension.
void set_exactly(const Compiled& c, std::span<const DimensionMask> classes, std::size_t k, ClassUnrolling& u);

// Unrollings that change into each other where dimensions change places (rule symmetry).

// What an unrolling becomes when the dimensions change places.
enum class Mirrored : u8 {
  Itself,     // or one that is not in the list
  StandsFor,  // another one in the list, whose mappings are its own with the dimensions swapped
  LeftOut,    // another one, that stands for it
};

// What each of these becomes, all divided by the same dimensions; `classes` are tensor_classes().
std::vector<Mirrored> mirrored(std::span<const ClassUnrolling> unrollings, std::span<const DimensionMask> classes,
                               const Symmetry& symmetry);

// How units of a fan-out may be divided between its axes (docs/rules/any_factors.md, rule columns-first).

// What divisions between X and Y are compared by, the higher the better: units along X in all, then along each set of
// dimensions that change places, by its lowest one. `lowest[d]`: of the set of d.
std::vector<u64> column_rank(std::span<const u32> along_x, std::span<const u8> lowest);

// The highest rank of all divisions of `units` along each dimension that the axes have room for; at least one has.
std::vector<u64> highest_column_rank(const SpatialSpace& fanout, std::span<const u32> units,
                                     std::span<const u8> lowest);

// The fewest steps that any unrolling leaves the compute units: over all unrollings that the fan-outs allow, the
// product over the dimensions of ceil(size / unrolled). Found by branch and bound over the axes and the dimensions
// allowed there (docs/rules/any_factors.md, item 7).

// At least MACs / units; just that where there are too many unrollings to look at.
u64 fewest_steps(const Compiled& c, const Mapspace& space);

}  // namespace heliolite
