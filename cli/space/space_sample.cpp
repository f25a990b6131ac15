// What the mappings of a mapspace cost, for `heliolite space`: how rare good ones are (--sample), and which decisions
// decide it (--sensitivity).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cli/map/answer_texts.h"
#include "cli/space/space_views.h"
#include "cli/ui/command.h"
#include "cli/ui/long_work.h"
#include "cli/ui/svg_canvas.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/search/baseline/sampler.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/core/objective.h"
#include "engine/search/map.h"
#include "engine/search/sensitivity/mapping_sensitivity.h"

namespace heliolite::cli {
namespace {

// A value to be shown as a line with a name.
struct HistogramLine {
  std::string name;
  double at = 0;
};

// Counts of values from `from` to below `to`.
struct HistogramBin {
  double from = 0, to = 0;
  u64 count = 0;
};

constexpr u64 kMostSamples = 1 << 20;
constexpr std::size_t kPairsShown = 12;
constexpr std::array<const char*, 4> kGroupNames{"feature", "level", "dimension", "orders"};

Json json(const Estimate& e) { return {{"value", e.value}, {"low", e.low}, {"high", e.high}}; }

std::string text(const Estimate& e) { return fmt::format("{:.4f}", e.value); }
std::string interval(const Estimate& e) { return fmt::format("{:.4f} to {:.4f}", e.low, e.high); }

// A bar of the total index, so that the eye sees what leads.
std::string bar(double total) { return std::string(at(std::lround(40 * std::clamp(total, 0.0, 1.0))), '#'); }

std::string answer_text(const Workload& workload, const Architecture& architecture, Objective objective,
                        const MappingSensitivity& s, bool surrogate) {
  std::string out =
      fmt::format("{} on {}: what decides log {} ({} of {} mappings{})\n", workload.name, architecture.name,
                  name(objective), surrogate ? "a process learned from --from, asked" : "the cost model", s.evaluations,
                  s.unfit == 0 ? "" : fmt::format(", {} of them without room", s.unfit));
  out += fmt::format("mean {:.4f}, standard deviation {:.4f}\n", s.mean, std::sqrt(s.variance));
  SensitivityGroup last = SensitivityGroup::Feature;
  Table table({"<feature", "alone", "95 %", "with others", "95 %", "<"});
  const auto flush = [&] { out += "\n" + table.to_string(); };
  for (const FeatureSensitivity& row : s.rows) {
    if (row.group != last) {
      flush();
      table = Table({fmt::format("<{}", kGroupNames[at(row.group)]), "alone", "95 %", "with others", "95 %", "<"});
      last = row.group;
    }
    table.row({row.name, text(row.index.first), interval(row.index.first), text(row.index.total),
               interval(row.index.total), bar(row.index.total.value)});
  }
  flush();
  if (s.pairs.empty()) return out;
  Table pairs({"<pair", "<", "both together", "95 %", "<"});
  const std::size_t shown = std::min(kPairsShown, s.pairs.size());
  for (const PairSensitivity& pair : std::span(s.pairs).first(shown))
    pairs.row({pair.a, pair.b, text(pair.second), interval(pair.second), bar(pair.second.value)});
  out += "\n" + pairs.to_string();
  if (shown < s.pairs.size())
    out += fmt::format("  The first {} of {} pairs; --json has all.\n", shown, s.pairs.size());
  return out;
}

}  // namespace

void add_sensitivity_options(const Command& command, SensitivityQuestion& question) {
  command->add_flag("--sensitivity", question.asked, "Which decisions of a mapping decide its cost: Sobol's indices");
  command->add_flag("--pairs", question.pairs, "With --sensitivity: also what each two features explain together only");
  command.value("--samples", question.samples, "N", "With --sensitivity: samples, a power of two is best")
      ->check(CLI::Range(u64{16}, kMostSamples))
      ->capture_default_str();
  command.value("--from", question.from, "FILE",
                "With --sensitivity: of a process learned from such a file of map --learn, not of the cost model");
  question.search.add_to(*command, {"encoding"}, "With --sensitivity: ");
  question.search.add_to(*command, {"objective", "seed", "threads"}, "With --sensitivity or --sample: ");
}

int show_sensitivity(const Workload& workload, const Architecture& architecture, const MapspaceOptions& lifted,
                     const SensitivityQuestion& question, Json& answer, const Output& output) {
  SearchOptions options;
  question.search.apply(options);
  options.strategy = Strategy::Bayes;
  options.free = lifted.free;
  options.open = lifted.open;
  if (const Diagnostics errors = load_learned(question.from, options); !errors.empty()) return fail(errors);
  const auto found = until_interrupted([=, samples = question.samples, pairs = question.pairs] {
    return mapping_sensitivity(workload, architecture, options, samples, pairs);
  });
  if (!found) {
    output.note("heliolite: interrupted");
    return kInterrupted;
  }
  if (!*found) return fail(found->errors());
  const MappingSensitivity& s = **found;
  output.table(answer_text(workload, architecture, options.objective, s, options.bayes.from != nullptr));
  Json rows = Json::array();
  for (const FeatureSensitivity& row : s.rows)
    rows.push_back({{"group", kGroupNames[at(row.group)]},
                    {"name", row.name},
                    {"first", json(row.index.first)},
                    {"total", json(row.index.total)}});
  Json pairs = Json::array();
  for (const PairSensitivity& pair : s.pairs)
    pairs.push_back({{"features", {pair.a, pair.b}}, {"second", json(pair.second)}});
  answer["sensitivity"] = {{"objective", name(options.objective)},
                           {"encoding", name(options.bayes.encoding)},
                           {"surrogate", options.bayes.from != nullptr},
                           {"samples", question.samples},
                           {"evaluations", s.evaluations},
                           {"unfit", s.unfit},
                           {"mean", s.mean},
                           {"variance", s.variance},
                           {"indices", rows},
                           {"pairs", question.pairs ? pairs : Json()}};
  return output.json(answer) ? kSuccess : kBadInput;
}

// Mappings drawn at random, for `heliolite space --sample`: how rare good ones are.

namespace {

constexpr double kHistogramPictureWidth = 760, kHistogramHeight = 420, kHistogramLeft = 70, kHistogramRight = 20,
                 kHistogramTop = 50, kHistogramBottom = 60;
constexpr double kLabelSize = 11;  // size of labels in the plot

// Bins of equal ratio, `per_decade` for a factor of ten, from the one of the least value to the one of the largest.
// Values must be positive.
std::vector<HistogramBin> log_bins(const std::vector<double>& values, int per_decade) {
  if (values.empty()) return {};
  const auto bin = [&](double x) { return static_cast<int>(std::floor(std::log10(x) * per_decade)); };
  const auto [least, most] = std::ranges::minmax(values);
  const int first = bin(least);
  std::vector<HistogramBin> bins;
  for (int b = first; b <= bin(most); ++b)
    bins.push_back({std::pow(10, static_cast<double>(b) / per_decade), std::pow(10, (b + 1.0) / per_decade), 0});
  for (const double x : values) ++bins[bin(x) - first].count;
  return bins;
}

// The document. `bins` of one log_bins() and not empty; `axis`: what the values are.
std::string histogram_svg(const std::string& title, const std::string& axis, const std::vector<HistogramBin>& bins,
                          const std::vector<HistogramLine>& lines) {
  double low = bins.front().from, high = bins.back().to;
  u64 most = 1;
  for (const HistogramLine& line : lines) low = std::min(low, line.at);
  for (const HistogramBin& bin : bins) most = std::max(most, bin.count);
  const double first = std::floor(std::log10(low)), last = std::max(std::ceil(std::log10(high)), first + 1);
  const auto x = [&](double value) {
    return kHistogramLeft +
           (std::log10(value) - first) / (last - first) * (kHistogramPictureWidth - kHistogramLeft - kHistogramRight);
  };
  const auto y = [&](double count) {
    return kHistogramHeight - kHistogramBottom -
           count / static_cast<double>(most) * (kHistogramHeight - kHistogramTop - kHistogramBottom);
  };
  std::string text = svg_head(kHistogramPictureWidth, kHistogramHeight, title);
  text += fmt::format("<text x=\"{:g}\" y=\"24\" font-size=\"15\">{}</text>\n", kHistogramLeft, svg_escaped(title));
  for (double decade = first; decade <= last; ++decade)
    text += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:g}\" x2=\"{0:.1f}\" y2=\"{2:g}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3:g}\" text-anchor=\"middle\">1e{4:g}</text>\n",
        x(std::pow(10, decade)), kHistogramTop, kHistogramHeight - kHistogramBottom,
        kHistogramHeight - kHistogramBottom + 18, decade);
  for (const HistogramBin& bin : bins)
    if (bin.count > 0)
      text += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#1f5fa8\"><title>{} mappings from "
          "{:.4g} to {:.4g}</title></rect>\n",
          x(bin.from), y(static_cast<double>(bin.count)), x(bin.to) - x(bin.from) - 0.5,
          kHistogramHeight - kHistogramBottom - y(static_cast<double>(bin.count)), bin.count, bin.from, bin.to);
  text += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">{}</text>\n", kHistogramLeft - 6,
                      kHistogramTop + 10, most);
  double base = kHistogramTop + kLabelSize;
  for (const HistogramLine& line : lines) {
    text += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:g}\" x2=\"{0:.1f}\" y2=\"{2:g}\" stroke=\"#c0392b\" stroke-dasharray=\"4 3\"/>\n"
        "<text x=\"{3:.1f}\" y=\"{4:g}\" font-size=\"{5:g}\" fill=\"#c0392b\">{6}</text>\n",
        x(line.at), kHistogramTop, kHistogramHeight - kHistogramBottom, x(line.at) + 4, base, kLabelSize,
        svg_escaped(line.name));
    base += kLabelSize + 3;
  }
  return text + fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n</svg>\n",
                            (kHistogramLeft + kHistogramPictureWidth - kHistogramRight) / 2, kHistogramHeight - 18,
                            svg_escaped(axis));
}

