#include "engine/space/fit_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

// What a dimension of a convolution is, whatever it is called. Rows and columns of the output go with those of the
// kernel that slide with them.
struct Meaning {
  DimensionClass is;
  bool slides;  // in one rank of the input with a dimension of the other kind: pixels with the kernel
  int axis;     // 1 columns, 2 rows; 0 neither
  std::vector<std::string_view> names;
};

const std::vector<Meaning>& meanings() {
  static const std::vector<Meaning> kMeanings{
      {DimensionClass::Pixel, false, 0, {"N", "B"}},      {DimensionClass::OutputChannel, false, 0, {"K", "M"}},
      {DimensionClass::Pixel, true, 1, {"P", "E", "OX"}}, {DimensionClass::Pixel, true, 2, {"Q", "F", "OY"}},
      {DimensionClass::Kernel, true, 1, {"R", "FX"}},     {DimensionClass::Kernel, true, 2, {"S", "FY"}},
  };
  return kMeanings;
}

const Meaning* meaning_of(std::string_view name) {
  const auto found = std::ranges::find_if(
      meanings(), [&](const Meaning& m) { return std::ranges::find(m.names, name) != m.names.end(); });
  return found == meanings().end() ? nullptr : &*found;
}

// All names of dimensions in the machine's constraints, without classes.
std::set<std::string> constrained_names(const Architecture& architecture) {
  std::set<std::string> names;
  const auto add = [&](const std::vector<std::string>& words) { names.insert(words.begin(), words.end()); };
  for (const StorageLevel& level : architecture.levels) {
    const LoopConstraints& temporal = level.constraints.temporal;
    const SpatialConstraints& spatial = level.constraints.spatial;
    for (const FactorConstraint& f : temporal.factors) names.insert(f.dimension);
    for (const FactorConstraint& f : spatial.factors) names.insert(f.dimension);
    add(temporal.order);
    add(spatial.order);
    for (const auto* allowed : {&temporal.allowed, &spatial.allowed_x, &spatial.allowed_y})
      if (*allowed) add(**allowed);
  }
  std::erase_if(names, [](const std::string& word) {
    constexpr std::array kClasses{DimensionClass::InputChannel, DimensionClass::OutputChannel, DimensionClass::Kernel,
                                  DimensionClass::Pixel, DimensionClass::Group};
    return std::ranges::any_of(kClasses, [&](DimensionClass c) { return lower(word) == name(c); });
  });
  return names;
}

std::vector<std::string> missing_names(const Workload& workload, const std::set<std::string>& machine) {
  std::vector<std::string> missing;
  for (const std::string& word : machine)
    if (!workload.find_dimension(word)) missing.push_back(word);
  return missing;
}

// The only name that the workload lacks, if that is one of output channels.
std::optional<std::string> missing_channels(const Workload& workload, const std::set<std::string>& machine) {
  const std::vector<std::string> missing = missing_names(workload, machine);
  const Meaning* meaning = missing.size() == 1 ? meaning_of(missing[0]) : nullptr;
  if (meaning == nullptr || meaning->is != DimensionClass::OutputChannel) return std::nullopt;
  return missing[0];
}

// Of rows and columns a machine names both or neither: F alone may be anybody's word for filters.
bool other_axis_is_named(const Meaning& meaning, const std::string& name, const std::set<std::string>& machine) {
  const auto convention = std::ranges::find(meaning.names, name) - meaning.names.begin();
  return std::ranges::all_of(meanings(), [&](const Meaning& other) {
    const bool beside = meaning.axis != 0 && other.axis != 0 && other.axis != meaning.axis && other.is == meaning.is;
    return !beside || machine.contains(std::string(other.names[at(convention)]));
  });
}

// Whether the dimension does in the input what its meaning says: stands alone, or slides along with the kernel's or the
// pixels' of the same axis and no others.
bool stands_as(const Workload& workload, int dimension, const Meaning& meaning) {
  const auto input = std::ranges::find(workload.tensors, Role::Input, &Tensor::role);
  if (input == workload.tensors.end()) return false;
  for (const auto& rank : input->ranks) {
    if (std::ranges::find(rank.terms, dimension, &Term::dimension) == rank.terms.end()) continue;
    if (!meaning.slides) return rank.terms.size() == 1;
    return rank.terms.size() == 2 && std::ranges::all_of(rank.terms, [&](const Term& term) {
             const Meaning* other = meaning_of(workload.dimensions[at(term.dimension)].name);
             return other != nullptr && other->slides && other->axis == meaning.axis;
           });
  }
  return !meaning.slides;  // output channels do not index the input
}

