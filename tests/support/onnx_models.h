#pragma once
// Models that the tests of the ONNX reader share, stated node by node.
#include <string>

#include "tests/support/onnx_writer.h"

namespace heliolite::onnx_models {

using namespace onnx_writer;

// One convolution over x: the weights are K, C / group, kernel.
inline Model conv(const Texts& in, const Sizes& kernel, const std::vector<Attribute>& attributes = {},
                  const std::string& op = "Conv") {
  Model m;
  m.inputs = {tensor("x", in)};
  m.constants = {weights("w", kernel)};
  m.nodes = {node(op, {"x", "w"}, {"y"}, attributes, "c")};
  return m;
}

// A product of two inputs, of which those that are called w.. are constants.
inline Model product(const std::string& op, const std::string& a, const Sizes& a_dims, const std::string& b,
                     const Sizes& b_dims, const std::vector<Attribute>& attributes = {}) {
  Model m;
  const auto add = [&](const std::string& name, const Sizes& dims) {
    if (name[0] == 'w') return m.constants.push_back(weights(name, dims));
    Texts texts;
    for (const std::int64_t d : dims) texts.push_back(std::to_string(d));
    m.inputs.push_back(tensor(name, texts));
  };
  add(a, a_dims);
  if (a != b) add(b, b_dims);
  m.nodes = {node(op, {a, b}, {"y"}, attributes, "m")};
  return m;
}

inline Texts texts(const Sizes& sizes) {
  Texts out;
  for (const std::int64_t size : sizes) out.push_back(std::to_string(size));
  return out;
}

// One node `att` over inputs i0, i1, .. of these sizes; none: the input is left out.
inline Model attention(const std::string& op, const std::vector<Sizes>& sizes,
                       const std::vector<Attribute>& attributes = {}, const std::string& domain = "com.microsoft") {
  Model m;
  Texts names;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    names.push_back(sizes[i].empty() ? "" : "i" + std::to_string(i));
    if (!sizes[i].empty()) m.inputs.push_back(tensor(names.back(), texts(sizes[i])));
  }
  m.nodes = {node(op, names, {"y", "keys", "values"}, attributes, "att", domain)};
  m.opset = 23;
  return m;
}

// A block of a transformer of `width`, with two heads: q, k, v, scores, context, out, up, down. Attention is reshaped
// by sizes that are computed from the shape of its input, as exporters write it. Residual sums and layer norms between.
inline void add_block(Model& m, const std::string& p, const std::string& in, const std::string& out, int width) {
  const auto add = [&](const std::string& op, const Texts& inputs, const std::string& output,
                       const std::vector<Attribute>& attributes = {}) {
    m.nodes.push_back(node(op, inputs, {p + output}, attributes));
  };
  const auto dense = [&](const std::string& name, const std::string& input, int from, int to) {
    m.constants.push_back(weights(p + name + "_w", {from, to}));
    add("MatMul", {input, p + name + "_w"}, name);
  };
  add("LayerNormalization", {in, "scale"}, "norm1");
  add("Shape", {in}, "shape");
  add("Gather", {p + "shape", "one"}, "seq", {{"axis", 0}});
  add("Concat", {"zero", p + "seq", "heads", "minus"}, "split", {{"axis", 0}});
  for (const std::string name : {"q", "k", "v"}) {
    dense(name, p + "norm1", width, width);
    add("Reshape", {p + name, p + "split"}, name + "4");
    add("Transpose", {p + name + "4"}, name + "t", {{"perm", name == "k" ? Sizes{0, 2, 3, 1} : Sizes{0, 2, 1, 3}}});
  }
  add("MatMul", {p + "qt", p + "kt"}, "scores");
  add("Softmax", {p + "scores"}, "weights", {{"axis", -1}});
  add("MatMul", {p + "weights", p + "vt"}, "context");
  add("Transpose", {p + "context"}, "ct", {{"perm", Sizes{0, 2, 1, 3}}});
  add("Reshape", {p + "ct", "flat"}, "joined");
  dense("out", p + "joined", width, width);
  add("Add", {p + "out", in}, "sum1");
  add("LayerNormalization", {p + "sum1", "scale"}, "norm2");
  dense("up", p + "norm2", width, 4 * width);
  add("Gelu", {p + "up"}, "act");
  dense("down", p + "act", 4 * width, width);
  m.nodes.push_back(node("Add", {p + "down", p + "sum1"}, {out}, {}, p + "sum2"));
}

