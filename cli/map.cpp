// heliolite map: the best mapping of every layer of a network.
#include "engine/search/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arch/level_places.h"
#include "arch/load.h"
#include "cli/command.h"
#include "cli/inputs.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/map_answer.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "engine/base/text.h"
#include "engine/search/options_yaml.h"
#include "workloads/load.h"

namespace heliolite::cli {
namespace {

struct MapArguments {
  std::string architecture, workload, layer;
  std::string objective = "edp";
  std::string strategy = SearchOptions{}.strategy;
  std::vector<std::string> without;
  int threads = 0;
  bool free = false;
  bool imperfect = false;
  std::optional<double> budget;
  std::optional<u64> evaluations;
  std::string memory = "2 GiB";
  u64 seed = SearchOptions{}.seed;
  u64 victory = SearchOptions{}.victory;
};

Result<SearchOptions> search_options(const MapArguments& arguments) {
  SearchOptions options;
  Diagnostics errors;
  const auto unknown = [&](const char* option, const std::string& word, const std::vector<std::string>& known) {
    errors.push_back(
        {"", 0, option, fmt::format("unknown name '{}'{}; known: {}", word, did_you_mean(word, known), join(known))});
  };
  if (const auto objective = parse_objective(lower(arguments.objective))) {
    options.objective = *objective;
  } else {
    unknown("--objective", arguments.objective, {kObjectiveNames.begin(), kObjectiveNames.end()});
  }
  const std::vector<std::string> strategies = strategy_names();
  options.strategy = arguments.strategy;
  if (std::ranges::find(strategies, arguments.strategy) == strategies.end()) {
    unknown("--strategy", arguments.strategy, strategies);
  }
  for (const std::string& word : arguments.without) {
    if (const auto rule = parse_rule(word)) {
      options.rules.set(*rule, false);
    } else {
      unknown("--without", word, rule_names());
    }
  }
  options.threads = arguments.threads;
  options.free = arguments.free;
  options.imperfect = arguments.imperfect;
  options.look_at_imperfect = true;
  options.budget_seconds = arguments.budget;
  options.budget_evaluations = arguments.evaluations;
  if (const auto bytes = parse_memory(arguments.memory)) options.memory_bytes = *bytes;
  options.seed = arguments.seed;
  options.victory = arguments.victory;
  options.stop = &interrupt_flag();
  if (!errors.empty()) return errors;
  return options;
}

Json answer_json(const MapArguments& arguments, const MapAnswer& answer) {
  Json json = answer_head("map");
  const Network& network = answer.network;
  json["question"] = {{"architecture", question(answer.architecture)},
                      {"workload", {{"name", network.name}, {"layers", network.layers.size()}}},
                      {"options",
                       {{"objective", arguments.objective},
                        {"strategy", arguments.strategy},
                        {"threads", arguments.threads},
                        {"free", arguments.free},
                        {"without", arguments.without},
                        {"imperfect", arguments.imperfect},
                        {"budget", arguments.budget ? Json(*arguments.budget) : Json()},
                        {"evaluations", arguments.evaluations ? Json(*arguments.evaluations) : Json()},
                        {"memory", *parse_memory(arguments.memory)},
                        {"seed", arguments.seed},
                        {"victory", arguments.victory}}}};
  add_map_answer(json, answer, arguments.objective, interrupt_flag());
  return json;
}

// Says for each layer without a mapping what stands in its way.
void explain_infeasible(const NetworkResult& result, const std::string& machine) {
  for (const LayerResult& layer : result.layers) {
    if (layer.result.status != Status::Infeasible) continue;
    fail("no legal mapping of " + layer.name);
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

int run(const MapArguments& arguments, const Output& output) {
  Result<Architecture> architecture = load_architecture(arguments.architecture);
  Result<Network> network = load_network(arguments.workload);
  const Result<SearchOptions> options = search_options(arguments);
  Diagnostics errors;
  const auto collect = [&](const auto& result) {
    if (!result) errors.insert(errors.end(), result.errors().begin(), result.errors().end());
  };
  collect(architecture);
  collect(network);
  collect(options);
  if (!errors.empty()) return fail(errors);
  if (!arguments.layer.empty()) {
    const Result<Workload> layer = pick_layer(*network, arguments.layer);
    if (!layer) return fail(layer.errors());
    std::erase_if(network->layers, [&](const Layer& l) { return l.workload.name != arguments.layer; });
  }
  Result<NetworkResult> result = search(*network, *architecture, *options, output);
  if (!result) return fail(at_their_levels(result.errors(), arguments.architecture));
  const MapAnswer answer =
      map_answer(*std::move(network), *std::move(architecture), *std::move(result), arguments.imperfect);
  output.table(fmt::format("{} on {}, objective {}, strategy {}\n\n", answer.network.name, answer.architecture.name,
                           name(options->objective), options->strategy) +
               map_text(answer));
  if (interrupt_flag()) output.note("heliolite: interrupted, this is the best found so far");
  explain_infeasible(answer.result, arguments.architecture);
  if (!output.json(answer_json(arguments, answer))) return kBadInput;
  if (interrupt_flag()) return kInterrupted;
  return answer.result.all_feasible() ? kSuccess : kNegative;
}

}  // namespace

void add_map_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<MapArguments>();
  CLI::App* command = app.add_subcommand("map", "Best mapping of every layer of a workload on a machine");
  command->add_option("-a,--architecture", arguments->architecture, "Machine: preset or file")
      ->required()
      ->type_name("A");
  command->add_option("-w,--workload", arguments->workload, "Workload: preset, file or text like gemm:512x512x512")
      ->required()
      ->type_name("W");
  command->add_option("-l,--layer", arguments->layer, "Only this layer")->type_name("NAME");
  command->add_option("-o,--objective", arguments->objective, "What to minimise: edp, energy, delay or ed2p")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("-s,--strategy", arguments->strategy, "How to search: " + join(strategy_names(), "or"))
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("-t,--threads", arguments->threads, "0 = every core; the answer does not depend on it")
      ->type_name("N")
      ->check(whole_number(0, 1024))
      ->capture_default_str();
  command->add_flag("--free", arguments->free, "Lift the machine's dataflow constraints");
  command->add_option("--without", arguments->without, "Switch rules off: " + join(rule_names()))
      ->type_name("RULE")
      ->delimiter(',');
  command->add_flag("--imperfect", arguments->imperfect, "Also tiles that do not divide the sizes");
  command->add_option("--budget", arguments->budget, "Stop a layer's search after so long, with the best so far")
      ->type_name("SECONDS")
      ->check(positive_number(kMaxBudgetSeconds));
  command
      ->add_option("--evaluations", arguments->evaluations,
                   "Stop a layer's search after so many mappings, 256 more at most")
      ->type_name("N")
      ->check(whole_number(1, kMaxCount));
  command
      ->add_option("--memory", arguments->memory,
                   "What strategy exact may hold of one layer, tables and partial mappings; each of several layers "
                   "searched at the same time may")
      ->type_name("SIZE")
      ->check(memory_size())
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Of strategy random")
      ->type_name("N")
      ->check(whole_number(0, kMaxCount))
      ->capture_default_str();
  command
      ->add_option("--victory", arguments->victory,
                   "Strategy random stops after so many legal mappings in a row without an improvement")
      ->type_name("N")
      ->check(whole_number(1, kMaxCount))
      ->capture_default_str();
  add_output_options(*command, output);
  command->footer(
      "Exit code 1 when a layer has no legal mapping, 130 after Ctrl-C.\n\nExamples:\n"
      "  heliolite map -a eyeriss -w resnet18\n"
      "  heliolite map -a eyeriss -w gemm:512x512x512 --objective energy --json best.json\n"
      "  heliolite eval -a eyeriss -w gemm:512x512x512 -m best.json");
  command->callback([&action, arguments] { action = [arguments](const Output& o) { return run(*arguments, o); }; });
}

}  // namespace heliolite::cli
