#include "engine/sweep/best_machine.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <span>

#include "engine/search/core/parallel.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/machine_grid.h"
#include "engine/sweep/machine_value.h"
#include "engine/sweep/point_answer.h"

namespace heliolite {
namespace {

constexpr double kEqual = 1 - 1e-12;
constexpr std::size_t kTogether = 8;        // sets at work at a time: the same for any number of threads
constexpr std::size_t kAllCuts = 8;         // of parameters with at most these values every cut is tried
constexpr std::size_t kMostLooked = 2'000;  // points by which a cut is chosen
constexpr std::size_t kMostNeighbours = 400;
constexpr int kMostSteps = 12;        // from the first machine to better neighbours
constexpr double kMostValue = 1e150;  // of known mappings, where products of these are compared

// Machines of one shape, a part of the list of points.
struct MachineRange {
  std::size_t begin = 0, end = 0;
  double estimate = 0;  // of known mappings on the envelope
  double bound = 0;     // proven of a set around it
  std::shared_ptr<const Knowledge> known;
  u64 number = 0;  // in the order in which sets were made

  std::size_t size() const { return end - begin; }
};

// What became of a set.
struct Outcome {
  MachineValue value;
  bool split = false;
  std::size_t parameter = 0;      // the set is split by its values
  std::vector<std::size_t> left;  // those of the first half
  std::array<double, 2> estimate{};
  std::optional<double> machine;  // of a single machine: its least value, or of known mappings where that is not proven
  bool open = false;              // of a single machine: not decided by a limit of its search
};

class MachineTree {
 public:
  MachineTree(const SweepSpec& spec, const DesignPoints& grid, const MachineGrid& parts, std::vector<u64> points,
              std::optional<std::pair<u64, double>> known, const BestMachineHooks& hooks)
      : spec_(spec), grid_(grid), parts_(parts), points_(std::move(points)), hooks_(hooks), values_(spec) {
    out_.machines = points_.size();
    if (known) out_.point = kept_ = known->first, best_ = known->second;
  }

  BestMachine run() {
    std::vector<MachineRange> roots = by_shape();
    climb(roots);
    keep_best();
    for (MachineRange& root : roots) open_.insert(std::move(root));
    // Sets whose known mappings cost least first; some at a time, against the best machine known before them.
    while (!open_.empty() && !stopped()) {
      std::vector<MachineRange> batch;
      const std::size_t together = best_ == kNever ? 1 : kTogether;
      while (!open_.empty() && batch.size() < together)
        batch.push_back(std::move(open_.extract(open_.begin()).value()));
      std::vector<Outcome> outcomes(batch.size());
      const int inside = batch.size() == 1 ? spec_.options.threads : 1;
      parallel_for(batch.size(), batch.size() == 1 ? 1 : spec_.options.threads,
                   [&](std::size_t k) { outcomes[k] = look_at(batch[k], inside); });
      const bool cut_short = stopped();
      for (std::size_t k = 0; k < batch.size(); ++k) {
        if (cut_short) put_back(batch[k], outcomes[k]);
        else take(batch[k], std::move(outcomes[k]));
      }
      keep_best();
      tell();
    }
    conclude();
    return out_;
  }

 private:
  struct ByEstimate {
    bool operator()(const MachineRange& a, const MachineRange& b) const {
      return std::pair(a.estimate, a.number) < std::pair(b.estimate, b.number);
    }
  };

  bool stopped() const { return spec_.options.stop != nullptr && spec_.options.stop->load(); }
  bool bounds() const { return spec_.options.rules[Rule::MemoryBound]; }
  double limit() const { return bounds() ? best_ : kNever; }
  std::span<const u64> points_of(const MachineRange& set) const {
    return std::span(points_).subspan(set.begin, set.size());
  }

  // Sums in another order differ by less than this.
  double least_area(std::span<const u64> points) const {
    if (info(spec_.options.objective).area_power == 0) return 0;
    double out = kNever;
    for (const u64 point : points) out = std::min(out, parts_.area_um2(point));
    return points.size() == 1 ? out : out * kEqual;
  }

  // Machines that may be searched together; those that may be no machine are a set each.
  std::vector<MachineRange> by_shape() {
    std::map<u64, std::vector<u64>> shapes;
    for (const u64 point : points_) shapes[parts_.shape(point)].push_back(point);
    std::vector<MachineRange> out;
    std::size_t at = 0;
    for (auto& [shape, members] : shapes) {
      std::ranges::copy(members, points_.begin() + at);
      const std::size_t end = at + members.size();
      if (shape == 0) {
        for (; at < end; ++at) out.push_back({at, at + 1, 0, 0, nullptr, made_++});
      } else {
        out.push_back({at, end, 0, 0, nullptr, made_++});
        at = end;
      }
    }
    return out;
  }

