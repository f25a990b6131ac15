// How a walk goes through a model (walk.h): the order of a graph's nodes, which layers its tensors are made of,
// functions, branches and loops.
#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/onnx/inputs.h"
#include "engine/formats/onnx/walk.h"
#include "engine/formats/onnx/words.h"

namespace heliolite::onnx {

// The order in which the nodes of a graph are looked at, and which layers its tensors are made of.

namespace {

using NameSet = std::unordered_set<std::string_view>;

// Names that a subgraph reads and does not make. It cannot be nested deeper than kMaxNesting.
void reads_from_outside(const Graph& graph, const std::function<void(std::string_view)>& visit) {
  NameSet own;
  for (const ValueInfo& input : graph.inputs) own.insert(input.name);
  for (const TensorData& constant : graph.initializers) own.insert(constant.name);
  for (const Node& node : graph.nodes) own.insert(node.outputs.begin(), node.outputs.end());
  const auto outside = [&](std::string_view name) {
    if (!own.contains(name)) visit(name);
  };
  for (const Node& node : graph.nodes) each_read(node, outside);
  for (const ValueInfo& output : graph.outputs) outside(output.name);
}

class Sorter {
 public:
  Sorter(const std::vector<Node>& nodes, const std::function<bool(std::string_view)>& outside)
      : nodes_(nodes), outside_(outside), readers_(nodes.size()), missing_(nodes.size()) {}

  std::optional<OrderProblem> run(std::vector<std::size_t>& order) {
    if (auto problem = producers()) return problem;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (auto problem = reads(i)) return problem;
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (missing_[i] == 0) ready.push(i);
    while (!ready.empty()) {
      const std::size_t i = ready.top();
      ready.pop();
      order.push_back(i);
      for (const std::size_t reader : readers_[i])
        if (--missing_[reader] == 0) ready.push(reader);
    }
    for (std::size_t i = 0; i < nodes_.size() && order.size() < nodes_.size(); ++i)
      if (missing_[i] > 0) return OrderProblem{i, "the nodes go round in a circle"};
    return std::nullopt;
  }

 private:
  std::optional<OrderProblem> producers() {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (const std::string_view name : nodes_[i].outputs)
        if (!name.empty() && !producer_.emplace(name, i).second)
          return OrderProblem{i, fmt::format("'{}' is an output of two nodes", shortened(name))};
    return std::nullopt;
  }

  std::optional<OrderProblem> reads(std::size_t i) {
    std::optional<OrderProblem> problem;
    each_read(nodes_[i], [&](std::string_view name) {
      if (name.empty() || problem) return;
      const auto producer = producer_.find(name);
      if (producer != producer_.end()) {
        readers_[producer->second].push_back(i);
        ++missing_[i];
      } else if (!outside_(name)) {
        problem = OrderProblem{i, fmt::format("reads '{}', which nothing makes", shortened(name))};
      }
    });
    return problem;
  }

