#include "engine/network/link_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "workloads/edge_ranks.h"

namespace heliolite {

namespace {

// Words along an edge that groups know by their ranks, or why they do not.
class EdgeTranslator {
 public:
  explicit EdgeTranslator(const Network& network) : network_(network) {
    for (const Edge& e : network.edges)
      if (e.from_input && why_mixed_[e.from].empty()) why_mixed_[e.from] = why_not_named(e);
  }

  LinkEdge run(const Edge& e) const {
    LinkEdge edge;
    edge.maker = e.from_input ? -1 : e.from;
    if (e.from_input) edge.input = network_.inputs[e.from].name;
    edge.reader = e.to;
    edge.tensor = e.tensor;
    if (e.through.op == Operator::Softmax) edge.between = Between::Softmax;
    if (e.through.op == Operator::Norm) edge.between = Between::Norm;
    const bool reshaped = e.through.op == Operator::Pool || e.through.op == Operator::Resize;
    if (reshaped || e.slice || e.combine == Combine::Concat) edge.between = Between::Barrier;
    const EdgeRanks ranks = edge_ranks(network_, e);
    if (!ranks.why_not.empty()) keep_apart(e, edge, ranks.why_not);
    else if (e.from_input) edge.why_apart = why_mixed_.at(e.from);
    if (!edge.why_apart.empty() || ranks.matches.empty()) return edge;
    edge.pairs.emplace();
    for (const RankMatch& match : ranks.matches) edge.pairs->push_back({match.maker, match.reader});
    if (e.from_input) name_by_term(e, edge);
    return edge;
  }

 private:
  void keep_apart(const Edge& e, LinkEdge& edge, const std::string& why) const {
    const Workload& reader = network_.layers[e.to].workload;
    const std::string& from = e.from_input ? network_.inputs[e.from].name : network_.layers[e.from].workload.name;
    const bool by_sizes = !e.ranks.stated && why_not_whole(network_, e).empty() && !reader.is_read_twice(e.tensor);
    edge.why_apart = fmt::format("edge from {} to {} of {}: {}{}", from, reader.tensors[e.tensor].name, reader.name,
                                 why, by_sizes ? "; the edge's `ranks` say which correspond" : "");
  }

  // Readers of an input are compared with the first that reads it as it is.
  std::string why_not_named(const Edge& e) const {
    if (!reads_whole(e)) return fmt::format("{} does not read it as it is", network_.layers[e.to].workload.name);
    const std::vector<Edge> terms = edges_into(network_, e.to, e.tensor);
    const bool of_inputs = std::ranges::all_of(terms, &Edge::from_input);
    return terms.size() > 1 && of_inputs ? "it is a term of a sum of inputs" : "";
  }

  // The first reader may take the input as a term of a sum. Then the link that makes the sum's last term reads it
  // (joined_ranks()), and its dimensions name the ranks.
  void name_by_term(const Edge& e, LinkEdge& edge) const {
    const auto joined = joined_ranks(network_, *first_reader(network_.edges, e.from));
    if (!joined || &e == first_reader(network_.edges, e.from)) return;
    for (StatedPair& pair : *edge.pairs) {
      const auto same = std::ranges::find(joined->matches, pair.maker, &RankMatch::maker);
      if (same != joined->matches.end()) pair.maker = same->reader;
      else keep_apart(e, edge, "its ranks are not those of the sum of which the first reader takes it as a term");
    }
  }

