// Writes workloads and networks in the project's own format, and says in what two of them differ.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "workloads/edge_ranks.h"
#include "workloads/families.h"
#include "workloads/word_bits.h"
#include "workloads/workload_yaml.h"

namespace heliolite {

std::string rank_text(const Rank& rank, const Workload& workload) {
  std::vector<std::string> terms;
  for (const Term& term : rank.terms) {
    const std::string& name = workload.dimensions[term.dimension].name;
    terms.push_back(term.coefficient == 1 ? name : fmt::format("{}*{}", term.coefficient, name));
  }
  return fmt::format("{}", fmt::join(terms, "+"));
}

namespace {

// "operation: softmax", and what else says how a layer is computed, where that is not what goes without saying.
std::vector<std::string> operation_lines(const Workload& w) {
  std::vector<std::string> out;
  if (w.operation != Operation::Product) out.push_back(fmt::format("operation: {}", name(w.operation)));
  if (w.operations != 1) out.push_back(fmt::format("operations: {}", w.operations));
  if (!w.unit.empty()) out.push_back(fmt::format("unit: {}", yaml_scalar(w.unit)));
  return out;
}

}  // namespace

std::string write_workload(const Workload& workload) {
  std::vector<std::string> sizes, roles;
  std::string tensors;
  for (const Dimension& d : workload.dimensions) sizes.push_back(fmt::format("{}: {}", yaml_scalar(d.name), d.size));
  for (const Tensor& tensor : workload.tensors) {
    std::vector<std::string> ranks;
    for (const Rank& rank : tensor.ranks) ranks.push_back(yaml_scalar(rank_text(rank, workload)));
    tensors += fmt::format("  {}: [{}]\n", yaml_scalar(tensor.name), fmt::join(ranks, ", "));
    if (!tensor.is_output()) roles.push_back(fmt::format("{}: {}", yaml_scalar(tensor.name), name(tensor.role)));
  }
  std::string text = fmt::format("name: {}\ndimensions: {{{}}}\ntensors:\n{}output: {}\nroles: {{{}}}\n",
                                 yaml_scalar(workload.name), fmt::join(sizes, ", "), tensors,
                                 yaml_scalar(workload.tensors[workload.output()].name), fmt::join(roles, ", "));
  if (states_word_bits(workload)) text += fmt::format("word_bits: {{{}}}\n", word_bits_text(workload));
  for (const std::string& line : operation_lines(workload)) text += line + "\n";
  return text;
}

namespace {

bool same_but_name(Workload a, const Workload& b) {
  a.name = b.name;
  return write_workload(a) == write_workload(b);
}

u64 size_of(const Workload& w, std::string_view dimension, u64 fallback = 1) {
  const std::optional<int> d = w.find_dimension(dimension);
  return d ? w.dimensions[*d].size : fallback;
}

// The factor of a dimension in the ranks of Inputs.
u64 factor_of(const Workload& w, std::string_view dimension) {
  const std::optional<int> inputs = w.find_tensor("Inputs"), d = w.find_dimension(dimension);
  if (!inputs || !d) return 1;
  for (const Rank& rank : w.tensors[*inputs].ranks)
    for (const Term& term : rank.terms)
      if (term.dimension == *d) return term.coefficient;
  return 1;
}

// What `conv` or `depthwise` would have to be given.
Arguments convolution_arguments(const Workload& w, bool depthwise) {
  const u64 groups = size_of(w, "G");
  Arguments a{{"n", size_of(w, "N")},          {"c", size_of(w, "C") * groups}, {"p", size_of(w, "P")},
              {"q", size_of(w, "Q")},          {"r", size_of(w, "R")},          {"s", size_of(w, "S")},
              {"wstride", factor_of(w, "P")},  {"hstride", factor_of(w, "Q")},  {"wdilation", factor_of(w, "R")},
              {"hdilation", factor_of(w, "S")}};
  if (!depthwise) a.insert({{"k", size_of(w, "K") * groups}, {"groups", groups}});
  return a;
}

// Parameters that have their defaults are left out.
std::string convolution_text(std::string_view family, const Arguments& a) {
  const auto get = [&](std::string_view name) { return a.find(name)->second; };
  std::vector<std::string> texts;
  const auto add = [&](std::string_view name, u64 value) { texts.push_back(fmt::format("{}: {}", name, value)); };
  if (get("n") != 1) add("n", get("n"));
  if (a.contains("k")) add("k", get("k"));
  add("c", get("c"));
  add("p", get("p"));
  if (get("q") != get("p")) add("q", get("q"));
  if (get("r") != 1 || get("s") != 1) add("r", get("r"));
  if (get("s") != get("r")) add("s", get("s"));
  for (const std::string_view both : {"stride", "dilation"}) {
    const u64 w = get(fmt::format("w{}", both)), h = get(fmt::format("h{}", both));
    if (w == h && w != 1) add(both, w);
    if (w != h) add(fmt::format("w{}", both), w);
    if (w != h) add(fmt::format("h{}", both), h);
  }
  if (a.contains("groups") && get("groups") != 1) add("groups", get("groups"));
  return fmt::format("{}: {{{}}}", family, fmt::join(texts, ", "));
}

std::optional<std::string> convolution(const Workload& w) {
  for (const std::string_view name : {"conv", "depthwise"}) {
    const Arguments arguments = convolution_arguments(w, name == "depthwise");
    const Result<Workload> built = build_workload(*find_family(name), arguments);
    if (built && same_but_name(*built, w)) return convolution_text(name, arguments);
  }
  return std::nullopt;
}

// Families with a formula: their parameters are their dimensions.
std::optional<std::string> positional(const Workload& w) {
  for (const std::string& name : family_names()) {
    const Family& family = *find_family(name);
    if (family.formula.empty() || family.dimensions.size() != w.dimensions.size()) continue;
    Arguments arguments;
    std::vector<std::string> sizes;
    for (std::size_t i = 0; i < family.parameters.size(); ++i) {
      const u64 size = size_of(w, family.dimensions[i], 0);
      arguments.emplace(family.parameters[i], size);
      sizes.push_back(fmt::format("{}", size));
    }
    if (std::ranges::any_of(arguments, [](const auto& a) { return a.second == 0; })) continue;
    const Result<Workload> built = build_workload(family, arguments);
    if (built && same_but_name(*built, w)) return fmt::format("{}: {}", name, fmt::join(sizes, "x"));
  }
  return std::nullopt;
}

std::string einsum(const Workload& w) {
  std::vector<std::string> sizes, roles, reads;
  std::string output;
  for (const Tensor& tensor : w.tensors) {
    const std::vector<std::string> ranks = mapped(tensor.ranks, [&](const Rank& rank) { return rank_text(rank, w); });
    // A#2 is another access of A, which a formula writes as A.
    const std::string text = fmt::format("{}[{}]", tensor.name.substr(0, tensor.name.find('#')), fmt::join(ranks, ","));
    if (tensor.is_output()) output = text;
    if (!tensor.is_output()) reads.push_back(text);
    if (!tensor.is_output()) roles.push_back(fmt::format("{}: {}", yaml_scalar(tensor.name), name(tensor.role)));
  }
  for (const Dimension& d : w.dimensions) sizes.push_back(fmt::format("{}: {}", yaml_scalar(d.name), d.size));
  return fmt::format("einsum: \"{} += {}\", sizes: {{{}}}, roles: {{{}}}", output, fmt::join(reads, " * "),
                     fmt::join(sizes, ", "), fmt::join(roles, ", "));
}

}  // namespace

std::string shape_text(const Workload& workload) {
  Workload bare = workload;  // sizes of words are written apart from the shape
  for (Tensor& t : bare.tensors) t.word_bits.reset();
  bare.operation = Operation::Product, bare.operations = 1, bare.unit.clear();
  if (auto text = convolution(bare)) return *text;
  if (auto text = positional(bare)) return *text;
  return einsum(bare);
}

namespace {

// "{from: a, to: b, tensor: B, through: norm}" and the lists around it.
class NetworkWriter {
 public:
  NetworkWriter(const Network& network, const std::map<std::string, std::string>& comments)
      : network_(network), comments_(comments), reads_(network.layers.size()) {
    for (const Edge& e : network.edges)
      if (is_read(e))
        reads_[e.to].push_back(fmt::format("{}: {}", yaml_scalar(workload(e.to).tensors[e.tensor].name),
                                           yaml_scalar(network.inputs[e.from].name)));
  }

