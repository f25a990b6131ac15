// heliolite bound --chip: how to divide a chip between a buffer and compute units, from curves of accesses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cli/bound/bound_curves.h"
#include "cli/bound/bound_orojenesis.h"
#include "cli/bound/experiment.h"
#include "cli/map/answer_texts.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/svg_canvas.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/lower_bounds.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

struct ChipPictureCurve {
  std::string name;
  std::vector<ProvisionPoint> line;
  Provision best;  // marked
};

// Performance over the share of a chip that its buffer takes, as an SVG picture; both axes linear.
struct ChipPicture {
  std::string title;
  std::vector<ChipPictureCurve> curves;
};

constexpr double kPictureWidth = 760, kPictureHeight = 440, kPlotLeft = 80, kPlotRight = 20, kPlotBottom = 60;
constexpr double kFirstLegend = 44, kLegendStep = 16;
constexpr std::array<const char*, 3> kLineColours{"#1f5fa8", "#c0392b", "#2e8b57"};

// The round number above: 1, 2 or 5 times a power of ten.
double round_above(double x) {
  const double decade = std::pow(10, std::floor(std::log10(x)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (x <= factor * decade) return factor * decade;
  return 10 * decade;
}

std::string chip_svg(const ChipPicture& picture) {
  double most = 0;
  for (const ChipPictureCurve& curve : picture.curves) most = std::max(most, curve.best.macs_per_second);
  const double top_value = round_above(std::max(most, 1.0));
  const double top = kFirstLegend + kLegendStep * static_cast<double>(picture.curves.size());
  const auto x = [&](double share) { return kPlotLeft + share * (kPictureWidth - kPlotLeft - kPlotRight); };
  const auto y = [&](double rate) {
    return kPictureHeight - kPlotBottom - rate / top_value * (kPictureHeight - top - kPlotBottom);
  };
  std::string text = svg_head(kPictureWidth, kPictureHeight, picture.title);
  text += fmt::format("<text x=\"{:g}\" y=\"24\" font-size=\"15\">{}</text>\n", kPlotLeft, svg_escaped(picture.title));
  for (int i = 0; i <= 5; ++i) {
    const double part = i / 5.0;
    text += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:g} %</text>\n"
        "<line x1=\"{5:g}\" y1=\"{6:.1f}\" x2=\"{7:g}\" y2=\"{6:.1f}\" stroke=\"#ddd\"/>\n"
        "<text x=\"{8:g}\" y=\"{9:.1f}\" text-anchor=\"end\">{10:g}</text>\n",
        x(part), top, kPictureHeight - kPlotBottom, kPictureHeight - kPlotBottom + 18, part * 100, kPlotLeft,
        y(part * top_value), kPictureWidth - kPlotRight, kPlotLeft - 8, y(part * top_value) + 4, part * top_value);
  }
  for (std::size_t c = 0; c < picture.curves.size(); ++c) {
    const ChipPictureCurve& curve = picture.curves[c];
    const char* colour = kLineColours[c % kLineColours.size()];
    std::string points;
    for (const ProvisionPoint& p : curve.line)
      points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x(p.share), y(p.macs_per_second));
    const double base = kFirstLegend + kLegendStep * static_cast<double>(c);
    text += fmt::format(
        "<polyline points=\"{0}\" fill=\"none\" stroke=\"{1}\" stroke-width=\"2\"/>\n"
        "<circle cx=\"{2:.1f}\" cy=\"{3:.1f}\" r=\"4\" fill=\"none\" stroke=\"{1}\"/>\n"
        "<rect x=\"{4:g}\" y=\"{5:g}\" width=\"18\" height=\"3\" fill=\"{1}\"/>\n"
        "<text x=\"{6:g}\" y=\"{7:g}\">{8}: best at {9:.1f} % of the area, {10:.4g} MACs/s</text>\n",
        points, colour, x(curve.best.share), y(curve.best.macs_per_second), kPlotLeft, base - 5, kPlotLeft + 24, base,
        svg_escaped(curve.name), curve.best.share * 100, curve.best.macs_per_second);
  }
  return text +
         fmt::format(
             "<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\" font-size=\"13\">buffer [share of the area]</text>\n"
             "<text transform=\"translate(18 {:.1f}) rotate(-90)\" text-anchor=\"middle\" font-size=\"13\">"
             "MACs a second</text>\n</svg>\n",
             (kPlotLeft + kPictureWidth - kPlotRight) / 2, kPictureHeight - 18,
             (top + kPictureHeight - kPlotBottom) / 2);
}

constexpr std::size_t kMostPoints = 400;  // of a curve in JSON

// One way to run the workload, and what the chip can make of it.
struct ChipCurve {
  std::string name;
  std::vector<CurveStep> steps;
  std::vector<Provision> provisions;

  Provision best() const { return best_provision(provisions); }
};

// Then its curve is raised to the bounds of all executions; those of networks are of schedules.
bool of_one_layer(const Network& network) { return network.layers.size() == 1 && network.layers.front().count == 1; }

