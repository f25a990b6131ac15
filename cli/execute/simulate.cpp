// heliolite simulate and heliolite emit: a tiling executed by simulated caches, or as a C program.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/execute/executed_nest.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/execution/emit_c.h"
#include "engine/execution/simulate.h"
#include "engine/execution/tiled_nest.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

struct EmitArguments {
  NestArguments nest;
  EmitOptions options;
  std::string target;  // -o
};

// The nest of the mapping, or of the tiles.
Result<ExecutedNest> nest_of(const NestArguments& arguments, const Output& output) {
  if (!arguments.mapping.empty()) {
    const Result<MappedLayer> layer = load_mapped_layer(
        {arguments.architecture, arguments.workload, arguments.layer, arguments.mapping}, arguments.reading);
    if (!layer) return layer.errors();
    if (Diagnostics errors = refuse_word_bits(layer->workload, "a C program of one type"); !errors.empty())
      return errors;
    output.report_notes(layer->notes);
    if (!layer->mapping.is_even())
      return Diagnostic{"", 0, "-m", "tiles of tensors with places of their own (--tiles uneven) have no nest in C"};
    return ExecutedNest{mapped_nest(layer->workload, layer->architecture, layer->mapping),
                        "mapping on " + layer->architecture.name,
                        {}};
  }
  const Result<NestQuestion> question = read_question(arguments, false, output);
  if (!question) return question.errors();
  if (Diagnostics errors = refuse_word_bits(question->workload, "a C program of one type"); !errors.empty())
    return errors;
  const bool each = arguments.tile.empty() && (arguments.tiling == "best" || arguments.tiling == "lru");
  if (each && question->caches.size() > 1)
    return Diagnostic{"", 0, "--cache",
                      "tiles of several caches are several programs; --tiling together makes one nest for all"};
  const Result<std::vector<ExecutedNest>> nests = executed_nests(arguments, *question);
  if (!nests) return nests.errors();
  return nests->front();
}