constexpr int kBinsPerDecade = 8;
constexpr double kSecondsForTheBest = 10;  // what the exact search may take; sampling is not about it
constexpr std::array<double, 5> kNear{1.01, 1.1, 2, 10, 100};
constexpr std::array<double, 7> kQuantiles{0, 0.001, 0.01, 0.1, 0.5, 0.9, 1};

struct SampleAnswer {
  std::vector<double> values;  // ascending
  u64 drawn = 0;
  bool complete = false;
  double best = 0;  // of the exact search; 0: it found none
  bool proven = false;

  double quantile(double q) const { return values[at(static_cast<u64>(q * static_cast<double>(values.size() - 1)))]; }
  double within(double factor) const {  // share of the mappings
    const auto above = std::ranges::upper_bound(values, factor * best);
    return static_cast<double>(above - values.begin()) / static_cast<double>(values.size());
  }
};

SampleAnswer draw(const Workload& workload, const Architecture& architecture, const Mapspace& space,
                  SearchOptions options, u64 mappings) {
  SampleAnswer out;
  const CostModel model(workload, architecture);
  const SpaceSample sample =
      sample_space(space, model, {.mappings = mappings, .seed = options.seed, .threads = options.threads});
  const double factor = machine_factor(options.objective, architecture, workload);
  for (const Cost& cost : sample.costs) out.values.push_back(objective_number(options.objective, cost) * factor);
  std::ranges::sort(out.values);
  out.drawn = sample.drawn;
  out.complete = sample.complete;
  options.budget_seconds = kSecondsForTheBest;
  const Result<MappingResult> best = map_workload(workload, architecture, options);
  if (best && best->status != Status::Infeasible) {
    out.best = objective_number(options.objective, best->cost) * factor;
    out.proven = best->status == Status::Optimal;
  }
  return out;
}

