#pragma once
// What the rows of a suite say of its mappers, in addition to their summaries: how soon each comes near the optimum,
// how far each is from the best on how many layers, how two of them compare, and which are worse than random search.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/named.h"
#include "engine/search/study/bench_suite.h"

namespace heliolite {

// A mapping counts as near the optimum when its value is above it by at most this share.
inline constexpr std::array<double, 3> kNear{0.01, 0.05, 0.10};

// The first mapping of a row that was so near; what is not known is none.
struct Arrival {
  u64 evaluated = 0;   // mappings priced by then
  double seconds = 0;  // wall time by then
};
// [of kNear]; none: never, or there is no proven optimum of the row's machine and layer.
using Arrivals = std::array<std::optional<Arrival>, kNear.size()>;

// The optimum of a machine and layer, if some row proves it.
std::optional<double> proven_optimum(const std::vector<BenchRow>& rows, const BenchRow& of);
// When a row with a trace came near the optimum.
Arrivals arrivals(const BenchRow& row, double optimum);

// How soon a mapper comes near: over the layers whose optimum is proven.
struct ArrivalSummary {
  std::string strategy;
  u64 layers = 0;  // with a proven optimum, searched by the mapper
  struct Near {
    u64 layers = 0;                                   // layers on which it came this near
    double median_evaluated = 0, median_seconds = 0;  // over those layers
  };
  std::array<Near, kNear.size()> near{};  // [of kNear]
};
// When our own strategies came near the optimum, in the order in which they first appear.
std::vector<ArrivalSummary> arrival_summaries(const std::vector<BenchRow>& rows);

// The performance profile of a mapper (Dolan, More, Mathematical Programming 91, 2002): on which share of all layers
// its value is at most a given number of times the best known.
struct PerformanceProfile {
  std::string strategy;
  struct Step {
    double ratio = 1, share = 0;  // share of the layers up to this ratio; the next step has a larger one
  };
  std::vector<Step> steps{};
  double share_within(double ratio) const;
};
std::vector<PerformanceProfile> profiles(const std::vector<BenchRow>& rows);

// A mean with the interval that holds it with 95 % confidence.
struct MeanRatio {
  double mean = 1, low = 1, high = 1;
};
// The geometric mean of positive numbers. The interval is the percentile bootstrap's (Efron, Annals of Statistics 7,
// 1979): kMeanResamples resamples of the numbers, drawn from a fixed seed, so that equal numbers give equal intervals.
inline constexpr int kMeanResamples = 2'000;
MeanRatio geometric_mean(const std::vector<double>& ratios);

// One mapper over another, on the layers that both mapped.
struct Comparison {
  std::string of, over;
  u64 layers = 0;
  u64 better = 0, worse = 0;           // layers on which `of` has the smaller, the larger value
  MeanRatio value{};                   // ratio of values; means nothing without layers
  std::optional<MeanRatio> seconds{};  // ratio of times, if all are known
};
// Each pair once, in the order in which the mappers first appear.
std::vector<Comparison> comparisons(const std::vector<BenchRow>& rows);
// `of` over `over`.
Comparison compare(const std::vector<BenchRow>& rows, const std::string& of, const std::string& over);

// How a mapper stands to random search.
enum class AgainstRandom : u8 { Better, NotTold, Worse, SlowerAndWorse };
struct RandomVerdict {
  Comparison against;  // the mapper over random search
  // Worse, or SlowerAndWorse: the whole interval of the ratios is above 1. NotTold: the interval holds 1, or there are
  // no layers to compare.
  AgainstRandom verdict = AgainstRandom::NotTold;
};
constexpr ValueNames<4> value_names(AgainstRandom) { return {"better", "not told apart", "worse", "slower and worse"}; }
// The verdicts on all mappers but `random` itself, which is the label of a strategy `random`. Empty if it has no rows.
std::vector<RandomVerdict> against_random(const std::vector<BenchRow>& rows, const std::string& random);

// All analyses of a suite, and what papers state about its mappers.
struct BenchAnalysis {
  std::vector<ArrivalSummary> arrivals;
  std::vector<PerformanceProfile> profiles;
  std::vector<Comparison> comparisons;
  std::vector<RandomVerdict> against_random;  // against the suite's first strategy `random`; empty: it has none
  std::vector<PublishedVerdict> published;
};
BenchAnalysis analyze(const BenchSuite& suite, const std::vector<BenchRow>& rows);

}  // namespace heliolite