  const Network& network_;
  std::map<int, std::string> why_mixed_;  // by input
};

}  // namespace

std::vector<LinkEdge> link_edges(const Network& network) {
  const EdgeTranslator translator(network);
  return mapped(network.edges, [&](const Edge& e) { return translator.run(e); });
}

std::optional<int> LinkGraph::find_link(std::string_view name) const {
  const auto is_it = [&](const Layer& l) { return l.workload.name == name; };
  const auto found = std::ranges::find_if(links, is_it);
  if (found == links.end()) return std::nullopt;
  return static_cast<int>(found - links.begin());
}

std::optional<int> LinkGraph::find_array(std::string_view name) const { return place_of_row(arrays, name); }

u64 LinkGraph::words(int a) const {
  const ArrayTouch& first = array(a).touches.front();
  return link(first.link).tensor_words(first.tensor);
}

namespace {

// Walks over the links in order and collects who touches what.
class GraphBuilder {
 public:
  GraphBuilder(std::vector<Layer> links, std::span<const LinkEdge> edges) : edges_(edges) {
    graph_.links = std::move(links);
  }

  LinkGraph build() {
    const int count = static_cast<int>(graph_.links.size());
    for (int l = 0; l < count; ++l) {
      const Workload& link = graph_.link(l);
      const int out = link.output();
      graph_.array_of.emplace_back(link.tensors.size(), -1);
      graph_.array_of.back()[out] = add_array(tensor_name(l, out), l, {l, out, false, {}, own_ranks(link, out)});
    }
    wanted_sum_.resize(at(count));
    for (int l = 0; l < count; ++l)
      for (int v = 0; v < static_cast<int>(graph_.link(l).tensors.size()); ++v)
        if (!graph_.link(l).tensors[v].is_output()) connect(l, v);
    return std::move(graph_);
  }

 private:
  std::string tensor_name(int l, int v) const {
    return fmt::format("{}.{}", graph_.link(l).name, graph_.link(l).tensors[v].name);
  }
  int add_array(std::string name, std::optional<int> maker, ArrayTouch first) {
    graph_.arrays.push_back({std::move(name), maker, {std::move(first)}, ""});
    return static_cast<int>(graph_.arrays.size()) - 1;
  }
  void keep_apart(int a, const std::string& why) {
    if (graph_.arrays[a].why_apart.empty()) graph_.arrays[a].why_apart = why;
  }
  // The array that the edge brings; none if it is an input that no link has touched so far.
  std::optional<int> source(const LinkEdge& e) const {
    if (e.maker >= 0) return graph_.array_of[e.maker][graph_.link(e.maker).output()];
    const auto known = input_.find(e.input);
    return known == input_.end() ? std::nullopt : std::optional(known->second);
  }
  // The ranks of the operand in terms of those of an array that some link has touched.
  std::vector<CommonRank> ranks_of(int a, const LinkEdge& e, std::string& why_not) const {
    why_not = e.why_apart;
    if (!why_not.empty()) return {};
    const ArrayTouch& first = graph_.array(a).touches.front();
    return common_ranks({&graph_.link(first.link), first.tensor}, e.maker < 0, {&graph_.link(e.reader), e.tensor},
                        e.pairs, why_not);
  }

  void connect(int l, int v) {
    std::vector<const LinkEdge*> terms;
    for (const LinkEdge& e : edges_)
      if (e.reader == l && e.tensor == v) terms.push_back(&e);
    int& array = graph_.array_of[l][v];
    if (terms.empty()) {
      array = add_array(tensor_name(l, v), std::nullopt, {l, v, false, {}, own_ranks(graph_.link(l), v)});
      return;
    }
    // Inputs come before all links; the operand takes the place of the term that is made last.
    const LinkEdge& last = **std::ranges::max_element(terms, {}, &LinkEdge::maker);
    array = touch(last, {l, v, false, last.between, {}});
    if (last.maker < 0) return;
    check_sum(last.maker, array, terms);
    for (const LinkEdge* term : terms)
      if (term != &last) join(*term, last.maker, array);
  }

