#include "engine/formats/onnx/walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/onnx/words.h"

namespace heliolite::onnx {
namespace {

constexpr i64 kNewestOpset = 24;          // a newer one is read as this one
constexpr i64 kMaxFoldedInAll = 1 << 24;  // elements
constexpr std::size_t kMaxRank = kMaxFileRank;

// "my.domain::Op", "Op" of the standard.
std::string full_name(const Node& node) {
  return node.domain.empty() ? std::string(node.op) : fmt::format("{}::{}", node.domain, node.op);
}

// Why a shape cannot be that of a tensor; "": it can.
std::string unfit(const Shape& shape) {
  if (shape.size() > kMaxRank) return fmt::format("an output of {} dimensions", shape.size());
  for (const i64 size : shape)
    if (size < 0 || size > kMaxSize) return fmt::format("an output with a size of {}", size);
  return "";
}

}  // namespace

const TensorFacts* Walk::Scope::find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer)
    if (const auto found = scope->values.find(name); found != scope->values.end()) return found->second;
  return nullptr;
}

bool Walk::fail(const std::string& field, std::string message) {
  errors_.push_back({file_, 0, shortened(field), std::move(message)});
  return false;
}

const TensorFacts* Walk::add(TensorFacts value) { return &values_.emplace_back(std::move(value)); }

i64 Walk::opset(const Scope& scope) const {
  const auto found = scope.opsets.find("");
  return found == scope.opsets.end() ? kNewestOpset : std::min(found->second, kNewestOpset);
}

bool Walk::check_opsets() {
  if (model_.opsets.empty()) return fail("opset_import", "the file does not say which opset it is of");
  for (const Opset& opset : model_.opsets) {
    if (opset.version < 1) return fail("opset_import", fmt::format("version = {}, must be 1 or more", opset.version));
    if (opset.domain.empty() && opset.version > kNewestOpset)
      report_.notes.push_back(fmt::format("opset {} is read as {}, the newest one known", opset.version, kNewestOpset));
  }
  return true;
}

Diagnostics Walk::run() {
  Scope scope;
  if (!check_opsets()) return errors_;
  for (const Function& f : model_.functions) functions_.emplace(std::pair(f.domain, f.name), &f);
  for (const Opset& opset : model_.opsets) scope.opsets[opset.domain] = opset.version;
  Result<std::vector<TensorFacts>> inputs = model_inputs(model_.graph, options_, file_);
  if (!inputs) return inputs.errors();
  std::size_t next = 0;
  for (const ValueInfo& info : model_.graph.inputs)
    if (next < inputs->size() && (*inputs)[next].name == info.name)
      scope.values[info.name] = add(std::move((*inputs)[next++]));
  if (graph(model_.graph, scope)) check_elementwise();
  if (wrong_shapes_ > 1)
    report_.notes.push_back(fmt::format("{} more shapes that the file declares are wrong", wrong_shapes_ - 1));
  return errors_;
}

bool Walk::graph(const Graph& graph, Scope& scope) {
  for (const TensorData& constant : graph.initializers) {
    TensorFacts value{.name = std::string(constant.name),
                      .type = constant.type,
                      .element = constant.type,
                      .stored_bits = element_bits(constant.type),
                      .constant = true};
    if (const std::string why = unfit(constant.dims); !why.empty()) return fail(value.name, "a constant: " + why);
    value.shape = constant.dims;
    value.contents = contents_of(constant);
    scope.values[constant.name] = add(std::move(value));
  }
  for (const auto* list : {&graph.values, &graph.outputs})
    for (const ValueInfo& info : *list) scope.declared.emplace(info.name, &info);
  return nodes(graph.nodes, scope);
}

bool Walk::nodes(const std::vector<Node>& nodes, Scope& scope) {
  std::vector<std::size_t> order;
  const auto outside = [&](std::string_view name) { return scope.find(name) != nullptr; };
  if (const auto problem = node_order(nodes, outside, order)) {
    const Node& at_fault = nodes[problem->node];
    return fail(fmt::format("{} '{}'", at_fault.op, shortened(at_fault.name)), problem->why);
  }
  for (const std::size_t i : order)
    if (!node(nodes[i], i, scope)) return false;
  return true;
}

