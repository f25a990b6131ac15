#include "tests/support/affine_einsums.h"

#include <algorithm>
#include <functional>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/program/affine_program.h"
#include "engine/program/program_sketch.h"
#include "workloads/graph.h"

namespace heliolite {
namespace {

// As a name of C: what is neither letter nor digit becomes '_'.
std::string c_name(const std::string& name) {
  std::string out = name.empty() || is_digit(name[0]) ? "_" : "";
  for (const char c : name) out += is_letter(c) || is_digit(c) ? c : '_';
  return out;
}

class EinsumSketcher {
 public:
  explicit EinsumSketcher(const std::string& file) { sketch_.file = file; }

  // array[v] of tensor v; size(d): the parameter for the size of dimension d.
  void add(const Workload& workload, const std::vector<std::string>& arrays,
           const std::function<std::string(int)>& size) {
    const Tensor& output = workload.tensors[workload.output()];
    SketchStatement product = statement(workload);
    for (int d : nest(workload))
      add_loop(product, "i_" + c_name(workload.dimensions[d].name), parameter(workload, d, size));
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      if (!workload.tensors[v].is_output()) add_read(product, access(workload, workload.tensors[v], arrays[v]));
    product.write = access(workload, output, arrays[workload.output()]);
    product.operations = workload.tensors.size() - 2;
    if (adds_up(workload)) {
      sketch_.statements.push_back(zeros(workload, product.write, size));
      product.positions[0] = ++position_;
      product.compound = '+';
      product.reads.insert(product.reads.begin(), product.write);
      ++product.operations;
    }
    ++position_;
    sketch_.statements.push_back(std::move(product));
  }

  Result<SizedProgram> finish() {
    if (Diagnostics wrong = check(sketch_); !wrong.empty()) return wrong;
    Result<AffineProgram> program = build_program(sketch_);
    if (!program) return program.errors();
    return SizedProgram{std::move(program).value(), std::move(sizes_)};
  }

 private:
  // Whether an element of the output gets more than one product.
  static bool adds_up(const Workload& workload) {
    const std::vector<Rank>& ranks = workload.tensors[workload.output()].ranks;
    const bool sums = std::any_of(ranks.begin(), ranks.end(), [](const Rank& r) { return r.terms.size() > 1; });
    const auto all = static_cast<DimensionMask>((1u << workload.dimensions.size()) - 1);
    return sums || workload.indexing(workload.output()) != all;
  }

