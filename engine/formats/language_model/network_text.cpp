#include "engine/formats/language_model/network_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace heliolite::language_model {

u64 Dimensions::size(char dimension) const {
  for (const auto& [name, size] : sizes_)
    if (name.front() == dimension) return size;
  return 1;
}

std::string Dimensions::operand(std::string_view tensor, std::string_view dimensions) const {
  std::vector<std::string> ranks;
  for (const char d : dimensions)
    if (there(d)) ranks.emplace_back(1, d);
  return fmt::format("{}[{}]", tensor, fmt::join(ranks, ","));
}

std::string Dimensions::list(std::string_view dimensions) const {
  std::vector<std::string> ranks;
  for (const char d : dimensions)
    if (there(d)) ranks.emplace_back(1, d);
  return ranks.size() == 1 ? ranks.front() : fmt::format("[{}]", fmt::join(ranks, ", "));
}

std::string Dimensions::same(std::string_view dimensions) const {
  std::vector<std::string> ranks;
  for (const char d : dimensions)
    if (there(d)) ranks.push_back(fmt::format("{0}: {0}", d));
  return fmt::format("{}", fmt::join(ranks, ", "));
}

std::string Dimensions::sizes_of(std::string_view dimensions) const {
  std::vector<std::string> all;
  for (const char d : dimensions)
    if (there(d)) all.push_back(fmt::format("{}: {}", d, size(d)));
  return fmt::format("{}", fmt::join(all, ", "));
}

void NetworkText::layer(std::string_view name, std::string_view shape) {
  layers_.push_back(fmt::format("- {{name: {}, {}}}", name, shape));
}

void NetworkText::gemm(std::string_view name, u64 m, u64 n, u64 k, std::string_view more) {
  layer(name, fmt::format("gemm: {{m: {}, n: {}, k: {}}}{}", m, n, k, more));
}

void NetworkText::bmm(std::string_view name, u64 h, u64 m, u64 n, u64 k, std::string_view more) {
  layer(name, fmt::format("bmm: {{h: {}, m: {}, n: {}, k: {}}}{}", h, m, n, k, more));
}

void NetworkText::product(std::string_view name, std::string_view z, std::string_view a, std::string_view b,
                          std::string_view sizes, char weight) {
  layer(name, fmt::format("einsum: \"{} += {} * {}\", sizes: {{{}}}, roles: {{{}: weight}}", z, a, b, sizes, weight));
}

void NetworkText::edge(std::string_view from, std::string_view to, std::string_view tensor, std::string_view more) {
  edges_.push_back(
      fmt::format("- {{from: {}, to: {}, tensor: {}{}{}}}", from, to, tensor, more.empty() ? "" : ", ", more));
}

std::string NetworkText::text(std::string_view indent) const {
  std::string all = fmt::format("{}layers:\n", indent);
  for (const std::string& layer : layers_) all += fmt::format("{}{}\n", indent, layer);
  if (edges_.empty()) return all;
  all += fmt::format("{}edges:\n", indent);
  for (const std::string& edge : edges_) all += fmt::format("{}{}\n", indent, edge);
  return all;
}

}  // namespace heliolite::language_model