  MachineValue value_of(const Architecture& machine, std::span<const u64> points, const Knowledge& known, double limit,
                        ValueGoal goal, int threads) const {
    return values_.search(machine, least_area(points), known, limit, goal, threads);
  }

  static const Knowledge& known_of(const MachineRange& set) {
    static const Knowledge nothing;
    return set.known ? *set.known : nothing;
  }

  // A first good machine: from the best known one, or one of the first set, to better neighbours, as long as there are
  // any. Neighbours differ in one parameter; they are priced by the mappings of the machine, the best one is searched.
  void climb(const std::vector<MachineRange>& roots) {
    if (points_.empty() || stopped()) return;
    std::vector<u64> members = points_;
    std::ranges::sort(members);
    u64 here = 0;
    if (out_.point && std::ranges::binary_search(members, *out_.point)) {
      here = *out_.point;
    } else {
      double least = kNever;
      for (std::size_t k = 0; k < std::min<std::size_t>(roots.size(), kTogether); ++k) {
        const u64 first = points_[roots[k].begin + roots[k].size() / 2];
        if (const auto machine = parts_.machine(first)) {
          const u64 one[] = {first};
          const MachineValue v = value_of(*machine, one, {}, kNever, first_look(), spec_.options.threads);
          if (!v.infeasible && v.value < least) least = v.value, here = first;
        }
      }
      if (least == kNever) return;
    }
    Knowledge known;
    for (int step = 0; step < kMostSteps && !stopped(); ++step) {
      const Outcome found = search_machine(here, known, kNever, spec_.options.threads);
      if (!found.machine || *found.machine >= best_ * kEqual) {
        if (step > 0 || !found.machine) break;
      } else {
        best_ = *found.machine, out_.point = here;
        if (step == 0) keep_best();
      }
      known = found.value.knowledge;
      const std::vector<u64> around = neighbours(here, members);
      std::vector<double> priced(around.size(), kNever);
      parallel_for(around.size(), spec_.options.threads, [&](std::size_t k) {
        const auto machine = parts_.machine(around[k]);
        if (!machine || stopped()) return;
        const u64 one[] = {around[k]};
        const MachineValue v = value_of(*machine, one, known, kNever, ValueGoal::Estimate, 1);
        if (!v.infeasible) priced[k] = v.value;
      });
      const auto best = std::ranges::min_element(priced);
      if (best == priced.end() || *best >= best_ * kEqual) break;
      here = around[at(best - priced.begin())];
    }
  }

  std::vector<u64> neighbours(u64 point, const std::vector<u64>& members) const {
    std::vector<u64> out;
    u64 stride = grid_.grid();
    for (std::size_t p = 0; p < spec_.parameters.size(); ++p) {
      const u64 values = spec_.parameters[p].values.size();
      stride /= values;
      const u64 own = parts_.choice(point, p);
      for (u64 k = 0; k < values && out.size() < kMostNeighbours; ++k)
        if (const u64 other = point - own * stride + k * stride; k != own && std::ranges::binary_search(members, other))
          out.push_back(other);
    }
    return out;
  }

  Outcome look_at(const MachineRange& set, int threads) const {
    const std::span<const u64> points = points_of(set);
    if (set.size() == 1) return search_machine(points.front(), known_of(set), limit(), threads);
    Outcome out;
    const Architecture envelope = parts_.envelope(points);
    // Without a limit sets are only split.
    const ValueGoal goal = best_ == kNever || !bounds() ? first_look() : ValueGoal::Exclude;
    out.value = value_of(envelope, points, known_of(set), limit(), goal, threads);
    if (out.value.infeasible || (bounds() && out.value.excluded) || stopped()) return out;
    choose_cut(set, out);
    return out;
  }

  // The machine itself, as the sweep's reader makes it.
  Outcome search_machine(u64 point, const Knowledge& known, double limit, int threads) const {
    Outcome out;
    const Result<Architecture> machine = grid_.machine(point);
    if (!machine) {
      out.value.infeasible = true;
      return out;
    }
    const ValueGoal goal = spec_.limits.any() ? ValueGoal::Exclude : ValueGoal::Exact;
    out.value = values_.search(*machine, machine->area_um2(), known, limit, goal, threads);
    if (out.value.infeasible || (out.value.excluded && limit < kNever)) return out;
    if (values_.decided_by_mapping()) {
      map_machine(*machine, out);
      return out;
    }
    if (out.value.value < kNever) out.machine = out.value.value;
    out.open = !out.value.exact;
    return out;
  }

