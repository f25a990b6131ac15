#include "workloads/onnx/einsum_equation.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/shortened.h"
#include "engine/base/text.h"

namespace heliolite::onnx {
namespace {

constexpr int kEllipsis = -1;
constexpr std::size_t kMostTerms = 64;  // letters of an operand: far more than a tensor has dimensions

class EquationReader {
 public:
  EquationReader(Call& call, std::string_view text) : call_(call), text_(text) {}

  Equation run() {
    const std::size_t arrow = text_.find("->");
    const std::string_view left = text_.substr(0, arrow);
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= left.size() && call_.ok(); ++i) {
      if (i < left.size() && left[i] != ',') continue;
      terms_.push_back(term(left.substr(begin, i - begin)));
      begin = i + 1;
    }
    if (call_.ok() && terms_.size() != call_.inputs())
      complain(fmt::format("has {} operands, the node {}", terms_.size(), call_.inputs()));
    for (std::size_t i = 0; i < terms_.size() && call_.ok(); ++i) operand(i);
    if (!call_.ok()) return {};
    output(arrow == std::string_view::npos ? implicit_output() : term(text_.substr(arrow + 2)));
    return call_.ok() ? equation_ : Equation();
  }

 private:
  void complain(const std::string& why) { call_.fail(fmt::format("equation '{}' {}", shortened(text_), why)); }

  // Letters and "...".
  std::vector<int> term(std::string_view text) {
    std::vector<int> out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == ' ') continue;
      if (c == '.' && text.substr(i, 3) == "..." && std::ranges::count(out, kEllipsis) == 0) {
        out.push_back(kEllipsis);
        i += 2;
      } else if (is_letter(c) && c != '_') {
        out.push_back(c);
      } else {
        complain(fmt::format("has a '{}'", c >= ' ' && c < 127 ? c : '?'));
        return {};
      }
      if (out.size() > kMostTerms) {
        complain(fmt::format("has an operand of more than {} indices", kMostTerms));
        return {};
      }
    }
    return out;
  }

  int index(const std::string& name, i64 size) {
    const auto found = std::ranges::find(equation_.names, name);
    const std::size_t i = at(found - equation_.names.begin());
    if (found == equation_.names.end()) {
      equation_.names.push_back(name);
      equation_.sizes.push_back(size);
    } else if (equation_.sizes[i] != size && size != 1) {
      if (equation_.sizes[i] != 1) complain(fmt::format("has index {} of {} and {}", name, equation_.sizes[i], size));
      equation_.sizes[i] = size;
    }
    return static_cast<int>(i);
  }

  void operand(std::size_t i) {
    const Shape& shape = call_.shape(i);
    const std::vector<int>& letters = terms_[i];
    const bool open = std::ranges::count(letters, kEllipsis) > 0;
    const std::size_t named = letters.size() - (open ? 1 : 0);
    if (call_.ok() && (open ? shape.size() < named : shape.size() != named))
      complain(fmt::format("has {} indices for {}", named, to_text(shape)));
    if (!call_.ok()) return;
    std::vector<int> indices;
    std::size_t d = 0;
    for (const int letter : letters) {
      if (letter != kEllipsis) {
        indices.push_back(index(std::string(1, static_cast<char>(letter)), shape[d++]));
        continue;
      }
      // Aligned at the right: e0 is the last dimension of all that "..." stands for.
      const std::size_t count = shape.size() - named;
      for (std::size_t e = count; e-- > 0;) indices.push_back(index(fmt::format("e{}", e), shape[d++]));
      most_open_ = std::max(most_open_, count);
    }
    equation_.operands.push_back(std::move(indices));
  }

  // "..." and the letters that occur once, in alphabetical order.
  std::vector<int> implicit_output() const {
    std::vector<int> letters{kEllipsis};
    for (int letter = 'A'; letter <= 'z'; ++letter) {
      std::ptrdiff_t count = 0;
      for (const std::vector<int>& t : terms_) count += std::ranges::count(t, letter);
      if (count == 1) letters.push_back(letter);
    }
    return letters;
  }

  void output(const std::vector<int>& letters) {
    for (const int letter : letters) {
      if (letter == kEllipsis) {
        for (std::size_t e = most_open_; e-- > 0;) equation_.output.push_back(index(fmt::format("e{}", e), 1));
        continue;
      }
      const auto found = std::ranges::find(equation_.names, std::string(1, static_cast<char>(letter)));
      if (found == equation_.names.end())
        return complain(fmt::format("has output index {}, which is in no operand", static_cast<char>(letter)));
      const int i = static_cast<int>(found - equation_.names.begin());
      if (std::ranges::count(equation_.output, i) > 0)
        return complain(fmt::format("has output index {} twice", *found));
      equation_.output.push_back(i);
    }
  }

  Call& call_;
  std::string_view text_;
  std::vector<std::vector<int>> terms_;
  std::size_t most_open_ = 0;
  Equation equation_;
};

}  // namespace

Equation equation_of(Call& call) {
  const std::string_view text = call.text("equation", "");
  if (text.empty()) call.fail("no equation is given");
  if (!call.ok()) return {};
  return EquationReader(call, text).run();
}

}  // namespace heliolite::onnx
