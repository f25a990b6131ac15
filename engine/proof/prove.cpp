#include "engine/proof/prove.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/proof/claim.h"
#include "engine/proof/proof_file.h"
#include "engine/proof/reduce.h"
#include "engine/proof/stacks.h"
#include "engine/search/core/budget.h"

namespace heliolite::proof {
namespace {

// Tables that could take longer to fill than the search itself are worth it only of rates that bind; energy always. The
// checker has those of all rates, so its bounds are no lower.
bool is_tabled(const Question& q, std::size_t number, const State& s, const ExactCost& cost) {
  if (number == 0) return true;
  const PricedChannel& channel = q.channels[number];
  u128 words = 0;
  for (std::size_t k = 0; k < q.pairs.size(); ++k) {
    const WordPrices& p = channel.price[q.pairs[k].first][q.pairs[k].second];
    words += u128{p.access} * s.count[k].accesses + u128{p.fill} * s.count[k].fills;
  }
  const u128 cycles = words * channel.denominator / (u128{channel.numerator} * s.instances[channel.level]);
  return 2 * cycles >= cost.cycles;
}

// The question on one compute unit that can run the layer.
struct UnitQuestion {
  std::size_t unit = 0;  // a number of Architecture::chain()
  Instance asked;
  Reduction reduction;  // of the instance with a stack in place of each level of uneven tiles
  Question q;
};

// A mapping on one of them, and what it costs.
struct Priced {
  const UnitQuestion* on = nullptr;
  ProofMapping steps;
  State end;
  ExactCost cost;
};

// All that the lines of a unit's proof before the states say.
std::string head_of(const UnitQuestion& on, const std::string& instance, const std::string& hash, const Claim& claim,
                    bool is_met, const std::vector<Priced>& mappings) {
  std::string out = instance;
  out += fmt::format("heliolite-proof 1\ninstance {}\nclaim {} {}\n", hash, is_met ? "optimal" : "bound", claim.text());
  out += on.reduction.text();
  for (const Priced& mapping : mappings) {
    if (mapping.on != &on) continue;
    out += fmt::format("mapping {}\n", servers_text(on.q, 0, mapping.steps.root));
    for (int i = 0; i < on.q.levels(); ++i) {
      const LevelStep& step = mapping.steps.levels[i];
      out += fmt::format("m {} {} {}\n", unrolling_text(on.q, i, step.unrolling), loops_text(on.q, step.loops),
                         servers_text(on.q, i + 1, step.set));
    }
  }
  return out;
}

ProofReport refused(std::string why) {
  ProofReport out;
  out.refused = std::move(why);
  return out;
}

std::string refused_space(const SearchOptions& search) {
  if (search.factors != Factors::Perfect) return "no proof for factors that do not divide yet";
  if (!search.evaluator.command.empty()) return "no proof for evaluators yet";
  return "";
}

// What doubles may take for a mapping that is not below: so much more energy, and, where cycles are counted as Timeloop
// does (docs/cost_model.md, rule 28), one more in bounds and one in costs.
bool is_rounding(const Architecture& architecture, const Claim& claim, const ExactCost& cost, u64 scale) {
  constexpr u64 kOfEnergy = 1'000'000'000;
  const u64 cycles = architecture.timeloop_cycles ? 2 : 0;
  return claim.closed((cost.energy + cost.energy / kOfEnergy + 1) * scale, cost.cycles + cycles);
}

// What is claimed: the first mapping's value; the hull of all; or a curve under lines, and under them.
struct Asked {
  bool is_curve = false;
  const CostLines* lines = nullptr;
};

// Writes one proof: that of each compute unit that can run the layer, all of the same claim.
class Prover {
 public:
  Prover(const Workload& workload, const Architecture& machine, const SearchOptions& search,
         const ProofOptions& options)
      : workload_(workload), machine_(machine), search_(search), options_(options) {}

