#include "engine/search/network/trade_off.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <utility>

#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

// Sums of doubles and the rounding of lambda: what is this close to an edge is on it.
constexpr double kOnTheEdge = 1e-12;

double pj(const Wide& units) { return static_cast<double>(units) / Energy::kUnitsPerPicojoule; }

// The curve of one layer.
class LayerCurve {
 public:
  LayerCurve(std::size_t number, NetworkLayer& layer, const Cost& compulsory, const SearchForSum& search,
             const TradeOffQuestion& question)
      : number_(number), layer_(layer), search_(search), question_(question) {
    out_.least = compulsory;
  }

  // Step 1. The fastest mapping, of equally fast ones the cheapest, and the cheapest, of these the fastest.
  // Step 2. Edges, until no mapping is found below any.
  TradeOff run() {
    fastest_ = search_end(Objective::kMostLambda, [&](double bound_units) {
      const double cycles = std::floor(bound_units / Objective::kMostLambda * (1 - kOnTheEdge)) - 1;
      if (cycles > static_cast<double>(out_.least.cycles)) out_.least.cycles = static_cast<u64>(cycles);
    });
    cheapest_ = search_end(Objective::kLeastLambda, [&](double bound_units) {
      const double energy = std::floor(bound_units * (1 - kOnTheEdge)) - 1;
      if (energy > static_cast<double>(out_.least.energy.units)) out_.least.energy.units = static_cast<u128>(energy);
    });
    const CostChain ends = layer_.hull.upper();
    if (fastest_) out_.least.cycles = layer_.hull.mappings()[ends.mapping.front()].cycles;
    if (cheapest_) out_.least.energy = layer_.hull.mappings()[ends.mapping.back()].energy;
    while (!stopped() && search_an_edge()) continue;
    return conclude();
  }

  u64 searches() const { return searches_; }
  // What no mapping is below, as lines: with the least cycles and energy that are proven now.
  LayerHull bounds() const {
    LayerHull out(out_.least, layer_.hull.runs());
    for (const auto& [lambda, value] : lines_) out.add_line(lambda, value);
    return out;
  }

 private:
  bool stopped() const { return question_.stop && question_.stop(); }

  // Searches for the least energy + lambda x cycles; whether the search was completed. Otherwise `bound` hears what is
  // proven, in units.
  template <class Bound>
  bool search_at(double lambda, Bound&& bound) {
    ++searches_;
    const SumAnswer answer = search_(number_, lambda, layer_.known[layer_.hull.best_at(lambda)]);
    if (answer.found && layer_.hull.add_mapping(answer.found->cost) == layer_.known.size())
      layer_.known.push_back(*answer.found);
    if (!answer.complete) bound(answer.lower_bound_pj * Energy::kUnitsPerPicojoule);
    return answer.complete;
  }

  template <class Bound>
  bool search_end(double lambda, Bound&& bound) {
    return !stopped() && search_at(lambda, std::forward<Bound>(bound));
  }

  // Searches below the first edge that has not been searched. False: there is none.
  bool search_an_edge() {
    const CostChain chain = layer_.hull.upper();
    for (std::size_t k = 0; k < chain.slope.size(); ++k) {
      if (!searched_.insert({chain.mapping[k], chain.mapping[k + 1]}).second) continue;
      const double lambda = chain.slope[k];
      double proven = 0;
      const bool complete = search_at(lambda, [&](double units) { proven = units; });
      const Wide value = layer_.hull.value_at(layer_.hull.best_at(lambda), lambda);
      if (complete) lines_.emplace_back(lambda, value);
      else if (proven > 0) lines_.emplace_back(lambda, std::min<Wide>(value, Wide(proven)));
      return true;
    }
    return false;
  }

  TradeOff conclude() {
    const CostChain chain = layer_.hull.upper();
    for (const std::size_t k : chain.mapping) out_.points.push_back({layer_.hull.mappings()[k], {k}});
    return std::move(out_);
  }

