// How the mappers of a suite compare, for people, spreadsheets and programs (docs/formats_bench.md, docs/json.md).
#include "cli/bench/bench_tables.h"

#include <fmt/format.h>
#include <array>
#include <cmath>

#include "cli/ui/table.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

// A count of both searches.
struct Pair {
  u64 grid = 0, together = 0;
  double share() const { return grid == 0 ? 1 : static_cast<double>(together) / static_cast<double>(grid); }
};

Pair configurations(const CoSearchStudyRow& row) { return {row.grid.configurations, row.together.configurations}; }

// By level.
std::vector<Pair> tiles(const CoSearchStudy& study, const CoSearchStudyRow& row) {
  std::vector<Pair> out;
  for (const std::size_t level : study.level_places)
    out.push_back({row.grid.statistics.tiles[level], row.together.statistics.tiles[level]});
  return out;
}

void add_count(Table& table, const CoSearchStudyRow& row, bool first, const Pair& n) {
  table.row({first ? row.layer : "", row.strategy, grouped(n.grid), grouped(n.together), percent(n.share())});
}

std::string best_machine(const CoSearchStudy& study, const CoSearchStudyRow& row) {
  return row.together.status == Status::Infeasible ? "none" : join(study.machines[row.together.best]);
}

double value_ratio(const CoSearchStudyRow& row) { return row.grid.value > 0 ? row.together.value / row.grid.value : 1; }

template <class Count>
std::string count_table(const CoSearchStudy& study, const std::string& title, Count count) {
  Table table({"<layer", "<strategy", "every machine", "together", "share"});
  const CoSearchStudyRow* above = nullptr;
  for (const CoSearchStudyRow& row : study.rows) {
    add_count(table, row, above == nullptr || above->layer != row.layer, count(row));
    above = &row;
  }
  return title + "\n" + table.to_string() + "\n";
}

std::string answer_table(const CoSearchStudy& study, const SweepSpec& spec) {
  const std::vector<std::string> names = names_of(spec.parameters);
  Table table({"<layer", "<strategy", "<best: " + join(names), "value", "of grid's", "<proven", "every machine",
               "together", "times faster"});
  const CoSearchStudyRow* above = nullptr;
  for (const CoSearchStudyRow& row : study.rows) {
    table.row({above == nullptr || above->layer != row.layer ? row.layer : "", row.strategy, best_machine(study, row),
               scientific(row.together.value), fmt::format("{:.5f}", value_ratio(row)),
               std::string(name(row.together.status)), seconds(row.grid.seconds), seconds(row.together.seconds),
               fmt::format("{:.1f}", row.grid.seconds / row.together.seconds)});
    above = &row;
  }
  return "Answers and times\n" + table.to_string();
}

}  // namespace

std::string co_search_tables(const CoSearchStudy& study, const SweepSpec& spec) {
  std::string out = count_table(study, "Configurations evaluated", configurations);
  for (std::size_t k = 0; k < study.levels.size(); ++k)
    out += count_table(study, fmt::format("Tiles of {} looked at", study.levels[k]),
                       [&](const CoSearchStudyRow& row) { return tiles(study, row)[k]; });
  return out + answer_table(study, spec);
}

std::string co_search_csv(const CoSearchStudy& study) {
  std::string out = "layer,strategy,configurations_grid,configurations";
  for (const std::string& level : study.levels) out += fmt::format(",tiles_grid_{0},tiles_{0}", level);
  out += ",value_grid,value,lower_bound,status,search_seconds_grid,search_seconds,best\n";
  for (const CoSearchStudyRow& row : study.rows) {
    const Pair machines = configurations(row);
    out += fmt::format("{},{},{},{}", csv_cell(row.layer), row.strategy, machines.grid, machines.together);
    for (const Pair& n : tiles(study, row)) out += fmt::format(",{},{}", n.grid, n.together);
    out += fmt::format(",{},{},{},{},{},{},{}\n", row.grid.value, row.together.value, row.together.lower_bound,
                       name(row.together.status), row.grid.seconds, row.together.seconds,
                       csv_cell(best_machine(study, row)));
  }
  return out;
}

