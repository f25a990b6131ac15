#include "engine/network/fused_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/keep.h"
#include "engine/model/links.h"
#include "engine/model/mapping_check.h"
#include "engine/model/nest.h"
#include "engine/model/perfect.h"
#include "engine/model/running_units.h"
#include "engine/network/schedule_text.h"

namespace heliolite {

Workload pass_workload(const Workload& link, const LinkPass& pass) {
  Workload out = link;
  for (std::size_t d = 0; d < out.dimensions.size(); ++d) out.dimensions[d].size = pass.size[d];
  return out;
}

namespace {

// One link in its group.
class PassCounter {
 public:
  PassCounter(const Workload& link, const Architecture& architecture, const LinkPass& pass, const Mapping& mapping)
      : link_(link),
        one_pass_(pass_workload(link, pass)),
        architecture_(architecture),
        pass_(pass),
        mapping_(mapping),
        c_(one_pass_, architecture, pass) {}

  Result<LinkCost> run(const std::string& homes) {
    check_mapping();
    if (errors_.empty()) errors_ = uncountable_energies(link_, architecture_, static_cast<double>(link_.macs()));
    if (!errors_.empty()) return errors_;
    const Nest nest(c_, mapping_);
    check_fanouts(nest);
    if (!errors_.empty()) return errors_;
    LinkCost out;
    const TensorMask peers = c_.peers == 0 ? TensorMask{0} : tensors_from_peers(c_, nest);
    if (peers != 0 && (pass_.passes > 1 || pass_.at_home != 0))
      return complaint(
          fmt::format("receivers of {} would take words from their peers, which is not counted in groups: "
                      "must be a link alone",
                      architecture_.name));
    out.words = pass_traffic(c_, nest, mapping_.keep, mapping_.outside, peers);
    check_room(out.words, homes);
    if (!errors_.empty()) return errors_;
    const Evaluation all = cost_of(c_, out.words, c_.macs * pass_.passes, nest.steps * pass_.passes);
    if (all.verdict != Verdict::Fits)
      return complaint(fmt::format("{} needs more cycles than can be counted", architecture_.levels[all.level].name));
    out.cost = all.cost;
    return out;
  }

 private:
  Diagnostic complaint(std::string why) const { return {"", 0, link_.name, std::move(why)}; }
  void complain(std::string why) { errors_.push_back(complaint(std::move(why))); }
  int top() const { return c_.level_count - 1; }
  bool is_home(int v) const { return contains(pass_.at_home, v); }
  int outermost(int v) const { return is_home(v) ? pass_.level : top(); }
  KeepChoice choice(int i, int v) const {
    return i == top() ? KeepChoice::Keep : keep_choice(architecture_.levels[i].keep, one_pass_, v);
  }

  void check_mapping() {
    errors_ = well_formed(mapping_, one_pass_, architecture_);
    if (!errors_.empty()) {
      for (Diagnostic& e : errors_) e.field = fmt::format("{}{}{}", link_.name, e.field.empty() ? "" : ": ", e.field);
      return;
    }
    if (c_.peers != 0 && !mapping_.allows_all_peers())
      complain("a link of a network's schedule leaves it to the machine which words come from peers");
    if (!mapping_.is_perfect()) complain("factors of a link in a network's schedule must divide its sizes");
    for (int i = 0; i < top(); ++i)
      for (int v = 0; v < c_.tensor_count; ++v) {
        if (i >= outermost(v)) continue;
        const KeepChoice wanted = choice(i, v);
        const bool kept = mapping_.keeps(i, v);
        if (wanted == KeepChoice::Open || kept == (wanted == KeepChoice::Keep)) continue;
        complain(fmt::format("{} {} {}, the machine says it must{}", architecture_.levels[i].name,
                             kept ? "keeps" : "passes by", one_pass_.tensors[v].name, kept ? " not" : ""));
      }
  }

  void check_fanouts(const Nest& nest) {
    for (int i = 0; i <= top(); ++i) {
      const auto over = [&](const char* axis, u64 used, u64 allowed) {
        if (used > allowed)
          complain(fmt::format("spatial factors of {} along {} need {}, the fan-out has {}",
                               architecture_.levels[i].name, axis, used, allowed));
      };
      over("x", nest.product_x[i], c_.level[i].fanout_x);
      over("y", nest.product_y[i], c_.level[i].fanout_y);
    }
  }

