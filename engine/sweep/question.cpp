#include "engine/sweep/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/model/fingerprint.h"
#include "engine/sweep/families.h"
#include "engine/sweep/sweep_yaml.h"
#include "engine/sweep/totals.h"

namespace heliolite {
namespace {

using SortedJson = nlohmann::json;

std::string options_text(const SearchOptions& options) {
  // "imperfect=false": databases from when that was an option ask the same question.
  std::string text = fmt::format("{} {} free={} imperfect=false budget={} evaluations={} seed={} victory={}",
                                 name(asked_objective(options)), name(options.strategy), options.free,
                                 options.budget_seconds.value_or(0), options.budget_evaluations.value_or(0),
                                 options.seed, options.sampling.victory);
  // Only where they are not the usual ones: databases from before they could be chosen ask the same.
  if (options.open) text += " open=true";
  if (options.memory_bytes != SearchOptions{}.memory_bytes) text += fmt::format(" memory={}", options.memory_bytes);
  if (options.tiles != Tiles::Even) text += fmt::format(" tiles={}", name(options.tiles));
  if (options.factors != Factors::Perfect) text += fmt::format(" factors={}", name(options.factors));
  if (options.sampling.timeout) text += fmt::format(" timeout={}", *options.sampling.timeout);
  const LeastUseOptions& least = options.directed;
  if (least.units) text += fmt::format(" least-units={}", *least.units);
  if (least.inner) text += fmt::format(" least-inner={}", *least.inner);
  if (least.outer) text += fmt::format(" least-outer={}", *least.outer);
  for (const RuleInfo& rule : kRuleTable)
    if (!options.rules[rule.rule]) text += fmt::format(" without={}", rule.name);
  return text;
}

// What a value makes of the machine. Settings of different parameters do not overlap, so the machines that differ from
// the first in one parameter tell of all.
std::string machine_text(const DesignPoints& points, u64 id) {
  const Result<Architecture> machine = points.machine(id);
  return machine ? to_hex(fingerprint(*machine)) : machine.errors().front().message;
}

// Nothing without them.
std::string mean_and_limits(const SweepSpec& spec) {
  std::string text;
  if (spec.mean != SweepMean::Total) text += fmt::format("mean {}\n", name(spec.mean));
  const auto add = [&](const char* what, const std::optional<double>& limit) {
    if (limit) text += fmt::format("limit {} {}\n", what, *limit);
  };
  add("energy", spec.limits.energy_pj), add("delay", spec.limits.delay), add("power", spec.limits.power);
  if (spec.limits.any() && spec.seconds) text += "limits in seconds\n";
  return text;
}

}  // namespace

std::string layer_question(const Workload& workload, const Architecture& machine, const SearchOptions& options) {
  Architecture priced = machine;
  if (info(options.objective).area_power == 0) {
    for (StorageLevel& level : priced.levels) level.area_um2 = 0;
    priced.compute.area_um2 = priced.beside_um2 = 0;
  }
  return fmt::format("{}-{}-{}", to_hex(fingerprint(workload)), to_hex(fingerprint(priced)),
                     to_hex(fingerprint(options_text(options))));
}

std::string network_question(const SweepSpec& spec, const Architecture& machine) {
  // The clock counts for the bound that is kept with the point.
  std::string text = fmt::format("cycle_ns={}\n", machine.cycle_ns.value_or(0)) + mean_and_limits(spec);
  for (const SweepLayer& layer : spec.layers)
    text += fmt::format("{} {} {}\n", layer_question(layer.layer.workload, machine, spec.options), layer.layer.count,
                        layer.weight);
  if (spec.mean != SweepMean::Total)
    for (const SweepLayer& layer : spec.layers) text += layer.workload + "\n";
  return to_hex(fingerprint(text));
}

std::string sweep_question(const SweepSpec& spec) {
  const DesignPoints points(spec);
  std::string text = fmt::format("{} {} sample={} pilots={}\n", options_text(spec.options), name(spec.goal),
                                 spec.sample.value_or(0), pilot_count(spec, points));
  // Nothing where it is as in the databases from before it could be chosen.
  const Ranking ranking = ranking_of(spec);
  if (ranking.rank == SweepRank::Totals && ranks_differ(ranking)) text += "rank totals\n";
  if (ranking.seconds) text += "delay in seconds\n";
  if (!ranking.area) text += "front of energy and delay\n";
  text += mean_and_limits(spec);
  if (spec.goal == SweepGoal::Explore)
    text += fmt::format("explore for={} first={} batch={}\n", name(spec.explore.aim), spec.explore.first.value_or(0),
                        spec.explore.batch);
  if (!spec.evaluator.command.empty()) text += fmt::format("evaluator {}\n", spec.evaluator.command);
  for (const SweepLayer& layer : spec.layers)
    text += fmt::format("layer {} {} {} {} {}\n", layer.workload, layer.layer.workload.name, layer.weight,
                        layer.layer.count, to_hex(fingerprint(layer.layer.workload)));
  for (std::size_t p = 0; p < spec.parameters.size(); ++p) {
    text += fmt::format("parameter {}\n", spec.parameters[p].name);
    for (std::size_t k = 0; k < spec.parameters[p].values.size(); ++k)
      text += fmt::format("value {} {}\n", spec.parameters[p].values[k].text,
                          machine_text(points, points.off_origin(p, k)));
  }
  for (const SweepConstraint& constraint : spec.constraints) text += fmt::format("constraint {}\n", constraint.text);
  return to_hex(fingerprint(text));
}

std::string reading_text(const ReadOptions& options) {
  SortedJson renames = SortedJson::array(), bits = SortedJson::array();
  for (const Rename& rename : options.renames) renames.push_back({rename.from, rename.to});
  for (const TensorBits& size : options.word_bits.given) bits.push_back({size.tensors, size.bits});
  const SortedJson json = {
      {"defines", options.defines},
      {"ignore_sparse", options.ignore_sparse},
      {"renames", renames},
      {kPeerChannel.field, options.peer_channel ? SortedJson(*options.peer_channel) : SortedJson()},
      {"word_bits_source", at(options.word_bits.source)},
      {"word_bits", bits},
      {"models", options.models}};
  return json.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
}

ReadOptions parse_reading(const std::string& text) {
  ReadOptions out;
  const SortedJson json = SortedJson::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto part = [&](const char* key) { return json.is_object() && json.contains(key) ? json[key] : SortedJson(); };
  const auto is_pair = [](const SortedJson& pair) {
    return pair.is_array() && pair.size() == 2 && pair[0].is_string();
  };
  if (const SortedJson defines = part("defines"); defines.is_object())
    for (const auto& [name, value] : defines.items())
      if (value.is_string()) out.defines[name] = value.get<std::string>();
  out.ignore_sparse = part("ignore_sparse") == true;
  for (const SortedJson& rename : part("renames"))
    if (is_pair(rename) && rename[1].is_string())
      out.renames.push_back({rename[0].get<std::string>(), rename[1].get<std::string>()});
  if (const SortedJson on = part(kPeerChannel.field); on.is_boolean()) out.peer_channel = on.get<bool>();
  if (const SortedJson source = part("word_bits_source");
      source.is_number_unsigned() && source <= at(WordBitsSource::Given))
    out.word_bits.source = static_cast<WordBitsSource>(source.get<u8>());
  for (const SortedJson& size : part("word_bits"))
    if (const auto bits = is_pair(size) ? parse_word_length(size[1].dump()) : std::nullopt)
      out.word_bits.given.push_back({size[0].get<std::string>(), *bits});
  for (const SortedJson& option : part("models"))
    if (option.is_string()) out.models.push_back(option.get<std::string>());
  return out;
}

Result<SweepSpec> asked_sweep(const SweepRecord& sweep, const std::string& database) {
  const auto in = [&](const std::filesystem::path& folder) {
    return parse_sweep(sweep.text, (folder / "sweep.yaml").string(), {.reading = parse_reading(sweep.reading)});
  };
  Result<SweepSpec> beside = in(std::filesystem::path(database).parent_path());
  return beside ? std::move(beside) : in({});
}

SweepRecord sweep_record(const SweepSpec& spec, const Shard& shard, const std::string& version) {
  const DesignPoints points(spec);
  SweepRecord record;
  record.name = spec.name;
  record.question = sweep_question(spec);
  record.text = spec.text;
  record.version = version;
  record.objective = name(asked_objective(spec.options));
  record.strategy = name(spec.options.strategy);
  record.goal = name(spec.goal);
  record.rank = name(spec.rank);
  record.delay_unit = delay_unit(ranking_of(spec));
  record.grid_points = points.grid();
  record.planned_points = points.planned();
  const u64 size = spec.goal == SweepGoal::Best ? points.family_size() : 1;
  record.shard_points = shard.only ? shard.only->size() * size : (points.planned() + shard.count - 1) / shard.count;
  if (spec.goal == SweepGoal::Explore) record.shard_points = std::min(spec.explore.points, points.planned());
  record.shard = shard.index;
  record.shards = shard.count;
  for (const SweepParameter& parameter : spec.parameters) record.parameters.push_back(parameter.name);
  record.reading = reading_text(spec.reading);
  for (const Diagnostic& warning : spec.warnings) record.notes.push_back(warning.to_string());
  if (std::string alone = layers_alone_note(spec); !alone.empty()) record.notes.push_back(std::move(alone));
  return record;
}

}  // namespace heliolite