  std::string run() {
    std::string text = fmt::format("name: {}\n", yaml_scalar(network_.name));
    if (network_.batch > 1) text += fmt::format("batch_in_sizes: {}\n", network_.batch);
    if (!network_.one_run.empty()) text += fmt::format("one_run: {}\n", yaml_scalar(network_.one_run));
    if (network_.tokens) text += fmt::format("tokens: {}\n", *network_.tokens);
    text += "layers:\n";
    for (std::size_t i = 0; i < network_.layers.size(); ++i) text += layer(static_cast<int>(i));
    if (!network_.inputs.empty()) {
      const std::vector<std::string> inputs = mapped(network_.inputs, [&](const Input& input) {
        return input.same_in_repeats ? fmt::format("{{name: {}, same_in_repeats: true}}", yaml_scalar(input.name))
                                     : yaml_scalar(input.name);
      });
      text += fmt::format("inputs: [{}]\n", fmt::join(inputs, ", "));
    }
    std::string edges;
    for (const Edge& e : network_.edges)
      if (!is_read(e)) edges += edge(e);
    return edges.empty() ? text : text + "edges:\n" + edges;
  }

 private:
  const Workload& workload(int layer) const { return network_.layers[layer].workload; }

  // Whether `reads` of the layer says all there is to say.
  static bool is_read(const Edge& e) {
    return e.from_input && e.through.op == Operator::None && e.combine == Combine::Alone && !e.slice && !e.ranks.stated;
  }

