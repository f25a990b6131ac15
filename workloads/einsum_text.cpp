#include "workloads/einsum_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "workloads/compact_text.h"

namespace heliolite {
namespace {

// Recursive descent; the first syntax error ends it, complaints about sizes are collected.
class EinsumParser {
 public:
  EinsumParser(std::string_view text, std::span<const std::string_view> order, LeftOut& left_out)
      : cursor_(text), left_out_(left_out) {
    for (const std::string_view name : order) workload_.dimensions.push_back({std::string(name), 0});
  }
  // Ranks only, over dimensions that exist already.
  EinsumParser(std::string_view text, std::span<const Dimension> dimensions, LeftOut& left_out)
      : cursor_(text), known_only_(true), left_out_(left_out) {
    workload_.dimensions.assign(dimensions.begin(), dimensions.end());
  }

  Result<Workload> formula() {
    // output += tensor * tensor ..
    Tensor output;
    if (!tensor(output)) return errors_;
    output.role = Role::Output;
    if (!assignment()) return errors_;
    do {
      Tensor input;
      if (!tensor(input)) return errors_;
      workload_.tensors.push_back(std::move(input));
    } while (cursor_.take("*"));
    if (cursor_.found() == "'+'" || cursor_.found() == "'-'") {
      fail(
          fmt::format("found {}: an Einsum sums one product of tensors, o[..] += a[..] * b[..] * ..; of a sum of "
                      "products make each a layer of its own (a file with 'layers')",
                      cursor_.found()));
      return errors_;
    }
    workload_.tensors.push_back(std::move(output));
    // ; sizes
    if (cursor_.take(";")) sizes();
    if (errors_.empty() && !cursor_.at_end())
      fail(fmt::format("expected '*' and another tensor, or ';' and the sizes, found {}", cursor_.found()));
    if (!errors_.empty()) return errors_;
    if (std::string problem = left_out_.problem(workload_.dimensions); !problem.empty()) {
      errors_.push_back(cursor_.error_at(1, std::move(problem)));
      return errors_;
    }
    link_accesses(workload_);
    return std::move(workload_);
  }

  Result<Rank> rank_alone() {
    Rank result;
    if (rank(result) && !cursor_.at_end()) fail(fmt::format("expected '+' or the end, found {}", cursor_.found()));
    if (!errors_.empty()) return errors_;
    return result;
  }

 private:
  bool fail(std::string message) {
    errors_.push_back(cursor_.error(std::move(message)));
    return false;
  }

  bool assignment() {
    if (cursor_.take("+=") || cursor_.take("=")) return true;
    if (cursor_.take(",")) return fail("a second output; an Einsum has exactly one");
    return fail(fmt::format("expected '+=' after the output, found {}", cursor_.found()));
  }

  bool tensor(Tensor& tensor) {
    const auto name = cursor_.identifier();
    if (!name) return fail(fmt::format("expected a tensor like a[i,k], found {}", cursor_.found()));
    tensor.name = *name;
    if (!cursor_.take("["))
      return fail(fmt::format("expected '[' after tensor {}, found {}", shortened(*name), cursor_.found()));
    if (cursor_.take("]")) return true;  // one word
    do {
      Rank rank_here;
      if (!rank(rank_here)) return false;
      // A constant is one position: no rank.
      if (!rank_here.terms.empty()) tensor.ranks.push_back(std::move(rank_here));
    } while (cursor_.take(","));
    if (cursor_.take("]")) return true;
    return fail(fmt::format("expected ',', '+' or ']' in tensor {}, found {}", tensor.name, cursor_.found()));
  }

  bool rank(Rank& rank) {
    std::vector<LeftOut::Sign> signs;
    bool negative = cursor_.take("-");
    do {
      if (offset()) continue;
      Term& term_here = rank.terms.emplace_back();
      if (!term(term_here)) return false;
      signs.push_back({term_here.dimension, negative});
    } while (cursor_.take("+") ? !(negative = false) : (negative = cursor_.take("-")));
    left_out_.rank(std::move(signs));
    return true;
  }

  // A number that stands alone between signs.
  bool offset() {
    TextCursor ahead = cursor_;
    if (!ahead.digits()) return false;
    const std::string next = ahead.found();
    if (next != "','" && next != "']'" && next != "'+'" && next != "'-'" && next != "the end") return false;
    cursor_ = ahead;
    left_out_.offset();
    return true;
  }