std::string best_name(const SampleAnswer& answer) { return answer.proven ? "proven optimum" : "best known"; }

std::string sample_text(const SampleAnswer& answer, const Workload& workload, const Architecture& architecture,
                        const SearchOptions& options) {
  std::string text = fmt::format("{} on {}: {} legal of {} mappings drawn at random, seed {}\n\n", workload.name,
                                 architecture.name, grouped(answer.values.size()), grouped(answer.drawn), options.seed);
  if (answer.values.empty()) return text + "  no legal mapping was drawn\n";
  Table quantiles({"<mappings below", heliolite::title(options.objective), "x best"});
  const auto row = [&](const std::string& what, double value) {
    quantiles.row(
        {what, fmt::format("{:.4g}", value), answer.best > 0 ? fmt::format("{:.3g}", value / answer.best) : ""});
  };
  if (answer.best > 0) row(best_name(answer), answer.best);
  for (const double q : kQuantiles)
    row(q == 0 ? "least" : q == 1 ? "largest" : fmt::format("{:g} %", q * 100), answer.quantile(q));
  text += quantiles.to_string();
  if (answer.best == 0) return text;
  text += "\n";
  for (const double factor : kNear)
    text += fmt::format("  within {:<5g}x the {}: {:.4g} % of the mappings\n", factor, best_name(answer),
                        100 * answer.within(factor));
  return text;
}

}  // namespace

