#include "engine/model/fingerprint.h"

#include <fmt/format.h>

#include <bit>
#include <optional>
#include <vector>

#include "arch/architecture_spec.h"

namespace heliolite {
namespace {

class Hasher {
 public:
  Hasher& add(u64 word) {
    for (int byte = 0; byte < 8; ++byte) step(static_cast<u8>(word >> (8 * byte)));
    return *this;
  }
  Hasher& add(double number) { return add(std::bit_cast<u64>(number + 0.0)); }  // -0 and 0 are one value
  Hasher& add(std::string_view text) {
    add(text.size());
    for (const char c : text) step(static_cast<u8>(c));
    return *this;
  }
  Hasher& add(const std::string& text) { return add(std::string_view(text)); }
  template <class T>
  Hasher& add(const std::optional<T>& value) {
    add(u64{value.has_value()});
    return value ? add(*value) : *this;
  }
  template <class T>
  Hasher& add(const std::vector<T>& items) {
    add(u64{items.size()});
    for (const T& item : items) add(item);
    return *this;
  }
  // Whole bits as a number, as before there were others.
  Hasher& add(WordLength length) {
    add(length.parts());
    return length.is_whole() ? *this : add(std::string_view("/")).add(length.of_bit());
  }
  Hasher& add(const Term& t) { return add(static_cast<u64>(t.dimension)).add(t.coefficient); }
  Hasher& add(const Rank& r) { return add(r.terms); }
  Hasher& add(const Dimension& d) { return add(d.name).add(d.size); }
  Hasher& add(const Tensor& t) {
    add(t.name).add(static_cast<u64>(t.role)).add(t.ranks);
    if (t.access_of) add(static_cast<u64>(*t.access_of));
    return t.word_bits ? add(std::string_view("word_bits")).add(*t.word_bits) : *this;
  }
  Hasher& add(const FactorConstraint& f) { return add(f.dimension).add(static_cast<u64>(f.relation)).add(f.value); }
  Hasher& add(const StorageLevel& l) {
    add(l.name).add(l.entries).add(l.multiple_buffering).add(l.word_bits).add(l.block_words).add(l.cluster_size);
    add(l.instances).add(l.mesh_x).add(l.fanout_x).add(l.fanout_y);
    add(l.energy.read_pj).add(l.energy.fill_pj).add(l.energy.update_pj);
    for (const LevelPrice& price : kLevelPrices) add(l.*price.price);
    add(l.leak_pj_per_cycle).add(l.area_um2).add(l.bandwidth.read).add(l.bandwidth.write).add(l.bandwidth.shared);
    add(l.network.hop_pj).add(l.network.router_pj).add(l.network.ingress_pj).add(u64{l.is_dram});
    add(l.keep.keep).add(l.keep.bypass).add(u64{l.loops_allowed});
    const LoopConstraints& t = l.constraints.temporal;
    const SpatialConstraints& s = l.constraints.spatial;
    add(t.factors).add(t.order).add(t.allowed);
    add(s.factors).add(s.order).add(s.allowed_x).add(s.allowed_y);
    if (l.is_interconnect) add(std::string_view("interconnect"));
    if (l.reduces() == l.is_dram) add(std::string_view("reduction"));
    if (s.split) add(s.split);
    return s.no_peers.empty() ? *this : add(s.no_peers);
  }
  Hasher& add(const Compute& c) {
    add(c.name).add(c.instances).add(c.mesh_x).add(c.word_bits).add(c.op_pj).add(c.area_um2);
    if (c.cycles_per_op != 1) add(std::string_view("cycles_per_op")).add(c.cycles_per_op);
    return c.runs == kAllOperations ? *this : add(std::string_view("runs")).add(u64{c.runs});
  }
  u64 value() const { return state_; }

 private:
  void step(u8 byte) { state_ = (state_ ^ byte) * 0x100000001b3ULL; }
  u64 state_ = 0xcbf29ce484222325ULL;
};

}  // namespace

u64 fingerprint(const Workload& workload) {
  Hasher hasher;
  hasher.add(workload.dimensions).add(workload.tensors);
  // Products of one operation, and machines of one compute unit, have the fingerprints that they have without these.
  if (workload.operation != Operation::Product || workload.operations != 1)
    hasher.add(name(workload.operation)).add(workload.operations);
  if (!workload.unit.empty()) hasher.add(std::string_view("unit")).add(workload.unit);
  return hasher.value();
}

u64 fingerprint(const Architecture& a) {
  Hasher hasher;
  hasher.add(a.levels).add(a.compute).add(u64{a.one_axis_per_dimension}).add(u64{a.constraints_for_channels_only});
  if (a.unit_loops_first) hasher.add(u64{2});
  if (a.peer_channel) hasher.add(u64{3});  // machines without keep their fingerprint
  if (a.drain_reads) hasher.add(u64{5});
  if (a.all_leaks) hasher.add(u64{8});
  if (a.ramps) hasher.add(u64{6});
  if (a.timeloop_cycles) hasher.add(u64{7});
  if (a.min_parallelism > 0) hasher.add(u64{4}).add(a.min_parallelism);
  for (const Architecture& unit : a.units) hasher.add(std::string_view("unit")).add(fingerprint(unit));
  if (a.beside_um2 != 0 || a.beside_pj_per_cycle != 0)
    hasher.add(std::string_view("beside")).add(a.beside_um2).add(a.beside_pj_per_cycle);
  return hasher.value();
}

u64 fingerprint(std::string_view text) { return Hasher().add(text).value(); }

std::string to_hex(u64 fingerprint) { return fmt::format("{:016x}", fingerprint); }

}  // namespace heliolite
