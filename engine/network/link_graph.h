#pragma once
// A network as fusion sees it: its links in order, the arrays that they pass on to each other or share, and which ranks
// of an array are which dimensions of every link that touches it. A link is one execution of a layer.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/result.h"
#include "engine/network/common_ranks.h"
#include "workloads/network.h"

namespace heliolite {

// What stands between the maker of an array and a reader. Elementwise operators are nothing: they are merged.
enum class Between : u8 {
  Nothing,
  Softmax,  // needs the ranks that the reader reduces as a whole
  Norm,     // likewise
  Barrier,  // pooling, resizing, a slice, parts of a whole: no group has both ends
};

// Operand `tensor` of link `reader` is, or is made of, an array.
struct LinkEdge {
  int maker = -1;     // a link; -1: the array comes from outside
  std::string input;  // its name if it does
  int reader = 0;
  int tensor = 0;
  Between between = Between::Nothing;
  // Which ranks correspond; of an input the maker is the first link that reads it. Absent: what sizes leave.
  std::optional<std::vector<StatedPair>> pairs{};
  std::string why_apart{};  // why no group has both ends; empty if one may
};

// The edges of a network, in its order, with the ranks that its file states or sizes leave (workloads/edge_ranks.h).
std::vector<LinkEdge> link_edges(const Network& network);

// A link that makes, reads or adds an array.
struct ArrayTouch {
  int link = 0;
  int tensor = 0;
  // The array is a term of the sum (or product) whose last term the link makes: read word by word as that one is
  // complete, not by the link's nest. `tensor` is then the link's output.
  bool is_term = false;
  Between between = Between::Nothing;
  std::vector<CommonRank> ranks{};
};

// What links make for each other, or read from outside.
struct SharedArray {
  std::string name;                   // LINK.TENSOR, or the input's
  std::optional<int> maker{};         // a link
  std::vector<ArrayTouch> touches{};  // the first is the maker's or the first reader's, whose dimensions name the ranks
  std::string why_apart{};            // why no group has two links that touch it; empty if one may
};

// The whole network.
struct LinkGraph {
  std::vector<Layer> links;
  std::vector<SharedArray> arrays;
  std::vector<std::vector<int>> array_of;  // [link][tensor]

  const Workload& link(int l) const { return links[l].workload; }
  const SharedArray& array(int a) const { return arrays[a]; }
  std::optional<int> find_link(std::string_view name) const;
  std::optional<int> find_array(std::string_view name) const;
  // Words of the whole array, as the first link that touches it sees it.
  u64 words(int a) const;
};

// Connects the links. An error where a link reads what a later one makes.
Result<LinkGraph> make_link_graph(std::vector<Layer> links, std::span<const LinkEdge> edges);

// The layers of the network, connected by link_edges().
Result<LinkGraph> graph_of_network(const Network& network);

}  // namespace heliolite
