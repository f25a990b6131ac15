// Pictures for Graphviz: what is written can be read back, whatever the names are.
#define BOOST_GRAPH_USE_SPIRIT_PARSER  // the other parser is a library
#include <gtest/gtest.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <sstream>
#include <string>

#include "engine/formats/load_architecture.h"
#include "engine/space/dot_graph.h"
#include "engine/space/order_trie.h"
#include "tests/support/space_workloads.h"

namespace heliolite::dot_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)

struct ReadNode {
  std::string id, label, style, shape;
};
using ReadGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, ReadNode>;

ReadGraph read_back(const std::string& text) {
  ReadGraph graph;
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("node_id", boost::get(&ReadNode::id, graph));
  properties.property("label", boost::get(&ReadNode::label, graph));
  properties.property("style", boost::get(&ReadNode::style, graph));
  properties.property("shape", boost::get(&ReadNode::shape, graph));
  std::istringstream in(text);
  EXPECT_TRUE(boost::read_graphviz(in, graph, properties, "node_id")) << text;
  return graph;
}

// The text that Graphviz shows for a label: "\n" breaks the line, "\x" is x.
std::string shown(const std::string& label) {
  std::string out;
  for (std::size_t k = 0; k < label.size(); ++k) {
    if (label[k] != '\\' || k + 1 == label.size()) out += label[k];
    else out += label[++k] == 'n' ? '\n' : label[k];
  }
  return out;
}

const ReadNode& node(const ReadGraph& graph, int id) {
  for (std::size_t v = 0; v < boost::num_vertices(graph); ++v)
    if (graph[v].id == std::to_string(id)) return graph[v];
  ADD_FAILURE() << "no node " << id;
  return graph[0];
}

TEST(DotGraph, NamesOfEveryKindSurvive) {
  const std::string names[] = {
      "plain",    "two\nlines", "\"quoted\"", "back\\slash",     "ends in \\",     "\\\"",         "a -> b; } //",
      "<b>x</b>", "{rec|ord}",  "",           "# not a comment", "/* nor this */", "\\N\\G\\L\\n", "\xc3\xa9t\xc3\xa9",
      "digraph"};
  DotGraph graph;
  int last = -1;
  for (const std::string& name : names) {
    const int n = graph.add_node(name, last < 0 ? DotStyle::Inner : last % 2 ? DotStyle::Kept : DotStyle::Cut);
    if (last >= 0) graph.add_edge(last, n);
    last = n;
  }
  for (const std::string& title : names) {
    const ReadGraph read = read_back(graph.to_string(title));
    ASSERT_EQ(boost::num_vertices(read), std::size(names)) << title;
    EXPECT_EQ(boost::num_edges(read), std::size(names) - 1);
    for (std::size_t k = 0; k < std::size(names); ++k)
      EXPECT_EQ(shown(node(read, static_cast<int>(k)).label), names[k]);
  }
}

TEST(DotGraph, AnEmptyOneIsAGraph) { EXPECT_EQ(boost::num_vertices(read_back(DotGraph().to_string("none"))), 0u); }

TEST(OrderDot, EveryNodeOfTheTrieIsDrawnUnderItsParent) {
  for (Workload w : {conv(1, 4, 4, 8, 8, 3, 3), mttkrp(), tcl(), gemm(8, 8, 8)}) {
    w.dimensions[0].name = "di\"m\\";
    w.tensors[0].name = "o {x}\n";
    OrderOptions options;
    options.keep_nodes = true;
    const OrderTrie trie = build_order_trie(infer_reuse(w, UnitDimensions::Keep), options);
    const ReadGraph read = read_back(order_trie_dot(trie, w));
    ASSERT_EQ(boost::num_vertices(read), trie.nodes.size());
    EXPECT_EQ(boost::num_edges(read), trie.nodes.size() - 1);
    std::size_t kept = 0, cut = 0;
    for (std::size_t n = 0; n < trie.nodes.size(); ++n) {
      const OrderNode& of = trie.nodes[n];
      const ReadNode& drawn = node(read, static_cast<int>(n));
      const std::string own = of.parent < 0 ? "innermost" : w.dimensions[of.dimension].name;
      EXPECT_EQ(shown(drawn.label).substr(0, own.size()), own);
      kept += drawn.style == "bold";
      cut += drawn.style == "dashed";
      const std::string reason = reason_text(trie, of, w);
      EXPECT_EQ(drawn.style == "dashed", !reason.empty());
      EXPECT_NE(shown(drawn.label).find(reason), std::string::npos);
    }
    EXPECT_EQ(kept, trie.kept.size());
    EXPECT_GT(cut, 0u);
    for (auto [edge, end] = boost::edges(read); edge != end; ++edge)
      EXPECT_EQ(read[boost::source(*edge, read)].id,
                std::to_string(trie.nodes[std::stoul(read[boost::target(*edge, read)].id)].parent));
  }
}

TEST(TileDot, KeptTilesAreBoxesAndWhatDoesNotFitSaysWhere) {
  const auto machine = load_architecture("edge_unified");
  ASSERT_TRUE(machine.ok());
  Architecture a = *machine;
  a.levels.front().entries = 8;
  a.levels.front().name = "L\"1\"";
  const Workload w = conv1d(4, 14, 4, 3);
  const auto space = resolve(w, a);
  ASSERT_TRUE(space.ok());
  const TileTree tree = build_tile_tree(w, a, *space, 0, 1000);
  const ReadGraph read = read_back(tile_tree_dot(tree, w, a, 0));
  ASSERT_EQ(boost::num_vertices(read), tree.nodes.size());
  std::size_t edges = 0;
  for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
    const ReadNode& drawn = node(read, static_cast<int>(n));
    const std::string label = shown(drawn.label);
    edges += tree.nodes[n].larger.size();
    EXPECT_EQ(drawn.style == "bold", tree.nodes[n].fate == TileFate::Kept);
    EXPECT_EQ(drawn.style == "dashed", label.find("L\"1\" holds 8") != std::string::npos);
    EXPECT_EQ(label.substr(0, label.find('\n')), tile_text(tree.nodes[n].tile, w));
  }
  EXPECT_EQ(boost::num_edges(read), edges);
}

}  // namespace
}  // namespace heliolite::dot_test
