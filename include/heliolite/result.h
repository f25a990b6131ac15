#pragma once
// How errors come back: a Result is a value, or Diagnostics that say why there is none. Nothing is thrown and nothing
// is printed. The engine passes its errors on in these types, so that they reach a program as they were made.
//
//   heliolite::Result<int> answer = heliolite::Diagnostic{"m.yaml", 4, "levels[1].entries", "must be an integer"};
//   if (answer) std::printf("%d\n", *answer);                             // *answer, answer->: the value
//   else std::puts(to_string(answer.errors()).c_str());                   // at least one error, each on its line
#include <string>
#include <utility>
#include <variant>
#include <vector>

// What the other public headers declare stands in heliolite::api and is used as heliolite::..: the engine behind them
// has names of its own in heliolite, which no program sees. Sources that see both define HELIOLITE_API_APART.
#ifndef HELIOLITE_API_APART
namespace heliolite {
namespace api {}
using namespace api;
}  // namespace heliolite
#endif

namespace heliolite {

// One complaint about an input. Prints as "file:line: field: message"; parts that do not apply are left out.
struct Diagnostic {
  std::string file;
  int line = 0;       // 1-based; 0 = no line
  std::string field;  // e.g. "levels[1].entries"
  std::string message;

  std::string to_string() const;
};

using Diagnostics = std::vector<Diagnostic>;

// All complaints, one a line, without a trailing newline.
std::string to_string(const Diagnostics& diagnostics);

// A value or the reasons why there is none (at least one).
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Diagnostics errors) : state_(std::in_place_index<1>, std::move(errors)) {}            // NOLINT
  Result(Diagnostic error) : state_(std::in_place_index<1>, Diagnostics{std::move(error)}) {}  // NOLINT

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& { return std::get<0>(state_); }
  T& value() & { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  const Diagnostics& errors() const { return std::get<1>(state_); }

 private:
  std::variant<T, Diagnostics> state_;
};

}  // namespace heliolite
