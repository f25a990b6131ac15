// heliolite merge: the shards of a sweep in one database.
#include "engine/sweep/merge.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/sweep/opened_store.h"
#include "cli/ui/command.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/base/number_text.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

struct MergeArguments {
  std::string result;
  std::vector<std::string> shards;
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
  if (result.complete()) return text;
  std::vector<std::string> missing;
  for (const u64 shard : result.missing)
    missing.push_back(fmt::format("{}/{}", shard + 1, result.inputs.back().shards));
  if (!missing.empty()) text += fmt::format("  missing: {}\n", join(missing));
  return text;
}

Json question(const MergeArguments& arguments) { return {{"result", arguments.result}, {"shards", arguments.shards}}; }

Json answer_json(const MergeArguments& arguments, const MergeResult& result) {
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
  answer["missing"] = Json::array();
  for (const u64 shard : result.missing) answer["missing"].push_back(shard + 1);
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

int run(const MergeArguments& arguments, const Output& output) {
  const Result<MergeResult> result = merge_shards(arguments.result, arguments.shards, &interrupt_flag());
  if (!result) return fail(result.errors());
  if (result->interrupted) return print_interrupted(arguments, output);
  note_warnings(result->warnings, output);
  output.table(shards_table(*result) + verdict(arguments, *result));
  if (!output.json(answer_json(arguments, *result))) return kBadInput;
  return result->complete() ? kSuccess : kNegative;
}

}  // namespace

void add_merge_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command = app.add_subcommand("merge", "The shards of a sweep in one database");
  command->add_option("result", arguments->result, "Database to write; if it exists, its points stay in it")
      ->required()
      ->type_name("OUT");
  command->add_option("shards", arguments->shards, "Databases that sweep --shard wrote")
      ->required()
      ->type_name("SHARD..");
  add_output_options(*command, output);
  command->footer(
      "The order does not matter and a second merge changes nothing. Shards of another sweep and results that\n"
      "contradict each other are refused. Exit code 1 when points are still missing: merge again when they are there,\n"
      "or go on with heliolite sweep FILE -o OUT --resume. 130 after Ctrl-C, which leaves OUT as it was.\n\n"
      "Example:\n"
      "  heliolite merge night.db night.shards/*.db");
  command->callback([&action, arguments] { action = [arguments](const Output& o) { return run(*arguments, o); }; });
}

}  // namespace heliolite::cli
