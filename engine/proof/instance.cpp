#include "engine/proof/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/running_units.h"
#include "engine/search/uneven/uneven.h"

namespace heliolite::proof {
namespace {

Diagnostic no_proof_yet(const std::string& what) { return {"", 0, "proof", fmt::format("no proof {} yet", what)}; }

// Names stand between spaces, and factors and sums have signs of their own.
bool is_plain(const std::string& name) {
  constexpr std::string_view kSigns = "_.#'@$%&";
  return !name.empty() && std::ranges::all_of(name, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || kSigns.find(c) != std::string_view::npos;
  });
}

// What of the machine no rule of proofs knows.
std::optional<Diagnostic> unknown_to_proofs(const Compiled& c, const Architecture& architecture) {
  if (architecture.peer_channel && c.peers != 0) return no_proof_yet("for link transfers");
  if (architecture.drain_reads) return no_proof_yet("for machines with drain_reads");
  if (c.ramps) return no_proof_yet("for machines that count ramps (latency: ramps)");
  if (architecture.least_units() > 1) return no_proof_yet("for a least parallelism");
  for (int i = 0; i < c.level_count; ++i) {
    const CompiledLevel& level = c.level[i];
    if (level.is_interconnect) return no_proof_yet("for interconnects");
    if (level.routers_cost) return no_proof_yet("for machines with routers");
    if (level.network_costs && !level.reduces) return no_proof_yet("for networks below DRAM");
    if (level.hops_cost && i == 0) return no_proof_yet("for hops to the compute units");
  }
  for (int v = 0; v < c.tensor_count; ++v) {
    if (c.tensor[v].entangled) return no_proof_yet("for a dimension in two ranks of a tensor");
    if (c.tensor[v].is_output && c.tensor[v].term_count > 0) return no_proof_yet("for outputs with strides or halos");
  }
  return std::nullopt;
}

// Calls visit(price) for every price but those of hops: half of a hop is one, because the centre of an even column lies
// between rows.
template <class Visit>
void for_each_price(Instance& of, Visit&& visit) {
  visit(of.mac);
  for (InstanceLevel& level : of.levels) {
    visit(level.leak);
    for (InstancePrices& p : level.of)
      for (u64* price : {&p.read, &p.fill, &p.update, &p.address, &p.ingress}) visit(*price);
  }
}

// Counts the prices in units of 2^-bits pJ, which are no larger than they were.
void refine_unit(Instance& of, int bits) {
  const int shift = bits - of.unit_bits;
  for_each_price(of, [&](u64& price) { price <<= shift; });
  for (InstanceLevel& level : of.levels)
    for (InstancePrices& p : level.of) p.hop <<= shift;
  of.unit_bits = bits;
}

// Fills in an instance, part by part.
class Writer {
 public:
  Writer(const Workload& workload, const Architecture& architecture, const Mapspace& space, const Compiled& c)
      : workload_(workload), architecture_(architecture), space_(space), c_(c) {}

  Result<Instance> run() {
    dimensions();
    for (const Tensor& tensor : workload_.tensors) out_.tensors.push_back(tensor_of(tensor));
    for (int i = 0; i < c_.level_count; ++i) {
      out_.levels.push_back(level_of(i));
      out_.sized |= c_.level[i].parts.sized;
    }
    out_.mac = c_.op_units;
    out_.macs = c_.macs;
    out_.point_cycles = c_.point_cycles;
    if (!problem_.empty()) return no_proof_yet(problem_);
    shorten_prices();
    check_names();
    if (!problem_.empty()) return no_proof_yet(problem_);
    return std::move(out_);
  }

 private:
  void dimensions() {
    place_.assign(workload_.dimensions.size(), -1);
    for (std::size_t d = 0; d < workload_.dimensions.size(); ++d) {
      if (workload_.dimensions[d].size <= 1) continue;
      place_[d] = out_.dimension_count();
      out_.dimensions.push_back(workload_.dimensions[d].name);
      out_.sizes.push_back(workload_.dimensions[d].size);
      out_.dimension_of.push_back(static_cast<int>(d));
    }
  }

  InstanceTensor tensor_of(const Tensor& tensor) const {
    InstanceTensor out{tensor.name, tensor.is_output(), {}};
    for (const Rank& rank : tensor.ranks) {
      std::vector<InstanceTerm> terms;
      for (const Term& t : rank.terms)
        if (place_[t.dimension] >= 0) terms.push_back({t.coefficient, place_[t.dimension]});
      if (!terms.empty()) out.ranks.push_back(std::move(terms));
    }
    return out;
  }

  std::vector<FactorLimit> limits(const FactorLimits& of) const {
    std::vector<FactorLimit> out;
    for (const int d : out_.dimension_of) out.push_back(of[d]);
    return out;
  }
  // Dimensions of size above 1, by their places here.
  std::vector<int> places(const auto& of) const {
    std::vector<int> out;
    for (const u8 d : of)
      if (place_[d] >= 0) out.push_back(place_[d]);
    return out;
  }
  std::vector<int> axis(const SpatialSpace& fanout, DimensionMask allowed) const {
    std::vector<u8> in_order = canonical_order(space_, fanout.order);
    std::erase_if(in_order, [&](u8 d) { return !contains(allowed, d) || fanout.factor[d].max == 1; });
    return places(in_order);
  }

