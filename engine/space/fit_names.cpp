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

constexpr std::array<std::string_view, 2> kOutputChannels{"K", "M"};

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

// The only name that the workload lacks, if that is one of output channels.
std::optional<std::string> missing_channels(const Workload& workload, const std::set<std::string>& machine) {
  std::vector<std::string> missing;
  for (const std::string& word : machine)
    if (!workload.find_dimension(word)) missing.push_back(word);
  if (missing.size() != 1 || std::ranges::find(kOutputChannels, missing[0]) == kOutputChannels.end())
    return std::nullopt;
  return missing[0];
}

std::optional<Rename> rename_for(const Workload& workload, const std::set<std::string>& machine) {
  const auto missing = missing_channels(workload, machine);
  if (!missing) return std::nullopt;
  const std::string from(*missing == kOutputChannels[0] ? kOutputChannels[1] : kOutputChannels[0]);
  const auto classes = classify(workload);
  const auto dimension = workload.find_dimension(from);
  if (!classes || !dimension || machine.contains(from)) return std::nullopt;
  // Of a matrix product K is the sum's dimension, and M may be rows or columns: then the user has to say.
  const bool slides = std::ranges::find(*classes, DimensionClass::Kernel) != classes->end();
  if (!slides || (*classes)[at(*dimension)] != DimensionClass::OutputChannel) return std::nullopt;
  return Rename{from, *missing};
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

std::optional<Rename> fitting_rename(const Workload& workload, const Architecture& architecture) {
  return rename_for(workload, constrained_names(architecture));
}

void fit_names(Network& network, const Architecture& architecture) {
  const std::set<std::string> machine = constrained_names(architecture);
  std::optional<Rename> noted;
  std::vector<std::string> widened;
  std::string channels;
  for (Layer& layer : network.layers) {
    const std::optional<Rename> rename = rename_for(layer.workload, machine);
    if (!rename || !rename_dimensions(layer.workload, std::span(&*rename, 1)).empty()) continue;
    if (!noted) noted = rename;
  }
  for (Layer& layer : network.layers) {
    const auto missing = missing_channels(layer.workload, machine);
    const auto has = [&](const Layer& other) { return has_output_channels(other.workload, *missing); };
    if (!missing || std::ranges::none_of(network.layers, has) || !add_channels(layer.workload, *missing)) continue;
    widened.push_back(layer.workload.name);
    channels = *missing;
  }
  if (!widened.empty())
    network.notes.push_back(fmt::format("dimension {} = 1 added to {}, which {} no output channels", channels,
                                        join(widened), widened.size() == 1 ? "has" : "have"));
  if (noted)
    network.notes.push_back(
        fmt::format("dimension {0} of {2} is called {1} by the constraints of {3}, and here: --rename {0}={1}",
                    noted->from, noted->to, network.name, architecture.name));
}

}  // namespace heliolite
