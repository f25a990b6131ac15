#include "engine/proof/prove.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/proof/curve.h"
#include "engine/proof/mapping_steps.h"
#include "engine/proof/proof_file.h"
#include "engine/proof/reduce.h"
#include "engine/proof/sha256.h"
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
  const u128 cycles = words * channel.denominator / (u128{channel.numerator} * s.instances[at(channel.level)]);
  return 2 * cycles >= cost.cycles;
}

// A mapping of the instance, and what it costs.
struct Priced {
  ProofMapping steps;
  State end;
  ExactCost cost;
};

// All that the lines before the states say. `instance`: the question's own lines, `hash`: of them.
std::string head_of(const Question& q, const std::string& instance, const std::string& hash, const Claim& claim,
                    bool is_met, const std::vector<Priced>& mappings, const Reduction& reduction) {
  std::string out = instance;
  out += fmt::format("heliolite-proof 1\ninstance {}\nclaim {} {}\n", hash, is_met ? "optimal" : "bound", claim.text());
  out += reduction.text();
  for (const Priced& mapping : mappings) {
    out += fmt::format("mapping {}\n", servers_text(q, 0, mapping.steps.root));
    for (int i = 0; i < q.levels(); ++i) {
      const LevelStep& step = mapping.steps.levels[at(i)];
      out += fmt::format("m {} {} {}\n", unrolling_text(q, i, step.unrolling), loops_text(q, step.loops),
                         servers_text(q, i + 1, step.set));
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
  if (search.tiles != Tiles::Even) return "no proof for uneven tiles yet";
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

// Writes one proof.
class Prover {
 public:
  Prover(const Workload& workload, const Architecture& architecture, const SearchOptions& search,
         const ProofOptions& options)
      : workload_(workload), architecture_(architecture), search_(search), options_(options) {}

  ProofReport run(const std::vector<Mapping>& mappings, const Asked& asked, std::ostream& out_stream) {
    if (std::string why = refused_space(search_); !why.empty()) return refused(std::move(why));
    // Step 1. The question.
    const Result<Instance> whole = instance_of(workload_, architecture_, {.free = search_.free, .open = search_.open});
    if (!whole) return refused(whole.errors().front().message);
    const Reduction reduction = reduce(*whole);
    const Result<Question> made = Question::create(reduction.instance);
    if (!made) return refused(made.errors().front().message);
    const Question& q = *made;
    // Step 2. The mappings, and what is claimed of them.
    std::vector<Priced> priced;
    for (const Mapping& mapping : mappings) {
      const std::optional<Priced> known = priced_by(q, mapping, reduction);
      if (!known) return refused("no proof: the mapping is not one of the instance");
      if (known->end.too_many)
        return refused(fmt::format("no proof of more than {} flows of words at a time yet", kMaxFlows));
      priced.push_back(*known);
    }
    const ExactCost first = priced.front().cost;
    std::vector<ExactCost> corners =
        asked.is_curve ? corners_of(q, asked, reduction, priced) : std::vector<ExactCost>{};
    const std::optional<Claim> claim = asked.is_curve
                                           ? Claim::of_curve(corners, q.scale)
                                           : Claim::of(search_.objective, first.energy, first.cycles, q.scale);
    if (!claim)
      return refused(asked.is_curve ? "no proof of energies of more than 120 bits"
                                    : "no proof of values of more than 256 bits");
    const ExactCost& cost = priced.front().cost;
    const std::string text = text_of(*whole);
    out_.instance = sha256_text(text);
    out_.claim = claim->text();
    out_.unit_bits = q.instance.unit_bits;
    const int shift = 32 - out_.unit_bits;
    out_.cost = {Energy{shift >= 0 ? cost.energy << shift : cost.energy >> -shift}, cost.cycles};
    out_.corners = std::move(corners);
    if (asked.lines != nullptr) out_.chosen = cost;
    // Step 3. Tables, then the pass.
    std::vector<int> tabled;
    for (std::size_t c = 0; c < q.channels.size(); ++c)
      if (std::ranges::any_of(priced, [&](const Priced& p) { return is_tabled(q, c, p.end, p.cost); }))
        tabled.push_back(static_cast<int>(c));
    const auto is_over = [&] {
      if (search_.stop != nullptr && search_.stop->load(std::memory_order_relaxed)) return true;
      return options_.budget_seconds && clock_.seconds() > *options_.budget_seconds;
    };
    const PassLimits limits{.over = is_over, .memory_bytes = search_.memory_bytes, .threads = search_.threads};
    Bounds bounds(q, tabled);
    if (bounds.bytes() > limits.memory_bytes)
      return refused("no proof: its tables need more memory than --memory allows");
    bounds.fill(search_.threads, is_over);
    if (is_over()) {
      out_.ended = "the time is up, or it was stopped";
    } else {
      ProofFile file(out_stream, options_.packed, options_.file_bytes);
      file.write(head_of(q, text, out_.instance, *claim, asked.lines == nullptr, priced, reduction));
      const PassResult pass =
          run_pass(q, bounds, *claim, limits, [&](const std::string& line) { return file.write(line + "\n"); });
      out_.questions = pass.questions;
      out_.states = pass.states;
      out_.ended = pass.ended;
      if (pass.better) {
        out_.better = mapping_of(q, *pass.better, reduction);
        out_.is_rounding =
            asked.is_curve && is_rounding(architecture_, *claim, exact_cost(q, *walked(q, *pass.better)), q.scale);
      }
      if (pass.complete && !file.finish()) out_.ended = "the limit of the file's size is reached";
      out_.bytes = file.bytes();
    }
    out_.seconds = clock_.seconds();
    return std::move(out_);
  }

 private:
  static std::optional<Priced> priced_by(const Question& q, const Mapping& mapping, const Reduction& reduction) {
    const std::optional<ProofMapping> steps = steps_of(q, mapping, reduction);
    const std::optional<State> end = steps ? walked(q, *steps) : std::nullopt;
    if (!end) return std::nullopt;
    return Priced{*steps, *end, exact_cost(q, *end)};
  }

  // The curve's corners; of the mappings those are left that the proof names: of a curve of mappings one for each
  // corner, otherwise the first.
  std::vector<ExactCost> corners_of(const Question& q, const Asked& asked, const Reduction& reduction,
                                    std::vector<Priced>& priced) const {
    std::vector<ExactCost> points;
    for (const Priced& p : priced) points.push_back(p.cost);
    if (asked.lines != nullptr) {
      std::ranges::copy(points_under(exact_lines(q, *asked.lines, reduction), asked.lines->least.cycles),
                        std::back_inserter(points));
      priced.resize(1);
      return lower_hull(std::move(points));
    }
    std::vector<ExactCost> corners = lower_hull(std::move(points));
    std::vector<Priced> named;
    for (const ExactCost& c : corners) named.push_back(*std::ranges::find(priced, c, &Priced::cost));
    priced = std::move(named);
    return corners;
  }

  // The lines in the instance's unit, through what the mappings that they touch cost exactly.
  static std::vector<ExactLine> exact_lines(const Question& q, const CostLines& of, const Reduction& reduction) {
    using Rational = boost::multiprecision::cpp_rational;
    const int shift = q.instance.unit_bits - 32;
    const Rational unit = shift >= 0 ? Rational(1 << shift) : Rational(1, u64{1} << -shift);
    std::vector<ExactLine> out{{0, unit * Rational(of.least.energy.units)}};
    for (const CostLine& line : of.lines) {
      const Rational lambda = unit * Rational(line.lambda);
      const std::optional<Priced> touched = line.touches ? priced_by(q, *line.touches, reduction) : std::nullopt;
      if (touched) out.push_back({lambda, Rational(touched->cost.energy) + lambda * touched->cost.cycles});
      else out.push_back({lambda, unit * Rational(line.value.units)});
    }
    return out;
  }

  const Workload& workload_;
  const Architecture& architecture_;
  const SearchOptions& search_;
  const ProofOptions& options_;
  const Stopwatch clock_;
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

ProofReport prove(const Workload& workload, const Architecture& architecture, const SearchOptions& search,
                  const Mapping& mapping, const ProofOptions& options, std::ostream& out) {
  if (std::string why = refusal(search); !why.empty()) return refused(std::move(why));
  return Prover(workload, architecture, search, options).run({mapping}, {}, out);
}

ProofReport prove_curve(const Workload& workload, const Architecture& architecture, const SearchOptions& search,
                        const std::vector<Mapping>& mappings, const ProofOptions& options, std::ostream& out) {
  return Prover(workload, architecture, search, options).run(mappings, {.is_curve = true}, out);
}

ProofReport prove_lines(const Workload& workload, const Architecture& architecture, const SearchOptions& search,
                        const CostLines& lines, const std::vector<Mapping>& mappings, const ProofOptions& options,
                        std::ostream& out) {
  return Prover(workload, architecture, search, options).run(mappings, {.is_curve = true, .lines = &lines}, out);
}

}  // namespace heliolite::proof
