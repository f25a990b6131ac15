#include "cli/convert/check_partners.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "arch/load.h"
#include "engine/model/mapping_file.h"
#include "engine/space/fit_names.h"
#include "workloads/load.h"

namespace heliolite::cli {
namespace {

// Tried for one file; beyond them it waits for what -a and -w name.
constexpr std::size_t kMostMachines = 20, kMostWorkloads = 20, kMostLayers = 400;

std::string folder_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

// "C=16 M=4": those above 1.
std::string sizes_text(const DimensionSizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes)
    if (size > 1) text += fmt::format("{}={} ", name, size);
  return text;
}

std::string sizes_text(const Workload& workload) {
  DimensionSizes sizes;
  for (const Dimension& d : workload.dimensions) sizes[d.name] = d.size;
  return sizes_text(sizes);
}

// Keeps the complaints of the partner that comes nearest.
void keep_fewest(CheckPartners::Answer& best, const Diagnostics& errors, const std::string& with) {
  if (!best.with.empty() && best.errors.size() <= errors.size()) return;
  best = {with, errors};
}

}  // namespace

template <class T>
void CheckPartners::add(Known<T>& known, const std::string& path, bool given) {
  const auto partner = std::make_shared<Partner<T>>(Partner<T>{path});
  known.all.push_back(partner);
  if (given) known.given.push_back(partner);
  else known.in_folder[folder_of(path)].push_back(partner);
  given_ = given_ || given;
}

void CheckPartners::add_machine(const std::string& path, bool given) { add(machines_, path, given); }

void CheckPartners::add_workload(const std::string& path, bool given) { add(workloads_, path, given); }

template <class T>
CheckPartners::Partners<T> CheckPartners::nearest(const Known<T>& known, const std::string& path, std::size_t most) {
  Partners<T> found;
  const auto take = [&](const Partners<T>& partners) {
    for (const auto& partner : partners) {
      if (found.size() >= most) return;
      if (std::ranges::find(found, partner) == found.end()) found.push_back(partner);
    }
  };
  take(known.given);
  for (std::string folder = folder_of(path), last = path; folder != last; folder = folder_of(folder)) {
    if (const auto it = known.in_folder.find(folder); it != known.in_folder.end()) take(it->second);
    last = folder;
    if (found.size() >= most) break;
  }
  take(known.all);
  return found;
}

const Result<Architecture>& CheckPartners::read(Partner<Architecture>& machine) const {
  if (!machine.read) machine.read.emplace(load_architecture(machine.path, reading_));
  return *machine.read;
}

const Result<Network>& CheckPartners::read(Partner<Network>& workload) {
  if (!workload.read) workload.read.emplace(load_network(workload.path, reading_));
  return *workload.read;
}

CheckPartners::Partners<Network> CheckPartners::of_sizes(const std::string& sizes) {
  for (; indexed_ < workloads_.all.size(); ++indexed_) {
    const auto& workload = workloads_.all[indexed_];
    const Result<Network>& network = read(*workload);
    if (!network) continue;
    for (const Layer& layer : network->layers) {
      Partners<Network>& same = by_sizes_[sizes_text(layer.workload)];
      if (same.empty() || same.back() != workload) same.push_back(workload);
    }
  }
  const auto it = by_sizes_.find(sizes);
  return it == by_sizes_.end() ? Partners<Network>{} : it->second;
}

CheckPartners::Answer CheckPartners::try_mapping(const std::string& path) {
  const Result<MappingFile> file = MappingFile::load(path, reading_);
  if (!file) return {path, file.errors()};
  Partners<Network> workloads;
  if (const std::optional<DimensionSizes> sizes = file->sizes()) workloads = of_sizes(sizes_text(*sizes));
  for (const auto& near : nearest(workloads_, path, kMostWorkloads))
    if (std::ranges::find(workloads, near) == workloads.end()) workloads.push_back(near);
  if (workloads.size() > kMostWorkloads) workloads.resize(kMostWorkloads);
  Answer best;
  std::size_t tried = 0;
  for (const auto& machine : nearest(machines_, path, kMostMachines)) {
    for (const auto& workload : workloads) {
      const std::string with = fmt::format("{} and {}", machine->path, workload->path);
      const Result<Architecture>& architecture = read(*machine);
      const Result<Network>& network = read(*workload);
      if (!architecture || !network) {
        keep_fewest(best, architecture ? network.errors() : architecture.errors(), with);
        continue;
      }
      Network fitted = *network;  // dimensions called as the machine's constraints do, as for eval
      fit_names(fitted, *architecture);
      for (const Layer& layer : fitted.layers) {
        if (++tried > kMostLayers) return best;
        const Result<Mapping> mapping = file->read(layer.workload, *architecture);
        if (mapping) return {with, {}};
        keep_fewest(best, mapping.errors(), with);
      }
    }
  }
  return best;
}

CheckPartners::Answer CheckPartners::try_constraints(const std::string& path) {
  Answer best;
  for (const auto& machine : nearest(machines_, path, kMostMachines)) {
    const Result<Architecture> both = load_architecture(machine->path + "," + path, reading_);
    if (both) return {machine->path, {}};
    keep_fewest(best, both.errors(), machine->path);
  }
  return best;
}

}  // namespace heliolite::cli
