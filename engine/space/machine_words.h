#pragma once
// What the words of a machine's constraints mean for one workload. A machine is written for one kind of layer, mostly a
// convolution, and used for networks: what it says of K, output channels, holds of M of a matrix product, whose own K
// is something else, and what it says of R means nothing where there is no R.
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/architecture.h"
#include "engine/inputs/read_options.h"
#include "workloads/workload.h"

namespace heliolite {

// What a dimension of a convolution is, whatever it is called. Rows and columns of the output go with those of the
// kernel that slide with them.
struct DimensionRole {
  DimensionClass is;
  bool slides;  // in one rank of the input with a dimension of the other kind: pixels with the kernel
  int axis;     // 1 columns, 2 rows; 0 neither
  std::vector<std::string_view> names;
};

// The role that files of Timeloop, Eyeriss or ZigZag call so; null if none does. The roles are objects: equal pointers,
// equal roles.
const DimensionRole* role_named(std::string_view name);

// Whether a machine names both or neither of rows and columns in the words of Eyeriss and ZigZag: F alone may be
// anybody's word for filters. True also of words that are no rows or columns.
bool other_axis_is_named(const std::string& word, const std::set<std::string>& words);

// Whether the dimension does in the input what its role says: stands alone, or slides along with the kernel's or the
// pixels' of the same axis and no others.
bool stands_as(const Workload& workload, int dimension, const DimensionRole& role);

inline constexpr std::array kDimensionClasses{DimensionClass::InputChannel, DimensionClass::OutputChannel,
                                              DimensionClass::Kernel, DimensionClass::Pixel, DimensionClass::Group};

// The class of dimensions that the word names, in any case ("Input_Channel").
std::optional<DimensionClass> class_named(std::string_view word);

// What a word of a constraint is made of: "R*S" of R and S, any other of itself alone.
std::vector<std::string> parts_of_word(const std::string& word);

// "dims(weights)" are the dimensions that index the weights, "other_dims(inputs+weights)" those that index neither.
struct TensorDimensions {
  std::vector<std::string> selectors;  // words that select tensors
  bool others = false;

  DimensionMask of(const Workload& workload) const;
};

// None of other words.
std::optional<TensorDimensions> tensor_dimensions(std::string_view word);

// All names of dimensions in the machine's constraints, without classes and dimensions of tensors.
std::set<std::string> constrained_names(const Architecture& architecture);

// A workload in the words of a machine.
struct MachineWords {
  // The workload, its dimensions (in their places) called as the machine means them; behind them, of size 1 and in no
  // tensor, those that the machine names and the workload lacks. A word that is no dimension of it means nothing known.
  Workload workload;
  std::vector<Rename> by_role;       // dimensions that the machine names otherwise: {"M", "K"}, K of the machine is M
  std::vector<std::string> lacking;  // words that mean nothing for the workload
  std::vector<std::string> by_name;  // taken for the dimension of that name, which has another role than the word's
};

// How the machine's constraints are to be read for the workload:
// - Words that the workload has are its dimensions of these names.
// - A convolution's words (DimensionRole) that it lacks, of a workload all of whose dimensions have such names, say
//   that a convolution is meant. Then each word is the dimension of that role: of a matrix product M = K, K = C and
//   N = N; the others mean nothing.
// - If a machine has two names for one role, both are the dimensions of these names.
// `as_convolution`: the words are a convolution's in any case, if the workload's dimensions have such names.
MachineWords in_machine_words(const Workload& workload, const Architecture& architecture, bool as_convolution = false);

// Which dimensions Timeloop's `split` sends to which axis of a fan-out.

struct SplitAxes {
  DimensionMask x = 0;
  DimensionMask y = 0;
};

// `order`: the dimensions that the constraint orders, innermost first; `meant_by`: those that one of its words means.
// The first constraint.split of the order go to X, all others to Y. With `unit_loops_first` the dimensions that the
// constraint holds at one iteration (factors of 1, or left out where it lists what may be unrolled) and those of size 1
// stand before the order, if it does not name them; that is what Timeloop's front end makes of v0.4 files. Error: a
// split beyond the order, which leaves open which of the other dimensions go to X.
Result<SplitAxes> split_axes(const SpatialConstraints& constraint, std::span<const u8> order, bool unit_loops_first,
                             const Workload& workload,
                             const std::function<DimensionMask(const std::string&)>& meant_by);

}  // namespace heliolite
