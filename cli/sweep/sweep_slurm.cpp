// What of a sweep a command runs: options in place of what the file says, and the sweep as an array job of Slurm
// (docs/slurm.md).
#include <fmt/format.h>
#include <heliolite/version.h>

#include <filesystem>
#include <optional>

#include "cli/sweep/sweep_parts.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "engine/base/child_process.h"
#include "engine/base/file_claims.h"

namespace heliolite::cli {

void SweepQuestion::add_to(const Command& command) {
  search_.add_to(*command,
                 {"objective", "strategy", "budget", "evaluations", "memory", "seed", "evaluator", "evaluator-protocol",
                  "evaluator-seconds"},
                 "Instead of the file's: ");
  command.value("--goal", goal_, "NAME", "Instead of the file's: all, front, best or explore")
      ->transform(one_of(names_of<SweepGoal>()));
  command
      .value("--rank", rank_, "BY",
             "Instead of the file's: best is what has the least objective of total energy and total delay "
             "(totals), or the least sum of the layers' own (layers)")
      ->transform(one_of(names_of<SweepRank>()));
  command.value("--sample", sample_, "N", "Instead of the file's: so many points of the grid")
      ->check(whole_number(1, kMaxGridPoints));
  command
      .value("--explore-points", explored_, "N", "Instead of the file's: points that goal explore evaluates at most")
      ->check(whole_number(1, kMaxExplored));
  command
      .value("--sweep-budget", budget_, "SECONDS",
             "Instead of the file's: end after so many seconds with the best so far; --resume goes on")
      ->check(CLI::Range(0.0, kMaxSweepSeconds));
  add_read_options(*command, reading_);
}

SweepOverrides SweepQuestion::overrides() const {
  SweepOverrides out{.options = search_.given(), .goal = {}, .sample = sample_, .reading = reading_};
  out.sweep_budget = budget_;
  out.explore_points = explored_;
  if (!goal_.empty()) out.goal = find_named<SweepGoal>(goal_);
  if (!rank_.empty()) out.rank = find_named<SweepRank>(rank_);
  return out;
}

std::vector<std::string> SweepQuestion::words() const {
  std::vector<std::string> out;
  for (const GivenOption& one : search_.given())
    out.insert(out.end(), {fmt::format("--{}", one.option->name), one.value});
  if (!goal_.empty()) out.insert(out.end(), {"--goal", goal_});
  if (!rank_.empty()) out.insert(out.end(), {"--rank", rank_});
  if (sample_) out.insert(out.end(), {"--sample", fmt::format("{}", *sample_)});
  if (explored_) out.insert(out.end(), {"--explore-points", fmt::format("{}", *explored_)});
  if (budget_) out.insert(out.end(), {"--sweep-budget", fmt::format("{}", *budget_)});
  const std::vector<std::string> reading = words_of(reading_);
  out.insert(out.end(), reading.begin(), reading.end());
  return out;
}

// heliolite sweep FILE --slurm N: the sweep as an array job of Slurm (docs/slurm.md).

namespace {

namespace fs = std::filesystem;

std::string quoted_words(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += " " + shell_quoted(text);
  return out;
}

// As the value of an #SBATCH line, where % begins a pattern.
std::string slurm_path(const std::string& path) {
  std::string out;
  for (const char c : path) out += c == '%' ? "%%" : std::string(1, c);
  return out;
}

struct Places {
  std::string program, file, result, script, shards;  // absolute
};

Places places_of(const SlurmSweep& sweep) {
  std::error_code ignored;
  const fs::path base = fs::absolute(sweep.database, ignored).lexically_normal().replace_extension();
  const std::string shards = sweep.points.empty() ? base.string() + ".shards"
                                                  : fs::absolute(sweep.points, ignored).lexically_normal().string();
  return {fs::read_symlink("/proc/self/exe", ignored).string(), fs::absolute(sweep.file, ignored).lexically_normal(),
          base.string() + ".db", (sweep.points.empty() ? base.string() : shards) + ".sbatch", shards};
}

std::string head(const SlurmSweep& sweep, const Places& places) {
  const std::string threads =
      sweep.threads > 0 ? fmt::format("#SBATCH --cpus-per-task={}\n", sweep.threads) : std::string();
  return fmt::format(R"(#!/bin/bash
#SBATCH --job-name="{name}"
#SBATCH --array=1-{shards}
#SBATCH --output="{folder}/%a.log"
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@60
{threads}
# The sweep {name} in {shards} shards, written by {version}.
#
#   bash {script} [options of sbatch]
#       submits the shards, and a job that merges them when all have ended. Options such as --partition=long, --time=8:00:00
#       or --array=1-{shards}%10 (at most 10 at a time) are those of the shards.
#   sbatch {script}
#       submits the shards alone; then: heliolite merge {result} {folder}/*.db
#
# A shard that is killed, requeued or submitted again goes on where it was. One that comes near the end of its time ends by
# itself and requeues itself.
)",
                     fmt::arg("name", sweep.name), fmt::arg("shards", sweep.shards),
                     fmt::arg("folder", slurm_path(places.shards)), fmt::arg("threads", threads),
                     fmt::arg("version", to_string(version_info())), fmt::arg("script", places.script),
                     fmt::arg("result", places.result));
}

std::string submission(const SlurmSweep& sweep, const Places& places) {
  return fmt::format(
      R"(
if [ -z "${{SLURM_ARRAY_TASK_ID:-}}" ]; then
  mkdir -p {folder} || exit
  array=$(sbatch --parsable "$@" "$0") || exit
  sbatch --dependency="afterany:${{array%%;*}}" --job-name={job} --output={log} --open-mode=append <<'MERGE'
#!/bin/bash
exec {program} merge {result} {folder}/*.db
MERGE
  exit
fi
)",
      fmt::arg("folder", shell_quoted(places.shards)), fmt::arg("job", shell_quoted(sweep.name + " merge")),
      fmt::arg("log", shell_quoted(slurm_path(places.shards) + "/merge.log")),
      fmt::arg("program", shell_quoted(places.program)), fmt::arg("result", shell_quoted(places.result)));
}

std::string task(const SlurmSweep& sweep, const Places& places) {
  const std::string part =
      sweep.points.empty() ? fmt::format("--shard \"$SLURM_ARRAY_TASK_ID\"/{}", sweep.shards)
                           : fmt::format("--points {}/\"$SLURM_ARRAY_TASK_ID\".points", shell_quoted(places.shards));
  return fmt::format(R"(
# Slurm asks to end: USR1, the time is over soon and the rest has to wait for the next turn; TERM, cancelled or preempted.
requeue='' asked=''
{program} sweep {file} -o {folder}/"$SLURM_ARRAY_TASK_ID".db {part} --resume \
  --threads "${{SLURM_CPUS_PER_TASK:-0}}"{options} &
sweep=$!
trap 'asked=yes requeue=yes; kill -TERM "$sweep"' USR1
trap 'asked=yes; kill -TERM "$sweep"' TERM
while wait "$sweep"; code=$?; [ -n "$asked" ]; do asked=; done
if [ -n "$requeue" ]; then scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID"; fi
exit "$code"
)",
                     fmt::arg("program", shell_quoted(places.program)), fmt::arg("file", shell_quoted(places.file)),
                     fmt::arg("folder", shell_quoted(places.shards)), fmt::arg("part", part),
                     fmt::arg("options", quoted_words(sweep.options)));
}

}  // namespace

std::optional<std::string> write_slurm_script(const SlurmSweep& sweep, const Output& output) {
  const Places places = places_of(sweep);
  const auto refuse = [](const auto& why) {
    fail(why);
    return std::nullopt;
  };
  for (const std::string& text : {sweep.name, places.script})
    if (text.find_first_of("\"\n\r\\") != std::string::npos)
      return refuse(fmt::format(
          "--slurm: '{}' cannot stand in an sbatch script: it has a quote, a backslash or a line end", text));
  if (Diagnostics taken = FileClaims::of_program().use_database(places.result); !taken.empty()) return refuse(taken);
  if (!output.claim("-o", places.script)) return std::nullopt;
  std::error_code problem;
  fs::create_directories(places.shards, problem);
  if (problem) return refuse(fmt::format("--slurm: {} cannot be made: {}", places.shards, problem.message()));
  if (!output.write("-o", head(sweep, places) + submission(sweep, places) + task(sweep, places))) return std::nullopt;
  return places.script;
}

int run_sweep_slurm(const SlurmSweep& sweep, const Output& output) {
  if (!write_slurm_script(sweep, output)) return kBadInput;
  const Places places = places_of(sweep);
  output.table(fmt::format("{}: {} shards of the sweep {} into {}; submit with\n  bash {}\n", places.script,
                           sweep.shards, sweep.name, places.result, shell_quoted(places.script)));
  Json answer = answer_head("sweep");
  answer["question"] = {{"file", sweep.file}, {"name", sweep.name}, {"slurm", sweep.shards}};
  answer["script"] = places.script;
  answer["shards"] = places.shards;
  answer["database"] = places.result;
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace heliolite::cli
