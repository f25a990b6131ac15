#pragma once
// All that follows from a group but the mappings of its links: whether it is legal, how each link runs in it, and the
// room that its arrays take at the fusing level.
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/link_graph.h"
#include "engine/network/rank_classes.h"
#include "engine/network/residence.h"

namespace heliolite {

// A term of a sum that is read word by word as the sum's last term is complete.
struct SumTerm {
  int array = 0;
  int level = 0;  // where it is read: at its home, else at the outermost level
  u64 words = 0;
};

// A group with its consequences.
struct GroupPlan {
  std::vector<std::string> problems;  // why it is not legal; the other members only mean something if it is empty
  std::vector<LinkPass> passes;       // [link - first]
  std::vector<Residence> residence;   // [array]
  std::vector<SumTerm> terms;

  bool is_legal() const { return problems.empty(); }
};

// What takes the room while the link runs: "l1.z 16, l1.w 64".
std::string homes_text(const GroupPlan& plan, const LinkGraph& graph, int link);

GroupPlan plan(const LinkGroup& group, const LinkGraph& graph, const Architecture& architecture,
               const FusionRules& rules = {});
// With classes that are worked out once for many groups of the network. Several threads may plan at a time.
GroupPlan plan(const LinkGroup& group, const LinkGraph& graph, const Architecture& architecture,
               const FusionRules& rules, KnownRankClasses& classes);

// Words of the level, begun ones included, that words of an array take.
u64 room_words(int array, u64 words, int level, const LinkGraph& graph, const Architecture& architecture);

// Links of which no compute unit of the machine is the only one that runs them.
Diagnostics unit_complaints(const LinkGraph& graph, const Architecture& architecture);

// Why no group can be fused at the level; empty if some may.
std::string why_not_fusing_level(const Architecture& architecture, int level);

// Why these links cannot be: there are links on units to which the level does not lead. Empty: they can.
std::string why_not_fused_there(const LinkGraph& graph, const Architecture& architecture, int level, int first,
                                int last);

// What layers make for each other, but no group has inside, and why: for their edges, or for what levels may keep. One
// reason with all arrays that have it.
struct KeptApart {
  std::string why;
  std::vector<int> arrays;
};
std::vector<KeptApart> kept_apart(const LinkGraph& graph, const Architecture& architecture);

// What is wrong with the groups of a schedule, each by itself and all together; empty: it is legal as far as this does
// not depend on mappings (fused_cost.h).
Diagnostics check_groups(const std::vector<LinkGroup>& groups, const LinkGraph& graph, const Architecture& architecture,
                         const FusionRules& rules = {});

}  // namespace heliolite
