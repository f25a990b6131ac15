// A network's schedule and its cost as tables.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "cli/map/cost_answer.h"
#include "cli/ui/table.h"
#include "cli/ui/units.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/network/group_plan.h"
#include "engine/network/schedule_text.h"

namespace heliolite::cli {

std::string pass_sizes_text(const Workload& one_pass) {
  std::vector<std::string> sizes;
  for (const Dimension& d : one_pass.dimensions)
    if (d.size > 1) sizes.push_back(fmt::format("{} {}", d.name, d.size));
  return sizes.empty() ? "1" : fmt::format("{}", fmt::join(sizes, ", "));
}

namespace {

// "a.z -> b.x", of an input "X -> a.x", of the term of a sum "a.z -> sum at b.z".
std::string edge_text(const EdgeBreakdown& edge, const LinkGraph& graph) {
  const Workload& reader = graph.link(edge.reader);
  return fmt::format("{} -> {}{}.{}", graph.array(edge.array).name, edge.is_term ? "sum at " : "", reader.name,
                     reader.tensors[edge.tensor].name);
}

double picojoules(Energy energy, u64 runs) { return (energy * runs).picojoules(); }

// "group 2" of those with several links; "" of a link alone.
std::vector<std::string> group_names(const FusedSchedule& schedule) {
  std::vector<std::string> names;
  int fused = 0;
  for (const LinkGroup& group : schedule.groups) names.push_back(group.is_single() ? "" : fmt::format("{}", ++fused));
  return names;
}

constexpr std::size_t kNamesShown = 4;  // of arrays with one reason

class ScheduleTables {
 public:
  ScheduleTables(const ScheduledNetwork& question, const ScheduleBreakdown& cost)
      : question_(question),
        graph_(question.graph),
        architecture_(question.architecture),
        schedule_(question.file.schedule),
        cost_(cost),
        groups_(group_names(schedule_)),
        total_(cost.total.energy.picojoules()),
        unit_(energy_unit(total_)) {}

  std::string totals() const {
    int fused = 0, links_fused = 0;
    for (const LinkGroup& group : schedule_.groups) {
      if (group.is_single()) continue;
      ++fused;
      links_fused += group.size();
    }
    std::string text = fmt::format("{} on {}: {} of {} layers fused in {} group{}\n\n", question_.network.name,
                                   architecture_.name, links_fused, graph_.links.size(), fused, fused == 1 ? "" : "s");
    const auto line = [&](const std::string& name, const std::string& value) {
      text += fmt::format("  {:<12} {}\n", name, value);
    };
    const auto macs = static_cast<double>(question_.network.macs());
    const auto cycles = static_cast<double>(cost_.total.cycles);
    line("energy", fmt::format("{}  ({:.10g} pJ)", energy(total_), total_));
    line("cycles", grouped(cost_.total.cycles));
    line("EDP", fmt::format("{:.6g} pJ x cycles", edp(cost_.total.energy, cost_.total.cycles)));
    line("utilization", percent(cost_.utilization));
    line("rates", rates_text({total_, cycles, macs}, architecture_));
    line("area", area_text(architecture_));
    line("MACs", fmt::format("{}  ({:.4g} pJ each)", grouped(question_.network.macs()), total_ / macs));
    line(outermost(),
         fmt::format("{} words read, {} written", grouped(cost_.outermost.read), grouped(cost_.outermost.written)));
    line("edges", edges());
    return text;
  }

  std::string groups() const {
    Table table(
        {"group", "<fused at", "<loops, what is held (+), layers", "runs", energy_heading(), "share", "cycles"});
    for (std::size_t g = 0; g < schedule_.groups.size(); ++g) {
      const LinkGroup& group = schedule_.groups[g];
      if (group.is_single()) continue;
      const u64 runs = graph_.links[group.first].count;
      const double pj = picojoules(cost_.groups[g].energy, runs);
      table.row({groups_[g], architecture_.levels[group.level].name, node_text(group.root, graph_), grouped(runs),
                 unit_(pj), share(pj), grouped(cost_.groups[g].cycles * runs)});
    }
    return table.to_string();
  }

