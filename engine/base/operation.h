#pragma once
// What a layer does at each point of its loop nest, and so which compute units can run it: the one vocabulary of
// machines (`runs`) and workloads (`operation`).
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite {

enum class Operation : std::uint8_t {
  Product,      // a product of the operands, summed up: multiply-accumulate
  Elementwise,  // activations, gates, sums of tensors, rotations of positions
  Softmax,      // sums of exponentials along rows, and what is divided by them
  Norm,         // mean and variance of rows, and what is scaled by them
  Pool,         // the greatest, or the mean, of a window
  Resize,       // lines and columns repeated or interpolated
};

using OperationMask = std::uint8_t;  // bit o: Operation o

inline constexpr std::array<std::string_view, 6> kOperationNames{"product", "elementwise", "softmax",
                                                                 "norm",    "pool",        "resize"};
inline constexpr OperationMask kAllOperations = (1u << kOperationNames.size()) - 1;

constexpr std::string_view name(Operation operation) { return kOperationNames[static_cast<std::uint8_t>(operation)]; }
constexpr OperationMask operation_bit(Operation operation) {
  return static_cast<OperationMask>(1u << static_cast<unsigned>(operation));
}
inline constexpr OperationMask kProducts = operation_bit(Operation::Product);

// The operation of that name; none: there is no such one.
constexpr std::optional<Operation> find_operation(std::string_view name) {
  for (std::size_t o = 0; o < kOperationNames.size(); ++o)
    if (kOperationNames[o] == name) return static_cast<Operation>(o);
  return std::nullopt;
}

inline std::vector<std::string> operation_names(OperationMask mask = kAllOperations) {
  std::vector<std::string> out;
  for (std::size_t o = 0; o < kOperationNames.size(); ++o)
    if ((mask >> o & 1u) != 0) out.emplace_back(kOperationNames[o]);
  return out;
}

// The most operations of a compute unit at one point, and the most cycles of one: what a nest takes stays countable.
inline constexpr std::uint64_t kMaxOperationsOfPoint = 4096;
inline constexpr std::uint64_t kMaxCyclesOfOperation = 4096;

}  // namespace heliolite