  const std::vector<Node>& nodes_;
  const std::function<bool(std::string_view)>& outside_;
  std::unordered_map<std::string_view, std::size_t> producer_;  // [name]: node
  std::vector<std::vector<std::size_t>> readers_;               // [node]
  std::vector<std::size_t> missing_;                            // [node]: reads of nodes that are not in order yet
};

}  // namespace

void each_read(const Node& node, const std::function<void(std::string_view)>& visit) {
  for (const std::string_view name : node.inputs) visit(name);
  for (const Attribute& attribute : node.attributes)
    if (attribute.g) reads_from_outside(*attribute.g, visit);
}

std::optional<OrderProblem> node_order(const std::vector<Node>& nodes,
                                       const std::function<bool(std::string_view)>& outside,
                                       std::vector<std::size_t>& order) {
  return Sorter(nodes, outside).run(order);
}

namespace {

constexpr std::size_t kLatest = 32;  // sources kept of a tensor: older ones feed no operand that later ones do not

// What the operator adds on the way of each of its inputs.
Way way_of(Passage flow) {
  switch (flow) {
    case Passage::Elementwise: return Way::Elementwise;
    case Passage::Norm: return Way::Norm;
    case Passage::Softmax: return Way::Softmax;
    default: return Way::None;
  }
}

// Whether the operator makes several of each word; who reads them says whether that matters.
bool repeats(const OperatorRow& op) { return op.name == "Expand" || op.name == "Tile"; }

// Why an input does not arrive whole in the output; "": it does.
const char* loss(const OperatorRow& op, Call& call, const TensorFacts& input, const std::optional<Shape>& out) {
  if (op.flow == Passage::Lost) return op.lost_by;
  if (!input.shape || !out) return "an unknown shape";
  if (op.flow == Passage::Pad) {
    const bool constant = call.text("mode", "constant") == "constant";
    const bool same = *input.shape == *out;
    const bool spatial = out->size() > 2 && std::equal(out->begin(), out->begin() + 2, input.shape->begin());
    return same || (spatial && constant) ? "" : "pad";
  }
  if (elements(*input.shape) == elements(*out) || repeats(op)) return "";
  return op.flow == Passage::Part ? op.lost_by : "broadcast";
}

// Joins what two inputs bring of one layer. Rows that meet a sum of themselves are normalised.
void merge(Source& a, const Source& b) {
  const bool norm = (a.whole && b.reduced && !b.whole) || (b.whole && a.reduced && !a.whole);
  a.way = std::max({a.way, b.way, norm ? Way::Norm : Way::None});
  if (!a.whole && b.whole) a.lost_by = "";
  if (!a.whole) a.layout = b.layout;
  else if (b.whole && (!a.layout || !b.layout || *a.layout != *b.layout)) a.layout = nullptr;
  a.repeated = (a.whole && a.repeated) || (b.whole && b.repeated);
  a.reduced = a.reduced || b.reduced;
  a.padded = a.padded || b.padded;
  a.multiplied = a.multiplied || b.multiplied;
  a.whole = a.whole || b.whole;
}

void merge(Sources& all, const Sources& more) {
  Sources out;
  auto a = all.begin();
  for (const Source& b : more) {
    while (a != all.end() && a->layer < b.layer) out.push_back(*a++);
    if (a != all.end() && a->layer == b.layer) merge(*a, b);
    else out.push_back(b);
  }
  out.insert(out.end(), a, all.end());
  all = std::move(out);
}

}  // namespace

std::shared_ptr<const Sources> sources_of_layer(int layer, const char* lost_by, const Layout& written) {
  const LayoutPtr layout = written.empty() ? nullptr : std::make_shared<const Layout>(written);
  return std::make_shared<const Sources>(
      Sources{{.layer = layer, .whole = *lost_by == '\0', .lost_by = lost_by, .layout = layout}});
}

std::shared_ptr<const Sources> sources_of(const OperatorRow& op, Call& call, const std::optional<Shape>& out) {
  Sources all;
  const bool reduces = op.name.starts_with("Reduce");
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    const TensorFacts* input = call.input(i);
    if (input == nullptr || !input->sources) continue;
    Sources brought = *input->sources;
    const char* lost_by = loss(op, call, *input, out);
    for (Source& s : brought) {
      s.way = std::max(s.way, way_of(op.flow));
      s.layout = *lost_by == '\0' ? passed_on(op, call, *input, s.layout, out) : nullptr;
      if (*lost_by != '\0') {
        if (s.whole) s.lost_by = lost_by;
        s.whole = false;
        s.reduced = s.reduced || reduces;
      }
      s.repeated = s.repeated || (repeats(op) && *lost_by == '\0' && elements(*input->shape) != elements(*out));
      s.padded = s.padded || (op.flow == Passage::Pad && *input->shape != *out);
      s.multiplied = op.name == "Mul" || (s.multiplied && op.name != "Add" && op.name != "Sum");
    }
    merge(all, brought);
  }
  if (all.empty()) return nullptr;
  if (all.size() > kLatest) all.erase(all.begin(), all.end() - kLatest);
  return std::make_shared<const Sources>(std::move(all));
}

// Functions, branches and loops of a model (walk.h).

namespace {

// Nodes that multiply matrices, also in subgraphs and, as far as the limit of nesting, in functions.
class MatrixCounter {
 public:
  using Functions = std::map<std::pair<std::string_view, std::string_view>, const Function*>;
  explicit MatrixCounter(const Functions& functions) : functions_(functions) {}

  std::size_t of(const std::vector<Node>& nodes) {
    std::size_t count = 0;
    if (depth_ == kMaxNesting) return 0;
    ++depth_;
    for (const Node& node : nodes) {
      const OperatorRow* op = find_operator(node.op, node.domain);
      if (op != nullptr && op->kind != Kind::Other) ++count;
      for (const Attribute& a : node.attributes)
        if (a.g) count += of(a.g->nodes);
      const auto called = functions_.find({node.domain, node.op});
      if (called != functions_.end() && counted_.insert(called->second).second) count += of(called->second->nodes);
    }
    --depth_;
    return count;
  }

 private:
  const Functions& functions_;
  std::set<const Function*> counted_;  // each once
  int depth_ = 0;
};

}  // namespace

bool Walk::dives(const std::string& name, int depth) {
  if (depth <= kMaxNesting) return true;
  return fail(name, fmt::format("graphs and functions nested over {} deep", kMaxNesting));
}