// Curves of the layer, or of the network with nothing fused, with the best cuts, and with intermediates that stay
// whole.
Result<std::vector<ChipCurve>> chip_curves(const OrojenesisArguments& arguments, const Network& network,
                                           const SegmentOptions& options) {
  std::vector<ChipCurve> curves;
  if (of_one_layer(network)) {
    const Workload& layer = network.layers.front().workload;
    const OrojenesisOptions mappings{.imperfect = arguments.imperfect};
    const Result<Curve> curve = one_buffer_curve(layer, mappings);
    if (!curve) return curve.errors();
    curves.push_back({layer.name, {}, {}});
    for (const RaisedStep& step :
         raised(curve->steps(), schedule_bounds(layer, mappings), operand_words(layer, mappings)))
      curves.back().steps.push_back(step.step);
    return curves;
  }
  const Result<SegmentedNetwork> all = SegmentedNetwork::create(network, options);
  if (!all) return all.errors();
  curves.push_back({"unfused", network_steps(*all, false), {}});
  if (network.edges.empty()) return curves;
  curves.push_back({"fused", network_steps(*all, true), {}});
  SegmentOptions whole = options;
  whole.tiled = false;
  const Result<SegmentedNetwork> untiled = SegmentedNetwork::create(network, whole);
  if (!untiled) return untiled.errors();
  curves.push_back({"fused, untiled", network_steps(*untiled, true), {}});
  return curves;
}

bool starved(const Provision& p, const Chip& chip) { return p.macs_per_second < p.units * chip.hertz * (1 - 1e-12); }

std::string chip_text(const Network& network, const std::vector<ChipCurve>& curves, const ChipQuestion& question) {
  Table table({"<best", "buffer [words]", "of the area", "units", "MACs/s", "x first", "<limited by"});
  const double first = curves.front().best().macs_per_second;
  for (const ChipCurve& curve : curves) {
    const Provision best = curve.best();
    table.row({curve.name, grouped(best.buffer), fmt::format("{:.1f} %", best.share * 100),
               fmt::format("{:.0f}", best.units), fmt::format("{:.4g}", best.macs_per_second),
               first > 0 ? fmt::format("{:.2f}", best.macs_per_second / first) : "",
               starved(best, question.chip) ? "memory" : "compute"});
  }
  return fmt::format("{}: chips of {:g} mm2, divided between one buffer and compute units\n\n", network.name,
                     question.chip.area_um2 / 1e6) +
         table.to_string() +
         (of_one_layer(network)
              ? "  Accesses are the least of any execution: mappings of one buffer, and the bounds of all schedules.\n"
              : "  Accesses are the least over schedules of one buffer; bounds of all executions do not raise them.\n");
}

Json provision_json(const Provision& p) {
  return {{"buffer_words", p.buffer}, {"share", p.share}, {"units", p.units}, {"macs_per_second", p.macs_per_second}};
}

std::string chip_csv(const std::vector<ChipCurve>& curves) {
  std::string text = "curve,buffer_words,share,units,macs_per_second\n";
  for (const ChipCurve& curve : curves)
    for (const Provision& p : curve.provisions)
      text += fmt::format("{},{},{:.6g},{:.6g},{:.6g}\n", csv_cell(curve.name), p.buffer, p.share, p.units,
                          p.macs_per_second);
  return text;
}

}  // namespace

std::vector<CurveStep> network_steps(const SegmentedNetwork& network, bool fused) {
  std::vector<CurveStep> steps;
  for (const u64 capacity : network.capacities()) {
    const u64 accesses = fused ? network.fused(capacity) : network.unfused(capacity);
    if (steps.empty() || accesses < steps.back().accesses) steps.push_back({capacity, accesses});
  }
  return steps;
}

int run_chip(const OrojenesisArguments& arguments, const Output& output) {
  const Result<ChipQuestion> question = load_chip(arguments.chip);
  Result<Network> network = load_workload(arguments.workload, arguments.reading, output, Wanted::Edges);
  const SegmentOptions options = segment_options(arguments);
  Diagnostics errors;
  if (!question) errors = question.errors();
  if (!network) errors.insert(errors.end(), network.errors().begin(), network.errors().end());
  else
    for (Diagnostic& refused : refuse_word_bits(*network, "a chip that states the area of a word (--chip)"))
      errors.push_back(std::move(refused));
  if (!errors.empty()) return fail(errors);
  if (!arguments.layer.empty()) {
    const Result<Workload> layer = pick_layer(*network, arguments.layer);
    if (!layer) return fail(layer.errors());
    network = Network{.name = layer->name, .layers = {{*layer, 1}}};
  }
  Json json = answer_head("bound");
  json["question"] = {{"kind", "orojenesis"},
                      {"chip", arguments.chip},
                      {"workload", arguments.workload},
                      {"layer", arguments.layer},
                      {"imperfect", arguments.imperfect}};
  const auto found = until_interrupted(
      [=, network = *network, options = options] { return chip_curves(arguments, network, options); });
  if (!found) return write_partial_answer(output, json, 0, 1, "networks");
  if (!*found) return fail(found->errors());
  std::vector<ChipCurve> curves = **found;
  ChipPicture picture{network->name, {}};
  json["name"] = network->name;
  json["macs"] = network->macs();
  json["raised"] = of_one_layer(*network);
  json["curves"] = Json::array();
  const u64 roof = question->roof(network->macs());
  for (ChipCurve& curve : curves) {
    curve.provisions = provisions(question->chip, roof, curve.steps);
    picture.curves.push_back({curve.name, provision_line(question->chip, roof, curve.steps), curve.best()});
    Json points = Json::array();
    for (const std::size_t i : thinned(curve.provisions.size(), kMostPoints))
      points.push_back(provision_json(curve.provisions[i]));
    json["curves"].push_back({{"name", curve.name}, {"best", provision_json(curve.best())}, {"points", points}});
  }
  if (!output.write("--csv", chip_csv(curves)) || !output.write("--svg", chip_svg(picture))) return kBadInput;
  output.table(chip_text(*network, curves, *question));
  return write_partial_answer(output, json, 1, 1, "networks");
}

}  // namespace heliolite::cli
