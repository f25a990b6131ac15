// Measures on lower bounds of all schedules and on the best tilings.
#include <algorithm>
#include <cmath>

#include "cli/bound/bound_symbolic_layer.h"
#include "cli/bound/experiment_measures.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/hbl/tile_regions.h"
#include "engine/bounds/segment/iolb_forms.h"

namespace heliolite::cli {
namespace {

Diagnostic does_not_fit(const ExperimentRow& row) { return row.error("the operands of one MAC do not fit"); }

double most_words(const ExperimentRow& row) {
  return static_cast<double>(LowerBounds(layer_of(row), row.rule, row.word_sizes).words(row.capacity()));
}

Result<double> bound(const ExperimentRow& row) { return most_words(row); }

Result<double> tiling(const ExperimentRow& row) {
  const auto best = best_parts(layer_of(row), row.capacity(), row.rule, row.word_sizes);
  if (!best) return does_not_fit(row);
  return best->words();
}

// As literature counts: sizes over tiles are not rounded to whole numbers of tiles.
Result<double> rational(const ExperimentRow& row) {
  TilingProblem problem = tiling_problem(layer_of(row), row.rule, row.word_sizes);
  problem.trips = Trips::Average;
  const auto best = best_tile(problem, row.capacity());
  if (!best) return does_not_fit(row);
  return best->words;
}

Result<double> factor(const ExperimentRow& row) {
  const Result<double> words = tiling(row);
  if (!words) return words.errors();
  return *words / most_words(row);
}

// The sum over the row's memories of what crosses into each.
Result<double> together(const ExperimentRow& row, Trips trips) {
  TilingProblem problem = tiling_problem(layer_of(row), row.rule, row.word_sizes);
  problem.trips = trips;
  std::vector<CacheLevel> caches;
  for (const u64 words : row.memories) caches.push_back({static_cast<double>(words), 1});
  const auto best = best_tiling(problem, caches);
  if (!best) return does_not_fit(row);
  double sum = 0;
  for (const TiledLevel& level : *best) sum += level.words;
  return sum;
}

Result<double> exponent(const ExperimentRow& row) {
  const AccessNest nest = lifted(access_nest(layer_of(row)));
  return static_cast<double>(hbl_exponent(rank_rows(nest), nest.accesses.size()).k);
}

// G M^(1 - k) with the exponent k for these sizes: the order of what moves.
Result<double> exponent_words(const ExperimentRow& row) {
  const AccessNest nest = lifted(access_nest(layer_of(row), row.word_sizes));
  const SizedExponent sized = hbl_exponent(nest, rank_rows(nest), row.capacity());
  return std::exp(std::log(nest.iterations) + (1 - sized.k) * std::log(row.capacity()));
}

// How the tiling program of all sizes and capacities falls into regions; of windows with taps within outputs.
Result<double> of_regions(const ExperimentRow& row, double (*count)(const TileRegions& regions)) {
  const auto regions = tile_regions(lifted(access_nest(layer_of(row))), true);
  if (!regions) return row.error("there are too many regions to enumerate");
  return count(*regions);
}
double region_count(const TileRegions& regions) { return static_cast<double>(regions.regions.size()); }
double cost_count(const TileRegions& regions) { return static_cast<double>(regions.costs.size()); }

// As many as the published algorithm ends with, the least or the most of several starting points.
Result<double> region_pieces(const ExperimentRow& row, bool most) {
  constexpr u64 kSeeds = 8;
  std::optional<std::size_t> extreme;
  for (u64 seed = 0; seed < kSeeds; ++seed) {
    const auto pieces = published_pieces(lifted(access_nest(layer_of(row))), true, seed);
    if (!pieces) return row.error("there are too many pieces to count");
    extreme = !extreme ? *pieces : most ? std::max(*extreme, *pieces) : std::min(*extreme, *pieces);
  }
  return static_cast<double>(*extreme);
}

Result<double> form(const ExperimentRow& row, bool of_tiling) {
  const SymbolicAnswer answer{layer_of(row), LowerBounds(layer_of(row)), {}};
  const auto forms = published_forms(answer, row.capacity());
  if (!forms || (of_tiling && !forms->tiling)) return row.error("there is no such form of this Einsum and capacity");
  return of_tiling ? *forms->tiling : forms->bound;
}

// The rows of IOLB's table for convolutions, also for windows of one tap.
Result<double> form_of_convolution(const ExperimentRow& row) {
  const auto conv = as_convolution(layer_of(row));
  if (!conv || conv->windows.size() != 2 || conv->stride() != 1)
    return row.error(layer_of(row).name + " is no convolution of two windows with stride 1");
  return std::ranges::max(convolution_forms(*conv, row.capacity()));
}

}  // namespace

std::vector<Measure> bound_measures() {
  const std::vector<std::string_view> rule{"loads", "outputs_read", "word_sizes"};
  std::vector<std::string_view> several = rule;
  several.emplace_back("memories");
  return {
      {"bound", true, rule, bound},        // the largest lower bound
      {"tiling", true, rule, tiling},      // the best tiling, executed
      {"rational", true, rule, rational},  // the best tiling with trip counts that are not rounded
      {"factor", true, rule, factor},      // tiling / bound
      {"two_levels", false, several, [](const ExperimentRow& row) { return together(row, Trips::Exact); }},
      {"two_levels_rational", false, several, [](const ExperimentRow& row) { return together(row, Trips::Average); }},
      {"exponent", false, {}, exponent},  // of HBL
      {"exponent_words", true, {"word_sizes"}, exponent_words},
      {"regions", false, {}, [](const ExperimentRow& row) { return of_regions(row, region_count); }},
      {"region_costs", false, {}, [](const ExperimentRow& row) { return of_regions(row, cost_count); }},
      {"least_pieces", false, {}, [](const ExperimentRow& row) { return region_pieces(row, false); }},
      {"most_pieces", false, {}, [](const ExperimentRow& row) { return region_pieces(row, true); }},
      {"iolb", true, {}, [](const ExperimentRow& row) { return form(row, false); }},
      {"iolb_conv", true, {}, form_of_convolution},
      {"ioub", true, {}, [](const ExperimentRow& row) { return form(row, true); }},
  };
}

}  // namespace heliolite::cli