bool Walk::node(const Node& node, std::size_t position, Scope& scope) {
  const std::string name =
      scope.prefix + (node.name.empty() ? fmt::format("{}_{}", node.op, position) : std::string(node.name));
  if (++walked_ > kMaxNodes) return fail(name, fmt::format("more than {} nodes, functions put in place", kMaxNodes));
  Values inputs;
  for (const std::string_view input : node.inputs) inputs.push_back(input.empty() ? nullptr : scope.find(input));
  const auto function = functions_.find({node.domain, node.op});
  if (function != functions_.end()) return function_call(*function->second, node, name, inputs, scope);
  if (std::ranges::any_of(node.attributes, [](const Attribute& a) { return a.g != nullptr; }))
    return control(node, name, inputs, scope);
  Call call(node, name, opset(scope), std::move(inputs), &scope.bindings);
  this->call(node, call, scope);
  return errors_.empty();
}

const OperatorRow* Walk::rule_of(const Node& node) {
  const OperatorRow* known = find_operator(node.op, node.domain);
  for (const std::string& name : {full_name(node), std::string(node.op)}) {
    if (!options_.elementwise.contains(name)) continue;
    elementwise_.insert(name);
    // The operators of the standard and of onnxruntime are what the table says.
    const bool standard = node.domain.empty() || node.domain.starts_with("com.microsoft");
    if (known == nullptr || !standard || (known->kind == Kind::Other && known->shapes == nullptr))
      return &declared_elementwise();
    fail("--elementwise", fmt::format("{} is known, and read as what it is", shortened(name)));
  }
  if (known == nullptr) unknown_.insert(full_name(node));
  return known;
}

// What is declared occurs in the model.
bool Walk::check_elementwise() {
  for (const std::string& name : options_.elementwise) {
    if (elementwise_.contains(name)) continue;
    if (const std::string key = "elementwise=" + name; options_.optional.contains(key)) {
      options_.lacked->insert(key);
      continue;
    }
    const std::vector<std::string> unknown(unknown_.begin(), unknown_.end());
    const bool function = std::ranges::any_of(functions_, [&](const auto& f) {
      return name == f.first.second || name == fmt::format("{}::{}", f.first.first, f.first.second);
    });
    fail("--elementwise",
         fmt::format("{}", function
                               ? fmt::format("{} is a function of the model, which is put in place", shortened(name))
                               : fmt::format("no node of the model is a {}{}", shortened(name),
                                             unknown.empty() ? "; it has no unknown operator"
                                                             : "; not known: " + join(unknown))));
  }
  return errors_.empty();
}

void Walk::call(const Node& node, Call& call, Scope& scope) {
  const OperatorRow* op = rule_of(node);
  std::vector<TensorFacts> outputs = outputs_of(node, op, call, scope);
  const bool constant = !outputs.empty() && outputs.front().constant;
  if (op == nullptr || op->kind == Kind::Refused) {
    const std::string why =
        op != nullptr ? "this operator is not mapped"
                      : fmt::format(
                            "this operator is not known; if it makes each word of one word of its first input, "
                            "--elementwise {} passes that one's shape on",
                            shortened(full_name(node)));
    file_under(constant ? Fate::Constant : Fate::Refused, call, constant ? "" : why);
  } else if (constant) {
    file_under(Fate::Constant, call);
  } else if (op->kind == Kind::Layer) {
    find_layers(*op, call, outputs);
  } else {
    const bool passed = op->flow == Passage::Layout || op->flow == Passage::Part || op->flow == Passage::Pad;
    file_under(passed ? Fate::Passed : Fate::Ignored, call);
  }
  bind(node, scope, std::move(outputs));
}

