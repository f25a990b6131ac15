// The trade-off of energy and cycles of a network's mappings (docs/rules/network.md, "The trade-off curve").
#include "engine/base/mapped.h"
#include "engine/search/network_search.h"

#include <map>
#include <utility>

#include "engine/model/running_units.h"
#include "engine/search/core/budget.h"
#include "engine/search/core/parallel.h"
#include "engine/search/layer_search.h"
#include "engine/search/map.h"
#include "engine/search/schedule.h"

namespace heliolite {
namespace {

// A compute unit that can run the layers of a shape.
struct CurveUnit {
  std::size_t number = 0;  // of Architecture::chain()
  LayerSearch search;
  MappingResult start{};  // any mapping
  u64 evaluated = 0;
  double seconds = 0;

  bool has_mapping() const { return start.status != Status::Infeasible; }
};

// All layers of one shape.
struct CurveShape {
  std::vector<CurveUnit> units;  // none: the machine's constraints cannot be obeyed
  Diagnostics refused;           // why
  u64 runs = 0, layers = 0;

  bool has_mapping() const { return std::ranges::any_of(units, &CurveUnit::has_mapping); }
  u64 evaluated() const { return sum_of<u64>(units, &CurveUnit::evaluated); }
  double seconds() const { return sum_of<double>(units, &CurveUnit::seconds); }
};

class CurveSearch {
 public:
  CurveSearch(const Network& network, const Architecture& machine, const SearchOptions& options)
      : network_(network), machine_(machine), options_(options), shape_of_(first_of_shape(network.layers)) {
    options_.progress = {};
    options_.probe_other_tiles = false;
  }

  Result<NetworkCurve> run(const ProgressHook& report) {
    const Stopwatch clock;
    // Step 1. A mapping of each shape, on each unit that can run it, to begin with.
    if (Diagnostics errors = prepare(); !errors.empty()) return errors;
    std::vector<CurveUnit*> units;
    for (auto& [_, shape] : shapes_)
      for (CurveUnit& unit : shape.units) units.push_back(&unit);
    parallel_for(units.size(), options_.threads, [&](std::size_t t) { begin(*units[t]); });
    // Step 2. The curves of those that have one.
    std::vector<std::size_t> numbers;
    for (const auto& [k, shape] : shapes_)
      if (shape.has_mapping()) numbers.push_back(k);
    NetworkTradeOff found = find(numbers, report);
    // Step 3. Layer by layer in the network's order.
    conclude(numbers, std::move(found));
    out_.seconds = clock.seconds();
    return std::move(out_);
  }

  Result<NetworkWithin> run_within(Objective objective, const CostLimits& limits) {
    // Step 1. The curve.
    Result<NetworkCurve> curve = run({});
    if (!curve) return curve.errors();
    NetworkWithin out{*std::move(curve), {}};
    if (out.curve.network.points.empty()) return out;
    // Step 2. What lies between its corners.
    const LimitedQuestion question = question_of(out.curve, objective, limits);
    out.choice = find_limited_choice(question, [&](const ListQuestion& asked) { return list(asked); });
    take_work(out.curve);
    return out;
  }

 private:
  Diagnostics prepare() {
    Diagnostics refused;
    for (std::size_t k = 0; k < shape_of_.size(); ++k) {
      CurveShape& shape = shapes_[shape_of_[k]];
      shape.runs += network_.layers[k].count, ++shape.layers;
      if (shape_of_[k] != k) continue;
      const Workload& workload = network_.layers[k].workload;
      const Result<std::vector<std::size_t>> units = units_that_run(workload, machine_);
      if (!units) shape.refused = units.errors();
      for (const std::size_t unit : units ? *units : std::vector<std::size_t>{}) {
        Result<LayerSearch> search = LayerSearch::create(workload, machine_.chain(unit), options_);
        if (search) shape.units.push_back({unit, *std::move(search)});
        else shape.refused.insert(shape.refused.end(), search.errors().begin(), search.errors().end());
      }
      if (shape.units.empty()) refused.insert(refused.end(), shape.refused.begin(), shape.refused.end());
    }
    const bool none = std::ranges::all_of(shapes_, [](const auto& s) { return s.second.units.empty(); });
    return none ? refused : Diagnostics{};
  }

  void begin(CurveUnit& unit) const {
    const Stopwatch clock;
    const LayerSearch& search = unit.search;
    const SearchBudget budget = share::kOwnBeforeNetwork.of(SearchBudget(options_));
    unit.start = search.conclude(search.search(search.first_step(budget)), search.first_bound());
    unit.evaluated = unit.start.statistics.evaluated;
    unit.seconds = clock.seconds();
  }