Json co_search_json(const CoSearchStudy& study) {
  Json out = Json::array();
  const auto both = [](const Pair& n) { return Json{{"grid", n.grid}, {"together", n.together}}; };
  for (const CoSearchStudyRow& row : study.rows) {
    Json by_level = Json::object();
    const std::vector<Pair> counts = tiles(study, row);
    for (std::size_t k = 0; k < counts.size(); ++k) by_level[study.levels[k]] = both(counts[k]);
    Json one = {{"layer", row.layer},
                {"strategy", row.strategy},
                {"configurations", both(configurations(row))},
                {"tiles", std::move(by_level)},
                {"value", row.together.value},
                {"lower_bound", row.together.lower_bound},
                {"gap", row.together.gap},
                {"status", std::string(name(row.together.status))},
                {"value_of_grid", row.grid.value},
                {"seconds", row.together.seconds},
                {"seconds_of_grid", row.grid.seconds}};
    one["best"] = row.together.status == Status::Infeasible ? Json() : Json(study.machines[row.together.best]);
    out.push_back(std::move(one));
  }
  return out;
}

namespace {

constexpr std::array<double, 6> kProfileRatios{1, 1.01, 1.05, 1.1, 1.5, 2};

std::string interval(const MeanRatio& e) { return fmt::format("{:.3g} [{:.3g}, {:.3g}]", e.mean, e.low, e.high); }

std::string times_text(const std::optional<MeanRatio>& e) { return e ? interval(*e) : ""; }

std::string arrival_table(const std::vector<ArrivalSummary>& summaries) {
  std::vector<std::string> headings{"<strategy", "layers"};
  for (const double near : kNear) {
    headings.push_back(fmt::format("|within {:g} %", near * 100));
    headings.emplace_back("evaluated");
    headings.emplace_back("time");
  }
  Table table(headings);
  bool any = false;
  for (const ArrivalSummary& s : summaries) {
    if (s.layers == 0) continue;
    any = true;
    std::vector<std::string> cells{s.strategy, fmt::format("{}", s.layers)};
    for (const ArrivalSummary::Near& near : s.near) {
      cells.push_back(fmt::format("{}", near.layers));
      cells.push_back(near.layers > 0 ? count(std::round(near.median_evaluated)) : "");
      cells.push_back(near.layers > 0 ? seconds(near.median_seconds) : "");
    }
    table.row(cells);
  }
  if (!any) return "";
  return "\nLayers whose optimum is proven: on how many a mapping so near it was found,\n"
         "and the medians of what that took:\n\n" +
         table.to_string();
}

std::string profile_table(const std::vector<PerformanceProfile>& profiles) {
  std::vector<std::string> headings{"<strategy"};
  for (const double ratio : kProfileRatios) headings.push_back(fmt::format("{:g}x", ratio));
  Table table(headings);
  for (const PerformanceProfile& profile : profiles) {
    std::vector<std::string> cells{profile.strategy};
    for (const double ratio : kProfileRatios) cells.push_back(percent(profile.share_within(ratio)));
    table.row(cells);
  }
  return "\nPerformance profile: the share of the layers with a value of at most so many\ntimes the best known:\n\n" +
         table.to_string();
}

std::string comparison_table(const std::vector<Comparison>& comparisons) {
  if (comparisons.empty()) return "";
  Table table({"<strategy", "<over", "layers", "better", "worse", "value", "time"});
  const Comparison* above = nullptr;
  for (const Comparison& c : comparisons) {
    if (c.layers == 0) continue;
    table.row({above != nullptr && above->of == c.of ? "" : c.of, c.over, fmt::format("{}", c.layers),
               fmt::format("{}", c.better), fmt::format("{}", c.worse), interval(c.value), times_text(c.seconds)});
    above = &c;
  }
  if (above == nullptr) return "";
  return "\nIn pairs: geometric mean of the ratios and its 95 % confidence interval\n"
         "(percentile bootstrap over the layers, 2,000 resamples, fixed seed):\n\n" +
         table.to_string();
}

std::string random_table(const std::vector<RandomVerdict>& verdicts) {
  if (verdicts.empty()) return "";
  Table table({"<strategy", "<than random search", "layers", "value", "time"});
  for (const RandomVerdict& v : verdicts) {
    const bool any = v.against.layers > 0;
    table.row({v.against.of, std::string(name(v.verdict)), fmt::format("{}", v.against.layers),
               any ? interval(v.against.value) : "", any ? times_text(v.against.seconds) : ""});
  }
  return "\nAgainst random search; better, worse: the whole interval is below, above 1:\n\n" + table.to_string();
}

std::string published_table(const std::vector<PublishedVerdict>& published) {
  if (published.empty()) return "";
  Table table({"<published", "<by", "claim", "ours", "<"});
  for (const PublishedVerdict& p : published)
    table.row({p.claim.says, p.claim.source, range_text(p.claim), p.ours ? fmt::format("{:.3g}", *p.ours) : "-",
               std::string(name(p.verdict))});
  return "\nPublished beside ours:\n\n" + table.to_string();
}

Json json_of(const MeanRatio& e) { return {{"mean", e.mean}, {"low", e.low}, {"high", e.high}}; }

Json json_of(const Comparison& c) {
  return {{"of", c.of},
          {"over", c.over},
          {"layers", c.layers},
          {"better", c.better},
          {"worse", c.worse},
          {"value", c.layers > 0 ? json_of(c.value) : Json()},
          {"seconds", c.seconds ? json_of(*c.seconds) : Json()}};
}

}  // namespace

