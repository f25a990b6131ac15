// Functions, branches and loops of a model (walk.h).
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/text.h"
#include "engine/formats/onnx/inputs.h"
#include "engine/formats/onnx/walk.h"

namespace heliolite::onnx {
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
    std::vector<std::string_view> made;
    for (const ValueInfo& output : a.g->outputs) made.push_back(output.name);
    rename_outputs(node, made, body, scope);
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
  if (inside > 0) {
    file_under(Fate::Refused, call, fmt::format("{} ({} operators that multiply matrices are inside)", why, inside));
  } else {
    file_under(Fate::Ignored, call);
  }
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