  // Dimensions of the output, then the reduced ones.
  static std::vector<int> nest(const Workload& workload) {
    std::vector<int> order(workload.dimensions.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<int>(d);
    const DimensionMask own = workload.indexing(workload.output());
    std::stable_partition(order.begin(), order.end(), [&](int d) { return contains(own, d); });
    return order;
  }

  SketchStatement statement(const Workload& workload) const {
    SketchStatement s;
    s.text = workload.name;
    s.positions = {position_};
    return s;
  }

  // The parameter as an expression; a size of 1 is a number.
  AffineForm parameter(const Workload& workload, int d, const std::function<std::string(int)>& name) {
    const u64 size = workload.dimensions[d].size;
    if (size == 1) return {{}, 1};
    if (sizes_.emplace(name(d), static_cast<i64>(size)).second) {
      sketch_.parameters.push_back(name(d));
      sketch_.parameter_line.emplace(name(d), 0);
    }
    return affine_name(name(d));
  }

  static void add_loop(SketchStatement& s, const std::string& index, const AffineForm& size) {
    s.loops.push_back({index, false});
    s.conditions.push_back("(0 <= " + index + " and " + index + " < " + size.to_string() + ")");
    s.positions.push_back(0);
  }

  static SketchAccess access(const Workload& workload, const Tensor& tensor, const std::string& array) {
    SketchAccess out{array, {}, 0};
    for (const Rank& rank : tensor.ranks) {
      AffineForm form;
      for (const Term& t : rank.terms)
        form.coefficient["i_" + c_name(workload.dimensions[t.dimension].name)] += static_cast<i64>(t.coefficient);
      out.subscripts.push_back(std::move(form));
    }
    return out;
  }

  static void add_read(SketchStatement& s, SketchAccess read) {
    if (std::find(s.reads.begin(), s.reads.end(), read) == s.reads.end()) s.reads.push_back(std::move(read));
  }

  // Every element of the output's box becomes zero.
  SketchStatement zeros(const Workload& workload, const SketchAccess& output,
                        const std::function<std::string(int)>& size) {
    SketchStatement s = statement(workload);
    s.text += ": zeros";
    s.write.array = output.array;
    for (const Rank& rank : workload.tensors[workload.output()].ranks) {
      AffineForm extent{{}, 1};  // 1 + sum coefficient * (size - 1)
      for (const Term& t : rank.terms) {
        AffineForm last = parameter(workload, t.dimension, size);
        last.constant -= 1;
        extent = *sum(extent, *scaled(last, static_cast<i64>(t.coefficient)));
      }
      const std::string index = "r" + std::to_string(s.loops.size());
      add_loop(s, index, extent);
      s.write.subscripts.push_back(affine_name(index));
    }
    return s;
  }

  ProgramSketch sketch_;
  ParameterValues sizes_;
  int position_ = 0;
};

// Names of a layer's arrays, accesses of one tensor being one array.
std::vector<std::string> array_names(const Workload& workload, const std::string& suffix) {
  std::vector<std::string> names;
  for (const Tensor& t : workload.tensors) {
    std::string name = t.access_of ? names[*t.access_of] : c_name(t.name) + suffix;
    // Names that differ in other signs only are made different again.
    while (!t.access_of && std::find(names.begin(), names.end(), name) != names.end()) name += "_";
    names.push_back(std::move(name));
  }
  return names;
}

// Why an edge cannot be one array for both ends; empty if it can.
std::string why_not(const Network& network, const Edge& edge) {
  const bool as_it_is = edge.through.op == Operator::None || edge.through.op == Operator::Elementwise;
  if (!as_it_is || edge.combine != Combine::Alone || edge.slice) return "it changes what it brings, or is a part of it";
  const TensorPlace source = edge_source(network, edge);
  const Workload& from = network.layers[source.layer].workload;
  const Workload& to = network.layers[edge.to].workload;
  const std::vector<Rank>& made = from.tensors[source.tensor].ranks;
  const std::vector<Rank>& wanted = to.tensors[edge.tensor].ranks;
  const auto same = [&](const Rank& a, const Rank& b) { return rank_size(from, a) == rank_size(to, b); };
  if (!std::equal(made.begin(), made.end(), wanted.begin(), wanted.end(), same))
    return "its ends have different sizes, as with borders of a convolution";
  return "";
}

}  // namespace

Result<SizedProgram> einsum_program(const Workload& workload) {
  EinsumSketcher sketcher(workload.name);
  const std::vector<std::string> arrays = array_names(workload, "");
  sketcher.add(workload, arrays, [&](int d) {
    const std::string name = c_name(workload.dimensions[d].name);
    return std::find(arrays.begin(), arrays.end(), name) == arrays.end() ? name : "N_" + name;
  });
  return sketcher.finish();
}

Result<SizedProgram> network_program(const Network& network) {
  const std::optional<std::vector<int>> order = topological_order(network.layers.size(), network.edges);
  if (!order) return Diagnostic{network.name, 0, "edges", "the layers feed each other in a circle"};
  std::vector<std::vector<std::string>> arrays;
  for (std::size_t k = 0; k < network.layers.size(); ++k) {
    const Layer& layer = network.layers[k];
    if (layer.count != 1)
      return Diagnostic{network.name, 0, layer.workload.name,
                        "a layer that is repeated cannot be part of an affine program"};
    arrays.push_back(array_names(layer.workload, "_" + std::to_string(k)));
  }
  for (const int k : *order)
    for (const Edge& e : network.edges) {
      if (e.to != k) continue;
      if (const std::string reason = why_not(network, e); !reason.empty())
        return Diagnostic{network.name, 0, network.layers[k].workload.name,
                          "the edge into '" + network.layers[k].workload.tensors[e.tensor].name + "': " + reason};
      const TensorPlace source = edge_source(network, e);
      arrays[k][e.tensor] = arrays[source.layer][source.tensor];
    }
  EinsumSketcher sketcher(network.name);
  for (const int k : *order) {
    const Workload& w = network.layers[k].workload;
    sketcher.add(w, arrays[k], [&](int d) { return "n" + std::to_string(w.dimensions[d].size); });
  }
  return sketcher.finish();
}

}  // namespace heliolite
