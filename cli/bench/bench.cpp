// heliolite bench: mappers side by side, or the rules of one added one by one.
#include <fmt/format.h>
#include <heliolite/version.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/bench/bench_config.h"
#include "cli/bench/bench_tables.h"
#include "cli/map/map_proof.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/mapped.h"
#include "engine/report/answer_page.h"
#include "engine/search/core/option_kinds.h"
#include "engine/sweep/design_points.h"

namespace heliolite::cli {
namespace {

// [row]: what the answer says of its proof; rows without a proven value have none.
using BenchProofs = std::map<std::size_t, Json>;

// Writes SUITE.proofs/MACHINE/LAYER-STRATEGY.proof.gz for each row that is optimal, until somebody asks to stop. A file
// that is there already is kept where it is a proof of the same instance and objective; otherwise the row has none.
// `is_right` becomes false where a proof shows an error of the program.
BenchProofs write_bench_proofs(const BenchSuite& suite, std::vector<BenchRow>& rows, const std::atomic<bool>* stop,
                               const Output& output, bool& is_right) {
  BenchProofs out;
  for (std::size_t k = 0; k < rows.size() && !suite.proofs.empty(); ++k) {
    BenchRow& row = rows[k];
    if (row.status != Status::Optimal || (stop != nullptr && stop->load())) continue;
    const BenchMachine& machine = *std::ranges::find(suite.machines, row.machine, &BenchMachine::name);
    const BenchLayer& layer = *std::ranges::find(suite.layers, row.layer, &BenchLayer::name);
    const BenchStrategy& strategy = *std::ranges::find(suite.strategies, row.strategy, &BenchStrategy::label);
    SearchOptions options = options_of(suite, strategy);
    options.stop = stop;
    const std::filesystem::path folder = std::filesystem::path(suite.proofs) / file_name_of(row.machine);
    const std::string file = (folder / (file_name_of(row.layer + "-" + row.strategy) + ".proof.gz")).string();
    ProofTask task{machine.architecture, options, {.target = suite.proofs}, output};
    if (row.answer) out[k] = write_proof_once(layer.workload(), *row.answer, file, task);
    else if (row.network) out[k] = write_optimum_proof_once(layer.network, *row.network, file, task);
    else out[k] = {{"refused", "no proof for layers that are fused yet"}};
    is_right &= task.is_right;
  }
  return out;
}

struct BenchArguments {
  std::string config, csv, trace, page;
  SearchArguments search;
  ShortForm short_form;
  ReadOptions reading;  // of the machines and workloads that the suite names
  int threads = 1;
  bool summary_only = false;
  bool check = false;
};

// What suites of machines and layers have in common.
Json question(const BenchArguments& arguments, const auto& suite, const AskedObjective& objective) {
  Json out = {{"config", arguments.config},
              {"name", suite.name},
              {"objective", name(objective)},
              {"threads", arguments.threads}};
  out["machines"] = mapped(suite.machines, [&](const BenchMachine& m) { return cli::question(m.architecture); });
  out["layers"] = Json::array();
  for (const BenchLayer& l : suite.layers) {
    Json layer = objective.network ? Json{{"layers", l.network.layers.size()}} : cli::question(l.workload());
    layer["name"] = l.name;
    out["layers"].push_back(std::move(layer));
  }
  return out;
}

AskedObjective asked(const BenchSuite& suite) { return {suite.objective, suite.network}; }

Json strategies_json(const BenchSuite& suite) {
  Json out = Json::array();
  for (const BenchStrategy& s : suite.strategies) {
    Json one = options_json(s.options, {"objective", "threads", "strategy"});
    one["label"] = s.label;
    one["fuse"] = s.fuse;
    one["name"] = s.mapper ? Json() : Json(name(s.options.strategy));
    one["command"] = s.mapper ? Json(s.command) : Json();
    out.push_back(std::move(one));
  }
  return out;
}

Json suite_question(const BenchArguments& arguments, const BenchSuite& suite) {
  Json out = question(arguments, suite, asked(suite));
  out["strategies"] = strategies_json(suite);
  out["repeat"] = suite.repeat;
  return out;
}

Json ablation_question(const BenchArguments& arguments, const AblationSuite& suite) {
  Json out = question(arguments, suite, {suite.objective});
  out["budget"] = suite.budget_seconds;
  return out;
}

// `machines`: of the grid, or those of them that are machines.
Json co_search_question(const BenchArguments& arguments, const CoSearchSuite& suite, u64 machines) {
  return {{"config", arguments.config},
          {"name", suite.name},
          {"objective", name(asked_objective(suite.sweep.options))},
          {"threads", arguments.threads},
          {"sweep", suite.sweep.name},
          {"machines", machines}};
}

// The three forms of an answer. What is said of layers alone is the last note, and a line below the tables.
int write(const Output& output, const BenchConfig& config, const std::string& tables, const std::string& csv,
          Json json) {
  const std::string& alone = config.layers_alone;
  output.table(alone.empty() ? tables : tables + "\n" + alone + "\n");
  json["notes"] = config.notes;
  if (!alone.empty()) json["notes"].push_back(alone);
  const bool interrupted = json.at("interrupted").get<bool>();
  if (interrupted) output.note("heliolite: interrupted, these are the rows that were done");
  bool written = output.write("--csv", csv);
  written &= output.json(json);
  return !written ? kBadInput : interrupted ? kInterrupted : kSuccess;
}

// The suite's answer, with a bar while it is on its way.
template <class Run>
auto with_progress(const Output& output, const char* unit, std::size_t of, Run run) {
  Progress bar(output, unit, of);
  return run([&](u64 done, u64, const std::string& detail) { bar.update(done, detail); });
}

int run_suite(const BenchConfig& config, const BenchArguments& arguments, const Output& output) {
  BenchSuite suite = *config.suite;
  suite.threads = arguments.threads;
  const std::size_t searches = suite.machines.size() * suite.layers.size() * suite.strategies.size();
  auto result = with_progress(output, "searches", searches, [&](const BenchProgress& progress) {
    return run_bench(suite, &interrupt_flag(), progress);
  });
  if (!result) return fail(result.errors());
  bool is_right = true;
  const BenchProofs proofs = write_bench_proofs(suite, result->rows, &interrupt_flag(), output, is_right);
  const std::vector<BenchSummary> summaries = summarize(result->rows);
  std::string text = fmt::format("{}, objective {}, {} thread{}: {} of {} searches\n\n", suite.name, name(asked(suite)),
                                 arguments.threads, arguments.threads == 1 ? "" : "s", result->done, result->planned);
  if (!arguments.summary_only) text += rows_table(result->rows, asked(suite)) + "\n";
  const BenchAnalysis analysis = analyze(suite, result->rows);
  if (!suite.proofs.empty())
    text += fmt::format("{} proofs in {}, {} rows without\n\n",
                        std::ranges::count_if(proofs, [](const auto& p) { return p.second.contains("file"); }),
                        suite.proofs,
                        result->rows.size() - static_cast<std::size_t>(std::ranges::count_if(
                                                  proofs, [](const auto& p) { return p.second.contains("file"); })));
  text += rows_notes(result->rows) + summary_table(summaries) + analysis_tables(analysis);
  if (result->left_out > 0)
    output.note(fmt::format("heliolite: {} external results are of machines or layers that the suite does not have",
                            result->left_out));
  if (result->repeated > 0)
    output.note(fmt::format("heliolite: {} external results repeat a mapper on a layer; the best of each is shown",
                            result->repeated));
  Json answer = answer_head("bench");
  answer["question"] = suite_question(arguments, suite);
  answer["rows"] = rows_json(result->rows);
  for (const auto& [row, proof] : proofs) answer["rows"][row]["proof"] = proof;
  answer["summary"] = summary_json(summaries);
  add_analysis(answer, analysis);
  answer["interrupted"] = result->interrupted;
  if (!output.write("--trace", trace_csv(result->rows)) ||
      !output.write("--page", bench_page(suite, result->rows, analysis, to_string(version_info()))))
    return kBadInput;
  const int code = write(output, config, text, rows_csv(result->rows, asked(suite)), answer);
  bool any = false;
  for (const BenchRow& row : result->rows) any |= !row.external && row.value.has_value();
  if (!is_right) return kBug;
  return code == kSuccess && !any ? kNegative : code;
}

int run_ablation_suite(const BenchConfig& config, const BenchArguments& arguments, const Output& output) {
  const AblationSuite& suite = *config.ablation;
  const std::size_t searches = suite.machines.size() * suite.layers.size() * kAblationSearches;
  const auto result = with_progress(output, "searches", searches, [&](const BenchProgress& progress) {
    return run_ablation(suite, &interrupt_flag(), progress);
  });
  if (!result) return fail(result.errors());
  const std::string text = fmt::format("{}, objective {}: points looked at with the rules added one by one\n\n",
                                       suite.name, name(suite.objective)) +
                           ablation_table(*result, suite.objective);
  Json answer = answer_head("bench");
  answer["question"] = ablation_question(arguments, suite);
  answer["ablation"] = ablation_json(*result);
  answer["interrupted"] = result->interrupted;
  return write(output, config, text, ablation_csv(*result), answer);
}

// Each layer, and all together, by each strategy.
std::size_t comparisons(const CoSearchSuite& suite) {
  const std::size_t layers = suite.sweep.layers.size();
  return (layers + (layers > 1)) * suite.strategies.size();
}

int run_co_search_suite(const BenchConfig& config, const BenchArguments& arguments, const Output& output) {
  const CoSearchSuite& suite = *config.co_search;
  SweepSpec sweep = suite.sweep;
  sweep.options.threads = arguments.threads;
  const auto study = with_progress(output, "comparisons", comparisons(suite), [&](const BenchProgress& progress) {
    return run_co_search_study(sweep, suite.strategies, &interrupt_flag(), progress);
  });
  if (!study) return fail(study.errors());
  const std::string text =
      fmt::format("{}, objective {}, {} thread{}: {} machines, searched one by one and together\n\n", suite.name,
                  name(asked_objective(sweep.options)), arguments.threads, arguments.threads == 1 ? "" : "s",
                  study->machines.size()) +
      co_search_tables(*study, sweep);
  Json answer = answer_head("bench");
  answer["question"] = co_search_question(arguments, suite, study->machines.size());
  answer["co_search"] = co_search_json(*study);
  answer["interrupted"] = study->interrupted;
  return write(output, config, text, co_search_csv(*study), answer);
}

// What a suite would do.
struct BenchPlan {
  std::string name;
  Json question;
  u64 machines = 0, layers = 0, searches = 0;
  const char* at_most = "";   // stands before the number of machines when some may turn out to be none
  const char* searched = "";  // what a search is
};

BenchPlan plan_of(const BenchConfig& config, const BenchArguments& arguments) {
  if (config.co_search) {
    const CoSearchSuite& suite = *config.co_search;
    const u64 machines = DesignPoints(suite.sweep).planned();
    return {suite.name,
            co_search_question(arguments, suite, machines),
            machines,
            suite.sweep.layers.size(),
            comparisons(suite),
            " at most",
            " of all together and one by one"};
  }
  if (config.ablation) {
    const AblationSuite& suite = *config.ablation;
    const std::size_t pairs = suite.machines.size() * suite.layers.size();
    return {suite.name,          ablation_question(arguments, suite), suite.machines.size(),
            suite.layers.size(), pairs * kAblationSearches,           "",
            " of the ablation"};
  }
  const BenchSuite& suite = *config.suite;
  const std::size_t pairs = suite.machines.size() * suite.layers.size();
  return {suite.name, suite_question(arguments, suite), suite.machines.size(), suite.layers.size(),
          pairs * suite.strategies.size()};
}

int print_plan(const BenchPlan& plan, const Output& output) {
  output.table(fmt::format("{}: {} machines{}, {} layers, {} searches{}\n", plan.name, plan.machines, plan.at_most,
                           plan.layers, plan.searches, plan.searched));
  Json answer = answer_head("bench");
  answer["question"] = plan.question;
  answer["plan"] = {{"machines", plan.machines}, {"layers", plan.layers}, {"searches", plan.searches}};
  return output.json(answer) ? kSuccess : kBadInput;
}

int run(const BenchArguments& arguments, const Output& output) {
  Result<BenchConfig> config = load_bench_config(arguments.config, arguments.search.given(), arguments.reading);
  if (!config) return fail(config.errors());
  output.report_notes(config->notes);
  if (!config->suite && !(arguments.trace.empty() && arguments.page.empty()))
    return fail("--trace and --page are of suites that compare mappers, this one does not");
  if (!config->suite && arguments.short_form.asked())
    return fail("--layers and --at-most are of suites that compare mappers, this one does not");
  if (config->suite) shorten(*config->suite, arguments.short_form);
  if (arguments.check) return print_plan(plan_of(*config, arguments), output);
  if (config->co_search) return run_co_search_suite(*config, arguments, output);
  if (config->ablation) return run_ablation_suite(*config, arguments, output);
  return run_suite(*config, arguments, output);
}

}  // namespace

void add_bench_command(CommandLine& line) {
  auto arguments = std::make_shared<BenchArguments>();
  const Command command(line, "bench", "Mappers side by side: time, evaluations, quality, gap");
  command.value("config", arguments->config, "FILE", "Suite: a YAML file, docs/formats_bench.md")->required();
  arguments->search.add_to(*command, {"objective"}, "Instead of the suite's: ");
  add_read_options(*command, arguments->reading);
  command.target("--csv", arguments->csv, "Write the rows as comma-separated values; - = stdout");
  command.target("--trace", arguments->trace,
                 "Of mappers: write every improvement of every search as comma-separated values; - = stdout");
  command.target("--page", arguments->page, "Of mappers: write a page with plots; - = stdout");
  command
      .value("-t,--threads", arguments->threads, "N", "Of one search; searches run one after the other; 0 = every core")
      ->check(whole_number(0, kMaxThreads))
      ->capture_default_str();
  command
      .value("--layers", arguments->short_form.layers, "N",
             "The suite's short form: so many of its layers, evenly spread over its list")
      ->check(whole_number(1, kMaxCount));
  command
      .value("--at-most", arguments->short_form.seconds, "SECONDS",
             "The suite's short form: no search may take longer; smaller budgets of the suite stay")
      ->check(CLI::Range(1e-3, kMaxBudgetSeconds));
  command->add_flag("--summary", arguments->summary_only, "Print the summary by strategy and machine only");
  command->add_flag("--check", arguments->check, "Read the suite, say how large it is, search nothing");
  command.runs(
      arguments, run,
      "Ctrl-C ends the suite; the rows that are done are printed and written. Exit code 1 when nothing was mapped.\n\n"
      "Examples:\n"
      "  heliolite bench configs/bench/quick.yaml\n"
      "  heliolite bench configs/bench/evaluation.yaml --summary --csv rows.csv\n"
      "  heliolite bench configs/bench/mappers.yaml --page mappers.html --trace mappers.csv\n"
      "  heliolite bench configs/bench/thesis_resnet18.yaml --layers 3 --at-most 2\n"
      "  heliolite bench configs/bench/ablation.yaml");
}

}  // namespace heliolite::cli
