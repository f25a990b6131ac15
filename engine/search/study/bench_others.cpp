// What others say and find: statements of papers about mappers, and mappings of programs that are none of ours.
#include "engine/search/study/bench_suite.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/model/mapping_check.h"
#include "engine/model/true_counts/cost.h"
#include "engine/search/core/layer_problem.h"

namespace heliolite {
namespace {

std::optional<double> quantity(const BenchRow& row, ClaimQuantity what) {
  if (!row.value) return std::nullopt;
  if (what == ClaimQuantity::Seconds) return row.seconds;
  if (what == ClaimQuantity::Evaluated && row.evaluated) return static_cast<double>(*row.evaluated);
  return what == ClaimQuantity::Value ? row.value : std::nullopt;
}

std::optional<double> ours(const PublishedClaim& claim, const std::vector<BenchRow>& rows) {
  double sum = 0, most = 0;
  u64 layers = 0;
  for (const BenchRow& a : rows) {
    if (a.strategy != claim.of) continue;
    for (const BenchRow& b : rows) {
      if (b.strategy != claim.over || b.machine != a.machine || b.layer != a.layer) continue;
      const auto x = quantity(a, claim.quantity), y = quantity(b, claim.quantity);
      if (!x || !y || *x <= 0 || *y <= 0) continue;
      ++layers;
      sum += std::log(*x / *y);
      most = std::max(most, *x / *y);
    }
  }
  if (layers == 0) return std::nullopt;
  return claim.statistic == ClaimStatistic::Most ? most : std::exp(sum / static_cast<double>(layers));
}

// Why the mapspace of the options does not have the mapping; empty if it does.
Diagnostics outside(const Mapping& mapping, const Workload& workload, const Architecture& machine,
                    const SearchOptions& options) {
  Diagnostics out = check(mapping, workload, machine);
  if (!out.empty()) return out;
  const auto refuse = [&](const char* field, const char* why) { out.push_back({"", 0, field, why}); };
  if (!mapping.is_perfect() && options.factors == Factors::Perfect)
    refuse("factors", "some do not divide their dimensions; the row allows them with factors any");
  if (!mapping.is_even() && options.tiles == Tiles::Even)
    refuse("tiles", "those of a level differ; the row allows them with tiles uneven");
  const Result<Mapspace> space = resolve(workload, machine, mapspace_options(options));
  if (!space) return space.errors();
  const Diagnostics broken = violations(*space, mapping);
  out.insert(out.end(), broken.begin(), broken.end());
  return out;
}

}  // namespace

std::vector<PublishedVerdict> judge_published(const BenchSuite& suite, const std::vector<BenchRow>& rows) {
  std::vector<PublishedVerdict> out;
  for (const PublishedClaim& claim : suite.published) {
    PublishedVerdict one{.claim = claim, .ours = ours(claim, rows)};
    if (one.ours)
      one.verdict = claim.from && *one.ours < *claim.from ? ClaimVerdict::Below
                    : claim.to && *one.ours > *claim.to   ? ClaimVerdict::Above
                                                          : ClaimVerdict::Within;
    out.push_back(std::move(one));
  }
  return out;
}

std::string range_text(const PublishedClaim& claim) {
  if (!claim.from) return fmt::format("up to {:g}", claim.to.value_or(0));
  if (!claim.to) return fmt::format("from {:g}", *claim.from);
  return *claim.from == *claim.to ? fmt::format("{:g}", *claim.from)
                                  : fmt::format("{:g} to {:g}", *claim.from, *claim.to);
}

MappingResult rated(const Result<Mapping>& answer, const Workload& workload, const Architecture& machine,
                    const SearchOptions& options) {
  MappingResult out;
  out.why_infeasible = answer ? outside(*answer, workload, machine, options) : answer.errors();
  if (!out.why_infeasible.empty()) return out;
  const CostModel model(workload, machine);
  const bool any = options.factors == Factors::Any;
  if (any && !answer->is_perfect() && !has_true_counts(model.compiled())) {
    out.why_infeasible = {{"", 0, "factors", std::string(kNoTrueCounts)}};
    return out;
  }
  const Evaluation e = model.evaluate(*answer, any ? Counts::True : Counts::Timeloop);
  out.statistics.evaluated = 1;
  if (e.verdict != Verdict::Fits) {
    out.why_infeasible = {{"", 0, machine.levels[e.level].name, "has no room for its tiles"}};
    return out;
  }
  out.status = Status::Bounded;
  out.mapping = *answer;
  out.cost = e.cost;
  out.value = objective_number(options.objective, e.cost, machine, workload);
  return out;
}

}  // namespace heliolite
