// A network as tables and as JSON: its layers, what they compute, and the edges between them.
#include "cli/show/show_parts.h"

#include <fmt/format.h>

#include <vector>

#include "cli/ui/figures.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/edge_ranks.h"

namespace heliolite::cli {
namespace {

std::string source_name(const Network& network, const Edge& edge) {
  return edge.from_input ? network.inputs[edge.from].name : network.layers[edge.from].workload.name;
}

const std::string& operand_name(const Network& network, const Edge& edge) {
  return network.layers[edge.to].workload.tensors[edge.tensor].name;
}

std::string layers_table(const Network& network) {
  Table table({"<layer", "count", "<size", "MACs", "<words"});
  for (const Layer& layer : network.layers) {
    const Workload& w = layer.workload;
    std::vector<std::string> words;
    for (std::size_t v = 0; v < w.tensors.size(); ++v)
      words.push_back(fmt::format("{} {}{}", w.tensors[v].name, grouped(w.tensor_words(static_cast<int>(v))),
                                  size_text(w.tensors[v])));
    table.row(
        {w.name, grouped(layer.count), sizes_text(w), grouped(w.macs()), fmt::format("{}", fmt::join(words, ", "))});
  }
  table.rule();
  table.row({"total", grouped(network.runs()), "", grouped(network.macs()), ""});
  return table.to_string();
}

std::string through_text(const Through& through) {
  if (through.op == Operator::None) return "";
  if (through.op == Operator::Pool) return fmt::format("pool {} stride {}", through.window, through.stride);
  if (through.op == Operator::Resize) return fmt::format("resize {}", through.factor);
  return std::string(name(through.op));
}

std::string combine_text(const Edge& edge) {
  return edge.combine == Combine::Alone ? "" : std::string(name(edge.combine));
}

std::string edges_table(const Network& network) {
  Table table({"<from", "<to", "<tensor", "<through", "<combined by", "<repetitions", "<ranks"});
  for (const Edge& edge : network.edges) {
    const EdgeRanks ranks = edge_ranks(network, edge);
    table.row({source_name(network, edge) + (edge.from_input ? " (input)" : ""), network.layers[edge.to].workload.name,
               operand_name(network, edge), through_text(edge.through), combine_text(edge), repeats_text(network, edge),
               ranks.fused() ? ranks_text(network, ranks) : "not fused: " + ranks.why_not});
  }
  return table.to_string() + "  ranks: which of the maker (of an input, its first reader) are which of the reader\n";
}

Json names_json(const Workload& workload, const std::vector<int>& dimensions) {
  Json names = Json::array();
  for (const int d : dimensions) names.push_back(workload.dimensions[d].name);
  return names;
}

// "ranks" and "not_fused" of docs/json.md.
void add_ranks(Json& json, const Network& network, const EdgeRanks& ranks) {
  json["ranks"] = Json::array();
  for (const RankMatch& match : ranks.matches) {
    Json pair{{"maker", names_json(network.layers[ranks.maker.layer].workload, match.maker)},
              {"reader", names_json(network.layers[ranks.reader.layer].workload, match.reader)},
              {"divides", match.divides},
              {"whole", match.whole}};
    pair["window"] = match.slides ? Json(match.window) : Json();
    pair["stride"] = match.slides ? Json(match.stride) : Json();
    json["ranks"].push_back(pair);
  }
  json["not_fused"] = ranks.fused() ? Json() : Json(ranks.why_not);
}

}  // namespace

std::string layer_names(const Network& network) {
  std::string names;
  for (const Layer& layer : network.layers) names += layer.workload.name + "\n";
  return names;
}

std::string network_text(const Network& network) {
  std::string text = fmt::format("{}: {} {}, {} MACs\n\n", network.name, network.layers.size(),
                                 network.layers.size() == 1 ? "layer" : "layers", grouped(network.macs()));
  if (!network.one_run.empty()) text += fmt::format("  A run is no inference: {}.\n\n", network.one_run);
  if (network.tokens)
    text += fmt::format("  {} token{} in a run, for each input of the batch.\n\n", grouped(*network.tokens),
                        *network.tokens == 1 ? "" : "s");
  text += layers_table(network);
  if (network.edges.empty())
    return text + (network.layers.size() > 1 ? "\n  No edges: what feeds what is not stated.\n" : "");
  return text + "\n" + edges_table(network);
}

void add_network(Json& answer, const Network& network) {
  answer["name"] = network.name;
  answer["macs"] = network.macs();
  answer["batch"] = network.batch;
  answer["tokens"] = network.tokens ? Json(*network.tokens) : Json();
  answer["one_run"] = network.one_run.empty() ? Json() : Json(network.one_run);
  answer["layers"] = Json::array();
  for (const Layer& layer : network.layers) {
    const Workload& w = layer.workload;
    Json json = question(w), tensors = Json::object();
    for (std::size_t v = 0; v < w.tensors.size(); ++v) {
      Json& tensor = tensors[w.tensors[v].name];
      tensor = {{"role", name(w.tensors[v].role)}, {"words", w.tensor_words(static_cast<int>(v))}};
      if (w.tensors[v].word_bits) tensor["word_bits"] = *w.tensors[v].word_bits;
    }
    json["count"] = layer.count;
    json["tensors"] = tensors;
    answer["layers"].push_back(json);
  }
  answer["inputs"] = Json::array();
  for (const Input& input : network.inputs)
    answer["inputs"].push_back(
        {{"name", input.name}, {"words", input.words}, {"same_in_repeats", input.same_in_repeats}});
  answer["edges"] = Json::array();
  for (const Edge& edge : network.edges) {
    answer["edges"].push_back({{"from", source_name(network, edge)},
                               {"from_input", edge.from_input},
                               {"to", network.layers[edge.to].workload.name},
                               {"tensor", operand_name(network, edge)},
                               {"through", name(edge.through.op)},
                               {"combine", name(edge.combine)},
                               {"repetitions", repeats_text(network, edge)}});
    add_ranks(answer["edges"].back(), network, edge_ranks(network, edge));
  }
}

}  // namespace heliolite::cli
