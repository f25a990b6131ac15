// heliolite sweep: design points times layers, over night.
#include <fmt/format.h>
#include <heliolite/version.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep/sweep_parts.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/search/core/option_kinds.h"
#include "engine/sweep/merge.h"
#include "engine/sweep/question.h"
#include "engine/sweep/rest.h"
#include "engine/sweep/runner.h"
#include "engine/sweep/sweep_yaml.h"

namespace heliolite::cli {
namespace {

constexpr u64 kMaxShards = 1'000'000;

struct SweepArguments {
  std::string file, database, shard, points;
  std::string proofs;  // folder
  SweepQuestion question;
  int threads = 0;
  bool resume = false;
  bool repair = false;
  bool check = false;
  std::string status;        // database to look at
  SweepExport rows;          // database to read out
  std::optional<u64> slurm;  // shards of an array job
};

// "2/4": the second of four parts.
std::optional<Shard> parse_shard(const std::string& text) {
  if (text.empty()) return Shard{};
  const auto whole = [](std::string_view part) { return parse_number<u64>(part).value_or(0); };
  const std::size_t slash = std::min(text.find('/'), text.size() - 1);
  const u64 number = whole(std::string_view(text).substr(0, slash)),
            of = whole(std::string_view(text).substr(slash + 1));
  if (number == 0 || number > of || of > kMaxShards) return std::nullopt;
  return Shard{number - 1, of};
}

Json question(const SweepArguments& arguments, const SweepRecord& sweep) {
  return asked_json({{"file", arguments.file}}, sweep,
                    {{"grid", sweep.grid_points},
                     {"planned", sweep.planned_points},
                     {"shard", sweep.shard + 1},
                     {"shards", sweep.shards},
                     {"threads", arguments.threads}});
}

std::string plan_text(const SweepSpec& spec) {
  const DesignPoints points(spec);
  Table table({"<parameter", "values", "<from", "<to", "<sets"});
  for (const SweepParameter& parameter : spec.parameters) {
    table.row({parameter.name, grouped(parameter.values.size()), parameter.values.front().text,
               parameter.values.back().text, join(mapped(parameter.fields, &FieldPath::text))});
  }
  return fmt::format("{} on {}: {} of {} design points, {} layers each\n\n", spec.name, spec.machine.name.value_or(""),
                     grouped(points.planned()), grouped(points.grid()), spec.layers.size()) +
         table.to_string();
}

Json plan_json(const SweepSpec& spec, const SweepRecord& sweep) {
  Json plan = {{"machine", spec.machine.name ? Json(*spec.machine.name) : Json()},
               {"points", sweep.shard_points},
               {"layers", spec.layers.size()},
               {"parameters", Json::array()}};
  for (const SweepParameter& parameter : spec.parameters) {
    Json sets = mapped(parameter.fields, &FieldPath::text);
    plan["parameters"].push_back({{"name", parameter.name},
                                  {"values", parameter.values.size()},
                                  {"from", parameter.values.front().text},
                                  {"to", parameter.values.back().text},
                                  {"sets", std::move(sets)}});
  }
  return plan;
}

int print_plan(const SweepArguments& arguments, const SweepSpec& spec, const SweepRecord& sweep, const Output& output) {
  output.table(plan_text(spec));
  Json answer = answer_head("sweep");
  answer["question"] = question(arguments, sweep);
  answer["plan"] = plan_json(spec, sweep);
  answer["notes"] = sweep.notes;
  return output.json(answer) ? kSuccess : kBadInput;
}

Result<SweepRun> run_with_progress(const SweepSpec& spec, Store& store, const Shard& shard, const Output& output) {
  const bool explores = spec.goal == SweepGoal::Explore;
  Progress progress(output, "points", explores ? spec.explore.points : store.sweep().shard_points);
  return run_sweep(spec, store, shard, [&](const SweepNews& news) {
    std::string found = news.best ? "best " + scientific(*news.best) : "";
    if (news.front > 0)
      found += fmt::format(", front certain to {} of {} points", grouped(news.open), grouped(news.front));
    if (news.undecided)
      found = fmt::format("best {}, at most {} lower, {} machines undecided", scientific(news.least_value),
                          percent(news.least_value > 0 ? 1 - news.lower_bound / news.least_value : 1),
                          grouped(*news.undecided));
    progress.update(news.points, found, news.kept);
  });
}

// "1 machine", "1,234 machines".
std::string counted(u64 n, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
}

// What is proven of a family of machines.
std::string certificate_text(const SweepRun& run) {
  if (!run.best) return "";
  const BestMachine& best = *run.best;
  if (!best.point && best.machines == 0) return "\n  no point of the grid is a machine that the constraints admit\n";
  if (!best.point) return fmt::format("\n  no machine of {} has a mapping of every layer\n", grouped(best.machines));
  std::string text = fmt::format(
      "\n  best machine: point {}, {}, {} of {} machines\n", grouped(*best.point), scientific(best.value),
      best.proven ? "optimal: the least"
                  : fmt::format("bounded: at most {} above the least, {},",
                                best.lower_bound > 0 ? percent(best.value / best.lower_bound - 1) : "any factor",
                                scientific(best.lower_bound)),
      grouped(best.machines));
  for (std::size_t why = 0; why < best.excluded.size(); ++why)
    if (best.excluded[why] > 0)
      text +=
          fmt::format("  {}: {} left out\n", kExcludedNames[why], counted(best.excluded[why], "machine", "machines"));
  return text + fmt::format("  {} of machines, {} split; {} of layers\n", counted(best.sets, "set", "sets"),
                            grouped(best.splits), counted(best.searches, "search", "searches"));
}

// What goal explore has looked at.
std::string explored_text(const SweepRun& run) {
  if (!run.explored) return "";
  const Explored& e = *run.explored;
  const std::string without = e.unmapped > 0 ? fmt::format(" ({} without costs)", grouped(e.unmapped)) : "";
  return fmt::format("\n  explored: {} of {} points evaluated{}{}{}\n", grouped(e.points), grouped(e.grid), without,
                     e.all ? ", all that there are" : "", e.points < e.grid ? "; nothing is proven of the others" : "");
}

Json explored_json(const SweepRun& run) {
  if (!run.explored) return nullptr;
  const Explored& e = *run.explored;
  return {{"points", e.points}, {"without_costs", e.unmapped}, {"wanted", e.wanted}, {"grid", e.grid}, {"all", e.all}};
}

Json certificate_json(const SweepRun& run) {
  if (!run.best) return nullptr;
  const BestMachine& best = *run.best;
  Json excluded = Json::object();
  for (std::size_t why = 0; why < best.excluded.size(); ++why)
    excluded[std::string(kExcludedNames[why])] = best.excluded[why];
  return {{"point", best.point ? Json(*best.point) : Json()},
          {"value", best.point ? Json(best.value) : Json()},
          {"lower_bound", best.point ? Json(best.lower_bound) : Json()},
          {"gap", best.point && best.lower_bound > 0 ? Json(best.value / best.lower_bound - 1) : Json()},
          {"status", best.proven ? "optimal" : "bounded"},
          {"machines", best.machines},
          {"excluded", std::move(excluded)},
          {"sets", best.sets},
          {"splits", best.splits},
          {"searches", best.searches}};
}

Json taken_over_json(const GrownStore& grown) {
  if (!grown.grown) return nullptr;
  return {{"points", grown.points}, {"layers", grown.layers}, {"database", grown.old_copy}};
}

int print(const SweepArguments& arguments, const SweepSpec& spec, const Store& store, const SweepRun& run,
          const GrownStore& grown, const Output& output) {
  const Result<SweepSummary> summary = summarize(store);
  if (!summary) return fail_reading(summary.errors());
  Result<std::vector<LayerRecord>> layers = std::vector<LayerRecord>{};
  if (!summary->best.empty()) layers = store.layers(summary->best.front());
  if (!layers) return fail_reading(layers.errors());
  Result<SweepProofs> proofs = SweepProofs{};
  if (!arguments.proofs.empty() && !run.interrupted)
    proofs = write_sweep_proofs(spec, store, *summary, arguments.proofs, output);
  if (!proofs) return fail_reading(proofs.errors());
  const SweepRecord& sweep = store.sweep();
  output.table(fmt::format("{} on {}, objective {}, strategy {}, goal {}: {} of {} points\n\n", sweep.name,
                           spec.machine.name.value_or(""), sweep.objective, sweep.strategy, sweep.goal,
                           grouped(summary->points()), grouped(sweep.planned_points)) +
               sweep_tables(sweep, *summary, *layers) +
               fmt::format("\n  {} layers searched, {} reused; results in {}\n", grouped(run.searched),
                           grouped(run.reused), store.path()) +
               certificate_text(run) + explored_text(run) +
               (arguments.proofs.empty()
                    ? ""
                    : fmt::format("\n  {} layers of the best points have proofs in {}, {} have none\n",
                                  grouped(proofs->files), arguments.proofs, grouped(proofs->without))));
  Json answer = answer_head("sweep");
  answer["question"] = question(arguments, sweep);
  answer["database"] = store.path();
  answer["searched"] = run.searched;
  answer["reused"] = run.reused;
  answer["interrupted"] = run.interrupted && !run.out_of_time;
  answer["out_of_time"] = run.out_of_time;
  answer["taken_over"] = taken_over_json(grown);
  answer["certificate"] = certificate_json(run);
  answer["explored"] = explored_json(run);
  answer["proofs"] = arguments.proofs.empty() ? Json() : proofs->points;
  add_sweep_answer(answer, sweep, *summary, *layers);
  if (!output.json(answer)) return kBadInput;
  if (run.out_of_time) {
    output.note(fmt::format("heliolite: the sweep's budget is used up; what is done is in {}, go on with --resume",
                            store.path()));
  } else if (run.interrupted) {
    output.note(fmt::format("heliolite: interrupted; what is done is in {}, go on with --resume", store.path()));
    return kInterrupted;
  }
  if (!proofs->is_right) return kBug;
  return summary->count(PointState::Done) > 0 ? kSuccess : kNegative;
}

// False after complaining.
bool repair(const std::string& path, const SweepRecord& record, const Output& output) {
  const Result<StoreRepair> result = repair_store(path, record, &interrupt_flag());
  if (!result) {
    fail(result.errors());
    return false;
  }
  note_warnings(result->warnings, output);
  if (result->repaired)
    output.note(
        fmt::format("heliolite: {} was damaged; {} points and {} layers are kept, the others are searched again; "
                    "the damaged file is {}",
                    path, grouped(result->points), grouped(result->layers), result->damaged_copy));
  return true;
}

// Takes over the rows of a database of a smaller grid.
Result<GrownStore> take_over(const std::string& path, const SweepSpec& spec, const SweepRecord& record,
                             const SweepArguments& arguments, const Output& output) {
  if (!arguments.resume) return GrownStore{};
  Result<GrownStore> grown = grow_store(path, spec, record, arguments.file, &interrupt_flag());
  if (!grown || !grown->grown) return grown;
  note_grown(*grown, path, output);
  return grown;
}

int run_shard(const SweepArguments& arguments, SweepSpec spec, const Shard& shard, const std::string& path,
              const Output& output) {
  spec.options.threads = arguments.threads;
  spec.options.stop = &interrupt_flag();
  const SweepRecord record = sweep_record(spec, shard, to_string(version_info()));
  if (arguments.repair && !repair(path, record, output)) return kBadInput;
  const Result<GrownStore> grown = take_over(path, spec, record, arguments, output);
  if (!grown) return fail_reading(grown.errors());
  Result<Store> store = arguments.resume ? Store::resume(path, record, &interrupt_flag()) : Store::create(path, record);
  if (!store) return fail_reading(store.errors());
  note_warnings(store->warnings(), output);
  const Result<SweepRun> result = run_with_progress(spec, *store, shard, output);
  if (!result) return fail(result.errors());
  // What is said of the results is read from the file as it is now. Who was interrupted waits for the short look only.
  const bool finished = !result->interrupted;
  const Result<Store> written = store->close_and_look(finished, finished ? &interrupt_flag() : nullptr);
  if (!written) return finished ? fail_reading(written.errors()) : fail(written.errors());
  return print(arguments, spec, *written, *result, *grown, output);
}

int run_file(const SweepArguments& arguments, const Output& output) {
  std::optional<Shard> shard = parse_shard(arguments.shard);
  if (!shard)
    return fail(fmt::format("--shard: '{}' must be I/N, the I-th of N parts, from 1/N to N/N; at most {} parts",
                            arguments.shard, kMaxShards));
  const SweepOverrides asked = arguments.question.overrides();
  Result<SweepSpec> spec = load_sweep(arguments.file, asked);
  if (!spec) return fail(spec.errors());
  for (const Diagnostic& warning : spec->warnings) output.note("heliolite: " + warning.to_string());
  if (!arguments.points.empty()) {
    Result<Shard> part = read_points_file(arguments.points, sweep_question(*spec));
    if (!part) return fail(part.errors());
    shard = *std::move(part);
  }
  if (spec->goal == SweepGoal::Explore && (shard->count > 1 || arguments.slurm))
    return fail(fmt::format("--{}: goal explore chooses each point by those before it: it has no shards",
                            arguments.slurm             ? "slurm"
                            : !arguments.points.empty() ? "points"
                                                        : "shard"));
  if (std::string why = arguments.proofs.empty() ? "" : proofs_refused(*spec); !why.empty())
    return fail({{"", 0, "--proofs", why}});
  if (arguments.check)
    return print_plan(arguments, *spec, sweep_record(*spec, *shard, to_string(version_info())), output);
  const std::string path = arguments.database.empty() ? spec->name + ".db" : arguments.database;
  if (arguments.slurm)
    return run_sweep_slurm(
        {spec->name, arguments.file, path, *arguments.slurm, arguments.threads, arguments.question.words()}, output);
  return run_shard(arguments, *std::move(spec), *shard, path, output);
}

int run(const SweepArguments& arguments, const Output& output) {
  const int asked = !arguments.file.empty() + !arguments.status.empty() + !arguments.rows.database.empty();
  if (asked != 1) return fail("sweep needs one of a sweep file, --status DB and --export DB");
  if (!arguments.status.empty()) return run_sweep_status(arguments.status, output);
  if (!arguments.rows.database.empty()) return run_sweep_export(arguments.rows, output);
  return run_file(arguments, output);
}

}  // namespace

void add_sweep_command(CommandLine& line) {
  auto arguments = std::make_shared<SweepArguments>();
  const Command command(line, "sweep", "Design-space exploration: many machines, many layers");
  CLI::Option* file = command.value("sweep", arguments->file, "FILE", "Sweep: a YAML file, docs/formats_sweep.md");
  command.value("-o,--output", arguments->database, "DB", "Results database; the sweep's name with .db if not given");
  CLI::Option* resume =
      command->add_flag("--resume", arguments->resume, "Go on with what the database has, or begin it");
  command->add_flag("--repair", arguments->repair, "With --resume: rows that are damaged or lost are searched again")
      ->needs(resume);
  CLI::Option* shard =
      command.value("--shard", arguments->shard, "I/N", "Only the I-th of N parts, 1/N to N/N; merge unites them");
  CLI::Option* points =
      command.value("--points", arguments->points, "FILE", "Only the points of a part that merge --rest wrote")
          ->excludes(shard);
  command.value("-t,--threads", arguments->threads, "N", "0 = every core; the results do not depend on it")
      ->check(whole_number(0, kMaxThreads))
      ->capture_default_str();
  arguments->question.add_to(command);
  command->add_flag("--check", arguments->check, "Read the sweep, say how large it is, map nothing");
  CLI::Option* slurm =
      command.value("--slurm", arguments->slurm, "N", "Map nothing, write an sbatch script of N shards; docs/slurm.md")
          ->check(whole_number(1, kMaxSlurmShards))
          ->excludes(points);
  command
      .value("--proofs", arguments->proofs, "DIR",
             "Write a proof of each layer of the best points, for heliolite check-proof; those that are there stay")
      ->needs(file)
      ->excludes(slurm);
  CLI::Option* status =
      command.value("--status", arguments->status, "DB", "How far the sweep of a database is")->excludes(file);
  CLI::Option* rows = command.value("--export", arguments->rows.database, "DB", "Read out the points of a database")
                          ->excludes(file)
                          ->excludes(status);
  command.target("--csv", arguments->rows.points_csv, "With --export: the points; - = stdout")->needs(rows);
  command.target("--layers-csv", arguments->rows.layers_csv, "With --export: the layers of the points")->needs(rows);
  command.target("--jsonl", arguments->rows.lines, "With --export: a line of JSON for each point, with its layers")
      ->needs(rows);
  command
      .value("--mappings", arguments->rows.mappings, "DIR",
             "With --export: the mappings of the best points and of the front as files, a folder for each point")
      ->needs(rows);
  command.runs(
      arguments, run,
      "Results are kept as they come: after Ctrl-C, a crash or a power cut --resume goes on. Exit code 1 when no point "
      "was\n"
      "mapped, 130 after Ctrl-C.\n\n"
      "Examples:\n"
      "  heliolite sweep configs/sweeps/quick.yaml\n"
      "  heliolite sweep configs/sweeps/eyeriss_l1_l2_pe.yaml -o night.db --resume\n"
      "  heliolite sweep --status night.db                  from another terminal\n"
      "  heliolite sweep --export night.db --csv points.csv --layers-csv layers.csv --json all.json\n"
      "  heliolite sweep configs/sweeps/eyeriss_l1_l2_pe.yaml -o night.db --slurm 16");
}

}  // namespace heliolite::cli
