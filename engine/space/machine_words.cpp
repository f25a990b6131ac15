#include "engine/space/machine_words.h"

#include <fmt/format.h>
#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"
#include "engine/space/mapspace.h"
#include "workloads/network.h"

namespace heliolite {

namespace {

const std::vector<DimensionRole>& roles() {
  static const std::vector<DimensionRole> kRoles{
      {DimensionClass::Pixel, false, 0, {"N", "B"}},      {DimensionClass::OutputChannel, false, 0, {"K", "M"}},
      {DimensionClass::Pixel, true, 1, {"P", "E", "OX"}}, {DimensionClass::Pixel, true, 2, {"Q", "F", "OY"}},
      {DimensionClass::Kernel, true, 1, {"R", "FX"}},     {DimensionClass::Kernel, true, 2, {"S", "FY"}},
      {DimensionClass::InputChannel, false, 0, {"C"}},    {DimensionClass::Group, false, 0, {"G", "H"}},
  };
  return kRoles;
}

const DimensionRole* role_of_class(DimensionClass c) {
  const auto found = std::ranges::find_if(roles(), [&](const DimensionRole& r) { return r.is == c && !r.slides; });
  return found == roles().end() ? nullptr : &*found;
}

// In a rank of the input with no other dimension, as rows and columns are where there is no kernel.
bool alone(const Workload& workload, int dimension) {
  return std::ranges::all_of(workload.tensors, [&](const Tensor& tensor) {
    return std::ranges::all_of(tensor.ranks, [&](const Rank& rank) {
      return rank.terms.size() == 1 || std::ranges::find(rank.terms, dimension, &Term::dimension) == rank.terms.end();
    });
  });
}

// The role of each dimension; null where none is known. A name decides, unless the class says otherwise: K of a matrix
// product is summed over, so it is the C of a convolution.
std::vector<const DimensionRole*> roles_of(const Workload& workload) {
  const auto classes = classify(workload);
  std::vector<const DimensionRole*> out;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
    const DimensionRole* role = role_named(workload.dimensions[d].name);
    if (role != nullptr && classes && role->is != (*classes)[d]) role = role_of_class((*classes)[d]);
    const int dimension = static_cast<int>(d);
    if (role != nullptr && role->slides && !stands_as(workload, dimension, *role) && !alone(workload, dimension))
      role = nullptr;
    out.push_back(role);
  }
  for (const DimensionRole& role : roles())  // two dimensions of one role have none
    if (std::ranges::count(out, &role) > 1) std::ranges::replace(out, &role, nullptr);
  return out;
}

class Reader {
 public:
  Reader(const Workload& workload, const Architecture& architecture, bool as_convolution)
      : workload_(workload),
        as_convolution_(as_convolution),
        words_(constrained_names(architecture)),
        roles_(roles_of(workload)) {}

  MachineWords run() {
    out_.workload = workload_;
    if (all_roles_known() && !doubled_word() && means_convolution()) take_roles();
    else note_names();
    for (const std::string& word : words_)
      if (!out_.workload.find_dimension(word) && means_nothing(word)) out_.lacking.push_back(word);
    for (const std::string& word : out_.lacking)
      if (out_.workload.dimensions.size() < kMaxDimensions) out_.workload.dimensions.push_back({word, 1});
    return std::move(out_);
  }

 private:
  const DimensionRole* role_of_word(const std::string& word) const {
    return other_axis_is_named(word, words_) ? role_named(word) : nullptr;
  }

  bool all_roles_known() const { return std::ranges::find(roles_, nullptr) == roles_.end(); }

  // Whether the machine has two names for one role.
  bool doubled_word() const {
    std::set<const DimensionRole*> seen;
    return std::ranges::any_of(words_, [&](const std::string& word) {
      const DimensionRole* role = role_of_word(word);
      return role != nullptr && !seen.insert(role).second;
    });
  }

  bool means_convolution() const {
    return as_convolution_ || std::ranges::any_of(words_, [&](const std::string& word) {
             return role_of_word(word) != nullptr && !workload_.find_dimension(word);
           });
  }