  // The link of `t` reads what the edge brings; returns the array.
  int touch(const LinkEdge& e, ArrayTouch t) {
    std::optional<int> a = source(e);
    if (!a) {
      t.ranks = own_ranks(graph_.link(t.link), t.tensor);
      a = add_array(e.input, std::nullopt, std::move(t));
      input_[e.input] = *a;
      check_edge(e, *a, e.reader);
      return *a;
    }
    std::string why_not;
    t.ranks = ranks_of(*a, e, why_not);
    if (t.ranks.empty() && !why_not.empty()) keep_apart(*a, why_not);
    check_edge(e, *a, t.link);
    graph_.arrays[*a].touches.push_back(std::move(t));
    return *a;
  }

  void check_edge(const LinkEdge& e, int a, int link) {
    const std::string& reader = graph_.link(e.reader).name;
    if (!e.why_apart.empty()) keep_apart(a, e.why_apart);
    if (e.between == Between::Barrier)
      keep_apart(a, fmt::format("{} reads it through an operator that changes its shape", reader));
    if (e.maker >= 0 && graph_.links[e.maker].count != graph_.links[link].count)
      keep_apart(a, fmt::format("{} runs {} times and {} runs {} times", graph_.link(e.maker).name,
                                graph_.links[e.maker].count, graph_.link(link).name, graph_.links[link].count));
  }

  // All operands that take the place of one array have to be one sum.
  void check_sum(int maker, int array, const std::vector<const LinkEdge*>& terms) {
    std::vector<std::pair<int, std::string>> names;
    for (const LinkEdge* e : terms) names.emplace_back(e->maker, e->input);
    std::ranges::sort(names);
    auto& wanted = wanted_sum_[maker];
    if (!wanted) wanted = names;
    if (*wanted != names)
      keep_apart(array, fmt::format("its readers want different sums with {}", graph_.array(array).name));
  }

  // A term other than the last is read by the maker of the last one, whose ranks it has by way of the operand.
  void join(const LinkEdge& term, int maker, int place) {
    const int out = graph_.link(maker).output();
    const std::vector<CommonRank> operand = graph_.array(place).touches.back().ranks;
    ArrayTouch t{maker, out, true, Between::Nothing, {}};
    const std::optional<int> known = source(term);
    std::string why_not;
    if (known) {
      for (const ArrayTouch& other : graph_.array(*known).touches)
        if (other.is_term && other.link == maker) return;
      for (const CommonRank& r : ranks_of(*known, term, why_not)) {
        const auto same = std::ranges::find(operand, r.own, &CommonRank::own);
        if (same == operand.end() || same->slides || r.slides) why_not = "a sum of windows";
        else t.ranks.push_back({r.array, same->array});
      }
    } else {
      for (const CommonRank& r : operand) t.ranks.push_back({r.array, r.array});
    }
    int a = known.value_or(-1);
    if (known) graph_.arrays[a].touches.push_back(std::move(t));
    else input_[term.input] = a = add_array(term.input, std::nullopt, std::move(t));
    check_edge(term, a, maker);
    if (!why_not.empty()) keep_apart(a, why_not);
  }

  LinkGraph graph_;
  std::span<const LinkEdge> edges_;
  std::map<std::string, int, std::less<>> input_;  // arrays from outside that some link has touched
  std::vector<std::optional<std::vector<std::pair<int, std::string>>>> wanted_sum_;  // [maker of the last term]
};

}  // namespace

Result<LinkGraph> make_link_graph(std::vector<Layer> links, std::span<const LinkEdge> edges) {
  Diagnostics errors;
  for (const LinkEdge& e : edges)
    if (e.maker >= e.reader)
      errors.push_back({"", 0, "edges",
                        fmt::format("{} reads what {} makes, which stands behind it; links run in the file's order, "
                                    "makers before readers",
                                    links[e.reader].workload.name, links[e.maker].workload.name)});
  if (!errors.empty()) return errors;
  return GraphBuilder(std::move(links), edges).build();
}

Result<LinkGraph> graph_of_network(const Network& network) {
  return make_link_graph(network.layers, link_edges(network));
}

}  // namespace heliolite
