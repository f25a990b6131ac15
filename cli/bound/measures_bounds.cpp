// Measures on lower bounds of all schedules and on the best tilings.
#include <algorithm>
#include <cmath>

#include "cli/bound/bound_symbolic.h"
#include "cli/bound/experiment.h"
#include "engine/base/mapped.h"
#include "engine/bounds/conv/conv_bound.h"
#include "engine/bounds/hbl/hbl_exponent.h"
#include "engine/bounds/hbl/hbl_tile.h"
#include "engine/bounds/published/published.h"
#include "engine/bounds/tiling/iotile_search.h"

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
  return sum_of<double>(*best, &TiledLevel::words);
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

// Measures of the room engine/bounds/published: closed forms, integer tiles and algorithms of papers.

namespace {

// A closed form of a convolution by the words of a memory.
template <auto Form>
Result<double> of_convolution(const ExperimentRow& row) {
  const auto conv = as_convolution(layer_of(row), row.word_sizes);
  if (!conv) return row.error(layer_of(row).name + " is no convolution or matrix product");
  return Form(*conv, row);
}

// The largest of some terms.
template <auto Terms>
double largest_of(const Convolution& conv, const ExperimentRow& row) {
  return std::ranges::max(Terms(conv, row.capacity()));
}
double product_order(const Convolution& conv, const ExperimentRow& row) {
  return conv.macs() / std::sqrt(row.capacity());
}
double lifted_tile(const Convolution& conv, const ExperimentRow& row) {
  return conv.macs() * row.capacity() / largest_conv_tile(conv, row.capacity());
}
double parallel(const Convolution& conv, const ExperimentRow& row) {
  return parallel_convolution_order(conv, row.capacity(), row.processors).words;
}
template <auto Term>
double conv_term(const Convolution& conv, const ExperimentRow& row) {
  return convolution_bound(conv, row.capacity()).*Term;
}
double conv_small_printed(const Convolution& conv, const ExperimentRow& row) {
  return small_filter_words(conv, row.capacity(), conv.taps() / conv.stride());
}
double naive(const Convolution& conv, const ExperimentRow&) { return naive_words(conv); }
template <auto Words>
double words_of(const Convolution& conv, const ExperimentRow& row) {
  return Words(conv, row.capacity());
}

// The tile of the published decision tree, for stride 1.
Result<double> tree(const ExperimentRow& row) {
  const auto conv = as_convolution(layer_of(row));
  const auto narrow = [](const ConvWindow& w) { return w.stride == 1 && w.taps <= w.outputs; };
  if (!conv || !std::ranges::all_of(conv->windows, narrow))
    return row.error(layer_of(row).name + " is no convolution of stride 1 with windows inside the image");
  return conv->macs() * row.capacity() / stride_one_tile(*conv, row.capacity()).volume();
}

// Something of an integer tile; `of` takes the convolution and the machine and may give nothing.
template <class Of>
Result<double> of_scratchpad(const ExperimentRow& row, Of&& of) {
  const auto conv = as_convolution(layer_of(row));
  if (!conv || conv->windows.size() != 2) return row.error(layer_of(row).name + " is no convolution of two windows");
  const std::optional<double> value = of(*conv, ScratchpadMachine{row.at, row.accumulator});
  if (!value) return row.error("not even one iteration fits");
  return *value;
}

double number_of(const IntegerConvTile& tile) { return static_cast<double>(tile.volume()); }
double number_of(const OutputStationaryTile& tile) { return static_cast<double>(tile.loads); }

// The iterations of the tile that `Tile` finds, or its loads where it is chosen for them.
template <auto Tile>
Result<double> of_tile(const ExperimentRow& row) {
  return of_scratchpad(row, [](const Convolution& conv, const ScratchpadMachine& machine) -> std::optional<double> {
    const auto tile = Tile(conv, machine);
    return tile ? std::optional(number_of(*tile)) : std::nullopt;
  });
}
// Rows allocated by tiles as large as possible over those of the vendor's tiles.
Result<double> communication(const ExperimentRow& row) {
  return of_scratchpad(row, [](const Convolution& conv, const ScratchpadMachine& machine) -> std::optional<double> {
    const auto tile = largest_integer_tile(conv, machine), vendor = vendor_tile(conv, machine);
    if (!tile || !vendor) return std::nullopt;
    return allocated_rows(conv, *tile) / allocated_rows(conv, *vendor);
  });
}

// The sizes of a matrix product d x m by m x n; `of` takes them as a sketch.
template <class Of>
Result<double> of_sketch(const ExperimentRow& row, Of&& of) {
  const Workload& w = layer_of(row);
  const auto d = w.find_dimension("M"), m = w.find_dimension("K"), n = w.find_dimension("N");
  if (!d || !m || !n || w.dimensions.size() != 3) return row.error(w.name + " is no matrix product gemm:DxNxM");
  const auto size = [&](int dimension) { return static_cast<double>(w.dimensions[dimension].size); };
  return of(Sketch{size(*d), size(*m), size(*n), row.generation});
}

Result<double> sketch_lower(const ExperimentRow& row) {
  return of_sketch(row, [&](const Sketch& s) -> Result<double> { return sketch_bound(s, row.capacity()); });
}
Result<double> sketch_cost(const ExperimentRow& row) {
  return of_sketch(row, [&](const Sketch& s) -> Result<double> { return sketch_tiling(s, row.capacity()).cost; });
}
Result<double> sketch_counted(const ExperimentRow& row) {
  return of_sketch(row, [&](const Sketch& s) -> Result<double> {
    if (row.at < 3) return row.error("three words must fit");
    return sketch_counts(s, sketch_tile(s, row.at)).cost(s);
  });
}
// The algorithm run on numbers; elements of the generated matrix are +1 and -1 by a hash of their place.
Result<double> sketch_executed(const ExperimentRow& row) {
  constexpr double kMostProducts = 1e8;
  return of_sketch(row, [&](const Sketch& s) -> Result<double> {
    if (row.at < 3) return row.error("three words must fit");
    if (s.d * s.m * s.n > kMostProducts) return row.error("too large to execute: at most 1e8 products");
    const auto sign = [](u64 i, u64 j) {
      return ((i * 0x9e3779b97f4a7c15U ^ j * 0xc2b2ae3d27d4eb4fU) >> 33 & 1) != 0 ? 1.0 : -1.0;
    };
    const std::vector<double> a(static_cast<std::size_t>(s.m * s.n), 1);
    return execute_sketch(s, sketch_tile(s, row.at), a, sign).counts.cost(s);
  });
}

}  // namespace

