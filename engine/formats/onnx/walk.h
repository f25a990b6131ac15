#pragma once
// Walks over a model's nodes in order, with functions and known branches put in place, and finds its layers.
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/formats/onnx/call.h"
#include "engine/formats/onnx/import.h"
#include "engine/formats/onnx/inputs.h"
#include "engine/formats/onnx/layers.h"
#include "engine/formats/onnx/operators.h"
#include "engine/formats/onnx/proto.h"
#include "workloads/network.h"

namespace heliolite::onnx {

inline constexpr std::size_t kMaxLayers = 100'000;

// What the walk finds: an Einsum of a node.
struct FoundLayer {
  LayerDraft draft;  // its operands point into Walk
  std::string node;  // its name
  const TensorFacts* output = nullptr;
};

class Walk {
 public:
  Walk(const Model& model, const Options& options, std::string file)
      : model_(model), options_(options), file_(std::move(file)) {}

  // Errors: sizes that are missing, names that nothing makes, circles, limits. What is wrong with one node is in the
  // report.
  Diagnostics run();

  const std::vector<FoundLayer>& layers() const { return layers_; }
  Report& report() { return report_; }

 private:
  // Names as the nodes of one graph or function body see them.
  struct Scope {
    const Scope* outer = nullptr;  // the scope around a subgraph; a function sees nothing outside
    std::string prefix{};          // what names of nodes begin with
    Bindings bindings{};
    std::map<std::string_view, i64> opsets{};
    std::unordered_map<std::string_view, const TensorFacts*> values{};
    std::unordered_map<std::string_view, const ValueInfo*> declared{};
    int depth = 0;

    const TensorFacts* find(std::string_view name) const;
  };
  using Values = std::vector<const TensorFacts*>;

  bool fail(const std::string& field, std::string message);  // false
  const TensorFacts* add(TensorFacts value);
  i64 opset(const Scope& scope) const;
  bool check_opsets();

  bool graph(const Graph& graph, Scope& scope);
  bool nodes(const std::vector<Node>& nodes, Scope& scope);
  bool node(const Node& node, std::size_t position, Scope& scope);
  void call(const Node& node, Call& call, Scope& scope);
  const OperatorRow* rule_of(const Node& node);
  bool check_elementwise();
  std::vector<TensorFacts> outputs_of(const Node& node, const OperatorRow* op, Call& call, const Scope& scope);
  void fold(const OperatorRow& op, Call& call, std::vector<TensorFacts>& outputs);
  void find_layers(const OperatorRow& op, Call& call, std::vector<TensorFacts>& outputs);
  void add_types(Drafts& drafts, const TensorFacts& output);
  void check_declared(const TensorFacts& value, const Scope& scope);
  void file_under(Fate fate, const Call& call, std::string why = "");
  void bind(const Node& node, Scope& scope, std::vector<TensorFacts> outputs);

  // flow.cpp: nodes that hold other nodes
  bool function_call(const Function& function, const Node& node, const std::string& name, const Values& inputs,
                     Scope& scope);
  bool control(const Node& node, const std::string& name, const Values& inputs, Scope& scope);
  bool branch(const Node& node, const std::string& name, bool taken, Scope& scope);
  void unread_control(const Node& node, const std::string& name, std::string why, Scope& scope);
  void rename_outputs(const Node& node, const std::vector<std::string_view>& made, const Scope& from, Scope& to);
  bool dives(const std::string& name, int depth);  // false beyond the limit of nesting

  const Model& model_;
  const Options& options_;
  const std::string file_;
  std::deque<TensorFacts> values_;  // of all scopes; pointers to them stay
  std::vector<FoundLayer> layers_;
  Report report_;
  Diagnostics errors_;
  std::map<std::pair<std::string_view, std::string_view>, const Function*> functions_;  // [domain, name]
  std::vector<const Function*> calls_;           // functions that are being put in place
  std::set<std::string> unknown_, elementwise_;  // operators without a rule; those of Options::elementwise that are met
  std::size_t walked_ = 0;                       // nodes, functions put in place
  std::size_t wrong_shapes_ = 0;                 // declared ones
  i64 folded_ = 0;                               // elements of contents
};

// The order in which nodes are looked at: the file's, unless a node stands there before one that it reads.

// Why nodes have no order.
struct OrderProblem {
  std::size_t node = 0;
  std::string why;
};

// The nodes such that each comes after those whose outputs it reads, also in its subgraphs; of several possible ones
// the first in the file is next. `outside`: whether a name is there without any of these nodes.
std::optional<OrderProblem> node_order(const std::vector<Node>& nodes,
                                       const std::function<bool(std::string_view)>& outside,
                                       std::vector<std::size_t>& order);

// Calls `visit` with each name that the node reads, also those that its subgraphs read from outside.
void each_read(const Node& node, const std::function<void(std::string_view)>& visit);

// Which layers the tensors of a graph are made of, and what lies between: one forward pass over the nodes. Sets of
// layers are merged, never paths, and only the latest layers are kept, so the work is linear in the graph.

// The sources of an output of shape `out` that the operator makes of the call's inputs; null: none.
std::shared_ptr<const Sources> sources_of(const OperatorRow& op, Call& call, const std::optional<Shape>& out);

// The output of layer `layer`; `lost_by` and `written` as in LayerDraft.
std::shared_ptr<const Sources> sources_of_layer(int layer, const char* lost_by, const Layout& written);

// Names of layers from names of nodes.

// Gives each node's name a name that files, tables and options can hold: letters, digits, '_', '.' and '-', at most 60
// of them, no two equal.
class LayerNames {
 public:
  std::string next(std::string_view node_name);

 private:
  std::unordered_map<std::string, int> used_;  // [name]: how often
};

// One layer for each Einsum found. Operands that are made of a layer's output in a way that an edge cannot say are
// added to the report.
Network connect(const Walk& walk, const std::string& name, Report& report);

}  // namespace heliolite::onnx
