#include "cli/execute/executed_nest.h"

#include <fmt/format.h>
#include <algorithm>

#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "cli/ui/units.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/execution/simulate.h"
#include "engine/execution/tiled_nest.h"
#include "engine/model/cost_model.h"
#include "engine/model/true_counts/cost.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

// "M31 N31 K1; loops M N K": the tiles and the loops of a nest, outermost first.
std::string executed_text(const LoopNest& nest) {
  std::vector<std::string> parts;
  for (const LoopNestPart& part : nest.parts) {
    std::vector<std::string> loops;
    for (const BoxLoop& l : part.loops) {
      const std::string& name = nest.variables[l.variable].name;
      loops.push_back(l.step == 1 ? name : fmt::format("{}:{}", name, l.step));
    }
    parts.push_back(loops.empty() ? "one iteration" : fmt::format("{}", fmt::join(loops, " ")));
  }
  return fmt::format("{}", fmt::join(parts, "; then "));
}

// One nest for each cache with the best tiles known for it.
Result<std::vector<ExecutedNest>> best_nests(const NestQuestion& q) {
  std::vector<ExecutedNest> nests;
  for (const u64 words : q.caches) {
    const auto tiling = best_parts(q.workload, static_cast<double>(words), q.rule);
    if (!tiling)
      return Diagnostic{"", 0, "--cache", fmt::format("{} words do not hold the operands of one iteration", words)};
    nests.push_back(
        {tiled_nest(q.workload, *tiling), {}, {{words, 1, tiling->words(), tiling->footprint(), tiling->footprint()}}});
  }
  return nests;
}

// One nest for each cache with tiles that LRU replacement keeps.
Result<std::vector<ExecutedNest>> lru_nests(const NestQuestion& q) {
  std::vector<ExecutedNest> nests;
  const TilingProblem problem = tiling_problem(q.workload, q.rule);
  for (const u64 words : q.caches) {
    const auto tile = best_lru_tile(q.workload, words, q.rule);
    if (!tile)
      return Diagnostic{"", 0, "--tiling",
                        fmt::format("no tiles were found that an lru cache of {} words keeps (or measuring that would "
                                    "take too long)",
                                    words)};
    const std::array tiles{*tile};
    nests.push_back(
        {tiled_nest(q.workload, problem, tiles), {}, {{words, 1, tile->words, tile->footprint, tile->footprint}}});
  }
  return nests;
}

void add_caches(ExecutedNest& executed, const std::vector<u64>& caches, const CacheTiling& tiling) {
  for (std::size_t i = 0; i < caches.size(); ++i) {
    // One tile may be looked at in several caches, and tiles in fewer caches than there are: then the last is meant.
    const std::size_t tile = std::min(i, tiling.size() - 1);
    const double boxes = tiling[tile].footprint;
    executed.caches.push_back({caches[i], static_cast<u8>(tile + 1), std::nullopt, boxes, boxes});
    if (executed.caches.back().fits()) executed.caches.back().model = tiling[tile].words;
  }
}

Result<std::vector<ExecutedNest>> together(const NestQuestion& q) {
  const TilingProblem problem = tiling_problem(q.workload, q.rule);
  std::vector<CacheLevel> levels;
  for (const u64 words : q.caches) levels.push_back({static_cast<double>(words), 1});
  const auto tiling = best_tiling(problem, levels);
  if (!tiling)
    return Diagnostic{"", 0, "--cache",
                      fmt::format("{} words do not hold the operands of one iteration", q.caches.front())};
  ExecutedNest executed{tiled_nest(q.workload, problem, *tiling), {}, {}};
  add_caches(executed, q.caches, *tiling);
  return std::vector{std::move(executed)};
}

Result<std::vector<ExecutedNest>> named(const NestQuestion& q, const Result<NamedTiling>& tiling) {
  if (!tiling) return tiling.errors();
  ExecutedNest executed{tiled_nest(q.workload, *tiling), {}, {}};
  if (tiling->tiles.empty()) {
    double boxes = 0;
    for (const NestAccess& access : executed.nest.accesses)
      boxes += static_cast<double>(executed.nest.arrays[access.array].words);
    for (const u64 words : q.caches) executed.caches.push_back({words, 1, std::nullopt, std::nullopt, boxes});
  } else {
    add_caches(executed, q.caches, priced(q.workload, *tiling, q.rule));
  }
  return std::vector{std::move(executed)};
}

