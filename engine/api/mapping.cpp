// Mappings, what they cost and mapspaces as users of the library see them (heliolite/mapping.h, heliolite/evaluate.h,
// heliolite/space.h).
#include <fmt/format.h>
#include <heliolite/evaluate.h>
#include <heliolite/mapping.h>
#include <heliolite/space.h>

#include "arch/architecture.h"
#include "engine/api/inside.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/load_mapping.h"
#include "engine/model/fingerprint.h"
#include "engine/model/mapping_check.h"
#include "engine/model/mapping_yaml.h"
#include "engine/space/mapspace.h"
#include "engine/space/mapspace_size.h"
#include "engine/space/order_trie.h"

namespace heliolite::api {

// Mappings as users of the library see them (heliolite/mapping.h). Their plain form is that of a file: it is read from
// the text that the writer of files makes, and written as a text for the reader.

namespace {

std::vector<std::string> texts_of(const std::optional<YamlNode>& list) {
  return mapped(elements(list), &YamlNode::text);
}

// [K: 4, M: [3, 2]]
std::vector<Loop> loops_of(const std::optional<YamlNode>& list) {
  std::vector<Loop> out;
  const auto number = [](const YamlNode& node) { return static_cast<std::uint64_t>(node.as_integer().value_or(1)); };
  for (const YamlNode& loop : elements(list))
    for (const std::string& dimension : loop.keys()) {
      const YamlNode factor = *loop.find(dimension);
      if (factor.is_sequence()) out.push_back({dimension, number(factor.at(0)), number(factor.at(1))});
      else out.push_back({dimension, number(factor), {}});
    }
  return out;
}

std::string list_text(const std::vector<std::string>& names) {
  return fmt::format("[{}]", fmt::join(mapped(names, yaml_scalar), ", "));
}

std::string loops_text(const std::vector<Loop>& loops) {
  std::vector<std::string> words;
  for (const Loop& loop : loops) {
    const std::string factor =
        loop.last ? fmt::format("[{}, {}]", loop.iterations, *loop.last) : fmt::format("{}", loop.iterations);
    words.push_back(fmt::format("{}: {}", yaml_scalar(loop.dimension), factor));
  }
  return fmt::format("[{}]", fmt::join(words, ", "));
}

std::string level_text(const MappingLevel& level) {
  std::string out = fmt::format("  - level: {}\n", yaml_scalar(level.level));
  if (level.keep) out += fmt::format("    keep: {}\n", list_text(*level.keep));
  if (!level.temporal.empty()) out += fmt::format("    temporal: {}\n", loops_text(level.temporal));
  std::vector<std::string> spatial;
  if (!level.x.empty()) spatial.push_back("x: " + loops_text(level.x));
  if (!level.y.empty()) spatial.push_back("y: " + loops_text(level.y));
  if (!level.no_link_transfer.empty())
    spatial.push_back(fmt::format("{}: {}", kPeerChannel.excludes, list_text(level.no_link_transfer)));
  if (!spatial.empty()) out += fmt::format("    spatial: {{{}}}\n", fmt::join(spatial, ", "));
  return out;
}

// On the chain of the compute unit that the file names, or of the only one that can run the workload.
Result<Mapping> placed(const Result<MappingFile>& file, const Workload& workload, const Architecture& architecture) {
  if (!file) return file.errors();
  const Result<UnitMapping> read = file->read_on_unit(Inside::of(workload), Inside::of(architecture));
  if (!read) return read.errors();
  const Architecture chain = read->unit == 0 ? architecture : Inside::chain(architecture, read->unit);
  return Inside::handle(read->mapping, workload, chain);
}

}  // namespace

const Workload& Mapping::workload() const { return state_->workload; }
const Architecture& Mapping::architecture() const { return state_->architecture; }
bool Mapping::factors_divide() const { return state_->mapping.is_perfect(); }

std::string Mapping::yaml() const {
  return write_mapping(state_->mapping, Inside::of(state_->workload), Inside::of(state_->architecture));
}

std::vector<MappingLevel> Mapping::levels() const {
  const Result<YamlNode> document = YamlNode::parse(yaml(), "mapping");
  std::vector<MappingLevel> out;
  for (const YamlNode& node : elements(document->find("mapping"))) {
    const std::optional<YamlNode> spatial = node.find("spatial");
    const auto part = [&](const char* key) { return spatial ? spatial->find(key) : std::nullopt; };
    out.push_back({.level = node.find("level")->text(),
                   .keep = texts_of(node.find("keep")),
                   .temporal = loops_of(node.find("temporal")),
                   .x = loops_of(part("x")),
                   .y = loops_of(part("y")),
                   .no_link_transfer = texts_of(part(kPeerChannel.excludes))});
  }
  return out;
}

Result<Mapping> load_mapping(const std::string& path, const Workload& workload, const Architecture& architecture,
                             const ReadOptions& options) {
  const Result<heliolite::ReadOptions> reading = engine_options(options);
  if (!reading) return reading.errors();
  return placed(MappingFile::load(path, *reading), workload, architecture);
}

Result<Mapping> parse_mapping(std::string_view text, const std::string& name, const Workload& workload,
                              const Architecture& architecture) {
  return placed(MappingFile::parse(text, name), workload, architecture);
}

Result<Mapping> create_mapping(const std::vector<MappingLevel>& levels, const Workload& workload,
                               const Architecture& architecture) {
  std::string text = levels.empty() ? "mapping: []\n" : "mapping:\n";
  for (const MappingLevel& level : levels) text += level_text(level);
  Result<Mapping> made = parse_mapping(text, "", workload, architecture);
  if (made) return made;
  Diagnostics errors = made.errors();
  for (Diagnostic& error : errors) error.line = 0;  // of a text that nobody sees
  return errors;
}

// The cost model as users of the library see it (heliolite/evaluate.h).

namespace {

TensorCost tensor_cost(const LevelBreakdown& level, std::size_t v, const std::string& name) {
  const TensorTraffic& traffic = level.tensor[v];
  const NetworkTraffic& network = level.network[v];
  return {.tensor = name,
          .counted = traffic.counted(),
          .tile_words = traffic.tile_words,
          .instances = traffic.instances,
          .reads = traffic.reads,
          .fills = traffic.fills,
          .updates = traffic.updates,
          .all_reads = traffic.all.reads,
          .all_fills = traffic.all.fills,
          .all_updates = traffic.all.updates,
          .access_pj = traffic.energy.picojoules(),
          .address_pj = traffic.address_generation_energy.picojoules(),
          .network_pj = network.energy.picojoules(),
          .network_words = network.ingresses,
          .hops = network.hops,
          .link_words = network.peer_words};
}

LevelCost level_cost(const LevelBreakdown& level, const heliolite::Workload& workload) {
  LevelCost out{.level = level.name,
                .cycles = level.cycles,
                .capacity_words = {},
                .used_words = level.used_words,
                .energy_pj = level.energy().picojoules(),
                .leakage_pj = level.leakage.picojoules(),
                .tensors = {}};
  if (level.capacity_words > 0) out.capacity_words = level.capacity_words;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    out.tensors.push_back(tensor_cost(level, v, workload.tensors[v].name));
  return out;
}

CostBreakdown public_breakdown(const Breakdown& all, const heliolite::Workload& workload) {
  const ComputeBreakdown& compute = all.compute;
  CostBreakdown out{.energy_pj = all.energy.picojoules(),
                    .cycles = all.cycles,
                    .utilization = all.utilization,
                    .levels = {},
                    .compute = {.name = compute.name,
                                .macs = compute.computes,
                                .used = compute.utilized,
                                .instances = compute.instances,
                                .cycles = compute.cycles,
                                .energy_pj = compute.energy.picojoules()}};
  if (all.ramps) out.fill_cycles = all.ramps->fill, out.drain_cycles = all.ramps->drain;
  for (const LevelBreakdown& level : all.level) out.levels.push_back(level_cost(level, workload));
  return out;
}

// How a mapping is counted. Its indices mean something with the pair that it was made for alone.
Result<Counts> asked(const std::string& counts, const CostModelState& state, const Mapping& mapping) {
  const heliolite::CostModel& model = state.model;
  const heliolite::Workload& workload = Inside::of(mapping.workload());
  const heliolite::Architecture& machine = Inside::of(mapping.architecture());
  const bool same_pair = (&workload == &Inside::of(state.workload) && &machine == &Inside::of(state.architecture)) ||
                         (fingerprint(workload) == fingerprint(model.workload()) &&
                          fingerprint(machine) == fingerprint(model.architecture()));
  if (!same_pair)
    return Diagnostic{"", 0, "mapping",
                      fmt::format("is one of {} on {}, must be one of {} on {}, which the model prices", workload.name,
                                  machine.name, model.workload().name, model.architecture().name)};
  return counts_named(counts, model, Inside::of(mapping));
}

}  // namespace

CostModel::CostModel(const Workload& workload, const Architecture& architecture)
    : state_(std::make_shared<CostModelState>(CostModelState{
          workload, architecture, heliolite::CostModel(Inside::of(workload), Inside::of(architecture))})) {}

const Workload& CostModel::workload() const { return state_->workload; }
const Architecture& CostModel::architecture() const { return state_->architecture; }

Result<Cost> CostModel::evaluate(const Mapping& mapping, const std::string& counts) const {
  const Result<Counts> how = asked(counts, *state_, mapping);
  if (!how) return how.errors();
  const Result<heliolite::Cost> cost = cost_or_reasons(state_->model, Inside::of(mapping), *how);
  if (!cost) return cost.errors();
  return public_cost(*cost);
}

Result<CostBreakdown> CostModel::explain(const Mapping& mapping, const std::string& counts) const {
  const Result<Counts> how = asked(counts, *state_, mapping);
  if (!how) return how.errors();
  return public_breakdown(state_->model.explain(Inside::of(mapping), *how), state_->model.workload());
}

// Mapspaces as users of the library see them (heliolite/space.h).

namespace {

MapspaceOptions lifted(const SpaceOptions& options) { return {.free = options.free, .open = options.open}; }

std::optional<std::string> digits(const std::optional<BigCount>& count) {
  return count ? std::optional(count->str()) : std::nullopt;
}

}  // namespace

Result<SpaceSize> space_size(const Workload& workload, const Architecture& architecture, const SpaceOptions& options) {
  const Result<Mapspace> space = resolve(Inside::of(workload), Inside::of(architecture), lifted(options));
  if (!space) return space.errors();
  const MapspaceSize size = mapspace_size(*space, {.unit_loops = options.unit_loops});
  SpaceSize out{.mappings = size.mappings.str(),
                .tilings = size.tilings.str(),
                .tilings_exact = size.tilings_exact,
                .nests = digits(size.nests),
                .dimensions = {},
                .levels = {}};
  for (std::size_t d = 0; d < size.splits.size(); ++d)
    out.dimensions.push_back({space->dimension_names[d], size.splits[d].str()});
  for (std::size_t i = 0; i < size.orders.size(); ++i)
    out.levels.push_back(
        {space->level_names[i], digits(size.unrollings[i]), size.orders[i].str(), size.keeps[i].str()});
  return out;
}

LoopOrders loop_orders(const Workload& workload) {
  const heliolite::Workload& of = Inside::of(workload);
  const OrderTrie trie = build_order_trie(infer_reuse(of));
  LoopOrders out{.orders = {}, .visited = trie.visited};
  for (const LoopOrder& order : trie.kept) {
    std::vector<std::string>& names = out.orders.emplace_back();
    for (const u8 dimension : order.loops()) names.push_back(of.dimensions[dimension].name);
  }
  return out;
}

Diagnostics outside_space(const Mapping& mapping, const SpaceOptions& options) {
  const Result<Mapspace> space =
      resolve(Inside::of(mapping.workload()), Inside::of(mapping.architecture()), lifted(options));
  return space ? violations(*space, Inside::of(mapping)) : space.errors();
}

}  // namespace heliolite::api