  std::string layer(int index) const {
    const Layer& l = network_.layers[index];
    std::string text = fmt::format("- {{name: {}, {}", yaml_scalar(l.workload.name), shape_text(l.workload));
    if (states_word_bits(l.workload)) text += fmt::format(", word_bits: {{{}}}", word_bits_text(l.workload));
    for (const std::string& line : operation_lines(l.workload)) text += ", " + line;
    if (l.count != 1) text += fmt::format(", count: {}", l.count);
    const std::vector<std::string>& reads = reads_[index];
    if (!reads.empty()) text += fmt::format(", reads: {{{}}}", fmt::join(reads, ", "));
    const auto note = comments_.find(l.workload.name);
    return text + (note == comments_.end() ? "}\n" : fmt::format("}}  # {}\n", shortened(note->second)));
  }

  // A rank by the name of a dimension in it.
  static std::string rank(const Workload& workload, int tensor, int r) {
    const Rank& rank = workload.tensors[tensor].ranks[r];
    return yaml_scalar(workload.dimensions[rank.terms.front().dimension].name);
  }

  // What the edge leads through. Ranks are named as in what it comes from, or, where that is an input, as in the
  // reader.
  std::string through(const Edge& e) const {
    const Through& t = e.through;
    if (t.op != Operator::Pool && t.op != Operator::Resize) return std::string(name(t.op));
    const Workload& from = e.from_input ? workload(e.to) : workload(e.from);
    const int tensor = e.from_input ? e.tensor : from.output();
    const std::vector<std::string> ranks = mapped(bits(t.ranks), [&](const int r) { return rank(from, tensor, r); });
    const std::string list = fmt::format("ranks: [{}]", fmt::join(ranks, ", "));
    if (t.op == Operator::Resize) return fmt::format("{{resize: {{factor: {}, {}}}}}", t.factor, list);
    const std::string pad = t.pad ? fmt::format("pad: {}, ", *t.pad) : "";
    return fmt::format("{{pool: {{k: {}, stride: {}, {}{}}}}}", t.window, t.stride, pad, list);
  }

  std::string edge(const Edge& e) const {
    const std::string from = e.from_input ? network_.inputs[e.from].name : workload(e.from).name;
    const Workload& to = workload(e.to);
    std::string text = fmt::format("- {{from: {}, to: {}, tensor: {}", yaml_scalar(from), yaml_scalar(to.name),
                                   yaml_scalar(to.tensors[e.tensor].name));
    if (e.through.op != Operator::None) text += fmt::format(", through: {}", through(e));
    if (e.combine == Combine::Concat) text += fmt::format(", combine: {{concat: {}}}", rank(to, e.tensor, e.along));
    else if (e.combine != Combine::Alone) text += fmt::format(", combine: {}", name(e.combine));
    if (e.slice)
      text +=
          fmt::format(", slice: {{rank: {}, from: {}, words: {}}}",
                      rank(workload(e.from), workload(e.from).output(), e.slice->rank), e.slice->from, e.slice->words);
    return text + ranks(e) + "}\n";
  }

