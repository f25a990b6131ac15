// heliolite merge: the shards of a sweep in one database.
#include "engine/sweep/merge.h"

#include <fmt/format.h>
#include <heliolite/version.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep/sweep_parts.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/child_process.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/search/core/option_kinds.h"
#include "engine/sweep/question.h"
#include "engine/sweep/rest.h"
#include "engine/sweep/store.h"
#include "engine/sweep/store_open.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

struct MergeArguments {
  std::string result;
  std::vector<std::string> shards;
  std::optional<u64> rest;  // parts of the work left
  std::string sweep;        // file
  SweepQuestion question;
  int threads = 0;
};

// The work left, dealt anew.
struct DealtRest {
  SweepRest rest;
  GrownStore grown;
  std::string folder, script;  // "" if nothing is left
};

std::string part(const MergedShard& input) {
  return input.shards == 1 ? "all" : fmt::format("{}/{}", input.shard + 1, input.shards);
}

std::string shards_table(const MergeResult& result) {
  Table table({"<database", "shard", "points", "<"});
  for (const MergedShard& input : result.inputs)
    table.row({input.path, part(input), grouped(input.points), input.finished ? "finished" : "not finished"});
  return table.to_string();
}

std::string verdict(const MergeArguments& arguments, const MergeResult& result) {
  std::string text = fmt::format("\n  {}: {} of {} points, {} layers\n", arguments.result, grouped(result.points),
                                 grouped(result.planned_points), grouped(result.layers));
  const bool all = result.complete();
  if (all && result.points < result.planned_points)
    text += "  nothing is left: the other points have no row, the constraints leave them out\n";
  if (all) return text;
  std::vector<std::string> missing;
  for (const u64 shard : result.missing)
    missing.push_back(fmt::format("{}/{}", shard + 1, result.inputs.back().shards));
  if (!missing.empty()) text += fmt::format("  missing: {}\n", join(missing));
  return text;
}

std::string rest_text(const DealtRest& dealt) {
  const SweepRest& rest = dealt.rest;
  if (rest.parts.empty()) return "  nothing is left\n";
  const auto by_time = [](const RestPart& a, const RestPart& b) { return a.seconds < b.seconds; };
  const auto [least, most] = std::ranges::minmax_element(rest.parts, by_time);
  return fmt::format("  left: {} points, about {} of searches, in {} parts of {} to {}; submit with\n  bash {}\n",
                     grouped(rest.points), seconds(rest.seconds), grouped(rest.parts.size()), seconds(least->seconds),
                     seconds(most->seconds), shell_quoted(dealt.script));
}

Json rest_json(const std::optional<DealtRest>& dealt) {
  if (!dealt) return nullptr;
  Json parts = Json::array();
  for (const RestPart& part : dealt->rest.parts) parts.push_back({{"points", part.points}, {"seconds", part.seconds}});
  const auto path = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
  return {{"points", dealt->rest.points},
          {"seconds", dealt->rest.seconds},
          {"taken_over", dealt->grown.grown ? Json(dealt->grown.points) : Json()},
          {"parts", std::move(parts)},
          {"folder", path(dealt->folder)},
          {"script", path(dealt->script)}};
}

Json question(const MergeArguments& arguments) {
  return {{"result", arguments.result},
          {"shards", arguments.shards},
          {"rest", arguments.rest ? Json(*arguments.rest) : Json()},
          {"sweep", arguments.sweep.empty() ? Json() : Json(arguments.sweep)}};
}

Json answer_json(const MergeArguments& arguments, const MergeResult& result, const std::optional<DealtRest>& dealt) {
  Json answer = answer_head("merge");
  answer["question"] = question(arguments);
  answer["interrupted"] = false;
  answer["complete"] = result.complete();
  answer["points"] = result.points;
  answer["planned"] = result.planned_points;
  answer["layers"] = result.layers;
  answer["inputs"] = Json::array();
  for (const MergedShard& input : result.inputs)
    answer["inputs"].push_back({{"database", input.path},
                                {"shard", input.shard + 1},
                                {"shards", input.shards},
                                {"points", input.points},
                                {"finished", input.finished}});
  answer["missing"] = mapped(result.missing, [&](const u64 shard) { return shard + 1; });
  answer["rest"] = rest_json(dealt);
  return answer;
}

int print_interrupted(const MergeArguments& arguments, const Output& output) {
  Json answer = answer_head("merge");
  answer["question"] = question(arguments);
  answer["interrupted"] = true;
  if (!output.json(answer)) return kBadInput;
  output.note(fmt::format("heliolite: interrupted; {} is as it was", arguments.result));
  return kInterrupted;
}

// "night.rest" beside night.db, or the first of night.rest2, .. that is not there yet.
std::string folder_of_rest(const std::string& database) {
  const std::string base = fs::path(database).replace_extension().string() + ".rest";
  std::string out = base;
  std::error_code ignored;
  for (int n = 2; fs::exists(fs::symlink_status(out, ignored)) || fs::exists(out + ".sbatch", ignored); ++n)
    out = fmt::format("{}{}", base, n);
  return out;
}

