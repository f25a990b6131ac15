#include "cli/sweep/sweep_question.h"

#include <fmt/format.h>

#include "cli/ui/command.h"

namespace heliolite::cli {

void SweepQuestion::add_to(CLI::App& command) {
  search_.add_to(command,
                 {"objective", "strategy", "budget", "evaluations", "memory", "seed", "evaluator", "evaluator-protocol",
                  "evaluator-seconds"},
                 "Instead of the file's: ");
  command.add_option("--goal", goal_, "Instead of the file's: all, front, best or explore")
      ->type_name("NAME")
      ->transform(one_of({kSweepGoalNames.begin(), kSweepGoalNames.end()}));
  command
      .add_option("--rank", rank_,
                  "Instead of the file's: best is what has the least objective of total energy and total delay "
                  "(totals), or the least sum of the layers' own (layers)")
      ->type_name("BY")
      ->transform(one_of({kSweepRankNames.begin(), kSweepRankNames.end()}));
  command.add_option("--sample", sample_, "Instead of the file's: so many points of the grid")
      ->type_name("N")
      ->check(whole_number(1, kMaxGridPoints));
  command
      .add_option("--explore-points", explored_, "Instead of the file's: points that goal explore evaluates at most")
      ->type_name("N")
      ->check(whole_number(1, kMaxExplored));
  command
      .add_option("--sweep-budget", budget_,
                  "Instead of the file's: end after so many seconds with the best so far; --resume goes on")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, kMaxSweepSeconds));
  add_read_options(command, reading_);
}

SweepOverrides SweepQuestion::overrides() const {
  SweepOverrides out{.options = search_.given(), .goal = {}, .sample = sample_, .reading = reading_};
  out.sweep_budget = budget_;
  out.explore_points = explored_;
  if (!goal_.empty()) out.goal = parse_sweep_goal(goal_);
  if (!rank_.empty()) out.rank = parse_sweep_rank(rank_);
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

}  // namespace heliolite::cli
