#pragma once
// A graph of what a search keeps and cuts, written as a file for Graphviz.
#include <string>
#include <utility>
#include <vector>

namespace heliolite {

// How a node is drawn.
enum class DotStyle : unsigned char {
  Inner,  // plain
  Kept,   // a bold box
  Cut,    // dashed and grey
};

// A directed graph with labels.
class DotGraph {
 public:
  // Returns the node's number. Line breaks in labels are line breaks in the picture.
  int add_node(std::string label, DotStyle style);
  void add_edge(int from, int to) { edges_.emplace_back(from, to); }

  // The whole file, written by Boost.Graph.
  std::string to_string(const std::string& title) const;

 private:
  struct Node {
    std::string label;
    DotStyle style;
  };
  std::vector<Node> nodes_;
  std::vector<std::pair<int, int>> edges_;
};

}  // namespace heliolite