  void check_room(const CollapsedTraffic& words, const std::string& of_homes) {
    for (int i = 0; i <= top(); ++i) {
      const CompiledLevel& level = c_.level[i];
      if (level.room == CompiledLevel::kUnbounded) continue;
      u64 parts = 0;
      for (int v = 0; v < c_.tensor_count; ++v) {
        if (i > outermost(v) || (is_home(v) && i == pass_.level)) continue;
        // The outermost level has the tensors of all passes.
        const CollapsedTensor& row = words[v][i];
        parts += level.taken(v, i == top() ? link_.tensor_words(v) : row.tile_words);
      }
      const u64 own = ceil_div(parts, u64{level.parts.of_word});
      const u64 homes = i == pass_.level ? pass_.taken : 0;
      const u64 capacity = *architecture_.levels[i].capacity_words();
      if (own + homes <= capacity) continue;
      complain(fmt::format("no room at {}: {} words of its tiles{} exceed {}", architecture_.levels[i].name, own,
                           homes == 0 ? "" : fmt::format(" and {} of homes ({})", homes, of_homes), capacity));
    }
  }

  const Workload& link_;
  Workload one_pass_;
  const Architecture& architecture_;
  const LinkPass& pass_;
  const Mapping& mapping_;
  Compiled c_;
  Diagnostics errors_;
};

}  // namespace

Result<LinkCost> link_cost(const Workload& link, const Architecture& architecture, const LinkPass& pass,
                           const Mapping& mapping, const std::string& homes) {
  return PassCounter(link, architecture, pass, mapping).run(homes);
}

Cost term_cost(const SumTerm& term, const LinkGraph& graph, const Architecture& architecture) {
  const ArrayTouch& first = graph.array(term.array).touches.front();
  // Who makes the array may be outside the group, on a unit that the term's home does not lead to.
  const Architecture& own = running_chain(graph.link(first.link), architecture);
  const Architecture& chain = level_in_chain(architecture, term.level, own) ? own : architecture;
  const Compiled c(graph.link(first.link), chain);
  const CompiledLevel& level = c.level[*level_in_chain(architecture, term.level, chain)];
  CostSum sum(c, 0, 0);
  const Accesses<u64> words{term.words, 0, 0};
  sum.pay(units_of_one(level, first.tensor, words, false, {}).sum());
  sum.wait(exact_port_cycles(level, level.taken(first.tensor, term.words), 0));
  for (int i = 0; i < c.level_count; ++i) sum.leak(c.level[i], 1);
  return sum.total();
}

Cost terms_cost(const GroupPlan& plan, const LinkGraph& graph, const Architecture& architecture) {
  return sum_of<Cost>(plan.terms, [&](const SumTerm& term) { return term_cost(term, graph, architecture); });
}

Diagnostic ramps_not_counted(const Architecture& architecture) {
  return {"", 0, "latency",
          fmt::format("{} counts ramps, which schedules of fused layers do not: must be steady", architecture.name)};
}

Result<ScheduleCost> schedule_cost(const FusedSchedule& schedule, const LinkGraph& graph,
                                   const Architecture& architecture, const FusionRules& rules) {
  if (architecture.ramps) return ramps_not_counted(architecture);
  Diagnostics errors = check_groups(schedule.groups, graph, architecture, rules);
  if (!errors.empty()) return errors;
  ScheduleCost out;
  u128 cycles = 0;
  for (const LinkGroup& group : schedule.groups) {
    const GroupPlan p = plan(group, graph, architecture, rules);
    const u64 runs = graph.links[group.first].count;
    const auto add = [&](const Cost& cost) {
      out.total.energy += cost.energy * runs;
      cycles += static_cast<u128>(cost.cycles) * runs;
    };
    for (int l = group.first; l <= group.last; ++l) {
      const std::size_t k = at(l - group.first);
      Result<LinkCost> cost = link_cost(graph.link(l), running_chain(graph.link(l), architecture), p.passes[k],
                                        schedule.mappings[l], homes_text(p, graph, l));
      if (!cost) {
        errors.insert(errors.end(), cost.errors().begin(), cost.errors().end());
        continue;
      }
      add(cost->cost);
      out.links.push_back(std::move(cost).value());
    }
    for (const SumTerm& term : p.terms) {
      out.terms.push_back(term_cost(term, graph, architecture));
      add(out.terms.back());
    }
  }
  if (cycles >= kTooManyCycles)
    errors.push_back({"", 0, "schedule", "its links need more cycles together than can be counted, 2^64 - 1"});
  if (!errors.empty()) return errors;
  out.total.cycles = static_cast<u64>(cycles);
  return out;
}

}  // namespace heliolite