  ProofReport run(const std::vector<UnitMapping>& mappings, const Asked& asked, std::ostream& out_stream) {
    if (std::string why = refused_space(search_); !why.empty()) return refused(std::move(why));
    // Step 1. The questions.
    if (std::string why = ask(); !why.empty()) return refused(std::move(why));
    // Step 2. The mappings, and what is claimed of them.
    std::vector<Priced> priced;
    for (const UnitMapping& mapping : mappings) {
      const std::optional<Priced> known = priced_by(mapping);
      if (!known) return refused("no proof: the mapping is not one of the instance");
      if (known->end.too_many)
        return refused(fmt::format("no proof of more than {} flows of words at a time yet", kMaxFlows));
      priced.push_back(*known);
    }
    if (asked.is_curve) out_.corners = corners_of(asked, priced);
    if (std::string why = report_claim(priced.front().cost); !why.empty()) return refused(std::move(why));
    if (asked.lines != nullptr) out_.chosen = priced.front().cost;
    // Step 3. Unit by unit the pass that finds the states.
    ProofFile file(out_stream, options_.packed, options_.file_bytes);
    if (units_.size() > 1) file.write(layer_head(units_.size()));
    for (const UnitQuestion& on : units_) {
      if (std::string why = prove_on(on, asked, priced, file); !why.empty()) return refused(std::move(why));
      if (!out_.complete()) break;
    }
    if (out_.complete() && !file.finish()) out_.ended = "the limit of the file's size is reached";
    out_.bytes = file.bytes();
    out_.seconds = clock_.seconds();
    return std::move(out_);
  }

 private:
  // Returns why there are no proofs.
  std::string ask() {
    const Result<std::vector<UnitInstance>> instances = instances_of(workload_, machine_, InstanceOptions::of(search_));
    if (!instances) return instances.errors().front().message;
    for (const UnitInstance& i : *instances) {
      Reduction reduction = reduce(i.instance);
      reduction.whole = with_stacks(reduction.whole), reduction.instance = with_stacks(reduction.instance);
      if (reduction.whole.level_count() > kMaxLevels)
        return fmt::format("no proof of more than {} levels, of uneven tiles one for each tensor, yet", kMaxLevels);
      Result<Question> made = Question::create(reduction.instance);
      if (!made) return made.errors().front().message;
      units_.push_back({i.unit, i.instance, std::move(reduction), *std::move(made)});
    }
    return "";
  }

  // None: the unit's instance does not have it.
  std::optional<Priced> priced_by(const UnitMapping& mapping) const {
    const auto on = std::ranges::find(units_, mapping.unit, &UnitQuestion::unit);
    if (on == units_.end()) return std::nullopt;
    const std::optional<Mapping> stacked = on_stacks(mapping.mapping, on->asked);
    const std::optional<ProofMapping> steps = stacked ? steps_of(on->q, *stacked, on->reduction) : std::nullopt;
    const std::optional<State> end = steps ? walked(on->q, *steps) : std::nullopt;
    if (!end) return std::nullopt;
    return Priced{&*on, *steps, *end, exact_cost(on->q, *end)};
  }

  // That of one unit, in whose scale it counts energies.
  std::optional<Claim> claim_on(const UnitQuestion& on, const ExactCost& first) const {
    if (!out_.corners.empty()) return Claim::of_curve(out_.corners, on.q.scale);
    return Claim::of(search_.objective, first.energy, first.cycles, on.q.scale);
  }

  // Returns why it is too large.
  std::string report_claim(const ExactCost& first) {
    for (const UnitQuestion& on : units_) {
      const std::optional<Claim> claim = claim_on(on, first);
      if (!claim)
        return out_.corners.empty() ? "no proof of values of more than 256 bits"
                                    : "no proof of energies of more than 120 bits";
      out_.claim = claim->text();
    }
    out_.unit_bits = unit_bits();
    const int shift = 32 - out_.unit_bits;
    out_.cost = {Energy{shift >= 0 ? first.energy << shift : first.energy >> -shift}, first.cycles};
    return "";
  }

  int unit_bits() const { return units_.front().q.instance.unit_bits; }  // of all

  // Tables, then the pass. Returns why it was not begun.
  std::string prove_on(const UnitQuestion& on, const Asked& asked, const std::vector<Priced>& priced, ProofFile& file) {
    const Question& q = on.q;
    const Claim claim = *claim_on(on, priced.front().cost);
    const std::string text = text_of(on.asked), hash = sha256_text(text);
    out_.instance += (out_.instance.empty() ? "" : " ") + hash;
    const auto is_over = [&] {
      if (search_.stop != nullptr && search_.stop->load(std::memory_order_relaxed)) return true;
      return options_.budget_seconds && clock_.seconds() > *options_.budget_seconds;
    };
    const PassLimits limits{.over = is_over, .memory_bytes = search_.memory_bytes, .threads = search_.threads};
    Bounds bounds(q, tabled_on(on, priced));
    if (bounds.bytes() > limits.memory_bytes) return "no proof: its tables need more memory than --memory allows";
    bounds.fill(search_.threads, is_over);
    if (is_over()) {
      out_.ended = "the time is up, or it was stopped";
      return "";
    }
    file.write(head_of(on, text, hash, claim, asked.lines == nullptr, priced));
    const PassResult pass =
        run_pass(q, bounds, claim, limits, [&](const std::string& line) { return file.write(line + "\n"); });
    out_.questions += pass.questions;
    out_.states += pass.states;
    out_.ended = pass.ended;
    if (!pass.better) return "";
    out_.better = {off_stacks(mapping_of(q, *pass.better, on.reduction), on.asked), on.unit};
    out_.is_rounding =
        asked.is_curve && is_rounding(machine_.chain(on.unit), claim, exact_cost(q, *walked(q, *pass.better)), q.scale);
    return "";
  }

