// One layer's lower bounds and best tilings: the answer, as tables and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/bound/bound_symbolic.h"
#include "cli/map/answer_texts.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/bounds/conv/conv_bound.h"
#include "engine/bounds/curve/movement_distance.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/published/published.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/model/running_units.h"

namespace heliolite::cli {
namespace {

// Memories of usual sizes, in words or bytes, when neither a machine nor sizes are given.
constexpr std::array<u64, 6> kUsualWords{1024, 4096, 16384, 65536, 262144, 1048576};

// Memories tiled together: each more takes several times as long.
constexpr std::size_t kMostNested = 3;

std::string words_text(const std::optional<double>& words) { return words ? count(std::round(*words)) : "-"; }

std::string bounds_table(const SymbolicAnswer& answer, const SymbolicArguments& arguments) {
  std::vector<std::string> headings{"<outside", "capacity"};
  const std::vector<LowerBound>& kinds = answer.places.front().bounds;
  for (const LowerBound& b : kinds)
    if (shows(arguments, b.kind)) headings.emplace_back(name(b.kind));
  headings.insert(headings.end(), {kNestedCurve, "best tiling", "gap", "<largest by", "<because"});
  Table table(headings);
  for (const PlaceAnswer& p : answer.places) {
    std::vector<std::string> row{p.place.level, p.place.capacity ? count(*p.place.capacity) : "unbounded"};
    std::vector<LowerBound> shown;
    for (const LowerBound& b : p.bounds)
      if (shows(arguments, b.kind)) shown.push_back(b);
    for (const LowerBound& b : shown) row.push_back(grouped(b.words));
    row.push_back(p.least_by_mapping ? grouped(*p.least_by_mapping) : "");
    const LowerBound& most = best(shown);
    const auto above = gap(p);
    row.insert(row.end(), {p.tiling ? words_text(p.tiling->words()) : "-", above ? percent(*above) : "-",
                           std::string(name(most.kind)), most.why});
    table.row(row);
  }
  return table.to_string();
}

std::string hbl_text(const SymbolicAnswer& answer, const SymbolicArguments& arguments) {
  const AccessNest& nest = answer.bounds.lifted();
  const std::vector<RankRow>& rows = answer.bounds.rows();
  const HblExponent e = hbl_exponent(rows, nest.accesses.size());
  std::string text = fmt::format("HBL: arrays of M words admit at most M^{} MACs{}", e.k.str(), e.k > 0 ? ":" : "");
  for (std::size_t j = 0; j < e.s.size(); ++j)
    if (e.s[j] > 0) text += fmt::format(" {}^({})", nest.accesses[j].array, e.s[j].str());
  text += "\n";
  if (const auto terms = hbl_terms(nest, rows))
    text += fmt::format("  words moved, up to a constant: {}\n", traffic_formula(*terms, nest));
  std::vector<std::string> pieces;
  for (const AccessLoop& loop : nest.loops)
    if (loop.name.ends_with('\'')) pieces.push_back(fmt::format("{} = {:g}", loop.name, loop.size));
  if (!pieces.empty()) text += fmt::format("  strided windows are taken apart: {}\n", fmt::join(pieces, ", "));
  for (const PlaceAnswer& p : answer.places) {
    std::vector<std::string> tiles;
    for (const RealTile& tile : attaining_tiles(answer, arguments, p.place)) {
      std::vector<std::string> extents;
      for (std::size_t l = 0; l < nest.loops.size(); ++l)
        if (tile.extent[l] > 1.005) extents.push_back(fmt::format("{} {:.4g}", nest.loops[l].name, tile.extent[l]));
      tiles.push_back(extents.empty() ? "of one iteration" : fmt::format("{}", fmt::join(extents, " x ")));
    }
    if (!tiles.empty()) text += fmt::format("  {}: tile {}\n", count(*p.place.capacity), fmt::join(tiles, " or "));
  }
  return text;
}

std::string conv_text(const SymbolicAnswer& answer) {
  const auto& conv = answer.bounds.convolution();
  if (!conv) return "";
  Table table({"capacity", "arrays", "large filters", "small filters", "<order of what moves"});
  for (const PlaceAnswer& p : answer.places) {
    if (!p.place.capacity) continue;
    const ConvolutionBound bound = convolution_bound(*conv, *p.place.capacity);
    const auto order = convolution_order(*conv, *p.place.capacity);
    static constexpr std::array kTerms{"|Out|", "|Image|", "|Filter|", "G/M", "sqrt(taps stride/M)"};
    const auto largest = at(std::max_element(order.begin(), order.end()) - order.begin());
    table.row({count(*p.place.capacity), words_text(bound.arrays), words_text(std::max(0.0, bound.large)),
               words_text(std::max(0.0, bound.small)), fmt::format("{:.4g}, {}", order[largest], kTerms[largest])});
  }
  return "convolution: the three forms with constants, and the largest of five terms without:\n\n" + table.to_string();
}

std::string iolb_text(const SymbolicAnswer& answer) {
  Table table({"capacity", "IOLB's form", "IOUB's form"});
  bool any = false;
  for (const PlaceAnswer& p : answer.places) {
    if (!p.place.capacity) continue;
    const auto forms = published_forms(answer, *p.place.capacity);
    if (!forms) continue;
    any = true;
    table.row({count(*p.place.capacity), words_text(forms->bound), words_text(forms->tiling)});
  }
  if (!any) return "";
  return "published forms for comparison (loads, outputs read, words of one size):\n\n" + table.to_string();
}

// Tiles for the memories of a machine that are larger than the one before, the outer ones if there are many.
void tile_together(SymbolicAnswer& answer) {
  std::vector<CacheLevel> caches;
  for (std::size_t i = 0; i < answer.places.size(); ++i) {
    const auto& capacity = answer.places[i].place.capacity;
    if (!capacity || (!caches.empty() && *capacity <= caches.back().capacity)) continue;
    caches.push_back({*capacity, 1});
    answer.nested_places.push_back(i);
  }
  const std::size_t extra = caches.size() > kMostNested ? caches.size() - kMostNested : 0;
  caches.erase(caches.begin(), caches.begin() + extra);
  answer.nested_places.erase(answer.nested_places.begin(), answer.nested_places.begin() + extra);
  if (caches.size() > 1) answer.nested = best_tiling(answer.tiling, caches);
}

}  // namespace

std::string symbolic_csv_head(const WordUnit& unit) {
  return fmt::format("layer,level,capacity_{0},kind,{0}\n", unit.name());
}

std::string symbolic_csv(const SymbolicAnswer& answer, const SymbolicArguments& arguments) {
  std::string text;
  for (const PlaceAnswer& p : answer.places) {
    const std::string place =
        fmt::format("{},{},{}", csv_cell(answer.workload.name), csv_cell(p.place.level),
                    p.place.capacity ? fmt::format("{:.0f}", *p.place.capacity) : std::string("unbounded"));
    for (const LowerBound& b : p.bounds)
      if (shows(arguments, b.kind)) text += fmt::format("{},{},{}\n", place, name(b.kind), b.words);
    if (p.least_by_mapping) text += fmt::format("{},{},{}\n", place, kNestedCurve, *p.least_by_mapping);
    if (p.tiling) text += fmt::format("{},tiling,{:.0f}\n", place, p.tiling->words());
  }
  return text;
}

bool shows(const SymbolicArguments& arguments, BoundKind kind) {
  return kind == BoundKind::Compulsory || arguments.kind == "all" || arguments.kind == name(kind);
}

std::vector<RealTile> attaining_tiles(const SymbolicAnswer& answer, const SymbolicArguments& arguments,
                                      const Place& place) {
  const AccessNest& nest = answer.bounds.lifted();
  double least = 2;
  for (const Access& access : nest.accesses) least = std::max(least, access.word_size);
  if (!place.capacity || *place.capacity < least) return {};
  if (arguments.kind == "hbl") return largest_tiles(nest, *place.capacity);
  return {largest_tile(nest, *place.capacity)};
}

std::optional<PublishedForms> published_forms(const SymbolicAnswer& answer, double capacity) {
  const auto sized = [](const Access& access) { return access.word_size != 1; };
  if (std::ranges::any_of(answer.bounds.nest().accesses, sized)) return std::nullopt;
  if (const auto contraction = as_contraction(answer.workload)) {
    PublishedForms forms{contraction_form(*contraction, capacity), {}};
    const ContractionTilingForm tiling = contraction_tiling_form(*contraction, capacity);
    if (tiling.valid) forms.tiling = tiling.loads;
    return forms;
  }
  const auto& conv = answer.bounds.convolution();
  if (!conv || conv->windows.size() != 2 || conv->stride() != 1) return std::nullopt;
  const auto rows = convolution_forms(*conv, capacity);
  PublishedForms forms{*std::max_element(rows.begin(), rows.end()), {}};
  const ConvolutionTilingForm tiling = convolution_tiling_form(*conv, capacity);
  if (tiling.valid && conv->batch == 1) forms.tiling = tiling.loads;
  return forms;
}

std::vector<Place> places(const SymbolicArguments& arguments, const Workload& workload,
                          const std::optional<Architecture>& architecture) {
  std::vector<Place> all;
  if (architecture) {
    const Architecture& chain = **chain_that_runs(workload, *architecture);
    for (const Boundary& wall : boundaries(chain, workload, arguments.unit))
      all.push_back({wall.level, words_inside(wall, chain, workload), wall.capacity_words.value_or(~u64{0})});
    return all;
  }
  const u64 word = arguments.unit.counts_words() ? 1 : WordLength(8).in_units(arguments.unit.bits);  // or byte
  std::vector<u64> usual;
  for (const u64 words : kUsualWords) usual.push_back(words * word);
  const u64 operands = operand_units(workload, arguments.unit);
  for (const u64 words : arguments.buffers.empty() ? usual : arguments.buffers)
    all.push_back({"", static_cast<double>(words), words > operands ? words - operands : 0});
  return all;
}

SymbolicAnswer answer_symbolic(const SymbolicArguments& arguments, const Workload& workload,
                               const std::vector<double>& word_sizes, const std::vector<Place>& places, bool together) {
  const TrafficRule rule{!arguments.loads, arguments.outputs_read};
  SymbolicAnswer answer{workload, LowerBounds(workload, rule, word_sizes), tiling_problem(workload, rule, word_sizes)};
  // Mappings count stores, too, and sums from zero.
  std::optional<NestedCurve> curve;
  if (arguments.kind == "all" && rule == TrafficRule{} && arguments.word_sizes.empty())
    if (auto found = nested_curve(workload, {.word_size = arguments.unit.sizes(workload)})) curve = *std::move(found);
  for (const Place& place : places) {
    PlaceAnswer at{place, {}, {}, {}, {}};
    // In an unbounded memory only the compulsory words move.
    const double capacity = place.capacity.value_or(1e18);
    at.bounds = answer.bounds.at(capacity);
    at.tiling = best_parts(workload, capacity, rule, word_sizes);
    if (arguments.simulate && at.tiling && place.capacity)
      at.executed = execute_tiling(workload, *at.tiling, capacity, rule);
    if (curve) {
      const auto* point = curve->at(place.stored);
      if (point != nullptr) at.least_by_mapping = point->accesses;
    }
    answer.places.push_back(std::move(at));
  }
  if (together && arguments.kind == "iolb" && !places.front().level.empty()) tile_together(answer);
  return answer;
}

std::optional<double> gap(const PlaceAnswer& answer) {
  const u64 words = best(answer.bounds).words;
  if (!answer.tiling || words == 0) return std::nullopt;
  return answer.tiling->words() / static_cast<double>(words) - 1;
}

std::string holds_under(BoundKind kind, const SymbolicArguments& arguments) {
  std::string text = arguments.loads ? "loads" : "loads and stores";
  text += arguments.outputs_read ? ", outputs read first" : ", sums from zero";
  if (kind != BoundKind::Compulsory && arguments.loads) text += ", partial sums added inside";
  return text + "; any schedule";
}

std::string symbolic_text(const SymbolicAnswer& answer, const SymbolicArguments& arguments) {
  std::string text =
      fmt::format("{}: {} that any execution must {}, {}{}\n\n", answer.workload.name, arguments.unit.name(),
                  arguments.loads ? "load" : "load and store",
                  arguments.outputs_read ? "outputs read first" : "sums from zero", repeated_tensors(answer.workload));
  text += bounds_table(answer, arguments) + "\n" + tilings_table(answer, arguments.unit);
  if (const std::string executed = executed_table(answer); !executed.empty()) text += "\n" + executed;
  if (shows(arguments, BoundKind::Hbl)) text += "\n" + hbl_text(answer, arguments);
  const std::string conv = shows(arguments, BoundKind::Conv) ? conv_text(answer) : "";
  if (!conv.empty()) text += "\n" + conv;
  const std::string nested = nested_table(answer, arguments.unit);
  if (!nested.empty()) text += "\n" + nested;
  const std::string forms = arguments.kind == "iolb" ? iolb_text(answer) : "";
  if (!forms.empty()) text += "\n" + forms;
  return text;
}

}  // namespace heliolite::cli
