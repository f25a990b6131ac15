// The arithmetic of Timeloop v0.4 files: expressions over variables and attributes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/attributes.h"
#include "engine/inputs/expression_parser.h"

namespace heliolite {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxLength = 4096;

struct Function {
  std::string_view name;
  int low;  // number of arguments
  int high;
  double (*value)(const std::vector<double>&);
};

constexpr std::array kFunctions{
    Function{"min", 1, 64, [](const std::vector<double>& a) { return *std::min_element(a.begin(), a.end()); }},
    Function{"max", 1, 64, [](const std::vector<double>& a) { return *std::max_element(a.begin(), a.end()); }},
    Function{"ceil", 1, 1, [](const std::vector<double>& a) { return std::ceil(a[0]); }},
    Function{"floor", 1, 1, [](const std::vector<double>& a) { return std::floor(a[0]); }},
    Function{"round", 1, 1, [](const std::vector<double>& a) { return std::nearbyint(a[0]); }},
    Function{"abs", 1, 1, [](const std::vector<double>& a) { return std::abs(a[0]); }},
    Function{"int", 1, 1, [](const std::vector<double>& a) { return std::trunc(a[0]); }},
    Function{"float", 1, 1, [](const std::vector<double>& a) { return a[0]; }},
    Function{"log2", 1, 1, [](const std::vector<double>& a) { return std::log2(a[0]); }},
    Function{"log10", 1, 1, [](const std::vector<double>& a) { return std::log10(a[0]); }},
    Function{"pow", 2, 2, [](const std::vector<double>& a) { return std::pow(a[0], a[1]); }},
    Function{"sqrt", 1, 1, [](const std::vector<double>& a) { return std::sqrt(a[0]); }},
};

constexpr std::string_view kUnderstood =
    "numbers, names, + - * / // % ** ( ) and the functions min max ceil floor round abs int float log2 log10 pow sqrt";

class TimeloopParser : public ArithmeticParser<TimeloopParser, double> {
 public:
  TimeloopParser(std::string_view text, const SymbolLookup& lookup)
      : ArithmeticParser(text, kMaxDepth), length_(text.size()), lookup_(lookup) {}

  ExpressionResult run() {
    if (length_ > kMaxLength) return {{}, fmt::format("expression longer than {} characters", kMaxLength)};
    const double value = sum();
    if (peek() != '\0') unexpected(kUnderstood);
    if (!broken() && !std::isfinite(value)) fail("the value is not finite");
    if (broken()) return {{}, syntax()};
    return {value, {}};
  }

 private:
  friend class ArithmeticParser<TimeloopParser, double>;

  static double zero() { return 0; }
  double term() { return product(); }

  double operate(std::string_view op, double x, double y) {
    if (broken()) return 0;
    const Result<double> value = arithmetic(op, x, y);
    if (!value) fail(value.errors().front().message);
    return value ? *value : 0;
  }

  double operand() {
    const char c = peek();
    if (accept("(")) {
      const double value = sum();
      if (!accept(")")) unexpected(kUnderstood);
      return value;
    }
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return name();
    unexpected(kUnderstood);
    return 0;
  }

  double number() {
    double value = 0;
    const std::string_view text = rest();
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || (end < text.data() + text.size() && is_letter(*end))) {
      unexpected(kUnderstood);
      return 0;
    }
    skip(at(end - text.data()));
    return value;
  }

  double name() {
    const std::string_view text = rest();
    std::size_t length = 0;
    while (length < text.size() && (is_name(text[length]) || text[length] == '.')) ++length;
    const std::string_view word = text.substr(0, length);
    skip(length);
    if (accept("(")) return call(word);
    std::string reason;
    const std::optional<double> value = lookup_(word, reason);
    if (!value) fail(reason.empty() ? fmt::format("unknown name '{}'", word) : reason);
    return value.value_or(0);
  }

  double call(std::string_view word) {
    std::string_view bare = word;
    if (bare.substr(0, 5) == "math.") bare.remove_prefix(5);
    const Function* const function = find_row(kFunctions, bare);
    if (function == nullptr) {
      fail(fmt::format("unknown function '{}'{}", word, did_you_mean(bare, names_of(kFunctions))));
      return 0;
    }
    std::vector<double> arguments;
    do {
      arguments.push_back(sum());
    } while (!broken() && accept(","));
    if (!broken() && !accept(")")) unexpected(kUnderstood);
    if (broken()) return 0;
    const int count = static_cast<int>(arguments.size());
    if (count < function->low || count > function->high) {
      fail(fmt::format("{}() does not take {} argument{}", word, count, count == 1 ? "" : "s"));
      return 0;
    }
    return function->value(arguments);
  }

  std::size_t length_;
  const SymbolLookup& lookup_;
};

}  // namespace

ExpressionResult evaluate_expression(std::string_view text, const SymbolLookup& lookup) {
  return TimeloopParser(text, lookup).run();
}

}  // namespace heliolite
