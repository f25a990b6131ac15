// heliolite map: the best mapping of every layer of a network.
#include "engine/search/map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/map/answer_texts.h"
#include "cli/map/map_answer.h"
#include "cli/map/map_proof.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/timeloop/mapping.h"
#include "engine/model/running_units.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/core/rules.h"
#include "engine/search/layer_search.h"

namespace heliolite::cli {
namespace {

struct MapArguments {
  std::string architecture, workload, layer, witness, from, learn, dump, csv, timeloop, schedule, roofline,
      softmax{"whole"}, front;
  bool network = false, no_look = false, fuse = false;
  ReadOptions reading;
  SearchArguments search;
  ProofArguments proof;
};

SearchOptions search_options(const MapArguments& arguments) {
  SearchOptions options;
  arguments.search.apply(options);
  options.network |= arguments.network;
  options.probe_other_tiles = !arguments.no_look;
  options.stop = &interrupt_flag();
  return options;
}

Json answer_json(const SearchOptions& options, const MapAnswer& answer, const std::vector<std::string>& notes) {
  Json json = answer_head("map");
  const Network& network = answer.network;
  json["question"] = {{"architecture", question(answer.architecture)},
                      {"workload", {{"name", network.name}, {"layers", network.layers.size()}}},
                      {"options", options_json(options)},
                      {"network", options.network}};
  json["notes"] = notes;
  add_map_answer(json, answer, minimised(options), interrupt_flag());
  return json;
}

// Says for each layer without a mapping what stands in its way.
void explain_infeasible(const NetworkResult& result, const std::string& machine) {
  for (const LayerResult& layer : result.layers) {
    if (layer.result.status != Status::Infeasible) continue;
    fail("no mapping of " + layer.name + " was found");
    fail(at_their_levels(layer.result.why_infeasible, machine));
  }
}

// "conv1: best 3.05e+12, gap 4.1 %": how far it may be above the least possible value.
std::string best_so_far(const SearchProgress& news) {
  if (news.value == 0) return "";
  const std::string best = fmt::format("{}: best {}", news.layer, scientific(news.value));
  if (news.lower_bound == 0) return best;
  return fmt::format("{}, gap {}", best, percent(std::max(0.0, news.value / news.lower_bound - 1)));
}

Result<NetworkResult> search(const Network& network, const Architecture& architecture, SearchOptions options,
                             const Output& output) {
  Progress progress(output, "layers", network.layers.size(),
                    {"Ctrl-C ends the search with the best found so far; --budget SECONDS does so for each layer"});
  options.progress = [&](const SearchProgress& news) { progress.update(news.layers_done, best_so_far(news)); };
  return map_network(network, architecture, options);
}

// Loads what --from names, and makes room for what --learn writes: it has all of --from, and what is learned now.
Diagnostics read_learned(const MapArguments& arguments, SearchOptions& options) {
  if (!arguments.learn.empty()) options.bayes.learn = std::make_shared<LearnedTasks>();
  return load_learned(arguments.from, options);
}

bool write_learned(const SearchOptions& options, const Output& output) {
  if (!options.bayes.learn) return true;
  std::vector<LearnedTask> tasks = options.bayes.from ? *options.bayes.from : std::vector<LearnedTask>{};
  for (LearnedTask& task : options.bayes.learn->take()) tasks.push_back(std::move(task));
  return output.write("--learn", learned_text(tasks));
}

// Loads the mapping that --witness names, if it does, into the options; its layer is then for the mapping's unit.
Diagnostics read_witness(const MapArguments& arguments, Network& network, const Architecture& architecture,
                         SearchOptions& options) {
  if (arguments.witness.empty()) return {};
  const Result<Workload> layer = pick_layer(network, arguments.layer);
  if (!layer) return layer.errors();
  const Result<MappingFile> file = MappingFile::load(arguments.witness, arguments.reading);
  if (!file) return file.errors();
  const Result<UnitMapping> witness = file->read_on_unit(*layer, architecture);
  if (!witness) return witness.errors();
  for (Layer& l : network.layers)
    if (l.workload.name == layer->name && !architecture.units.empty())
      l.workload.unit = architecture.chain(witness->unit).compute.name;
  options.witness = witness->mapping;
  return {};
}

// Prints what became of the witness, if there was one. Whether the program is right as far as that shows.
bool report_witness(const MapAnswer& answer, Objective objective, const Output& output) {
  const MappingResult& result = answer.result.layers.front().result;
  if (!result.witness) return true;
  output.table(witness_text(*result.witness, objective, result.value, answer.chain(0)));
  const Diagnostics errors = witness_errors(*result.witness);
  fail(errors);
  return errors.empty();
}

// The mixed-integer program of the only layer, as text.
Result<std::string> cosa_program(const Network& network, const Architecture& architecture,
                                 const SearchOptions& options) {
  const auto complaint = [](std::string what) { return Diagnostic{"", 0, "dump", std::move(what)}; };
  if (options.strategy != Strategy::Cosa)
    return complaint(fmt::format("is of strategy cosa, this is {}", name(options.strategy)));
  if (network.layers.size() != 1)
    return complaint(fmt::format("{} has {} layers, name one with --layer", network.name, network.layers.size()));
  const Workload& workload = network.layers.front().workload;
  const Result<std::size_t> unit = unit_that_runs(workload, architecture);
  if (!unit) return unit.errors();
  const auto search = LayerSearch::create(workload, architecture.chain(*unit), options);
  if (!search) return search.errors();
  return search->cosa_program();
}

// The mapping of the only layer in Timeloop's format, for the machine as it was given.
bool write_timeloop(const MapAnswer& answer, const Output& output) {
  const MappingResult& result = answer.result.layers.front().result;
  if (result.status == Status::Infeasible) return true;
  const Result<std::string> text = write_timeloop_mapping(result.mapping, answer.network.layers.front().workload,
                                                          answer.chain(0), version_of(answer.architecture));
  if (text) return output.write("--timeloop", *text);
  fail(text.errors());
  return false;
}

// What is asked of one layer, or of layers one by one, means nothing where they are fused, and the other way round.
Diagnostics fuse_complaints(const MapArguments& arguments) {
  Diagnostics errors;
  const auto refuse = [&](const char* field, const std::string& value, const char* why) {
    if (!value.empty()) errors.push_back({"", 0, field, fmt::format("'{}': {}", value, why)});
  };
  constexpr const char* kOneLayer = "is of one layer, --fuse is about the network: must be left out";
  constexpr const char* kFused = "is of networks whose layers may be fused: must come with --fuse";
  if (!arguments.fuse) {
    refuse("--schedule", arguments.schedule, kFused);
    if (arguments.softmax != "whole") refuse("--softmax", arguments.softmax, kFused);
    return errors;
  }
  refuse("--layer", arguments.layer, kOneLayer);
  refuse("--witness", arguments.witness, kOneLayer);
  refuse("--from", arguments.from, kOneLayer);
  refuse("--learn", arguments.learn, kOneLayer);
  refuse("--dump", arguments.dump, kOneLayer);
  refuse("--timeloop", arguments.timeloop, kOneLayer);
  refuse("--proof", arguments.proof.target, kOneLayer);
  refuse("--roofline", arguments.roofline, "is of layers mapped by themselves: must be left out with --fuse");
  refuse("--csv", arguments.csv, "has a row for each layer mapped by itself: must be left out with --fuse");
  refuse("--front", arguments.front, "is of layers mapped by themselves: must be left out with --fuse");
  return errors;
}

// What is asked of one mapping means nothing where the answer is a curve of many.
Diagnostics front_complaints(const MapArguments& arguments) {
  Diagnostics errors;
  if (arguments.front.empty()) return errors;
  const auto refuse = [&](const char* field, const std::string& value) {
    if (!value.empty())
      errors.push_back({"", 0, field, fmt::format("'{}': is of one mapping, must be left out with --front", value)});
  };
  refuse("--witness", arguments.witness);
  refuse("--from", arguments.from);
  refuse("--learn", arguments.learn);
  refuse("--dump", arguments.dump);
  refuse("--timeloop", arguments.timeloop);
  refuse("--roofline", arguments.roofline);
  if (arguments.search.given("objective"))
    errors.push_back({"", 0, "--objective", "the front has two: must be left out with --front"});
  return errors;
}

// What searches do without on machines that count ramps (docs/rules/ramps.md).
void note_ramps(const Architecture& architecture, std::vector<std::string>& notes) {
  if (!architecture.ramps) return;
  std::vector<std::string_view> off;
  for (const RuleInfo& rule : kRuleTable)
    if ((rule.notes & kNotWithRamps) != 0) off.push_back(rule.name);
  notes.push_back(fmt::format("{} counts ramps (latency: ramps): where cycles matter the rules {} are off",
                              architecture.name, fmt::join(off, ", ")));
}

int run(const MapArguments& arguments, const Output& output) {
  SearchOptions options = search_options(arguments);
  if (const Diagnostics errors = fuse_complaints(arguments); !errors.empty()) return fail(errors);
  if (const Diagnostics errors = front_complaints(arguments); !errors.empty()) return fail(errors);
  if (arguments.fuse)
    return run_fused(
        {arguments.architecture, arguments.workload, arguments.softmax == "incremental", arguments.reading}, options,
        output);
  Result<Inputs> inputs = load_inputs(arguments.architecture, arguments.workload, arguments.reading,
                                      {.free = options.free, .open = options.open});
  const bool external = !options.evaluator.command.empty();
  if (external && arguments.search.given("objective"))
    return fail({{"", 0, "objective", "means nothing with an evaluator, whose value is minimised"}});
  if (!inputs) return fail(inputs.errors());
  std::vector<std::string> notes = inputs->notes();
  note_ramps(inputs->architecture, notes);
  output.report_notes(notes);
  Architecture& architecture = inputs->architecture;
  Network& network = inputs->network;
  if (!arguments.layer.empty()) {
    const Result<Workload> layer = pick_layer(network, arguments.layer);
    if (!layer) return fail(layer.errors());
    std::erase_if(network.layers, [&](const Layer& l) { return l.workload.name != arguments.layer; });
  }
  if (!arguments.front.empty()) return run_front(*inputs, options, arguments.proof, std::move(notes), output);
  Diagnostics errors = read_learned(arguments, options);
  if (!errors.empty()) return fail(errors);
  errors = read_witness(arguments, network, architecture, options);
  if (!errors.empty()) return fail(errors);
  if (!arguments.dump.empty()) {
    const auto program = cosa_program(network, architecture, options);
    if (!program) return fail(at_their_levels(program.errors(), arguments.architecture));
    if (!output.write("--dump", *program)) return kBadInput;
  }
  if (!arguments.timeloop.empty() && network.layers.size() > 1)
    return fail("--timeloop writes one mapping: choose a layer with --layer, or convert the answer of --json");
  const bool of_network = options.network && !arguments.proof.target.empty();
  ProofTask task{architecture, options, arguments.proof, output};
  if (of_network ? !claim_network_proof(network, options.objective, task) : !claim_proofs(network, task))
    return kBadInput;
  Result<NetworkResult> result = search(network, architecture, options, output);
  if (!result) return fail(at_their_levels(result.errors(), arguments.architecture));
  LayerProofs proofs;
  std::optional<NetworkProofAnswer> network_proof;
  if (of_network) network_proof = write_optimum_proof(network, *result, task);
  else proofs = write_proofs(network, *result, task);
  MapAnswer answer = map_answer(std::move(network), std::move(architecture), *std::move(result), options);
  answer.proofs = std::move(proofs);
  answer.network_proof = std::move(network_proof);
  output.table(fmt::format("{} on {}, {}, strategy {}\n\n", answer.network.name, answer.architecture.name,
                           (external ? "" : "objective ") + minimised(options), name(options.strategy)) +
               map_text(answer));
  if (!arguments.roofline.empty()) output.table(roofline_table(answer));
  // The text says it next to the totals.
  if (std::string alone = layers_alone_note(answer.network, answer.architecture.levels.back().name); !alone.empty())
    notes.push_back(std::move(alone));
  const bool is_right = report_witness(answer, options.objective, output) && task.is_right;
  if (interrupt_flag()) output.note("heliolite: interrupted, this is the best found so far");
  explain_infeasible(answer.result, arguments.architecture);
  if (!output.json(answer_json(options, answer, notes)) || !write_learned(options, output)) return kBadInput;
  if (!arguments.timeloop.empty() && !write_timeloop(answer, output)) return kBadInput;
  if (!arguments.roofline.empty() && !output.write("--roofline", roofline_svg(answer))) return kBadInput;
  if (!arguments.csv.empty() &&
      !output.write("--csv", map_csv(answer, external ? "" : unit(info(options.objective), "cycles", " "))))
    return kBadInput;
  if (!is_right) return kBug;
  if (interrupt_flag()) return kInterrupted;
  return answer.result.all_feasible() ? kSuccess : kNegative;
}

}  // namespace

void add_map_command(CommandLine& line) {
  auto arguments = std::make_shared<MapArguments>();
  const Command command(line, "map", "Best mapping of every layer of a workload on a machine");
  command.value("-a,--architecture", arguments->architecture, "A", "Machine: preset or file")->required();
  add_workload_option(*command, arguments->workload, "Workload: preset, file or text like gemm:512x512x512")
      ->required();
  command.value("-l,--layer", arguments->layer, "LAYER", "Only this layer");
  arguments->search.add_to(
      *command,
      {"objective",        "strategy", "threads",     "free",    "open",    "without",     "tiles",
       "factors",          "budget",   "evaluations", "memory",  "seed",    "start",       "encoding",
       "transfer",         "victory",  "variant",     "weights", "timeout", "least-units", "least-inner",
       "least-outer",      "halo",     "warm-start",  "pad",     "batch",   "evaluator",   "evaluator-protocol",
       "evaluator-seconds"});
  command.value(
      "--witness", arguments->witness, "FILE",
      "A mapping of the layer (as for eval): say which rules of strategy exact remove it, and by which bounds");
  command->add_flag("--network", arguments->network,
                    "Choose the layers' mappings so that the objective of the network's energy and cycles is least");
  command
      .value("--front", arguments->front, "OF",
             "The curve of all trade-offs instead of one optimum: energy,delay, of each layer and of the network")
      ->transform(one_of({kEnergyAndDelay}));
  command->add_flag("--fuse", arguments->fuse,
                    "Fuse layers where that is best for the network: what one makes for the next stays in the machine");
  command->add_option("--softmax", arguments->softmax, "With --fuse: whole rows at a time, or incremental")
      ->check(CLI::IsMember({"whole", "incremental"}))
      ->capture_default_str();
  command.target("--schedule", arguments->schedule,
                 "With --fuse: write the schedule, for eval -m and explain -m; - = stdout");
  command->add_flag("--no-look", arguments->no_look, "Do not look at what other tile sizes would gain");
  command.value("--from", arguments->from, "FILE", "Strategy bayes begins with what such a file of --learn knows");
  command.target("--learn", arguments->learn, "Write what strategy bayes learned, and what it began with; - = stdout");
  command.target("--dump", arguments->dump,
                 "Write the program of strategy cosa as CPLEX LP text, for other solvers; - = stdout");
  command.target("--timeloop", arguments->timeloop,
                 "Write the mapping of the only layer in Timeloop's format; - = stdout");
  command.value(
      "--proof", arguments->proof.target, "FILE|DIR",
      "Write a proof of each optimal layer, with --network and --front of the network, for heliolite check-proof: "
      "a file, or a folder for a network");
  command.value("--proof-limit", arguments->proof.limit_mebibytes, "MIB", "Largest file of a proof")
      ->check(CLI::Range(1.0, 1e6))
      ->capture_default_str();
  command.target("--csv", arguments->csv,
                 "Write a row for each layer: costs, sizes, words and energy by level and tensor; with --front for "
                 "each point; - = stdout");
  command.target("--roofline", arguments->roofline,
                 "Say what each layer waits for, and write its roofline as SVG; - = stdout");
  add_read_options(*command, arguments->reading);
  command.runs(arguments, run,
               "Exit code 1 when no mapping of a layer was found, 130 after Ctrl-C.\n\nExamples:\n"
               "  heliolite map -a eyeriss -w resnet18\n"
               "  heliolite map -a eyeriss -w gemm:512x512x512 --objective energy --json best.json\n"
               "  heliolite eval -a eyeriss -w gemm:512x512x512 -m best.json");
}

}  // namespace heliolite::cli
