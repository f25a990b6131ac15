// Link transfers among the compute units that share the innermost level, where words on their way have a price: what
// the exact search bounds them by (docs/rules/link_transfers.md).
#include "engine/search/exact/exact.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/exact/fanout.h"
#include "engine/search/exact/peer_sites.h"

namespace heliolite {
namespace {

// Units times unrollings that are looked at, and classes kept apart; of more, those that are no machine's costs are
// one.
constexpr u64 kMostUnrolledUnits = u64{1} << 26;
constexpr std::size_t kMostClasses = 12;

constexpr double kWhole = 1 - 1e-9;  // shares are quotients of small numbers

// Adds the unrollings of `other`, and what they let pass.
void join(UnitLinks& links, const UnitLinks& other) {
  links.inexact = static_cast<TensorMask>(links.inexact | other.inexact | (links.held ^ other.held));
  links.held = static_cast<TensorMask>(links.held | other.held);
  links.unrollings.insert(links.unrollings.end(), other.unrollings.begin(), other.unrollings.end());
}

UnitLinks links_of(const LayerProblem& linked, const SpatialChoice& choice) {
  const Compiled& c = linked.model.compiled();
  UnitLinks out;
  for (const int v : bits(c.level[0].peers)) {
    if (choice.instances == 1) continue;
    double still = 0, moving = 0;
    for (const PeerMove& move : unit_moves(linked, choice, v)) {
      double& saved = move.by == RankMove{} ? still : moving;
      saved = std::max(saved, move.saved);
    }
    if (still > 0) out.held = static_cast<TensorMask>(out.held | 1u << v);
    if (moving > 0 || (still > 0 && still < kWhole)) out.inexact = static_cast<TensorMask>(out.inexact | 1u << v);
  }
  out.unrollings.push_back({choice.x, choice.y});
  return out;
}

// The levels that may be asked for words of these tensors: from `first` to the first that keeps each of them for
// certain.
std::vector<int> asked_levels(const Mapspace& space, TensorMask tensors, int first) {
  std::vector<int> out;
  for (int i = first; i < space.level_count() && tensors != 0; ++i) {
    out.push_back(i);
    tensors = static_cast<TensorMask>(tensors & ~space.levels[i].keep);
  }
  return out;
}

// Only these unrollings of the fan-out below `level`.
void keep_unrollings(LayerProblem& problem, const UnitLinks& links, int level) {
  if (links.unrollings.empty()) return;
  problem.unrollings = std::make_shared<const UnrollingSubset>(
      UnrollingSubset{level, [of = links.unrollings](const Extents& x, const Extents& y) {
                        return std::ranges::binary_search(of, std::array<Extents, 2>{x, y});
                      }});
}

}  // namespace

std::vector<UnitLinks> unit_links(const LayerProblem& linked) {
  const Compiled& c = linked.model.compiled();
  UnitLinks all;
  all.held = all.inexact = tensors_with_peers(linked.space, c, 0);
  const Lattice lattice(c.size, c.dimension_count, {~u64{0}, 1});
  const std::vector<FanoutChoices> fanouts = make_fanout_choices(linked, lattice, linked.options.memory_bytes / 4);
  if (fanouts.empty()) return {all};
  double work = 0;
  for (const SpatialChoice& choice : fanouts[0].choices) work += choice.instances;
  if (work > static_cast<double>(kMostUnrolledUnits)) return {all};
  std::map<std::pair<TensorMask, TensorMask>, UnitLinks> classes;  // by `inexact` and `held`
  for (const SpatialChoice& choice : fanouts[0].choices) {
    UnitLinks links = links_of(linked, choice);
    const auto [known, fresh] = classes.try_emplace({links.inexact, links.held}, links);
    if (!fresh) join(known->second, links);
  }
  std::vector<UnitLinks> out;
  for (auto& [key, links] : classes) {
    UnitLinks* const last = out.size() >= kMostClasses ? &out.back() : nullptr;
    if (last != nullptr) join(*last, links);
    else out.push_back(std::move(links));
  }
  for (UnitLinks& links : out) std::ranges::sort(links.unrollings);
  return out;
}

UnitLinks joined(const std::vector<UnitLinks>& classes) {
  UnitLinks out = classes.front();
  for (std::size_t k = 1; k < classes.size(); ++k) join(out, classes[k]);
  std::ranges::sort(out.unrollings);
  return out;
}

LayerProblem with_unit_registers(const LayerProblem& linked, const UnitLinks& links) {
  // Step 1. The machine.
  Architecture machine = linked.architecture;
  machine.peer_channel = false;
  machine.ramps = false;  // registers that are filled first would wait: without ramps no mapping takes longer
  StorageLevel registers;
  registers.name = "registers of the units";
  registers.word_bits = machine.levels.front().word_bits;
  registers.instances = machine.compute.instances;
  registers.mesh_x = machine.compute.mesh_x;
  registers.loops_allowed = false;
  machine.levels.front().constraints.spatial.no_peers = {"all"};
  machine.levels.insert(machine.levels.begin(), registers);
  // Step 2. Its mapspace.
  Mapspace space = linked.space;
  LevelSpace level;
  level.keep = links.held;
  level.bypass = static_cast<TensorMask>(linked.model.compiled().all_tensors() & ~links.held);
  space.levels.insert(space.levels.begin(), level);
  space.level_names.insert(space.level_names.begin(), registers.name);
  // Step 3. Groups of units that are sent other words divide what crosses twice (rule 26) in another way.
  for (const int i : asked_levels(space, links.held, 1))
    if (!machine.levels[i].reduces()) machine.levels[i].network = {};
  // Step 4. With and without the links further out.
  machine.peer_channel = true;
  CostModel further_out(linked.workload, machine);
  machine.peer_channel = false;
  LayerProblem out{linked.workload, machine, linked.options, std::move(space), CostModel(linked.workload, machine)};
  if (peers_matter(out.space, further_out.compiled())) out.whole_model = std::move(further_out);
  // Step 5. What does not tell unrollings apart as links do is off.
  out.options.rules = without_rules(out.options.rules, kNotWithUnitRegisters);
  keep_unrollings(out, links, 1);
  return out;
}

LayerProblem with_free_networks(const LayerProblem& linked, const UnitLinks& links) {
  Architecture machine = linked.architecture;
  machine.peer_channel = true;
  for (const int i : asked_levels(linked.space, tensors_with_peers(linked.space, linked.model.compiled(), 0), 0)) {
    machine.levels[i].network = {};
    machine.levels[i].address_generation_pj = 0;
  }
  LayerProblem out{linked.workload, machine, linked.options, linked.space, CostModel(linked.workload, machine)};
  keep_unrollings(out, links, 0);
  return out;
}

Mapping without_unit_registers(const Mapping& mapping) {
  Mapping out = mapping;
  for (std::size_t k = 0; k < out.loop_count; ++k) --out.loop[k].level;
  std::shift_left(out.keep.begin(), out.keep.end(), 1);
  std::shift_left(out.outside.begin(), out.outside.end(), 1);
  out.keep.back() = 0;
  out.outside.back() = {};
  --out.level_count;
  return out;
}

}  // namespace heliolite
