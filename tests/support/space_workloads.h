#pragma once
// Workloads for the tests of engine/space, built without the readers: "p+r" is a rank over two dimensions,
// "2*p+r" a strided one.
#include <cctype>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/workload.h"

namespace heliolite::testing {

struct TensorText {
  std::string name;
  std::string ranks;  // "n,k,p+r"
  Role role = Role::Input;
};

inline Rank parse_rank(const std::string& text, const std::vector<Dimension>& dimensions) {
  Rank rank;
  u64 coefficient = 1;
  std::string word;
  const auto finish_term = [&] {
    for (std::size_t d = 0; d < dimensions.size(); ++d)
      if (dimensions[d].name == word) rank.terms.push_back({static_cast<int>(d), coefficient});
    coefficient = 1;
    word.clear();
  };
  for (char c : text) {
    if (c == '*') {
      coefficient = std::stoull(word);
      word.clear();
    } else if (c == '+') {
      finish_term();
    } else {
      word += c;
    }
  }
  finish_term();
  return rank;
}

// The first tensor is the output.
inline Workload make_workload(std::string name, std::vector<Dimension> dimensions, std::vector<TensorText> tensors) {
  Workload w;
  w.name = std::move(name);
  w.dimensions = std::move(dimensions);
  for (const TensorText& t : tensors) {
    Tensor tensor;
    tensor.name = t.name;
    tensor.role = w.tensors.empty() ? Role::Output : t.role;
    std::string word;
    for (char c : t.ranks + ",") {
      if (c != ',') {
        word += c;
        continue;
      }
      tensor.ranks.push_back(parse_rank(word, w.dimensions));
      word.clear();
    }
    w.tensors.push_back(std::move(tensor));
  }
  return w;
}

// A 2-D convolution with the dimensions in the order of the thesis' tables.
inline Workload conv(u64 n, u64 k, u64 c, u64 p, u64 q, u64 r, u64 s) {
  return make_workload(
      "conv", {{"N", n}, {"K", k}, {"C", c}, {"P", p}, {"Q", q}, {"R", r}, {"S", s}},
      {{"ofmap", "N,K,P,Q", Role::Output}, {"ifmap", "N,C,P+R,Q+S", Role::Input}, {"weight", "K,C,R,S", Role::Weight}});
}

inline Workload gemm(u64 m, u64 n, u64 k) {
  return make_workload("gemm", {{"M", m}, {"N", n}, {"K", k}},
                       {{"Z", "M,N", Role::Output}, {"A", "M,K", Role::Input}, {"B", "K,N", Role::Weight}});
}

inline Workload conv1d(u64 k, u64 p, u64 c, u64 r) {
  return make_workload(
      "conv1d", {{"K", k}, {"P", p}, {"C", c}, {"R", r}},
      {{"ofmap", "K,P", Role::Output}, {"ifmap", "C,P+R", Role::Input}, {"weight", "K,C,R", Role::Weight}});
}

inline Workload depthwise(u64 p, u64 q, u64 d, u64 r, u64 s, u64 n) {
  return make_workload(
      "depthwise", {{"P", p}, {"Q", q}, {"D", d}, {"R", r}, {"S", s}, {"N", n}},
      {{"ofmap", "N,D,P,Q", Role::Output}, {"ifmap", "N,D,P+R,Q+S", Role::Input}, {"weight", "D,R,S", Role::Weight}});
}

inline Workload mttkrp() {
  return make_workload("mttkrp", {{"i", 8}, {"j", 8}, {"k", 8}, {"l", 8}},
                       {{"o", "i,j"}, {"a", "i,k,l"}, {"b", "k,j"}, {"c", "l,j"}});
}

inline Workload ttmc() {
  return make_workload("ttmc", {{"i", 8}, {"j", 8}, {"k", 8}, {"l", 8}, {"m", 8}},
                       {{"o", "i,l,m"}, {"a", "i,j,k"}, {"b", "j,l"}, {"c", "k,m"}});
}

inline Workload sddmm() {
  return make_workload("sddmm", {{"i", 8}, {"j", 8}, {"k", 8}},
                       {{"o", "i,j"}, {"a", "i,j"}, {"b", "i,k"}, {"c", "k,j"}});
}

inline Workload tcl() {
  return make_workload("tcl", {{"i", 8}, {"j", 8}, {"k", 8}, {"l", 8}, {"m", 8}, {"n", 8}},
                       {{"o", "l,m,n"}, {"a", "i,j,k"}, {"b", "i,l"}, {"c", "j,m"}, {"d", "k,n"}});
}

inline Workload mmc() {
  return make_workload("mmc", {{"i", 8}, {"j", 8}, {"k", 8}, {"l", 8}},
                       {{"o", "i,l"}, {"a", "i,j"}, {"b", "j,k"}, {"c", "k,l"}});
}

// The same workload with its dimensions declared in another order: new[i] = old[order[i]].
inline Workload permute_dimensions(const Workload& w, const std::vector<int>& order) {
  Workload out = w;
  std::vector<int> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    out.dimensions[i] = w.dimensions[order[i]];
    place[order[i]] = static_cast<int>(i);
  }
  for (Tensor& t : out.tensors)
    for (Rank& r : t.ranks)
      for (Term& term : r.terms) term.dimension = place[term.dimension];
  return out;
}

}  // namespace heliolite::testing
