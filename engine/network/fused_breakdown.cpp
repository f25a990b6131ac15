#include "engine/network/fused_breakdown.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/integers.h"
#include "engine/model/collapse.h"
#include "engine/model/compiled.h"
#include "engine/model/nest.h"
#include "engine/model/running_units.h"

namespace heliolite {
namespace {

class ScheduleExplainer {
 public:
  ScheduleExplainer(const FusedSchedule& schedule, const LinkGraph& graph, const Architecture& architecture,
                    const FusionRules& rules, ScheduleCost cost)
      : schedule_(schedule), graph_(graph), architecture_(architecture), rules_(rules), cost_(std::move(cost)) {}

  ScheduleBreakdown run() {
    out_.total = cost_.total;
    for (const LinkGroup& group : schedule_.groups) add_group(group);
    for (int a = 0; a < static_cast<int>(graph_.arrays.size()); ++a) add_edges(a);
    return std::move(out_);
  }

 private:
  int top() const { return static_cast<int>(architecture_.levels.size()) - 1; }
  u64 runs(int link) const { return graph_.links[link].count; }

  void add_group(const LinkGroup& group) {
    const GroupPlan& p = out_.plans.emplace_back(plan(group, graph_, architecture_, rules_));
    Cost& sum = out_.groups.emplace_back();
    for (int l = group.first; l <= group.last; ++l) {
      add_link(group, p, l);
      sum += cost_.links[l].cost;
    }
    for (const SumTerm& term : p.terms) {
      const Cost& cost = cost_.terms[out_.terms.size()];
      out_.terms.push_back(term);
      out_.term_costs.push_back(cost);
      sum += cost;
      if (term.level == top()) out_.outermost += {term.words * runs(group.first), 0};
    }
  }

  void add_link(const LinkGroup& group, const GroupPlan& p, int l) {
    LinkBreakdown& link = out_.links.emplace_back();
    const std::size_t k = at(l - group.first);
    link.group = static_cast<int>(out_.plans.size()) - 1;
    link.pass = p.passes[k];
    const Workload one_pass = pass_workload(graph_.link(l), link.pass);
    const Architecture& chain = running_chain(one_pass, architecture_);
    const Compiled c(one_pass, chain);
    const Nest nest(c, schedule_.mappings[l]);
    link.breakdown = breakdown_of(chain, c, cost_.links[l].words,
                                  {c.macs * link.pass.passes, nest.macs_used, nest.steps * link.pass.passes});
    set_room(c, p, l, link);
    out_.utilization += utilization(Compiled(graph_.link(l), chain), chain, out_.total.cycles) * runs(l);
    for (const std::vector<CollapsedTensor>& rows : cost_.links[l].words)
      link.outermost += {rows.back().words.reads, rows.back().words.fills + rows.back().words.updates};
    out_.outermost += {link.outermost.read * runs(l), link.outermost.written * runs(l)};
  }

  // A home is of the group, not of the link's nest; what passes a level on its way there takes no room.
  void set_room(const Compiled& c, const GroupPlan& p, int l, LinkBreakdown& link) const {
    for (int i = 0; i < c.level_count; ++i) {
      LevelBreakdown& level = link.breakdown.level[i];
      u64 parts = 0;
      for (int v = 0; v < c.tensor_count; ++v) {
        TensorTraffic& t = level.tensor[v];
        if (contains(link.pass.at_home, v) && i >= link.pass.level) {
          t.tile_words = i > link.pass.level ? 0 : p.residence[graph_.array_of[l][v]].words_while(l);
          continue;
        }
        // The outermost level has the tensors of all passes.
        if (i + 1 == c.level_count) t.tile_words = graph_.link(l).tensor_words(v);
        parts += c.level[i].taken(v, t.tile_words);
      }
      level.used_words = ceil_div(parts, u64{c.level[i].parts.of_word}) + (i == link.pass.level ? link.pass.taken : 0);
    }
  }

  const Accesses<u64>& outermost(int l, int v) const { return cost_.links[l].words[v].back().words; }

  // The term of a sum that a link reads as it makes the last one.
  u64 read_of_term(int a, int link) const {
    const GroupPlan& p = out_.plans[out_.links[link].group];
    for (const SumTerm& term : p.terms)
      if (term.array == a && term.level == top()) return term.words;
    return 0;
  }

  void add_edges(int a) {
    const SharedArray& array = graph_.array(a);
    if (array.touches.size() < 2) return;
    for (std::size_t k = array.maker ? 1 : 0; k < array.touches.size(); ++k) {
      const ArrayTouch& t = array.touches[k];
      const int g = out_.links[t.link].group;
      const Residence& r = out_.plans[g].residence[a];
      EdgeBreakdown& edge = out_.edges.emplace_back();
      edge.array = a;
      edge.reader = t.link;
      edge.tensor = t.tensor;
      edge.is_term = t.is_term;
      edge.is_input = !array.maker.has_value();
      edge.stays = array.maker && out_.links[*array.maker].group == g && r.has_home();
      // A home in the reader's group without the maker is of what is held there.
      if (r.has_home()) edge.home = schedule_.groups[g].level;
      if (r.has_home()) edge.tile = r.words_while(t.link);
      edge.words = graph_.words(a);
      edge.read = t.is_term ? read_of_term(a, t.link) : outermost(t.link, t.tensor).reads;
      if (array.maker) edge.written = outermost(*array.maker, array.touches.front().tensor).updates;
      const Tensor& tensor = graph_.link(array.touches.front().link).tensors[array.touches.front().tensor];
      edge.bits_of_word = tensor.word_bits.value_or(architecture_.levels.back().word_bits);
      if (!edge.is_input) count(edge, k == 1);
    }
  }

  void count(const EdgeBreakdown& edge, bool is_first) {
    EdgeBytes& sum = out_.edge_bytes;
    const u64 n = runs(edge.reader);
    sum.edges += 1;
    sum.stay += edge.stays ? 1 : 0;
    sum.bytes += edge.bytes(edge.words) * n;
    sum.bytes_stay += edge.stays ? edge.bytes(edge.words) * n : 0;
    sum.read += edge.bytes(edge.read) * n;
    if (is_first) sum.written += edge.bytes(edge.written) * runs(*graph_.array(edge.array).maker);
  }

  const FusedSchedule& schedule_;
  const LinkGraph& graph_;
  const Architecture& architecture_;
  const FusionRules& rules_;
  ScheduleCost cost_;
  ScheduleBreakdown out_;
};

}  // namespace

Mapping with_homes(const Mapping& mapping, const LinkPass& pass) {
  Mapping out = mapping;
  if (pass.at_home == 0) return out;
  out.keep[pass.level] = static_cast<TensorMask>(out.keep[pass.level] | pass.at_home);
  for (int i = pass.level + 1; i < out.level_count; ++i)
    out.keep[i] = static_cast<TensorMask>(out.keep[i] & ~pass.at_home);
  return out;
}

Result<ScheduleBreakdown> schedule_breakdown(const FusedSchedule& schedule, const LinkGraph& graph,
                                             const Architecture& architecture, const FusionRules& rules) {
  Result<ScheduleCost> cost = schedule_cost(schedule, graph, architecture, rules);
  if (!cost) return cost.errors();
  return ScheduleExplainer(schedule, graph, architecture, rules, *std::move(cost)).run();
}

}  // namespace heliolite
