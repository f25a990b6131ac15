#pragma once
// Small networks that an execution can be searched or simulated of, as texts, and orders of their operations.
#include <fmt/format.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/network_execution.h"

namespace heliolite::testing {

// Layer a, executed this many times, feeds b.
inline std::string unequal(const std::string& a, int times_a, const std::string& b, int times_b) {
  return "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: " + a + ", count: " + std::to_string(times_a) +
         "}\n- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: " + b + ", count: " + std::to_string(times_b) +
         ", reads: {x: a}}\n";
}

// Tiny networks with everything that an edge may say.
inline std::vector<std::string> tiny_networks() {
  return {
      // Two matrix-vector products of one x; of one matrix.
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {x: X}}\n",
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {m: M}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {m: M, x: a}}\n",
      // Residual.
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 2}}\n"
      "edges:\n- {from: a, to: b, tensor: x, combine: add}\n- {from: X, to: b, tensor: x, combine: add}\n",
      // Gate.
      "inputs: [X]\nlayers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 1}, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 1}, reads: {x: X}}\n"
      "- {name: c, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}}\n"
      "edges:\n- {from: a, to: c, tensor: x, combine: multiply}\n- {from: b, to: c, tensor: x, combine: multiply}\n",
      // Slices of one output and a concatenation.
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 3, k: 1}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}}\n"
      "- {name: c, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}}\n"
      "edges:\n- {from: a, to: b, tensor: x, slice: {rank: i, from: 0, words: 2}}\n"
      "- {from: a, to: c, tensor: x, slice: {rank: i, from: 2, words: 1}, combine: {concat: k}}\n"
      "- {from: b, to: c, tensor: x, combine: {concat: k}}\n",
      // One tensor twice in an Einsum, and read by another one.
      "layers:\n- {name: a, einsum: \"o[i,j]+=x[i,k]*x[j,k]\", sizes: {i: 2, j: 2, k: 1}, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 3, k: 2}, reads: {x: X}}\n",
      // Border, pooling, resizing.
      "layers:\n- {name: a, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 3, r: 1}}\n"
      "- {name: b, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 3, r: 3}}\n"
      "edges:\n- {from: a, to: b, tensor: x}\n",
      "layers:\n- {name: a, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 4, r: 1}}\n"
      "- {name: b, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 1, r: 2}}\n"
      "edges:\n- {from: a, to: b, tensor: x, through: {pool: {k: 2, stride: 2, pad: 0}}}\n",
      "layers:\n- {name: a, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 2, r: 1}}\n"
      "- {name: b, einsum: \"o[p]+=x[p+r]*w[r]\", sizes: {p: 3, r: 2}}\n"
      "edges:\n- {from: a, to: b, tensor: x, through: {resize: 2}}\n",
      // Repetitions: each with an X of its own, and with one for all.
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}, count: 2, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}, count: 2, reads: {x: X}}\n",
      "inputs: [{name: X, same_in_repeats: true}]\n"
      "layers:\n- {name: a, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 1, k: 2}, count: 2, reads: {x: X}}\n"
      "- {name: b, einsum: \"o[i]+=m[i,k]*x[k]\", sizes: {i: 2, k: 1}, reads: {m: X}}\n",
      // Unequal counts: the last of two, two joined, one for two, and one divided among two.
      unequal("{i: 1, k: 1}", 2, "{i: 1, k: 1}", 1),
      unequal("{i: 1, k: 2}", 2, "{i: 1, k: 2}", 1),
      unequal("{i: 1, k: 1}", 2, "{i: 1, k: 2}", 1),
      unequal("{i: 2, k: 1}", 1, "{i: 1, k: 2}", 2),
      unequal("{i: 2, k: 1}", 1, "{i: 2, k: 1}", 2),
  };
}