  // The machine's word for the role, or the usual one.
  std::string word_for(const DimensionRole& role) const {
    for (const std::string& word : words_)
      if (role_of_word(word) == &role) return word;
    return std::string(role.names.front());
  }

  void take_roles() {
    for (std::size_t d = 0; d < roles_.size(); ++d) {
      std::string& name = out_.workload.dimensions[d].name;
      std::string word = word_for(*roles_[d]);
      if (words_.contains(word) && word != name) out_.by_role.push_back({name, word});
      name = std::move(word);
    }
  }

  void note_names() {
    for (std::size_t d = 0; d < roles_.size(); ++d) {
      const std::string& name = workload_.dimensions[d].name;
      const DimensionRole* word = role_of_word(name);
      if (!words_.contains(name) || word == nullptr || word == roles_[d]) continue;
      const bool may_be_another = std::ranges::find(roles_, word) != roles_.end();
      const bool said_otherwise = std::ranges::any_of(
          words_, [&](const std::string& other) { return other != name && role_of_word(other) == word; });
      if (may_be_another && !said_otherwise) out_.by_name.push_back(name);
    }
  }

  // Whether a word that is no dimension is one of a convolution's of which this workload has none.
  bool means_nothing(const std::string& word) const {
    const DimensionRole* role = role_of_word(word);
    return role != nullptr && all_roles_known() && std::ranges::find(roles_, role) == roles_.end();
  }

  const Workload& workload_;
  const bool as_convolution_;
  const std::set<std::string> words_;
  const std::vector<const DimensionRole*> roles_;
  MachineWords out_;
};

}  // namespace

const DimensionRole* role_named(std::string_view name) {
  const auto found = std::ranges::find_if(
      roles(), [&](const DimensionRole& role) { return std::ranges::find(role.names, name) != role.names.end(); });
  return found == roles().end() ? nullptr : &*found;
}

bool other_axis_is_named(const std::string& word, const std::set<std::string>& words) {
  const DimensionRole* role = role_named(word);
  if (role == nullptr || role->axis == 0) return true;
  const auto convention = std::ranges::find(role->names, word) - role->names.begin();
  return std::ranges::all_of(roles(), [&](const DimensionRole& other) {
    const bool beside = other.axis != 0 && other.axis != role->axis && other.is == role->is;
    return !beside || convention == 0 || words.contains(std::string(other.names[convention]));
  });
}

bool stands_as(const Workload& workload, int dimension, const DimensionRole& role) {
  const auto input = std::ranges::find(workload.tensors, Role::Input, &Tensor::role);
  if (input == workload.tensors.end()) return false;
  for (const auto& rank : input->ranks) {
    if (std::ranges::find(rank.terms, dimension, &Term::dimension) == rank.terms.end()) continue;
    if (!role.slides) return rank.terms.size() == 1;
    return rank.terms.size() == 2 && std::ranges::all_of(rank.terms, [&](const Term& term) {
             const DimensionRole* other = role_named(workload.dimensions[term.dimension].name);
             return other != nullptr && other->slides && other->axis == role.axis;
           });
  }
  return !role.slides;  // output channels do not index the input
}

std::optional<DimensionClass> class_named(std::string_view word) {
  const std::string text = lower(word);
  for (const DimensionClass c : kDimensionClasses)
    if (text == name(c)) return c;
  return std::nullopt;
}

std::vector<std::string> parts_of_word(const std::string& word) { return mapped<std::string>(split(word, '*'), trim); }

std::optional<TensorDimensions> tensor_dimensions(std::string_view word) {
  constexpr std::string_view kThese = "dims(", kOthers = "other_dims(";
  const bool others = word.starts_with(kOthers);
  if (!word.ends_with(')') || (!others && !word.starts_with(kThese))) return std::nullopt;
  word.remove_prefix(others ? kOthers.size() : kThese.size());
  word.remove_suffix(1);
  return TensorDimensions{split(word, '+'), others};
}