// A folder that is removed with what is in it unless it is kept.
class NewFolder {
 public:
  explicit NewFolder(std::string path) : path_(std::move(path)) { made_ = fs::create_directory(path_, problem_); }
  ~NewFolder() {
    std::error_code ignored;
    if (made_ && !kept_) fs::remove_all(path_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  bool made() const { return made_; }
  std::string problem() const { return problem_.message(); }
  void keep() { kept_ = true; }

 private:
  std::string path_;
  std::error_code problem_;
  bool made_ = false, kept_ = false;
};

// Step 1. Points of a smaller grid are taken over. Step 2. What is left is dealt. Step 3. The script. None after
// complaining.
std::optional<DealtRest> deal(const MergeArguments& arguments, const SweepSpec& spec, const Output& output) {
  const auto refuse = [](const auto& why) {
    fail(why);
    return std::nullopt;
  };
  DealtRest out;
  const SweepRecord record = sweep_record(spec, Shard{}, to_string(version_info()));
  const Result<GrownStore> grown = grow_store(arguments.result, spec, record, arguments.sweep, &interrupt_flag());
  if (!grown) return refuse(grown.errors());
  out.grown = *grown;
  note_grown(out.grown, arguments.result, output);
  const Result<Store> merged = Store::read(arguments.result, &interrupt_flag());
  if (!merged) return refuse(merged.errors());
  if (Diagnostics other = compare_sweeps(merged->sweep(), record, arguments.result); !other.empty())
    return refuse(other);
  const std::string folder = folder_of_rest(arguments.result);
  NewFolder made(folder);
  if (!made.made()) return refuse(fmt::format("--rest: {} cannot be made: {}", folder, made.problem()));
  Result<SweepRest> rest = deal_rest(*merged, spec, *arguments.rest, folder, &interrupt_flag());
  if (!rest) return refuse(rest.errors());
  out.rest = *std::move(rest);
  if (out.rest.parts.empty()) return out;
  const std::optional<std::string> script =
      write_slurm_script({spec.name, arguments.sweep, arguments.result, out.rest.parts.size(), arguments.threads,
                          arguments.question.words(), folder},
                         output);
  if (!script) return std::nullopt;
  made.keep();
  out.folder = folder, out.script = *script;
  return out;
}

// The sweep whose rest is asked for. None after complaining.
std::optional<SweepSpec> sweep_of(const MergeArguments& arguments, const Output& output) {
  Result<SweepSpec> spec = load_sweep(arguments.sweep, arguments.question.overrides());
  const std::string why = spec ? rest_refused(*spec) : "";
  if (!spec) fail(spec.errors());
  else if (!why.empty())
    fail(fmt::format("--rest: {}: go on with heliolite sweep {} -o {} --resume", why, arguments.sweep,
                     arguments.result));
  if (!spec || !why.empty()) return std::nullopt;
  for (const Diagnostic& warning : spec->warnings) output.note("heliolite: " + warning.to_string());
  return *std::move(spec);
}

int run(const MergeArguments& arguments, const Output& output) {
  std::optional<SweepSpec> spec;
  if (arguments.rest) {
    spec = sweep_of(arguments, output);
    if (!spec) return kBadInput;
  }
  const Result<MergeResult> result = merge_shards(arguments.result, arguments.shards, &interrupt_flag());
  if (!result) return fail(result.errors());
  if (result->interrupted) return print_interrupted(arguments, output);
  note_warnings(result->warnings, output);
  std::optional<DealtRest> dealt;
  if (spec) dealt = deal(arguments, *spec, output);
  if (spec && !dealt) return interrupt_flag() ? kInterrupted : kBadInput;
  output.table(shards_table(*result) + verdict(arguments, *result) + (dealt ? rest_text(*dealt) : ""));
  if (!output.json(answer_json(arguments, *result, dealt))) return kBadInput;
  const bool done = dealt ? dealt->rest.parts.empty() : result->complete();
  return done ? kSuccess : kNegative;
}

}  // namespace

void add_merge_command(CommandLine& line) {
  auto arguments = std::make_shared<MergeArguments>();
  const Command command(line, "merge", "The shards of a sweep in one database");
  command.value("result", arguments->result, "OUT", "Database to write; if it exists, its points stay in it")
      ->required();
  command.value("shards", arguments->shards, "SHARD..", "Databases that sweep --shard wrote")->required();
  CLI::Option* rest =
      command
          .value("--rest", arguments->rest, "N",
                 "Deal what is left to N shards of about equal work, and write an sbatch script of them; docs/slurm.md")
          ->check(whole_number(1, kMaxSlurmShards));
  CLI::Option* file = command.value("--sweep", arguments->sweep, "FILE", "With --rest: the sweep's file")->needs(rest);
  rest->needs(file);
  command.value("-t,--threads", arguments->threads, "N", "With --rest: of a shard; 0 = as the cluster gives it")
      ->check(whole_number(0, kMaxThreads))
      ->needs(rest);
  arguments->question.add_to(command);
  command.runs(
      arguments, run,
      "The order does not matter and a second merge changes nothing. Shards of another sweep and results that\n"
      "contradict each other are refused. Exit code 1 when points are still missing: merge again when they are there,\n"
      "or go on with heliolite sweep FILE -o OUT --resume. 130 after Ctrl-C, which leaves OUT as it was. Options\n"
      "instead of the file's are those that the shards were given.\n\n"
      "Examples:\n"
      "  heliolite merge night.db night.shards/*.db\n"
      "  heliolite merge night.db night.shards/*.db --rest 16 --sweep night.yaml");
}

}  // namespace heliolite::cli
