#include "engine/space/dot_graph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <sstream>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

std::string quoted_dot(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + '"';
}

const char* attributes(DotStyle style) {
  switch (style) {
    case DotStyle::Inner: return "";
    case DotStyle::Kept: return ", shape=box, style=bold";
    case DotStyle::Cut: return ", style=dashed, color=gray, fontcolor=gray";
  }
  return "";
}

}  // namespace

int DotGraph::add_node(std::string label, DotStyle style) {
  nodes_.push_back({std::move(label), style});
  return static_cast<int>(nodes_.size()) - 1;
}

std::string DotGraph::to_string(const std::string& title) const {
  // Bidirectional for its plain list of edges: g++ 12 has false alarms about the iterators of the other kind.
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
  Graph graph(nodes_.size());
  for (const auto& [from, to] : edges_) boost::add_edge(at(from), at(to), graph);
  std::ostringstream out;
  const auto vertex = [&](std::ostream& o, std::size_t v) {
    o << "[label=" << quoted_dot(nodes_[v].label) << attributes(nodes_[v].style) << "]";
  };
  const auto edge = [](std::ostream&, const auto&) {};
  const auto whole = [&](std::ostream& o) { o << "label=" << quoted_dot(title) << ";\nnode [shape=ellipse];\n"; };
  boost::write_graphviz(out, graph, vertex, edge, whole);
  return out.str();
}

}  // namespace heliolite
