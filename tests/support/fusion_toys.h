#pragma once
// Small networks and machines to fuse, and random trees over them.
#include <string>
#include <vector>

#include "engine/network/rank_classes.h"
#include "engine/search/core/options.h"
#include "tests/support/fusion_records.h"
#include "tests/support/random_problem.h"

namespace heliolite::testing {

inline SearchOptions options_for(Objective objective, int threads = 1) {
  SearchOptions options;
  options.objective = objective;
  options.threads = threads;
  return options;
}

inline const std::string kTwoBuffers = R"(
architecture:
  name: two_buffers
  levels:
  - {name: DRAM, dram: true, energy: {read: 64, fill: 64, update: 64}}
  - {name: Buf, entries: 2000, energy: {read: 6, fill: 7, update: 8}}
  - {name: Reg, entries: 3, energy: {read: 1, fill: 1, update: 1}}
  compute: {name: MAC, energy: 1}
)";

// The example of docs/fusion_trees.md.
inline FusionProblem two_products(const std::string& machine = kTwoBuffers) {
  return fusion_problem(machine, R"(
layers:
- {name: l1, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 8, j: 12, k: 8}, roles: {w: weight}}
- {name: l2, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 8, j: 12, k: 8}, roles: {w: weight}}
edges:
- {from: l1, to: l2, tensor: x}
)",
                        nlohmann::json::parse(R"([[[["i"],["k"]],[["j"],["j"]]]])"));
}

// The machine with a level of its own before the registers, which further units go around.
inline const std::string kTwoUnits = R"(
architecture:
  name: two_units
  levels:
  - {name: DRAM, dram: true, energy: {read: 64, fill: 64, update: 64}, bandwidth: {shared: 2}}
  - {name: Buf, entries: 40, energy: {read: 6, fill: 7, update: 8}, bandwidth: {read: 4}, leak_pj_per_cycle: 2}
  - {name: Acc, entries: 6, energy: {read: 2, fill: 2, update: 3}, leak_pj_per_cycle: 1}
  - {name: Reg, entries: 3, energy: {read: 1, fill: 1, update: 1}}
  compute: {name: MAC, energy: 1}
  units:
  - name: VPU
    below: Buf
    fanout: 2
    energy: 3
    levels:
    - {name: VReg, entries: 4, energy: {read: 1.5, fill: 1, update: 2}}
)";

// Every second link on the machine's second unit, at this many operations for each point.
inline FusionProblem on_two_units(FusionProblem problem, const std::string& machine = kTwoUnits, u64 operations = 2) {
  problem.architecture = read_well(parse_architecture(machine, "units.yaml"));
  for (std::size_t l = 1; l < problem.graph.links.size(); l += 2) {
    problem.graph.links[l].workload.operation = Operation::Elementwise;
    problem.graph.links[l].workload.operations = operations;
  }
  return problem;
}

