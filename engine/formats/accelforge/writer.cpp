// Machines, workloads and mappings as AccelForge's files.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "arch/architecture_spec.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/accelforge/files.h"
#include "engine/formats/accelforge/machine_parts.h"

namespace heliolite::accelforge {
namespace {

std::string joules_of(double picojoules) { return fmt::format("{}", picojoules * 1e-12); }

// Letters and digits alone.
std::string plain_name(std::string name) {
  name = name.substr(0, name.find('#'));
  for (char& c : name)
    if (!is_letter(c) && !is_digit(c)) c = '_';
  if (name.empty() || !is_letter(name.front())) name.insert(0, "_");
  return name;
}

bool has_name(const std::vector<std::string>& list, const std::string& name) {
  return std::ranges::find(list, name) != list.end();
}

class MachineWriter {
 public:
  explicit MachineWriter(const Architecture& machine) : machine_(machine) {}

  Result<WrittenText> run() {
    if (!machine_.drain_reads) note(machine_.name, "there words of an output are read where they leave a memory, too");
    if (const auto leaks = [](const StorageLevel& l) { return l.leak_pj_per_cycle > 0; };
        !machine_.all_leaks && std::ranges::any_of(machine_.levels, leaks))
      note(machine_.name, "there all instances leak, in use or not");
    if (machine_.ramps) note(machine_.name, "there cycles count no ramps: latency: ramps has no counterpart");
    if (!machine_.cycle_ns) note(machine_.name, "states no cycle_ns: written for cycles of 1 ns");
    if (machine_.min_parallelism > 0) note(machine_.name, "min_parallelism has no counterpart");
    if (machine_.levels.back().instances > 1) fail(machine_.levels.back().name, "several outermost instances");
    out_.text = "arch:\n  nodes:\n";
    for (std::size_t i = machine_.levels.size(); i-- > 0;) {
      const StorageLevel& l = machine_.levels[i];
      level(l);
      for (const Architecture& unit : machine_.units)
        if (unit.levels[own_levels(machine_, unit)].name == l.name) fork(unit);
      fanout(l, fanout_name(l.name));
    }
    compute(machine_.compute);
    if (!errors_.empty()) return errors_;
    return std::move(out_);
  }

 private:
  void fail(const std::string& what, std::string why) { errors_.push_back({"", 0, what, std::move(why)}); }
  void note(const std::string& what, std::string text) { out_.notes.push_back({"", 0, what, std::move(text)}); }
  double seconds() const { return machine_.cycle_ns.value_or(1) * 1e-9; }

  // The way from a level to a further unit branches off behind that level.
  void fork(const Architecture& unit) {
    const std::string before = std::exchange(out_.text, "");
    const std::size_t own = own_levels(machine_, unit);
    fanout(unit.levels[own], fanout_name(unit.levels[own].name, unit.compute.name));
    for (std::size_t i = own; i-- > 0;) {
      level(unit.levels[i]);
      fanout(unit.levels[i], fanout_name(unit.levels[i].name));
    }
    compute(unit.compute);
    std::string inside;
    for (std::size_t at = 0; at < out_.text.size();) {
      const std::size_t end = std::min(out_.text.find('\n', at), out_.text.size() - 1) + 1;
      inside += "    " + out_.text.substr(at, end - at);
      at = end;
    }
    out_.text = before + "  - !Fork\n    nodes:\n" + inside;
  }

  void compute(const Compute& c) {
    const u64 longer = std::max(c.cycles_per_op, machine_.compute.cycles_per_op),
              shorter = std::min(c.cycles_per_op, machine_.compute.cycles_per_op);
    if (longer % shorter != 0)
      fail(c.name, "cycles_per_op: its operation and that of the first unit must be multiples of each other");
    // Einsums say no more of what they do than how many tensors they have.
    constexpr OperationMask kOthers = kAllOperations & ~kProducts;
    if (c.runs != kAllOperations && c.runs != kProducts && c.runs != kOthers)
      fail(c.name, fmt::format("runs {}: has no counterpart; understood are product, all but product, and all",
                               join(operation_names(c.runs))));
    const char* enabled = c.runs == kAllOperations ? ""
                          : c.runs == kProducts    ? "    enabled: len(All) == 3\n"
                                                   : "    enabled: len(All) == 2\n";
    out_.text += fmt::format(
        "  - !Compute\n    name: {}\n    leak_power: 0\n    area: {}\n    actions:\n    - {{name: compute, "
        "energy: {}, throughput: {}}}\n{}",
        c.name, c.area_um2 * 1e-12, joules_of(c.op_pj), 1 / (seconds() * static_cast<double>(c.cycles_per_op)),
        enabled);
  }