std::vector<TensorFacts> Walk::outputs_of(const Node& node, const OperatorRow* op, Call& call, const Scope& scope) {
  Shapes shapes;
  if (op != nullptr && op->shapes != nullptr) shapes = op->shapes(call);
  if (!call.ok()) shapes.clear();
  for (const Shape& shape : shapes)
    if (const std::string why = unfit(shape); !why.empty()) call.fail(why);
  std::vector<TensorFacts> outputs(node.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    TensorFacts& value = outputs[i];
    value.name = std::string(node.outputs[i]);
    value.constant = call.all_constant() && !node.op.starts_with("Random");
    if (call.ok() && i < shapes.size()) value.shape = shapes[i];
    const auto declared = scope.declared.find(node.outputs[i]);
    if (!value.shape && declared != scope.declared.end()) value.shape = declared_shape(*declared->second, options_);
    if (declared != scope.declared.end()) value.element = declared->second->element;
    if (value.shape) {
      check_declared(value, scope);
    } else {
      value.why_unknown = call.ok()
                              ? fmt::format("no shape is known of what {} '{}' makes", node.op, shortened(call.name()))
                              : call.problem();
      const bool first = value.why_unknown.find("(first at ") == std::string::npos;
      if (first && !call.ok()) value.why_unknown += fmt::format(" (first at {} '{}')", node.op, shortened(call.name()));
    }
    if (op != nullptr && !value.constant) value.sources = sources_of(*op, call, value.shape);
    if (op != nullptr && value.shape && call.ok()) value.repeats = repeats_of(*op, call, *value.shape);
  }
  infer_elements(op, call, outputs);
  if (op != nullptr) fold(*op, call, outputs);
  return outputs;
}

void Walk::fold(const OperatorRow& op, Call& call, std::vector<TensorFacts>& outputs) {
  // The shape of any tensor is a constant.
  const bool of_shape = op.name == "Shape" || op.name == "Size";
  if (op.fold == nullptr || !call.ok() || outputs.empty() || !(outputs[0].constant || of_shape)) return;
  Shapes shapes;
  for (const TensorFacts& value : outputs) {
    if (!value.shape) return;
    shapes.push_back(*value.shape);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (folded_ > kMaxFoldedInAll) return;
    outputs[i].contents = op.fold(call, {i, shapes});
    outputs[i].constant = outputs[i].constant || of_shape;
    if (of_shape) outputs[i].sources = nullptr;
    if (outputs[i].contents) folded_ += static_cast<i64>(outputs[i].contents->size());
    if (op.name == "Cast") outputs[i].type = call.integer("to", 0);
  }
}

void Walk::find_layers(const OperatorRow& op, Call& call, std::vector<TensorFacts>& outputs) {
  Drafts drafts;
  if (call.ok()) drafts = op.layers(call);
  if (!call.ok()) return file_under(Fate::Refused, call, call.problem());
  if (drafts.empty()) return file_under(Fate::Passed, call);  // an Einsum of one operand
  if (layers_.size() + drafts.size() > kMaxLayers) fail(call.name(), fmt::format("more than {} layers", kMaxLayers));
  if (!outputs.empty()) add_types(drafts, outputs.front());
  const int first = static_cast<int>(layers_.size());
  for (LayerDraft& draft : drafts) {
    for (Operand& operand : draft.operands)
      if (operand.inner) operand.inner->draft += first;
    layers_.push_back({std::move(draft), call.name(), nullptr});
  }
  const int last = static_cast<int>(layers_.size()) - 1;
  const char* lost_by = layers_.back().draft.lost_by;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    outputs[i].sources = sources_of_layer(last, i == 0 || *lost_by != '\0' ? lost_by : "another output",
                                          i == 0 ? layers_.back().draft.written : Layout{});
  file_under(Fate::Layer, call);
}

void Walk::add_types(Drafts& drafts, const TensorFacts& output) {
  for (LayerDraft& draft : drafts) {
    if (options_.types) set_word_bits(draft, output);
    else if (types_differ(draft)) ++report_.sized;
  }
}

void Walk::check_declared(const TensorFacts& value, const Scope& scope) {
  const auto found = scope.declared.find(value.name);
  if (found == scope.declared.end()) return;
  const std::optional<Shape> declared = declared_shape(*found->second, options_);
  if (!declared || *declared == *value.shape || ++wrong_shapes_ > 1) return;
  report_.notes.push_back(fmt::format("the file says that '{}' is {}, it is {}", shortened(value.name),
                                      to_text(*declared), to_text(*value.shape)));
}

void Walk::file_under(Fate fate, const Call& call, std::string why) {
  report_.nodes.push_back({call.name(), std::string(call.op()), fate, std::move(why)});
}

void Walk::bind(const Node& node, Scope& scope, std::vector<TensorFacts> outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!node.outputs[i].empty()) scope.values[node.outputs[i]] = add(std::move(outputs[i]));
}

}  // namespace heliolite::onnx