std::string analysis_tables(const BenchAnalysis& analysis) {
  return arrival_table(analysis.arrivals) + profile_table(analysis.profiles) + comparison_table(analysis.comparisons) +
         random_table(analysis.against_random) + published_table(analysis.published);
}

std::string trace_csv(const std::vector<BenchRow>& rows) {
  std::string out = "strategy,machine,layer,evaluated,search_seconds,value\n";
  for (const BenchRow& row : rows)
    for (const TracePoint& point : row.trace)
      out += fmt::format("{},{},{},{},{},{}\n", csv_cell(row.strategy), csv_cell(row.machine), csv_cell(row.layer),
                         point.evaluated, point.seconds, point.value);
  return out;
}

void add_analysis(Json& answer, const BenchAnalysis& analysis) {
  answer["near"] = Json::array();
  for (const ArrivalSummary& s : analysis.arrivals) {
    Json within = Json::array();
    for (std::size_t k = 0; k < kNear.size(); ++k) {
      const ArrivalSummary::Near& near = s.near[k];
      within.push_back({{"within", kNear[k]},
                        {"layers", near.layers},
                        {"median_evaluated", near.layers > 0 ? Json(near.median_evaluated) : Json()},
                        {"median_seconds", near.layers > 0 ? Json(near.median_seconds) : Json()}});
    }
    answer["near"].push_back({{"strategy", s.strategy}, {"layers", s.layers}, {"within", within}});
  }
  answer["profiles"] = Json::array();
  for (const PerformanceProfile& profile : analysis.profiles) {
    const auto pair = [](const PerformanceProfile::Step& step) { return Json{step.ratio, step.share}; };
    answer["profiles"].push_back({{"strategy", profile.strategy}, {"steps", mapped(profile.steps, pair)}});
  }
  answer["comparisons"] = mapped(analysis.comparisons, [&](const Comparison& c) { return json_of(c); });
  answer["against_random"] = Json::array();
  for (const RandomVerdict& v : analysis.against_random) {
    Json one = json_of(v.against);
    one["verdict"] = name(v.verdict);
    answer["against_random"].push_back(std::move(one));
  }
  answer["published"] = Json::array();
  for (const PublishedVerdict& p : analysis.published)
    answer["published"].push_back({{"says", p.claim.says},
                                   {"source", p.claim.source},
                                   {"of", p.claim.of},
                                   {"over", p.claim.over},
                                   {"from", p.claim.from ? Json(*p.claim.from) : Json()},
                                   {"to", p.claim.to ? Json(*p.claim.to) : Json()},
                                   {"ours", p.ours ? Json(*p.ours) : Json()},
                                   {"verdict", name(p.verdict)}});
}

}  // namespace heliolite::cli
