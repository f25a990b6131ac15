#include "cli/bound/bound_symbolic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cli/map/answer_texts.h"
#include "cli/ui/inputs.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/bounds/conv/conv_bound.h"
#include "engine/bounds/fusion/chain.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/network/network_bound.h"
#include "engine/model/fingerprint.h"

namespace heliolite::cli {
namespace {

struct NetworkAnswer {
  std::string text;  // a table, for people
  Json json;         // docs/json.md: `network`; fewer than were asked for after Ctrl-C
};

constexpr std::size_t kNamed = 4;  // operands that a note lists

constexpr const char* kAnything =
    "as before, but inputs without an edge may be one array, or another layer's output; "
    "weights are arrays of their own";

void note_equal(const Network& network, const UnnamedOperands& unnamed, const Output& output) {
  std::vector<std::string> names = unnamed.equal();
  if (names.empty()) return;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  if (more > 0) names.push_back(fmt::format("{} more", more));
  output.note(
      fmt::format("heliolite: {} does not say whether inputs of equal size are one array: {}; they are taken for "
                  "different ones ('reads' and 'edges' name them)",
                  network.name, join(names)));
}

// The bounds at these capacities, in `unit`, that of the network (word_unit()). Prints a note if operands without an
// edge that have equal sizes had to be taken for different arrays.
NetworkAnswer network_answer(const Network& network, const std::vector<double>& capacities, const WordUnit& unit,
                             const Output& output) {
  const UnnamedOperands unnamed(network, Unnamed::Anything);
  const bool assumed = unnamed.any();
  note_equal(network, unnamed, output);
  std::vector<std::string> columns{"capacity", fmt::format("{} at least", unit.name())};
  if (assumed) columns.emplace_back("whatever inputs share");
  Table table(columns);
  NetworkAnswer answer;
  answer.json = Json::array();
  for (const double capacity : capacities) {
    const auto words = until_interrupted([=] {
      return std::pair(network_bound(network, capacity, Unnamed::Apart, unit).words,
                       assumed ? network_bound(network, capacity, Unnamed::Anything, unit).words : 0);
    });
    if (!words) break;
    std::vector<std::string> row{count(capacity), grouped(words->first)};
    Json json{{"capacity_words", capacity}, {"words", words->first}, {"holds_under", kNetworkHoldsUnder}};
    if (assumed) {
      row.push_back(grouped(words->second));
      json["whatever_inputs_share"] = {{"words", words->second}, {"holds_under", kAnything}};
    }
    table.row(row);
    answer.json.push_back(std::move(json));
  }
  answer.text = "the whole network, however it is fused; operands without an edge are arrays of their own:\n\n" +
                table.to_string();
  if (assumed)
    answer.text += "  whatever inputs share: inputs without an edge may be one array, or another layer's output.\n";
  return answer;
}

Result<std::vector<double>> word_sizes(const SymbolicArguments& arguments, const Workload& workload) {
  const WordUnit::Sizes stated = arguments.unit.sizes(workload);
  std::vector<double> sizes(stated.begin(), stated.begin() + workload.tensors.size());
  Diagnostics errors;
  for (const std::string& text : arguments.word_sizes)
    read_word_size<double>(text, workload, kLeastWordSize, kMostWordSize,
                           fmt::format("SIZE with a size from {:g} to {:g}", kLeastWordSize, kMostWordSize), sizes,
                           errors);
  if (!errors.empty()) return errors;
  return sizes;
}

int run_layer(const SymbolicArguments& arguments, const Workload& workload,
              const std::optional<Architecture>& architecture, Json json, const Output& output) {
  const Result<std::vector<double>> sizes = word_sizes(arguments, workload);
  if (!sizes) return fail(sizes.errors());
  const auto answer = until_interrupted([=, sizes = *sizes] {
    return answer_symbolic(arguments, workload, sizes, places(arguments, workload, architecture), true);
  });
  if (answer) {
    output.table(symbolic_text(*answer, arguments));
    json.update(symbolic_json(*answer, arguments));
    if (!output.write("--csv", symbolic_csv_head(arguments.unit) + symbolic_csv(*answer, arguments))) return kBadInput;
  }
  return write_partial_answer(output, json, answer.has_value(), 1, "layers");
}

// One row a layer and memory; then what the whole network must move.
int run_layers(const SymbolicArguments& arguments, const Network& network,
               const std::optional<Architecture>& architecture, Json json, const Output& output) {
  const std::string unit(arguments.unit.name());
  Table table({"<layer", "<outside", "capacity", unit + " at least", "<by", "best tiling", "gap"});
  json["unit"] = unit;
  json["layers"] = Json::array();
  std::string csv = symbolic_csv_head(arguments.unit);
  std::map<u64, SymbolicAnswer> answers;  // [fingerprint]: networks have the same layer many times
  for (const Layer& layer : network.layers) {
    const Result<std::vector<double>> sizes = word_sizes(arguments, layer.workload);
    if (!sizes) return fail(sizes.errors());
    // The table has no tiles.
    const bool together = !output.json_target.empty();
    auto known = answers.find(fingerprint(layer.workload));
    if (known == answers.end()) {
      auto found = until_interrupted([=, sizes = *sizes, workload = layer.workload] {
        return answer_symbolic(arguments, workload, sizes, places(arguments, workload, architecture), together);
      });
      if (!found) break;
      known = answers.emplace(fingerprint(layer.workload), *std::move(found)).first;
    }
    SymbolicAnswer& answer = known->second;
    answer.workload.name = layer.workload.name;
    for (const PlaceAnswer& place : answer.places) {
      const LowerBound& most = best(place.bounds);
      const auto above = gap(place);
      table.row({layer.workload.name, place.place.level,
                 place.place.capacity ? count(*place.place.capacity) : "unbounded", grouped(most.words),
                 std::string(name(most.kind)), place.tiling ? count(std::round(place.tiling->words())) : "-",
                 above ? percent(*above) : "-"});
    }
    json["layers"].push_back(symbolic_json(answer, arguments));
    csv += symbolic_csv(answer, arguments);
  }
  std::size_t done = json["layers"].size(), of = network.layers.size();
  std::string text = table.to_string();
  if (done == of && !arguments.loads && !arguments.outputs_read && arguments.word_sizes.empty() && !architecture) {
    std::vector<double> capacities;
    for (const Place& place : places(arguments, network.layers.front().workload, architecture))
      capacities.push_back(*place.capacity);
    const NetworkAnswer whole = network_answer(network, capacities, arguments.unit, output);
    text += "\n" + whole.text;
    of += capacities.size();
    done += whole.json.size();
    json["network"] = whole.json;
    for (const Json& row : whole.json)
      csv += fmt::format(",,{:.0f},network,{}\n", row["capacity_words"].get<double>(), row["words"].get<u64>());
  }
  output.table(text + "  --layer NAME shows a layer in detail.\n");
  if (!output.write("--csv", csv)) return kBadInput;
  return write_partial_answer(output, json, done, of, "bounds");
}

}  // namespace

std::vector<std::string> symbolic_kinds() { return {"all", "hbl", "conv", "iolb"}; }

void add_symbolic_options(const Command& command, SymbolicArguments& arguments) {
  command->add_flag("--loads", arguments.loads, "Not of orojenesis: count loads only, stores are free");
  command->add_flag("--outputs-read", arguments.outputs_read,
                    "Not of orojenesis: outputs start as words to be read, not as zeros");
  command->add_flag("--simulate", arguments.simulate,
                    "Not of orojenesis: execute the best tilings where that takes seconds, and print what they move");
}

int run_symbolic(SymbolicArguments arguments, const Output& output) {
  const Result<Network> network = load_workload(arguments.workload, arguments.reading, output, Wanted::Edges);
  Diagnostics errors;
  if (!network) errors = network.errors();
  const std::optional<Architecture> architecture =
      load_if_named(arguments.architecture, arguments.reading, output, errors);
  if (!arguments.architecture.empty()) {
    if (!arguments.buffers.empty())
      errors.push_back({"", 0, "--buffer", "a machine has capacities of its own; leave out -a"});
    if (architecture && architecture->levels.size() == 1)
      errors.push_back({"", 0, "--architecture",
                        fmt::format("{} has one level, {}, and so no memory that words are moved into; leave out -a",
                                    architecture->name, architecture->levels.front().name)});
    if (!arguments.word_sizes.empty()) errors.push_back({"", 0, "--word-size", "machines count words; leave out -a"});
  }
  if (arguments.simulate && !arguments.word_sizes.empty())
    errors.push_back({"", 0, "--simulate", "executions count words of one size; leave out --word-size TENSOR=N"});
  if (std::ranges::find(arguments.buffers, u64{0}) != arguments.buffers.end())
    errors.push_back({"", 0, "--buffer", "0 words hold nothing, must be at least 1"});
  if (!errors.empty()) return fail(errors);
  const bool several = arguments.layer.empty() && network->layers.size() > 1;
  Result<Workload> workload = several ? Result<Workload>(Workload{}) : pick_layer(*network, arguments.layer);
  if (!workload) return fail(workload.errors());
  if (errors = set_unit(arguments, asked_about(*network, several ? nullptr : &*workload), architecture);
      !errors.empty())
    return fail(errors);
  if (arguments.simulate && !arguments.unit.counts_words())
    return fail(
        fmt::format("--simulate: executions count words of one size, and {} has words of sizes; leave them out "
                    "with --word-bits none",
                    network->name));
  Json json = answer_head("bound");
  json["question"] = {{"kind", arguments.kind},
                      {"architecture", architecture ? question(*architecture) : Json()},
                      {"loads", arguments.loads},
                      {"outputs_read", arguments.outputs_read},
                      {"simulate", arguments.simulate},
                      {"word_sizes", arguments.word_sizes},
                      {"word_bytes", arguments.word_bytes ? Json(*arguments.word_bytes) : Json()}};
  if (several) return run_layers(arguments, *network, architecture, json, output);
  json["question"]["workload"] = question(*workload);
  return run_layer(arguments, *workload, architecture, json, output);
}

namespace {

void add_bounds(Json& bounds, const SymbolicAnswer& answer, const PlaceAnswer& p, const SymbolicArguments& arguments) {
  const auto row = [&](std::string_view kind, u64 words, const std::string& holds, const std::string& why) {
    Json json{{"kind", kind}};
    json.update(place_json(p.place));
    json.update({{"words", words}, {"holds_under", holds}, {"because", why}});
    bounds.push_back(std::move(json));
  };
  const std::string repeated = repeated_tensors(answer.workload);
  for (const LowerBound& b : p.bounds)
    if (shows(arguments, b.kind)) row(name(b.kind), b.words, holds_under(b.kind, arguments) + repeated, b.why);
  if (p.least_by_mapping)
    row(kNestedCurve, *p.least_by_mapping, kAnyMapping + std::string(kPerfectTiles) + repeated, "all tiles and orders");
}

void add_attaining_tiles(Json& families, const SymbolicAnswer& answer, const PlaceAnswer& p,
                         const SymbolicArguments& arguments) {
  const AccessNest& nest = answer.bounds.lifted();
  Json family = Json::array();
  for (const RealTile& tile : attaining_tiles(answer, arguments, p.place)) {
    Json extents = Json::object();
    for (std::size_t l = 0; l < nest.loops.size(); ++l) extents[nest.loops[l].name] = tile.extent[l];
    family.push_back(std::move(extents));
  }
  if (family.empty()) return;
  families.push_back(place_json(p.place));
  families.back()["tiles"] = std::move(family);
}

void add_convolution(Json& rows, const Convolution& conv, const PlaceAnswer& p) {
  if (!p.place.capacity) return;
  const ConvolutionBound bound = convolution_bound(conv, *p.place.capacity);
  const auto order = convolution_order(conv, *p.place.capacity);
  rows.push_back(place_json(p.place));
  rows.back().update({{"arrays", bound.arrays},
                      {"large_filters", std::max(0.0, bound.large)},
                      {"small_filters", std::max(0.0, bound.small)},
                      {"order",
                       {{"out", order[0]},
                        {"image", order[1]},
                        {"filter", order[2]},
                        {"macs_by_capacity", order[3]},
                        {"small_windows", order[4]}}}});
}

void add_published(Json& rows, const SymbolicAnswer& answer, const PlaceAnswer& p) {
  const auto forms = p.place.capacity ? published_forms(answer, *p.place.capacity) : std::nullopt;
  if (!forms) return;
  rows.push_back(place_json(p.place));
  rows.back().update({{"iolb", forms->bound}, {"ioub", forms->tiling ? Json(*forms->tiling) : Json()}});
}

}  // namespace

Json symbolic_json(const SymbolicAnswer& answer, const SymbolicArguments& arguments) {
  const AccessNest& nest = answer.bounds.lifted();
  const auto& conv = answer.bounds.convolution();
  Json json = {{"name", answer.workload.name},
               {"unit", arguments.unit.name()},
               {"bounds", Json::array()},
               {"tilings", Json::array()}};
  const auto terms = hbl_terms(nest, answer.bounds.rows());
  json["exponent"] = hbl_exponent(answer.bounds.rows(), nest.accesses.size()).k.str();
  json["formula"] = terms ? Json(traffic_formula(*terms, nest)) : Json();
  for (const PlaceAnswer& p : answer.places) {
    add_bounds(json["bounds"], answer, p, arguments);
    if (shows(arguments, BoundKind::Hbl)) add_attaining_tiles(json["attaining_tiles"], answer, p, arguments);
    if (shows(arguments, BoundKind::Conv) && conv) add_convolution(json["convolution"], *conv, p);
    if (arguments.kind == "iolb") add_published(json["published_forms"], answer, p);
    if (p.tiling) json["tilings"].push_back(tiling_json(p));
  }
  if (answer.nested) json["nested_tiling"] = nested_json(answer);
  return json;
}

}  // namespace heliolite::cli
