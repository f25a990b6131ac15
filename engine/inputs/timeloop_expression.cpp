#include "engine/inputs/timeloop_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"

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

// Recursive descent; after the first error every step returns 0 and the parse runs out quickly.
class Parser {
 public:
  Parser(std::string_view text, const SymbolLookup& lookup) : text_(text), lookup_(lookup) {}

  ExpressionResult run() {
    if (text_.size() > kMaxLength) return {{}, fmt::format("expression longer than {} characters", kMaxLength)};
    const double value = sum();
    skip_spaces();
    if (error_.empty() && at_ < text_.size()) unexpected();
    if (error_.empty() && !std::isfinite(value)) fail("the value is not finite");
    if (!error_.empty()) return {{}, error_};
    return {value, {}};
  }

 private:
  void fail(std::string message) {
    if (error_.empty()) error_ = std::move(message);
    at_ = text_.size();
  }

  void unexpected() {
    fail(
        at_ < text_.size()
            ? fmt::format("unexpected '{}' at character {}; understood are numbers, names, + - * / // % ** ( ) and the "
                          "functions min max ceil floor round abs int float log2 log10 pow sqrt",
                          text_[at_], at_ + 1)
            : std::string("the expression ends too early"));
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }

  // Consumes `token` unless it begins a longer operator.
  bool accept(std::string_view token) {
    skip_spaces();
    if (text_.substr(at_, token.size()) != token) return false;
    if ((token == "*" || token == "/") && text_.substr(at_ + 1, 1) == token) return false;
    at_ += token.size();
    return true;
  }

  double sum() {
    if (++depth_ > kMaxDepth) fail(fmt::format("nested deeper than {} levels", kMaxDepth));
    double value = product();
    while (error_.empty()) {
      if (accept("+")) value += product();
      else if (accept("-")) value -= product();
      else break;
    }
    --depth_;
    return value;
  }

  double product() {
    double value = sign();
    while (error_.empty()) {
      if (accept("*")) {
        value *= sign();
        continue;
      }
      const bool whole = accept("//");
      const bool modulo = !whole && accept("%");
      if (!whole && !modulo && !accept("/")) break;
      const double by = sign();
      if (by == 0) {
        fail("division by zero");
        return 0;
      }
      if (modulo) value = value - by * std::floor(value / by);
      else value = whole ? std::floor(value / by) : value / by;
    }
    return value;
  }

  double sign() {
    bool negative = false;
    for (;;) {
      if (accept("-")) negative = !negative;
      else if (!accept("+")) break;
    }
    const double value = power();
    return negative ? -value : value;
  }

  double power() {
    const double base = atom();
    if (!accept("**")) return base;
    if (++depth_ > kMaxDepth) fail(fmt::format("nested deeper than {} levels", kMaxDepth));
    const double exponent = error_.empty() ? sign() : 0;
    --depth_;
    return std::pow(base, exponent);
  }

  double atom() {
    skip_spaces();
    if (!error_.empty()) return 0;
    if (at_ >= text_.size()) {
      unexpected();
      return 0;
    }
    if (accept("(")) {
      const double value = sum();
      if (error_.empty() && !accept(")")) unexpected();
      return value;
    }
    const char c = text_[at_];
    if (is_digit(c) || c == '.') return number();
    if (is_letter(c)) return name();
    unexpected();
    return 0;
  }

  double number() {
    double value = 0;
    const char* first = text_.data() + at_;
    const auto [end, code] = std::from_chars(first, text_.data() + text_.size(), value);
    if (code != std::errc{} || (end < text_.data() + text_.size() && is_letter(*end))) {
      unexpected();
      return 0;
    }
    at_ += at(end - first);
    return value;
  }

  double name() {
    const std::size_t first = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string_view word = text_.substr(first, at_ - first);
    if (accept("(")) return call(word);
    std::string reason;
    const std::optional<double> value = lookup_(word, reason);
    if (!value) fail(reason.empty() ? fmt::format("unknown name '{}'", word) : reason);
    return value.value_or(0);
  }

  double call(std::string_view word) {
    std::string_view bare = word;
    if (bare.substr(0, 5) == "math.") bare.remove_prefix(5);
    const auto function =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return f.name == bare; });
    if (function == kFunctions.end()) {
      std::vector<std::string> names;
      for (const Function& f : kFunctions) names.emplace_back(f.name);
      fail(fmt::format("unknown function '{}'{}", word, did_you_mean(bare, names)));
      return 0;
    }
    std::vector<double> arguments;
    do {
      arguments.push_back(sum());
    } while (error_.empty() && accept(","));
    if (error_.empty() && !accept(")")) unexpected();
    if (!error_.empty()) return 0;
    const int count = static_cast<int>(arguments.size());
    if (count < function->low || count > function->high) {
      fail(fmt::format("{}() does not take {} argument{}", word, count, count == 1 ? "" : "s"));
      return 0;
    }
    return function->value(arguments);
  }

  std::string_view text_;
  const SymbolLookup& lookup_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

ExpressionResult evaluate_expression(std::string_view text, const SymbolLookup& lookup) {
  return Parser(text, lookup).run();
}

}  // namespace heliolite