// `blocks` blocks after an embedding, sizes batch and seq open.
inline Model transformer(int blocks, int width = 64) {
  Model m;
  m.inputs = {tensor("tokens", {"batch", "seq"})};
  m.constants = {weights("table", {1000, width}),     weights("scale", {width}),   integers("one", {1}, {1}),
                 integers("zero", {1}, {0}),          integers("heads", {1}, {2}), integers("minus", {1}, {-1}),
                 integers("flat", {3}, {0, 0, width})};
  m.nodes = {node("Gather", {"table", "tokens"}, {"e0"})};
  for (int i = 0; i < blocks; ++i)
    add_block(m, "h" + std::to_string(i) + "/", "e" + std::to_string(i), "e" + std::to_string(i + 1), width);
  return m;
}

// A function F called twice, an If on a computed condition, a gated pair, a recurrent layer and a pooled image: what
// makes the reader's ways differ.
inline Model mixed() {
  Model m;
  m.inputs = {tensor("x", {"4", "16"}), tensor("image", {"1", "3", "8", "8"}), tensor("s", {"5", "2", "8"})};
  m.constants = {weights("wf", {16, 16}),    weights("wg", {16, 32}),     weights("wu", {16, 32}),
                 weights("wd", {32, 16}),    weights("wc", {4, 3, 3, 3}), weights("wp", {4, 4, 1, 1}),
                 weights("wl", {1, 28, 8}),  weights("rl", {1, 28, 7}),   integers("four", {}, {4}),
                 integers("axis0", {1}, {0})};
  Message f;
  f.text(1, "F").text(4, "a").text(4, "w").text(5, "r");
  f.message(7, node("MatMul", {"a", "w"}, {"p"}, {}, "mm")).message(7, node("Relu", {"p"}, {"r"}, {}, "relu"));
  f.message(9, Message().text(1, "").integer(2, 17)).text(10, "local");
  m.functions = {f};
  Model yes, no;
  yes.nodes = {node("MatMul", {"f2", "wg"}, {"then_out"}, {}, "taken")};
  yes.outputs = {tensor("then_out", {"4", "32"})};
  no.nodes = {node("MatMul", {"f2", "wg"}, {"else_out"}, {}, "other")};
  no.outputs = {tensor("else_out", {"4", "32"})};
  m.nodes = {node("F", {"x", "wf"}, {"f1"}, {}, "call1", "local"),
             node("F", {"f1", "wf"}, {"f2"}, {}, "call2", "local"),
             node("Shape", {"f2"}, {"fs"}),
             node("Gather", {"fs", "axis0"}, {"rows"}),
             node("Squeeze", {"rows", "axis0"}, {"row"}),
             node("Equal", {"row", "four"}, {"is_four"}),
             node("If", {"is_four"}, {"gate"}, {{"then_branch", yes.graph()}, {"else_branch", no.graph()}}, "if"),
             node("MatMul", {"f2", "wu"}, {"up"}),
             node("Sigmoid", {"gate"}, {"open"}),
             node("Mul", {"open", "up"}, {"gated"}),
             node("MatMul", {"gated", "wd"}, {"down"}),
             node("Conv", {"image", "wc"}, {"c1"}, {{"pads", Sizes{1, 1, 1, 1}}}),
             node("MaxPool", {"c1"}, {"pool"}, {{"kernel_shape", Sizes{2, 2}}, {"strides", Sizes{2, 2}}}),
             node("Conv", {"pool", "wp"}, {"c2"}),
             node("LSTM", {"s", "wl", "rl"}, {"ys", "yh"}, {{"hidden_size", 7}}, "lstm")};
  return m;
}

}  // namespace heliolite::onnx_models
