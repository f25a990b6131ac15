#pragma once
// Layers and edges in the project's own format (docs/formats_workload.md), put together line by line: a model becomes
// such a file, so that its reader checks every edge as it does those that people write.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/types.h"

namespace heliolite::language_model {

// A dimension of an Einsum with its size.
using Sized = std::pair<std::string_view, u64>;

// The dimensions of one operand; those of which there is one alone are left out, unless `kept` names them.
class Dimensions {
 public:
  Dimensions(std::vector<Sized> sizes, std::string_view kept) : sizes_(std::move(sizes)), kept_(kept) {}

  std::string operand(std::string_view tensor, std::string_view dimensions) const;  // "K[H,M,D]" of "K", "BHMD"
  std::string list(std::string_view dimensions) const;                              // "[H, D]", or "D" of one alone
  std::string same(std::string_view dimensions) const;                              // "H: H, M: M"
  std::string sizes() const { return sizes_of("BHGMND"); }                          // "H: 8, M: 2048"
  std::string sizes_of(std::string_view dimensions) const;

 private:
  u64 size(char dimension) const;
  bool there(char dimension) const { return size(dimension) > 1 || kept_.find(dimension) != std::string_view::npos; }

  std::vector<Sized> sizes_;
  std::string_view kept_;
};

class NetworkText {
 public:
  // A layer; `shape` is the rest of its entry, as "gemm: {m: 8, n: 8, k: 8}".
  void layer(std::string_view name, std::string_view shape);
  void gemm(std::string_view name, u64 m, u64 n, u64 k, std::string_view more = "");
  void bmm(std::string_view name, u64 h, u64 m, u64 n, u64 k, std::string_view more = "");
  // A layer of its Einsum, "z += a * b" of these operands; `weight`: the tensor that stands still.
  void product(std::string_view name, std::string_view z, std::string_view a, std::string_view b,
               std::string_view sizes, char weight);
  void edge(std::string_view from, std::string_view to, std::string_view tensor, std::string_view more);

  // The lists of a network or a block, each line behind `indent`.
  std::string text(std::string_view indent) const;
  bool empty() const { return layers_.empty(); }

 private:
  std::vector<std::string> layers_, edges_;
};

}  // namespace heliolite::language_model
