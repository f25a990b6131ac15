#pragma once
// Lists made of other lists, element by element, and sums over lists.
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace heliolite {

// f of each element, in their order; f may be a member. As values of type `Out`, where that is given.
template <class Out = void, class List, class F>
auto mapped(List&& list, F&& f) {
  using Made = std::decay_t<std::invoke_result_t<F&, decltype(*std::begin(list))>>;
  std::vector<std::conditional_t<std::is_void_v<Out>, Made, Out>> out;
  if constexpr (requires { std::size(list); }) out.reserve(std::size(list));
  for (auto&& one : list) out.emplace_back(std::invoke(f, std::forward<decltype(one)>(one)));
  return out;
}

// The first ones of pairs, such as a map's keys.
auto keys_of(const auto& pairs) {
  return mapped(pairs, [](const auto& pair) { return pair.first; });
}

// The sum of f of each element, added in their order.
template <class Sum, class List, class F = std::identity>
Sum sum_of(List&& list, F&& f = {}) {
  Sum sum{};
  for (auto&& one : list) sum += std::invoke(f, one);
  return sum;
}

}  // namespace heliolite