  // Within limits a machine may have no mapping although many are known: some are looked for.
  ValueGoal first_look() const { return spec_.limits.any() ? ValueGoal::Exclude : ValueGoal::Estimate; }

  // What the sweep would record of the machine.
  void map_machine(const Architecture& machine, Outcome& out) const {
    SearchOptions options = spec_.options;
    options.threads = 1;
    const Result<PointMappings> found = map_layers(spec_, 0, spec_.layers.size(), machine, options);
    out.open = true;
    if (!found || stopped()) return;
    std::vector<LayerRecord> layers;
    for (std::size_t l = 0; l < spec_.layers.size(); ++l) {
      const MappingResult& result = found->layers[l];
      if (result.status == Status::Infeasible) {
        out.value.infeasible = spec_.limits.any() && found->proven;
        out.open = !out.value.infeasible;
        return;
      }
      LayerRecord& record = layers.emplace_back();
      record.workload = spec_.layers[l].workload;
      record.count = spec_.layers[l].layer.count, record.weight = spec_.layers[l].weight;
      record.energy_pj = result.cost.energy.picojoules(), record.cycles = static_cast<double>(result.cost.cycles);
      record.value = result.value, record.lower_bound = result.lower_bound;
    }
    out.open = !found->proven;
    out.machine = totals(layers, ranking_of(spec_), machine.cycle_ns).value;
  }

  // By which parameter, and where: what makes the known mappings of both halves dearest, up to the limit, one with the
  // other. Values are ordered as the file has them.
  void choose_cut(const MachineRange& set, Outcome& out) const {
    const std::vector<u64> points = some_of(points_of(set));
    out.split = true;
    const double now = std::min(out.value.value, kMostValue);
    const double most = std::max(best_ < kNever ? best_ * 1.01 - now : now, now * 1e-6);
    const auto gain = [&](double estimate) { return std::clamp(estimate - now, most * 1e-3, most); };
    double best = -1;
    for (std::size_t p = 0; p < spec_.parameters.size(); ++p) {
      std::set<std::size_t> present;
      for (const u64 point : points) present.insert(parts_.choice(point, p));
      if (present.size() < 2) continue;
      const std::vector<std::size_t> order = ordered(p, present);
      for (const std::size_t cut : cuts(order.size())) {
        const std::vector<std::size_t> left(order.begin(), order.begin() + cut);
        std::array<std::vector<u64>, 2> half;
        for (const u64 point : points)
          half[std::ranges::find(left, parts_.choice(point, p)) == left.end()].push_back(point);
        std::array<double, 2> estimate{};
        for (std::size_t h = 0; h < 2; ++h) estimate[h] = estimate_of(half[h], out.value.knowledge);
        const double score = gain(estimate[0]) * gain(estimate[1]);
        if (score <= best) continue;
        best = score, out.parameter = p, out.left = left, out.estimate = estimate;
      }
    }
  }

  // In large sets points at even distances say enough of where to cut.
  static std::vector<u64> some_of(std::span<const u64> points) {
    if (points.size() <= kMostLooked) return {points.begin(), points.end()};
    std::vector<u64> out;
    for (std::size_t k = 0; k < kMostLooked; ++k) out.push_back(points[k * points.size() / kMostLooked]);
    return out;
  }

  double estimate_of(std::span<const u64> points, const Knowledge& known) const {
    const MachineValue v = value_of(parts_.envelope(points), points, known, kNever, ValueGoal::Estimate, 1);
    return v.infeasible ? kMostValue : std::min(v.value, kMostValue);
  }

  // The values by their number, if they have one.
  std::vector<std::size_t> ordered(std::size_t parameter, const std::set<std::size_t>& present) const {
    std::vector<std::size_t> out(present.begin(), present.end());
    const std::vector<ParameterValue>& values = spec_.parameters[parameter].values;
    if (std::ranges::all_of(out, [&](std::size_t k) { return values[k].number.has_value(); }))
      std::ranges::stable_sort(out, {}, [&](std::size_t k) { return *values[k].number; });
    return out;
  }
  static std::vector<std::size_t> cuts(std::size_t values) {
    std::vector<std::size_t> out;
    if (values <= 3)
      for (std::size_t k = 1; k < values; ++k) out.push_back(k);
    else if (values <= kAllCuts) out = {1, values / 2, values - 1};
    else out = {values / 4, values / 2, 3 * values / 4};
    return out;
  }

