// The network that the found layers are: names, edges between layers, and inputs that several of them read.
#include "engine/formats/onnx/walk.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/onnx/words.h"
#include "workloads/graph.h"

namespace heliolite::onnx {

std::string LayerNames::next(std::string_view node_name) {
  constexpr std::size_t kLongest = 60;
  std::string name;
  for (const char c : node_name) {
    const bool plain = is_letter(c) || is_digit(c) || c == '.' || c == '-';
    if (name.empty() && (!plain || c == '_' || c == '-' || c == '.')) continue;
    if (name.size() == kLongest) break;
    name += plain ? c : '_';
  }
  if (name.empty()) name = "layer";
  const std::string wanted = name;
  for (int& count = used_[wanted]; used_.contains(name) && (name != wanted || count > 0);)
    name = fmt::format("{}_{}", wanted, ++count);
  ++used_[name];
  return name;
}

namespace {

// A normalisation passes for an elementwise operator: which rows it sums is not followed, and an edge that is taken for
// less than it is keeps every bound below what an execution can do.
Operator operator_on(Way way) {
  switch (way) {
    case Way::Norm:
    case Way::Elementwise: return Operator::Elementwise;
    case Way::Softmax: return Operator::Softmax;
    case Way::None: break;
  }
  return Operator::None;
}

class Connector {
 public:
  Connector(const Walk& walk, Report& report) : walk_(walk), report_(report) {}

  Network run(const std::string& name) {
    network_.name = name;
    for (const FoundLayer& found : walk_.layers()) {
      network_.layers.push_back({found.draft.workload, found.draft.count});
      network_.layers.back().workload.name = names_.next(found.node + found.draft.suffix);
    }
    for (std::size_t to = 0; to < walk_.layers().size(); ++to)
      for (const Operand& operand : walk_.layers()[to].draft.operands) join(static_cast<int>(to), operand);
    add_unread_partners();
    add_inputs();
    std::ranges::stable_sort(network_.edges, {}, [](const Edge& e) { return std::pair(e.to, e.tensor); });
    return std::move(network_);
  }

 private:
  // An operand, and a layer that makes it as a whole, other than the one that its edge comes from.
  struct Partner {
    std::size_t edge = 0;
    Source source;
    StatedRanks ranks;
  };
  struct Reader {
    int layer = 0, tensor = 0;
    Layout read;
  };

  const Workload& workload(int layer) const { return network_.layers[layer].workload; }

  // Why the layer's output is not the operand; "": it is. `read_once`: what stands there several times is read once.
  std::string mismatch(const Source& source, int to, int tensor, bool read_once) const {
    const Workload& reader = workload(to);
    if (!source.whole) return source.lost_by;
    if (source.repeated && !read_once) return "expand";
    const bool slides =
        std::ranges::any_of(reader.tensors[tensor].ranks, [](const Rank& rank) { return rank.terms.size() > 1; });
    if (source.padded && !slides) return "pad";
    if (network_.layers[source.layer].count != network_.layers[to].count) return "unequal counts";
    const Edge edge{.from = source.layer, .to = to, .tensor = tensor};
    const WordRange made = made_words(workload(source.layer), workload(source.layer).output(), edge);
    return made.meets(wanted_words(reader, tensor)) ? "" : "other words";
  }

  void join(int to, const Operand& operand) {
    const std::optional<int> tensor = workload(to).find_tensor(operand.tensor);
    if (tensor && operand.inner) return join_inner(to, *tensor, operand);
    if (!tensor || operand.value == nullptr) return;
    bool joined = false;
    if (operand.value->sources) {
      // The latest that is whole; the others are kept in case nobody else reads them.
      const Sources& sources = *operand.value->sources;
      for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
        const std::string why =
            *operand.lost_by != '\0' ? operand.lost_by : mismatch(*source, to, *tensor, operand.read_once);
        if (why.empty() && !joined) {
          network_.edges.push_back({.from = source->layer,
                                    .to = to,
                                    .tensor = *tensor,
                                    .through = {.op = operator_on(source->way)},
                                    .ranks = ranks_of(*source, to, *tensor, operand)});
          if (source->way == Way::Norm) report_.normalised.push_back({workload(to).name, operand.tensor});
          joined = true;
        } else if (why.empty()) {
          partners_.push_back({network_.edges.size() - 1, *source, ranks_of(*source, to, *tensor, operand)});
        } else if (source == sources.rbegin()) {
          report_.lost.push_back({workload(source->layer).name, workload(to).name, operand.tensor, why});
        }
      }
    }
    if (joined) return;
    if (*operand.lost_by == '\0') readers_[operand.value].push_back({to, *tensor, operand.read});
    if (operand.value->sources) ++report_.cut;
  }