  std::size_t number_;
  NetworkLayer& layer_;
  const SearchForSum& search_;
  const TradeOffQuestion& question_;
  bool fastest_ = false, cheapest_ = false;
  std::set<std::pair<std::size_t, std::size_t>> searched_;  // edges, by the mappings at their ends
  std::vector<std::pair<double, Wide>> lines_;              // lambda, and what no mapping is below there, in units
  u64 searches_ = 0;
  TradeOff out_;
};

Wide least_at(const CostChain& chain, double lambda) {
  Wide least = chain.corner.front().energy + Wide(lambda) * chain.corner.front().cycles;
  for (const CostPoint& p : chain.corner) least = std::min<Wide>(least, p.energy + Wide(lambda) * p.cycles);
  return least;
}

double units_of(const Cost& cost, double lambda) {
  return static_cast<double>(cost.energy.units) + lambda * static_cast<double>(cost.cycles);
}

// The edges between the points of a curve below which nothing of the chains' sum is, and whether that makes the curve
// certain. `bounds`: [layer], chains of lines.
void prove(TradeOff& curve, const std::vector<CostChain>& bounds, const std::vector<double>& runs) {
  curve.certain = !curve.points.empty() && curve.points.front().cost.cycles <= curve.least.cycles &&
                  curve.points.back().cost.energy <= curve.least.energy;
  for (std::size_t k = 0; k + 1 < curve.points.size(); ++k) {
    const Cost &a = curve.points[k].cost, &b = curve.points[k + 1].cost;
    const double lambda =
        static_cast<double>(a.energy.units - b.energy.units) / static_cast<double>(b.cycles - a.cycles);
    Wide bound = 0;
    for (std::size_t l = 0; l < bounds.size(); ++l) bound += runs[l] * least_at(bounds[l], lambda);
    const double value = std::min(units_of(a, lambda), units_of(b, lambda));
    TradeOffEdge edge{lambda / Energy::kUnitsPerPicojoule, value / Energy::kUnitsPerPicojoule, pj(bound), false};
    edge.certain = edge.lower_bound_pj >= edge.value_pj * (1 - kOnTheEdge);
    if (edge.certain) edge.lower_bound_pj = edge.value_pj;
    curve.certain &= edge.certain;
    curve.edges.push_back(edge);
  }
}

// The sum of the layers' curves, each times its runs.
TradeOff sum_of_layers(const std::vector<TradeOff>& layers, const std::vector<NetworkLayer>& known,
                       const std::vector<double>& runs) {
  std::vector<CostChain> chains;
  for (const NetworkLayer& layer : known) chains.push_back(layer.hull.upper());
  TradeOff out;
  for (std::size_t l = 0; l < layers.size(); ++l) out.least += layers[l].least * static_cast<u64>(runs[l]);
  for_each_corner_of_sum(chains, runs, [&](const CostPoint&, const std::vector<std::size_t>& corner) {
    Cost sum;
    for (std::size_t l = 0; l < corner.size(); ++l) sum += layers[l].points[corner[l]].cost * static_cast<u64>(runs[l]);
    out.points.push_back({sum, corner});
  });
  return out;
}

}  // namespace

NetworkTradeOff find_trade_off(std::vector<NetworkLayer>& layers, const std::vector<Cost>& compulsory,
                               const SearchForSum& search, const TradeOffQuestion& question) {
  NetworkTradeOff out;
  out.layers.resize(layers.size());
  std::vector<CostChain> bounds(layers.size());
  std::vector<double> runs;
  for (const NetworkLayer& layer : layers) runs.push_back(layer.hull.runs());
  std::atomic<u64> searches = 0;
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(layers.size(), question.threads, [&](std::size_t l) {
    LayerCurve curve(l, layers[l], compulsory[l], search, question);
    out.layers[l] = curve.run();
    bounds[l] = curve.bounds().lower();
    prove(out.layers[l], {bounds[l]}, {1});
    searches += curve.searches();
    const std::lock_guard lock(mutex);
    if (question.report) question.report(++done);
  });
  out.searches = searches;
  out.network = sum_of_layers(out.layers, layers, runs);
  prove(out.network, bounds, runs);
  return out;
}

}  // namespace heliolite