  std::string links() const {
    std::vector<std::string> headings{"<layer",
                                      "group",
                                      "runs",
                                      "passes",
                                      "<of",
                                      "<at home",
                                      "room",
                                      "|" + energy_heading(),
                                      "share",
                                      "cycles",
                                      outermost() + " read",
                                      "written"};
    if (has_units()) headings.insert(headings.begin() + 1, "<unit");
    Table table(std::move(headings));
    std::size_t term = 0;
    for (std::size_t g = 0; g < schedule_.groups.size(); ++g) {
      const LinkGroup& group = schedule_.groups[g];
      for (int l = group.first; l <= group.last; ++l) link_row(table, g, l);
      for (std::size_t k = 0; k < cost_.plans[g].terms.size(); ++k) term_row(table, g, term++);
    }
    table.rule();
    layer_row(table, "",
              {"total", "", "", "", "", "", "", unit_(total_), share(total_), grouped(cost_.total.cycles),
               grouped(cost_.outermost.read), grouped(cost_.outermost.written)});
    return table.to_string();
  }

  std::string edge_rows() const {
    Table table(
        {"<edge", "<where", "words", "at a time", "bytes", fmt::format("{} bytes read", outermost()), "written"});
    int last = -1;
    for (const EdgeBreakdown& edge : cost_.edges) {
      const bool first = std::exchange(last, edge.array) != edge.array;
      table.row({edge_text(edge, graph_), where(edge), grouped(edge.words), edge.home < 0 ? "" : grouped(edge.tile),
                 grouped(edge.bytes(edge.words)), grouped(edge.bytes(edge.read)),
                 edge.is_input || !first ? "" : grouped(edge.bytes(edge.written))});
    }
    return table.to_string();
  }

  // A line for each reason why something that is passed on cannot stay inside; "" if there is none.
  std::string apart() const {
    std::string text;
    for (const KeptApart& one : kept_apart(graph_, architecture_)) {
      std::vector<std::string> names;
      for (const int a : one.arrays) names.push_back(graph_.array(a).name);
      if (names.size() > kNamesShown) {
        const std::size_t more = names.size() - (kNamesShown - 1);
        names.resize(kNamesShown - 1);
        names.push_back(fmt::format("{} others", more));
      }
      text += fmt::format("  {}: {}\n", join(names), one.why);
    }
    return text;
  }

  // What stays at the fusing level of a group, and what it moves.
  std::string homes(std::size_t g) const {
    const LinkGroup& group = schedule_.groups[g];
    Table table({"<array", "<stays while", "words", "overlap", "fetched", "stored", "returned"});
    for (std::size_t a = 0; a < graph_.arrays.size(); ++a) {
      const Residence& r = cost_.plans[g].residence[a];
      if (!r.has_home()) continue;
      const std::string& last = graph_.link(r.last).name;
      const std::string& first = graph_.link(r.first).name;
      table.row({graph_.arrays[a].name, r.first == r.last ? first + " runs" : fmt::format("{} .. {} run", first, last),
                 grouped(r.tile), r.overlap ? grouped(r.overlap->words) : "", grouped(r.fetched), grouped(r.stored),
                 grouped(r.returned)});
    }
    return fmt::format("\nGroup {}: words that stay at {} at a time, and words in and out over one run\n", groups_[g],
                       architecture_.levels[group.level].name) +
           table.to_string();
  }

  std::string one_link(std::size_t g, int l, bool nest) const {
    const LinkBreakdown& link = cost_.links[l];
    const Workload one_pass = question_.one_pass(l);
    const Architecture& chain = question_.chain(l);
    std::string title = fmt::format("Layer {}", one_pass.name);
    if (link.pass.passes > 1)
      title += fmt::format(": {} passes of {}, counted together", grouped(link.pass.passes), pass_sizes_text(one_pass));
    if (!groups_[g].empty()) title += fmt::format(", group {}", groups_[g]);
    if (has_units()) title += fmt::format(", on {}", chain.compute.name);
    std::string text = fmt::format("\n{}\n{}\n", title, std::string(title.size(), '-'));
    if (!nest)
      text += "\nMapping" + std::string(link.pass.passes > 1 ? " of one pass" : "") + "\n" +
              nest_text(with_homes(schedule_.mappings[l], link.pass), one_pass, chain);
    return text + traffic_tables(link.breakdown, graph_.link(l), chain);
  }