int show_sample(const Workload& workload, const Architecture& architecture, const Mapspace& space,
                SearchOptions options, const SampleQuestion& question, Json answer, const Output& output) {
  Diagnostics errors = objective_complaints(options.objective, architecture);
  if (errors.empty()) errors = of_layers_only(asked_objective(options), "--sample");
  if (!errors.empty()) return fail(errors);
  const auto found = until_interrupted(
      [=, mappings = question.mappings] { return draw(workload, architecture, space, options, mappings); });
  if (!found) return write_partial_answer(output, answer, 0, 1, "layers");
  const std::vector<HistogramBin> bins = log_bins(found->values, kBinsPerDecade);
  std::string csv = "from,to,mappings\n";
  Json histogram = Json::array();
  for (const HistogramBin& bin : bins) {
    csv += fmt::format("{:.6g},{:.6g},{}\n", bin.from, bin.to, bin.count);
    histogram.push_back({{"from", bin.from}, {"to", bin.to}, {"mappings", bin.count}});
  }
  if (!output.write("--csv", csv)) return kBadInput;
  if (!bins.empty()) {
    std::vector<HistogramLine> lines;
    if (found->best > 0) lines.push_back({best_name(*found), found->best});
    const std::string title =
        fmt::format("{} random mappings of {} on {}", grouped(found->values.size()), workload.name, architecture.name);
    if (!output.write("--svg", histogram_svg(title, heliolite::title(options.objective), bins, lines)))
      return kBadInput;
  }
  output.table(sample_text(*found, workload, architecture, options));
  Json quantiles = Json::array(), near = Json::array();
  for (const double q : kQuantiles)
    if (!bins.empty()) quantiles.push_back({{"share", q}, {"value", found->quantile(q)}});
  for (const double factor : kNear)
    if (!bins.empty() && found->best > 0) near.push_back({{"factor", factor}, {"share", found->within(factor)}});
  answer.update({{"name", workload.name},
                 {"objective", name(options.objective)},
                 {"seed", options.seed},
                 {"drawn", found->drawn},
                 {"legal", found->values.size()},
                 {"complete", found->complete},
                 {"best", found->best > 0 ? Json(found->best) : Json()},
                 {"proven", found->proven},
                 {"quantiles", quantiles},
                 {"within", near},
                 {"histogram", histogram}});
  const int code = write_partial_answer(output, answer, 1, 1, "layers");
  return code == kSuccess && bins.empty() ? kNegative : code;
}

}  // namespace heliolite::cli