  NetworkTradeOff find(const std::vector<std::size_t>& numbers, const ProgressHook& report) {
    std::vector<NetworkLayer> layers;
    std::vector<Cost> compulsory;
    for (const std::size_t k : numbers) {
      const CurveShape& shape = shapes_.at(k);
      std::vector<Cost> units;
      for (const CurveUnit& unit : shape.units) units.push_back(unit.search.least_cost());
      const Cost least = least_of_units(units);
      compulsory.push_back(least);
      NetworkLayer layer{LayerHull(least, static_cast<double>(shape.runs)), {}};
      for (const CurveUnit& unit : shape.units)
        if (unit.has_mapping() && layer.hull.add_mapping(unit.start.cost) == layer.known.size())
          layer.known.push_back({unit.start.mapping, unit.start.cost, unit.number});
      layers.push_back(std::move(layer));
    }
    const SearchBudget whole(options_);
    const auto search = [&](std::size_t l, double lambda, const KnownMapping& known) {
      std::vector<SumAnswer> answers;
      for (CurveUnit& unit : shapes_.at(numbers[l]).units) answers.push_back(search_on(unit, lambda, known));
      return least_of_units(answers, lambda);
    };
    TradeOffQuestion question{options_.threads, [&] { return whole.stopped(); }, {}};
    if (report)
      question.report = [&](std::size_t done) {
        report({.layer = "curve", .layer_done = true, .layers_done = done, .layers = layers.size()});
      };
    NetworkTradeOff out = find_trade_off(layers, compulsory, search, question);
    known_ = std::move(layers);
    return out;
  }

  SumAnswer search_on(CurveUnit& unit, double lambda, const KnownMapping& known) const {
    const Stopwatch clock;
    if (!unit.has_mapping()) return {{}, false, unit.search.least_sum(lambda)};
    const SearchBudget left = SearchBudget(options_).after(unit.evaluated, unit.seconds);
    if (left.end(0) != SearchEnd::Done) return {};
    const Mapping& from = known.unit == unit.number ? known.mapping : unit.start.mapping;
    const MappingResult found = unit.search.search_for_sum(lambda, from, share::kOneLambda.of(left));
    unit.evaluated += found.statistics.evaluated;
    unit.seconds += clock.seconds();
    return {KnownMapping{found.mapping, found.cost, unit.number}, found.status == Status::Optimal, found.lower_bound};
  }

  void conclude(const std::vector<std::size_t>& numbers, NetworkTradeOff found) {
    std::map<std::size_t, std::size_t> place;  // by shape: in `found`
    for (std::size_t l = 0; l < numbers.size(); ++l) place[numbers[l]] = l;
    for (std::size_t k = 0; k < shape_of_.size(); ++k) {
      const CurveShape& shape = shapes_.at(shape_of_[k]);
      LayerTradeOff layer{network_.layers[k].workload.name,
                          network_.layers[k].count,
                          {},
                          {},
                          {},
                          shape.refused,
                          shape.evaluated(),
                          shape.seconds()};
      if (const auto at = place.find(shape_of_[k]); at != place.end()) {
        layer.curve = found.layers[at->second];
        for (const TradeOffPoint& p : layer.curve.points) {
          const KnownMapping& best = known_[at->second].known[p.mapping.front()];
          layer.mappings.push_back(best.mapping), layer.units.push_back(best.unit);
        }
      } else if (!shape.units.empty()) {
        layer.why_infeasible = shape.units.front().start.why_infeasible;
      }
      out_.layers.push_back(std::move(layer));
    }
    out_.searches = found.searches;
    for (const auto& [k, shape] : shapes_) out_.evaluated += shape.evaluated();
    if (place.size() < shapes_.size()) return;
    out_.network = std::move(found.network);
    for (TradeOffPoint& p : out_.network.points) {
      std::vector<std::size_t> by_layer;
      for (const std::size_t first : shape_of_) by_layer.push_back(p.mapping[place.at(first)]);
      p.mapping = std::move(by_layer);
    }
  }

  // No mappings are below this chain.
  static std::vector<LimitedPoint> chain_below(const TradeOff& curve, Objective objective) {
    LayerHull hull(curve.least, 1);
    for (const TradeOffEdge& edge : curve.edges)
      hull.add_line(edge.lambda * Energy::kUnitsPerPicojoule, Wide(edge.lower_bound_pj) * Energy::kUnitsPerPicojoule);
    return corners_of_sum({hull.lower()}, {1}, objective);
  }