 private:
  bool has_units() const { return !architecture_.units.empty(); }
  const std::string& outermost() const { return architecture_.levels.back().name; }
  std::string energy_heading() const { return fmt::format("energy [{}]", unit_.name); }
  std::string share(double pj) const { return total_ > 0 ? percent(pj / total_) : ""; }

  std::string edges() const {
    const EdgeBytes& e = cost_.edge_bytes;
    if (e.edges == 0) return "the network states none between layers, so nothing is passed on inside";
    return fmt::format("{} of {} stay inside, {} of {} bytes; {} bytes of edges cross {}", e.stay, e.edges,
                       grouped(e.bytes_stay), grouped(e.bytes), grouped(e.read + e.written), outermost());
  }

  std::string where(const EdgeBreakdown& edge) const {
    if (edge.home < 0) return "through " + outermost();
    return fmt::format("{} {}", edge.stays ? "stays at" : "held at", architecture_.levels[edge.home].name);
  }

  // With the unit behind the name, if there are several.
  void layer_row(Table& table, const std::string& unit, std::vector<std::string> row) const {
    if (has_units()) row.insert(row.begin() + 1, unit);
    table.row(std::move(row));
  }

  void link_row(Table& table, std::size_t g, int l) const {
    const LinkBreakdown& link = cost_.links[l];
    const u64 runs = graph_.links[l].count;
    const Workload one_pass = question_.one_pass(l);
    std::vector<std::string> homes;
    for (const int v : bits(link.pass.at_home)) homes.push_back(one_pass.tensors[v].name);
    const double pj = picojoules(link.breakdown.energy, runs);
    layer_row(table, question_.chain(l).compute.name,
              {one_pass.name, groups_[g], grouped(runs), link.pass.passes == 1 ? "" : grouped(link.pass.passes),
               link.pass.passes == 1 ? "" : pass_sizes_text(one_pass), fmt::format("{}", fmt::join(homes, ", ")),
               link.pass.taken == 0 ? "" : grouped(link.pass.taken), unit_(pj), share(pj),
               grouped(link.breakdown.cycles * runs), grouped(link.outermost.read * runs),
               grouped(link.outermost.written * runs)});
  }

  void term_row(Table& table, std::size_t g, std::size_t term) const {
    const SumTerm& t = cost_.terms[term];
    const u64 runs = graph_.links[schedule_.groups[g].first].count;
    const double pj = picojoules(cost_.term_costs[term].energy, runs);
    const bool outside = t.level + 1 == static_cast<int>(architecture_.levels.size());
    layer_row(table, "",
              {"sum with " + graph_.array(t.array).name, groups_[g], grouped(runs), "", "",
               outside ? "" : architecture_.levels[t.level].name, "", unit_(pj), share(pj),
               grouped(cost_.term_costs[term].cycles * runs), outside ? grouped(t.words * runs) : "0", "0"});
  }

  const ScheduledNetwork& question_;
  const LinkGraph& graph_;
  const Architecture& architecture_;
  const FusedSchedule& schedule_;
  const ScheduleBreakdown& cost_;
  std::vector<std::string> groups_;
  double total_;
  EnergyUnit unit_;
};

}  // namespace

std::string schedule_text(const ScheduledNetwork& network, const ScheduleBreakdown& cost) {
  const ScheduleTables tables(network, cost);
  std::string text = tables.totals();
  if (network.file.schedule.groups.size() < network.graph.links.size()) text += "\nGroups\n" + tables.groups();
  text += "\nLayers: all runs\n" + tables.links();
  if (!cost.edges.empty()) text += "\nEdges: one run\n" + tables.edge_rows();
  if (const std::string apart = tables.apart(); !apart.empty()) text += "\nCannot stay inside\n" + apart;
  return text;
}

std::string explained_schedule_text(const ScheduledNetwork& network, const ScheduleBreakdown& cost, bool nest) {
  const ScheduleTables tables(network, cost);
  const std::vector<LinkGroup>& groups = network.file.schedule.groups;
  std::string text = nest ? "\nSchedule\n" + schedule_drawing(network, cost) : "";
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!groups[g].is_single()) text += tables.homes(g);
    for (int l = groups[g].first; l <= groups[g].last; ++l) text += tables.one_link(g, l, nest);
  }
  return text;
}

}  // namespace heliolite::cli