Result<std::vector<ExecutedNest>> nests_of(const NestArguments& arguments, const NestQuestion& q) {
  if (!arguments.tile.empty())
    return named(q, parse_named_tiling(arguments.tile, arguments.loops, arguments.points, q.workload));
  if (arguments.tiling == "best") return best_nests(q);
  if (arguments.tiling == "lru") return lru_nests(q);
  if (arguments.tiling == "together") return together(q);
  if (arguments.tiling == "none") return named(q, NamedTiling{});
  return named(q, load_named_tiling(arguments.tiling, q.workload));
}

// Bytes in a word if tensors state sizes. Errors: these differ, as caches hold words of one size; --word-size is
// given too.
Result<std::optional<double>> stated_word_bytes(const Workload& workload, const NestArguments& arguments) {
  if (!states_word_bits(workload)) return std::optional<double>();
  const std::optional<WordLength> bits = workload.tensors.front().word_bits;
  if (std::ranges::any_of(workload.tensors, [&](const Tensor& t) { return !t.word_bits || t.word_bits != bits; }))
    return refuse_word_bits(workload, "a cache of words of one size");
  if (!arguments.word_sizes.empty()) return second_word_size(workload);
  return std::optional(static_cast<double>(*bits) / 8);
}

}  // namespace

void add_nest_options(const Command& command, NestArguments& arguments) {
  add_workload_option(*command, arguments.workload, "Workload: preset, file or text like gemm:124x124x124")->required();
  command.value("-l,--layer", arguments.layer, "LAYER", "Layer, when the workload has several");
  command
      .value("--cache,--buffer", arguments.cache_texts, "SIZE",
             "Capacities: words, or bytes with a unit (64KiB); several are separated by commas")
      ->delimiter(',');
  command.value("--word-size", arguments.word_sizes, "N", "Bytes in a word, for units of --cache; 1 unless given");
  CLI::Option* tiling =
      command
          .value("--tiling", arguments.tiling, "TILING",
                 "Tiles: best, the best known for each cache; lru, the best that such a cache keeps; together, for "
                 "all caches in one nest; none; or a file")
          ->check(offered({"best", "lru", "together", "none"}))
          ->capture_default_str();
  CLI::Option* tile =
      command.value("--tile", arguments.tile, "EXTENTS", "Instead: this tile, as M=31,N=31; else dimensions are whole")
          ->excludes(tiling);
  command
      .value("--loops", arguments.loops, "DIMENSIONS", "The loops over the tile of --tile, outermost first, as M,N,K")
      ->needs(tile);
  command.value("--points", arguments.points, "DIMENSIONS", "The loops inside the tile of --tile, outermost first")
      ->needs(tile);
  CLI::Option* machine =
      command.value("-a,--architecture", arguments.architecture, "A", "Machine of -m: preset or file");
  command.value("-m,--mapping", arguments.mapping, "FILE", "Instead of tiles: a mapping, executed level by level")
      ->needs(machine)
      ->excludes(tiling)
      ->excludes(tile);
  command->add_flag("--loads", arguments.loads, "Count loads only, stores are free");
  command->add_flag("--outputs-read", arguments.outputs_read, "Outputs start as words to be read, not as zeros");
  add_read_options(*command, arguments.reading);
}

Result<std::vector<u64>> read_caches(const NestArguments& arguments, bool needed, std::optional<double> word_bytes) {
  const Result<WordSizes> sizes = read_word_sizes(arguments.word_sizes);
  if (!sizes) return sizes.errors();
  if (!sizes->of_tensor.empty())
    return Diagnostic{"", 0, "--word-size", "words of all tensors have one size where tilings are executed"};
  Result<std::vector<u64>> caches = read_buffers(arguments.cache_texts, word_bytes.value_or(sizes->every.value_or(1)));
  if (!caches) return caches.errors();
  std::ranges::sort(*caches);
  caches->erase(std::unique(caches->begin(), caches->end()), caches->end());
  if (caches->empty() && needed)
    return Diagnostic{"", 0, "--cache", "is required: the capacities in words, as 1024,8192"};
  return caches;
}