  std::string ranks(const Edge& e) const {
    if (!e.ranks.stated) return "";
    const EdgeRanks ends = edge_ranks(network_, e);
    return fmt::format(", ranks: {{{}}}", ranks_text(workload(ends.maker.layer), workload(e.to), e.ranks.pairs));
  }

  const Network& network_;
  const std::map<std::string, std::string>& comments_;
  std::vector<std::vector<std::string>> reads_;  // [layer]
};

}  // namespace

std::string write_network(const Network& network, const std::map<std::string, std::string>& comments) {
  return NetworkWriter(network, comments).run();
}

// In what two workloads or networks differ, field by field.

namespace {

std::string tensor_text(const Tensor& tensor, const Workload& workload) {
  std::vector<std::string> ranks;
  for (const Rank& rank : tensor.ranks) ranks.push_back(rank_text(rank, workload));
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

template <class Item, class Text>
void compare_named(const std::vector<Item>& a, const std::vector<Item>& b, const Text& text, const char* what,
                   FieldDifferences& out) {
  const auto named = [](const std::vector<Item>& items, const std::string& name) {
    return std::ranges::find(items, name, &Item::name);
  };
  for (const Item& item : a) {
    const auto other = named(b, item.name);
    const std::string there = other == b.end() ? "" : text(*other, false);
    if (text(item, true) != there) out.push_back({item.name, text(item, true), there});
  }
  for (const Item& item : b)
    if (named(a, item.name) == a.end()) out.push_back({item.name, "", text(item, false)});
  std::vector<std::string> x, y;
  for (const Item& item : a) x.push_back(item.name);
  for (const Item& item : b) y.push_back(item.name);
  if (x != y && std::ranges::is_permutation(x, y))
    out.push_back({fmt::format("order of {}", what), fmt::format("{}", fmt::join(x, ", ")),
                   fmt::format("{}", fmt::join(y, ", "))});
}

}  // namespace

FieldDifferences differences(const Workload& a, const Workload& b) {
  FieldDifferences out;
  compare_named(
      a.dimensions, b.dimensions, [](const Dimension& d, bool) { return fmt::format("{}", d.size); }, "dimensions",
      out);
  const auto text = [&](const Tensor& t, bool first) {
    const std::string size = t.word_bits ? fmt::format(", {} bits", *t.word_bits) : "";
    return fmt::format("{} ({}{})", tensor_text(t, first ? a : b), name(t.role), size);
  };
  compare_named(a.tensors, b.tensors, text, "tensors", out);
  const auto compare = [&](const char* field, const std::string& x, const std::string& y) {
    if (x != y) out.push_back({field, x, y});
  };
  compare("operation", std::string(name(a.operation)), std::string(name(b.operation)));
  compare("operations", fmt::format("{}", a.operations), fmt::format("{}", b.operations));
  compare("unit", a.unit, b.unit);
  return out;
}

FieldDifferences differences(const Network& a, const Network& b) {
  if (a.layers.size() == 1 && b.layers.size() == 1 && a.layers.front().count == b.layers.front().count)
    return differences(a.layers.front().workload, b.layers.front().workload);
  FieldDifferences out;
  const auto find = [](const Network& network, const std::string& name) {
    return std::ranges::find_if(network.layers, [&](const Layer& layer) { return layer.workload.name == name; });
  };
  for (const Layer& layer : a.layers) {
    const std::string& name = layer.workload.name;
    const auto other = find(b, name);
    if (other == b.layers.end()) {
      out.push_back({name, "layer", ""});
      continue;
    }
    if (layer.count != other->count)
      out.push_back({name + ".count", fmt::format("{}", layer.count), fmt::format("{}", other->count)});
    for (const FieldDifference& d : differences(layer.workload, other->workload))
      out.push_back({fmt::format("{}.{}", name, d.field), d.a, d.b});
  }
  for (const Layer& layer : b.layers)
    if (find(a, layer.workload.name) == a.layers.end()) out.push_back({layer.workload.name, "", "layer"});
  return out;
}

}  // namespace heliolite
