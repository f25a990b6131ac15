#pragma once
// A schedule's cost with all that it is made of: links by level and tensor, groups, sums, and which words of the
// network's edges cross the outermost level. The totals are those of fused_cost.h.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/cost.h"
#include "engine/network/fused_cost.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/group_plan.h"
#include "engine/network/link_graph.h"

namespace heliolite {

// Words of the outermost level.
struct OutermostWords {
  u64 read = 0, written = 0;

  u64 sum() const { return read + written; }
  OutermostWords& operator+=(const OutermostWords& other) {
    read += other.read;
    written += other.written;
    return *this;
  }
};

// What one link makes of its passes.
struct LinkBreakdown {
  int group = 0;
  LinkPass pass;
  Breakdown breakdown;  // of all passes
  OutermostWords outermost;
};

// An array on its way from its maker, or from an input that several links read, to one reader.
struct EdgeBreakdown {
  int array = 0;
  int reader = 0, tensor = 0;  // of a term of a sum the link that makes the sum's last term, and its output
  bool is_term = false;
  bool is_input = false;
  int home = -1;       // level where the reader finds it; -1: the outermost
  bool stays = false;  // maker and reader are in one group, so that no word of the edge leaves that level
  u64 words = 0;       // of the whole array
  u64 tile = 0;        // words that are at home at a time
  u64 read = 0;        // words that the reader takes from the outermost level
  u64 written = 0;     // words of the array that its maker writes there
  WordLength bits_of_word;

  u64 bytes(u64 of_words) const { return bits_of_word.in_units_up(8, of_words); }
};

// What of the edges between links stays inside, repetitions multiplied in.
struct EdgeBytes {
  u64 edges = 0, stay = 0;        // how many there are, and how many stay
  u64 bytes = 0, bytes_stay = 0;  // of their arrays, once for each reader
  u64 read = 0, written = 0;      // bytes that go through the outermost level for them
};

struct ScheduleBreakdown {
  Cost total;                    // repetitions multiplied in
  double utilization = 0;        // of all cycles the share that all instances of the layers' own units would need
  std::vector<GroupPlan> plans;  // [group]
  std::vector<Cost> groups;      // [group], sums included; of one repetition, as are those of links and sums
  std::vector<LinkBreakdown> links;
  std::vector<SumTerm> terms;  // in the order of `term_costs`
  std::vector<Cost> term_costs;
  std::vector<EdgeBreakdown> edges;  // by array
  EdgeBytes edge_bytes;
  OutermostWords outermost;  // of all links and sums, repetitions multiplied in
};

// The mapping of a pass as it runs: what has a home is kept at the fusing level, and at no level outside of it.
Mapping with_homes(const Mapping& mapping, const LinkPass& pass);

// Errors are those of schedule_cost().
Result<ScheduleBreakdown> schedule_breakdown(const FusedSchedule& schedule, const LinkGraph& graph,
                                             const Architecture& architecture, const FusionRules& rules = {});

}  // namespace heliolite
