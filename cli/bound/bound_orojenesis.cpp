#include "cli/bound/bound_orojenesis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/map/answer_texts.h"
#include "cli/ui/inputs.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/model/cost_model.h"
#include "engine/model/running_units.h"
#include "engine/search/map.h"
#include "engine/space/constraint_notes.h"

namespace heliolite::cli {
namespace {

constexpr u32 kMaxWordSize = 64;

// --word-size A=2 are bytes.
std::string unit_name(const OrojenesisArguments& arguments) {
  return arguments.word_sizes.empty() ? std::string(arguments.unit.name()) : "bytes";
}

Result<OrojenesisOptions> orojenesis_options(const OrojenesisArguments& arguments, const Workload& workload) {
  OrojenesisOptions options;
  Diagnostics errors;
  options.imperfect = arguments.imperfect;
  if (arguments.counts == "timeloop") options.words = WordCount::Timeloop;
  if (arguments.partial_sums == "write_only") options.partial_sums = PartialSums::WriteOnly;
  for (const std::string& text : arguments.word_sizes)
    read_word_size<u32>(text, workload, 1, kMaxWordSize, fmt::format("BYTES with 1 to {} bytes", kMaxWordSize),
                        options.word_size, errors);
  if (!errors.empty()) return errors;
  if (!arguments.unit.counts_words()) options.word_size = arguments.unit.sizes(workload);
  return options;
}

std::string order_text(const Tiling& how, const Workload& workload) {
  std::string text;
  for (int k = how.loop_count; k-- > 0;)
    text += fmt::format("{}{}", text.empty() ? "" : " ", workload.dimensions[how.loop[k]].name);
  return text.empty() ? "-" : text;
}

std::string kept_text(TensorMask kept, const Workload& workload) {
  std::string text;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    if (contains(kept, v)) text += (text.empty() ? "" : " ") + workload.tensors[v].name;
  return text.empty() ? "-" : text;
}

std::string nesting_text(const Nesting& how, const Workload& workload) {
  std::string text;
  for (std::size_t k = 0; k < how.count; ++k)
    text += fmt::format("{}{}: {}", k > 0 ? " | " : "", workload.tensors[how.tensor[k]].name,
                        tile_text(how.tile[k], workload));
  return text.empty() ? "-" : text;
}

Result<LayerCurve> layer_curve(const Workload& workload, const OrojenesisOptions& options, bool nested) {
  LayerCurve out;
  if (nested) {
    const Result<NestedCurve> curve = nested_curve(workload, options);
    if (!curve) return curve.errors();
    out.points = curve->steps();
    out.by.assign(out.points.size(), kNestedCurve);
    out.headings = {"<tiles, innermost first"};
    for (const auto& p : curve->points()) out.how.push_back({nesting_text(p.how, workload)});
    return out;
  }
  const Result<Curve> curve = one_buffer_curve(workload, options);
  if (!curve) return curve.errors();
  out.points = curve->steps();
  out.by.assign(out.points.size(), kOneBufferCurve);
  out.headings = {"<kept", "<tile", "<loops over tiles, innermost right"};
  for (const auto& p : curve->points())
    out.how.push_back({kept_text(p.how.kept, workload), tile_text(p.how.tile, workload), order_text(p.how, workload)});
  return out;
}

// Adds the machine's levels, and how far the mapper's answer is from their bounds if that is asked for.
Diagnostics add_levels(LayerAnswer& answer, const OrojenesisArguments& arguments, const Architecture& machine) {
  const Architecture& architecture = **chain_that_runs(answer.workload, machine);
  const Result<NestedCurve> curve = nested_curve(answer.workload, answer.options);
  if (!curve) return curve.errors();
  answer.levels = level_bounds(*curve, answer.workload, architecture, arguments.unit);
  if (arguments.sample > 0) {
    Result<MappingCloud> cloud =
        mapping_cloud(*curve, answer.workload, architecture, arguments.unit, arguments.sample, arguments.seed);
    if (!cloud) return cloud.errors();
    answer.cloud = *std::move(cloud);
  }
  if (!arguments.map) return {};
  const Result<MappingResult> mapped = map_workload(answer.workload, architecture, {});
  if (!mapped) return mapped.errors();
  if (mapped->status == Status::Infeasible) return mapped->why_infeasible;
  answer.distances = level_distances(*curve, answer.workload, architecture,
                                     CostModel(answer.workload, architecture).explain(mapped->mapping), arguments.unit);
  return {};
}

// Tilings for buffers that grow by half, and for those asked for.
std::vector<CurveStep> best_tilings(const LayerAnswer& answer, const OrojenesisArguments& arguments) {
  const std::vector<double> sizes(answer.options.word_size.begin(),
                                  answer.options.word_size.begin() + std::ssize(answer.workload.tensors));
  std::vector<u64> buffers = arguments.buffers;
  for (u64 buffer = 1; buffer < answer.effectual(); buffer += std::max<u64>(1, buffer / 2)) buffers.push_back(buffer);
  buffers.push_back(answer.effectual());
  std::ranges::sort(buffers);
  std::vector<CurveStep> points;
  for (const u64 buffer : buffers) {
    const auto tiling = best_parts(answer.workload, answer.schedules->inside(buffer), {}, sizes);
    if (!tiling) continue;
    const auto words = static_cast<u64>(std::llround(tiling->words()));
    if (points.empty() || words < points.back().accesses) points.push_back({buffer, words});
  }
  return points;
}

// Raises the curve to the bounds of all schedules, which mappings are among.
void add_schedules(LayerAnswer& answer, const OrojenesisArguments& arguments, bool tilings) {
  answer.schedules = schedule_bounds(answer.workload, answer.options);
  answer.curve = raised(answer.curve, *answer.schedules, answer.operands());
  if (tilings) answer.tilings = best_tilings(answer, arguments);
}

// `tilings`: also the best known, which take longest.
Result<LayerAnswer> answer_layer(const OrojenesisArguments& arguments, const Workload& workload,
                                 const std::optional<Architecture>& architecture, bool tilings) {
  LayerAnswer answer;
  answer.workload = workload;
  const Result<OrojenesisOptions> options = orojenesis_options(arguments, workload);
  if (!options) return options.errors();
  answer.options = *options;
  answer.unit = unit_name(arguments);
  // Mappings drawn may keep tensors at different levels: above the curve of any levels, not always of one buffer.
  Result<LayerCurve> curve = layer_curve(workload, *options, of_any_levels(arguments));
  if (!curve) return curve.errors();
  answer.curve = std::move(*curve);
  if (answer.is_bound()) add_schedules(answer, arguments, tilings);
  if (!architecture) return answer;
  if (Diagnostics errors = add_levels(answer, arguments, *architecture); !errors.empty()) return errors;
  return answer;
}

int run_layer(const OrojenesisArguments& arguments, const Workload& workload,
              const std::optional<Architecture>& architecture, Json json, const Output& output) {
  const auto found = until_interrupted([=] { return answer_layer(arguments, workload, architecture, true); });
  if (!found) return write_partial_answer(output, json, 0, 1, "layers");
  const Result<LayerAnswer>& answer = *found;
  if (!answer) return fail(answer.errors());
  if (!output.write("--csv", layer_csv_head(answer->unit) + layer_csv(*answer, ""))) return kBadInput;
  if (!output.write("--svg", curve_svg(layer_picture(*answer)))) return kBadInput;
  output.table(layer_text(*answer, arguments));
  json.update(layer_json(*answer, arguments));
  return write_partial_answer(output, json, 1, 1, "layers");
}

int run_layers(const OrojenesisArguments& arguments, const Network& network,
               const std::optional<Architecture>& architecture, Json json, const Output& output) {
  Table table(
      {"<layer", "MACs", "operands", "minimum", macs_per(unit_name(arguments)), "maximal effectual buffer", "gap 1"});
  json["layers"] = Json::array();
  const bool tilings = !arguments.csv.empty() || !output.json_target.empty();  // the table has none
  std::string csv = "layer," + layer_csv_head(unit_name(arguments));
  for (const Layer& layer : network.layers) {
    const auto found = until_interrupted(
        [=, workload = layer.workload] { return answer_layer(arguments, workload, architecture, tilings); });
    if (!found) break;
    const Result<LayerAnswer>& answer = *found;
    if (!answer) return fail(answer.errors());
    table.row(
        {layer.workload.name, count(static_cast<double>(layer.workload.macs())), grouped(answer->operands()),
         grouped(answer->minimum()), fmt::format("{:.4g}", intensity(layer.workload.macs(), answer->minimum())),
         grouped(answer->effectual()),
         fmt::format("{:.3f}", static_cast<double>(answer->effectual()) / static_cast<double>(answer->operands()))});
    json["layers"].push_back(layer_json(*answer, arguments));
    csv += layer_csv(*answer, layer.workload.name);
  }
  if (!output.write("--csv", csv)) return kBadInput;
  output.table(table.to_string() + "  --layer NAME shows a layer's curve, --fuse the network's.\n");
  return write_partial_answer(output, json, json["layers"].size(), network.layers.size(), "layers");
}

// An option that says nothing about how to divide a chip; empty: none was given.
std::string beside_chip(const OrojenesisArguments& a) {
  for (const auto& [given, option] : {std::pair{!a.architecture.empty(), "--architecture"},
                                      {a.nested, "--nested"},
                                      {a.fuse, "--fuse"},
                                      {a.map, "--map"},
                                      {a.sample > 0, "--sample"},
                                      {a.all, "--all"},
                                      {!a.buffers.empty(), "--buffer"},
                                      {!a.word_sizes.empty() || a.word_bytes.has_value(), "--word-size"},
                                      {a.counts != "distinct", "--counts"},
                                      {a.partial_sums != "read_back", "--partial-sums"}})
    if (given) return option;
  return "";
}

// Options that do not go together.
Diagnostics contradictions(const OrojenesisArguments& a, bool one_layer) {
  Diagnostics errors;
  const auto refuse = [&](bool when, const char* option, const char* why) {
    if (when) errors.push_back({"", 0, option, why});
  };
  refuse(a.map && a.architecture.empty(), "--map", "needs a machine, -a");
  refuse(a.sample > 0 && a.architecture.empty(), "--sample", "draws mappings of a machine, -a");
  refuse(a.sample > 0 && (a.imperfect || !a.word_sizes.empty()), "--sample",
         "draws perfect mappings and counts words; leave out --imperfect and --word-size");
  refuse(a.sample > 0 && !one_layer, "--sample", "draws one layer's mappings; choose it with --layer");
  refuse(a.map && a.imperfect, "--map", "shows perfect mappings; leave out --imperfect");
  refuse(a.map && !a.word_sizes.empty(), "--map", "counts words; leave out --word-size");
  refuse(!a.architecture.empty() && !a.word_sizes.empty(), "--word-size", "machines count words; leave out -a");
  refuse(
      a.fuse && (a.nested || a.map || a.sample > 0 || !a.word_sizes.empty() || !a.architecture.empty()), "--fuse",
      "is about one buffer and words; leave out -a, --map, --sample, --nested and sizes of tensors (--word-size A=2)");
  refuse(a.whole_weights && a.stream_weights, "--whole-weights", "contradicts --stream-weights");
  const OrojenesisArguments usual;
  refuse(!a.fuse && (a.perfect_blocks || a.whole_weights || a.stream_weights || a.softmax != usual.softmax ||
                     a.pairs != usual.pairs || a.execution != usual.execution),
         "--fuse", "is missing: other options given are about fused schedules");
  refuse((a.fuse || a.nested) && a.counts != "distinct", "--counts",
         "is about one buffer and one layer; leave out --fuse and --nested");
  refuse(a.fuse && a.partial_sums != "read_back", "--partial-sums", "goes with single layers; leave out --fuse");
  refuse(a.fuse && !a.layer.empty(), "--fuse", "is about the whole network; leave out --layer");
  refuse(!a.fuse && !one_layer && (!a.svg.empty() || !a.buffers.empty()), "--layer",
         "--svg and --buffer are about one layer; choose it, or take --fuse");
  return errors;
}

}  // namespace

void add_orojenesis_options(const Command& command, OrojenesisArguments& a) {
  command->add_flag("--imperfect", a.imperfect, "Also tiles that do not divide the sizes");
  command->add_flag("--nested", a.nested, "Any number of levels instead of one buffer");
  command
      .value("--counts", a.counts, "NAME",
             "Words of one buffer: distinct ones, or those that timeloop counts (no bound, for comparison)")
      ->transform(one_of({"distinct", "timeloop"}))
      ->capture_default_str();
  command.value("--partial-sums", a.partial_sums, "NAME", "Of sums that come back: count read_back or write_only")
      ->transform(one_of({"read_back", "write_only"}))
      ->capture_default_str();
  command->add_flag("--map", a.map, "With -a: also map the layer and compare");
  command.value("--sample", a.sample, "N", "With -a: also draw N random mappings of the layer and compare")
      ->check(whole_number(1, 1'000'000));
  command.value("--seed", a.seed, "N", "With --sample: of the draws")->capture_default_str();
  command.value("--chip", a.chip, "CHIP",
                "Divide a chip between buffer and compute units: a file, or area_mm2=,mac_um2=,word_um2=,hertz=,"
                "words_per_second=");
  command->add_flag("--all", a.all, "All points of the curve in the table");
  command->add_flag("--fuse", a.fuse, "The whole network: least over fused schedules (no bound), and the bound");
  command.value("--softmax", a.softmax, "NAME", "With --fuse: incremental (FlashAttention) or whole rows (FLAT)")
      ->transform(one_of({"incremental", "whole"}))
      ->capture_default_str();
  command.value("--pairs", a.pairs, "NAME", "With --fuse: links that pass their intermediate in parts: all or first")
      ->transform(one_of({"all", "first"}))
      ->capture_default_str();
  command.value("--execution", a.execution, "NAME", "With --fuse: sequential or pipelined links")
      ->transform(one_of({"sequential", "pipelined"}))
      ->capture_default_str();
  command->add_flag("--perfect-blocks", a.perfect_blocks, "With --fuse: blocks and parts divide the rows and columns");
  command->add_flag("--whole-weights", a.whole_weights, "With --fuse: of a layer's weights all stay or none");
  command->add_flag("--stream-weights", a.stream_weights, "With --fuse: no weights stay between blocks of rows");
  command.target("--svg", a.svg, "Draw the curve; - = stdout");
}

int run_orojenesis(OrojenesisArguments arguments, const Output& output) {
  if (!arguments.chip.empty()) {
    if (const std::string other = beside_chip(arguments); !other.empty())
      return fail(fmt::format("{}: does not go with --chip", other));
    return run_chip(arguments, output);
  }
  const Result<Network> network =
      load_workload(arguments.workload, arguments.reading, output, arguments.fuse ? Wanted::Edges : Wanted::Shapes);
  Diagnostics errors;
  if (!network) errors = network.errors();
  const std::optional<Architecture> architecture =
      load_if_named(arguments.architecture, arguments.reading, output, errors);
  if (!errors.empty()) return fail(errors);
  const bool one_layer = !arguments.layer.empty() || network->layers.size() == 1;
  // Bounds hold whatever the machine's constraints are; its mapper obeys them.
  if (architecture && arguments.map) output.report_notes(constraint_notes(*network, *architecture));
  errors = contradictions(arguments, one_layer);
  if (!errors.empty()) return fail(errors);
  Result<Workload> workload = one_layer && !arguments.fuse ? pick_layer(*network, arguments.layer) : Workload{};
  if (!workload) return fail(workload.errors());
  const Workload* layer = one_layer && !arguments.fuse ? &*workload : nullptr;
  if (errors = set_unit(arguments, asked_about(*network, layer), architecture); !errors.empty()) return fail(errors);
  if (arguments.fuse) return run_fused(arguments, *network, output);
  Json json = answer_head("bound");
  json["question"] = {{"kind", "orojenesis"},
                      {"workload", network->name},
                      {"layer", arguments.layer},
                      {"architecture", architecture ? question(*architecture) : Json()},
                      {"imperfect", arguments.imperfect},
                      {"nested", arguments.nested},
                      {"counts", arguments.counts},
                      {"partial_sums", arguments.partial_sums},
                      {"word_size", arguments.word_sizes},
                      {"word_bytes", arguments.word_bytes ? Json(*arguments.word_bytes) : Json()}};
  if (!one_layer) return run_layers(arguments, *network, architecture, json, output);
  return run_layer(arguments, *workload, architecture, json, output);
}

}  // namespace heliolite::cli