void Walk::rename_outputs(const Node& node, const std::vector<std::string_view>& made, const Scope& from, Scope& to) {
  for (std::size_t i = 0; i < node.outputs.size() && i < made.size(); ++i) {
    const TensorFacts* value = from.find(made[i]);
    if (value != nullptr && !node.outputs[i].empty()) to.values[node.outputs[i]] = value;
  }
  // A reader of an output that the body does not make finds nothing known.
  for (const std::string_view output : node.outputs)
    if (!output.empty() && !to.values.contains(output))
      to.values[output] = add({.name = std::string(output), .why_unknown = "nothing makes it"});
}

bool Walk::function_call(const Function& function, const Node& node, const std::string& name, const Values& inputs,
                         Scope& scope) {
  if (std::ranges::count(calls_, &function) > 0)
    return fail(name, fmt::format("the function {} calls itself", shortened(function.name)));
  if (!dives(name, scope.depth + 1)) return false;
  report_.nodes.push_back({name, std::string(node.op), Fate::Inlined});
  Scope body{.outer = nullptr, .prefix = name + "/", .opsets = scope.opsets, .depth = scope.depth + 1};
  for (const Opset& opset : function.opsets) body.opsets[opset.domain] = opset.version;
  for (const Attribute& a : function.defaults) body.bindings[a.name] = &a;
  for (const Attribute& a : node.attributes) {
    const auto outer = scope.bindings.find(a.reference);
    if (a.reference.empty()) body.bindings[a.name] = &a;
    if (!a.reference.empty() && outer != scope.bindings.end()) body.bindings[a.name] = outer->second;
  }
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    const TensorFacts* given = i < inputs.size() ? inputs[i] : nullptr;
    if (given == nullptr)
      given = add({.name = std::string(function.inputs[i]), .why_unknown = "the function is called without it"});
    body.values[function.inputs[i]] = given;
  }
  calls_.push_back(&function);
  const bool walked = nodes(function.nodes, body);
  calls_.pop_back();
  if (walked) rename_outputs(node, function.outputs, body, scope);
  return walked;
}

bool Walk::branch(const Node& node, const std::string& name, bool taken, Scope& scope) {
  const std::string_view wanted = taken ? "then_branch" : "else_branch";
  for (const Attribute& a : node.attributes) {
    if (a.name != wanted || !a.g) continue;
    if (!dives(name, scope.depth + 1)) return false;
    report_.nodes.push_back({name, std::string(node.op), Fate::Inlined});
    Scope body{.outer = &scope,
               .prefix = name + "/",
               .bindings = scope.bindings,
               .opsets = scope.opsets,
               .depth = scope.depth + 1};
    if (!graph(*a.g, body)) return false;
    rename_outputs(node, mapped(a.g->outputs, &ValueInfo::name), body, scope);
    return true;
  }
  return fail(name, fmt::format("If has no {}", wanted));
}

bool Walk::control(const Node& node, const std::string& name, const Values& inputs, Scope& scope) {
  if (node.op != "If") {
    unread_control(node, name, "its repetitions are not known here", scope);
    return true;
  }
  const TensorFacts* condition = inputs.empty() ? nullptr : inputs.front();
  const bool known =
      condition != nullptr && condition->contents && !condition->contents->real && condition->contents->size() == 1;
  if (known) return branch(node, name, condition->contents->integers.front() != 0, scope);
  unread_control(node, name,
                 fmt::format("its condition '{}' is not known; --value gives a value to an input",
                             condition == nullptr ? "" : shortened(condition->name)),
                 scope);
  return true;
}

void Walk::unread_control(const Node& node, const std::string& name, std::string why, Scope& scope) {
  std::size_t inside = 0;
  MatrixCounter counter(functions_);
  for (const Attribute& a : node.attributes)
    if (a.g) inside += counter.of(a.g->nodes);
  const Call call(node, name, opset(scope), {}, nullptr);
  if (inside > 0)
    file_under(Fate::Refused, call, fmt::format("{} ({} operators that multiply matrices are inside)", why, inside));
  else file_under(Fate::Ignored, call);
  std::vector<TensorFacts> outputs(node.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    outputs[i].name = std::string(node.outputs[i]);
    const auto declared = scope.declared.find(node.outputs[i]);
    if (declared != scope.declared.end()) outputs[i].shape = declared_shape(*declared->second, options_);
    outputs[i].why_unknown = fmt::format("what {} '{}' makes is not known", node.op, shortened(name));
  }
  bind(node, scope, std::move(outputs));
}

}  // namespace heliolite::onnx
