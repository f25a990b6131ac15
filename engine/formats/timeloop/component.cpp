#include "engine/formats/timeloop/component.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "arch/check.h"
#include "engine/base/text.h"
#include "engine/base/types.h"
#include "engine/formats/timeloop/form.h"

namespace heliolite {
namespace {

constexpr u64 kTimeloopWordBits = 16;  // Timeloop's

constexpr std::array<std::string_view, 5> kStorageClasses{"DRAM", "SRAM", "regfile", "smartbuffer", "storage"};
constexpr std::array<std::string_view, 2> kComputeClasses{"mac", "compute"};
constexpr std::array<std::string_view, 4> kNetworkClasses{"XY_NoC", "Legacy", "ReductionTree", "SimpleMulticast"};

template <std::size_t N>
bool contains_one(std::string_view class_name, const std::array<std::string_view, N>& names) {
  for (const std::string_view name : names)
    if (class_name.find(name) != std::string_view::npos) return true;
  return false;
}

// The first of these names that is given counts: behind it stand the sizes of the macro that Accelergy's class is made
// of, which may be larger than what was asked for.
std::optional<u64> first_of(AttributeReader& reader, Spellings names, u64 low, u64 high) {
  std::optional<u64> found;
  for (const std::string_view name : names) {
    if (found) reader.ignore({name});
    else found = reader.integer({name}, low, high);
  }
  return found;
}

// How many bits a word has, how many words a block, how many instances share an access. `width` is what one physical
// access moves: word_bits * block_size * cluster_size.
void read_widths(AttributeReader& reader, StorageLevel& level) {
  const u64 word_bits =
      reader.integer({"word_bits", "word_width", "datawidth"}, 1, kMaxWordLength).value_or(kTimeloopWordBits);
  level.word_bits = word_bits;
  const std::optional<u64> block = reader.integer({"block_size", "n_words"}, 1, kMaxBlockWords);
  const std::optional<u64> cluster = reader.integer({"cluster_size"}, 1, kMaxClusterSize);
  level.block_words = block.value_or(1);
  level.cluster_size = cluster.value_or(1);
  const std::optional<u64> width =
      first_of(reader, {"width", "memory_width", "data_storage_width"}, 1, kMaxWordLength * kMaxBlockWords);
  if (!width) return;
  const u64 unit = word_bits * level.block_words * level.cluster_size;
  if (*width % unit != 0 || (block && cluster && *width != unit)) {
    reader.error(fmt::format("width = {} of {} must be {} word_bits x block_size x cluster_size = {} x {} x {}", *width,
                             reader.owner(), block && cluster ? "" : "a multiple of", word_bits, level.block_words,
                             level.cluster_size));
    return;
  }
  if (!block) level.block_words = *width / (word_bits * level.cluster_size);
  else level.cluster_size = *width / (word_bits * level.block_words);
  if (level.block_words > kMaxBlockWords || level.cluster_size > kMaxClusterSize)
    reader.error(fmt::format("width = {} of {} is {} words of {} bits, must be at most {}", *width, reader.owner(),
                             *width / word_bits, word_bits, kMaxBlockWords));
}

void read_capacity(AttributeReader& reader, TimeloopStorage& storage) {
  StorageLevel& level = storage.level;
  const std::optional<u64> entries = reader.integer({"entries"}, 0, kMaxEntries);
  const std::optional<u64> depth = first_of(reader, {"depth", "memory_depth", "data_storage_depth"}, 0, kMaxEntries);
  const std::optional<double> kilobytes = reader.number({"sizeKB"}, 0, static_cast<double>(kMaxEntries));
  // Entries go before a depth, which then is Accelergy's.
  if (kilobytes && (entries || depth))
    reader.error(fmt::format("{} has sizeKB beside entries or depth; give one", reader.owner()));
  if (entries) level.entries = *entries;
  else if (depth) level.entries = *depth * level.block_words;
  else if (kilobytes)
    level.entries = static_cast<u64>(std::floor(*kilobytes * 1024 * 8 / static_cast<double>(level.word_bits)));
  storage.holds_nothing = entries == 0u || (!entries && depth == 0u) || kilobytes == 0.0;
  if (storage.holds_nothing) level.entries.reset();
  if (level.entries && (*level.entries == 0 || *level.entries > kMaxEntries))
    reader.error(fmt::format("{} holds {} words, must be from 1 to {}", reader.owner(), *level.entries, kMaxEntries));
  level.multiple_buffering = reader.number({"multiple_buffering"}, 1, kMaxMultipleBuffering).value_or(1.0);
}

void read_bandwidth(AttributeReader& reader, StorageLevel& level) {
  level.bandwidth.read = reader.number({"read_bandwidth"}, kMinBandwidth, kMaxBandwidth);
  level.bandwidth.write = reader.number({"write_bandwidth"}, kMinBandwidth, kMaxBandwidth);
  level.bandwidth.shared = reader.number({"shared_bandwidth"}, kMinBandwidth, kMaxBandwidth);
  // `bandwidth` alone is split evenly (rule 28); the single ones go before it in Timeloop's reader.
  if (const std::optional<double> both = reader.number({"bandwidth"}, 2 * kMinBandwidth, kMaxBandwidth)) {
    if (!level.bandwidth.read) level.bandwidth.read = *both / 2;
    if (!level.bandwidth.write) level.bandwidth.write = *both / 2;
  }
}

void read_network(AttributeReader& reader, TimeloopStorage& storage) {
  NetworkEnergy& network = storage.level.network;
  network = read_network_energy(reader);
  reader.refuse({"wire_energy", "tile_width"}, "wires are not floorplanned here, give energy_per_hop (pJ) instead");
  for (const char* key : {"network_read", "network_fill", "network_drain", "network_update"})
    if (const std::optional<YamlNode> named = reader.node({key}); named && !says_nothing(*named))
      storage.networks.push_back(*named);
  if (!storage.networks.empty() && (network.hop_pj != 0 || network.router_pj != 0 || network.ingress_pj != 0))
    reader.error(fmt::format("{} names a network and has energies of its own network: give one", reader.owner()));
  reader.refuse({"network_fill_latency", "network_drain_latency"},
                "Timeloop adds fill and drain latencies of networks to the cycles of every mapping, which is not "
                "modelled: take them out, and add their sum to the cycles of the answers");
  if (const std::optional<std::string> type = reader.string({"network_type"}); type && *type != "1:1" && *type != "1:N")
    reader.error(fmt::format("network_type = {} of {}: only 1:1 and 1:N are modelled", *type, reader.owner()));
  reader.ignore({"network_word_bits"});
}

// What Accelergy adds to the attributes of a component when it dumps them: its file's version, the number of copies
// that one entry of its tables stands for, and the scales that its classes derive.
void ignore_accelergys_own(AttributeReader& reader) {
  reader.ignore({"version", "n_instances", "widthscale", "depthscale", "real_depth", "area_scale",
                 "dynamic_energy_scale", "static_energy_scale"});
}

// Whether a level sums partial outputs; what its technology says unless it is written.
void read_reduction(AttributeReader& reader, StorageLevel& level) {
  const std::optional<YamlNode> node = reader.node({"reduction_supported"});
  if (!node) return;
  const std::string word = node->is_scalar() ? lower(node->text()) : "";
  level.reduction = word == "yes" ? true : word == "no" ? false : node->as_bool();
  if (!level.reduction)
    reader.error(fmt::format("reduction_supported = {} of {}, must be true or false",
                             node->is_scalar() ? node->text() : "a list or map", level.name));
}

// What Timeloop, Accelergy or their plug-ins read and a dense cost model does not.
void read_the_rest(AttributeReader& reader) {
  reader.refuse({"min_utilization"}, "a least utilization of a memory cannot be demanded of mappings");
  reader.refuse({"allow_overbooking"}, "tiles larger than the memory are not supported");
  reader.refuse({"per_dataspace_bandwidth_consumption_scale"}, "bandwidth is counted in words of any tensor alike");
  reader.ignore({"num_ports",
                 "n_ports",
                 "nports",
                 "n_rd_ports",
                 "n_wr_ports",
                 "n_rdwr_ports",
                 "n_rw_ports",
                 "num_banks",
                 "n_banks",
                 "nbanks",
                 "type",
                 "has_power_gating",
                 "power_gated",
                 "update_fifo_depth",
                 "control_queue_depth",
                 "scoreboard_depth",
                 "bank_depth",
                 "latency",
                 "cycle_time",
                 "global_cycle_seconds",
                 "cycle_seconds",
                 "action_latency_cycles",
                 "voltage",
                 "temperature",
                 "tech_node",
                 "n_buffers",
                 "n_buffets"});
  ignore_accelergys_own(reader);
}

}  // namespace

ComponentKind component_kind(std::string_view class_name) {
  if (class_name == "nothing") return ComponentKind::Nothing;
  if (contains_one(class_name, kStorageClasses)) return ComponentKind::Storage;
  if (contains_one(class_name, kComputeClasses)) return ComponentKind::Compute;
  if (contains_one(class_name, kNetworkClasses)) return ComponentKind::Network;
  return ComponentKind::Unknown;
}

bool may_pass_over(const AttributeReader& component, std::string_view class_name, Diagnostics& errors) {
  const bool is_memory = component.has({"entries", "depth", "memory_depth", "data_storage_depth", "sizeKB"});
  if (component_kind(class_name) != ComponentKind::Unknown || !is_memory) return true;
  errors.push_back(component.place().error(
      fmt::format("class '{}' is none of the storages (DRAM, SRAM, regfile, smartbuffer, storage) or compute units "
                  "(mac, intmac, fpmac, compute), nor a name containing one; Timeloop would pass over {}, which has a "
                  "capacity: give it one of these classes, and its own as the subclass",
                  class_name, component.owner())));
  return false;
}

NetworkEnergy read_network_energy(AttributeReader& reader) {
  NetworkEnergy network;
  network.hop_pj = reader.number({"energy_per_hop"}, 0, kMaxAccessPicojoules).value_or(0);
  network.router_pj = reader.number({"router_energy"}, 0, kMaxAccessPicojoules).value_or(0);
  network.ingress_pj = reader.number({"energy-per-ingress"}, 0, kMaxAccessPicojoules).value_or(0);
  return network;
}

TimeloopNetwork read_network_component(AttributeReader& reader) {
  TimeloopNetwork network{reader.owner(), ""};
  for (const char* key : {"router_energy", "wire_energy", "energy_per_hop", "energy-per-ingress", "adder_energy",
                          "adder-energy", "fill_latency", "drain_latency"})
    if (const std::optional<YamlNode> price = reader.node({key}); price && !says_nothing(*price))
      network.price = fmt::format("{} = {}", key, price->text());
  return network;
}

std::optional<double> cycle_seconds_in(const TimeloopAttributes& attributes, const TimeloopAttributes& variables,
                                       Diagnostics& errors) {
  const auto it = attributes.find("global_cycle_seconds");
  if (it == attributes.end() || it->second->node.is_null()) return std::nullopt;
  if (const auto known = variables.find(kClockIsKnown); known != variables.end() && says_nothing(known->second->node))
    return std::nullopt;
  const std::optional<double> seconds = number_of(it->second->node, attributes, variables, errors, it->second.get());
  return seconds && *seconds > 0 ? seconds : std::nullopt;
}

void check_networks(const TimeloopMachine& machine, const EnergyReferenceTable& ert, std::vector<std::string>& notes,
                    Diagnostics& errors) {
  std::vector<std::string> free;
  for (const TimeloopStorage& storage : machine.storage) {
    for (const YamlNode& named : storage.networks) {
      const std::string& name = named.text();
      const auto refuse = [&](std::string_view why) {
        errors.push_back(
            named.error(fmt::format("network '{}' of {} {}: give energy_per_hop, router_energy and energy-per-ingress "
                                    "of the storage instead",
                                    name, storage.level.name, why)));
      };
      const auto component = std::ranges::find(machine.networks, name, &TimeloopNetwork::name);
      const auto priced = ert.components.find(name);
      if (component != machine.networks.end() && !component->price.empty())
        refuse(fmt::format("has {}, and named networks are not modelled", component->price));
      else if (priced != ert.components.end() &&
               std::ranges::any_of(priced->second, [](const auto& action) { return action.second != 0; }))
        refuse("has energies in the ERT, and named networks are not modelled");
      else if (std::ranges::find(free, name) == free.end()) free.push_back(name);
    }
  }
  if (!free.empty())
    notes.push_back(free.size() == 1
                        ? fmt::format("the named network {} costs nothing: neither its component nor an ERT says what "
                                      "it costs",
                                      free.front())
                        : fmt::format("the named networks {} cost nothing: neither their components nor an ERT says "
                                      "what they cost",
                                      join(free)));
}

TimeloopStorage read_storage_attributes(AttributeReader& reader, std::string_view class_name) {
  TimeloopStorage storage;
  storage.place = reader.place();
  StorageLevel& level = storage.level;
  level.name = reader.owner();
  const std::optional<std::string> technology = reader.string({"technology"});
  level.is_dram = class_name.find("DRAM") != std::string_view::npos || (technology && *technology == "DRAM");
  read_reduction(reader, level);
  read_widths(reader, level);
  read_capacity(reader, storage);
  read_bandwidth(reader, level);
  read_network(reader, storage);
  storage.power_gated_at = reader.string({"power_gated_at"}).value_or("");
  storage.user_pj = reader.number({"vector_access_energy"}, 0, kMaxAccessPicojoules);
  level.address_generation_pj = reader.number({"addr_gen_energy"}, 0, kMaxAccessPicojoules).value_or(0);
  if (const std::optional<double> area = reader.number({"cluster_area"}, 0, kMaxAreaUm2))
    level.area_um2 = *area / static_cast<double>(level.cluster_size);
  read_the_rest(reader);
  if (level.is_dram && level.cluster_size != 1)
    reader.error(fmt::format("{} is a DRAM and cannot be shared by a cluster of {}", level.name, level.cluster_size));
  return storage;
}

TimeloopCompute read_compute_attributes(AttributeReader& reader) {
  TimeloopCompute compute;
  compute.place = reader.place();
  compute.compute.name = reader.owner();
  compute.compute.word_bits =
      reader.integer({"word_bits", "word_width", "datawidth"}, 1, kMaxWordLength).value_or(kTimeloopWordBits);
  compute.user_pj = reader.number({"energy", "energy_per_op"}, 0, kMaxAccessPicojoules);
  compute.compute.area_um2 = reader.number({"area"}, 0, kMaxAreaUm2).value_or(0);
  reader.ignore({"technology",
                 "type",
                 "width",
                 "multiplier_width",
                 "adder_width",
                 "width_a",
                 "width_b",
                 "latency",
                 "cycle_time",
                 "num_pipeline_stages",
                 "n_pipeline_stages",
                 "exponent",
                 "mantissa",
                 "precision",
                 "has_power_gating",
                 "power_gated",
                 "power_gated_at",
                 "global_cycle_seconds",
                 "cycle_seconds",
                 "action_latency_cycles",
                 "voltage",
                 "tech_node",
                 "network_word_bits",
                 "energy_per_hop",
                 "router_energy",
                 "energy-per-ingress"});
  ignore_accelergys_own(reader);
  return compute;
}

std::optional<Instances> read_instances(AttributeReader& reader, std::optional<u64> implied) {
  const u64 most = kMaxInstances;
  std::optional<u64> instances = reader.integer({"instances"}, 1, most);
  const std::optional<u64> mesh_x = reader.integer({"meshX"}, 1, most);
  const std::optional<u64> mesh_y = reader.integer({"meshY"}, 1, most);
  if (!instances) instances = implied;
  if (!instances && mesh_x && mesh_y) instances = *mesh_x * *mesh_y;
  if (!instances) {
    reader.error(fmt::format("{} needs instances, or meshX and meshY", reader.owner()));
    return std::nullopt;
  }
  const u64 x = mesh_x ? *mesh_x : mesh_y ? *instances / *mesh_y : *instances;
  const u64 y = mesh_y.value_or(x == 0 ? 0 : *instances / x);
  if (x * y != *instances) {
    reader.error(fmt::format("{} instances of {} are not meshX x meshY = {} x {}", *instances, reader.owner(), x, y));
    return std::nullopt;
  }
  return Instances{*instances, x};
}

}  // namespace heliolite