  void level(const StorageLevel& l) {
    if (l.address_generation_pj > 0) fail(l.name, "energies of addresses have no counterpart");
    if (l.cluster_size > 1) fail(l.name, "cluster_size above 1 has no counterpart");
    const double bits = static_cast<double>(l.word_bits * l.block_words);
    const auto action = [&](const char* name, double energy, const std::optional<double>& words) {
      const double rate = words ? *words * static_cast<double>(l.word_bits) / bits / seconds() : 0;
      return fmt::format("    - {{name: {}, energy: {}, bits_per_action: {}, throughput: {}}}\n", name,
                         joules_of(energy), bits, words ? fmt::format("{}", rate) : "inf");
    };
    out_.text +=
        fmt::format("  - !{}\n    name: {}\n    leak_power: {}\n    area: {}\n", l.is_interconnect ? "Toll" : "Memory",
                    l.name, joules_of(l.leak_pj_per_cycle / seconds()), l.area_um2 * 1e-12);
    if (l.is_interconnect) {
      if (l.energy.read_pj != l.energy.update_pj && l.energy.read_pj > 0 && l.energy.update_pj > 0)
        fail(l.name, "an interconnect with different energies in its two directions has no counterpart");
      out_.text += fmt::format("    direction: {}\n    tensors: {{keep: All}}\n    actions:\n",
                               l.energy.update_pj == 0 ? "down"
                               : l.energy.read_pj == 0 ? "up"
                                                       : "up_and_down");
      out_.text += action("read", std::max(l.energy.read_pj, l.energy.update_pj),
                          l.bandwidth.shared ? l.bandwidth.shared : l.bandwidth.read);
    } else {
      if (l.energy.fill_pj != l.energy.update_pj)
        fail(l.name, "fills and updates of different energies have no counterpart");
      const auto words = l.capacity_words();
      out_.text += fmt::format("    size: {}\n", words ? fmt::format("{}", l.word_bits * *words) : "inf");
      const bool shared = l.bandwidth.shared.has_value();
      if (shared && (l.bandwidth.read || l.bandwidth.write))
        fail(l.name, "a bandwidth of both directions beside one of each has no counterpart");
      if (!shared) out_.text += "    total_latency: max(a.n_calls / a.throughput for a in actions)\n";
      out_.text += fmt::format("    tensors: {{{}}}\n    actions:\n", keep(l));
      out_.text += action("read", l.energy.read_pj, shared ? l.bandwidth.shared : l.bandwidth.read);
      out_.text += action("write", l.energy.fill_pj, shared ? l.bandwidth.shared : l.bandwidth.write);
    }
    if (!l.constraints.temporal.factors.empty() || !l.constraints.temporal.order.empty() ||
        l.constraints.temporal.allowed || !l.loops_allowed)
      note(l.name, "constraints of loops over time are left out");
  }

  std::string keep(const StorageLevel& l) {
    for (const auto* list : {&l.keep.keep, &l.keep.bypass})
      for (const std::string& name : *list)
        if (name != "all" && std::ranges::none_of(roles(), [&](const auto& r) { return r.second == name; }))
          fail(l.name, fmt::format("keep rules name '{}', understood are roles", name));
    std::vector<std::string> kept, open;
    for (const auto& [theirs, ours] : roles()) {
      const bool own_keep = has_name(l.keep.keep, ours), own_bypass = has_name(l.keep.bypass, ours);
      const bool keeps = own_keep || (has_name(l.keep.keep, "all") && !own_bypass);
      const bool passes = own_bypass || (has_name(l.keep.bypass, "all") && !own_keep);
      if (keeps) kept.push_back(theirs);
      else if (!passes) open.push_back(theirs);
    }
    const auto text = [](const std::vector<std::string>& names) {
      return names.empty()                    ? std::string("Nothing")
             : names.size() == roles().size() ? std::string("All")
                                              : fmt::format("{}", fmt::join(names, " | "));
    };
    std::vector<std::string> may = kept;
    may.insert(may.end(), open.begin(), open.end());
    return fmt::format("keep: {}, may_keep: {}", text(kept), text(may));
  }

  void fanout(const StorageLevel& l, const std::string& name) {
    if (l.network.hop_pj > 0 || l.network.router_pj > 0 || l.network.ingress_pj > 0)
      fail(l.name, "energies of networks have no counterpart");
    if (l.fanout() == 1) return;
    const SpatialConstraints& c = l.constraints.spatial;
    if (!c.factors.empty() || !c.order.empty() || c.split)
      note(l.name, "factors and orders of its fan-out are left out");
    out_.text += fmt::format("  - !Container\n    name: {}\n    spatial:\n", name);
    if (l.fanout_x > 1) out_.text += axis("X", l.fanout_x, l, c.allowed_x);
    if (l.fanout_y > 1) out_.text += axis("Y", l.fanout_y, l, c.allowed_y);
  }

