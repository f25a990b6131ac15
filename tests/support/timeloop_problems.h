#pragma once
// Workloads of Timeloop's mapping files, and such a file as text.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/base/yaml_node.h"
#include "engine/formats/timeloop/machine.h"
#include "engine/formats/timeloop/mapping.h"
#include "workloads/workload.h"

namespace heliolite::testing::timeloop {

inline const std::string kData = HELIOLITE_TEST_DATA "/data/timeloop/";

inline Architecture machine(const std::string& name) {
  const Result<YamlNode> file = YamlNode::load_file(kData + name + ".yaml");
  const Result<Architecture> read = read_timeloop_architecture({*file});
  if (!read) ADD_FAILURE() << to_string(read.errors());
  return *read;
}

// "M=4 N=6 K=8" and "A: M K, B: K N, Z: M N"; the last tensor is the output, ranks "2P+R" have coefficients.
struct Shape {
  std::vector<Dimension> dimensions;
  std::vector<std::pair<std::string, std::vector<std::vector<Term>>>> tensors;
};

inline Workload workload(const Shape& shape, const std::string& weight) {
  Workload w;
  w.name = "test";
  w.dimensions = shape.dimensions;
  for (const auto& [name, ranks] : shape.tensors) {
    Tensor t{name, {}, name == weight ? Role::Weight : Role::Input};
    for (const auto& terms : ranks) t.ranks.push_back({terms});
    w.tensors.push_back(t);
  }
  w.tensors.back().role = Role::Output;
  return w;
}

// Z[M,N] = sum_K A[M,K] B[K,N].
inline Workload gemm(u64 m, u64 n, u64 k) {
  return workload({{{"M", m}, {"N", n}, {"K", k}},
                   {{"A", {{{0, 1}}, {{2, 1}}}}, {"B", {{{2, 1}}, {{1, 1}}}}, {"Z", {{{0, 1}}, {{1, 1}}}}}},
                  "A");
}

inline Workload conv(u64 r, u64 s, u64 p, u64 q, u64 c, u64 k, u64 stride) {
  const std::vector<Term> x{{0, 1}, {2, stride}}, y{{1, 1}, {3, stride}};
  return workload({{{"R", r}, {"S", s}, {"P", p}, {"Q", q}, {"C", c}, {"K", k}, {"N", 1}},
                   {{"Weights", {{{4, 1}}, {{5, 1}}, {{0, 1}}, {{1, 1}}}},
                    {"Inputs", {{{6, 1}}, {{4, 1}}, x, y}},
                    {"Outputs", {{{6, 1}}, {{5, 1}}, {{3, 1}}, {{2, 1}}}}}},
                  "Weights");
}

inline Workload mttkrp() {
  return workload({{{"I", 4}, {"J", 4}, {"K", 3}, {"L", 4}},
                   {{"A", {{{0, 1}}, {{2, 1}}, {{3, 1}}}},
                    {"B", {{{2, 1}}, {{1, 1}}}},
                    {"C", {{{3, 1}}, {{1, 1}}}},
                    {"Z", {{{0, 1}}, {{1, 1}}}}}},
                  "A");
}

inline Result<Mapping> read(const std::string& text, const Workload& w, const Architecture& a) {
  const Result<YamlNode> node = YamlNode::parse(text, "map.yaml");
  if (!node) return node.errors();
  return read_timeloop_mapping(*node, w, a);
}

}  // namespace heliolite::testing::timeloop