  // Rates whose tables are worth it for a mapping on this unit; all, where none says which are.
  static std::vector<int> tabled_on(const UnitQuestion& on, const std::vector<Priced>& priced) {
    const bool has_none = std::ranges::none_of(priced, [&](const Priced& p) { return p.on == &on; });
    std::vector<int> out;
    for (std::size_t c = 0; c < on.q.channels.size(); ++c)
      if (has_none || std::ranges::any_of(
                          priced, [&](const Priced& p) { return p.on == &on && is_tabled(on.q, c, p.end, p.cost); }))
        out.push_back(static_cast<int>(c));
    return out;
  }

  // The curve's corners; of the mappings those are left that the proof names: of a curve of mappings one for each
  // corner, otherwise the first.
  std::vector<ExactCost> corners_of(const Asked& asked, std::vector<Priced>& priced) const {
    std::vector<ExactCost> points;
    for (const Priced& p : priced) points.push_back(p.cost);
    if (asked.lines != nullptr) {
      std::ranges::copy(points_under(exact_lines(*asked.lines), asked.lines->least.cycles), std::back_inserter(points));
      priced.resize(1);
      return lower_hull(std::move(points));
    }
    std::vector<ExactCost> corners = lower_hull(std::move(points));
    std::vector<Priced> named;
    for (const ExactCost& c : corners) named.push_back(*std::ranges::find(priced, c, &Priced::cost));
    priced = std::move(named);
    return corners;
  }

  // The lines in the instances' unit, through what the mappings that they touch cost exactly.
  std::vector<ExactLine> exact_lines(const CostLines& of) const {
    using Rational = boost::multiprecision::cpp_rational;
    const int shift = unit_bits() - 32;
    const Rational unit = shift >= 0 ? Rational(1 << shift) : Rational(1, u64{1} << -shift);
    std::vector<ExactLine> out{{0, unit * Rational(of.least.energy.units)}};
    for (const CostLine& line : of.lines) {
      const Rational lambda = unit * Rational(line.lambda);
      const std::optional<Priced> touched = line.touches ? priced_by(*line.touches) : std::nullopt;
      if (touched) out.push_back({lambda, Rational(touched->cost.energy) + lambda * touched->cost.cycles});
      else out.push_back({lambda, unit * Rational(line.value.units)});
    }
    return out;
  }

  const Workload& workload_;
  const Architecture& machine_;
  const SearchOptions& search_;
  const ProofOptions& options_;
  const Stopwatch clock_;
  std::vector<UnitQuestion> units_;
  ProofReport out_;
};

}  // namespace

std::string refusal(const SearchOptions& search) {
  if (std::string why = refused_space(search); !why.empty()) return why;
  switch (search.objective.kind()) {
    case Objective::Energy:
    case Objective::Delay:
    case Objective::Edp:
    case Objective::Ed2p: return "";
    default: return fmt::format("no proof for {} yet", name(search.objective));
  }
}

std::string layer_head(std::size_t units) {
  return units == 1 ? "" : fmt::format("heliolite-layer 1\nunits {}\n", units);
}

ProofReport prove(const Workload& workload, const Architecture& machine, const SearchOptions& search,
                  const UnitMapping& mapping, const ProofOptions& options, std::ostream& out) {
  if (std::string why = refusal(search); !why.empty()) return refused(std::move(why));
  return Prover(workload, machine, search, options).run({mapping}, {}, out);
}

ProofReport prove_curve(const Workload& workload, const Architecture& machine, const SearchOptions& search,
                        const std::vector<UnitMapping>& mappings, const ProofOptions& options, std::ostream& out) {
  return Prover(workload, machine, search, options).run(mappings, {.is_curve = true}, out);
}

ProofReport prove_lines(const Workload& workload, const Architecture& machine, const SearchOptions& search,
                        const CostLines& lines, const std::vector<UnitMapping>& mappings, const ProofOptions& options,
                        std::ostream& out) {
  return Prover(workload, machine, search, options).run(mappings, {.is_curve = true, .lines = &lines}, out);
}

}  // namespace heliolite::proof