  // "other_dims(inputs)" are those that reuse inputs; names of dimensions are the only ones that may go there.
  std::string axis(const char* name, u64 size, const StorageLevel& l,
                   const std::optional<std::vector<std::string>>& allowed) {
    std::string out = fmt::format("    - {{name: {}, fanout: {}", name, size);
    if (allowed && allowed->size() == 1 && allowed->front().starts_with("other_dims(")) {
      std::vector<std::string> reuse;
      const std::string inside = allowed->front().substr(11, allowed->front().size() - 12);
      for (const std::string& role : split(inside, '+'))
        for (const auto& [theirs, ours] : roles())
          if (ours == role) reuse.push_back(theirs);
      out += fmt::format(", reuse: {}", fmt::join(reuse, " | "));
    } else if (allowed) {
      const auto plain = [](const std::string& d) { return d.find('(') == std::string::npos && plain_name(d) == d; };
      if (!allowed->empty() && std::ranges::all_of(*allowed, plain))
        out +=
            fmt::format(", loop_bounds: [{{expression: ~({}), operator: ==, value: 1}}]", fmt::join(*allowed, " | "));
      else note(l.name, fmt::format("what may go to axis {} is left out", name));
    }
    return out + "}\n";
  }

  const Architecture& machine_;
  WrittenText out_;
  Diagnostics errors_;
};

// The arrays of a network's operands: [layer][tensor]; ends of an edge that pass an array on as it is have one name.
std::vector<std::vector<std::string>> array_names(const Network& network, Diagnostics& notes) {
  std::vector<std::vector<std::string>> names;
  const bool one = network.layers.size() == 1;
  for (const Layer& layer : network.layers) {
    names.emplace_back();
    for (const Tensor& tensor : layer.workload.tensors)
      names.back().push_back(one ? plain_name(tensor.name)
                                 : plain_name(layer.workload.name) + "_" + plain_name(tensor.name));
  }
  std::map<int, std::pair<int, int>> first_reader;  // [input]
  std::vector<std::string> lost;
  for (const Edge& edge : network.edges) {
    int layer = edge.from, tensor = 0;
    if (edge.from_input) {
      const auto [it, fresh] = first_reader.try_emplace(edge.from, edge.to, edge.tensor);
      if (fresh) continue;
      std::tie(layer, tensor) = it->second;
    } else {
      tensor = network.layers[layer].workload.output();
    }
    const Tensor& a = network.layers[layer].workload.tensors[tensor];
    const Tensor& b = network.layers[edge.to].workload.tensors[edge.tensor];
    const bool whole = reads_whole(edge) && edge.combine == Combine::Alone && edge.through.op == Operator::None &&
                       a.ranks.size() == b.ranks.size() &&
                       network.layers[layer].workload.tensor_words(tensor) ==
                           network.layers[edge.to].workload.tensor_words(edge.tensor);
    if (whole) names[edge.to][edge.tensor] = names[layer][tensor];
    else lost.push_back(network.layers[edge.to].workload.name);
  }
  if (!lost.empty())
    notes.push_back(
        {"", 0, network.name,
         fmt::format("operands of {} are written as arrays of their own: what lies between, or another order "
                     "of ranks, has no counterpart",
                     join(lost))});
  return names;
}

std::string their_rank(const Rank& rank, const Workload& workload) {
  std::vector<std::string> terms;
  for (const Term& term : rank.terms) {
    const std::string name = plain_name(workload.dimensions[term.dimension].name);
    terms.push_back(term.coefficient == 1 ? name : fmt::format("{} * {}", name, term.coefficient));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

}  // namespace

std::string fanout_name(const std::string& level, const std::string& unit) {
  return fmt::format("below_{}{}{}", level, unit.empty() ? "" : "_", unit);
}

Result<WrittenText> write_machine(const Architecture& machine) { return MachineWriter(machine).run(); }

Result<WrittenText> write_workload(const Network& network, std::optional<WordLength> unstated) {
  WrittenText out;
  Diagnostics errors;
  const std::vector<std::vector<std::string>> names = array_names(network, out.notes);
  std::set<std::string> einsums;
  out.text = "workload:\n  einsums:\n";
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    const Workload& w = network.layers[k].workload;
    if (!einsums.insert(plain_name(w.name)).second)
      errors.push_back({"", 0, w.name, "a second layer of this name, in letters and digits alone"});
    out.text += fmt::format("  - name: {}\n", plain_name(w.name));
    if (network.layers[k].count > 1) out.text += fmt::format("    n_instances: {}\n", network.layers[k].count);
    out.text += "    tensor_accesses:\n";
    std::map<std::string, std::vector<std::string>> roles{{"input", {}}, {"weight", {}}, {"output", {}}};
    for (std::size_t v = 0; v < w.tensors.size(); ++v) {
      const Tensor& tensor = w.tensors[v];
      const auto bits = tensor.word_bits ? tensor.word_bits : unstated;
      if (!bits)
        errors.push_back(
            {"", 0, w.name, fmt::format("no size of the words of {}: --word-bits states it", tensor.name)});
      std::vector<std::string> ranks;
      for (std::size_t r = 0; r < tensor.ranks.size(); ++r)
        ranks.push_back(fmt::format("{}_{}: {}", names[k][v], r, their_rank(tensor.ranks[r], w)));
      out.text +=
          fmt::format("    - {{name: {}, projection: {{{}}}, bits_per_value: {}{}}}\n", names[k][v],
                      fmt::join(ranks, ", "), bits.value_or(8), tensor.role == Role::Output ? ", output: True" : "");
      roles[tensor.role == Role::Output   ? "output"
            : tensor.role == Role::Weight ? "weight"
                                          : "input"]
          .push_back(names[k][v]);
    }
    std::vector<std::string> bounds, renames;
    for (const Dimension& d : w.dimensions) bounds.push_back(fmt::format("0 <= {} < {}", plain_name(d.name), d.size));
    for (const auto& [role, tensors] : roles)
      renames.push_back(
          fmt::format("{}: {}", role, tensors.empty() ? "Nothing" : fmt::format("{}", fmt::join(tensors, " | "))));
    out.text += fmt::format("    iteration_space_shape: [{}]\n    renames: {{{}}}\n", fmt::join(bounds, ", "),
                            fmt::join(renames, ", "));
  }
  if (!errors.empty()) return errors;
  return out;
}

Result<WrittenText> write_mapping(const Mapping& mapping, const Network& network, std::size_t layer,
                                  const Architecture& machine, std::size_t unit) {
  const Architecture& chain = machine.chain(unit);
  const std::size_t feed = unit == 0 ? 0 : own_levels(machine, chain);
  const Workload& workload = network.layers[layer].workload;
  if (!mapping.is_perfect())
    return Diagnostic{"", 0, workload.name, "factors that do not divide the sizes have no counterpart"};
  WrittenText out;
  Diagnostics unused;
  const std::vector<std::string> arrays = array_names(network, unused)[layer];
  std::vector<u64> left;
  for (const Dimension& d : workload.dimensions) left.push_back(d.size);
  out.text = "mapping:\n  nodes:\n";
  const auto loop = [&](const Loop& l) {
    left[l.dimension] /= l.end;
    const std::string place =
        l.is_spatial() ? fmt::format(", name: {}, component: {}", l.kind == LoopKind::SpatialX ? "X" : "Y",
                                     fanout_name(chain.levels[l.level].name,
                                                 unit > 0 && at(l.level) == feed ? chain.compute.name : std::string()))
                       : "";
    out.text +=
        fmt::format("  - !{} {{rank_variable: {}, tile_shape: {}{}}}\n", l.is_spatial() ? "Spatial" : "Temporal",
                    plain_name(workload.dimensions[l.dimension].name), left[l.dimension], place);
  };
  for (int i = static_cast<int>(chain.levels.size()) - 1; i >= 0; --i) {
    std::vector<Loop> temporal, spatial;
    for (const Loop& l : mapping.loops())
      if (l.level == i) (l.is_spatial() ? spatial : temporal).insert((l.is_spatial() ? spatial : temporal).begin(), l);
    for (std::size_t depth = 0; depth <= temporal.size(); ++depth) {
      std::vector<std::string> kept;
      for (std::size_t v = 0; v < workload.tensors.size(); ++v)
        if (mapping.keeps(i, static_cast<int>(v)) && mapping.outside[i][v] == depth && !has_name(kept, arrays[v]))
          kept.push_back(arrays[v]);
      if (!kept.empty())
        out.text +=
            fmt::format("  - !Storage {{component: {}, tensors: [{}]}}\n", chain.levels[i].name, fmt::join(kept, ", "));
      if (depth < temporal.size()) loop(temporal[depth]);
    }
    for (const Loop& l : spatial) loop(l);
  }
  out.text +=
      fmt::format("  - !Compute {{einsum: {}, component: {}}}\n", plain_name(workload.name), chain.compute.name);
  return out;
}

}  // namespace heliolite::accelforge
