#pragma once
// The arithmetic of Timeloop v0.4 files: attributes and meshes may be expressions over variables and attributes.
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace heliolite {

// The value of a name; empty when it is unknown or has no value, `error` then says why.
using SymbolLookup = std::function<std::optional<double>(std::string_view name, std::string& error)>;

struct ExpressionResult {
  std::optional<double> value;
  std::string error;  // one clause, without a place; set when there is no value
};

// Numbers, names (dots allowed), + - * / // % ** ( ) with Python's precedence and rounding, and the functions
// min max ceil floor round abs int float log2 log10 pow sqrt (also with "math." before them). Anything else, a
// division by zero, a value that is not finite and nesting beyond 64 levels are errors; nothing throws.
ExpressionResult evaluate_expression(std::string_view text, const SymbolLookup& lookup);

}  // namespace heliolite