// Projections of one array, products over heads with a softmax in between, a convolution pair, a residual sum, a
// fork, two links that share what one does not make for the other, and a residual sum of convolutions with windows of
// one.
inline std::vector<FusionProblem> fusion_toys() {
  const auto problem = [](const std::string& network, const std::string& ranks) {
    return fusion_problem(kTwoBuffers, network, nlohmann::json::parse(ranks));
  };
  std::vector<FusionProblem> out{two_products()};
  out.push_back(problem(R"(
inputs: [X]
layers:
- {name: kp, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 4, j: 2, k: 3}, roles: {w: weight}}
- {name: qp, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 4, j: 2, k: 3}, roles: {w: weight}}
- {name: qk, einsum: "s[g,m,n] += k[g,e,m] * q[g,e,n]", sizes: {g: 2, m: 2, n: 2, e: 2}, roles: {k: input}}
- {name: av, einsum: "o[g,e,n] += v[g,e,m] * s[g,m,n]", sizes: {g: 2, e: 2, n: 2, m: 2}, roles: {v: input}}
edges:
- {from: X, to: kp, tensor: x}
- {from: X, to: qp, tensor: x}
- {from: kp, to: qk, tensor: k}
- {from: qp, to: qk, tensor: q}
- {from: qk, to: av, tensor: s, through: softmax}
)",
                        R"([[[["k"],["k"]],[["j"],["j"]]], [[["k"],["k"]],[["j"],["j"]]],
                            [[["i"],["g","e"]],[["j"],["m"]]], [[["i"],["g","e"]],[["j"],["n"]]],
                            [[["g"],["g"]],[["m"],["m"]],[["n"],["n"]]]])"));
  out.push_back(problem(R"(
layers:
- {name: c1, einsum: "o[k,p] += w[k,c,r] * x[c,p+r]", sizes: {k: 2, p: 8, c: 2, r: 3}, roles: {w: weight}}
- {name: c2, einsum: "o[k,p] += w[k,c,r] * x[c,2*p+r]", sizes: {k: 2, p: 4, c: 2, r: 3}, roles: {w: weight}}
edges:
- {from: c1, to: c2, tensor: x}
)",
                        R"([[[["k"],["c"]],[["p"],["p"]]]])"));
  out.push_back(problem(R"(
layers:
- {name: a, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 4, j: 3, k: 2}, roles: {w: weight}}
- {name: b, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 4, j: 3, k: 4}, roles: {w: weight}}
- {name: c, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 2, j: 3, k: 4}, roles: {w: weight}}
edges:
- {from: a, to: b, tensor: x}
- {from: a, to: c, tensor: x, combine: add}
- {from: b, to: c, tensor: x, combine: add}
)",
                        R"([[[["i"],["k"]],[["j"],["j"]]], [[["i"],["k"]],[["j"],["j"]]],
                            [[["i"],["k"]],[["j"],["j"]]]])"));
  out.push_back(problem(R"(
layers:
- {name: a, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 4, j: 4, k: 2}, roles: {w: weight}}
- {name: b, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 2, j: 4, k: 4}, roles: {w: weight}}
- {name: c, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 3, j: 4, k: 4}, roles: {w: weight}}
edges:
- {from: a, to: b, tensor: x}
- {from: a, to: c, tensor: x}
)",
                        R"([[[["i"],["k"]],[["j"],["j"]]], [[["i"],["k"]],[["j"],["j"]]]])"));
  // Both read X, whose rank k of a is i of b: a rank that they share, and none of what a makes for b.
  out.push_back(problem(R"(
inputs: [X]
layers:
- {name: a, einsum: "z[i,j] += w[i,k] * x[k,j]", sizes: {i: 3, j: 3, k: 4}, roles: {w: weight}}
- {name: b, einsum: "z[i,j] += y[i,k] * x[k,j]", sizes: {i: 4, j: 3, k: 3}, roles: {y: input}}
edges:
- {from: X, to: a, tensor: x}
- {from: X, to: b, tensor: y}
- {from: a, to: b, tensor: x}
)",
                        R"([[[["k"],["k"]],[["j"],["j"]]], [[["k"],["i"]],[["j"],["k"]]],
                            [[["i"],["k"]],[["j"],["j"]]]])"));
  out.push_back(problem(R"(
layers:
- {name: a, einsum: "o[k,p] += w[k,c,r] * x[c,p+r]", sizes: {k: 2, p: 4, c: 2, r: 1}, roles: {w: weight}}
- {name: b, einsum: "o[k,p] += w[k,c,r] * x[c,p+r]", sizes: {k: 2, p: 4, c: 2, r: 1}, roles: {w: weight}}
- {name: c, einsum: "o[k,p] += w[k,c,r] * x[c,p+r]", sizes: {k: 3, p: 4, c: 2, r: 1}, roles: {w: weight}}
edges:
- {from: a, to: b, tensor: x}
- {from: a, to: c, tensor: x, combine: add}
- {from: b, to: c, tensor: x, combine: add}
)",
                        R"([[[["k"],["c"]],[["p"],["p"]]], [[["k"],["c"]],[["p"],["p"]]],
                            [[["k"],["c"]],[["p"],["p"]]]])"));
  return out;
}

// Trees whose loops are over common ranks; homes, held arrays and rows may still be illegal.
class RandomTrees {
 public:
  RandomTrees(const FusionProblem& problem, u64 seed) : problem_(problem), rng_(seed) {}

  LinkGroup next() {
    const LinkGraph& graph = problem_.graph;
    const int count = static_cast<int>(graph.links.size());
    LinkGroup group;
    group.first = static_cast<int>(pick(rng_, 0, at(count) - 2));
    group.last = static_cast<int>(pick(rng_, at(group.first) + 1, at(count) - 1));
    // The one before the outermost, or one further in.
    group.level = static_cast<int>(problem_.architecture.levels.size() - 3 + pick(rng_, 0, 1));
    left_.clear();
    for (const Layer& l : graph.links) left_.push_back(sizes_of(l.workload));
    fill(group.root, group.first, group.last, 0);
    return group;
  }

 private:
  void fill(TreeNode& node, int first, int last, int depth) {
    for (std::size_t a = 0; a < problem_.graph.arrays.size(); ++a)
      if (chance(rng_, 15)) node.held.push_back(static_cast<int>(a));
    while (first <= last) {
      const int end = static_cast<int>(pick(rng_, at(first), at(last)));
      TreeNode child;
      if (depth < 3 && chance(rng_, first == end ? 30 : 80) && choose_loop(child, first, end)) {
        const std::vector<LinkSizes> before = left_;
        for (const DividedLink& l : child.loop)
          for (const DividedDimension& d : l.divided) left_[l.link][d.dimension] /= d.factor;
        fill(child, first, end, depth + 1);
        left_ = before;
        node.children.push_back(child);
        first = end + 1;
      } else {
        node.children.emplace_back().link = first++;
      }
    }
  }

  bool choose_loop(TreeNode& node, int first, int last) {
    std::vector<std::vector<DividedLink>> loops;
    for (const RankClass& c : rank_classes(problem_.graph, first, last))
      for (u64 n = 2; n <= 12; ++n) {
        std::vector<DividedLink> loop;
        for (int l = first; l <= last; ++l)
          if (const auto how = divide(left_[l], c.of(l), n)) loop.push_back({l, *how});
        if (static_cast<int>(loop.size()) == last - first + 1) loops.push_back(loop);
      }
    if (loops.empty()) return false;
    node.loop = loops[pick(rng_, 0, loops.size() - 1)];
    return true;
  }

  const FusionProblem& problem_;
  Rng rng_;
  std::vector<LinkSizes> left_;  // [link]: sizes under the loops so far
};

}  // namespace heliolite::testing