Result<NestQuestion> read_question(const NestArguments& arguments, bool caches_needed, const Output& output) {
  const Result<Network> network = load_workload(arguments.workload, arguments.reading, output);
  if (!network) return network.errors();
  const Result<Workload> workload = pick_layer(*network, arguments.layer);
  if (!workload) return workload.errors();
  const Result<std::optional<double>> stated = stated_word_bytes(*workload, arguments);
  if (!stated) return stated.errors();
  const Result<std::vector<u64>> caches = read_caches(arguments, false, *stated);
  if (!caches) return caches.errors();
  const bool tiles = arguments.tile.empty() &&
                     (arguments.tiling == "best" || arguments.tiling == "lru" || arguments.tiling == "together");
  if (caches->empty() && (caches_needed || tiles))
    return Diagnostic{"", 0, "--cache", "is required: the capacities in words, as 1024,8192"};
  return NestQuestion{*workload, *caches, {!arguments.loads, arguments.outputs_read}};
}

Result<std::vector<ExecutedNest>> executed_nests(const NestArguments& arguments, const NestQuestion& question) {
  Result<std::vector<ExecutedNest>> nests = nests_of(arguments, question);
  if (!nests) return nests.errors();
  for (ExecutedNest& executed : *nests) executed.text = executed_text(executed.nest);
  return nests;
}

namespace {

// Whether tiles of the tensor neither overlap nor have holes: of what stays of the others the model has Timeloop's
// rules, and of what a stride skips it counts every word.
bool model_is_exact(const Compiled& compiled, int v) {
  const CompiledTensor& tensor = compiled.tensor[v];
  return tensor.plain_count == tensor.rank_count && !tensor.entangled;
}

}  // namespace

int run_mapping(const NestArguments& arguments, const Output& output) {
  ReadOptions reading = arguments.reading;
  reading.peer_channel = false;  // every word comes from the level outside
  const Result<MappedLayer> layer =
      load_mapped_layer({arguments.architecture, arguments.workload, arguments.layer, arguments.mapping}, reading);
  if (!layer) return fail(layer.errors());
  output.report_notes(layer->notes);
  if (!arguments.cache_texts.empty()) return fail("--cache: a machine has capacities of its own; leave out -a and -m");
  if (const Diagnostics errors = check_execution(layer->workload, layer->mapping); !errors.empty()) return fail(errors);
  const auto executed =
      until_interrupted([l = *layer] { return execute_mapping(l.workload, l.architecture, l.mapping); });
  if (!executed) return kInterrupted;
  const CostModel model(layer->workload, layer->architecture);
  const bool counted = layer->mapping.is_perfect() || has_true_counts(model.compiled());
  const Breakdown breakdown = model.explain(layer->mapping, counted ? Counts::True : Counts::Timeloop);
  Table table({"<level", "<tensor", "instances", "fills, model", "fills, executed", "drains, executed", "<model"});
  Json levels = Json::array();
  for (const ExecutedTensor& t : *executed) {
    const TensorTraffic& traffic = breakdown.level[t.level].tensor[t.tensor];
    const std::string& name = layer->workload.tensors[t.tensor].name;
    const bool exact = counted && model_is_exact(model.compiled(), t.tensor);
    const std::string claim = !counted ? "Timeloop's averages" : exact ? "exact" : "tiles overlap or have holes";
    const bool output_tensor = layer->workload.tensors[t.tensor].is_output();
    table.row({breakdown.level[t.level].name, name, grouped(traffic.instances), grouped(traffic.all.fills),
               grouped(t.fills), output_tensor ? grouped(t.drains) : "", claim});
    levels.push_back({{"level", breakdown.level[t.level].name},
                      {"tensor", name},
                      {"instances", traffic.instances},
                      {"model_fills", traffic.all.fills},
                      {"fills", t.fills},
                      {"drains", t.drains},
                      {"model_is_exact", exact}});
  }
  output.table(fmt::format("{} on {}: {} iterations; words into and out of all instances of a level\n\n{}",
                           layer->workload.name, layer->architecture.name, grouped(layer->workload.macs()),
                           table.to_string()));
  Json answer = answer_head("simulate");
  answer["question"] = {{"workload", question(layer->workload)}, {"architecture", question(layer->architecture)}};
  answer["levels"] = std::move(levels);
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace heliolite::cli