  // Shapes are numbered in the order of their first layers.
  LimitedQuestion question_of(const NetworkCurve& curve, Objective objective, const CostLimits& limits) {
    LimitedQuestion out{.objective = objective,
                        .limits = limits,
                        .layers = {},
                        .corners = {},
                        .choices = {},
                        .curve = chain_below(curve.network, objective),
                        .rules = options_.rules,
                        .threads = options_.threads,
                        .stop = [this] { return SearchBudget(options_).stopped(); }};
    std::map<std::size_t, std::size_t> number;  // by first layer
    for (std::size_t l = 0; l < shape_of_.size(); ++l) {
      const auto [at, added] = number.emplace(shape_of_[l], listed_.size());
      out.layers.push_back({at->second, static_cast<double>(network_.layers[l].count)});
      if (!added) continue;
      listed_.push_back(&shapes_.at(shape_of_[l]));
      std::vector<KnownMapping>& corners = out.corners.emplace_back();
      const LayerTradeOff& layer = curve.layers[l];
      for (std::size_t k = 0; k < layer.mappings.size(); ++k)
        corners.push_back({layer.mappings[k], layer.curve.points[k].cost, layer.units[k]});
    }
    for (const TradeOffPoint& p : curve.network.points) out.choices.push_back(p.mapping);
    const auto has_peers = [](const CurveUnit& unit) { return unit.search.problem().whole_model.has_value(); };
    const auto with_peers = [&](const CurveShape* s) { return std::ranges::any_of(s->units, has_peers); };
    out.certain =
        curve.network.certain && options_.strategy == Strategy::Exact && std::ranges::none_of(listed_, with_peers);
    return out;
  }

  ListAnswer list(const ListQuestion& asked) {
    ListAnswer out{{}, true};
    for (CurveUnit& unit : listed_[asked.shape]->units) list_on(unit, asked, out);
    return out;
  }

  void list_on(CurveUnit& unit, const ListQuestion& asked, ListAnswer& out) const {
    const Stopwatch clock;
    const SearchBudget left = SearchBudget(options_).after(unit.evaluated, unit.seconds);
    out.complete &= left.end(0) == SearchEnd::Done;
    if (!out.complete) return;
    const CostBound most{asked.most_pj * Energy::kUnitsPerPicojoule, asked.most_cycles};
    const LayerAnswer found = unit.search.list_for_sum(asked.lambda, asked.below_pj, most, share::kOneLambda.of(left));
    unit.evaluated += found.statistics.evaluated;
    unit.seconds += clock.seconds();
    out.complete &= found.complete;
    for (const PricedMapping& m : found.listed) out.mappings.push_back({m.mapping, m.cost, unit.number});
  }

  // What lists have taken.
  void take_work(NetworkCurve& curve) const {
    curve.evaluated = 0;
    for (const auto& [k, shape] : shapes_) curve.evaluated += shape.evaluated();
    for (std::size_t l = 0; l < curve.layers.size(); ++l) {
      curve.layers[l].evaluated = shapes_.at(shape_of_[l]).evaluated();
      curve.layers[l].seconds = shapes_.at(shape_of_[l]).seconds();
    }
  }

  const Network& network_;
  const Architecture& machine_;
  SearchOptions options_;
  std::vector<std::size_t> shape_of_;
  std::map<std::size_t, CurveShape> shapes_;  // by their first layer
  std::vector<NetworkLayer> known_;
  std::vector<CurveShape*> listed_;  // by their number for lists
  NetworkCurve out_;
};

// What a curve does not go with; the names are those of the options.
Diagnostics curve_complaints(const SearchOptions& options) {
  Diagnostics out;
  const auto refuse = [&](const char* field, const char* why) { out.push_back({"", 0, field, why}); };
  if (!options.evaluator.command.empty()) refuse("evaluator", "gives one value, a curve has energy and cycles");
  if (options.factors == Factors::Any) refuse("factors", "must be perfect for a curve of energy and cycles");
  if (options.tiles == Tiles::Uneven) refuse("tiles", "must be even for a curve of energy and cycles");
  if (options.strategy != Strategy::Exact && options.strategy != Strategy::Sunstone)
    refuse("strategy", "must be exact, which proves the curve, or sunstone for a curve of energy and cycles");
  if (options.witness) refuse("witness", "is followed by the search of one objective, a curve has many");
  return out;
}

}  // namespace

Result<NetworkCurve> map_curve(const Network& network, const Architecture& machine, const SearchOptions& options) {
  if (Diagnostics errors = curve_complaints(options); !errors.empty()) return errors;
  if (Diagnostics errors = validate_question(options); !errors.empty()) return errors;
  return CurveSearch(network, machine, options).run(options.progress);
}

Result<NetworkWithin> map_within(const Network& network, const Architecture& machine, const SearchOptions& options,
                                 Objective objective, const CostLimits& limits) {
  if (Diagnostics errors = curve_complaints(options); !errors.empty()) return errors;
  if (Diagnostics errors = validate_question(options); !errors.empty()) return errors;
  return CurveSearch(network, machine, options).run_within(objective, limits);
}

}  // namespace heliolite