  InstanceLevel level_of(int i) {
    const CompiledLevel& level = c_.level[i];
    const LevelSpace& allowed = space_.levels[i];
    InstanceLevel out;
    out.name = architecture_.levels[i].name;
    if (level.room != CompiledLevel::kUnbounded) out.room = level.room;
    out.block = level.block_words == 1 ? 1 : level.block_parts;
    for (int v = 0; v < c_.tensor_count; ++v) {
      const ValueUnits& price = level.units[v];
      out.of[v] = {level.parts.of[v], price.read, price.fill, price.update, price.address, price.ingress, price.hop};
    }
    out.leak = level.leak_units;
    out.clusters = std::min(level.clusters, c_.fanouts(i + 1, c_.level_count - 1));
    const auto rate = [&](char kind, const PartsPerCycle& r) {
      if (r.is_limited()) out.rates.push_back({kind, r.parts, r.cycles});
    };
    rate('r', level.read_rate);
    rate('w', level.write_rate);
    rate('s', level.shared_rate);
    out.keep = allowed.keep;
    out.open = allowed.open;
    out.loops = limits(allowed.temporal.factor);
    out.order = places(allowed.temporal.order.dimensions());
    out.fanout_x = allowed.spatial.fanout_x;
    out.fanout_y = allowed.spatial.fanout_y;
    out.one_axis = space_.one_axis_per_dimension;
    out.x = axis(allowed.spatial, allowed.spatial.allowed_x);
    out.y = axis(allowed.spatial, allowed.spatial.allowed_y);
    out.unroll = limits(allowed.spatial.factor);
    return out;
  }

  void shorten_prices() {
    u64 set = 0;
    for_each_price(out_, [&](u64 price) { set |= price; });
    const int zeros = std::countr_zero(set);
    int hop_zeros = 64;
    for (const InstanceLevel& level : out_.levels)
      for (const InstancePrices& p : level.of)
        if (p.hop != 0) hop_zeros = std::min(hop_zeros, std::countr_zero(p.hop));
    const int shift = std::min({zeros, hop_zeros - 1, 32});  // -1: a finer unit
    out_.unit_bits = 32 - shift;
    const auto shifted = [&](u64 price) { return shift < 0 ? price << 1 : price >> shift; };
    for_each_price(out_, [&](u64& price) { price = shifted(price); });
    for (InstanceLevel& level : out_.levels)
      for (InstancePrices& p : level.of) p.hop = shifted(p.hop);
  }

  void check_names() {
    const auto check = [&](const std::string& name) {
      if (!is_plain(name)) problem_ = fmt::format("for names like '{}'", name);
    };
    for (const std::string& name : out_.dimensions) check(name);
    for (const InstanceTensor& t : out_.tensors) check(t.name);
    for (const InstanceLevel& l : out_.levels) check(l.name);
  }

  const Workload& workload_;
  const Architecture& architecture_;
  const Mapspace& space_;
  const Compiled& c_;
  std::vector<int> place_;  // [dimension of the workload]: its place here; -1: of size 1
  std::string problem_;
  Instance out_;
};

}  // namespace

int Instance::output() const {
  const auto is_output = [](const InstanceTensor& t) { return t.is_output; };
  return static_cast<int>(std::ranges::find_if(tensors, is_output) - tensors.begin());
}

Result<Instance> instance_of(const Workload& workload, const Architecture& architecture, InstanceOptions options) {
  const Result<Mapspace> space = resolve(workload, architecture, {.free = options.free, .open = options.open});
  if (!space) return space.errors();
  const Compiled compiled(workload, architecture);
  if (const auto problem = unknown_to_proofs(compiled, architecture)) return *problem;
  Result<Instance> out = Writer(workload, architecture, *space, compiled).run();
  if (!out || options.tiles == Tiles::Even) return out;
  const std::vector<bool> uneven = uneven_levels(*space, compiled);
  for (std::size_t i = 0; i < uneven.size(); ++i) {
    InstanceLevel& level = out->levels[i];
    level.uneven = uneven[i] && std::popcount(static_cast<TensorMask>(level.keep | level.open)) > 1;
  }
  return out;
}

Result<std::vector<UnitInstance>> instances_of(const Workload& workload, const Architecture& machine,
                                               InstanceOptions options) {
  const Result<std::vector<std::size_t>> units = units_that_run(workload, machine);
  if (!units) return units.errors();
  std::vector<UnitInstance> out;
  Diagnostics refused;
  for (const std::size_t unit : *units) {
    if (const Result<Mapspace> space =
            resolve(workload, machine.chain(unit), {.free = options.free, .open = options.open});
        !space) {
      refused.insert(refused.end(), space.errors().begin(), space.errors().end());
      continue;
    }
    Result<Instance> instance = instance_of(workload, machine.chain(unit), options);
    if (!instance) return instance.errors();
    out.push_back({unit, *std::move(instance)});
  }
  if (out.empty()) return refused;
  const int bits =
      std::ranges::max_element(out, {}, [](const auto& u) { return u.instance.unit_bits; })->instance.unit_bits;
  for (UnitInstance& u : out) refine_unit(u.instance, bits);
  return out;
}

}  // namespace heliolite::proof
