#include "engine/proof/prove.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/proof/mapping_steps.h"
#include "engine/proof/proof_file.h"
#include "engine/proof/reduce.h"
#include "engine/proof/sha256.h"
#include "engine/search/core/budget.h"

namespace heliolite::proof {
namespace {

// Tables that could take longer to fill than the search itself are worth it only of rates that bind.
std::vector<int> tabled_channels(const Question& q, const State& s, const ExactCost& cost) {
  std::vector<int> out{0};
  for (std::size_t c = 1; c < q.channels.size(); ++c) {
    const PricedChannel& channel = q.channels[c];
    u128 words = 0;
    for (std::size_t k = 0; k < q.pairs.size(); ++k) {
      const WordPrices& p = channel.price[q.pairs[k].first][q.pairs[k].second];
      words += u128{p.access} * s.count[k].accesses + u128{p.fill} * s.count[k].fills;
    }
    const u128 cycles = words * channel.denominator / (u128{channel.numerator} * s.instances[at(channel.level)]);
    if (2 * cycles >= cost.cycles) out.push_back(static_cast<int>(c));
  }
  return out;
}

std::string rate_name(const Question& q, int channel) {
  const PricedChannel& c = q.channels[at(channel)];
  return fmt::format("{}:{}", q.instance.levels[at(c.level)].name, c.kind);
}

// All that the lines before the states say.
std::string head_of(const Question& q, const Instance& whole, const std::string& hash, const Claim& claim,
                    const ProofMapping& mapping, const std::vector<int>& batch, const std::vector<int>& tabled) {
  std::string out = text_of(whole);
  out += fmt::format("heliolite-proof 1\ninstance {}\nclaim optimal {}\n", hash, claim.text());
  for (const int d : batch) out += fmt::format("reduce batch {}\n", q.instance.dimensions[at(d)]);
  out += fmt::format("mapping {}\n", servers_text(q, 0, mapping.root));
  for (int i = 0; i < q.levels(); ++i) {
    const LevelStep& step = mapping.levels[at(i)];
    out += fmt::format("m {} {} {}\n", unrolling_text(q, i, step.unrolling), loops_text(q, step.loops),
                       servers_text(q, i + 1, step.set));
  }
  std::string use;
  for (const int c : tabled)
    if (c > 0) use += " " + rate_name(q, c);
  return out + "use" + (use.empty() ? " -" : use) + "\n";
}

ProofReport refused(std::string why) {
  ProofReport out;
  out.refused = std::move(why);
  return out;
}

}  // namespace

std::string refusal(const SearchOptions& search) {
  if (search.factors != Factors::Perfect) return "no proof for factors that do not divide yet";
  if (search.tiles != Tiles::Even) return "no proof for uneven tiles yet";
  if (!search.evaluator.command.empty()) return "no proof for evaluators yet";
  if (search.network) return "no proof for the optimum of a network yet";
  switch (search.objective.kind()) {
    case Objective::Energy:
    case Objective::Delay:
    case Objective::Edp:
    case Objective::Ed2p: return "";
    default: return fmt::format("no proof for {} yet", name(search.objective));
  }
}

ProofReport prove(const Workload& workload, const Architecture& architecture, const SearchOptions& search,
                  const Mapping& mapping, const ProofOptions& options, std::ostream& out_stream) {
  if (std::string why = refusal(search); !why.empty()) return refused(std::move(why));
  const Stopwatch clock;
  const Result<Instance> whole = instance_of(workload, architecture, {.free = search.free, .open = search.open});
  if (!whole) return refused(whole.errors().front().message);
  const std::vector<int> batch = batch_dimensions(*whole);
  const Result<Question> made = Question::create(without_inner_loops(*whole, batch));
  if (!made) return refused(made.errors().front().message);
  const Question& q = *made;
  const std::optional<ProofMapping> steps = steps_of(q, mapping, batch);
  const std::optional<State> end = steps ? walked(q, *steps) : std::nullopt;
  if (!end) return refused("no proof: the mapping is not one of the instance");
  const ExactCost cost = exact_cost(q, *end);
  const std::optional<Claim> claim = Claim::of(search.objective, cost.energy, cost.cycles, q.scale);
  if (!claim) return refused("no proof of values of more than 256 bits");

  ProofReport out;
  out.instance = sha256_text(text_of(*whole));
  out.claim = claim->text();
  const int shift = 32 - q.instance.unit_bits;
  out.cost = {Energy{shift >= 0 ? cost.energy << shift : cost.energy >> -shift}, cost.cycles};
  const auto is_over = [&] {
    if (search.stop != nullptr && search.stop->load(std::memory_order_relaxed)) return true;
    return options.budget_seconds && clock.seconds() > *options.budget_seconds;
  };
  const PassLimits limits{.over = is_over, .memory_bytes = search.memory_bytes, .threads = search.threads};
  const std::vector<int> tabled = tabled_channels(q, *end, cost);
  Bounds bounds(q, tabled);
  if (bounds.bytes() > limits.memory_bytes)
    return refused("no proof: its tables need more memory than --memory allows");
  bounds.fill(search.threads, is_over);
  if (is_over()) {
    out.ended = "the time is up, or it was stopped";
  } else {
    ProofFile file(out_stream, options.packed, options.file_bytes);
    file.write(head_of(q, *whole, out.instance, *claim, *steps, batch, tabled));
    const PassResult pass =
        run_pass(q, bounds, *claim, limits, [&](const std::string& line) { return file.write(line + "\n"); });
    out.questions = pass.questions;
    out.states = pass.states;
    out.ended = pass.ended;
    if (pass.better) out.better = mapping_of(q, *pass.better);
    if (pass.complete && !file.finish()) out.ended = "the limit of the file's size is reached";
    out.bytes = file.bytes();
  }
  out.seconds = clock.seconds();
  return out;
}

}  // namespace heliolite::proof