  StatedRanks ranks_of(const Source& source, int to, int tensor, const Operand& operand) const {
    const Workload& maker = workload(source.layer);
    if (!source.layout) return {};
    return ranks_between({&maker, maker.output(), &workload(to), tensor}, *source.layout, operand.read);
  }

  // From a layer of the same node.
  void join_inner(int to, int tensor, const Operand& operand) {
    const InnerSource& source = *operand.inner;
    if (*operand.lost_by != '\0') {
      report_.lost.push_back({workload(source.draft).name, workload(to).name, operand.tensor, operand.lost_by});
      ++report_.cut;
      return;
    }
    const Workload& maker = workload(source.draft);
    StatedRanks ranks;
    if (!source.part)
      ranks = ranks_between({&maker, maker.output(), &workload(to), tensor}, walk_.layers()[source.draft].draft.written,
                            operand.read);
    network_.edges.push_back({.from = source.draft,
                              .to = to,
                              .tensor = tensor,
                              .through = {.op = operator_on(source.way)},
                              .slice = source.part,
                              .ranks = std::move(ranks)});
  }

  // When two layers are added or multiplied the later one feeds the operand: the sum can be made where that one's
  // output is. A layer that no edge leaves, as the gate of a product, is named too, or its output would pass for one of
  // the network.
  void add_unread_partners() {
    std::vector<bool> read(network_.layers.size(), false);
    for (const Edge& e : network_.edges) read[e.from] = true;
    for (const Partner& partner : partners_) {
      Edge& first = network_.edges[partner.edge];
      if (read[partner.source.layer] || first.combine != Combine::Alone) continue;
      first.combine = partner.source.multiplied ? Combine::Multiply : Combine::Add;
      Edge second = first;
      second.from = partner.source.layer;
      second.through.op = operator_on(partner.source.way);
      second.ranks = partner.ranks;
      network_.edges.push_back(second);
    }
  }

  // A tensor that no layer makes and that several operands read is one array for all of them.
  void add_inputs() {
    for (const FoundLayer& found : walk_.layers()) {
      for (const Operand& operand : found.draft.operands) {
        const auto readers = readers_.find(operand.value);
        if (readers == readers_.end()) continue;
        add_input(*operand.value, readers->second);
        readers_.erase(readers);
      }
    }
  }

  void add_input(const TensorFacts& value, const std::vector<Reader>& readers) {
    const auto words = [&](const Reader& r) { return workload(r.layer).tensor_words(r.tensor); };
    const auto count = [&](const Reader& r) { return network_.layers[r.layer].count; };
    const Reader least = *std::ranges::min_element(readers, {}, words);
    std::vector<Reader> fitting;
    for (const Reader& r : readers) {
      const Edge edge{.from = 0, .to = r.layer, .tensor = r.tensor, .from_input = true};
      const WordRange made = made_words(workload(least.layer), least.tensor, edge);
      if (made.meets(wanted_words(workload(r.layer), r.tensor)) && count(r) == count(least)) fitting.push_back(r);
    }
    if (fitting.size() < 2) return;
    const int index = static_cast<int>(network_.inputs.size());
    network_.inputs.push_back({.name = names_.next(value.name), .words = words(least)});
    const Reader& first =
        *std::ranges::min_element(fitting, {}, [](const Reader& r) { return std::pair(r.layer, r.tensor); });
    for (const Reader& r : fitting) {
      Edge& edge =
          network_.edges.emplace_back(Edge{.from = index, .to = r.layer, .tensor = r.tensor, .from_input = true});
      if (&r != &first)
        edge.ranks = ranks_between({&workload(first.layer), first.tensor, &workload(r.layer), r.tensor, true},
                                   first.read, r.read);
    }
  }

  const Walk& walk_;
  Report& report_;
  Network network_;
  std::vector<Partner> partners_;
  std::map<const TensorFacts*, std::vector<Reader>> readers_;  // operands without an edge
  LayerNames names_;                                           // of layers and inputs
};

}  // namespace

Network connect(const Walk& walk, const std::string& name, Report& report) { return Connector(walk, report).run(name); }

}  // namespace heliolite::onnx