DimensionMask TensorDimensions::of(const Workload& workload) const {
  DimensionMask mask = 0;
  for (int v = 0; v < static_cast<int>(workload.tensors.size()); ++v)
    if (keep_choice({selectors, {}}, workload, v) == KeepChoice::Keep)
      mask = static_cast<DimensionMask>(mask | workload.indexing(v));
  const auto all = static_cast<DimensionMask>((1U << workload.dimensions.size()) - 1);
  return others ? static_cast<DimensionMask>(all & ~mask) : mask;
}

std::set<std::string> constrained_names(const Architecture& architecture) {
  std::set<std::string> names;
  const auto add = [&](const std::vector<std::string>& words) {
    for (const std::string& word : words)
      for (const std::string& part : parts_of_word(word)) names.insert(part);
  };
  for (const StorageLevel& level : architecture.levels) {
    const LoopConstraints& temporal = level.constraints.temporal;
    const SpatialConstraints& spatial = level.constraints.spatial;
    for (const FactorConstraint& f : temporal.factors) add({f.dimension});
    for (const FactorConstraint& f : spatial.factors) add({f.dimension});
    add(temporal.order);
    add(spatial.order);
    for (const auto* allowed : {&temporal.allowed, &spatial.allowed_x, &spatial.allowed_y})
      if (*allowed) add(**allowed);
  }
  std::erase_if(names,
                [](const std::string& word) { return class_named(word).has_value() || tensor_dimensions(word); });
  return names;
}

MachineWords in_machine_words(const Workload& workload, const Architecture& architecture, bool as_convolution) {
  return Reader(workload, architecture, as_convolution).run();
}

namespace {

using MeantBy = std::function<DimensionMask(const std::string&)>;

// Dimensions of one iteration that `order` does not name, in the order in which the front end meets them.
std::vector<u8> unit_dimensions(const SpatialConstraints& constraint, std::span<const u8> order,
                                const Workload& workload, const MeantBy& meant_by) {
  std::vector<u8> units;
  const auto count = static_cast<u8>(workload.dimensions.size());
  const auto add = [&](DimensionMask mask) {
    for (u8 d = 0; d < count; ++d)
      if (contains(mask, d) && std::ranges::find(order, d) == order.end() && std::ranges::find(units, d) == units.end())
        units.push_back(d);
  };
  for (const FactorConstraint& factor : constraint.factors)
    if (factor.value == 1) add(meant_by(factor.dimension));
  if (constraint.allowed_x && constraint.allowed_y) {
    DimensionMask listed = 0;
    for (const auto* names : {&*constraint.allowed_x, &*constraint.allowed_y})
      for (const std::string& name : *names) listed = static_cast<DimensionMask>(listed | meant_by(name));
    add(static_cast<DimensionMask>(~listed));
  }
  add(static_cast<DimensionMask>(~non_unit_dimensions(workload)));
  return units;
}

}  // namespace

Result<SplitAxes> split_axes(const SpatialConstraints& constraint, std::span<const u8> order, bool unit_loops_first,
                             const Workload& workload, const MeantBy& meant_by) {
  const std::size_t split = at(constraint.split.value_or(0));
  std::vector<u8> loops;  // innermost first
  if (unit_loops_first) loops = unit_dimensions(constraint, order, workload, meant_by);
  std::ranges::reverse(loops);  // each is put before the ones that are there
  loops.insert(loops.end(), order.begin(), order.end());

  SplitAxes axes;
  std::vector<std::string> open;
  const auto count = static_cast<u8>(workload.dimensions.size());
  for (u8 d = 0; d < count; ++d) {
    const auto place = static_cast<std::size_t>(std::ranges::find(loops, d) - loops.begin());
    DimensionMask& axis = place < split ? axes.x : axes.y;
    axis = static_cast<DimensionMask>(axis | dimension_bit(d));
    if (place == loops.size() && workload.dimensions[d].size > 1) open.push_back(workload.dimensions[d].name);
  }
  if (split > loops.size() && split < workload.dimensions.size() && !open.empty())
    return Diagnostic{"", 0, "",
                      fmt::format("split = {}, but the permutation names {} of the {} dimensions: which of the others "
                                  "({}) go to X is open; name them",
                                  split, loops.size(), workload.dimensions.size(), join(open))};
  return axes;
}

}  // namespace heliolite