std::vector<Measure> published_measures() {
  const std::vector<std::string_view> words{"word_sizes"}, memory{"accumulator"}, made{"generation"};
  return {
      // Orders without constants: the largest of five terms; and the orders of a matrix product, the largest lifted
      // tile, the decision tree's tile, a pooling, and processors that share a memory.
      {"order", true, {}, of_convolution<largest_of<convolution_order>>},
      {"product_order", true, {}, of_convolution<product_order>},
      {"lifted_tile", true, {}, of_convolution<lifted_tile>},
      {"tree", true, {}, tree},
      {"pooling", true, {}, of_convolution<largest_of<pooling_order>>},
      {"parallel", true, {"processors"}, of_convolution<parallel>},
      // The three terms of the bound with constants; the last one also as it is printed.
      {"conv_arrays", true, words, of_convolution<conv_term<&ConvolutionBound::arrays>>},
      {"conv_large", true, words, of_convolution<conv_term<&ConvolutionBound::large>>},
      {"conv_small", true, words, of_convolution<conv_term<&ConvolutionBound::small>>},
      {"conv_small_printed", true, words, of_convolution<conv_small_printed>},
      // Algorithms for a convolution.
      {"naive", false, words, of_convolution<naive>},
      {"im2col", true, words, of_convolution<words_of<im2col_words>>},
      {"winograd", true, words, of_convolution<words_of<winograd_words>>},
      {"fft", true, words, of_convolution<words_of<fft_words>>},
      // Integer tiles for a scratchpad of `at` words and an accumulator.
      {"integer_volume", true, memory, of_tile<largest_integer_tile>},
      {"integer_loads", true, memory, of_tile<least_loads_tile>},
      {"vendor_volume", true, memory, of_tile<vendor_tile>},
      {"communication", true, memory, communication},
      // Randomized matrix products.
      {"sketch_bound", true, made, sketch_lower},
      {"sketch_cost", true, made, sketch_cost},
      {"sketch_counted", true, made, sketch_counted},
      {"sketch_executed", true, made, sketch_executed},
  };
}

}  // namespace heliolite::cli
