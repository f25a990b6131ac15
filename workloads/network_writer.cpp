#include "workloads/network_writer.h"

#include <fmt/format.h>

#include <vector>

#include "engine/base/integers.h"
#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "workloads/shape_text.h"
#include "workloads/word_bits.h"

namespace heliolite {
namespace {

// "{from: a, to: b, tensor: B, through: norm}" and the lists around it.
class NetworkWriter {
 public:
  NetworkWriter(const Network& network, const std::map<std::string, std::string>& comments)
      : network_(network), comments_(comments), reads_(network.layers.size()) {
    for (const Edge& e : network.edges)
      if (is_read(e))
        reads_[at(e.to)].push_back(fmt::format("{}: {}", yaml_scalar(workload(e.to).tensors[at(e.tensor)].name),
                                               yaml_scalar(network.inputs[at(e.from)].name)));
  }

  std::string run() {
    std::string text = fmt::format("name: {}\n", yaml_scalar(network_.name));
    if (network_.batch > 1) text += fmt::format("batch_in_sizes: {}\n", network_.batch);
    if (!network_.one_run.empty()) text += fmt::format("one_run: {}\n", yaml_scalar(network_.one_run));
    if (network_.tokens) text += fmt::format("tokens: {}\n", *network_.tokens);
    text += "layers:\n";
    for (std::size_t i = 0; i < network_.layers.size(); ++i) text += layer(static_cast<int>(i));
    if (!network_.inputs.empty()) {
      std::vector<std::string> inputs;
      for (const Input& input : network_.inputs)
        inputs.push_back(input.same_in_repeats
                             ? fmt::format("{{name: {}, same_in_repeats: true}}", yaml_scalar(input.name))
                             : yaml_scalar(input.name));
      text += fmt::format("inputs: [{}]\n", fmt::join(inputs, ", "));
    }
    std::string edges;
    for (const Edge& e : network_.edges)
      if (!is_read(e)) edges += edge(e);
    return edges.empty() ? text : text + "edges:\n" + edges;
  }

 private:
  const Workload& workload(int layer) const { return network_.layers[at(layer)].workload; }

  // Whether `reads` of the layer says all there is to say.
  static bool is_read(const Edge& e) {
    return e.from_input && e.through.op == Operator::None && e.combine == Combine::Alone && !e.slice;
  }

  std::string layer(int index) const {
    const Layer& l = network_.layers[at(index)];
    std::string text = fmt::format("- {{name: {}, {}", yaml_scalar(l.workload.name), shape_text(l.workload));
    if (states_word_bits(l.workload)) text += fmt::format(", word_bits: {{{}}}", word_bits_text(l.workload));
    if (l.count != 1) text += fmt::format(", count: {}", l.count);
    const std::vector<std::string>& reads = reads_[at(index)];
    if (!reads.empty()) text += fmt::format(", reads: {{{}}}", fmt::join(reads, ", "));
    const auto note = comments_.find(l.workload.name);
    return text + (note == comments_.end() ? "}\n" : fmt::format("}}  # {}\n", shortened(note->second)));
  }

  // A rank by the name of a dimension in it.
  static std::string rank(const Workload& workload, int tensor, int r) {
    const Rank& rank = workload.tensors[at(tensor)].ranks[at(r)];
    return yaml_scalar(workload.dimensions[at(rank.terms.front().dimension)].name);
  }

  // Of what the edge comes from; the operand itself for an input, which has the ranks of its reader.
  std::string through(const Edge& e) const {
    const Through& t = e.through;
    if (t.op != Operator::Pool && t.op != Operator::Resize) return std::string(name(t.op));
    const Workload& from = e.from_input ? workload(e.to) : workload(e.from);
    const int tensor = e.from_input ? e.tensor : from.output();
    std::vector<std::string> ranks;
    for (const int r : bits(t.ranks)) ranks.push_back(rank(from, tensor, r));
    const std::string list = fmt::format("ranks: [{}]", fmt::join(ranks, ", "));
    if (t.op == Operator::Resize) return fmt::format("{{resize: {{factor: {}, {}}}}}", t.factor, list);
    const std::string pad = t.pad ? fmt::format("pad: {}, ", *t.pad) : "";
    return fmt::format("{{pool: {{k: {}, stride: {}, {}{}}}}}", t.window, t.stride, pad, list);
  }

  std::string edge(const Edge& e) const {
    const std::string from = e.from_input ? network_.inputs[at(e.from)].name : workload(e.from).name;
    const Workload& to = workload(e.to);
    std::string text = fmt::format("- {{from: {}, to: {}, tensor: {}", yaml_scalar(from), yaml_scalar(to.name),
                                   yaml_scalar(to.tensors[at(e.tensor)].name));
    if (e.through.op != Operator::None) text += fmt::format(", through: {}", through(e));
    if (e.combine == Combine::Concat) {
      text += fmt::format(", combine: {{concat: {}}}", rank(to, e.tensor, e.along));
    } else if (e.combine != Combine::Alone) {
      text += fmt::format(", combine: {}", name(e.combine));
    }
    if (e.slice)
      text +=
          fmt::format(", slice: {{rank: {}, from: {}, words: {}}}",
                      rank(workload(e.from), workload(e.from).output(), e.slice->rank), e.slice->from, e.slice->words);
    return text + "}\n";
  }

  const Network& network_;
  const std::map<std::string, std::string>& comments_;
  std::vector<std::vector<std::string>> reads_;  // [layer]
};

}  // namespace

std::string write_network(const Network& network, const std::map<std::string, std::string>& comments) {
  return NetworkWriter(network, comments).run();
}

}  // namespace heliolite