std::vector<Rename> renames_for(const Workload& workload, const std::set<std::string>& machine) {
  const auto classes = classify(workload);
  // Of a matrix product K is the sum's dimension, and M may be rows or columns: then the user has to say.
  if (!classes || std::ranges::find(*classes, DimensionClass::Kernel) == classes->end()) return {};
  std::vector<Rename> renames;
  for (const std::string& missing : missing_names(workload, machine)) {
    const Meaning* meaning = meaning_of(missing);
    if (meaning == nullptr || !other_axis_is_named(*meaning, missing, machine)) return {};
    std::vector<int> meant;
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
      if (meaning_of(workload.dimensions[d].name) == meaning) meant.push_back(static_cast<int>(d));
    if (meant.size() != 1 || (*classes)[at(meant[0])] != meaning->is) return {};
    const std::string& from = workload.dimensions[at(meant[0])].name;
    const bool taken = std::ranges::find(renames, from, &Rename::from) != renames.end();
    if (taken || machine.contains(from) || !stands_as(workload, meant[0], *meaning)) return {};
    renames.push_back({from, missing});
  }
  return renames;
}

std::string text_of(const std::vector<Rename>& renames) {
  std::vector<std::string> words;
  words.reserve(renames.size());
  for (const Rename& rename : renames) words.push_back(fmt::format("{}={}", rename.from, rename.to));
  return fmt::format("{}", fmt::join(words, ","));
}

bool has_output_channels(const Workload& workload, const std::string& name) {
  const auto dimension = workload.find_dimension(name);
  const auto classes = classify(workload);
  return dimension && classes && (*classes)[at(*dimension)] == DimensionClass::OutputChannel;
}

// Gives a depthwise layer the dimension of size 1. Whether that makes it a workload.
bool add_channels(Workload& workload, const std::string& name) {
  Workload wider = workload;
  wider.dimensions.push_back({name, 1});
  const int added = static_cast<int>(wider.dimensions.size()) - 1;
  for (Tensor& tensor : wider.tensors)
    if (tensor.role != Role::Input) tensor.ranks.push_back({{{added, 1}}});
  if (!check(wider).empty() || !classify(workload).value_or(std::vector<DimensionClass>{}).empty()) return false;
  workload = std::move(wider);
  return true;
}

}  // namespace

std::vector<Rename> fitting_renames(const Workload& workload, const Architecture& architecture) {
  return renames_for(workload, constrained_names(architecture));
}

std::string rename_advice(const Workload& workload, const Architecture& architecture) {
  const std::set<std::string> machine = constrained_names(architecture);
  const std::vector<std::string> missing = missing_names(workload, machine);
  std::vector<std::string> free;  // dimensions that the constraints do not name
  for (const Dimension& d : workload.dimensions)
    if (!machine.contains(d.name)) free.push_back(d.name);
  if (missing.empty() || free.empty()) return "";
  if (missing.size() == 1 && free.size() == 1) return fmt::format("; --rename {}={}", free[0], missing[0]);
  return fmt::format("; if they are the same things under other names: --rename OLD={}, OLD one of {}",
                     fmt::join(missing, ",OLD="), join(free, "or"));
}

void fit_names(Network& network, const Architecture& architecture) {
  const std::set<std::string> machine = constrained_names(architecture);
  std::vector<Rename> noted;
  std::vector<std::string> widened;
  std::string channels;
  for (Layer& layer : network.layers) {
    const std::vector<Rename> renames = renames_for(layer.workload, machine);
    if (!renames.empty() && rename_dimensions(layer.workload, renames).empty() && noted.empty()) noted = renames;
  }
  for (Layer& layer : network.layers) {
    // A depthwise layer is called as the convolutions beside it are.
    if (!missing_names(layer.workload, machine).empty() && !classify(layer.workload))
      rename_dimensions(layer.workload, noted);
    const auto missing = missing_channels(layer.workload, machine);
    const auto has = [&](const Layer& other) { return has_output_channels(other.workload, *missing); };
    if (!missing || std::ranges::none_of(network.layers, has) || !add_channels(layer.workload, *missing)) continue;
    widened.push_back(layer.workload.name);
    channels = *missing;
  }
  if (!widened.empty())
    network.notes.push_back(fmt::format("dimension {} = 1 added to {}, which {} no output channels", channels,
                                        join(widened), widened.size() == 1 ? "has" : "have"));
  if (noted.empty()) return;
  std::vector<std::string> from, to;
  for (const Rename& rename : noted) {
    from.push_back(rename.from);
    to.push_back(rename.to);
  }
  network.notes.push_back(fmt::format(
      "dimension{} {} of {} {} called {} by the constraints of {}, and here: --rename {}", noted.size() == 1 ? "" : "s",
      join(from), network.name, noted.size() == 1 ? "is" : "are", join(to), architecture.name, text_of(noted)));
}

}  // namespace heliolite