  // p, 2*p or p*2
  bool term(Term& term) {
    std::size_t column = cursor_.column();
    const auto before = cursor_.digits();
    if (before && !cursor_.take("*"))
      return fail(fmt::format("expected '*' and a dimension after the factor {}, found {}", shortened(before->text),
                              cursor_.found()));
    if (before && !coefficient(*before, column, term)) return false;
    if (!dimension(term)) return false;
    if (before || !cursor_.take("*")) return true;
    column = cursor_.column();
    const auto after = cursor_.digits();
    if (!after) return fail(fmt::format("expected a factor (a positive integer), found {}", cursor_.found()));
    return coefficient(*after, column, term);
  }

  bool coefficient(const Digits& digits, std::size_t column, Term& term) {
    term.coefficient = digits.value;
    if (digits.value >= 1 && digits.value <= kMaxCoefficient) return true;
    errors_.push_back(cursor_.error_at(
        column, fmt::format("factor {}, must be an integer from 1 to {}", shortened(digits.text), kMaxCoefficient)));
    return false;
  }

  bool dimension(Term& term) {
    const std::size_t column = cursor_.column();
    const auto name = cursor_.identifier();
    if (!name) return fail(fmt::format("expected a dimension, like p or 2*p, found {}", cursor_.found()));
    const std::optional<int> known = workload_.find_dimension(*name);
    if (!known && known_only_) {
      const std::vector<std::string> names = names_of(workload_.dimensions);
      const std::string hint = did_you_mean(*name, names);
      errors_.push_back(
          cursor_.error_at(column, fmt::format("unknown dimension '{}'{}", shortened(*name),
                                               hint.empty() ? ", must be one of " + join(names, "or") : hint)));
      return false;
    }
    term.dimension = known.value_or(static_cast<int>(workload_.dimensions.size()));
    if (!known) workload_.dimensions.push_back({std::string(*name), 0});
    return true;
  }

  // i=256, j=32 (commas, semicolons or spaces between)
  void sizes() {
    while (!cursor_.at_end()) {
      const std::size_t column = cursor_.column();
      const auto name = cursor_.identifier();
      if (!name || !cursor_.take("=")) {
        fail(fmt::format("expected a size like i=256, found {}", cursor_.found()));
        return;
      }
      size(*name, column);
      while (cursor_.take(",") || cursor_.take(";")) continue;
    }
  }

  void size(std::string_view name, std::size_t column) {
    const std::size_t value_column = cursor_.column();
    const std::string_view text = cursor_.value();
    TextCursor value(text);
    const auto digits = value.digits();
    const std::optional<int> known = workload_.find_dimension(name);
    if (!known) {
      const std::vector<std::string> names = names_of(workload_.dimensions);
      const std::string hint = did_you_mean(name, names);
      errors_.push_back(
          cursor_.error_at(column, fmt::format("unknown dimension '{}'{}", shortened(name),
                                               hint.empty() ? ", must be one of " + join(names, "or") : hint)));
    } else if (!digits || !value.at_end() || digits->value < 1 || digits->value > kMaxDimensionSize) {
      errors_.push_back(cursor_.error_at(value_column, fmt::format("{} = {}, must be an integer from 1 to {}", name,
                                                                   shortened(text), kMaxDimensionSize)));
      workload_.dimensions[*known].size = 1;
    } else if (u64& size = workload_.dimensions[*known].size; size != 0) {
      errors_.push_back(cursor_.error_at(column, fmt::format("a second size for dimension {}", name)));
    } else {
      size = digits->value;
    }
  }