int run(const EmitArguments& arguments, const Output& output) {
  const Result<ExecutedNest> executed = nest_of(arguments.nest, output);
  if (!executed) return fail(executed.errors());
  EmitOptions options = arguments.options;
  options.title = fmt::format("{}; {}", executed->nest.workload.name, executed->text);
  if (const Diagnostics errors = check_emit(executed->nest, options); !errors.empty()) return fail(errors);
  const std::string program = emit_c(executed->nest, options);
  if (arguments.target.empty()) output.table(program);
  else if (!output.write("-o", program)) return kBadInput;
  Json answer = answer_head("emit");
  answer["question"] = question(executed->nest.workload);
  answer["loops"] = executed->text;
  answer["program"] = arguments.target.empty() ? Json() : Json(arguments.target);
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace

void add_emit_command(CommandLine& line) {
  auto arguments = std::make_shared<EmitArguments>();
  const Command command(line, "emit", "A tiling or mapping as a C program that checks itself");
  add_nest_options(command, arguments->nest);
  EmitOptions& options = arguments->options;
  command.target("-o", arguments->target, "Write the program; on stdout unless given");
  command->add_flag("--pack", options.pack, "Copy tiles into buffers of their own and count the words copied");
  command->add_flag("--trace", options.trace, "The program prints what it touches: array, element, r or w");
  command.value("--pad", options.pad_bytes, "BYTES",
                "Bytes that every element takes, in lines of a cache of their own");
  command->add_flag("--openmp", options.openmp, "Pragmas for loops that run side by side");
  command.runs(
      arguments, run,
      "Examples:\n"
      "  heliolite emit -w gemm:124x124x124 --cache 1024 -o gemm.c && cc -O2 -std=c99 gemm.c -o gemm && ./gemm\n"
      "  heliolite emit -w resnet18 --layer conv1 --cache 8192,262144 --tiling together --pack -o conv1.c\n"
      "  heliolite emit -a eyeriss -w gemm:64x64x64 -m best.json --openmp -o gemm.c");
}

// heliolite simulate: what caches move when a tiling is executed.

namespace {

struct SimulateArguments {
  NestArguments nest;
  std::vector<std::string> policies;  // --policy
  u32 line_words = 1;
  u32 ways = 0;
  std::vector<std::string> parameters;  // --param
  std::optional<double> budget;         // --budget, seconds
};

// One nest in front of its caches: [cache][policy].
struct SimulatedNest {
  ExecutedNest executed;
  std::vector<std::vector<CacheTraffic>> traffic;
};

constexpr std::array kPolicies{CachePolicy::Lru, CachePolicy::Opt, CachePolicy::Fifo, CachePolicy::Scratchpad};

std::vector<std::string> policy_names() {
  return mapped<std::string>(kPolicies, [&](const CachePolicy p) { return name(p); });
}

// The policies of --policy; lru and opt without it.
std::vector<CachePolicy> policies_named(const std::vector<std::string>& texts) {
  if (texts.empty()) return {CachePolicy::Lru, CachePolicy::Opt};
  std::vector<CachePolicy> policies;
  for (const std::string& text : texts) {
    const CachePolicy policy = *std::ranges::find(kPolicies, text, [](CachePolicy p) { return name(p); });
    if (std::ranges::find(policies, policy) == policies.end()) policies.push_back(policy);
  }
  return policies;
}

// The caches of one nest, with every policy, in the order of SimulatedNest::traffic.
std::vector<SimulatedCache> caches_of(const ExecutedNest& executed, const std::vector<CachePolicy>& policies,
                                      const SimulateArguments& arguments) {
  std::vector<SimulatedCache> caches;
  for (const ExecutedNest::Cache& cache : executed.caches)
    for (const CachePolicy policy : policies) {
      const bool lines = policy != CachePolicy::Scratchpad;
      const CacheShape shape{cache.words, lines ? arguments.line_words : 1, lines ? arguments.ways : 0};
      caches.push_back({shape, policy, cache.level});
    }
  return caches;
}

constexpr const char* kNoFit = "does not fit";

// Whether the policy can run in the cache at all: a scratchpad must hold the boxes of its tiles.
bool runs(const ExecutedNest::Cache& cache, CachePolicy policy) {
  return policy != CachePolicy::Scratchpad || cache.fits();
}

std::string table_text(const NestQuestion& question, const LowerBounds& bounds, const std::vector<SimulatedNest>& nests,
                       const std::vector<CachePolicy>& policies) {
  std::vector<std::string> headings{"cache", "holds", "bound", "model"};
  for (const CachePolicy p : policies) headings.emplace_back(name(p));
  Table table(headings);
  for (const SimulatedNest& n : nests)
    for (std::size_t c = 0; c < n.executed.caches.size(); ++c) {
      const ExecutedNest::Cache& cache = n.executed.caches[c];
      std::vector<std::string> row{grouped(cache.words), cache.footprint ? count(*cache.footprint) : "-",
                                   grouped(bounds.words(static_cast<double>(cache.words))),
                                   cache.model       ? count(*cache.model)
                                   : cache.footprint ? kNoFit
                                                     : "-"};
      for (std::size_t p = 0; p < policies.size(); ++p)
        row.push_back(runs(cache, policies[p]) ? grouped(n.traffic[c][p].words(question.rule)) : kNoFit);
      table.row(row);
    }
  return table.to_string();
}

std::string arrays_text(const std::vector<SimulatedNest>& nests, const std::vector<CachePolicy>& policies) {
  Table table({"cache", "<policy", "<array", "loads", "stores"});
  for (const SimulatedNest& n : nests)
    for (std::size_t c = 0; c < n.executed.caches.size(); ++c)
      for (std::size_t p = 0; p < policies.size(); ++p)
        for (std::size_t a = 0; a < n.executed.nest.arrays.size(); ++a) {
          const CacheTraffic& t = n.traffic[c][p];
          if (!runs(n.executed.caches[c], policies[p])) continue;
          table.row({grouped(n.executed.caches[c].words), std::string(name(policies[p])),
                     n.executed.nest.arrays[a].name, grouped(t.loads[a]), grouped(t.stores[a])});
        }
  return table.to_string();
}

Json nest_json(const NestQuestion& question, const LowerBounds& bounds, const SimulatedNest& n,
               const std::vector<CachePolicy>& policies) {
  Json caches = Json::array();
  for (std::size_t c = 0; c < n.executed.caches.size(); ++c) {
    const ExecutedNest::Cache& cache = n.executed.caches[c];
    Json json{{"words", cache.words},
              {"holds_words", cache.footprint ? Json(*cache.footprint) : Json()},
              {"bound", bounds.words(static_cast<double>(cache.words))},
              {"model", cache.model ? Json(*cache.model) : Json()},
              {"policies", Json::array()}};
    for (std::size_t p = 0; p < policies.size(); ++p) {
      if (!runs(cache, policies[p])) {
        json["policies"].push_back({{"policy", name(policies[p])}, {"words", nullptr}, {"does_not_fit", true}});
        continue;
      }
      Json arrays = Json::object();
      const CacheTraffic& t = n.traffic[c][p];
      for (std::size_t a = 0; a < n.executed.nest.arrays.size(); ++a)
        arrays[n.executed.nest.arrays[a].name] = {{"loads", t.loads[a]}, {"stores", t.stores[a]}};
      json["policies"].push_back({{"policy", name(policies[p])},
                                  {"words", t.words(question.rule)},
                                  {"loads", t.all_loads()},
                                  {"stores", t.all_stores()},
                                  {"arrays", std::move(arrays)}});
    }
    caches.push_back(std::move(json));
  }
  return {{"loops", n.executed.text}, {"caches", std::move(caches)}};
}

// The nests one after the other, all caches of one at a time.
std::vector<SimulatedNest> simulate_all(std::vector<ExecutedNest> executed, const std::vector<CachePolicy>& policies,
                                        const SimulateArguments& arguments, bool outputs_read) {
  std::vector<SimulatedNest> nests;
  for (ExecutedNest& e : executed) {
    const std::vector<SimulatedCache> caches = caches_of(e, policies, arguments);
    std::vector<CacheTraffic> all = simulate(e.nest, caches, outputs_read);
    SimulatedNest n{std::move(e), {}};
    for (std::size_t first = 0; first < all.size(); first += policies.size())
      n.traffic.emplace_back(all.begin() + first, all.begin() + (first + policies.size()));
    nests.push_back(std::move(n));
  }
  return nests;
}

// A C program, whose loops are its own: of the options it has --cache, --line, --ways and --policy.
int run_program_text(const SimulateArguments& arguments, const Output& output) {
  const NestArguments& nest = arguments.nest;
  if (!nest.tile.empty() || !nest.mapping.empty() || nest.tiling != "best")
    return fail("--tiling, --tile, -m: a C program runs in the order of its text");
  const Result<std::vector<u64>> caches = read_caches(nest, true);
  if (!caches) return fail(caches.errors());
  const std::vector<CachePolicy> policies = policies_named(arguments.policies);
  SimulatedProgram question{nest.workload, arguments.parameters, {}, policies.size(), arguments.budget};
  for (const u64 words : *caches)
    for (const CachePolicy policy : policies)
      question.caches.push_back({{words, arguments.line_words, arguments.ways}, policy, 1});
  return run_simulated_program(question, output);
}

int run(const SimulateArguments& arguments, const Output& output) {
  if (is_program(arguments.nest.workload)) return run_program_text(arguments, output);
  if (!arguments.parameters.empty()) return fail("--param: is about C programs, -w KERNEL.c");
  if (arguments.budget) return fail("--budget: is about C programs, -w KERNEL.c");
  if (!arguments.nest.mapping.empty()) return run_mapping(arguments.nest, output);
  const Result<NestQuestion> question = read_question(arguments.nest, true, output);
  if (!question) return fail(question.errors());
  const std::vector<CachePolicy> policies = policies_named(arguments.policies);
  const Result<std::vector<ExecutedNest>> executed = executed_nests(arguments.nest, *question);
  if (!executed) return fail(executed.errors());
  for (const ExecutedNest& e : *executed)
    if (const Diagnostics errors = check_simulation(e.nest, caches_of(e, policies, arguments)); !errors.empty())
      return fail(errors);
  const auto nests =
      until_interrupted([executed = *executed, policies = policies, arguments, read = question->rule.outputs_are_read] {
        return simulate_all(executed, policies, arguments, read);
      });
  if (!nests) return kInterrupted;
  const LowerBounds bounds(question->workload, question->rule);
  std::string text =
      fmt::format("{}: {} iterations; words {}{}\n", question->workload.name, grouped(question->workload.macs()),
                  question->rule.stores ? "loaded and stored" : "loaded",
                  question->rule.outputs_are_read ? ", outputs are read" : "");
  for (const SimulatedNest& n : *nests) text += fmt::format("  loops, outermost first: {}\n", n.executed.text);
  text += "\n" + table_text(*question, bounds, *nests, policies) + "\n" + arrays_text(*nests, policies);
  output.table(text);
  Json answer = answer_head("simulate");
  answer["question"] = cli::question(question->workload);
  answer["counts"] = {{"stores", question->rule.stores}, {"outputs_read", question->rule.outputs_are_read}};
  answer["line_words"] = arguments.line_words;
  answer["ways"] = arguments.ways == 0 ? Json() : Json(arguments.ways);
  answer["nests"] = mapped(*nests, [&](const SimulatedNest& n) { return nest_json(*question, bounds, n, policies); });
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace

void add_simulate_command(CommandLine& line) {
  auto arguments = std::make_shared<SimulateArguments>();
  const Command command(line, "simulate", "What caches or levels move when a tiling or mapping is executed");
  add_nest_options(command, arguments->nest);
  command
      .value("--policy", arguments->policies, "NAMES",
             "What leaves a full cache: lru, opt, fifo; or scratchpad, the boxes of the tiling (lru,opt)")
      ->transform(one_of(policy_names()))
      ->delimiter(',');
  command.value("--line", arguments->line_words, "WORDS", "Words in a line, which moves as a whole")
      ->check(whole_number(1, 1 << 20))
      ->capture_default_str();
  command.value("--ways", arguments->ways, "N", "Lines that a line may take; fully associative unless given")
      ->check(whole_number(1, 1 << 20));
  command
      .value("--param", arguments->parameters, "NAME=N", "C programs: a value for each of its parameters, N=30,M=20")
      ->delimiter(',');
  add_budget_option(*command, arguments->budget);
  command.runs(
      arguments, run,
      "Examples:\n"
      "  heliolite simulate -w gemm:124x124x124 --cache 1024,1055 --tile M=31,N=31,K=1 --loops M,N,K --points M,N\n"
      "  heliolite simulate -a eyeriss -w conv:n=1,k=16,c=8,p=28,r=3 -m best.json\n"
      "  heliolite simulate -w configs/polybench/gemm.c --param NI=30,NJ=30,NK=30 --cache 64,256\n"
      "  heliolite simulate -w resnet18 --layer conv5_x --cache 16KiB --word-size 2\n"
      "  heliolite simulate -w gemm:128x128x128 --cache 256,4096 --tiling together --policy lru,opt,scratchpad");
}

}  // namespace heliolite::cli
