#include "workloads/tensor_selector.h"

#include "engine/base/text.h"

namespace heliolite {

int specificity(const std::string& selector, const Tensor& tensor) {
  if (selector == tensor.name) return 3;
  const std::string word = lower(selector);
  const std::string role{name(tensor.role)};
  if (word == role || word == role + "s") return 2;
  return word == "all" ? 1 : 0;
}

}  // namespace heliolite