// Small products o[i,j] += a[i,k]*b[k,j] in which b is an earlier output, an input, a sum or gate of several or a half.
inline std::string random_network() {
  struct Source {
    std::string name;
    u64 rows = 0;
  };
  const u64 columns = *rc::gen::inRange<u64>(2, 9), layers = *rc::gen::inRange<u64>(2, 5);
  std::vector<Source> sources{{"X", 4}, {"Y", 12}};
  std::string text, edges;
  for (u64 l = 0; l < layers; ++l) {
    const Source first = sources[*rc::gen::weightedOneOf<std::size_t>(
        {{1, rc::gen::inRange<std::size_t>(0, sources.size())}, {2, rc::gen::just(sources.size() - 1)}})];
    const Source second = sources[*rc::gen::inRange<std::size_t>(0, sources.size())];
    const std::string name = fmt::format("l{}", l);
    const auto edge = [&](const std::string& from, const std::string& more) {
      edges += fmt::format("- {{from: {}, to: {}, tensor: b{}}}\n", from, name, more);
    };
    u64 k = first.rows;
    if (first.name[0] == 'l' && k % 2 == 0 && *rc::gen::inRange(0, 5) == 0) {
      k /= 2;
      edge(first.name, fmt::format(", slice: {{rank: i, from: {}, words: {}}}", *rc::gen::element<u64>(0, k), k));
    } else if (first.name != second.name && first.rows == second.rows) {
      const char* combine = *rc::gen::element(", combine: add", ", combine: multiply, through: norm");
      edge(first.name, combine);
      edge(second.name, combine);
    } else if (*rc::gen::inRange(0, 5) > 0) {
      edge(first.name, *rc::gen::element("", ", through: softmax"));
    }
    const u64 rows = *rc::gen::element<u64>(1, 2, 4, 12);
    text += fmt::format("- {{name: {}, einsum: \"o[i,j]+=a[i,k]*b[k,j]\", sizes: {{i: {}, j: {}, k: {}}}}}\n", name,
                        rows, columns, k);
    sources.push_back({name, rows});
  }
  std::string inputs;
  for (const char* input : {"X", "Y"})
    if (edges.find(fmt::format("from: {},", input)) != std::string::npos)
      inputs += fmt::format("{}{}", inputs.empty() ? "" : ", ", input);
  return fmt::format("inputs: [{}]\nlayers:\n{}{}", inputs, text, edges.empty() ? "" : "edges:\n" + edges);
}

// Operations in an order that makes everything before it is used: each layer in loops over tiles, and either one layer
// after the other or an output when it is first needed.
inline std::vector<std::size_t> random_order(const NetworkExecution& run) {
  const std::vector<Operation>& operations = run.operations();
  std::vector<std::vector<std::size_t>> makers(run.words().size());
  for (std::size_t o = 0; o < operations.size(); ++o) makers[operations[o].output].push_back(o);
  std::vector<std::size_t> wish(operations.size()), order;
  std::iota(wish.begin(), wish.end(), std::size_t{0});
  const bool last_first = *rc::gen::arbitrary<bool>();
  std::vector<std::size_t> loops{0, 1, 2};
  for (int steps = *rc::gen::inRange(0, 6); steps > 0; --steps) std::ranges::next_permutation(loops);
  const std::vector<u64> tile = *rc::gen::container<std::vector<u64>>(3, rc::gen::element<u64>(1, 2, 3, 4, 12));
  std::ranges::stable_sort(wish, {}, [&](std::size_t o) {
    const Operation& op = operations[o];
    std::vector<u64> key{last_first ? 100 - u64(op.layer) : u64(op.layer)};
    for (const std::size_t d : loops) key.push_back(op.index[d] / tile[d]);
    for (const std::size_t d : loops) key.push_back(op.index[d]);
    return key;
  });
  std::vector<bool> done(operations.size(), false);
  const std::function<void(std::size_t)> perform = [&](std::size_t o) {
    if (done[o]) return;
    done[o] = true;
    for (const auto& need : operations[o].needs)
      for (const int w : need.words)
        for (const std::size_t maker : makers[w]) perform(maker);
    order.push_back(o);
  };
  for (const std::size_t o : wish) perform(o);
  return order;
}

}  // namespace heliolite::testing
