// Pages of one answer each (answer_page.h) besides that of `map`: of a suite that was run, and of a network whose
// layers may be fused.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <vector>

#include "engine/report/answer_page.h"
#include "engine/report/html.h"
#include "engine/search/study/bench_analysis.h"

namespace heliolite {

// The page of a suite that was run: one HTML file with plots and tables, without scripts.

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

// The page of a network whose layers may be fused, as `map --fuse --json` writes it.

namespace {

using namespace answer_json;

// The picture as an image: what stands in it can draw and nothing else.
std::string image(const std::string& svg, const char* what) {
  std::string address = "data:image/svg+xml,";
  for (const char c : svg) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) address += c;
    else address += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return fmt::format("<img src=\"{}\" alt=\"{}\" style=\"max-width:100%;background:#fff\">\n", address,
                     html_text(what));
}

std::string schedule_summary(const Json& answer) {
  const Json &network = part(answer, "network"), &rates = part(answer, "rates"), &unfused = part(network, "unfused");
  const auto value = number(network, "value"), alone = number(unfused, "value"), seconds = number(rates, "seconds");
  const auto watts = number(rates, "watts"), tops = number(rates, "tops");
  const std::string cycles = whole(number(answer, "cycles")) + " cycles";
  std::string out = "<dl id=\"summary\" aria-label=\"Summary\">";
  out += html_fact("Energy", energy(number(answer, "energy_pj")),
                   unfused.is_object() ? "not fused " + energy(number(unfused, "energy_pj")) : "");
  out += seconds ? html_fact("Time", with_prefix(*seconds, "s"), cycles) : html_fact("Time", cycles);
  if (watts) out += html_fact("Power", with_prefix(*watts, "W"));
  if (tops)
    out +=
        html_fact("Throughput", fmt::format("{:.4g} TOPS", *tops), digits(number(rates, "tops_per_watt")) + " TOPS/W");
  if (value && alone && *value > 0)
    out += html_fact("Gain of fusing", fmt::format("{:.3g} ×", *alone / *value),
                     "less " + text(network, "objective") + " than with no layer fused");
  out += html_fact("How sure", text(network, "status"),
                   number(network, "gap") ? "at most " + share(number(network, "gap")) + " above the least" : "");
  const Json& bytes = part(answer, "edge_bytes");
  out += html_fact("Edges", whole(number(bytes, "stay")) + " of " + whole(number(bytes, "edges")) + " stay inside",
                   whole(number(bytes, "bytes_stay")) + " of " + whole(number(bytes, "bytes")) + " bytes");
  return out + "</dl>\n";
}

std::string names_text(const Json& names) {
  std::string words;
  for (const Json& name : names)
    if (name.is_string()) words += (words.empty() ? "" : ", ") + name.get<std::string>();
  return html_text(words);
}

std::string group_rows(const Json& answer) {
  HtmlTable table({"group", "<fused at", "<layers", "runs", "energy", "cycles"});
  std::size_t i = 0;
  for (const Json& group : part(answer, "groups"))
    table.row({std::to_string(++i), html_text(text(group, "level")), names_text(part(group, "layers")),
               whole(number(group, "count")), energy(number(group, "energy_pj")), whole(number(group, "cycles"))});
  return table.to_string();
}

std::string link_rows(const Json& answer) {
  const Json& links = part(answer, "links");
  const bool has_units = std::ranges::any_of(links, [](const Json& link) { return !text(link, "unit").empty(); });
  std::vector<std::string> headings{"<layer", "group", "passes", "<stay at home", "room of homes", "energy", "cycles"};
  if (has_units) headings.insert(headings.begin() + 1, "<unit");
  HtmlTable table(headings);
  for (const Json& link : links) {
    const auto group = number(link, "group");
    std::vector<std::string> row{html_text(text(link, "name")),        group ? whole(*group + 1) : "",
                                 whole(number(link, "passes")),        names_text(part(link, "at_home")),
                                 whole(number(link, "room_of_homes")), energy(number(link, "energy_pj")),
                                 whole(number(link, "cycles"))};
    if (has_units) row.insert(row.begin() + 1, html_text(text(link, "unit")));
    table.row(row);
  }
  return table.to_string();
}

std::string edge_rows(const Json& answer) {
  const std::string outermost = text(part(answer, "outermost"), "level");
  HtmlTable table({"<array", "<to", "<stays at", "words", "bytes", outermost + " bytes read", "written"});
  for (const Json& edge : part(answer, "edges")) {
    const bool stays = part(edge, "stays") == true;
    table.row({html_text(text(edge, "array")), html_text(text(edge, "to")), stays ? html_text(text(edge, "level")) : "",
               whole(number(edge, "words")), whole(number(edge, "bytes")), whole(number(edge, "bytes_read")),
               whole(number(edge, "bytes_written"))});
  }
  return table.to_string();
}

std::string apart_rows(const Json& answer) {
  HtmlTable table({"<arrays", "<why no group has them inside"});
  for (const Json& one : part(answer, "kept_apart"))
    table.row({names_text(part(one, "arrays")), html_text(text(one, "why"))});
  return table.to_string();
}

// Fused, not fused, and what nothing is below.
std::string comparison_rows(const Json& answer) {
  const Json &network = part(answer, "network"), &unfused = part(network, "unfused"),
             &outermost = part(answer, "outermost");
  HtmlTable table({"<", text(outermost, "level") + " words", "energy", "cycles", text(network, "objective")});
  const auto words = number(outermost, "words_read"), written = number(outermost, "words_written");
  table.row({"fused", words && written ? whole(*words + *written) : "", energy(number(answer, "energy_pj")),
             whole(number(answer, "cycles")), digits(number(network, "value"))});
  if (unfused.is_object())
    table.row({"not fused", whole(number(unfused, "words")), energy(number(unfused, "energy_pj")),
               whole(number(unfused, "cycles")), digits(number(unfused, "value"))});
  table.row({"no schedule is below", "", "", "", digits(number(network, "lower_bound"))});
  return table.to_string();
}

}  // namespace

bool is_schedule_answer(const Json& answer) {
  return text(answer, "command") == "map" && part(answer, "schedule").is_string() && part(answer, "groups").is_array();
}

std::string schedule_page(const Json& answer, const std::string& program) {
  const std::string title =
      text(answer, "name") + " on " + text(part(part(answer, "question"), "architecture"), "name");
  std::string body = fmt::format(
      "<header><p class=\"brand\">Heliolite map</p><h1>{}</h1>\n<p class=\"note\">The network as {}.</p></header>\n"
      "<main>",
      html_text(title), html_text(text(answer, "schedule")));
  body += schedule_summary(answer);
  if (const std::string picture = text(answer, "picture"); !picture.empty())
    body += html_section("Groups of layers, and what stays inside over time", "",
                         image(picture, "The layers as a graph with their groups, and the room taken while they run"));
  if (part(answer, "network").is_object())
    body += html_section("Fused and not fused", "The whole network.", comparison_rows(answer));
  body += html_section("Groups", "", group_rows(answer)) + html_section("Layers", "All runs.", link_rows(answer)) +
          html_section("Edges", "What one layer makes for another.", edge_rows(answer));
  if (!part(answer, "kept_apart").empty()) body += html_section("Cannot stay inside", "", apart_rows(answer));
  const std::string why = text(part(answer, "network"), "why_not_proven");
  if (!why.empty()) body += html_section("Why not proven", why, "");
  return html_page(title, body + "</main>\n", program);
}

}  // namespace heliolite
