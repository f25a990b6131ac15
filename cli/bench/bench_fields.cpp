// The fields of suite files (docs/formats_bench.md), map by map.
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/bench_config.h"
#include "engine/search/core/option_table.h"
#include "engine/search/core/strategy.h"

namespace heliolite::cli {
namespace {

constexpr i64 kMaxRepeat = 1000;
constexpr double kMaxClaim = 1e12;

FileField name() { return {"name", shape::text(), "Title.", "", "the file's name"}; }

Shape named_or_map(const FieldTable& table) {
  return shape::list_or_one(shape::either({shape::text(), shape::map(table)}));
}

// What every suite of mappings says.
std::vector<FileField> question() {
  return {
      name(), search_option_field("objective"),
      required({"machines", named_or_map(bench_machine_fields()), "Presets, or files beside this one."}),
      required({"workloads", named_or_map(bench_workload_fields()), "What -w takes; files stand beside this one."})};
}

Shape strategies() {
  return shape::list_or_one(shape::either({search_option_field("strategy").shape, shape::map(bench_strategy_fields()),
                                           shape::map(command_mapper_fields())}));
}

Shape co_searching() {
  std::vector<std::string> names;
  for (const StrategyInfo& info : kStrategyTable)
    if (searches_machines_together(info.strategy)) names.emplace_back(info.name);
  return shape::list_or_one(shape::one_of(std::move(names)));
}

}  // namespace

const FieldTable& bench_file_fields() {
  static const FieldTable table{
      "suite file",
      "One of three comparisons.",
      {{"bench", shape::map(bench_suite_fields()), "Mappers to compare."},
       {"ablation", shape::map(ablation_fields()), "Rules of the exact search, added one by one."},
       {"co_search", shape::map(co_search_fields()), "Memories searched together and one by one."}}};
  return table;
}

const FieldTable& bench_suite_fields() {
  static const FieldTable table{
      "suite", "Mappers side by side, on the same machines and layers.",
      joined(question(),
             {required({"strategies", strategies(), "Mappers: strategies of ours, or commands of other people's."}),
              {"training", shape::map(training_fields()), "What strategies with trained: true learn from before."},
              {"external", shape::list_or_one(shape::text()), "Tables of what other mappers found, beside this file."},
              {"published", shape::list_or_one(shape::map(published_fields())), "Published ratios to compare with."},
              {"repeat", shape::integer(1, kMaxRepeat), "Searches of each row; its time is their median.", "", "1"},
              {"proofs", shape::text(), "Folder beside this file for proofs of the rows whose value is proven."}})};
  return table;
}

const FieldTable& ablation_fields() {
  static const FieldTable table{"ablation", "The exact search with its rules added one by one.",
                                joined(question(), {search_option_field("budget")})};
  return table;
}

const FieldTable& co_search_fields() {
  static const FieldTable table{"co-search",
                                "The memories of a sweep, searched together and one by one.",
                                {name(),
                                 required({"sweep", shape::text(), "File of the sweep, beside this one."}),
                                 {"strategies", co_searching(), "How to search.", "", "sunstone and exact"}}};
  return table;
}

const FieldTable& bench_strategy_fields() {
  static const FieldTable table = [] {
    FileField strategy = search_option_field("strategy");
    strategy.name = "name";
    return FieldTable{
        "strategy", "A strategy of ours with options.",
        joined({required(std::move(strategy)),
                {"label", shape::text(), "What tables call it.", "", "name"},
                {"trained", shape::boolean(), "It begins with what it learned from training.", "", "false"},
                {"fuse", shape::boolean(), "Of objectives of networks: layers may be fused, as by map --fuse.", "",
                 "false"}},
               search_option_fields(kNotOfStrategies))};
  }();
  return table;
}

const FieldTable& command_mapper_fields() {
  static const FieldTable table = [] {
    std::vector<FileField> fields{
        required({"command", shape::text(), "What /bin/sh runs for each layer; it answers with a mapping."}),
        {"label", shape::text(), "What tables call it.", "", "command"}};
    for (const std::string_view option : kToldToCommands) fields.push_back(search_option_field(option));
    return FieldTable{"mapper by command", "A mapper of other people.", std::move(fields)};
  }();
  return table;
}

const FieldTable& bench_machine_fields() {
  static const FieldTable table{"named machine",
                                "A machine with a name of its own.",
                                {required({"machine", shape::text(), "A preset, or a file beside this one."}),
                                 {"name", shape::text(), "What tables call it.", "", "the machine's"}}};
  return table;
}

const FieldTable& bench_workload_fields() {
  static const FieldTable table{"named workload",
                                "A workload with a name of its own.",
                                {required({"workload", shape::text(), "What -w takes; files stand beside this one."}),
                                 {"name", shape::text(), "What tables call it.", "", "the workload's"}}};
  return table;
}

const FieldTable& training_fields() {
  static const FieldTable table = [] {
    FileField evaluations = search_option_field("evaluations");
    evaluations.help = "Mappings that are priced on each machine.";
    return FieldTable{"training",
                      "What is learned before the comparison.",
                      {required({"machines", named_or_map(bench_machine_fields()), "Machines to learn on."}),
                       std::move(evaluations)}};
  }();
  return table;
}

const FieldTable& published_fields() {
  static const FieldTable table{
      "published ratio",
      "What a publication says of two mappers, held against what was measured here.",
      {required({"says", shape::text(), "What it says, in words."}),
       required({"source", shape::text(), "Where."}),
       required({"of", shape::text(), "The mapper whose numbers are divided: a label, or a mapper of external."}),
       required({"over", shape::text(), "The mapper by whose numbers they are divided."}),
       {"quantity", shape::one_of({"value", "seconds", "evaluated"}), "Of which numbers.", "", "value"},
       {"statistic", shape::one_of({"mean", "most"}), "Over the layers: the geometric mean, or the largest.", "",
        "mean"},
       {"from", shape::number(0, kMaxClaim), "Least ratio that was published."},
       {"to", shape::number(0, kMaxClaim), "Largest ratio that was published."}}};
  return table;
}

}  // namespace heliolite::cli
