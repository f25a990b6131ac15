#pragma once
// Schedules as text: "Buf[+X, (q.i/2 k.i/2)[+q.w, q, k], s] ; z". Groups are joined by ';', a link alone is its name. A
// group is its fusing level and its root in brackets: what is held there, each behind a '+', and the children, links by
// their names. The loop of a node stands in parentheses before its brackets: for each link beneath
// LINK.DIMENSION/FACTOR, of several dimensions joined by '*' the outermost first (q.m/2*e/3: six iterations).
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/link_graph.h"

namespace heliolite {

// The groups that the text names, without mappings. Errors say the column (and the line, if the text has several), what
// stands there and what is allowed; whether the schedule is legal is asked of group_plan.h.
Result<std::vector<LinkGroup>> read_schedule(std::string_view text, const LinkGraph& graph,
                                             const Architecture& architecture);

// The text that reads back to the same groups.
std::string write_schedule(const std::vector<LinkGroup>& groups, const LinkGraph& graph,
                           const Architecture& architecture, std::string_view between = " ; ");
std::string group_text(const LinkGroup& group, const LinkGraph& graph, const Architecture& architecture);
std::string node_text(const TreeNode& node, const LinkGraph& graph);
// "(q.i/2 k.i/2)"
std::string loop_text(const TreeNode& node, const LinkGraph& graph);

}  // namespace heliolite
