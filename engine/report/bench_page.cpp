// The page of a suite that was run: one HTML file with plots and tables, without scripts.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "engine/report/answer_page.h"
#include "engine/report/html.h"
#include "engine/search/study/bench_analysis.h"

namespace heliolite {

namespace {

constexpr std::size_t kShownNear = 1;   // index in kNear of the share that is shown: within 5 %
constexpr double kLeastSeconds = 1e-6;  // below that a clock says nothing
constexpr double kWidestProfile = 100;  // ratios beyond are drawn at the edge

// A table of texts; the first column is text, the others are numbers.
std::string table(std::vector<std::string> headings, const std::vector<std::vector<std::string>>& rows) {
  headings.front().insert(0, "<");
  HtmlTable out(headings);
  for (std::vector<std::string> row : rows) {
    for (std::string& cell : row) cell = html_text(cell);
    out.row(row);
  }
  return out.to_string();
}

// The share of a mapper's layers on which it was near the optimum by then, over what `cost` says of an arrival.
LinePlot arrival_plot(const std::vector<BenchRow>& rows, const BenchAnalysis& analysis, const std::string& x_title,
                      const std::function<double(const Arrival&)>& cost) {
  LinePlot plot{fmt::format("Share of layers within {:g} % of the optimum", kNear[kShownNear] * 100), x_title, {}};
  for (const ArrivalSummary& summary : analysis.arrivals) {
    if (summary.layers == 0) continue;
    std::vector<double> costs;
    for (const BenchRow& row : rows) {
      if (row.external || row.strategy != summary.strategy) continue;
      const auto optimum = proven_optimum(rows, row);
      if (!optimum) continue;
      if (const auto arrival = arrivals(row, *optimum)[kShownNear]) costs.push_back(cost(*arrival));
    }
    std::ranges::sort(costs);
    PlotLine line{summary.strategy, {}};
    for (std::size_t k = 0; k < costs.size(); ++k)
      line.points.push_back({costs[k], static_cast<double>(k + 1) / static_cast<double>(summary.layers)});
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

LinePlot profile_plot(const std::vector<PerformanceProfile>& profiles) {
  LinePlot plot{"Performance profile", "value over the best known", {}};
  for (const PerformanceProfile& profile : profiles) {
    PlotLine line{profile.strategy, {}};
    for (const PerformanceProfile::Step& step : profile.steps)
      line.points.push_back({std::min(step.ratio, kWidestProfile), step.share});
    plot.lines.push_back(std::move(line));
  }
  return plot;
}

std::string ratio_text(const MeanRatio& e) { return fmt::format("{:.3g} [{:.3g}, {:.3g}]", e.mean, e.low, e.high); }

std::string arrival_section(const std::vector<BenchRow>& rows, const BenchAnalysis& analysis) {
  std::vector<std::vector<std::string>> cells;
  for (const ArrivalSummary& s : analysis.arrivals) {
    if (s.layers == 0) continue;
    std::vector<std::string> row{s.strategy, fmt::format("{}", s.layers)};
    for (const ArrivalSummary::Near& near : s.near) {
      row.push_back(fmt::format("{}", near.layers));
      row.push_back(near.layers > 0 ? fmt::format("{:.4g}", near.median_evaluated) : "");
      row.push_back(near.layers > 0 ? fmt::format("{:.3g}", near.median_seconds) : "");
    }
    cells.push_back(std::move(row));
  }
  if (cells.empty()) return "";
  std::vector<std::string> headings{"strategy", "layers"};
  for (const double near : kNear)
    for (const char* what : {"within {:g} %", "evaluated", "seconds"})
      headings.push_back(fmt::format(fmt::runtime(what), near * 100));
  const auto evaluated = [](const Arrival& a) { return std::max(1.0, static_cast<double>(a.evaluated)); };
  const auto seconds = [](const Arrival& a) { return std::max(kLeastSeconds, a.seconds); };
  return html_section(
      "How soon a mapper is near the optimum",
      "Layers whose optimum is proven. The lines: on which share of them a mapping within 5 % of it was "
      "known by then. The table: medians over the layers on which it was found.",
      line_plot_svg(arrival_plot(rows, analysis, "mappings priced", evaluated)) +
          line_plot_svg(arrival_plot(rows, analysis, "seconds", seconds)) + table(headings, cells));
}

std::string comparison_section(const BenchAnalysis& analysis) {
  std::vector<std::vector<std::string>> pairs, random;
  for (const Comparison& c : analysis.comparisons)
    if (c.layers > 0)
      pairs.push_back({c.of, c.over, fmt::format("{}", c.layers), fmt::format("{}", c.better),
                       fmt::format("{}", c.worse), ratio_text(c.value), c.seconds ? ratio_text(*c.seconds) : ""});
  for (const RandomVerdict& v : analysis.against_random)
    random.push_back({v.against.of, std::string(name(v.verdict)), fmt::format("{}", v.against.layers),
                      v.against.layers > 0 ? ratio_text(v.against.value) : "",
                      v.against.seconds ? ratio_text(*v.against.seconds) : ""});
  std::string out;
  if (!random.empty())
    out += html_section("Against random search", "Better, worse: the whole interval of the ratio is below, above 1.",
                        table({"strategy", "than random search", "layers", "value", "time"}, random));
  if (!pairs.empty())
    out += html_section(
        "In pairs",
        fmt::format("Geometric means of the ratios, and the intervals that hold them with 95 % confidence: "
                    "percentile bootstrap over the layers, {} resamples from a fixed seed.",
                    kMeanResamples),
        table({"strategy", "over", "layers", "better", "worse", "value", "time"}, pairs));
  return out;
}

std::string published_section(const BenchAnalysis& analysis) {
  std::vector<std::vector<std::string>> cells;
  for (const PublishedVerdict& p : analysis.published)
    cells.push_back({p.claim.says, p.claim.source, range_text(p.claim), p.ours ? fmt::format("{:.3g}", *p.ours) : "",
                     std::string(name(p.verdict))});
  if (cells.empty()) return "";
  return html_section("Published beside ours", "What papers state of these mappers, and what this suite found.",
                      table({"published", "by", "claim", "ours", "verdict"}, cells));
}

std::string rows_section(const BenchSuite& suite, const std::vector<BenchRow>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const BenchRow& row : rows)
    cells.push_back({row.strategy, row.machine, row.layer, row.value ? fmt::format("{:.4g}", *row.value) : "",
                     row.ratio_to_best ? fmt::format("{:.4f}", *row.ratio_to_best) : "",
                     row.gap ? fmt::format("{:.1f} %", *row.gap * 100) : "",
                     row.evaluated ? fmt::format("{}", *row.evaluated) : "",
                     row.seconds ? fmt::format("{:.3g}", *row.seconds) : "",
                     row.status ? std::string(name(*row.status)) : "external"});
  return html_section("All rows", "A mapper on a layer of a machine; ratio: to the best known value.",
                      table({"strategy", "machine", "layer", heliolite::title(suite.objective), "ratio", "gap",
                             "evaluated", "seconds", "status"},
                            cells));
}

}  // namespace

std::string bench_page(const BenchSuite& suite, const std::vector<BenchRow>& rows, const BenchAnalysis& analysis,
                       const std::string& program) {
  std::string body = fmt::format(
      "<header><p class=\"brand\">Heliolite bench</p><h1>{}</h1>\n<p class=\"note\">Objective {}, {} machines, {} "
      "layers, {} strategies, threads of a search: {}. Times are of the computer that ran it.</p></header>\n",
      html_text(suite.name), name(suite.objective), suite.machines.size(), suite.layers.size(), suite.strategies.size(),
      suite.threads);
  body += arrival_section(rows, analysis);
  body +=
      html_section("Performance profile",
                   "The share of the layers on which a mapper's value is at most so many times the best known (Dolan, "
                   "More, 2002).",
                   line_plot_svg(profile_plot(analysis.profiles)));
  body += comparison_section(analysis) + published_section(analysis) + rows_section(suite, rows);
  return html_page(suite.name, body, program);
}

}  // namespace heliolite