  TextCursor cursor_;
  bool known_only_ = false;
  LeftOut& left_out_;
  Workload workload_;
  Diagnostics errors_;
};

}  // namespace

std::optional<std::vector<bool>> LeftOut::reversed(std::size_t dimensions) const {
  // Dimensions that meet in a rank: alike, or one of them from its end.
  std::vector<std::vector<std::pair<std::size_t, bool>>> meets(dimensions);
  for (const std::vector<Sign>& rank : ranks_)
    for (const Sign& term : rank) {
      const std::size_t first = at(rank.front().dimension), other = at(term.dimension);
      const bool differ = rank.front().negative != term.negative;
      meets[first].emplace_back(other, differ);
      meets[other].emplace_back(first, differ);
    }
  std::vector<bool> out(dimensions, false), seen(dimensions, false);
  for (std::size_t start = 0; start < dimensions; ++start) {
    if (seen[start]) continue;
    std::vector<std::size_t> group{start};
    seen[start] = true;
    for (std::size_t i = 0; i < group.size(); ++i)
      for (const auto& [other, differ] : meets[group[i]]) {
        const bool wanted = out[group[i]] != differ;
        if (seen[other] && out[other] != wanted) return std::nullopt;
        if (!seen[other]) group.push_back(other);
        seen[other] = true;
        out[other] = wanted;
      }
    // Both directions say the same; the one that turns fewer loops round is taken.
    const auto turned = std::ranges::count_if(group, [&](std::size_t d) { return out[d]; });
    if (2 * at(static_cast<int>(turned)) > group.size())
      for (const std::size_t d : group) out[d] = !out[d];
  }
  return out;
}

std::string LeftOut::problem(std::span<const Dimension> dimensions) const {
  if (reversed(dimensions.size())) return "";
  for (std::size_t i = 0; i < ranks_.size(); ++i)
    for (const Sign& a : ranks_[i])
      for (const Sign& b : ranks_[i])
        for (std::size_t k = 0; k < i; ++k) {
          const auto in = [&](int d) { return std::ranges::find(ranks_[k], d, &Sign::dimension); };
          const auto c = in(a.dimension), d = in(b.dimension);
          if (c == ranks_[k].end() || d == ranks_[k].end()) continue;
          if ((a.negative == b.negative) == (c->negative == d->negative)) continue;
          return fmt::format(
              "{0} and {1} are added in one rank and subtracted in another; negative factors are read where the loops "
              "over some dimensions, run from their ends, turn all ranks into sums of positive ones",
              dimensions[a.dimension].name, dimensions[b.dimension].name);
        }
  return "the signs in ranks contradict each other; negative factors are read where the loops over some dimensions, "
         "run "
         "from their ends, turn all ranks into sums of positive ones";
}

std::vector<std::string> LeftOut::notes(std::span<const Dimension> dimensions) const {
  std::vector<std::string> out;
  if (offsets_) out.emplace_back("offsets in subscripts are left out: they shift a tensor and move no word more");
  std::vector<std::string> turned;
  const auto from_end = reversed(dimensions.size());
  for (std::size_t d = 0; from_end && d < dimensions.size(); ++d)
    if ((*from_end)[d]) turned.push_back(dimensions[d].name);
  if (!turned.empty())
    out.push_back(
        fmt::format("{} counted from the end: subscripts are then sums, as p-r becomes p+r and an offset, and "
                    "the same words move",
                    join(turned) + (turned.size() == 1 ? " is" : " are")));
  return out;
}

Result<Workload> parse_formula(std::string_view text, std::span<const std::string_view> order,
                               std::vector<std::string>* notes) {
  if (text.size() > kLongestText)
    return Diagnostic{shortened(text), 0, "", fmt::format("longer than {} characters", kLongestText)};
  LeftOut left_out;
  Result<Workload> parsed = EinsumParser(text, order, left_out).formula();
  if (parsed && notes != nullptr)
    for (std::string& note : left_out.notes(parsed->dimensions)) notes->push_back(std::move(note));
  return parsed;
}

Result<Workload> parse_einsum(std::string_view text, std::vector<std::string>* notes) {
  Result<Workload> parsed = parse_formula(text, {}, notes);
  if (!parsed) return parsed;
  Diagnostics errors;
  for (const Dimension& d : parsed->dimensions) {
    if (d.size != 0) continue;
    errors.push_back({shortened(text), 0, "",
                      fmt::format("no size for dimension {}; sizes follow the formula: \"; {}=64\"", d.name, d.name)});
  }
  if (!errors.empty()) return errors;
  infer_roles(*parsed);
  parsed->name = "einsum";
  errors = check(*parsed);
  for (Diagnostic& error : errors) error.file = shortened(text);
  if (!errors.empty()) return errors;
  return parsed;
}

Result<Rank> parse_rank(std::string_view text, std::span<const Dimension> dimensions, LeftOut& left_out) {
  if (text.size() > kLongestText)
    return Diagnostic{shortened(text), 0, "", fmt::format("longer than {} characters", kLongestText)};
  return EinsumParser(text, dimensions, left_out).rank_alone();
}

}  // namespace heliolite
