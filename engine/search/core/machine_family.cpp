#include "engine/search/core/machine_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "arch/architecture_spec.h"
#include "engine/model/compiled.h"
#include "engine/model/fingerprint.h"

namespace heliolite {
namespace {

Architecture shape_of(Architecture machine) {
  for (StorageLevel& level : machine.levels) forget_memory(level);
  machine.compute.op_pj = machine.compute.area_um2 = 0;
  machine.compute.word_bits = 0;
  for (Architecture& unit : machine.units) {
    unit = shape_of(std::move(unit));
    unit.beside_um2 = unit.beside_pj_per_cycle = machine.beside_um2 = machine.beside_pj_per_cycle = 0;
  }
  return machine;
}

std::string what_differs(const Architecture& a, const Architecture& b) {
  if (a.levels.size() != b.levels.size()) return "the number of levels";
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    Architecture x, y;
    x.levels = {a.levels[i]}, y.levels = {b.levels[i]};
    if (fingerprint(x) != fingerprint(y)) return "level " + a.levels[i].name;
  }
  return "its compute units or constraints";
}

u64 words(const StorageLevel& level) { return level.capacity_words().value_or(CompiledLevel::kUnbounded); }

double rate(const std::optional<double>& words_per_cycle) {
  return words_per_cycle.value_or(std::numeric_limits<double>::infinity());
}

bool prices_no_higher(const StorageLevel& a, const StorageLevel& b) {
  return std::ranges::all_of(kLevelPrices, [&](const LevelPrice& p) { return a.*p.price <= b.*p.price; });
}

bool nowhere_dearer(const StorageLevel& a, const StorageLevel& b) {
  return a.energy.read_pj <= b.energy.read_pj && a.energy.fill_pj <= b.energy.fill_pj &&
         a.energy.update_pj <= b.energy.update_pj && prices_no_higher(a, b) &&
         a.leak_pj_per_cycle <= b.leak_pj_per_cycle && rate(a.bandwidth.read) >= rate(b.bandwidth.read) &&
         rate(a.bandwidth.write) >= rate(b.bandwidth.write) && rate(a.bandwidth.shared) >= rate(b.bandwidth.shared);
}

bool same_memory(const StorageLevel& a, const StorageLevel& b) {
  return words(a) == words(b) && nowhere_dearer(a, b) && nowhere_dearer(b, a);
}

}  // namespace

void widen(StorageLevel& all, const StorageLevel& one) {
  const auto faster = [](std::optional<double>& a, const std::optional<double>& b) {
    if (rate(b) > rate(a)) a = b;
  };
  if (words(one) > words(all)) all.entries = one.entries, all.multiple_buffering = one.multiple_buffering;
  all.energy.read_pj = std::min(all.energy.read_pj, one.energy.read_pj);
  all.energy.fill_pj = std::min(all.energy.fill_pj, one.energy.fill_pj);
  all.energy.update_pj = std::min(all.energy.update_pj, one.energy.update_pj);
  for (const LevelPrice& p : kLevelPrices) all.*p.price = std::min(all.*p.price, one.*p.price);
  all.leak_pj_per_cycle = std::min(all.leak_pj_per_cycle, one.leak_pj_per_cycle);
  faster(all.bandwidth.read, one.bandwidth.read);
  faster(all.bandwidth.write, one.bandwidth.write);
  faster(all.bandwidth.shared, one.bandwidth.shared);
}

void forget_memory(StorageLevel& level) {
  level.entries.reset();
  level.multiple_buffering = 1;
  level.word_bits = 0;
  level.energy = {};
  for (const LevelPrice& price : kLevelPrices) level.*price.price = 0;
  level.leak_pj_per_cycle = level.area_um2 = 0;
  level.bandwidth = {};
}

Result<MachineFamily> MachineFamily::create(std::vector<Architecture> machines) {
  if (machines.empty()) return Diagnostic{"", 0, "machines", "a family needs at least one"};
  for (const Architecture& machine : machines)
    if (machine.peer_channel)
      return Diagnostic{"", 0, "machines",
                        fmt::format("{} has {}, which a search of many machines at once does not count; say {}: off",
                                    machine.name, kPeerChannel.name, kPeerChannel.field)};
  const Architecture shape = shape_of(machines.front());
  for (std::size_t k = 1; k < machines.size(); ++k) {
    if (machines[k].cycle_ns != machines.front().cycle_ns)
      return Diagnostic{"", 0, "machines",
                        fmt::format("machine {} has another clock (cycle_ns) than the first: a search of many machines "
                                    "at once compares them by cycles",
                                    k + 1)};
    const Architecture other = shape_of(machines[k]);
    if (fingerprint(other) == fingerprint(shape)) continue;
    return Diagnostic{"", 0, "machines",
                      fmt::format("machine {} differs from the first in more than what its memories hold and cost: {}",
                                  k + 1, what_differs(shape, other))};
  }
  return MachineFamily(std::move(machines));
}

MachineFamily::MachineFamily(std::vector<Architecture> machines)
    : machines_(std::move(machines)), envelope_(machines_.front()), rows_(machines_.size()) {
  for (const Architecture& machine : machines_) {
    for (std::size_t i = 0; i < envelope_.levels.size(); ++i) widen(envelope_.levels[i], machine.levels[i]);
    envelope_.compute.op_pj = std::min(envelope_.compute.op_pj, machine.compute.op_pj);
  }
  for (int i = 0; i < static_cast<int>(envelope_.levels.size()); ++i) {
    const StorageLevel& first = machines_.front().levels[i];
    if (std::any_of(machines_.begin(), machines_.end(),
                    [&](const Architecture& m) { return !same_memory(m.levels[i], first); }))
      swept_.push_back(i);
    for (std::size_t k = 0; k < machines_.size(); ++k) rows_[k].capacity[i] = words(machines_[k].levels[i]);
  }
  find_smaller();
}

void MachineFamily::find_smaller() {
  for (int i : swept_) {
    // Machines that are alike at all other levels.
    std::map<u64, std::vector<std::size_t>> alike;
    for (std::size_t k = 0; k < machines_.size(); ++k) {
      Architecture others = machines_[k];
      forget_memory(others.levels[i]);
      for (StorageLevel& level : others.levels) level.area_um2 = 0, level.word_bits = 0;
      others.compute.area_um2 = 0;
      alike[fingerprint(others)].push_back(k);
    }
    for (const auto& [unused, group] : alike)
      for (std::size_t k : group)
        for (std::size_t m : group)
          if (capacity(m, i) < capacity(k, i) && nowhere_dearer(machines_[m].levels[i], machines_[k].levels[i]))
            rows_[k].smaller[i] = std::max(rows_[k].smaller[i], capacity(m, i));
  }
}

bool MachineFamily::leaks_no_more(std::size_t a, std::size_t b) const {
  return std::ranges::equal(machines_[a].levels, machines_[b].levels, [](const StorageLevel& x, const StorageLevel& y) {
    return x.leak_pj_per_cycle <= y.leak_pj_per_cycle && prices_no_higher(x, y);
  });
}

bool MachineFamily::has_envelope() const {
  const Architecture& first = machines_.front();
  return first.units.empty() && !first.ramps;
}

MachineFamily MachineFamily::subset(std::span<const u32> machines) const {
  std::vector<Architecture> some;
  for (u32 k : machines) some.push_back(machines_[k]);
  return MachineFamily(std::move(some));
}

}  // namespace heliolite
