#include "engine/model/mapping_factors.h"

#include <fmt/format.h>

#include "engine/base/saturating.h"

namespace heliolite {

std::string text(const ListedFactor& f) {
  return f.end == f.residual ? fmt::format("{} {}", f.where, f.end)
                             : fmt::format("{} [{}, {}]", f.where, f.end, f.residual);
}

std::string product_complaint(const Dimension& dimension, const std::vector<ListedFactor>& factors) {
  u64 n = 1;
  bool perfect = true;
  std::vector<std::string> parts;
  for (const ListedFactor& f : factors) {
    const u64 whole = saturating_product(n - 1, f.end);
    n = whole > ~u64{0} - f.residual ? ~u64{0} : whole + f.residual;
    perfect = perfect && f.end == f.residual;
    parts.push_back(text(f));
  }
  if (n == dimension.size) return "";
  if (factors.empty())
    return fmt::format("dimension {} has no factors, they must multiply to its size {}", dimension.name,
                       dimension.size);
  std::string message = fmt::format("the factors of dimension {} {} {}, its size is {} ({})", dimension.name,
                                    perfect ? "multiply to" : "count to", n, dimension.size, fmt::join(parts, " * "));
  if (perfect && n < dimension.size && dimension.size % n == 0)
    message += fmt::format("; a factor of {} is missing", dimension.size / n);
  return message;
}

}  // namespace heliolite
