// heliolite orders: the loop orders that can matter, and why the others do not.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/map/answer_texts.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/space/order_trie.h"

namespace heliolite::cli {
namespace {

struct OrdersArguments {
  ReadOptions reading;
  std::string workload, layer;
  std::vector<std::string> without;
  std::string dot;
  bool all = false;
  bool skip_unit = false;
};

u64 factorial(int n) { return n <= 1 ? 1 : static_cast<u64>(n) * factorial(n - 1); }

std::vector<int> rejected(const OrderTrie& trie) {
  std::vector<int> nodes;
  for (std::size_t n = 0; n < trie.nodes.size(); ++n)
    if (trie.nodes[n].fate != OrderFate::Inner && trie.nodes[n].fate != OrderFate::Kept) {
      nodes.push_back(static_cast<int>(n));
    }
  return nodes;
}

OrderTrie build(const Workload& workload, const OrdersArguments& arguments) {
  OrderOptions options;
  options.keep_nodes = arguments.all || !arguments.dot.empty();
  for (const std::string& rule : arguments.without) {
    const auto it = std::find(kOrderRuleNames.begin(), kOrderRuleNames.end(), rule);
    options.rule[it - kOrderRuleNames.begin()] = false;
  }
  return build_order_trie(infer_reuse(workload, arguments.skip_unit ? UnitDimensions::Skip : UnitDimensions::Keep),
                          options);
}

std::string detail_text(const Workload& workload, const OrderTrie& trie, bool all) {
  std::string text =
      fmt::format("{}: {} of {} loop orders can matter ({} loops, {} partial orders visited)\n\n", workload.name,
                  trie.kept.size(), factorial(trie.loop_count), trie.loop_count, trie.visited);
  std::vector<std::string> headings{"<order, innermost right"};
  for (const Tensor& t : workload.tensors) headings.push_back("<" + t.name + " kept over");
  Table table(headings);
  for (const LoopOrder& order : trie.kept) {
    std::vector<std::string> cells{order_text(order, workload)};
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) cells.push_back(reuse_text(order.reuse[v], workload));
    table.row(cells);
  }
  text += table.to_string() + "  Loops in parentheses may stand in any order outside the others.\n";
  if (!all) return text;
  Table cut({"<cut, innermost right", "<why"});
  for (const int n : rejected(trie))
    cut.row({path_text(trie, n, workload), reason_text(trie, trie.nodes[n], workload)});
  return text + "\n" + cut.to_string();
}

Json reuse_json(const OrderReuse& reuse, const Workload& workload) {
  const auto list = [&](DimensionMask mask) {
    Json found = Json::array();
    for (std::size_t d = 0; d < workload.dimensions.size(); ++d)
      if (contains(mask, d)) found.push_back(workload.dimensions[d].name);
    return found;
  };
  return {{"full", list(reuse.full)}, {"overlap", list(reuse.partial)}};
}

Json trie_json(const Workload& workload, const OrderTrie& trie, bool all) {
  Json json = {{"name", workload.name}, {"dimensions", Json::array()}, {"total", factorial(trie.loop_count)}};
  for (const Dimension& d : workload.dimensions) json["dimensions"].push_back(d.name);
  json["kept"] = Json::array();
  for (const LoopOrder& order : trie.kept) {
    Json loops = Json::array();
    for (int i = order.count - 1; i >= 0; --i) loops.push_back(workload.dimensions[order.loop[i]].name);
    Json reuse = Json::object();
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      reuse[workload.tensors[v].name] = reuse_json(order.reuse[v], workload);
    json["kept"].push_back({{"order", loops}, {"deciding", order.gaining}, {"reuse", reuse}});
  }
  json["visited"] = trie.visited;
  for (std::size_t r = 0; r < kOrderRules; ++r) json["cuts"][kOrderRuleNames[r]] = trie.cuts[r];
  if (!all) return json;
  json["rejected"] = Json::array();
  for (const int n : rejected(trie))
    json["rejected"].push_back(
        {{"inner_loops", path_text(trie, n, workload)}, {"reason", reason_text(trie, trie.nodes[n], workload)}});
  return json;
}

// One layer's orders as they are printed.
struct LayerOrders {
  OrderTrie trie;
  Json json;
  std::string text, dot;  // of a layer in detail
};

// None after Ctrl-C.
std::optional<LayerOrders> layer_orders(const Workload& of, const OrdersArguments& given, bool in_detail) {
  return until_interrupted([workload = of, arguments = given, in_detail] {
    LayerOrders out{build(workload, arguments), {}, {}, {}};
    if (!out.trie.complete) return out;
    out.json = trie_json(workload, out.trie, arguments.all);
    if (in_detail) out.text = detail_text(workload, out.trie, arguments.all);
    if (in_detail && !arguments.dot.empty()) out.dot = order_trie_dot(out.trie, workload);
    return out;
  });
}

int fail_too_large(const Workload& workload) {
  return fail(fmt::format("{}: without these rules the trie has more than {} nodes", workload.name, kMaxOrderNodes));
}

int run_layer(const Workload& workload, const OrdersArguments& arguments, Json answer, const Output& output) {
  const std::optional<LayerOrders> orders = layer_orders(workload, arguments, true);
  if (orders) {
    if (!orders->trie.complete) return fail_too_large(workload);
    if (!output.write("--dot", orders->dot)) return kBadInput;
    output.table(orders->text);
    answer.update(orders->json);
  }
  return write_partial_answer(output, answer, orders.has_value(), 1, "layers");
}

int run_layers(const Network& network, const OrdersArguments& arguments, Json answer, const Output& output) {
  if (!arguments.dot.empty()) return fail("--dot draws one layer's trie, choose it with --layer");
  Table table({"<layer", "loops", "orders", "kept"});
  answer["layers"] = Json::array();
  for (const Layer& layer : network.layers) {
    const std::optional<LayerOrders> orders = layer_orders(layer.workload, arguments, false);
    if (!orders) break;
    const OrderTrie& trie = orders->trie;
    if (!trie.complete) return fail_too_large(layer.workload);
    table.row({layer.workload.name, fmt::format("{}", trie.loop_count), fmt::format("{}", factorial(trie.loop_count)),
               fmt::format("{}", trie.kept.size())});
    answer["layers"].push_back(orders->json);
  }
  output.table(table.to_string() + "  --layer NAME shows a layer's orders.\n");
  const std::size_t done = answer["layers"].size();
  return write_partial_answer(output, answer, done, network.layers.size(), "layers");
}

int run(const OrdersArguments& arguments, const Output& output) {
  const Result<Network> network = load_workload(arguments.workload, arguments.reading, output);
  if (!network) return fail(network.errors());
  Json answer = answer_head("orders");
  answer["question"] = {{"workload", arguments.workload},
                        {"layer", arguments.layer},
                        {"without", arguments.without},
                        {"skip_unit", arguments.skip_unit}};
  if (arguments.layer.empty() && network->layers.size() > 1) return run_layers(*network, arguments, answer, output);
  const Result<Workload> workload = pick_layer(*network, arguments.layer);
  return workload ? run_layer(*workload, arguments, answer, output) : fail(workload.errors());
}

}  // namespace

