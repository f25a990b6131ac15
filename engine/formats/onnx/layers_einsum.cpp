// The equation of an Einsum node: "bhqd,bhkd->bhqk", with spaces, "..." and without an output.
#include "engine/base/mapped.h"
#include "engine/formats/onnx/layers.h"

#include <fmt/format.h>
#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/formats/onnx/words.h"

namespace heliolite::onnx {
namespace {

// Indices are numbers; those that "..." stands for, too.
struct Equation {
  std::vector<std::vector<int>> operands;
  std::vector<int> output;
  std::vector<i64> sizes;          // [index]
  std::vector<std::string> names;  // [index]: a letter, or e0, e1, .. for "..."
};

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

// A call's equation over the shapes of its inputs; complains if it is none or does not fit.
Equation equation_of(Call& call) {
  const std::string_view text = call.text("equation", "");
  if (text.empty()) call.fail("no equation is given");
  if (!call.ok()) return {};
  return EquationReader(call, text).run();
}

bool in(const std::vector<int>& indices, int i) { return std::ranges::count(indices, i) > 0; }

// Indices of operand `o` without those of size 1, which are no indices: they are stretched.
std::vector<int> indices_of(Call& call, const Equation& equation, std::size_t o) {
  const Shape& shape = call.shape(o);
  std::vector<int> out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const int i = equation.operands[o][d];
    if (shape[d] == 1 && equation.sizes[i] >= 1) continue;
    if (in(out, i)) call.fail(fmt::format("takes a diagonal: index {} twice in one operand", equation.names[i]));
    out.push_back(i);
  }
  return out;
}

// Where operand `o` has the index, which it has.
std::size_t dimension_of(const Equation& e, std::size_t o, int index) {
  return static_cast<std::size_t>(std::ranges::find(e.operands[o], index) - e.operands[o].begin());
}

// Every index is in one of the four classes of a product of matrices.
Drafts pairwise(Call& call, const Equation& e) {
  const std::vector<int> a = indices_of(call, e, 0), b = indices_of(call, e, 1);
  std::vector<Part> part(e.sizes.size());  // of each index; several of one class are one dimension, the first outermost
  bool known = true;
  Product p{.first = call.input(0), .second = call.input(1)};
  for (std::size_t i = 0; i < e.sizes.size() && call.ok(); ++i) {
    const int index = static_cast<int>(i);
    const bool first = in(a, index), second = in(b, index), out = in(e.output, index);
    if (!first && !second) continue;  // its size is 1
    if (first != second && !out) call.fail(fmt::format("sums one operand over index {}", e.names[i]));
    const auto times = [&](i64& into, i64 size) {
      if (__builtin_mul_overflow(into, size, &into)) call.fail("too many elements");
    };
    if (!first || !second || !out) {
      times(first && second ? p.k : first ? p.of_first : p.of_second, e.sizes[i]);
      part[i] = {first && second ? "K" : first ? kFirst : kSecond, e.sizes[i]};
      continue;
    }
    const SharedIndex shared = shared_index(*p.first, dimension_of(e, 0, index), *p.second, dimension_of(e, 1, index));
    times(p.stacked, shared.both);
    times(p.of_first, shared.first);
    times(p.of_second, shared.second);
    p.first_once = p.first_once || shared.second > 1;
    p.second_once = p.second_once || shared.first > 1;
    known = known && shared.both == e.sizes[i];
    part[i] = {"H", e.sizes[i]};
  }
  if (!call.ok()) return {};
  for (std::size_t i = part.size(); i-- > 0;)
    for (std::size_t k = i + 1; k < part.size(); ++k)
      if (part[k].dimension == part[i].dimension) part[i].inner *= part[k].size;
  const auto layout = [&](const std::vector<int>& indices) {
    Layout out;
    for (const int i : indices)
      if (part[i].size > 1) out.push_back(part[i]);
    return known ? out : Layout{};
  };
  p.first_read = layout(a);
  p.second_read = layout(b);
  p.written = layout(e.output);
  return product_draft(call, p);
}

// Upper and lower case are told apart in equations but not in names of dimensions.
std::string dimension_name(const std::string& index) {
  return index.size() == 1 && index[0] < 'a' ? lower(index) + "_" : index;
}

Drafts many(Call& call, const Equation& e) {
  const auto tensor = [&](const std::string& name, const std::vector<int>& indices) {
    const std::vector<std::string> ranks = mapped(indices, [&](const int i) { return dimension_name(e.names[i]); });
    return fmt::format("{}[{}]", name, fmt::join(ranks, ","));
  };
  std::vector<std::string> reads;
  std::vector<Operand> operands;
  std::vector<int> used, output;
  for (std::size_t o = 0; o < e.operands.size(); ++o) {
    const std::vector<int> indices = indices_of(call, e, o);
    used.insert(used.end(), indices.begin(), indices.end());
    operands.push_back({fmt::format("t{}", o), call.input(o)});
    reads.push_back(tensor(operands.back().tensor, indices));
  }
  std::ranges::copy_if(e.output, std::back_inserter(output), [&](int i) { return in(used, i); });
  Parameters sizes;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < e.names.size(); ++i) names.push_back(dimension_name(e.names[i]));
  for (std::size_t i = 0; i < e.names.size(); ++i)
    if (in(used, static_cast<int>(i))) sizes.emplace_back(names[i], e.sizes[i]);
  return einsum_draft(call, fmt::format("{} += {}", tensor("out", output), fmt::join(reads, " * ")), sizes,
                      std::move(operands));
}

}  // namespace

Shapes einsum_shape(Call& call) {
  const Equation equation = equation_of(call);
  return {mapped(equation.output, [&](const int i) { return equation.sizes[i]; })};
}

Drafts einsum_layers(Call& call) {
  const Equation equation = equation_of(call);
  if (!call.ok() || equation.operands.size() < 2) return {};
  return equation.operands.size() == 2 ? pairwise(call, equation) : many(call, equation);
}

}  // namespace heliolite::onnx