  void take(const MachineRange& set, Outcome outcome) {
    ++out_.sets;
    out_.searches += outcome.value.searches;
    const auto exclude = [&](Excluded why) {
      outcome.value.lower_bound = std::max(outcome.value.lower_bound, set.bound);
      out_.excluded[at(why)] += set.size();
      decided_ += set.size();
      if (hooks_.excluded)
        hooks_.excluded({points_.begin() + set.begin, points_.begin() + set.end}, why, outcome.value, out_.point);
    };
    if (outcome.value.infeasible) return exclude(Excluded::Infeasible);
    if (outcome.split) return split(set, std::move(outcome));
    if (outcome.machine && better(*outcome.machine, points_[set.begin])) {
      best_ = *outcome.machine;
      out_.point = points_[set.begin];
    }
    if (outcome.open) {
      undecided_.push_back(std::max(set.bound, outcome.value.lower_bound));
      ++decided_;
      return;
    }
    if (set.size() > 1)
      return exclude(outcome.value.searches > 0     ? Excluded::Searched
                     : outcome.value.by_least_costs ? Excluded::LeastCosts
                                                    : Excluded::Inherited);
    if (out_.point == points_[set.begin]) {
      ++decided_;
      return;
    }
    exclude(Excluded::Alone);
  }

  // So that whatever ends the run, there is an answer.
  void keep_best() {
    if (out_.point == kept_ || stopped()) return;
    kept_ = out_.point;
    if (hooks_.found) hooks_.found(*kept_);
  }

  // Among equal machines the first of the grid is the best.
  bool better(double value, u64 point) const {
    if (value < best_ * kEqual) return true;
    return value <= best_ / kEqual && out_.point && point < *out_.point;
  }

  void split(const MachineRange& set, Outcome outcome) {
    ++out_.splits;
    const auto begin = points_.begin() + set.begin;
    const auto end = points_.begin() + set.end;
    const auto middle = std::stable_partition(begin, end, [&](u64 point) {
      return std::ranges::find(outcome.left, parts_.choice(point, outcome.parameter)) != outcome.left.end();
    });
    const auto known = std::make_shared<const Knowledge>(std::move(outcome.value.knowledge));
    const double bound = std::max(set.bound, outcome.value.lower_bound);
    const std::size_t cut = static_cast<std::size_t>(middle - points_.begin());
    open_.insert({set.begin, cut, outcome.estimate[0], bound, known, made_++});
    open_.insert({cut, set.end, outcome.estimate[1], bound, known, made_++});
  }

  // A set that was being searched when the run was told to stop.
  void put_back(MachineRange& set, const Outcome& outcome) {
    set.bound = std::max(set.bound, outcome.value.infeasible ? 0 : outcome.value.lower_bound);
    open_.insert(std::move(set));
  }

  double proven() const {
    double out = best_;
    for (const MachineRange& set : open_) out = std::min(out, set.bound);
    for (const double bound : undecided_) out = std::min(out, bound);
    return out;
  }

  void tell() const {
    if (hooks_.tell) hooks_.tell(out_.machines - decided_, best_, proven());
  }

  void conclude() {
    out_.value = best_;
    out_.lower_bound = out_.point ? std::min(best_, proven()) : 0;
    out_.proven = out_.point && out_.lower_bound >= best_ * kEqual;
    if (out_.proven) out_.lower_bound = best_;
  }

  const SweepSpec& spec_;
  const DesignPoints& grid_;
  const MachineGrid& parts_;
  std::vector<u64> points_;
  const BestMachineHooks& hooks_;
  const MachineValues values_;
  std::multiset<MachineRange, ByEstimate> open_;
  std::vector<double> undecided_;  // bounds of machines that a limit left open
  double best_ = kNever;
  std::optional<u64> kept_;  // the best machine that others were told of
  u64 made_ = 0, decided_ = 0;
  BestMachine out_;
};

}  // namespace

bool searches_sets(const SweepSpec& spec) {
  return spec.goal == SweepGoal::Best && spec.options.strategy == Strategy::Exact &&
         spec.options.factors == Factors::Perfect && spec.options.tiles == Tiles::Even;
}

BestMachine find_best_machine(const SweepSpec& spec, const DesignPoints& grid, const MachineGrid& parts,
                              std::vector<u64> points, std::optional<std::pair<u64, double>> known,
                              const BestMachineHooks& hooks) {
  return MachineTree(spec, grid, parts, std::move(points), known, hooks).run();
}

}  // namespace heliolite