void add_orders_command(CommandLine& line) {
  auto arguments = std::make_shared<OrdersArguments>();
  const Command command(line, "orders", "Loop orders that can matter, with each tensor's reuse");
  add_workload_option(*command, arguments->workload, "Workload: preset, file or text")->required();
  command.value("-l,--layer", arguments->layer, "LAYER", "Layer, when the workload has several");
  command->add_flag("--all", arguments->all, "Also what was cut, and why");
  command.target("--dot", arguments->dot, "Draw the trie, kept and cut, for Graphviz; - = stdout");
  command->add_flag("--skip-unit", arguments->skip_unit, "Leave out dimensions of size 1");
  command.value("--without", arguments->without, "RULE", "Switch rules off: order-prefix, order-run, order-dominance")
      ->transform(one_of({kOrderRuleNames.begin(), kOrderRuleNames.end()}))
      ->delimiter(',');
  add_read_options(*command, arguments->reading);
  command.runs(arguments, run,
               "Examples:\n  heliolite orders -w \"o[i,j] += a[i,k,l]*b[k,j]*c[l,j]; i=8,j=8,k=8,l=8\"\n"
               "  heliolite orders -w resnet18 --layer conv1 --all\n"
               "  heliolite orders -w gemm:8x8x8 --dot - | dot -Tsvg -o trie.svg");
}

}  // namespace heliolite::cli
